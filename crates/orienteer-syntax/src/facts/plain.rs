//! How is a text without a tree cut, and a piece that is too long?

use std::ops::Range;

use super::Piece;

/// A piece is about this long at most.
pub(super) const LONG: usize = 4000;
/// Paragraphs are put together until they are about this long.
const PARAGRAPHS: usize = 1500;
/// A heading ends what stands before it from this size on.
const SECTION: usize = 200;

/// Pieces of a text that is not parsed: paragraphs, begun anew at headings, cut at lines where they are long.
///
/// ```
/// let text = "one\n\ntwo\n";
/// let pieces = orienteer_syntax::facts::plain_pieces(text);
/// assert_eq!(pieces.len(), 1);
/// assert_eq!(pieces[0].range, 0..text.len());
/// ```
pub fn plain_pieces(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut at = 0;
    let mut blank = false;
    for line in text.split_inclusive('\n') {
        let length = at - start;
        let heading = line.starts_with('#') && line.trim_start_matches('#').starts_with(' ');
        if blank && (length >= PARAGRAPHS || (heading && length >= SECTION)) {
            split(text, start..at, &mut |range| pieces.push(Piece { range, symbol: None }));
            start = at;
        }
        blank = line.trim_ascii().is_empty();
        at += line.len();
    }
    split(text, start..text.len(), &mut |range| pieces.push(Piece { range, symbol: None }));
    pieces
}

/// Cuts a range at blank lines, lines, or characters, so that no part is much longer than [`LONG`].
pub(super) fn split(text: &str, range: Range<usize>, give: &mut dyn FnMut(Range<usize>)) {
    let mut start = range.start;
    // A little more is better than a small rest.
    while range.end.saturating_sub(start) > LONG + LONG / 8 {
        let end = border(text, start, start + LONG);
        give(start..end);
        start = end;
    }
    if start < range.end {
        give(start..range.end);
    }
}

/// The best place to cut before `limit`: after a blank line in the second half, after a line, after a character.
fn border(text: &str, start: usize, limit: usize) -> usize {
    let mut limit = limit.min(text.len());
    while !text.is_char_boundary(limit) {
        limit -= 1;
    }
    let Some(window) = text.as_bytes().get(start..limit) else { return limit };
    let half = window.len() / 2;
    let lines = || (half..window.len()).rev().filter(|at| window[*at] == b'\n');
    let blank =
        lines().find(|at| window[..*at].trim_ascii_end().len() < *at && window[..*at].ends_with(b"\n"));
    let line = blank.or_else(|| window.iter().rposition(|byte| *byte == b'\n'));
    line.map_or(limit, |at| start + at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tiles(text: &str) -> Vec<usize> {
        let mut at = 0;
        let mut sizes = Vec::new();
        for piece in plain_pieces(text) {
            assert_eq!(piece.range.start, at);
            assert!(text.get(piece.range.clone()).is_some());
            at = piece.range.end;
            sizes.push(piece.range.len());
        }
        assert_eq!(at, text.len());
        sizes
    }

    #[test]
    fn paragraphs_are_put_together() {
        assert_eq!(tiles("one\n\ntwo\n"), [9]);
        let paragraph = format!("{}\n\n", "x".repeat(998));
        assert_eq!(tiles(&paragraph.repeat(5)), [2000, 2000, 1000]);
    }

    #[test]
    fn a_heading_begins_a_piece() {
        let section = format!("{}\n\n## Two\n\nwords\n", "x".repeat(300));
        assert_eq!(tiles(&section), [302, 14]);
    }

    #[test]
    fn long_pieces_are_cut_at_lines_and_never_in_a_character() {
        let lines = "some words\n".repeat(2000);
        let sizes = tiles(&lines);
        assert!(sizes.iter().all(|size| size.is_multiple_of(11) && *size <= LONG + LONG / 8), "{sizes:?}");
        let characters = "中".repeat(5000);
        assert!(tiles(&characters).iter().all(|size| *size <= LONG + LONG / 8));
        assert_eq!(tiles(""), [] as [usize; 0]);
    }

    #[test]
    fn a_blank_line_is_the_better_place_to_cut() {
        let text = format!("{}\n\n{}", "x\n".repeat(1500), "y\n".repeat(1500));
        let mut found = Vec::new();
        split(&text, 0..text.len(), &mut |range| found.push(range.len()));
        assert_eq!(found[0], 3002);
    }
}
