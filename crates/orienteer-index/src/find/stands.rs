//! Where in a file do the texts stand that were asked for exactly?
//!
//! A file is searched as a whole and once: what a line, a word or a text begins and ends with does not depend on how
//! it was cut into pieces, and a match may lie in two of them.

use std::ops::Range;

use orienteer_base::{Cancel, Stopped};
use regex::Regex;

use super::check::{Checks, Exact};
use super::known::Known;

/// Matches in one piece; more of them change nothing.
const MOST_IN_A_PIECE: usize = 64;
/// Matches of one text in one file.
const MOST: usize = 1 << 16;

/// Which matches count.
#[derive(Debug, Clone, Copy)]
pub(super) enum Within<'c> {
    Anything,
    /// What begins in one of these, which are in order.
    Comments(&'c [Range<usize>]),
    /// What does not.
    Code(&'c [Range<usize>]),
}

impl Within<'_> {
    pub(super) fn counts(&self, found: &Range<usize>) -> bool {
        match self {
            Self::Anything => true,
            Self::Comments(comments) => begins_in(comments, found),
            Self::Code(comments) => !begins_in(comments, found),
        }
    }
}

fn begins_in(comments: &[Range<usize>], found: &Range<usize>) -> bool {
    let before = comments.partition_point(|comment| comment.start <= found.start);
    before.checked_sub(1).and_then(|at| comments.get(at)).is_some_and(|comment| found.start < comment.end)
}

/// The matches in one file, in order.
#[derive(Debug, Default)]
pub(super) struct Stands {
    pub(super) must: Vec<Vec<Range<usize>>>,
    not: Vec<Vec<Range<usize>>>,
    /// There were too many to note all of them.
    pub(super) cut: bool,
}

impl Stands {
    /// `None` where something that must be there is nowhere in the text. The pieces are those of the text, if they are
    /// known.
    pub(super) fn of(
        text: &str,
        known: Option<&Known>,
        checks: &Checks<'_>,
        cancel: &Cancel,
    ) -> Result<Option<Self>, Stopped> {
        if !checks.are_in(text) {
            return Ok(None);
        }
        let mut stands = Self::default();
        for Exact { regex, .. } in &checks.must {
            let found = stands.matches(text, known, regex, cancel)?;
            stands.must.push(found);
        }
        for Exact { regex, .. } in &checks.not {
            let found = stands.matches(text, known, regex, cancel)?;
            stands.not.push(found);
        }
        Ok(Some(stands))
    }

    fn matches(
        &mut self,
        text: &str,
        known: Option<&Known>,
        regex: &Regex,
        cancel: &Cancel,
    ) -> Result<Vec<Range<usize>>, Stopped> {
        let mut found: Vec<Range<usize>> = Vec::new();
        let (mut at, mut piece_end, mut in_piece) = (0, 0, 0);
        while at <= text.len() {
            if found.len().is_multiple_of(256) {
                cancel.check()?;
            }
            let Some(next) = regex.find_at(text, at) else { break };
            if found.len() == MOST {
                self.cut = true;
                break;
            }
            found.push(next.range());
            // An empty match would be found again for ever.
            let step = text.get(next.end()..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
            at = if next.is_empty() { next.end() + step } else { next.end() };
            let Some(known) = known else { continue };
            if next.start() >= piece_end {
                let piece = known.pieces_at(&next.range()).first();
                (piece_end, in_piece) = (piece.map_or(0, |piece| piece.range.end), 0);
            }
            in_piece += 1;
            if in_piece >= MOST_IN_A_PIECE && piece_end > at && text.is_char_boundary(piece_end) {
                at = piece_end;
            }
        }
        Ok(found)
    }

    /// The matches that touch some bytes of the file; `None` where something is missing that must be there, or
    /// something is there that must not.
    pub(super) fn inside(&self, extent: &[Range<usize>], within: Within<'_>) -> Option<Vec<Range<usize>>> {
        let mut all = Vec::new();
        for found in &self.must {
            let before = all.len();
            for range in extent {
                all.extend(
                    touching(found, range).filter(|one| within.counts(one)).take(MOST_IN_A_PIECE).cloned(),
                );
            }
            if all.len() == before {
                return None;
            }
        }
        let refused = |found: &Vec<Range<usize>>| {
            extent.iter().any(|range| touching(found, range).any(|one| within.counts(one)))
        };
        (!self.not.iter().any(refused)).then_some(all)
    }
}

/// Those of some ranges in order that have a byte in common with another, or stand in it where they are empty.
fn touching<'f>(
    found: &'f [Range<usize>],
    range: &Range<usize>,
) -> impl Iterator<Item = &'f Range<usize>> + use<'f> {
    let (start, end) = (range.start, range.end);
    let first = found.partition_point(|one| one.end < start);
    let rest = found.get(first..).unwrap_or_default().iter();
    rest.take_while(move |one| one.start < end).filter(move |one| start < one.end || start <= one.start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_touches_a_range_is_found() {
        let found = [0..2, 4..6, 6..6, 9..12];
        let inside = |range: Range<usize>| {
            touching(&found, &range).map(|one| (one.start, one.end)).collect::<Vec<_>>()
        };
        assert_eq!(inside(1..5), [(0, 2), (4, 6)]);
        assert_eq!(inside(2..4), []);
        assert_eq!(inside(6..9), [(6, 6)]);
        assert_eq!(inside(11..20), [(9, 12)]);
        assert_eq!(inside(12..20), []);
    }

    #[test]
    fn what_begins_in_a_comment_is_told_from_the_rest() {
        let comments = [2..5, 8..10];
        assert!(begins_in(&comments, &(4..9)) && begins_in(&comments, &(8..8)));
        assert!(!begins_in(&comments, &(0..4)) && !begins_in(&comments, &(5..6)));
    }
}
