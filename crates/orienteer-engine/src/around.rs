//! What surrounds places of one file: their lines, the symbols they stand in.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::ops::Range as Span;
use std::sync::Arc;

use orienteer_base::ask::SnippetSpec;
use orienteer_base::code::Place;
use orienteer_base::{Conceal, Position, Range, Source};
use orienteer_lsp::Uses;
use orienteer_lsp::text::{Partial, Text};

use crate::outlines::Outlined;
use crate::packed::{self, Packed};

/// A longer line is shown as the part around the place.
const LONGEST_LINE: usize = 400;

/// A file whose places are shown.
pub(crate) struct Around<'a> {
    shown: String,
    view: View,
    conceal: &'a Conceal,
    /// The symbol of the last place and its path: the next one stands in the same as often as not.
    last: RefCell<Option<(usize, String)>>,
}

/// How much of a file is looked at.
pub(crate) enum View {
    Whole(Outlined),
    Part(Part),
    /// It cannot be read.
    Nothing,
    /// What it says is not shown: it lies outside the roots and is no library's.
    Withheld,
}

/// Some stretches of a file.
pub(crate) struct Part {
    file: Partial,
    outline: Arc<Packed>,
    /// Something was asked for that only the whole file can tell.
    missed: Cell<bool>,
}

impl Part {
    pub(crate) fn new((file, outline): (Partial, Arc<Packed>)) -> Self {
        Self { file, outline, missed: Cell::new(false) }
    }

    fn missing<T>(&self, found: Option<T>) -> Option<T> {
        if found.is_none() {
            self.missed.set(true);
        }
        found
    }
}

impl packed::Source for Partial {
    fn slice(&self, part: Span<usize>) -> Cow<'_, str> {
        Cow::Owned(Self::slice(self, part))
    }
}

impl<'a> Around<'a> {
    pub(crate) fn new(shown: String, view: View, conceal: &'a Conceal) -> Self {
        Self { shown, view, conceal, last: RefCell::default() }
    }

    pub(crate) fn is_readable(&self) -> bool {
        !matches!(self.view, View::Nothing | View::Withheld)
    }

    /// Whether all that was told is true. If not, the file has to be looked at as a whole.
    pub(crate) fn held(&self) -> bool {
        match &self.view {
            View::Part(part) => !part.missed.get() && part.file.held(),
            View::Whole(_) | View::Nothing | View::Withheld => true,
        }
    }

    /// One of the places that a server named in this file.
    pub(crate) fn range(&self, uses: &Uses, at: usize) -> Option<Range> {
        match &self.view {
            View::Whole(file) => uses.range(at, Some(&file.text)),
            View::Nothing | View::Withheld => uses.range(at, None),
            View::Part(part) => {
                let stretch = part.missing(uses.lines(at).and_then(|lines| part.file.stretch(lines)))?;
                part.missing(uses.range_in(at, &stretch))
            }
        }
    }

    /// The name that the grammar knows at a place.
    pub(crate) fn name_at(&self, position: Position) -> Option<String> {
        let offset = self.line(position, |_| ())?.1?;
        match &self.view {
            View::Whole(file) => {
                file.packed().name(file.packed().standing_at(offset)?, file.text.text.as_str())
            }
            View::Part(part) => part.outline.name(part.outline.standing_at(offset)?, &part.file),
            View::Nothing | View::Withheld => None,
        }
    }

    pub(crate) fn place(&self, range: Range, snippet: Option<SnippetSpec>, source: Source) -> Place {
        let file_path = self.shown.clone();
        let preview = |line: &str| shorten(line, range.start.column, self.conceal);
        let Some((preview, offset)) = self.line(range.start, preview) else {
            let withheld = matches!(self.view, View::Withheld);
            return Place {
                preview: String::new(),
                snippet: None,
                symbol: None,
                withheld,
                file_path,
                range,
                source,
            };
        };
        let snippet = snippet.and_then(|spec| match &self.view {
            View::Whole(file) => Some(lines_around(&file.text, range, spec, self.conceal)),
            View::Part(part) => part.missing(None),
            View::Nothing | View::Withheld => None,
        });
        let symbol = offset.and_then(|offset| self.enclosing(offset));
        Place { symbol, preview, snippet, withheld: false, file_path, range, source }
    }

    /// What `show` makes of the line of a position, and the offset of that in the file; `None` when it cannot be read.
    fn line<T>(&self, position: Position, show: impl FnOnce(&str) -> T) -> Option<(T, Option<usize>)> {
        let line = (position.line as usize).checked_sub(1)?;
        match &self.view {
            View::Nothing | View::Withheld => None,
            View::Whole(file) => {
                let text = file.text.line(position.line).unwrap_or_default();
                Some((show(text), file.offset(position)))
            }
            View::Part(part) => {
                let stretch = part.missing(part.file.stretch(line..line + 1))?;
                let (text, first) = (&stretch.text, u32::try_from(stretch.first).ok()?);
                let inside = Position { line: position.line.checked_sub(first)?, ..position };
                let offset = part.missing(text.lines.offset_of(&text.text, inside))?;
                Some((show(text.line(inside.line).unwrap_or_default()), Some(stretch.start + offset)))
            }
        }
    }

    /// The path of the innermost symbol around an offset.
    fn enclosing(&self, offset: usize) -> Option<String> {
        match &self.view {
            View::Whole(file) => self.path_at(file.packed(), offset, file.text.text.as_str()),
            View::Part(part) => self.path_at(&part.outline, offset, &part.file),
            View::Nothing | View::Withheld => None,
        }
    }

    fn path_at(
        &self,
        outline: &Packed,
        offset: usize,
        text: &(impl packed::Source + ?Sized),
    ) -> Option<String> {
        let at = outline.around(offset)?;
        let mut last = self.last.borrow_mut();
        match &*last {
            Some((symbol, path)) if *symbol == at => Some(path.clone()),
            _ => Some(last.insert((at, outline.path(at, text))).1.clone()),
        }
    }
}

/// The line, or a window of it around a column.
pub(crate) fn shorten(line: &str, column: u32, conceal: &Conceal) -> String {
    let at = (column as usize).saturating_sub(1);
    let Some(cut) = conceal.around(line, at, LONGEST_LINE / 4, LONGEST_LINE) else { return line.to_owned() };
    let mark = |is_cut: bool| if is_cut { "…" } else { "" };
    format!("{}{}{}", mark(cut.before), cut.text, mark(cut.after))
}

fn lines_around(text: &Text, range: Range, spec: SnippetSpec, conceal: &Conceal) -> String {
    let first = range.start.line.saturating_sub(spec.context_lines).max(1);
    let last = range.end.line.min(range.start.line + 20) + spec.context_lines;
    let mut snippet = String::new();
    for line in first..=last {
        let Some(line) = text.line(line) else { break };
        if !snippet.is_empty() {
            snippet.push('\n');
        }
        snippet.push_str(line);
    }
    conceal.beginning(snippet, spec.max_chars)
}

#[cfg(test)]
mod tests {
    use orienteer_base::Cancel;
    use orienteer_lsp::text::Texts;

    use super::*;
    use crate::outlines::Outlines;

    fn large() -> String {
        let class = |n: usize| {
            format!("class Größe{n} {{\r\n  /* 😀 */ größer{n}(x: number) {{\n    return x; }}\n}}\n\n")
        };
        (0..900).map(class).collect()
    }

    /// A file that was outlined once and is not in memory.
    fn outlined(text: &str) -> (tempfile::TempDir, std::path::PathBuf, Outlines, Texts) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.ts");
        std::fs::write(&path, text).unwrap();
        while orienteer_watch::stamp(&path).unwrap().is_recent() {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let (outlines, texts) = (Outlines::default(), Texts::new(0));
        outlines.of(&texts, &path, &Cancel::new()).unwrap();
        (folder, path, outlines, texts)
    }

    #[test]
    fn a_part_of_a_file_tells_what_the_whole_does() {
        let text = large();
        let (_folder, path, outlines, texts) = outlined(&text);
        let conceal = Conceal::default();
        let view = |view: View| Around::new("a.ts".to_owned(), view, &conceal);
        let whole = view(View::Whole(outlines.of(&texts, &path, &Cancel::new()).unwrap()));
        let part = view(View::Part(Part::new(outlines.glimpse(&texts, &path).unwrap())));
        let lines = u32::try_from(text.lines().count()).unwrap();
        let mut symbols = std::collections::BTreeSet::new();
        for line in (1..=lines).chain((1..=lines).rev().step_by(7)) {
            for column in [1, 3, 9, 12, 14, 99] {
                let start = Position::new(line, column);
                let range = Range { start, end: Position::new(line, column + 1) };
                let place = part.place(range, None, Source::Lsp);
                assert_eq!(place, whole.place(range, None, Source::Lsp));
                assert_eq!(part.name_at(start), whole.name_at(start), "{start:?}");
                symbols.extend(place.symbol);
            }
        }
        assert_eq!(symbols.len(), 2 * 900);
        assert!(symbols.contains("Größe7/größer7"));
        assert!(part.held());
    }

    #[test]
    fn what_only_the_whole_can_tell_and_what_changed_is_not_believed() {
        let (_folder, path, outlines, texts) = outlined(&large());
        let conceal = Conceal::default();
        let part = || {
            let part = outlines.glimpse(&texts, &path).unwrap();
            Around::new("a.ts".to_owned(), View::Part(Part::new(part)), &conceal)
        };
        let start = Position::new(5, 1);
        let range = Range { start, end: start };
        for asks in [
            |part: &Around<'_>, range| {
                part.place(range, Some(SnippetSpec { context_lines: 1, max_chars: 99 }), Source::Lsp)
            },
            |part: &Around<'_>, _| {
                let start = Position::new(99_999, 1);
                part.place(Range { start, end: start }, None, Source::Lsp)
            },
        ] {
            let part = part();
            assert!(part.held());
            asks(&part, range);
            assert!(!part.held());
        }
        let part = part();
        part.place(range, None, Source::Lsp);
        std::fs::write(&path, "class Other {}\n").unwrap();
        assert!(!part.held());
        assert!(outlines.glimpse(&texts, &path).is_none());
    }
}
