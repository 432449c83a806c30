//! Where do the words of a question stand in a text, and which lines have most of them?

use std::cmp::Ordering;
use std::ops::Range;

use super::words::Words;
use crate::analyse;

/// Of a longer definition the beginning is looked at.
const MOST_BYTES: usize = 24 << 10;
/// More places than this tell nothing new.
const MOST_PLACES: usize = 512;

/// A word of the question in a text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Place {
    /// Byte of the text.
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) concept: u16,
    pub(super) weight: f32,
}

/// The words of a question in one answer.
#[derive(Debug, Default)]
pub(super) struct Matches {
    pub(super) places: Vec<Place>,
    /// How often each is there, in any form.
    pub(super) counts: Vec<f64>,
    /// Words in all.
    pub(super) length: usize,
    /// The most words that stand in the order of the question, and where: from the first such place to the last.
    pub(super) run: usize,
    pub(super) run_at: Range<usize>,
}

impl Matches {
    /// Of these ranges of a text.
    pub(super) fn of(text: &str, ranges: &[Range<usize>], words: &Words) -> Self {
        let part = |range: &Range<usize>| {
            let range = clipped(text, range.start, range.end);
            (range.start, text.get(range).unwrap_or_default())
        };
        Self::of_parts(ranges.iter().map(part), words)
    }

    /// The same for parts that were read alone, each with the byte at which it begins.
    pub(super) fn of_parts<'t>(parts: impl Iterator<Item = (usize, &'t str)>, words: &Words) -> Self {
        let mut matches = Self { counts: vec![0.0; words.concepts.len()], ..Self::default() };
        for (base, part) in parts {
            let mut run = Run::default();
            analyse::words_at(part, &mut |word| {
                matches.length += usize::from(!word.part);
                let may = words.may_have(word.text);
                if !word.part {
                    run.step(if may { words.places(word.text) } else { &[] }, &word.range);
                }
                if !may {
                    return;
                }
                for (concept, weight) in words.meant(word.text) {
                    if !words.is_written(part.get(word.range.clone()).unwrap_or_default()) {
                        continue;
                    }
                    if let Some(count) = matches.counts.get_mut(*concept) {
                        *count += weight;
                    }
                    if matches.places.len() < MOST_PLACES {
                        matches.places.push(Place {
                            start: number(base + word.range.start),
                            end: number(base + word.range.end),
                            concept: *concept as u16,
                            weight: *weight as f32,
                        });
                    }
                }
            });
            let at = base + run.at.start..base + run.at.end;
            match run.longest.cmp(&matches.run) {
                Ordering::Greater => (matches.run, matches.run_at) = (run.longest, at),
                Ordering::Equal => matches.run_at.end = at.end,
                Ordering::Less => {}
            }
        }
        matches
    }

    /// How much of the question stands within so many bytes, at best, and where that begins.
    pub(super) fn densest(&self, words: &Words, window: u32) -> (f64, usize) {
        let mut held = vec![0u32; words.concepts.len()];
        let mut share = 0.0;
        let (mut best, mut at) = (0.0, 0);
        let mut from = 0;
        let worth =
            |concept: u16| words.concepts.get(usize::from(concept)).map_or(0.0, |concept| concept.share);
        for (to, place) in self.places.iter().enumerate() {
            if let Some(count) = held.get_mut(usize::from(place.concept)) {
                if *count == 0 {
                    share += worth(place.concept);
                }
                *count += 1;
            }
            while let Some(first) = self.places.get(from)
                && first.start.saturating_add(window) < place.start
                && from < to
            {
                if let Some(count) = held.get_mut(usize::from(first.concept)) {
                    *count -= 1;
                    if *count == 0 {
                        share -= worth(first.concept);
                    }
                }
                from += 1;
            }
            if share > best + 1e-9 {
                best = share;
                at = from;
            }
        }
        (best, self.places.get(at).map_or(0, |place| place.start as usize))
    }
}

/// How many words in a row are those of the question.
#[derive(Debug, Default)]
struct Run {
    /// Where the last word stands in the question, how many before it do, too, and where the first of them begins.
    last: Vec<(u16, usize, usize)>,
    longest: usize,
    at: Range<usize>,
}

impl Run {
    fn step(&mut self, places: &[u16], word: &Range<usize>) {
        if places.is_empty() {
            self.last.clear();
            return;
        }
        let after = |place: u16| {
            let last = self.last.iter().find(|(last, ..)| Some(*last) == place.checked_sub(1));
            last.map_or((place, 1, word.start), |(_, count, start)| (place, count + 1, *start))
        };
        self.last = places.iter().map(|place| after(*place)).collect();
        for (_, count, start) in &self.last {
            match count.cmp(&self.longest) {
                Ordering::Greater => (self.longest, self.at) = (*count, *start..word.end),
                Ordering::Equal => self.at.end = word.end,
                Ordering::Less => {}
            }
        }
    }
}

/// The bytes of a definition that are looked at.
pub(super) fn looked_at(extent: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut left = MOST_BYTES;
    let mut ranges = Vec::with_capacity(extent.len());
    for range in extent {
        let end = range.end.min(range.start.saturating_add(left));
        left -= end.saturating_sub(range.start).min(left);
        if end > range.start {
            ranges.push(range.start..end);
        }
    }
    ranges
}

/// A range of a text between characters.
pub(super) fn clipped(text: &str, start: usize, end: usize) -> Range<usize> {
    let start = text.floor_char_boundary(start.min(text.len()));
    let end = text.floor_char_boundary(end.min(text.len()));
    start..end.max(start)
}

fn number(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
