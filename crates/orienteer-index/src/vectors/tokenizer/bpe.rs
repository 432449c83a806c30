//! Which tokens does a word have by merging pairs?
//!
//! A word begins as its characters. Of all neighbours that may be merged the pair with the lowest rank is, the leftmost
//! first, until none is left. A character without a token becomes its bytes where the tokenizer has tokens for them.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// Merging of pairs.
#[derive(Debug)]
pub(super) struct Bpe {
    pub(super) characters: HashMap<char, u32>,
    /// One for each byte, where single bytes stand for unknown characters.
    pub(super) bytes: Option<Box<[u32; 256]>>,
    /// Two neighbours → rank and token of the pair.
    pub(super) merges: HashMap<(u32, u32), (u32, u32)>,
    pub(super) unknown: Option<u32>,
    /// Neighbouring unknown characters are one unknown token.
    pub(super) fuse_unknown: bool,
}

/// Buffers that are used again from word to word.
#[derive(Debug, Default)]
pub(super) struct Merging {
    parts: Vec<Part>,
    /// Rank, place of the left part, token: the lowest rank and then the leftmost comes first.
    waiting: BinaryHeap<Reverse<(u32, u32, u32)>>,
}

/// A token on its way; a list in both directions, so that merging takes the same time everywhere.
#[derive(Debug, Clone, Copy)]
struct Part {
    token: u32,
    before: u32,
    after: u32,
    gone: bool,
}

const NONE: u32 = u32::MAX;

impl Bpe {
    pub(super) fn encode(&self, word: &str, merging: &mut Merging, tokens: &mut Vec<u32>) {
        merging.parts.clear();
        merging.waiting.clear();
        self.begin(word, &mut merging.parts);
        for at in 0..merging.parts.len() as u32 {
            self.consider(at, merging);
        }
        while let Some(Reverse((_, at, token))) = merging.waiting.pop() {
            self.merge(at, token, merging);
        }
        tokens.extend(merging.parts.iter().filter(|part| !part.gone).map(|part| part.token));
    }

    fn begin(&self, word: &str, parts: &mut Vec<Part>) {
        let mut add = |token| {
            let at = parts.len() as u32;
            if let Some(last) = parts.last_mut() {
                last.after = at;
            }
            parts.push(Part { token, before: at.checked_sub(1).unwrap_or(NONE), after: NONE, gone: false });
        };
        let mut was_unknown = false;
        for character in word.chars() {
            if let Some(token) = self.characters.get(&character) {
                add(*token);
                was_unknown = false;
            } else if let Some(bytes) = &self.bytes {
                let mut buffer = [0; 4];
                for byte in character.encode_utf8(&mut buffer).bytes() {
                    add(bytes[usize::from(byte)]);
                }
            } else if let Some(unknown) = self.unknown
                && !(was_unknown && self.fuse_unknown)
            {
                add(unknown);
                was_unknown = true;
            }
        }
    }

    fn pair(&self, at: u32, parts: &[Part]) -> Option<(u32, u32)> {
        let left = parts.get(at as usize).filter(|part| !part.gone)?;
        let right = parts.get(left.after as usize)?;
        self.merges.get(&(left.token, right.token)).copied()
    }

    fn consider(&self, at: u32, merging: &mut Merging) {
        if let Some((rank, token)) = self.pair(at, &merging.parts) {
            merging.waiting.push(Reverse((rank, at, token)));
        }
    }

    /// Merges the part here with the next, if they are still the pair that was considered.
    fn merge(&self, at: u32, token: u32, merging: &mut Merging) {
        if self.pair(at, &merging.parts).map(|(_, token)| token) != Some(token) {
            return;
        }
        let parts = &mut merging.parts;
        let Some(Part { before, after, .. }) = parts.get(at as usize).copied() else { return };
        let Some(right) = parts.get_mut(after as usize) else { return };
        right.gone = true;
        let after = right.after;
        if let Some(next) = parts.get_mut(after as usize) {
            next.before = at;
        }
        if let Some(left) = parts.get_mut(at as usize) {
            (left.token, left.after) = (token, after);
        }
        self.consider(before, merging);
        self.consider(at, merging);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// a b c have the tokens 0 1 2; the merges are given in order of rank.
    fn bpe(merges: &[((u32, u32), u32)], bytes: bool) -> Bpe {
        let ranked = merges.iter().enumerate().map(|(rank, (pair, token))| (*pair, (rank as u32, *token)));
        Bpe {
            characters: [('a', 0), ('b', 1), ('c', 2)].into(),
            bytes: bytes.then(|| Box::new(std::array::from_fn(|byte| 1000 + byte as u32))),
            merges: ranked.collect(),
            unknown: Some(99),
            fuse_unknown: true,
        }
    }

    fn encode(bpe: &Bpe, word: &str) -> Vec<u32> {
        let mut tokens = Vec::new();
        bpe.encode(word, &mut Merging::default(), &mut tokens);
        tokens
    }

    #[test]
    fn the_lowest_rank_goes_first_and_then_the_leftmost() {
        let bpe = bpe(&[((1, 2), 10), ((0, 1), 11), ((0, 10), 12), ((0, 0), 13)], false);
        assert_eq!(encode(&bpe, "abc"), [12]);
        assert_eq!(encode(&bpe, "aba"), [11, 0]);
        assert_eq!(encode(&bpe, "aaa"), [13, 0]);
        assert_eq!(encode(&bpe, "aaaa"), [13, 13]);
        assert_eq!(encode(&bpe, "cab"), [2, 11]);
        assert!(encode(&bpe, "").is_empty());
    }

    #[test]
    fn unknown_characters_are_bytes_or_one_unknown_token() {
        assert_eq!(encode(&bpe(&[], true), "aé"), [0, 1195, 1169]);
        assert_eq!(encode(&bpe(&[], false), "aéñbx"), [0, 99, 1, 99]);
        let apart = Bpe { fuse_unknown: false, ..bpe(&[], false) };
        assert_eq!(encode(&apart, "éñ"), [99, 99]);
        let none = Bpe { unknown: None, ..bpe(&[], false) };
        assert_eq!(encode(&none, "aéb"), [0, 1]);
    }

    #[test]
    fn a_long_word_takes_no_longer_than_its_length() {
        let bpe = bpe(&[((0, 0), 10), ((10, 10), 11), ((11, 11), 12)], false);
        let started = std::time::Instant::now();
        assert_eq!(encode(&bpe, &"a".repeat(400_000)).len(), 50_000);
        assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
    }
}
