//! What is a word, and which words does a text hold?
//!
//! A word is a longest run of letters, digits, `_`, `$`, combining accents and joiners. Languages disagree about
//! `$`: it is part of a name in JavaScript and PHP, and a sigil before one in shells and Rust's macros. A run with
//! `$` in it therefore counts as itself and as each of the parts between.

use std::ops::Range;

/// Whether a character can be part of a word.
pub fn is_word_char(c: char) -> bool {
    match c {
        '\0'..='\x7f' => ASCII[c as usize],
        // Accents that stand apart from their letter belong to the word, and so do the joiners that Persian and
        // the scripts of India write inside words.
        '\u{300}'..='\u{36f}' | '\u{200c}' | '\u{200d}' => true,
        _ => c.is_alphanumeric(),
    }
}

/// Whether a string is made of word characters only, and of at least one.
pub fn is_word(word: &str) -> bool {
    !word.is_empty() && word.chars().all(is_word_char)
}

/// The places of `word` in `text` that are no part of a longer word.
pub fn occurrences<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
    let finder = memchr::memmem::Finder::new(word);
    let mut from = 0;
    std::iter::from_fn(move || {
        let first = word.chars().next()?;
        loop {
            let start = from + finder.find(text.get(from..)?.as_bytes())?;
            let end = start + word.len();
            from = start + first.len_utf8();
            let before = text[..start].chars().next_back().is_some_and(is_word_char);
            let after = text[end..].chars().next().is_some_and(is_word_char);
            if !before && !after {
                return Some(start..end);
            }
        }
    })
}

const ASCII: [bool; 128] = {
    let mut table = [false; 128];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = (byte as u8).is_ascii_alphanumeric() || byte as u8 == b'_' || byte as u8 == b'$';
        byte += 1;
    }
    table
};

const START: u32 = 0x811c_9dc5;

/// One step of FNV-1a.
fn step(state: u32, byte: u8) -> u32 {
    (state ^ u32::from(byte)).wrapping_mul(0x0100_0193)
}

/// Spreads what FNV leaves in the low bits over all of them (the last steps of MurmurHash 3): sets are searched
/// by value, which needs hashes that are spread evenly.
fn spread(mut state: u32) -> u32 {
    state ^= state >> 16;
    state = state.wrapping_mul(0x85eb_ca6b);
    state ^= state >> 13;
    state = state.wrapping_mul(0xc2b2_ae35);
    state ^ (state >> 16)
}

pub(super) fn hash(word: &str) -> u32 {
    spread(word.bytes().fold(START, step))
}

/// Remembers hashes seen lately, so that the words a file repeats all the time are not all sorted.
#[derive(Debug)]
pub(super) struct Seen {
    slots: Box<[u32; SLOTS]>,
}

const SLOTS: usize = 4096;

impl Seen {
    pub(super) fn new() -> Self {
        Self { slots: Box::new([0; SLOTS]) }
    }
}

/// The sorted hashes of the words of some texts, each once.
#[derive(Debug)]
pub(super) struct Gathered<'s> {
    seen: &'s mut Seen,
    words: Vec<u32>,
}

impl<'s> Gathered<'s> {
    pub(super) fn new(seen: &'s mut Seen) -> Self {
        seen.slots.fill(0);
        Self { seen, words: Vec::new() }
    }

    pub(super) fn finish(mut self) -> Box<[u32]> {
        self.words.sort_unstable();
        self.words.dedup();
        self.words.into_boxed_slice()
    }

    fn add(&mut self, state: u32) {
        let word = spread(state);
        let slot = &mut self.seen.slots[word as usize % SLOTS];
        // An empty slot looks like the hash 0, which is therefore never skipped.
        if *slot != word || word == 0 {
            *slot = word;
            self.words.push(word);
        }
    }

    pub(super) fn scan(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let (start, mut state, mut dollars) = (at, START, false);
            while let Some(length) = word_char_at(text, bytes, at) {
                dollars |= bytes[at] == b'$';
                state = bytes[at..at + length].iter().fold(state, |state, byte| step(state, *byte));
                at += length;
            }
            if at > start {
                self.add(state);
            }
            if dollars {
                for part in text[start..at].split('$').filter(|part| !part.is_empty()) {
                    self.add(part.bytes().fold(START, step));
                }
            }
            // Whatever ended the word; the rest of a longer character is no word either.
            at += 1;
            while at < bytes.len() && !text.is_char_boundary(at) {
                at += 1;
            }
        }
    }
}

/// How many bytes the character at `at` has, if there is one and it is part of words.
#[inline]
fn word_char_at(text: &str, bytes: &[u8], at: usize) -> Option<usize> {
    let byte = *bytes.get(at)?;
    if byte < 0x80 {
        return ASCII[byte as usize].then_some(1);
    }
    let c = text.get(at..)?.chars().next()?;
    is_word_char(c).then_some(c.len_utf8())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words(text: &str) -> Box<[u32]> {
        let mut seen = Seen::new();
        let mut gathered = Gathered::new(&mut seen);
        gathered.scan(text);
        gathered.finish()
    }

    fn has(text: &str, word: &str) -> bool {
        words(text).contains(&hash(word))
    }

    #[test]
    fn words_are_whole() {
        assert!(has("let größe=naïve_x2;", "größe") && has("let größe=naïve_x2;", "naïve_x2"));
        assert!(!has("foobar", "foo") && !has("foobar", "bar"));
        assert!(has("a😀b", "a") && has("a😀b", "b"));
        assert!(has("cafe\u{301}", "cafe\u{301}") && !has("cafe\u{301}", "cafe"));
        assert_eq!(words(" \n+-*/ 😀").len(), 0);
        assert_eq!(words("one two one two").len(), 2);
    }

    #[test]
    fn a_dollar_belongs_to_the_name_and_does_not() {
        for word in ["$element", "element"] {
            assert!(has("($element)", word), "{word}");
        }
        for word in ["a$b$", "a", "b"] {
            assert!(has("a$b$ ", word), "{word}");
        }
        assert!(has("$", "$") && has("$$", "$$"));
    }

    #[test]
    fn occurrences_are_no_parts_of_longer_words() {
        let found = |text, word| occurrences(text, word).map(|range| range.start).collect::<Vec<_>>();
        assert_eq!(found("foo foobar xfoo foo.foo", "foo"), [0, 16, 20]);
        assert_eq!(found("größe 😀größe größer", "größe"), [0, 12]);
        assert_eq!(found("$name name", "name"), [6]);
        assert_eq!(found("aaa aa", "aa"), [4]);
        assert_eq!(found("xa.a.a", "a.a"), [3], "overlaps a place that is none");
        assert_eq!(found("abc", ""), [0; 0]);
    }

    /// Text with everything that ends a word or looks as if it did.
    fn awkward_text() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            Just(" ".to_owned()),
            Just("$".to_owned()),
            Just("_".to_owned()),
            Just("😀".to_owned()),
            Just("\u{301}".to_owned()),
            Just("\u{200d}".to_owned()),
            "[a-zA-Z0-9]{1,6}",
            "[éßж中अ]{1,3}",
            any::<char>().prop_map(String::from),
        ];
        prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn every_word_of_a_naive_split_is_there(text in awkward_text()) {
            let found = words(&text);
            for word in text.split(|c| !is_word_char(c)).filter(|word| !word.is_empty()) {
                prop_assert!(found.contains(&hash(word)), "{word:?}");
                prop_assert!(occurrences(&text, word).next().is_some(), "{word:?}");
                for part in word.split('$').filter(|part| !part.is_empty()) {
                    prop_assert!(found.contains(&hash(part)), "{part:?} of {word:?}");
                }
            }
        }

        #[test]
        fn occurrences_are_the_words_of_a_naive_split(text in awkward_text()) {
            for word in text.split(|c| !is_word_char(c)).filter(|word| !word.is_empty()) {
                let naive = text.split(|c| !is_word_char(c)).filter(|other| *other == word).count();
                prop_assert_eq!(occurrences(&text, word).count(), naive);
            }
        }
    }
}
