//! Which lists do the terms of many files have together?
//!
//! Lists grow in slices of one large array, each slice larger than the one before, because half of all terms stand in
//! one file only and a few stand in all of them.

use super::interner::Interner;
use super::posting::put_distance;
use super::terms::{TermList, Terms};

/// Data bytes of the slices of a list; the last size repeats. Behind each stand four bytes with the next one's place.
const SLICES: [u32; 8] = [12, 28, 60, 124, 252, 508, 1020, 4092];
const LINK: usize = 4;
/// Terms that are looked up at once.
const AT_ONCE: usize = 16;
/// Terms that are worth a second thread.
const MANY: usize = 50_000;

/// Lists under way.
#[derive(Debug)]
pub(super) struct Gather {
    terms: Interner,
    lists: Vec<List>,
    pool: Vec<u8>,
    scratch: Vec<u8>,
}

#[derive(Debug, Clone, Copy)]
struct List {
    head: u32,
    /// Where the next byte goes, and where the slice ends.
    at: u32,
    end: u32,
    level: u8,
    count: u32,
    last: u32,
    bytes: u32,
}

/// The numbers that a file's pieces and symbols begin with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Base {
    pub(super) piece: u32,
    pub(super) symbol: u32,
}

impl Gather {
    pub(super) fn new() -> Self {
        Self { terms: Interner::new(), lists: Vec::new(), pool: Vec::new(), scratch: Vec::new() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lists.is_empty()
    }

    /// Bytes of memory.
    pub(super) fn bytes(&self) -> usize {
        self.terms.bytes() + self.lists.len() * size_of::<List>() + self.pool.len()
    }

    /// Appends the lists of a file.
    pub(super) fn add(&mut self, terms: &Terms, base: Base) {
        for lists in terms.lists.chunks(AT_ONCE) {
            let mut likely = [None; AT_ONCE];
            for (likely, list) in likely.iter_mut().zip(lists) {
                *likely = self.terms.likely(list.hash);
            }
            self.fetch(likely.iter().copied().flatten(), |list| list.at);
            for (likely, list) in likely.into_iter().zip(lists) {
                self.add_list(terms, list, likely, base);
            }
        }
    }

    /// Looks at what will be needed of some terms. All of it is larger than what a processor keeps at hand, and what is
    /// asked for in a row is fetched together.
    fn fetch(&self, terms: impl Iterator<Item = u32> + Clone, place: impl Fn(&List) -> u32) {
        let mut places = [0; AT_ONCE];
        for (at, term) in places.iter_mut().zip(terms.clone()) {
            *at = self.lists.get(term as usize).map_or(0, &place) as usize;
        }
        let texts = terms.fold(0, |sum, term| sum ^ self.terms.first(term));
        let lists = places.iter().fold(0, |sum, at| sum ^ self.pool.get(*at).copied().unwrap_or_default());
        std::hint::black_box(texts ^ lists);
    }

    fn add_list(&mut self, terms: &Terms, list: &TermList, likely: Option<u32>, base: Base) {
        let Some((letter, text)) = terms.text_of(list).split_first() else { return };
        let term = match likely.filter(|number| self.terms.is(*number, *letter, text)) {
            Some(number) => number,
            None => self.terms.intern_hashed(list.hash, *letter, text),
        };
        let base = if *letter == b'w' { base.piece } else { base.symbol };
        if term as usize == self.lists.len() {
            self.start();
        }
        let Some(known) = self.lists.get_mut(term as usize) else { return };
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        put_distance(&mut scratch, known.last, base + list.first, list.plain);
        known.last = base + list.last;
        known.count += list.count;
        self.append(term as usize, &scratch);
        self.append(term as usize, terms.postings_of(list));
        self.scratch = scratch;
    }

    fn start(&mut self) {
        let head = self.pool.len() as u32;
        self.pool.resize(self.pool.len() + SLICES[0] as usize + LINK, 0);
        self.lists.push(List {
            head,
            at: head,
            end: head + SLICES[0],
            level: 0,
            count: 0,
            last: 0,
            bytes: 0,
        });
    }

    fn append(&mut self, index: usize, mut bytes: &[u8]) {
        let Some(list) = self.lists.get_mut(index) else { return };
        list.bytes += bytes.len() as u32;
        while !bytes.is_empty() {
            if list.at == list.end {
                let fresh = self.pool.len() as u32;
                self.pool[list.end as usize..list.end as usize + LINK].copy_from_slice(&fresh.to_le_bytes());
                list.level = (list.level + 1).min(SLICES.len() as u8 - 1);
                let size = SLICES[list.level as usize];
                self.pool.resize(self.pool.len() + size as usize + LINK, 0);
                list.at = fresh;
                list.end = fresh + size;
            }
            let room = (list.end - list.at) as usize;
            let (now, later) = bytes.split_at(bytes.len().min(room));
            let at = list.at as usize;
            self.pool[at..at + now.len()].copy_from_slice(now);
            list.at += now.len() as u32;
            bytes = later;
        }
    }

    /// Every term with its count and list, in order of the terms.
    pub(super) fn each<E>(&self, mut each: impl FnMut(&[u8], u32, &[u8]) -> Result<(), E>) -> Result<(), E> {
        let mut order: Vec<(u128, u32)> =
            (0..self.lists.len() as u32).map(|term| (beginning(self.terms.get(term)), term)).collect();
        let by_text = |one: &(u128, u32), other: &(u128, u32)| {
            one.0.cmp(&other.0).then_with(|| self.terms.get(one.1).cmp(self.terms.get(other.1)))
        };
        if order.len() > MANY {
            // A build ends with this, so two do it; halves in order are put together by the last line.
            let middle = order.len() / 2;
            let (left, right) = order.split_at_mut(middle);
            std::thread::scope(|scope| {
                let other =
                    std::thread::Builder::new().spawn_scoped(scope, || right.sort_unstable_by(by_text));
                left.sort_unstable_by(by_text);
                if let Err(error) = other {
                    tracing::debug!(%error, "terms are sorted by one thread");
                }
            });
        }
        order.sort_by(by_text);
        let mut whole = Vec::new();
        for some in order.chunks(AT_ONCE) {
            self.fetch(some.iter().map(|(_, term)| *term), |list| list.head);
            for (_, term) in some {
                let Some(list) = self.lists.get(*term as usize) else { continue };
                self.collect(list, &mut whole);
                each(self.terms.get(*term), list.count, &whole)?;
            }
        }
        Ok(())
    }

    fn collect(&self, list: &List, whole: &mut Vec<u8>) {
        whole.clear();
        let (mut at, mut level, mut left) = (list.head as usize, 0, list.bytes as usize);
        while left > 0 {
            let size = SLICES[level] as usize;
            let taken = left.min(size);
            whole.extend_from_slice(self.pool.get(at..at + taken).unwrap_or_default());
            left -= taken;
            let link = self.pool.get(at + size..at + size + LINK).unwrap_or_default();
            at = link.iter().rev().fold(0, |at, byte| at << 8 | usize::from(*byte));
            level = (level + 1).min(SLICES.len() - 1);
        }
    }
}

/// The first bytes as a number that sorts like them. Many names begin alike.
fn beginning(text: &[u8]) -> u128 {
    let mut bytes = [0; size_of::<u128>()];
    let length = text.len().min(bytes.len());
    bytes[..length].copy_from_slice(&text[..length]);
    u128::from_be_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::super::lexical::Column;
    use super::super::posting::Postings;
    use super::super::terms::{Collector, Space};
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn lists_hold_what_the_files_had(
            files in prop::collection::vec(prop::collection::vec(prop::collection::vec("[a-d]{1,2}", 0..30), 1..5), 1..40),
        ) {
            let mut gather = Gather::new();
            let mut collector = Collector::new();
            let mut wanted: BTreeMap<Vec<u8>, BTreeMap<u32, u32>> = BTreeMap::new();
            let (mut piece, mut symbol) = (0, 0);
            for file in &files {
                for (at, words) in file.iter().enumerate() {
                    for word in words {
                        collector.word(Column::Body, word);
                        let number = piece + at as u32;
                        *wanted.entry(Space::Word.term(word)).or_default().entry(number).or_default() += 1;
                    }
                    collector.end_piece();
                }
                for (at, words) in file.iter().enumerate() {
                    for word in words {
                        collector.folded(Space::Name, &word.to_uppercase(), at as u32);
                        wanted.entry(Space::Name.term(word)).or_default().insert(symbol + at as u32, 1);
                    }
                }
                gather.add(&collector.finish(), Base { piece, symbol });
                piece += file.len() as u32;
                symbol += file.len() as u32;
            }
            let mut found: Vec<(Vec<u8>, BTreeMap<u32, u32>)> = Vec::new();
            gather
                .each(|term, count, list| {
                    let mut numbers = BTreeMap::new();
                    let mut postings = Postings::new(list);
                    while let Some(posting) = postings.step() {
                        let (number, tally) = posting.unwrap();
                        numbers.insert(number, tally.iter().map(|count| u32::from(*count)).sum());
                    }
                    assert_eq!(numbers.len(), count as usize);
                    found.push((term.to_vec(), numbers));
                    Ok::<(), ()>(())
                })
                .unwrap();
            prop_assert_eq!(found, wanted.into_iter().collect::<Vec<_>>());
        }
    }
}
