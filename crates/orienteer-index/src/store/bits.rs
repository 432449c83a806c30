//! Which numbers are in this set?

use std::ops::Range;

/// A set of numbers that lie close together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Bits(Vec<u64>);

impl Bits {
    /// Empty, with room for numbers below `end`.
    pub(super) fn new(end: u32) -> Self {
        Self(vec![0; (end as usize).div_ceil(64)])
    }

    /// Makes room for numbers below `end`.
    pub(super) fn grow(&mut self, end: u32) {
        let words = (end as usize).div_ceil(64);
        if words > self.0.len() {
            self.0.resize(words, 0);
        }
    }

    /// Everything below `end`.
    pub(super) fn full(end: u32) -> Self {
        let mut bits = Self::new(end);
        bits.insert_range(0..end);
        bits
    }

    #[inline]
    pub(super) fn has(&self, number: u32) -> bool {
        self.0.get(number as usize / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// Numbers beyond the room are left out.
    pub(super) fn insert(&mut self, number: u32) {
        if let Some(word) = self.0.get_mut(number as usize / 64) {
            *word |= 1 << (number % 64);
        }
    }

    pub(super) fn insert_range(&mut self, range: Range<u32>) {
        let mut at = range.start;
        while at < range.end {
            if at.is_multiple_of(64) && range.end - at >= 64 {
                if let Some(word) = self.0.get_mut(at as usize / 64) {
                    *word = u64::MAX;
                }
                at += 64;
            } else {
                self.insert(at);
                at += 1;
            }
        }
    }

    pub(super) fn keep(&mut self, others: &Self) {
        for (at, word) in self.0.iter_mut().enumerate() {
            *word &= others.0.get(at).copied().unwrap_or_default();
        }
    }

    pub(super) fn add(&mut self, others: &Self) {
        for (word, other) in self.0.iter_mut().zip(&others.0) {
            *word |= other;
        }
    }

    pub(super) fn take_away(&mut self, others: &Self) {
        for (word, other) in self.0.iter_mut().zip(&others.0) {
            *word &= !other;
        }
    }

    pub(super) fn has_any(&self, range: Range<u32>) -> bool {
        self.next_from(range.start).is_some_and(|next| next < range.end)
    }

    pub(super) fn has_all(&self, range: Range<u32>) -> bool {
        range.into_iter().all(|number| self.has(number))
    }

    /// The least number from `from` on.
    pub(super) fn next_from(&self, from: u32) -> Option<u32> {
        let mut at = from as usize / 64;
        let mut word = self.0.get(at)? & (u64::MAX << (from % 64));
        while word == 0 {
            at += 1;
            word = *self.0.get(at)?;
        }
        Some(at as u32 * 64 + word.trailing_zeros())
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = u32> {
        let mut next = 0;
        std::iter::from_fn(move || {
            let found = self.next_from(next)?;
            next = found + 1;
            Some(found)
        })
    }

    pub(super) fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn a_set_is_a_set(numbers in prop::collection::btree_set(0u32..500, 0..60), start in 0u32..500, length in 0u32..200) {
            let mut bits = Bits::new(500);
            for number in &numbers {
                bits.insert(*number);
            }
            let end = (start + length).min(500);
            let mut range = Bits::new(500);
            range.insert_range(start..end);
            prop_assert_eq!(range.iter().collect::<Vec<_>>(), (start..end).collect::<Vec<_>>());
            prop_assert_eq!(bits.iter().collect::<BTreeSet<_>>(), numbers.clone());
            prop_assert_eq!(bits.has_any(start..end), numbers.range(start..end).next().is_some());
            prop_assert_eq!(bits.count(), numbers.len());
            let mut both = bits.clone();
            both.keep(&range);
            prop_assert!((0..500).all(|number| both.has(number) == (bits.has(number) && range.has(number))));
            let mut less = bits.clone();
            less.take_away(&range);
            prop_assert!((0..500).all(|number| less.has(number) == (bits.has(number) && !range.has(number))));
            bits.add(&range);
            prop_assert!((start..end).all(|number| bits.has(number)));
            prop_assert!(!bits.has(u32::MAX));
        }
    }
}
