//! What surrounds a place: its line, some lines around it, the symbol it stands in.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use orienteer_base::answer::Warning;
use orienteer_base::ask::SnippetSpec;
use orienteer_base::code::{Place, SymbolRow};
use orienteer_base::{Cancel, Conceal, Position, Range, Source};
use orienteer_lsp::Spot;
use orienteer_syntax::Symbol;

use crate::Engine;
use crate::around::{Around, Part, View};
use crate::outlines::Outlined;
use crate::session::SessionSpec;

/// Reads each file of one answer once. Blocks.
pub(crate) struct Scenery<'a> {
    engine: &'a Engine,
    spec: &'a SessionSpec,
    cancel: &'a Cancel,
    files: HashMap<PathBuf, Option<Outlined>>,
}

impl<'a> Scenery<'a> {
    pub(crate) fn new(engine: &'a Engine, spec: &'a SessionSpec, cancel: &'a Cancel) -> Self {
        Self { engine, spec, cancel, files: HashMap::new() }
    }

    /// A file's text and outline; `None` when it cannot be read, or when it is nobody's business what it says.
    pub(crate) fn file(&mut self, path: &Path) -> Option<&Outlined> {
        if !self.files.contains_key(path) {
            let outlined = if self.may_show(path) {
                self.engine.outlines.beside(self.engine.fleet.texts(), path, self.cancel).ok()
            } else {
                None
            };
            self.files.insert(path.to_path_buf(), outlined);
        }
        self.files.get(path)?.as_ref()
    }

    /// How long lines are shown.
    pub(crate) fn conceal(&self) -> &'a Conceal {
        &self.engine.conceal
    }

    /// Whether it may be shown what a file says: one that a server named outside the roots must be a library's.
    pub(crate) fn may_show(&self, path: &Path) -> bool {
        self.spec.roots.contains(path) || self.engine.admit_named(path)
    }

    /// Takes out what stands in files that nobody may look into, where rows tell more than places: a name is a part of what
    /// a file says.
    pub(crate) fn withhold<T>(&self, rows: &mut Vec<T>, path: impl Fn(&T) -> &Path) -> Option<Warning> {
        let mut withheld = BTreeSet::new();
        rows.retain(|row| {
            let is_shown = self.may_show(path(row));
            if !is_shown {
                withheld.insert(self.spec.roots.show(path(row)));
            }
            is_shown
        });
        let named: Vec<String> = withheld.into_iter().take(5).collect();
        let message = format!(
            "symbols of files in no allowed root, toolchain or package folder are not shown: {}",
            named.join(", ")
        );
        (!named.is_empty()).then(|| Warning::new("outside_roots", message))
    }

    /// A path as answers show it; a library's file that a server named may be read from now on.
    pub(crate) fn show(&self, path: &Path) -> String {
        self.may_show(path);
        self.spec.roots.show(path)
    }

    pub(crate) fn place(
        &mut self,
        path: &Path,
        range: Range,
        snippet: Option<SnippetSpec>,
        source: Source,
    ) -> Place {
        self.around(path).place(range, snippet, source)
    }

    /// What is known of a file, for whoever shows several places of it.
    pub(crate) fn around(&mut self, path: &Path) -> Around<'a> {
        let view = match self.file(path).cloned() {
            Some(file) => View::Whole(file),
            None if self.may_show(path) => View::Nothing,
            None => View::Withheld,
        };
        Around::new(self.show(path), view, &self.engine.conceal)
    }

    /// What `tell` makes of a file's places, of which it wants lines and symbols and nothing around them. A large file is not
    /// read for that, unless something of it turns out to be needed: then `tell` is called once more.
    pub(crate) fn lines_of<T>(&mut self, path: &Path, tell: impl Fn(&Around<'_>) -> T) -> T {
        if !self.files.contains_key(path)
            && self.may_show(path)
            && let Some(part) = self.engine.outlines.glimpse(self.engine.fleet.texts(), path)
        {
            let part = View::Part(Part::new(part));
            let around = Around::new(self.show(path), part, &self.engine.conceal);
            let told = tell(&around);
            if around.held() {
                return told;
            }
        }
        tell(&self.around(path))
    }

    pub(crate) fn spot(&mut self, spot: &Spot, snippet: Option<SnippetSpec>) -> Place {
        self.place(&spot.path, spot.range, snippet, Source::Lsp)
    }

    /// The symbol of the grammar whose name is at a place.
    pub(crate) fn symbol_at(&mut self, path: &Path, position: Position) -> Option<Symbol> {
        let file = self.file(path)?;
        file.named_at(file.offset(position)?)
    }

    /// Servers may give a whole definition where its name is wanted.
    pub(crate) fn name_range(&mut self, spot: &Spot) -> Range {
        let Some(file) = self.file(&spot.path) else { return spot.range };
        let (Some(start), Some(end)) = (file.offset(spot.range.start), file.offset(spot.range.end)) else {
            return spot.range;
        };
        let covered = file.text.text.get(start..end).unwrap_or_default();
        let is_name = !covered.is_empty() && !covered.contains([' ', '\n', '(', '{', '=', ';']);
        // A module that is a file has no name in it.
        let is_file = start == 0 && file.text.text[end..].trim().is_empty();
        if is_name || is_file {
            return spot.range;
        }
        let inside = file.symbols().iter().find(|symbol| {
            symbol.range.start <= start
                && start <= symbol.name_range.start
                && symbol.name_range.end <= end.max(start + 1)
        });
        // Some begin a definition with its comment. A module may begin behind a comment, too: it has more than one
        // definition in it.
        let inside = inside.or_else(|| {
            let mut within = file.symbols().iter().filter(|symbol| start <= symbol.range.start);
            let first = within.next().filter(|symbol| symbol.range.end <= end)?;
            let rest = file.text.text.get(first.range.end..end)?;
            rest.trim().is_empty().then_some(first)
        });
        inside.map_or(spot.range, |symbol| file.text.lines.range(&file.text.text, symbol.name_range.clone()))
    }
}

/// The id of a symbol: its file and name path, numbered where a file has several of that path. It survives edits
/// elsewhere in the file.
pub(crate) fn symbol_id(shown: &str, outlined: &Outlined, symbol: &Symbol) -> String {
    numbered_id(shown, &symbol.name_path, outlined.nth(symbol))
}

/// The same where it is known which of its path the symbol is, from 1.
pub(crate) fn numbered_id(shown: &str, name_path: &str, nth: u32) -> String {
    match nth {
        1 => format!("{shown}#{name_path}"),
        nth => format!("{shown}#{name_path}~{nth}"),
    }
}

/// The id of a symbol that the grammar does not know: its place is the only other thing known of it.
pub(crate) fn unknown_id(shown: &str, name_path: &str, at: Position) -> String {
    format!("{shown}#{name_path}@{}:{}", at.line, at.column)
}

/// A symbol of the grammar as a row.
pub(crate) fn row(shown: &str, outlined: &Outlined, symbol: &Symbol) -> SymbolRow {
    let text = &outlined.text;
    let range = text.lines.range(&text.text, symbol.name_range.clone());
    let end = text.lines.position(&text.text, symbol.range.end.saturating_sub(1).max(symbol.range.start));
    SymbolRow {
        symbol_id: symbol_id(shown, outlined, symbol),
        name: symbol.name.clone(),
        name_path: symbol.name_path.clone(),
        kind: symbol.kind,
        file_path: shown.to_owned(),
        range,
        end_line: end.line,
        signature: Some(symbol.signature.clone()).filter(|signature| !signature.is_empty()),
        doc: None,
        children: Vec::new(),
        source: Source::Text,
    }
}
