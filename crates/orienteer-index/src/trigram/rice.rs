//! How are the gaps between the files of a list written in few bits?
//!
//! A gap is written as its lowest `k` bits and the rest in unary (Rice's code). With the best `k` for each list this
//! comes within a few per cent of what gaps of random files need; with `k` = 0 it is a plain bitmap, so that common
//! trigrams need nothing special.

/// Gaps have fewer bits than this.
const MOST_BITS: u32 = 32;

/// The gaps of a sorted list without repeats: how many files lie between one and the next.
fn gaps(list: &[u32]) -> impl Iterator<Item = u32> {
    let mut next = 0;
    list.iter().map(move |file| {
        let gap = file.wrapping_sub(next);
        next = file.wrapping_add(1);
        gap
    })
}

/// The `k` that needs the fewest bits.
pub(super) fn best(list: &[u32]) -> u8 {
    let Some(last) = list.last() else { return 0 };
    let mean = (u64::from(*last) + 1) / list.len() as u64;
    // Near the logarithm of the mean; clustered lists need one less.
    let near = (64 - mean.leading_zeros()).saturating_sub(1);
    let cost =
        |k: &u32| gaps(list).map(|gap| u64::from(gap >> k)).sum::<u64>() + u64::from(*k) * list.len() as u64;
    (near.saturating_sub(2)..(near + 1).min(MOST_BITS)).min_by_key(cost).unwrap_or(0) as u8
}

/// Appends a sorted list without repeats.
pub(super) fn encode(list: &[u32], k: u8, out: &mut Vec<u8>) {
    let k = u32::from(k).min(MOST_BITS - 1);
    let (mut held, mut used) = (0_u64, 0_u32);
    let mut put = |bits: u64, count: u32| {
        held |= bits << used;
        used += count;
        while used >= 8 {
            out.push(held as u8);
            held >>= 8;
            used -= 8;
        }
    };
    for gap in gaps(list) {
        let mut rest = gap >> k;
        while rest >= 32 {
            put(0, 32);
            rest -= 32;
        }
        put(1 << rest, rest + 1);
        put(u64::from(gap & ((1_u32 << k) - 1)), k);
    }
    if used > 0 {
        out.push(held as u8);
    }
}

/// The list of `count` files below `end`; `None` when the bytes are not one.
pub(super) fn decode(bytes: &[u8], k: u8, count: u32, end: u32) -> Option<Vec<u32>> {
    let k = u32::from(k);
    if k >= MOST_BITS || count > end {
        return None;
    }
    let mut bits = Bits { rest: bytes, held: 0, left: 0 };
    let mut list = Vec::with_capacity(count as usize);
    let mut next = 0_u32;
    for _ in 0..count {
        let high = bits.zeros()?;
        let low = bits.take(k)?;
        let gap = (u64::from(high) << k) | u64::from(low);
        let file = u32::try_from(u64::from(next) + gap).ok().filter(|file| *file < end)?;
        list.push(file);
        next = file + 1;
    }
    // What fills up the last byte is nought.
    (bits.rest.is_empty() && bits.left < 8 && bits.held == 0).then_some(list)
}

struct Bits<'b> {
    rest: &'b [u8],
    held: u64,
    left: u32,
}

impl Bits<'_> {
    /// Makes sure that 32 bits are held, unless fewer are left.
    #[inline]
    fn fill(&mut self) {
        if self.left >= 32 {
            return;
        }
        if let Some((four, rest)) = self.rest.split_first_chunk::<4>() {
            self.held |= u64::from(u32::from_le_bytes(*four)) << self.left;
            self.left += 32;
            self.rest = rest;
            return;
        }
        for byte in std::mem::take(&mut self.rest) {
            self.held |= u64::from(*byte) << self.left;
            self.left += 8;
        }
    }

    /// How many noughts stand before the next one, which is taken too.
    #[inline]
    fn zeros(&mut self) -> Option<u32> {
        let mut zeros = 0_u32;
        loop {
            self.fill();
            if self.held != 0 {
                let here = self.held.trailing_zeros();
                self.held >>= here;
                self.held >>= 1;
                self.left = self.left.checked_sub(here + 1)?;
                return zeros.checked_add(here);
            }
            if self.left == 0 {
                return None;
            }
            zeros = zeros.checked_add(self.left)?;
            self.left = 0;
        }
    }

    #[inline]
    fn take(&mut self, count: u32) -> Option<u32> {
        self.fill();
        self.left = self.left.checked_sub(count)?;
        let bits = self.held & ((1_u64 << count) - 1);
        self.held >>= count;
        Some(bits as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn there_and_back(list: &[u32], end: u32) -> usize {
        let k = best(list);
        let mut bytes = Vec::new();
        encode(list, k, &mut bytes);
        assert_eq!(decode(&bytes, k, list.len() as u32, end).as_deref(), Some(list));
        bytes.len()
    }

    #[test]
    fn dense_lists_are_bitmaps_and_sparse_ones_take_little() {
        let all: Vec<u32> = (0..8_000).collect();
        assert_eq!(there_and_back(&all, 8_000), 1_000);
        let half: Vec<u32> = (0..8_000).step_by(2).collect();
        assert!(there_and_back(&half, 8_000) <= 1_000);
        let few: Vec<u32> = (0..8_000).step_by(1_000).collect();
        assert!(there_and_back(&few, 8_000) <= 12);
        assert_eq!(there_and_back(&[], 0), 0);
        there_and_back(&[u32::MAX - 1], u32::MAX);
    }

    #[test]
    fn what_is_no_list_is_refused() {
        let mut bytes = Vec::new();
        encode(&[1, 5, 9], 1, &mut bytes);
        assert!(decode(&bytes, 1, 3, 10).is_some());
        assert!(decode(&bytes, 1, 3, 9).is_none(), "a file that is not there");
        assert!(decode(&bytes, 1, 4, 10).is_none(), "too short");
        assert!(decode(&bytes, 40, 3, 10).is_none());
        bytes.push(0);
        assert!(decode(&bytes, 1, 3, 10).is_none(), "too long");
        assert!(decode(&[0; 100], 0, 1, u32::MAX).is_none());
    }

    proptest! {
        #[test]
        fn every_list_comes_back(
            gaps in prop::collection::vec(prop_oneof![0_u32..4, 0_u32..500, 0_u32..2_000_000], 0..300),
        ) {
            let mut next = 0;
            let list: Vec<u32> = gaps.iter().map(|gap| { next += gap + 1; next - 1 }).collect();
            there_and_back(&list, next);
        }

        #[test]
        fn any_bytes_are_read_without_harm(
            bytes in prop::collection::vec(any::<u8>(), 0..60),
            k in 0_u8..40,
            count in 0_u32..70,
        ) {
            decode(&bytes, k, count, 1_000);
        }
    }
}
