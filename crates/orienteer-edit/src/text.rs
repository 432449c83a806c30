//! Do these edits fit this text, and what comes out?

use std::ops::Range;

/// Bytes of a text, and what takes their place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextEdit {
    pub range: Range<usize>,
    pub new_text: String,
}

impl TextEdit {
    pub fn new(range: Range<usize>, new_text: impl Into<String>) -> Self {
        Self { range, new_text: new_text.into() }
    }

    pub fn insert(at: usize, new_text: impl Into<String>) -> Self {
        Self::new(at..at, new_text)
    }

    fn is_insertion(&self) -> bool {
        self.range.is_empty()
    }
}

/// Why edits do not fit a text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    #[error("bytes {start} to {end} are not within the text, which has {length}")]
    OutOfRange { start: usize, end: usize, length: usize },
    #[error("byte {at} is inside a character")]
    InsideCharacter { at: usize },
    #[error("an edit of bytes {} to {} overlaps one of bytes {} to {}", .first.start, .first.end, .second.start, .second.end)]
    Overlap { first: Range<usize>, second: Range<usize> },
}

/// How the lines of a text end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnds {
    Lf,
    CrLf,
    /// Both.
    Mixed,
    /// It has one line.
    Unknown,
}

impl LineEnds {
    pub fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let (mut with, mut without) = (false, false);
        for (at, byte) in bytes.iter().enumerate() {
            if *byte == b'\n' {
                let carriage = at > 0 && bytes[at - 1] == b'\r';
                with |= carriage;
                without |= !carriage;
            }
        }
        match (with, without) {
            (true, true) => Self::Mixed,
            (true, false) => Self::CrLf,
            (false, true) => Self::Lf,
            (false, false) => Self::Unknown,
        }
    }

    /// New text with the line ends of the text it goes into. Servers write `\n` whatever the file has. Where a file
    /// has both, the text is left as it came.
    pub fn fit(self, new_text: &str) -> String {
        match self {
            Self::Lf => new_text.replace("\r\n", "\n"),
            Self::CrLf => new_text.replace("\r\n", "\n").replace('\n', "\r\n"),
            Self::Mixed | Self::Unknown => new_text.to_owned(),
        }
    }
}

/// Edits in the order of the text, checked: inside it, on the borders of characters, none overlapping another. Several
/// insertions at one place stay in the order they came in; one at the beginning of a replacement comes before it. The
/// same replacement twice is one: servers that see a file in two projects say it twice.
pub fn normalise(text: &str, mut edits: Vec<TextEdit>) -> Result<Vec<TextEdit>, Unfit> {
    for edit in &edits {
        let Range { start, end } = edit.range;
        if start > end || end > text.len() {
            return Err(Unfit::OutOfRange { start, end, length: text.len() });
        }
        for at in [start, end] {
            if !text.is_char_boundary(at) {
                return Err(Unfit::InsideCharacter { at });
            }
        }
    }
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    edits.dedup_by(|next, first| !next.is_insertion() && next == first);
    for pair in edits.windows(2) {
        if let [first, second] = pair
            && second.range.start < first.range.end
        {
            return Err(Unfit::Overlap { first: first.range.clone(), second: second.range.clone() });
        }
    }
    Ok(edits)
}

/// The text after edits that were normalised.
pub fn apply(text: &str, edits: &[TextEdit]) -> String {
    let added: usize = edits.iter().map(|edit| edit.new_text.len()).sum();
    let mut out = String::with_capacity(text.len() + added);
    let mut at = 0;
    for edit in edits {
        out.push_str(text.get(at..edit.range.start).unwrap_or_default());
        out.push_str(&edit.new_text);
        at = edit.range.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn edit(range: Range<usize>, new_text: &str) -> TextEdit {
        TextEdit::new(range, new_text)
    }

    fn after(text: &str, edits: Vec<TextEdit>) -> Result<String, Unfit> {
        Ok(apply(text, &normalise(text, edits)?))
    }

    #[test]
    fn edits_count_in_the_text_that_was_seen() {
        let edits = vec![edit(6..11, "there"), edit(0..5, "hi")];
        assert_eq!(after("hello world", edits).unwrap(), "hi there");
    }

    #[test]
    fn insertions_at_one_place_keep_their_order_and_come_before_a_replacement() {
        let edits = vec![edit(1..2, "X"), edit(1..1, "a"), edit(1..1, "b")];
        assert_eq!(after("012", edits).unwrap(), "0abX2");
        // The same insertion twice is two.
        assert_eq!(after("0", vec![edit(0..0, "-"), edit(0..0, "-")]).unwrap(), "--0");
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let overlap = after("abcdef", vec![edit(0..3, "x"), edit(2..4, "y")]);
        assert_eq!(overlap, Err(Unfit::Overlap { first: 0..3, second: 2..4 }));
        assert_eq!(
            after("abc", vec![edit(1..1, "i"), edit(0..2, "x")]),
            Err(Unfit::Overlap { first: 0..2, second: 1..1 })
        );
        let beyond = after("abc", vec![edit(2..4, "")]);
        assert_eq!(beyond, Err(Unfit::OutOfRange { start: 2, end: 4, length: 3 }));
        assert_eq!(after("äb", vec![edit(1..2, "")]), Err(Unfit::InsideCharacter { at: 1 }));
        #[allow(clippy::reversed_empty_ranges)]
        let inverted = after("abc", vec![edit(2..1, "")]);
        assert_eq!(inverted, Err(Unfit::OutOfRange { start: 2, end: 1, length: 3 }));
        assert_eq!(after("abc", vec![edit(0..1, "x"), edit(0..1, "x")]).unwrap(), "xbc");
        assert!(after("abc", vec![edit(0..1, "x"), edit(0..1, "y")]).is_err());
    }

    #[test]
    fn new_lines_end_as_the_old_ones_do() {
        assert_eq!(LineEnds::of("a\r\nb\r\n").fit("x\ny\r\n"), "x\r\ny\r\n");
        assert_eq!(LineEnds::of("a\nb").fit("x\r\ny"), "x\ny");
        assert_eq!(LineEnds::of("a\r\nb\n"), LineEnds::Mixed);
        assert_eq!(LineEnds::of("one line"), LineEnds::Unknown);
        assert_eq!(LineEnds::Mixed.fit("x\r\ny\n"), "x\r\ny\n");
    }

    proptest! {
        /// Against the plainest way: edits from the last to the first, each on the whole text.
        #[test]
        fn edits_do_what_one_after_the_other_from_the_end_does(
            text in "[a-zäß\n\r😀]{0,40}",
            raw in prop::collection::vec((0usize..60, 0usize..12, "[A-Z\n]{0,4}"), 0..6),
        ) {
            let edits: Vec<TextEdit> =
                raw.iter().map(|(start, length, new)| edit(*start..start + length, new)).collect();
            if let Ok(sorted) = normalise(&text, edits.clone()) {
                let mut naive = text.clone();
                for one in sorted.iter().rev() {
                    naive.replace_range(one.range.clone(), &one.new_text);
                }
                prop_assert_eq!(apply(&text, &sorted), naive);
            } else {
                let bad = edits.iter().any(|one| {
                    one.range.end > text.len()
                        || !text.is_char_boundary(one.range.start)
                        || !text.is_char_boundary(one.range.end)
                });
                let overlapping = edits.iter().enumerate().any(|(at, left)| {
                    edits[at + 1..].iter().any(|right| {
                        left.range.start < right.range.end && right.range.start < left.range.end
                    })
                });
                // An empty range inside another overlaps it, too.
                let inside = edits.iter().any(|left| edits.iter().any(|right| {
                    left.range.is_empty() && right.range.start < left.range.start && left.range.start < right.range.end
                }));
                prop_assert!(bad || overlapping || inside);
            }
        }
    }
}
