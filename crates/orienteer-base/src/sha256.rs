//! What is the SHA-256 of these bytes?
//!
//! What is published for download is named by SHA-256, so BLAKE3, which the index uses for its own purposes, cannot stand
//! in for it. It is one function of the standard (FIPS 180-4); a crate for it would bring eight more.

use std::fmt;
use std::io::{self, Read};

use serde::{Deserialize, Serialize};

use crate::{Cancel, Stopped};

/// A SHA-256, written as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Digest(pub [u8; 32]);

impl Digest {
    pub fn parse(text: &str) -> Option<Self> {
        let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        let mut digest = [0; 32];
        if pairs.len() != digest.len() || !rest.is_empty() {
            return None;
        }
        for (byte, [high, low]) in digest.iter_mut().zip(pairs) {
            *byte = digit(*high)? << 4 | digit(*low)?;
        }
        Some(Self(digest))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl TryFrom<String> for Digest {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text).ok_or_else(|| format!("`{text}` is not a SHA-256 of 64 hexadecimal digits"))
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        digest.to_string()
    }
}

/// First 32 bits of the fractional parts of the cube roots of the first 64 primes.
#[rustfmt::skip]
const ROUNDS: [u32; 64] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
];

/// First 32 bits of the fractional parts of the square roots of the first 8 primes.
const START: [u32; 8] =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];

const BLOCK: usize = 64;

/// Takes bytes as they come.
#[derive(Debug)]
pub struct Sha256 {
    state: [u32; 8],
    /// The beginning of a block that is not full yet.
    rest: Vec<u8>,
    length: u64,
}

impl Default for Sha256 {
    fn default() -> Self {
        Self::new()
    }
}

impl Sha256 {
    pub fn new() -> Self {
        Self { state: START, rest: Vec::with_capacity(BLOCK), length: 0 }
    }

    pub fn update(&mut self, mut bytes: &[u8]) {
        self.length = self.length.wrapping_add(bytes.len() as u64);
        if !self.rest.is_empty() {
            let (first, others) = bytes.split_at(bytes.len().min(BLOCK - self.rest.len()));
            self.rest.extend_from_slice(first);
            bytes = others;
            if let [block] = self.rest.as_chunks::<BLOCK>().0 {
                mix(&mut self.state, block);
                self.rest.clear();
            }
        }
        let (blocks, rest) = bytes.as_chunks::<BLOCK>();
        blocks.iter().for_each(|block| mix(&mut self.state, block));
        self.rest.extend_from_slice(rest);
    }

    pub fn finish(mut self) -> Digest {
        let bits = self.length.wrapping_mul(8);
        self.rest.push(0x80);
        while self.rest.len() % BLOCK != BLOCK - 8 {
            self.rest.push(0);
        }
        self.rest.extend_from_slice(&bits.to_be_bytes());
        for block in self.rest.as_chunks::<BLOCK>().0 {
            mix(&mut self.state, block);
        }
        let mut digest = [0; 32];
        for (four, word) in digest.as_chunks_mut::<4>().0.iter_mut().zip(self.state) {
            *four = word.to_be_bytes();
        }
        Digest(digest)
    }
}

fn mix(state: &mut [u32; 8], block: &[u8; BLOCK]) {
    let mut words = [0u32; 64];
    for (word, four) in words.iter_mut().zip(block.as_chunks::<4>().0) {
        *word = u32::from_be_bytes(*four);
    }
    for at in 16..64 {
        let (early, late) = (words[at - 15], words[at - 2]);
        let early = early.rotate_right(7) ^ early.rotate_right(18) ^ (early >> 3);
        let late = late.rotate_right(17) ^ late.rotate_right(19) ^ (late >> 10);
        words[at] = words[at - 16].wrapping_add(early).wrapping_add(words[at - 7]).wrapping_add(late);
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for (word, round) in words.iter().zip(ROUNDS) {
        let turned = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let chosen = (e & f) ^ (!e & g);
        let first = h.wrapping_add(turned).wrapping_add(chosen).wrapping_add(round).wrapping_add(*word);
        let turned = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let majority = (a & b) ^ (a & c) ^ (b & c);
        (h, g, f, e) = (g, f, e, d.wrapping_add(first));
        (d, c, b, a) = (c, b, a, first.wrapping_add(turned).wrapping_add(majority));
    }
    for (old, new) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *old = old.wrapping_add(new);
    }
}

/// Why there is no digest.
#[derive(Debug, thiserror::Error)]
pub enum Undigested {
    #[error(transparent)]
    Stopped(#[from] Stopped),
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("there are more than {limit} bytes")]
    TooLarge { bytes: u64, limit: u64 },
}

impl Digest {
    /// Of everything that is still to be read. A file that grows meanwhile, or a device, ends at the limit too.
    pub fn of(reader: &mut impl Read, limit: u64, cancel: &Cancel) -> Result<Self, Undigested> {
        let mut sum = Sha256::new();
        let mut buffer = vec![0; 1 << 18];
        loop {
            cancel.check()?;
            match reader.read(&mut buffer) {
                Ok(0) => return Ok(sum.finish()),
                Ok(count) => sum.update(buffer.get(..count).unwrap_or_default()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
            if sum.length > limit {
                return Err(Undigested::TooLarge { bytes: sum.length, limit });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(bytes: &[u8]) -> String {
        let mut sum = Sha256::new();
        sum.update(bytes);
        sum.finish().to_string()
    }

    #[test]
    fn a_digest_is_read_as_it_is_written() {
        let text = of(b"abc");
        let digest = Digest::parse(&text).unwrap();
        assert_eq!(digest.to_string(), text);
        assert_eq!(Digest::parse(&text.to_uppercase()), Some(digest));
        for wrong in
            ["", "ba78", &text[1..], &format!("{text}0"), &text.replace('b', "g"), &text.replace('b', "é")]
        {
            assert_eq!(Digest::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_examples_of_the_standard_come_out() {
        assert_eq!(of(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        assert_eq!(of(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        let two_blocks = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
        assert_eq!(of(two_blocks), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
        let million = vec![b'a'; 1_000_000];
        assert_eq!(of(&million), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    }

    #[test]
    fn it_does_not_matter_in_which_portions_the_bytes_come() {
        let bytes: Vec<u8> = (0..=255).cycle().take(1000).collect();
        for portion in [1, 3, 55, 56, 63, 64, 65, 127, 999] {
            let mut sum = Sha256::new();
            bytes.chunks(portion).for_each(|chunk| sum.update(chunk));
            assert_eq!(sum.finish().to_string(), of(&bytes), "portions of {portion}");
        }
    }

    #[test]
    fn what_is_over_the_limit_is_not_read_to_its_end() {
        let error = Digest::of(&mut io::repeat(0), 4999, &Cancel::new()).unwrap_err();
        assert!(matches!(error, Undigested::TooLarge { limit: 4999, .. }), "{error}");
        let digest = Digest::of(&mut b"abc".as_slice(), 3, &Cancel::new()).unwrap();
        assert_eq!(digest.to_string(), of(b"abc"));
    }
}
