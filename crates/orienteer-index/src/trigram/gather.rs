//! Which trigrams does a text have, and can it be told at all?
//!
//! A long text has nearly every common trigram somewhere. It is therefore taken in pieces of whole lines: what matches
//! on one line has all its trigrams in the same piece.
//!
//! Trigrams are over bytes, so that broken encodings need nothing special. ASCII letters count as lower case, which
//! serves questions that ignore case and costs the others little; the real search decides. A trigram with a line
//! break in it is left out: only matches over several lines could have it.

/// A search looks for NUL bytes in this much of a file first.
const FIRST_LOOK: usize = 64 << 10;
/// A larger file is data, and a search may fail in it for want of memory, which has to be told.
const LARGEST: usize = 32 << 20;
/// Texts that people write have fewer trigrams than this in a piece, a third of it at most; packed data has more.
const MOST: usize = 48 << 10;
/// And fewer than this in all pieces together.
const MOST_IN_ALL: usize = 4 << 20;
/// A piece ends at the end of a line once it has this many bytes.
const PIECE: usize = 64 << 10;

/// What a search makes of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    Text,
    /// There is a NUL byte near its beginning, where the search ends.
    Binary,
    /// Its trigrams do not tell what a search would find, so it is always a candidate: text in UTF-16, a NUL byte
    /// far from the beginning, a very large file, packed data.
    Always,
}

/// An ASCII letter in lower case, any other byte as it is.
pub(super) fn fold(byte: u8) -> u8 {
    byte.to_ascii_lowercase()
}

pub(super) fn trigram(bytes: [u8; 3]) -> u32 {
    u32::from_be_bytes([0, bytes[0], bytes[1], bytes[2]])
}

/// Collects the trigrams of one text after the other.
#[derive(Debug)]
pub(super) struct Gather {
    /// One bit for each trigram there can be. Setting and clearing single bits is several times faster than sorting.
    seen: Box<[u64]>,
    found: Vec<u32>,
    /// Where the trigrams of each piece end in `found`.
    ends: Vec<usize>,
}

/// What is known of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Known<'g> {
    pub(super) reading: Reading,
    found: &'g [u32],
    ends: &'g [usize],
}

impl<'g> Known<'g> {
    /// How many pieces there are; at least one, also of nothing.
    pub(super) fn count(&self) -> u32 {
        self.ends.len() as u32
    }

    /// How many trigrams the pieces have together.
    pub(super) fn len(&self) -> usize {
        self.found.len()
    }

    /// The trigrams of each piece, each once, in any order.
    pub(super) fn pieces(&self) -> impl Iterator<Item = &'g [u32]> {
        let mut start = 0;
        self.ends.iter().map(move |end| &self.found[std::mem::replace(&mut start, *end)..*end])
    }
}

impl Gather {
    pub(super) fn new() -> Self {
        Self { seen: vec![0; 1 << 18].into_boxed_slice(), found: Vec::new(), ends: Vec::new() }
    }

    /// What a search makes of a text, and its trigrams.
    pub(super) fn read(&mut self, text: &[u8]) -> Known<'_> {
        self.found.clear();
        self.ends.clear();
        let reading = self.classify(text);
        if reading == Reading::Always {
            self.found.clear();
            self.ends.clear();
            self.ends.push(0);
        }
        Known { reading, found: &self.found, ends: &self.ends }
    }

    fn classify(&mut self, text: &[u8]) -> Reading {
        if text.len() > LARGEST || text.starts_with(b"\xff\xfe") || text.starts_with(b"\xfe\xff") {
            return Reading::Always;
        }
        let (first, rest) = text.split_at(text.len().min(FIRST_LOOK));
        let (reading, searched) = match first.iter().position(|byte| *byte == 0) {
            Some(at) => (Reading::Binary, &text[..at]),
            None if rest.contains(&0) => return Reading::Always,
            None => (Reading::Text, text),
        };
        let mut rest = searched;
        loop {
            let piece;
            (piece, rest) = rest.split_at(piece_length(rest));
            if !self.collect(piece) {
                return Reading::Always;
            }
            if rest.is_empty() {
                return reading;
            }
        }
    }

    /// Whether there were not too many.
    fn collect(&mut self, text: &[u8]) -> bool {
        let start = self.found.len();
        let mut window = 0_u32;
        let mut length = 0_u32;
        for byte in text {
            if *byte == b'\n' {
                length = 0;
                continue;
            }
            window = (window << 8 | u32::from(fold(*byte))) & 0xff_ffff;
            length += 1;
            if length < 3 {
                continue;
            }
            let word = &mut self.seen[(window >> 6) as usize];
            let bit = 1_u64 << (window & 63);
            if *word & bit == 0 {
                *word |= bit;
                self.found.push(window);
            }
        }
        for found in &self.found[start..] {
            self.seen[(found >> 6) as usize] = 0;
        }
        self.ends.push(self.found.len());
        self.found.len() - start <= MOST && self.found.len() <= MOST_IN_ALL
    }
}

/// How much of a text is its first piece. A little rest is not worth one of its own.
fn piece_length(text: &[u8]) -> usize {
    if text.len() < PIECE + PIECE / 2 {
        return text.len();
    }
    text[PIECE..].iter().position(|byte| *byte == b'\n').map_or(text.len(), |at| PIECE + at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &[u8]) -> (Reading, Vec<u32>) {
        let mut gather = Gather::new();
        // A second reading must not see what is left of a first.
        gather.read(b"something else");
        let known = gather.read(text);
        let mut found = known.found.to_vec();
        found.sort_unstable();
        (known.reading, found)
    }

    fn trigrams(words: &[&[u8; 3]]) -> Vec<u32> {
        let mut all: Vec<u32> = words.iter().map(|word| trigram(**word)).collect();
        all.sort_unstable();
        all
    }

    #[test]
    fn each_trigram_is_told_once_in_lower_case() {
        assert_eq!(read(b"ABcabc"), (Reading::Text, trigrams(&[b"abc", b"bca", b"cab"])));
        assert_eq!(read(b"ab"), (Reading::Text, vec![]));
        assert_eq!(read("aé".as_bytes()), (Reading::Text, trigrams(&[b"a\xc3\xa9"])));
    }

    #[test]
    fn lines_are_apart() {
        assert_eq!(read(b"abc\ndef\r\n"), (Reading::Text, trigrams(&[b"abc", b"def", b"ef\r"])));
        assert_eq!(read(b"a\nb\nc\n").1, Vec::<u32>::new());
    }

    #[test]
    fn long_texts_are_taken_in_pieces_of_whole_lines() {
        let mut gather = Gather::new();
        assert_eq!((gather.read(b"").count(), gather.read(b"abc").count()), (1, 1));
        let line = |n: usize| format!("line {n} of many, which are all alike\n");
        let text: String = (0..10_000).map(line).collect();
        let known = gather.read(text.as_bytes());
        assert!((4..=6).contains(&known.count()), "{}", known.count());
        for n in [0, 1_700, 5_000, 9_999] {
            let wanted: Vec<u32> = format!("line {n} of many")
                .as_bytes()
                .windows(3)
                .map(|window| trigram([window[0], window[1], window[2]]))
                .collect();
            assert!(known.pieces().any(|piece| wanted.iter().all(|trigram| piece.contains(trigram))), "{n}");
        }
        assert_eq!(gather.read(&b"x".repeat(1 << 20)).count(), 1, "one line is one piece");
        assert_eq!(gather.read(b"abc").pieces().map(<[u32]>::len).collect::<Vec<_>>(), [1]);
    }

    #[test]
    fn binary_files_end_at_their_first_nul() {
        assert_eq!(read(b"abc\0def"), (Reading::Binary, trigrams(&[b"abc"])));
        let late = [b"abc\n".repeat(20_000), b"\0".to_vec()].concat();
        assert_eq!(read(&late), (Reading::Always, vec![]));
    }

    #[test]
    fn what_cannot_be_told_is_always_a_candidate() {
        assert_eq!(read(b"\xff\xfea\0b\0c\0"), (Reading::Always, vec![]));
        assert_eq!(read(b"\xfe\xff\0a\0b\0c"), (Reading::Always, vec![]));
        let mut state = 1_u32;
        let packed: Vec<u8> = (0..1 << 20)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                ((state >> 16) as u8).max(1)
            })
            .collect();
        assert_eq!(read(&packed), (Reading::Always, vec![]));
        assert_eq!(read(&vec![b'x'; LARGEST + 1]).0, Reading::Always);
    }
}
