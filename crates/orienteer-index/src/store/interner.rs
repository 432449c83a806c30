//! Which number does this term have?
//!
//! Terms are looked up a hundred times for every one that is new, so this is a table made for that: one array of bytes
//! for all texts, one of numbers to probe, nothing to free one by one.

use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;

/// Not the same in each process, so that nobody can write a repository whose words all collide; the same for all tables, so
/// that a term is hashed once.
static SEED: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(0u8));

/// Terms with numbers from 0 on, in the order of their first sight.
#[derive(Debug)]
pub(super) struct Interner {
    seed: u64,
    /// The upper half of a term's hash and one more than its number, or zero; a power of two of them.
    table: Vec<u64>,
    spans: Vec<Span>,
    text: Vec<u8>,
}

#[derive(Debug, Clone, Copy)]
struct Span {
    start: u32,
    length: u32,
    hash: u64,
}

const SMALLEST: usize = 1 << 10;
/// Of a larger table the memory is given back.
const MOST_KEPT: usize = 1 << 18;
/// The part of a hash that stands in the table.
const UPPER: u64 = !0 << 32;

impl Interner {
    pub(super) fn new() -> Self {
        Self { seed: *SEED, table: vec![0; SMALLEST], spans: Vec::new(), text: Vec::new() }
    }

    /// Forgets everything. The table becomes as small as this many terms need, because a next file has about as many and a
    /// small table stays close to the processor; its memory is kept.
    pub(super) fn clear(&mut self) {
        let wanted = (2 * self.spans.len()).next_power_of_two().clamp(SMALLEST, self.table.len());
        self.table.truncate(wanted);
        self.table.fill(0);
        self.spans.clear();
        self.text.clear();
        if self.table.capacity() > MOST_KEPT {
            self.table.shrink_to(MOST_KEPT);
        }
    }

    pub(super) fn len(&self) -> usize {
        self.spans.len()
    }

    /// Bytes of memory.
    pub(super) fn bytes(&self) -> usize {
        self.table.len() * size_of::<u64>() + self.spans.len() * size_of::<Span>() + self.text.len()
    }

    pub(super) fn get(&self, number: u32) -> &[u8] {
        let Some(span) = self.spans.get(number as usize) else { return &[] };
        self.slice(span)
    }

    /// The first byte of a term.
    pub(super) fn first(&self, number: u32) -> u8 {
        let span = self.spans.get(number as usize);
        span.and_then(|span| self.text.get(span.start as usize)).copied().unwrap_or_default()
    }

    /// What every table finds a term by.
    pub(super) fn hash(&self, number: u32) -> u64 {
        self.spans.get(number as usize).map_or(0, |span| span.hash)
    }

    fn slice(&self, span: &Span) -> &[u8] {
        let start = span.start as usize;
        self.text.get(start..start + span.length as usize).unwrap_or_default()
    }

    /// The number of a term that is written as a letter and a text.
    #[inline]
    pub(super) fn intern(&mut self, letter: u8, text: &[u8]) -> u32 {
        self.intern_hashed(hash(self.seed ^ u64::from(letter), text), letter, text)
    }

    /// The number that a term with this hash has, most likely, if it has one. Nothing but the table is looked at: whoever
    /// asks for many does not wait for each.
    #[inline]
    pub(super) fn likely(&self, hash: u64) -> Option<u32> {
        let entry = self.table[hash as usize & (self.table.len() - 1)];
        ((entry ^ hash) & UPPER == 0).then_some(entry as u32).and_then(|number| number.checked_sub(1))
    }

    /// Whether a number is that of a term.
    #[inline]
    pub(super) fn is(&self, number: u32, letter: u8, text: &[u8]) -> bool {
        let known = self.get(number);
        known.split_first().is_some_and(|(first, rest)| *first == letter && same(rest, text))
    }

    /// The number of a term whose hash is known.
    #[inline]
    pub(super) fn intern_hashed(&mut self, hash: u64, letter: u8, text: &[u8]) -> u32 {
        let mask = self.table.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let entry = self.table[at];
            let Some(number) = (entry as u32).checked_sub(1) else { break };
            if (entry ^ hash) & UPPER == 0 && self.is(number, letter, text) {
                return number;
            }
            at = (at + 1) & mask;
        }
        self.add(letter, text, hash, at)
    }

    #[cold]
    fn add(&mut self, letter: u8, text: &[u8], hash: u64, at: usize) -> u32 {
        let number = self.spans.len() as u32;
        let start = self.text.len() as u32;
        self.text.push(letter);
        self.text.extend_from_slice(text);
        self.spans.push(Span { start, length: text.len() as u32 + 1, hash });
        self.table[at] = hash & UPPER | u64::from(number + 1);
        if 2 * self.spans.len() > self.table.len() {
            self.grow();
        }
        number
    }

    fn grow(&mut self) {
        let size = self.table.len() * 2;
        // Written, not only asked for: a page that is read before it is written is mapped twice, and all threads are stopped
        // for the second time.
        self.table.clear();
        self.table.resize(size, 0);
        let mask = size - 1;
        for (number, span) in self.spans.iter().enumerate() {
            let mut at = span.hash as usize & mask;
            while self.table[at] != 0 {
                at = (at + 1) & mask;
            }
            self.table[at] = span.hash & UPPER | (number as u64 + 1);
        }
    }
}

#[inline]
fn hash(seed: u64, text: &[u8]) -> u64 {
    let mut sum = seed ^ text.len() as u64;
    let mut chunks = text.chunks_exact(8);
    for chunk in &mut chunks {
        let mut word = [0; 8];
        word.copy_from_slice(chunk);
        sum = fold(sum, u64::from_le_bytes(word));
    }
    let rest = chunks.remainder();
    fold(fold(sum, word_of(rest)), seed)
}

/// At most seven bytes as a number. Short copies of a length that is not known are calls.
#[inline]
fn word_of(rest: &[u8]) -> u64 {
    let part = |from: usize| match rest.get(from..from + 4) {
        Some(&[a, b, c, d]) => u64::from(u32::from_le_bytes([a, b, c, d])),
        _ => 0,
    };
    match *rest {
        [] => 0,
        [a] => u64::from(a),
        [a, b] => u64::from(u16::from_le_bytes([a, b])),
        [a, b, c] => u64::from(u32::from_le_bytes([a, b, c, 0])),
        // The two halves overlap; the length is part of the hash already.
        _ => part(0) | part(rest.len() - 4) << 32,
    }
}

/// Whether two texts are the same. Most are short, and comparing those by a call takes longer than all the rest.
#[inline]
fn same(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    match (one.first_chunk::<8>(), other.first_chunk::<8>(), one.last_chunk::<8>(), other.last_chunk::<8>()) {
        (Some(a), Some(b), Some(c), Some(d)) if one.len() <= 16 => a == b && c == d,
        (None, ..) => word_of(one) == word_of(other),
        _ => one == other,
    }
}

#[inline]
fn fold(sum: u64, word: u64) -> u64 {
    let product = u128::from(sum ^ word) * u128::from(0x9E37_79B9_7F4A_7C15_u64 ^ word.rotate_left(32));
    (product as u64) ^ ((product >> 64) as u64) ^ sum.rotate_left(23)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #[test]
        fn a_term_has_one_number_and_comes_back(terms in prop::collection::vec(("[a-c]", "[a-d]{0,12}"), 0..3000)) {
            let mut interner = Interner::new();
            for _ in 0..2 {
                let mut known: HashMap<(u8, &str), u32> = HashMap::new();
                for (letter, text) in &terms {
                    let letter = letter.as_bytes()[0];
                    let number = interner.intern(letter, text.as_bytes());
                    let fresh = known.len() as u32;
                    prop_assert_eq!(*known.entry((letter, text)).or_insert(fresh), number);
                    prop_assert_eq!(interner.get(number), [&[letter], text.as_bytes()].concat());
                }
                prop_assert_eq!(interner.len(), known.len());
                interner.clear();
            }
        }
    }
}
