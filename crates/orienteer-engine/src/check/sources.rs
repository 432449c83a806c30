//! Where is what a checker points at, as agents count and write it?
//!
//! Checkers name files relative to the folder they run in, end lines at different characters and count columns in
//! different units. A place is therefore looked up in the file's own text.

use std::collections::HashMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use orienteer_base::code::{Diagnostic, Related, Severity};
use orienteer_base::path::open_exactly;
use orienteer_base::{ColumnUnit, LineIndex, Position, Range, Roots};

/// A place as a checker counts it; lines and columns from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Spot {
    pub(super) line: u32,
    pub(super) column: u32,
}

/// A finding as a checker wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) file: String,
    pub(super) start: Spot,
    pub(super) end: Spot,
    pub(super) severity: Severity,
    pub(super) code: Option<String>,
    pub(super) message: String,
    pub(super) related: Vec<(String, Spot, String)>,
    pub(super) fixes: Vec<String>,
}

/// How a checker counts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Counting {
    pub(super) unit: ColumnUnit,
    /// Whether a byte order mark takes up the first column.
    pub(super) counts_mark: bool,
    /// The characters that end a line; `\r\n` is one end where both are listed.
    pub(super) line_ends: &'static [char],
}

/// Files beyond this are shown with the columns that the checker gave.
const LARGEST: u64 = 32 << 20;
/// Text kept between two findings.
const KEPT: usize = 64 << 20;

/// The files that one run of a checker names.
#[derive(Debug)]
pub(super) struct Sources<'a> {
    roots: &'a Roots,
    /// The folder that names are relative to.
    base: &'a Path,
    counting: Counting,
    files: HashMap<String, Source>,
    kept: usize,
}

#[derive(Debug)]
struct Source {
    path: PathBuf,
    shown: String,
    text: Option<Text>,
}

#[derive(Debug)]
struct Text {
    text: String,
    /// Where lines begin as the checker counts them.
    starts: Vec<usize>,
    index: LineIndex,
}

impl<'a> Sources<'a> {
    pub(super) fn new(roots: &'a Roots, base: &'a Path, counting: Counting) -> Self {
        Self { roots, base, counting, files: HashMap::new(), kept: 0 }
    }

    /// The canonical path of a file, or where it would be.
    pub(super) fn path(&mut self, file: &str) -> PathBuf {
        self.source(file).path.clone()
    }

    pub(super) fn diagnostic(&mut self, found: Finding, checker: &str) -> Diagnostic {
        let related = found.related.into_iter().map(|(file, spot, message)| {
            let (file_path, at) = self.place(&file, spot);
            Related { file_path, line: at.line, column: at.column, message }
        });
        let related = related.collect();
        let (file_path, start) = self.place(&found.file, found.start);
        let (_, end) = self.place(&found.file, found.end);
        Diagnostic {
            file_path,
            range: Range { start, end: end.max(start) },
            severity: found.severity,
            code: found.code,
            message: found.message,
            source: Some(checker.to_owned()),
            related,
            fixes: found.fixes,
        }
    }

    fn place(&mut self, file: &str, spot: Spot) -> (String, Position) {
        let counting = self.counting;
        let source = self.source(file);
        let position = source.text.as_ref().and_then(|text| text.position(spot, counting));
        let position = position.unwrap_or(Position::new(spot.line.max(1), spot.column.max(1)));
        (source.shown.clone(), position)
    }

    fn source(&mut self, file: &str) -> &Source {
        if self.kept > KEPT {
            self.files.clear();
            self.kept = 0;
        }
        if !self.files.contains_key(file) {
            let path = self.base.join(file);
            let path = std::fs::canonicalize(&path).unwrap_or(path);
            let text = read(&path).map(|text| Text::new(text, self.counting));
            self.kept += text.as_ref().map_or(0, |text| text.text.len()) + file.len();
            let source = Source { shown: self.roots.show(&path), path, text };
            self.files.insert(file.to_owned(), source);
        }
        // It was inserted just now, if it was not there; the empty one only satisfies the type.
        self.files.entry(file.to_owned()).or_insert_with(|| Source {
            path: PathBuf::new(),
            shown: String::new(),
            text: None,
        })
    }
}

fn read(path: &Path) -> Option<String> {
    // Asked before opening, because opening a pipe waits for its other end.
    if !path.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    open_exactly(path).ok()?.take(LARGEST + 1).read_to_end(&mut bytes).ok()?;
    let is_utf16 = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
    (!is_utf16 && bytes.len() as u64 <= LARGEST).then(|| String::from_utf8_lossy(&bytes).into_owned())
}

impl Text {
    fn new(text: String, counting: Counting) -> Self {
        let mut starts = vec![0];
        let ends = text.match_indices(counting.line_ends);
        starts.extend(ends.map(|(at, end)| at + end.len()).filter(|at| {
            // A return before a newline is only the first half of a line's end.
            !(text[..*at].ends_with('\r') && text[*at..].starts_with('\n'))
        }));
        Self { index: LineIndex::new(&text), text, starts }
    }

    /// `None` where the text has no such line, because it has changed since or never was the same.
    fn position(&self, spot: Spot, counting: Counting) -> Option<Position> {
        let line = spot.line.checked_sub(1)? as usize;
        let mut start = *self.starts.get(line)?;
        let end = self.starts.get(line + 1).copied().unwrap_or(self.text.len());
        if start == 0 && self.text.starts_with('\u{feff}') && !counting.counts_mark {
            start = '\u{feff}'.len_utf8();
        }
        let text = self.text.get(start..end)?.trim_end_matches(counting.line_ends);
        let column = spot.column.saturating_sub(1) as usize;
        // The text is a single line for the index too, unless the checker ends lines at fewer characters.
        let mut seen = 0;
        let within = text.char_indices().find_map(|(at, c)| {
            let here = at;
            seen += match counting.unit {
                ColumnUnit::Utf8 => c.len_utf8(),
                ColumnUnit::Utf16 => c.len_utf16(),
                ColumnUnit::Utf32 => 1,
            };
            (seen > column).then_some(here)
        });
        Some(self.index.position(&self.text, start + within.unwrap_or(text.len())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UTF16: Counting =
        Counting { unit: ColumnUnit::Utf16, counts_mark: false, line_ends: &['\n', '\r', '\u{2028}'] };

    fn at(text: &str, counting: Counting, line: u32, column: u32) -> Option<(u32, u32)> {
        let text = Text::new(text.to_owned(), counting);
        text.position(Spot { line, column }, counting).map(|at| (at.line, at.column))
    }

    #[test]
    fn columns_are_counted_in_scalars() {
        assert_eq!(at("a😀b", UTF16, 1, 4), Some((1, 3)));
        assert_eq!(at("a😀b", UTF16, 1, 3), Some((1, 2)), "the middle of the emoji");
        assert_eq!(at("ab\r\ncd", UTF16, 2, 2), Some((2, 2)));
        assert_eq!(at("ab\r\ncd", UTF16, 1, 99), Some((1, 3)));
        assert_eq!(at("ab", UTF16, 2, 1), None);
        assert_eq!(at("ab", UTF16, 0, 0), None);
    }

    #[test]
    fn a_mark_that_the_checker_does_not_count_is_a_column_of_ours() {
        assert_eq!(at("\u{feff}ab\nab", UTF16, 1, 2), Some((1, 3)));
        assert_eq!(at("\u{feff}ab\nab", UTF16, 2, 2), Some((2, 2)));
        let counts = Counting { counts_mark: true, ..UTF16 };
        assert_eq!(at("\u{feff}ab", counts, 1, 2), Some((1, 2)));
    }

    #[test]
    fn lines_end_where_the_checker_ends_them() {
        assert_eq!(at("a\u{2028}bc", UTF16, 2, 2), Some((1, 4)), "one line for us");
        let rust = Counting { unit: ColumnUnit::Utf32, counts_mark: false, line_ends: &['\n'] };
        assert_eq!(at("a\rb\nc", rust, 1, 3), Some((2, 1)), "two lines for us");
        assert_eq!(at("a\rb\nc", rust, 2, 1), Some((3, 1)));
    }
}
