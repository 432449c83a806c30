//! How often does a word stand in a piece, and in which columns?
//!
//! A list of postings is a run of numbers: the distance to the piece before, doubled, plus one where the word stands in
//! the body once and nowhere else, which is the commonest case and needs nothing more. Otherwise follows one byte that
//! says which columns, and how often in each where that is not once. Lists of symbols are the same without any of that.

use super::bytes::{Bytes, put};
use super::lexical::COLUMN_COUNT;

/// How often in each column.
pub(super) type Tally = [u8; COLUMN_COUNT];

const BODY: usize = 4;
const ONLY_BODY: u8 = 0x80;
const ALL_ONCE: u8 = 0x40;
const ONCE_IN_BODY: Tally = [0, 0, 0, 0, 1, 0];

/// Appends what follows the distance, and says whether there is nothing.
pub(super) fn is_plain(tally: &Tally) -> bool {
    *tally == ONCE_IN_BODY
}

pub(super) fn put_tally(out: &mut Vec<u8>, tally: &Tally) {
    let mut mask = 0u8;
    for (at, count) in tally.iter().enumerate() {
        mask |= u8::from(*count > 0) << at;
    }
    if mask == 1 << BODY {
        out.push(ONLY_BODY | tally[BODY].min(0x7f));
        return;
    }
    if tally.iter().all(|count| *count <= 1) {
        out.push(mask | ALL_ONCE);
        return;
    }
    out.push(mask);
    let mut half = None;
    for count in tally.iter().filter(|count| **count > 0) {
        let count = (*count).min(15);
        match half.take() {
            None => half = Some(count),
            Some(low) => out.push(low | count << 4),
        }
    }
    out.extend(half);
}

#[inline]
fn tally(bytes: &mut Bytes<'_>) -> Option<Tally> {
    let head = bytes.byte()?;
    let mut tally = [0; COLUMN_COUNT];
    if head & ONLY_BODY != 0 {
        tally[BODY] = head & 0x7f;
        return Some(tally);
    }
    let mut half = None;
    for (at, slot) in tally.iter_mut().enumerate() {
        if head & 1 << at == 0 {
            continue;
        }
        *slot = if head & ALL_ONCE != 0 {
            1
        } else {
            match half.take() {
                Some(high) => high,
                None => {
                    let both = bytes.byte()?;
                    half = Some(both >> 4);
                    both & 15
                }
            }
        };
    }
    Some(tally)
}

/// Appends the distance from `last` to `to`.
pub(super) fn put_distance(out: &mut Vec<u8>, last: u32, to: u32, plain: bool) {
    put(out, u64::from(to.wrapping_sub(last)) << 1 | u64::from(plain));
}

/// A list of postings, as it comes from the disk.
#[derive(Debug, Clone)]
pub(super) struct Postings<'b> {
    bytes: Bytes<'b>,
    last: u32,
}

impl<'b> Postings<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        Self { bytes: Bytes::new(bytes), last: 0 }
    }

    /// The number, and how often where the list tells it. `Some(None)` is damage.
    #[inline]
    pub(super) fn step(&mut self) -> Option<Option<(u32, Tally)>> {
        if self.bytes.is_empty() {
            return None;
        }
        Some(self.read())
    }

    #[inline]
    fn read(&mut self) -> Option<(u32, Tally)> {
        let head = self.bytes.number()?;
        let number = u64::from(self.last) + (head >> 1);
        self.last = u32::try_from(number).ok()?;
        let tally = if head & 1 == 1 { ONCE_IN_BODY } else { tally(&mut self.bytes)? };
        Some((self.last, tally))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn postings_come_back_with_counts_up_to_their_limits(
            list in prop::collection::vec((1u32..100_000, prop::array::uniform6(0u8..20)), 0..40),
        ) {
            let mut out = Vec::new();
            let mut last = 0;
            let mut wanted = Vec::new();
            for (distance, mut counts) in list {
                if counts.iter().all(|count| *count == 0) {
                    counts[2] = 1;
                }
                put_distance(&mut out, last, last + distance, is_plain(&counts));
                if !is_plain(&counts) {
                    put_tally(&mut out, &counts);
                }
                last += distance;
                let only_body = counts.iter().enumerate().all(|(at, count)| at == BODY || *count == 0);
                let most = if only_body { 0x7f } else { 15 };
                wanted.push((last, counts.map(|count| count.min(most))));
            }
            let mut postings = Postings::new(&out);
            let mut found = Vec::new();
            while let Some(posting) = postings.step() {
                found.push(posting.unwrap());
            }
            prop_assert_eq!(found, wanted);
        }

        #[test]
        fn garbage_ends(garbage in prop::collection::vec(any::<u8>(), 0..60)) {
            let mut postings = Postings::new(&garbage);
            while let Some(Some(_)) = postings.step() {}
        }
    }
}
