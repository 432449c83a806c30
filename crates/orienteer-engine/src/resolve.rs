//! From what an agent points at to one place, or to the list of what it could mean. There is no guessing.

use std::path::Path;

use orienteer_base::answer::Warning;
use orienteer_base::escape;
use orienteer_base::nearest::nearest;
use orienteer_base::{Cancel, ErrorKind, Language, Position, Problem, RootedPath, SymbolKind, Target};
use orienteer_search::words::{is_word_char, occurrences};
use orienteer_syntax::Symbol;

use crate::Session;
use crate::blocking::{blocking, quick};
use crate::named::{Candidate, fits, name_parts};
use crate::outlines::Outlined;
use crate::scenery::symbol_id;

/// Lines around the given one on which a word is looked for.
const NEAR: u32 = 5;

/// Candidates that are told.
const TOLD: usize = 10;

/// One place, in a file that may be read.
#[derive(Debug, Clone)]
pub(crate) struct Pinned {
    pub(crate) file: RootedPath,
    pub(crate) position: Position,
    /// The identifier there.
    pub(crate) word: Option<String>,
    pub(crate) warnings: Vec<Warning>,
}

impl Session {
    /// The one place a target means.
    pub(crate) async fn pin(&self, target: &Target, cancel: &Cancel) -> Result<Pinned, Problem> {
        let session = self.clone();
        let target = target.clone();
        let flag = cancel.clone();
        // A file is looked at in no time; a name alone may take a look at the whole workspace.
        let one_file = target.file.is_some() || target.symbol_id.is_some();
        let at_hand = target.file.as_ref().is_some_and(|file| self.has_at_hand(file.absolute()));
        let pin = move || session.pin_now(&target, &flag);
        if one_file { quick(cancel, at_hand, pin).await } else { blocking(cancel, pin).await }
    }

    fn pin_now(&self, target: &Target, cancel: &Cancel) -> Result<Pinned, Problem> {
        if let Some(id) = &target.symbol_id {
            return self.by_id(id, cancel);
        }
        let Some(file) = &target.file else {
            let Some(name) = &target.symbol_name else { return Err(incomplete()) };
            return self.by_name(name, target.symbol_kind, cancel);
        };
        let outlined = self.outlined(file.absolute(), cancel)?;
        match (target.line, target.column, &target.symbol_name) {
            (Some(line), Some(column), _) => at_place(file, &outlined, line, column),
            (Some(line), None, Some(name)) => on_line(file, &outlined, line, name, target.occurrence),
            (None, _, Some(name)) => in_file(file, &outlined, name, target.symbol_kind, target.occurrence),
            _ => Err(incomplete()),
        }
    }

    /// Whether a file has been read and outlined, so that doing it again is no work unless it changed.
    pub(crate) fn has_at_hand(&self, path: &Path) -> bool {
        self.engine().outlines.has_at_hand(path)
    }

    pub(crate) fn outlined(&self, path: &Path, cancel: &Cancel) -> Result<Outlined, Problem> {
        let engine = self.engine();
        engine.outlines.of(engine.fleet.texts(), path, cancel).map_err(|error| {
            let message = format!("`{}` cannot be read: {error}", self.roots().show(path));
            Problem::new(ErrorKind::NotFound, message).detail("unreadable").field("file_path")
        })
    }

    fn by_id(&self, id: &str, cancel: &Cancel) -> Result<Pinned, Problem> {
        // A path may contain `#`, and so may a name: the shortest beginning that is a file counts.
        let split = id.match_indices('#').find_map(|(at, _)| {
            let file = self.resolve(&id[..at]).ok()?.require_file().ok()?;
            Some((file, &id[at + 1..]))
        });
        let Some((file, rest)) = split else {
            let id: String = id.chars().take(200).collect();
            let message = format!("`{id}` names no symbol: its file does not exist (any more)");
            return Err(Problem::new(ErrorKind::NotFound, message)
                .field("symbol_id")
                .detail("unknown_symbol_id"));
        };
        let (path, nth): (&str, usize) = match rest.rsplit_once('~') {
            Some((path, nth)) if nth.parse::<usize>().is_ok() => (path, nth.parse().unwrap_or(1)),
            _ => (rest, 1),
        };
        let outlined = self.outlined(file.absolute(), cancel)?;
        let named = |path: &str| -> Vec<&Symbol> {
            outlined.symbols().iter().filter(|symbol| symbol.name_path == path).collect()
        };
        let mut same = named(path);
        if let Some(undone) = escape::undone(path).filter(|_| same.is_empty()) {
            same = named(&undone);
        }
        if let Some(symbol) = nth.checked_sub(1).and_then(|at| same.get(at)) {
            return Ok(pinned_symbol(&file, &outlined, symbol));
        }
        if let Some(place) = place_in(rest, &outlined) {
            return at_place(&file, &outlined, place.line, place.column);
        }
        if !outlined.parsed {
            // No grammar: the name is looked for as a word.
            let name = path.rsplit('/').next().unwrap_or(path);
            return in_file(&file, &outlined, name, None, None);
        }
        let paths: Vec<&str> = outlined.symbols().iter().map(|symbol| symbol.name_path.as_str()).collect();
        let close = nearest(path, paths.iter().copied(), 5);
        let candidates = close.iter().map(|path| format!("{}#{path}", file.shown())).collect();
        let message = format!("`{}` defines no `{path}` (any more)", file.shown());
        Err(Problem::new(ErrorKind::NotFound, message)
            .field("symbol_id")
            .detail("unknown_symbol_id")
            .candidates(candidates))
    }

    fn by_name(&self, written: &str, kind: Option<SymbolKind>, cancel: &Cancel) -> Result<Pinned, Problem> {
        let found = defining(self.symbols_named(written, kind, cancel)?.0);
        match found.as_slice() {
            [] => {
                let name: String = written.chars().take(200).collect();
                let ids = self.words_without_grammar(written, TOLD, cancel)?;
                let beyond =
                    if ids.is_empty() { "" } else { "; no grammar reads the files that are named here" };
                let message = format!(
                    "no symbol `{name}` is defined in the workspace, as far as grammars can tell{beyond}"
                );
                Err(Problem::new(ErrorKind::NotFound, message)
                    .field("symbol_name")
                    .detail("unknown_symbol")
                    .candidates(ids))
            }
            [one] => {
                let file = self.named_path(&one.path)?;
                Ok(pinned_symbol(&file, &one.outlined, &one.symbol))
            }
            several => {
                let ids = several
                    .iter()
                    .map(|one| symbol_id(&self.roots().show(&one.path), &one.outlined, &one.symbol));
                Err(ambiguous(written, several.len(), ids.take(TOLD).collect()))
            }
        }
    }

    pub(crate) fn named_path(&self, path: &Path) -> Result<RootedPath, Problem> {
        self.roots().named(path).ok_or_else(|| {
            let message = format!("`{}` does not exist any more", self.roots().show(path));
            Problem::new(ErrorKind::NotFound, message).detail("no_such_path")
        })
    }
}

/// The place in the id of a symbol that only a server knows, as long as its name stands there.
fn place_in(id: &str, outlined: &Outlined) -> Option<Position> {
    let (name, place) = id.rsplit_once('@')?;
    let (line, column) = place.split_once(':')?;
    let place = Position::new(line.parse().ok()?, column.parse().ok()?);
    if place.line == 0 || place.column == 0 {
        return None;
    }
    word_at(outlined, place).is_none_or(|word| name.contains(&word)).then_some(place)
}

/// Where one of several is the definition and the others declare it, as headers and overloads do, that one is meant.
/// The same goes for a class and its constructor.
fn defining(mut found: Vec<Candidate>) -> Vec<Candidate> {
    let paths: Vec<String> = found.iter().map(|one| one.symbol.name_path.clone()).collect();
    found.retain(|one| {
        let class = one.symbol.name_path.strip_suffix(&format!("/{}", one.symbol.name));
        !class
            .is_some_and(|class| class.ends_with(&one.symbol.name) && paths.iter().any(|path| path == class))
    });
    let declares = |one: &Candidate| {
        let language = Language::by_path(&one.path).map(|language| language.id);
        let text = one.outlined.text.text.get(one.symbol.range.clone()).unwrap_or_default();
        matches!(language, Some("c" | "cpp" | "typescript" | "tsx")) && text.trim_end().ends_with(';')
    };
    let same = |one: &Candidate| {
        let first = found.first().map(|first| (&first.symbol.name_path, first.symbol.kind));
        first == Some((&one.symbol.name_path, one.symbol.kind))
    };
    let defining = found.iter().filter(|one| !declares(one)).count();
    if found.len() > 1 && defining == 1 && found.iter().all(same) {
        return found.into_iter().filter(|one| !declares(one)).collect();
    }
    found
}

fn incomplete() -> Problem {
    let message = "the target is incomplete; enough is file_path + line + column, file_path + line + symbol_name, \
                   file_path + symbol_name, symbol_name, or symbol_id";
    Problem::new(ErrorKind::InvalidParams, message).detail("incomplete_target")
}

fn ambiguous(name: &str, count: usize, candidates: Vec<String>) -> Problem {
    let name: String = name.chars().take(200).collect();
    let message =
        format!("`{name}` means {count} symbols; say which with `symbol_id`: {}", candidates.join(", "));
    Problem::new(ErrorKind::Ambiguous, message).field("symbol_name").candidates(candidates)
}

fn pinned_symbol(file: &RootedPath, outlined: &Outlined, symbol: &Symbol) -> Pinned {
    let position = outlined.text.lines.position(&outlined.text.text, symbol.name_range.start);
    Pinned { file: file.clone(), position, word: word_at(outlined, position), warnings: Vec::new() }
}

/// The identifier around a place.
fn word_at(outlined: &Outlined, position: Position) -> Option<String> {
    let line = outlined.text.line(position.line)?;
    let at = position.column as usize - 1;
    let chars: Vec<char> = line.chars().collect();
    let is_word = |index: usize| chars.get(index).copied().is_some_and(is_word_char);
    // A place right behind a word belongs to it, as cursors do.
    let inside = if is_word(at) { at } else { at.checked_sub(1).filter(|before| is_word(*before))? };
    let start = (0..=inside).rev().take_while(|index| is_word(*index)).last()?;
    let end = (inside..chars.len()).take_while(|index| is_word(*index)).last()?;
    Some(chars[start..=end].iter().collect())
}

fn at_place(file: &RootedPath, outlined: &Outlined, line: u32, column: u32) -> Result<Pinned, Problem> {
    let Some(text) = outlined.text.line(line) else {
        let lines = outlined.text.lines.line_count();
        let message = format!("`{}` has {lines} lines; there is no line {line}", file.shown());
        return Err(Problem::invalid("line", "no_such_line", message));
    };
    let length = text.chars().count();
    if column as usize > length + 1 {
        let message =
            format!("line {line} of `{}` has {length} characters; there is no column {column}", file.shown());
        return Err(Problem::invalid("column", "no_such_column", message));
    }
    let position = Position::new(line, column);
    Ok(Pinned { file: file.clone(), position, word: word_at(outlined, position), warnings: Vec::new() })
}

/// Columns of a word on a line.
fn columns(line: &str, word: &str) -> Vec<u32> {
    let column = |at: usize| u32::try_from(line[..at].chars().count() + 1).unwrap_or(u32::MAX);
    occurrences(line, word).map(|range| column(range.start)).collect()
}

fn on_line(
    file: &RootedPath,
    outlined: &Outlined,
    line: u32,
    written: &str,
    occurrence: Option<u32>,
) -> Result<Pinned, Problem> {
    let parts = name_parts(written);
    let word = parts.last().copied().unwrap_or(written);
    let on = |line: u32| outlined.text.line(line).map(|text| columns(text, word)).unwrap_or_default();
    let here = on(line);
    let nth = occurrence.unwrap_or(1) as usize;
    if !here.is_empty() {
        let Some(column) = here.get(nth - 1) else {
            let message =
                format!("line {line} has `{word}` {} times; there is no occurrence {nth}", here.len());
            return Err(Problem::invalid("occurrence", "no_such_occurrence", message));
        };
        return Ok(pinned_word(file, Position::new(line, *column), word, Vec::new()));
    }
    for distance in 1..=NEAR {
        let mut near: Vec<Position> = Vec::new();
        for other in [line.checked_sub(distance).filter(|line| *line > 0), line.checked_add(distance)] {
            let Some(other) = other else { continue };
            near.extend(on(other).first().map(|column| Position::new(other, *column)));
        }
        match near.as_slice() {
            [] => {}
            [one] => {
                let message = format!("`{word}` is not on line {line}; the nearest is on line {}", one.line);
                return Ok(pinned_word(file, *one, word, vec![Warning::new("position_moved", message)]));
            }
            _ => {
                let lines: Vec<String> = near.iter().map(|place| place.line.to_string()).collect();
                let message = format!(
                    "`{word}` is not on line {line} of `{}`, and as near on lines {}; say which with `line`",
                    file.shown(),
                    lines.join(" and "),
                );
                return Err(Problem::new(ErrorKind::Ambiguous, message)
                    .field("line")
                    .detail("ambiguous_line"));
            }
        }
    }
    let word: String = word.chars().take(200).collect();
    let message = format!("`{word}` is not within {NEAR} lines of line {line} of `{}`", file.shown());
    Err(Problem::new(ErrorKind::NotFound, message).field("symbol_name").detail("unknown_symbol"))
}

fn pinned_word(file: &RootedPath, position: Position, word: &str, warnings: Vec<Warning>) -> Pinned {
    Pinned { file: file.clone(), position, word: Some(word.to_owned()), warnings }
}

fn in_file(
    file: &RootedPath,
    outlined: &Outlined,
    written: &str,
    kind: Option<SymbolKind>,
    occurrence: Option<u32>,
) -> Result<Pinned, Problem> {
    let parts = name_parts(written);
    let symbols = outlined.symbols().iter();
    let found: Vec<&Symbol> = symbols
        .filter(|symbol| fits(symbol, written, &parts) && kind.is_none_or(|kind| symbol.kind == kind))
        .collect();
    let nth = occurrence.map(|occurrence| occurrence as usize - 1);
    match (found.as_slice(), nth) {
        ([one], None | Some(0)) => return Ok(pinned_symbol(file, outlined, one)),
        ([], _) => {}
        (several, Some(nth)) => {
            let Some(symbol) = several.get(nth) else {
                let message = format!("`{}` defines `{written}` {} times", file.shown(), several.len());
                return Err(Problem::invalid("occurrence", "no_such_occurrence", message));
            };
            return Ok(pinned_symbol(file, outlined, symbol));
        }
        (several, None) => {
            let ids =
                several.iter().map(|symbol| symbol_id(file.shown(), outlined, symbol)).take(TOLD).collect();
            return Err(ambiguous(written, several.len(), ids));
        }
    }
    // It is used here and defined elsewhere: every use means the same unless the file shadows it.
    let word = parts.last().copied().unwrap_or(written);
    if kind.is_none()
        && let Some(range) = occurrences(&outlined.text.text, word).nth(nth.unwrap_or(0))
    {
        let position = outlined.text.lines.position(&outlined.text.text, range.start);
        let message = format!(
            "`{}` does not define `{word}`; its use on line {} was taken",
            file.shown(),
            position.line
        );
        return Ok(pinned_word(file, position, word, vec![Warning::new("use_taken", message)]));
    }
    let names = outlined.symbols().iter().map(|symbol| symbol.name_path.as_str());
    let close: Vec<String> =
        nearest(written, names, 5).into_iter().map(|path| format!("{}#{path}", file.shown())).collect();
    let written: String = written.chars().take(200).collect();
    let message = format!("`{}` does not contain `{written}`", file.shown());
    Err(Problem::new(ErrorKind::NotFound, message)
        .field("symbol_name")
        .detail("unknown_symbol")
        .candidates(close))
}
