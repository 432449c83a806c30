//! How does an editor write this place, and which lines does it show around it?
//!
//! For contracts that count as the Language Server Protocol does: lines from 0, columns from 0 in UTF-16, files as URIs.

use orienteer_base::{Cancel, ColumnUnit, Conceal, PathError, Position, Problem, Range, RootedPath};
use orienteer_lsp::text::Text;
use orienteer_lsp::uri;

use crate::Session;
use crate::around::shorten;

/// Lines of a place that reaches over many.
const MOST_LINES: u32 = 20;

/// From 0, columns in UTF-16.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EditorPosition {
    pub line: u32,
    pub character: u32,
}

/// A place with the lines around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditorPlace {
    pub uri: String,
    pub start: EditorPosition,
    pub end: EditorPosition,
    /// The lines of the place itself, the first of them number `line`, counted from 1.
    pub content: String,
    pub line: u32,
    pub before: Vec<String>,
    pub after: Vec<String>,
}

impl Session {
    /// The first touch of a path that may be written as a `file:` URI.
    pub fn resolve_uri(&self, written: &str) -> Result<RootedPath, PathError> {
        match uri::to_path(written.trim()) {
            Some(path) => self.resolve(&self.roots().show(&path)),
            None => self.resolve(written),
        }
    }

    /// The places as an editor writes them, each with so many lines before and after it. Paths are those of answers.
    pub async fn in_editor(
        &self,
        places: Vec<(String, Range)>,
        context_lines: u32,
        cancel: &Cancel,
    ) -> Result<Vec<EditorPlace>, Problem> {
        let (session, flag) = (self.clone(), cancel.clone());
        self.paint(cancel, move |scenery| {
            let mut shown = Vec::with_capacity(places.len());
            for (file_path, range) in places {
                flag.check()?;
                let path = session.roots().workspace().join(&file_path);
                let path = session.resolve(&file_path).map_or(path, |path| path.absolute().to_path_buf());
                let text = scenery.file(&path).map(|file| file.text.clone());
                let conceal = scenery.conceal();
                shown.push(place(uri::from_path(&path), text.as_deref(), range, context_lines, conceal));
            }
            Ok(shown)
        })
        .await
    }
}

fn place(
    uri: String,
    text: Option<&Text>,
    range: Range,
    context_lines: u32,
    conceal: &Conceal,
) -> EditorPlace {
    let (first, last) = (range.start.line, range.end.line.min(range.start.line.saturating_add(MOST_LINES)));
    let line = |number: u32| text.and_then(|text| text.line(number));
    // A line break at the end does not begin another line.
    let is_last = |number: u32| text.is_some_and(|text| number as usize == text.lines.line_count());
    let is_line = |number: &u32| !(is_last(*number) && line(*number) == Some(""));
    let shown = |from: u32, to: u32| -> Vec<String> {
        (from..=to).take_while(is_line).map_while(line).map(|line| shorten(line, 1, conceal)).collect()
    };
    let own = (first..=last).map_while(line).map(|line| shorten(line, range.start.column, conceal));
    EditorPlace {
        uri,
        start: position(text, range.start),
        end: position(text, range.end),
        content: own.collect::<Vec<_>>().join("\n"),
        line: first,
        before: shown(first.saturating_sub(context_lines).max(1), first.saturating_sub(1)),
        after: if context_lines == 0 {
            Vec::new()
        } else {
            shown(last.saturating_add(1), last.saturating_add(context_lines))
        },
    }
}

/// Where the line cannot be read any more, characters are counted for what they are.
fn position(text: Option<&Text>, at: Position) -> EditorPosition {
    let located = text.and_then(|Text { text, lines, .. }| {
        let (_, character) = lines.locate(text, lines.offset_of(text, at)?, ColumnUnit::Utf16);
        u32::try_from(character).ok()
    });
    let character = located.unwrap_or(at.column.saturating_sub(1));
    EditorPosition { line: at.line.saturating_sub(1), character }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, from: (u32, u32), to: (u32, u32), context: u32) -> EditorPlace {
        let text = Text::new(text.to_owned());
        let range = Range { start: Position::new(from.0, from.1), end: Position::new(to.0, to.1) };
        place("file:///x".to_owned(), Some(&text), range, context, &Conceal::default())
    }

    #[test]
    fn columns_are_counted_in_utf_16_from_zero() {
        let found = shown("a\nlet 🎉 = größe;\n", (2, 9), (2, 14), 0);
        assert_eq!((found.start.line, found.start.character, found.end.character), (1, 9, 14));
        assert_eq!(
            (found.content.as_str(), found.before.len(), found.after.len()),
            ("let 🎉 = größe;", 0, 0)
        );
    }

    #[test]
    fn lines_around_end_where_the_file_does() {
        let found = shown("1\r\n2\r\n3\r\n4\r\n5\r\n", (2, 1), (2, 2), 3);
        assert_eq!(
            (found.content.as_str(), found.before.join(","), found.after.join(",")),
            ("2", "1".into(), "3,4,5".into())
        );
        let first = shown("1\n2\n", (1, 1), (1, 2), 9);
        assert_eq!((first.before.len(), first.after.as_slice()), (0, ["2".to_owned()].as_slice()));
    }

    #[test]
    fn a_place_over_many_lines_and_one_in_no_file_are_told_as_they_are() {
        let long = "x\n".repeat(100);
        let found = shown(&long, (1, 1), (90, 2), 1);
        assert_eq!((found.content.lines().count(), found.end.line, found.end.character), (21, 89, 1));
        let range = Range { start: Position::new(3, 4), end: Position::new(3, 6) };
        let gone = place("file:///x".to_owned(), None, range, 2, &Conceal::default());
        assert_eq!((gone.start, gone.content.as_str()), (EditorPosition { line: 2, character: 3 }, ""));
    }
}
