//! What do files define, as the index knows them?
//!
//! Parsing the files of a folder takes seconds; their outlines are in the index. Their texts are read for the places.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use orienteer_base::code::SymbolRow;
use orienteer_base::{Cancel, Source};
use orienteer_index::store::{FileFlags, Reader, RelativePath, Symbol, SymbolId};
use orienteer_lsp::text::Text;

use super::fresh::Look;
use crate::Session;

/// Deeper than any outline that is shown.
const DEEPEST: usize = 64;

impl Session {
    /// The outline of each of some files, as trees; `None` for those that the index does not know whole. Nothing at all when
    /// it does not know the files as they are. Blocks.
    pub(crate) fn outlines_in_index(
        &self,
        files: &[PathBuf],
        cancel: &Cancel,
    ) -> Option<Vec<Option<Vec<SymbolRow>>>> {
        let index = self.engine().index(self.roots().workspace()).filter(|index| index.is_open())?;
        let Ok(Look::Ready(view)) = index.look(&self.watch(), cancel) else { return None };
        if !view.is_true() {
            return None;
        }
        let reader = view.store.read().ok()?;
        let mut outlines = Vec::with_capacity(files.len());
        for path in files {
            cancel.check().ok()?;
            outlines.push(self.outline_of(&reader, path));
            cancel.advance(1);
        }
        Some(outlines)
    }

    fn outline_of(&self, reader: &Reader<'_>, path: &Path) -> Option<Vec<SymbolRow>> {
        let relative = RelativePath::below(self.roots().workspace(), path)?;
        let file = reader.file_at(&relative).ok()??;
        let partly = FileFlags::TOO_LARGE.with(FileFlags::TRUNCATED).with(FileFlags::BINARY);
        if file.flags.any(partly) {
            return None;
        }
        let symbols = reader.symbols_of(&file).ok()?;
        if symbols.is_empty() {
            return Some(Vec::new());
        }
        let text = self.engine().fleet.texts().read(path).ok()?;
        // The text may have been decoded in another way, or be another one by now.
        let stands = |symbol: &Symbol| {
            text.text.get(symbol.name_range.clone()).is_some_and(|name| name.contains(&symbol.name))
                && text.text.is_char_boundary(symbol.range.end.min(text.text.len()))
        };
        if !symbols.iter().all(stands) {
            return None;
        }
        let shown = self.roots().show(path);
        // What belongs to a symbol need not stand inside it: methods of a type, say.
        let places: HashMap<SymbolId, usize> =
            symbols.iter().enumerate().map(|(at, symbol)| (symbol.id, at)).collect();
        let mut inside: Vec<Vec<usize>> = vec![Vec::new(); symbols.len()];
        let mut tops = Vec::new();
        for (at, symbol) in symbols.iter().enumerate() {
            match symbol.parent.and_then(|parent| places.get(&parent)).filter(|parent| **parent != at) {
                Some(parent) => inside[*parent].push(at),
                None => tops.push(at),
            }
        }
        let trees = Trees { shown: &shown, text: &text, symbols: &symbols, inside: &inside };
        Some(tops.into_iter().map(|at| trees.tree(at, 0)).collect())
    }
}

/// The symbols of one file.
struct Trees<'t> {
    shown: &'t str,
    text: &'t Text,
    symbols: &'t [Symbol],
    /// Of each, those that belong to it.
    inside: &'t [Vec<usize>],
}

impl Trees<'_> {
    fn tree(&self, at: usize, depth: usize) -> SymbolRow {
        let Self { shown, text, symbols, inside } = self;
        let symbol = &symbols[at];
        let end = symbol.range.end.saturating_sub(1).max(symbol.range.start);
        let children = inside[at].iter().filter(|_| depth < DEEPEST);
        SymbolRow {
            symbol_id: match symbol.nth {
                0 => format!("{shown}#{}", symbol.name_path),
                nth => format!("{shown}#{}~{}", symbol.name_path, nth + 1),
            },
            name: symbol.name.clone(),
            name_path: symbol.name_path.clone(),
            kind: symbol.kind,
            file_path: (*shown).to_owned(),
            range: text.lines.range(&text.text, symbol.name_range.clone()),
            end_line: text.lines.position(&text.text, end).line,
            signature: Some(symbol.signature.clone()).filter(|signature| !signature.is_empty()),
            doc: None,
            children: children.map(|below| self.tree(*below, depth + 1)).collect(),
            source: Source::Index,
        }
    }
}
