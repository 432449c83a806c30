//! How are numbers and whole blobs written so that they are small, and damage shows?

/// Bytes of the check at the end of a sealed blob.
const SEAL: usize = 4;

/// Appends a number: seven bits a byte, the low ones first.
pub(super) fn put(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends a length and what is that long.
pub(super) fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Small for numbers near zero on either side.
pub(super) fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)).cast_unsigned()
}

pub(super) fn unzigzag(value: u64) -> i64 {
    (value >> 1).cast_signed() ^ -(value & 1).cast_signed()
}

/// Reads what was put; `None` wherever the bytes end too early or make no number.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bytes<'b> {
    pub(super) rest: &'b [u8],
}

impl<'b> Bytes<'b> {
    pub(super) fn new(rest: &'b [u8]) -> Self {
        Self { rest }
    }

    #[inline]
    pub(super) fn number(&mut self) -> Option<u64> {
        let (&first, rest) = self.rest.split_first()?;
        if first < 0x80 {
            self.rest = rest;
            return Some(u64::from(first));
        }
        self.long_number()
    }

    fn long_number(&mut self) -> Option<u64> {
        let mut value = 0u64;
        for (at, &byte) in self.rest.iter().enumerate().take(10) {
            value |= u64::from(byte & 0x7f) << (7 * at);
            if byte < 0x80 {
                self.rest = &self.rest[at + 1..];
                return Some(value);
            }
        }
        None
    }

    pub(super) fn small(&mut self) -> Option<u32> {
        self.number().and_then(|value| u32::try_from(value).ok())
    }

    pub(super) fn size(&mut self) -> Option<usize> {
        self.number().and_then(|value| usize::try_from(value).ok())
    }

    pub(super) fn signed(&mut self) -> Option<i64> {
        self.number().map(unzigzag)
    }

    #[inline]
    pub(super) fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    pub(super) fn take(&mut self, length: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(taken)
    }

    pub(super) fn bytes(&mut self) -> Option<&'b [u8]> {
        let length = self.size()?;
        self.take(length)
    }

    pub(super) fn text(&mut self) -> Option<&'b str> {
        self.bytes().and_then(|bytes| std::str::from_utf8(bytes).ok())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }
}

/// Adds a check to a blob. SQLite notices broken pages, not changed bytes inside of them.
pub(super) fn seal(blob: &mut Vec<u8>) {
    let check = check(blob);
    blob.extend_from_slice(&check);
}

/// What was sealed; `None` when it changed since.
pub(super) fn unseal(blob: &[u8]) -> Option<&[u8]> {
    let (content, seal) = blob.split_at_checked(blob.len().checked_sub(SEAL)?)?;
    (check(content) == seal).then_some(content)
}

/// Not a cryptographic one: it is computed for every block that a question touches, and nobody is to be kept from
/// changing an index of their own.
fn check(content: &[u8]) -> [u8; SEAL] {
    let mut lanes =
        [0x9E37_79B9_7F4A_7C15_u64, 0xC2B2_AE3D_27D4_EB4F, 0x1656_67B1_9E37_79F9, 0x27D4_EB2F_1656_67C5];
    let mut chunks = content.chunks_exact(32);
    for chunk in &mut chunks {
        for (lane, bytes) in lanes.iter_mut().zip(chunk.chunks_exact(8)) {
            let word = bytes.iter().rev().fold(0u64, |word, byte| word << 8 | u64::from(*byte));
            *lane = (*lane ^ word).wrapping_mul(0xFF51_AFD7_ED55_8CCD).rotate_left(31);
        }
    }
    let mut sum = content.len() as u64;
    for byte in chunks.remainder() {
        sum = (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3);
    }
    for lane in lanes {
        sum = (sum ^ lane).wrapping_mul(0xC4CE_B9FE_1A85_EC53).rotate_left(29);
    }
    ((sum ^ (sum >> 32)) as u32).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_come_back(values in prop::collection::vec(any::<u64>(), 0..20)) {
            let mut out = Vec::new();
            for value in &values {
                put(&mut out, *value);
            }
            let mut bytes = Bytes::new(&out);
            for value in values {
                prop_assert_eq!(bytes.number(), Some(value));
                prop_assert_eq!(unzigzag(zigzag(value.cast_signed())), value.cast_signed());
            }
            prop_assert_eq!(bytes.number(), None);
        }

        #[test]
        fn garbage_is_read_without_panic(garbage in prop::collection::vec(any::<u8>(), 0..40)) {
            let mut bytes = Bytes::new(&garbage);
            while bytes.number().is_some() {}
            let mut bytes = Bytes::new(&garbage);
            while bytes.text().is_some() && !bytes.is_empty() {}
        }

        #[test]
        fn a_changed_byte_breaks_the_seal(content in prop::collection::vec(any::<u8>(), 1..200), at in any::<prop::sample::Index>(), by in 1u8..) {
            let mut blob = content.clone();
            seal(&mut blob);
            prop_assert_eq!(unseal(&blob), Some(content.as_slice()));
            let at = at.index(blob.len());
            blob[at] ^= by;
            prop_assert_eq!(unseal(&blob), None);
            prop_assert_eq!(unseal(&content[..0]), None);
        }
    }
}
