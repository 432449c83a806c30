//! Which number does this term have?
//!
//! Terms are looked up a hundred times for every one that is new, so this is a table made for that: one array of bytes
//! for all texts, one of numbers to probe, nothing to free one by one.

use std::hash::{BuildHasher, RandomState};

/// Terms with numbers from 0 on, in the order of their first sight.
#[derive(Debug)]
pub(super) struct Interner {
    seed: u64,
    /// One more than the number of the term, or zero; a power of two of them.
    table: Vec<u32>,
    spans: Vec<Span>,
    text: Vec<u8>,
}

#[derive(Debug, Clone, Copy)]
struct Span {
    start: u32,
    length: u32,
    /// Of the hash, to compare before texts are.
    check: u32,
}

const SMALLEST: usize = 1 << 10;

impl Interner {
    pub(super) fn new() -> Self {
        // Not the same in each process, so that nobody can write a repository whose words all collide.
        let seed = RandomState::new().hash_one(0u8);
        Self { seed, table: vec![0; SMALLEST], spans: Vec::new(), text: Vec::new() }
    }

    /// Forgets everything, keeping the memory that a next file is likely to need.
    pub(super) fn clear(&mut self) {
        if self.table.len() > 64 * self.spans.len().max(SMALLEST) {
            self.table = vec![0; SMALLEST];
        } else {
            self.table.fill(0);
        }
        self.spans.clear();
        self.text.clear();
    }

    pub(super) fn len(&self) -> usize {
        self.spans.len()
    }

    /// Bytes of memory.
    pub(super) fn bytes(&self) -> usize {
        self.table.len() * size_of::<u32>() + self.spans.len() * size_of::<Span>() + self.text.len()
    }

    pub(super) fn get(&self, number: u32) -> &[u8] {
        let Some(span) = self.spans.get(number as usize) else { return &[] };
        self.slice(span)
    }

    fn slice(&self, span: &Span) -> &[u8] {
        let start = span.start as usize;
        self.text.get(start..start + span.length as usize).unwrap_or_default()
    }

    /// The number of a term that is written as a letter and a text.
    #[inline]
    pub(super) fn intern(&mut self, letter: u8, text: &[u8]) -> u32 {
        let hash = hash(self.seed ^ u64::from(letter), text);
        let check = (hash >> 32) as u32;
        let mask = self.table.len() - 1;
        let mut at = hash as usize & mask;
        while let Some(number) = self.table[at].checked_sub(1) {
            let span = &self.spans[number as usize];
            if span.check == check
                && span.length as usize == text.len() + 1
                && let Some((first, rest)) = self.slice(span).split_first()
                && *first == letter
                && rest == text
            {
                return number;
            }
            at = (at + 1) & mask;
        }
        self.add(letter, text, check, at)
    }

    #[cold]
    fn add(&mut self, letter: u8, text: &[u8], check: u32, at: usize) -> u32 {
        let number = self.spans.len() as u32;
        let start = self.text.len() as u32;
        self.text.push(letter);
        self.text.extend_from_slice(text);
        self.spans.push(Span { start, length: text.len() as u32 + 1, check });
        self.table[at] = number + 1;
        if 2 * self.spans.len() > self.table.len() {
            self.grow();
        }
        number
    }

    fn grow(&mut self) {
        let mut table = vec![0; self.table.len() * 2];
        let mask = table.len() - 1;
        for (number, span) in self.spans.iter().enumerate() {
            let Some((letter, text)) = self.slice(span).split_first() else { continue };
            let mut at = hash(self.seed ^ u64::from(*letter), text) as usize & mask;
            while table[at] != 0 {
                at = (at + 1) & mask;
            }
            table[at] = number as u32 + 1;
        }
        self.table = table;
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
    let mut word = [0; 8];
    word[..rest.len()].copy_from_slice(rest);
    fold(fold(sum, u64::from_le_bytes(word)), seed)
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
