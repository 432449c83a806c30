//! Which lines of a text change to make another one?
//!
//! Formatters give back the whole text. What changes is found by lines that both texts have once, in order, and by what
//! is the same before and behind them; the rest is replaced.

use std::collections::HashMap;
use std::ops::Range;

use orienteer_edit::TextEdit;

/// A part of the old lines and the part of the new ones that takes its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hunk {
    pub(super) old: Range<usize>,
    pub(super) new: Range<usize>,
}

/// Both texts, line by line.
#[derive(Debug)]
pub(super) struct Diff<'a> {
    old: Vec<&'a str>,
    new: Vec<&'a str>,
    pub(super) hunks: Vec<Hunk>,
}

impl<'a> Diff<'a> {
    pub(super) fn new(old: &'a str, new: &'a str) -> Self {
        let mut diff = Self {
            old: old.split_inclusive('\n').collect(),
            new: new.split_inclusive('\n').collect(),
            hunks: Vec::new(),
        };
        // A stack instead of recursion: a text may be cut as often as it has lines. The last part comes off first.
        let mut open = vec![(0..diff.old.len(), 0..diff.new.len())];
        while let Some((old, new)) = open.pop() {
            diff.part(old, new, &mut open);
        }
        diff
    }

    fn part(
        &mut self,
        mut old: Range<usize>,
        mut new: Range<usize>,
        open: &mut Vec<(Range<usize>, Range<usize>)>,
    ) {
        while !old.is_empty() && !new.is_empty() && self.old.get(old.start) == self.new.get(new.start) {
            (old.start, new.start) = (old.start + 1, new.start + 1);
        }
        while !old.is_empty() && !new.is_empty() && self.old.get(old.end - 1) == self.new.get(new.end - 1) {
            (old.end, new.end) = (old.end - 1, new.end - 1);
        }
        if old.is_empty() && new.is_empty() {
            return;
        }
        let anchors = self.anchors(&old, &new);
        if anchors.is_empty() {
            self.hunks.push(Hunk { old, new });
            return;
        }
        let mut parts = Vec::new();
        let (mut from_old, mut from_new) = (old.start, new.start);
        for (at_old, at_new) in anchors {
            parts.push((from_old..at_old, from_new..at_new));
            (from_old, from_new) = (at_old + 1, at_new + 1);
        }
        parts.push((from_old..old.end, from_new..new.end));
        open.extend(parts.into_iter().rev());
    }

    /// Lines that each side has once, in the same order on both: the longest such row of them.
    fn anchors(&self, old: &Range<usize>, new: &Range<usize>) -> Vec<(usize, usize)> {
        let once = |lines: &[&'a str], range: &Range<usize>| {
            let mut places: HashMap<&'a str, Option<usize>> = HashMap::new();
            for at in range.clone() {
                let Some(line) = lines.get(at) else { continue };
                places.entry(line).and_modify(|place| *place = None).or_insert(Some(at));
            }
            places
        };
        let (old_places, new_places) = (once(&self.old, old), once(&self.new, new));
        let mut pairs: Vec<(usize, usize)> =
            old_places.iter().filter_map(|(line, at)| Some(((*at)?, (*new_places.get(line)?)?))).collect();
        pairs.sort_unstable();
        // The longest row that rises on the new side, too; `tails` holds the best end of each length.
        let mut tails: Vec<usize> = Vec::new();
        let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
        for (at, pair) in pairs.iter().enumerate() {
            let length = tails.partition_point(|tail| pairs.get(*tail).is_some_and(|other| other.1 < pair.1));
            before.push(length.checked_sub(1).and_then(|shorter| tails.get(shorter).copied()));
            match tails.get_mut(length) {
                Some(tail) => *tail = at,
                None => tails.push(at),
            }
        }
        let mut row = Vec::new();
        let mut next = tails.last().copied();
        while let Some(at) = next {
            row.extend(pairs.get(at).copied());
            next = before.get(at).copied().flatten();
        }
        row.reverse();
        row
    }

    /// The edits that make the new text of the old one: of those hunks that are wanted.
    pub(super) fn edits(&self, wanted: impl Fn(&Hunk) -> bool) -> Vec<TextEdit> {
        let mut starts = vec![0];
        let mut at = 0;
        for line in &self.old {
            at += line.len();
            starts.push(at);
        }
        let place = |line: usize| starts.get(line).copied().unwrap_or(at);
        let lines = |range: &Range<usize>| self.new.get(range.clone()).unwrap_or_default().concat();
        let hunks = self.hunks.iter().filter(|hunk| wanted(hunk));
        hunks
            .map(|hunk| TextEdit::new(place(hunk.old.start)..place(hunk.old.end), lines(&hunk.new)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use orienteer_edit::text::{apply, normalise};

    use super::*;

    fn edits(old: &str, new: &str) -> Vec<TextEdit> {
        Diff::new(old, new).edits(|_| true)
    }

    #[test]
    fn only_lines_that_change_are_replaced() {
        let found = edits("a\nb\nc\nd\n", "a\nB\nc\nd\ne\n");
        assert_eq!(found, [TextEdit::new(2..4, "B\n"), TextEdit::new(8..8, "e\n")]);
        assert_eq!(edits("same\n", "same\n"), []);
        assert_eq!(edits("a", "a\n"), [TextEdit::new(0..1, "a\n")]);
        assert_eq!(edits("", "a\n"), [TextEdit::new(0..0, "a\n")]);
    }

    #[test]
    fn some_hunks_can_be_left_out() {
        let diff = Diff::new("a\nb\nc\nd\ne\n", "A\nb\nC\nd\nE\n");
        let some = diff.edits(|hunk| hunk.old.contains(&2));
        assert_eq!(some, [TextEdit::new(4..6, "C\n")]);
    }

    #[test]
    fn the_edits_make_the_new_text_whatever_the_texts() {
        // A row of numbers that looks like chance and is the same every time.
        let mut state = 1u64;
        let mut next = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let mut text = || {
            let mut text = String::new();
            for _ in 0..next(30) {
                text.push_str(["", "a", "b", "c", "ab", "}"][usize::try_from(next(6)).unwrap()]);
                text.push_str(["\n", "\n", "\r\n"][usize::try_from(next(3)).unwrap()]);
            }
            text.push_str(["", "a"][usize::try_from(next(2)).unwrap()]);
            text
        };
        for _ in 0..2_000 {
            let (old, new) = (text(), text());
            let edits = normalise(&old, edits(&old, &new)).unwrap();
            assert_eq!(apply(&old, &edits), new, "{old:?}");
        }
    }
}
