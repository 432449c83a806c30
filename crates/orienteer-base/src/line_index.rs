//! From byte offsets to lines and columns and back, in any unit a protocol counts in.
//!
//! A line ends after `\n`, after `\r\n`, or after a lone `\r`, as the Language Server Protocol has it. A byte
//! order mark is part of the text: it occupies the first column, because removing it here would shift every
//! offset that was computed on the file as it stands on disk.

use crate::{Position, Range};

/// What one column is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ColumnUnit {
    /// Bytes.
    Utf8,
    /// Code units; an astral character counts two. The default of language servers.
    Utf16,
    /// Unicode scalar values. What agents and people are given.
    Utf32,
}

impl ColumnUnit {
    /// How many columns a character takes.
    pub fn width(self, c: char) -> usize {
        match self {
            Self::Utf8 => c.len_utf8(),
            Self::Utf16 => c.len_utf16(),
            Self::Utf32 => 1,
        }
    }
}

/// Where every line of one text begins. Holds no copy of the text.
#[derive(Debug, Clone)]
pub struct LineIndex {
    starts: Vec<usize>,
    len: usize,
}

impl LineIndex {
    pub fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        if memchr::memchr(b'\r', bytes).is_none() {
            let ends = || memchr::memchr_iter(b'\n', bytes);
            starts.reserve_exact(ends().count());
            starts.extend(ends().map(|end| end + 1));
            return Self { starts, len: bytes.len() };
        }
        for end in memchr::memchr2_iter(b'\n', b'\r', bytes) {
            if bytes[end] == b'\n' || bytes.get(end + 1) != Some(&b'\n') {
                starts.push(end + 1);
            }
        }
        starts.shrink_to_fit();
        Self { starts, len: bytes.len() }
    }

    /// How many lines, counting the empty one after a final line end.
    pub fn line_count(&self) -> usize {
        self.starts.len()
    }

    /// The bytes of a 0-based line including its line end.
    pub fn line_bytes(&self, line: usize) -> Option<std::ops::Range<usize>> {
        let start = *self.starts.get(line)?;
        let end = self.starts.get(line + 1).copied().unwrap_or(self.len);
        Some(start..end)
    }

    /// The text of a 0-based line without its line end.
    pub fn line_text<'t>(&self, text: &'t str, line: usize) -> Option<&'t str> {
        let whole = text.get(self.line_bytes(line)?)?;
        let whole = whole.strip_suffix('\n').unwrap_or(whole);
        Some(whole.strip_suffix('\r').unwrap_or(whole))
    }

    /// 0-based line and 0-based column of a byte offset. Offsets past the end count as the end, and an
    /// offset inside a character counts as its beginning.
    pub fn locate(&self, text: &str, offset: usize, unit: ColumnUnit) -> (usize, usize) {
        let mut offset = offset.min(self.len);
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.starts.partition_point(|start| *start <= offset) - 1;
        let before = &text[self.starts[line]..offset];
        let column = match unit {
            ColumnUnit::Utf8 => before.len(),
            _ => before.chars().map(|c| unit.width(c)).sum(),
        };
        (line, column)
    }

    /// The byte offset of a 0-based line and column. A column past the end of the line counts as the end of
    /// its text, as the Language Server Protocol has it, and one inside a character as its beginning. A line
    /// past the end is `None`.
    pub fn offset(&self, text: &str, line: usize, column: usize, unit: ColumnUnit) -> Option<usize> {
        let start = *self.starts.get(line)?;
        let line_text = self.line_text(text, line)?;
        let mut seen = 0;
        for (at, c) in line_text.char_indices() {
            if seen + unit.width(c) > column {
                return Some(start + at);
            }
            seen += unit.width(c);
        }
        Some(start + line_text.len())
    }

    /// The agent's position of a byte offset.
    pub fn position(&self, text: &str, offset: usize) -> Position {
        let (line, column) = self.locate(text, offset, ColumnUnit::Utf32);
        Position::new(one_based(line), one_based(column))
    }

    /// The byte offset of an agent's position; `None` where there is no such line.
    pub fn offset_of(&self, text: &str, position: Position) -> Option<usize> {
        let line = position.line.checked_sub(1)?;
        let column = position.column.checked_sub(1)?;
        self.offset(text, line as usize, column as usize, ColumnUnit::Utf32)
    }

    /// The agent's range of a byte range.
    pub fn range(&self, text: &str, bytes: std::ops::Range<usize>) -> Range {
        Range { start: self.position(text, bytes.start), end: self.position(text, bytes.end) }
    }
}

fn one_based(zero_based: usize) -> u32 {
    u32::try_from(zero_based).unwrap_or(u32::MAX - 1) + 1
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const UNITS: [ColumnUnit; 3] = [ColumnUnit::Utf8, ColumnUnit::Utf16, ColumnUnit::Utf32];

    #[test]
    fn counts_columns_in_each_unit() {
        // An astral character, a combining mark, a tab, a byte order mark.
        let text = "\u{feff}a𝒳e\u{301}\tz";
        let index = LineIndex::new(text);
        let z = text.find('z').unwrap();
        assert_eq!(index.locate(text, z, ColumnUnit::Utf8), (0, 12));
        assert_eq!(index.locate(text, z, ColumnUnit::Utf16), (0, 7));
        assert_eq!(index.locate(text, z, ColumnUnit::Utf32), (0, 6));
    }

    #[test]
    fn knows_every_line_end() {
        let text = "a\nb\r\nc\rd\n\ne";
        let index = LineIndex::new(text);
        let lines: Vec<_> =
            (0..index.line_count()).map(|line| index.line_text(text, line).unwrap()).collect();
        assert_eq!(lines, ["a", "b", "c", "d", "", "e"]);
        assert_eq!(index.position(text, text.len()), Position::new(6, 2));
    }

    #[test]
    fn empty_text_and_final_line_end() {
        let empty = LineIndex::new("");
        assert_eq!((empty.line_count(), empty.position("", 0)), (1, Position::new(1, 1)));
        assert_eq!(empty.offset_of("", Position::new(1, 1)), Some(0));
        assert_eq!(empty.offset_of("", Position::new(2, 1)), None);
        let ended = LineIndex::new("x\n");
        assert_eq!((ended.line_count(), ended.line_text("x\n", 1)), (2, Some("")));
    }

    #[test]
    fn columns_beyond_the_line_and_inside_a_character_are_clamped() {
        let text = "a😀b\nnext";
        let index = LineIndex::new(text);
        assert_eq!(index.offset(text, 0, 99, ColumnUnit::Utf16), Some(6));
        assert_eq!(index.offset(text, 0, 2, ColumnUnit::Utf16), Some(1), "the second half of the emoji");
        assert_eq!(index.locate(text, 3, ColumnUnit::Utf32), (0, 1), "a byte inside the emoji");
        assert_eq!(index.offset_of(text, Position::new(0, 1)), None);
    }

    /// Text made of everything that has ever broken a column.
    fn awkward_text() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            Just("\n".to_owned()),
            Just("\r\n".to_owned()),
            Just("\r".to_owned()),
            Just("\t".to_owned()),
            Just("\u{feff}".to_owned()),
            Just("😀".to_owned()),
            Just("𝒳".to_owned()),
            Just("e\u{301}".to_owned()),
            Just("👩‍👩‍👧".to_owned()),
            Just("\u{2028}".to_owned()),
            "[a-zé中]{0,4}",
            any::<char>().prop_map(String::from),
        ];
        prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn every_boundary_survives_the_round_trip(text in awkward_text()) {
            let index = LineIndex::new(&text);
            for offset in (0..=text.len()).filter(|offset| text.is_char_boundary(*offset)) {
                for unit in UNITS {
                    let (line, column) = index.locate(&text, offset, unit);
                    let back = index.offset(&text, line, column, unit).unwrap();
                    let in_line_end = offset > index.line_bytes(line).unwrap().start
                        + index.line_text(&text, line).unwrap().len();
                    // Only the middle of `\r\n` cannot come back: it clamps to the end of the line's text.
                    prop_assert!(back == offset || in_line_end, "{offset} came back as {back}");
                }
            }
        }

        #[test]
        fn lines_tile_the_text(text in awkward_text()) {
            let index = LineIndex::new(&text);
            let whole: String =
                (0..index.line_count()).map(|line| &text[index.line_bytes(line).unwrap()]).collect();
            prop_assert_eq!(whole, text);
        }

        #[test]
        fn units_agree_with_a_naive_count(text in awkward_text(), at in any::<prop::sample::Index>()) {
            let boundaries: Vec<usize> =
                (0..=text.len()).filter(|offset| text.is_char_boundary(*offset)).collect();
            let offset = boundaries[at.index(boundaries.len())];
            let index = LineIndex::new(&text);
            let (line, scalars) = index.locate(&text, offset, ColumnUnit::Utf32);
            let before = &text[index.line_bytes(line).unwrap().start..offset];
            prop_assert_eq!(scalars, before.chars().count());
            prop_assert_eq!(index.locate(&text, offset, ColumnUnit::Utf16).1, before.encode_utf16().count());
            prop_assert_eq!(index.locate(&text, offset, ColumnUnit::Utf8).1, before.len());
        }

        #[test]
        fn nothing_panics(text in awkward_text(), offset in any::<usize>(), line in any::<u32>(), column in any::<u32>()) {
            let index = LineIndex::new(&text);
            index.position(&text, offset);
            index.offset_of(&text, Position::new(line, column));
        }
    }
}
