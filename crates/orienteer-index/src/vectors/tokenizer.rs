//! Which tokens is a text made of?
//!
//! Reads `tokenizer.json` of the kinds that published static models use: WordPiece as in BERT, and pair merging with
//! single bytes for what is unknown as in Llama 2. The numbers are those that the library which wrote the file gives;
//! a file that asks for anything else is refused by name, because a tokenizer that is almost right is wrong.
//!
//! A text goes through four steps: tokens that stand for themselves are cut out (`added`), the rest is put into one
//! form (`normalise`), cut into words that do not influence each other, and each word into tokens (`bpe`, `wordpiece`).

mod added;
mod bpe;
mod classes;
mod json;
mod normalise;
mod wordpiece;

use std::collections::HashMap;

use added::AddedTokens;
use bpe::Bpe;
use normalise::Normaliser;
use wordpiece::WordPiece;

/// Why a tokenizer cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TokenizerError {
    #[error("not a tokenizer: {0}")]
    Malformed(String),
    #[error("the tokenizer's {part} `{found}` is not supported; {legal} would be")]
    Unsupported { part: &'static str, found: String, legal: &'static str },
}

impl From<serde_json::Error> for TokenizerError {
    fn from(error: serde_json::Error) -> Self {
        Self::Malformed(error.to_string())
    }
}

/// Made once, used by any number of threads, each with its own `Scratch`.
#[derive(Debug)]
pub struct Tokenizer {
    added: AddedTokens,
    normaliser: Normaliser,
    cut: Cut,
    model: Model,
}

#[derive(Debug)]
enum Model {
    Bpe(Bpe),
    WordPiece(WordPiece),
}

/// Where a text may be cut without changing its tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cut {
    Nowhere,
    /// Before each run of this character, which stands for a blank: no token has it after anything else.
    Before(char),
    /// At white space, and around each mark of punctuation.
    Bert,
}

/// What is used again from text to text: buffers, and the tokens of words that were met before.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    text: String,
    spare: String,
    merging: bpe::Merging,
    known: HashMap<Box<str>, (u32, u32)>,
    tokens: Vec<u32>,
}

/// Words of source repeat. Longer ones are mostly met once.
const MOST_KNOWN: usize = 1 << 15;
const LONGEST_KNOWN: usize = 40;

impl Tokenizer {
    /// The content of a `tokenizer.json`.
    pub fn parse(text: &[u8]) -> Result<Self, TokenizerError> {
        json::parse(text)
    }

    /// The token for what has no token.
    pub fn unknown(&self) -> Option<u32> {
        match &self.model {
            Model::Bpe(model) => model.unknown,
            Model::WordPiece(model) => Some(model.unknown),
        }
    }

    /// All tokens of a text.
    pub fn encode(&self, text: &str) -> Vec<u32> {
        let mut tokens = Vec::new();
        self.encode_into(text, usize::MAX, &mut Scratch::default(), &mut tokens);
        tokens
    }

    /// The first `most` tokens of a text.
    pub(super) fn encode_into(&self, text: &str, most: usize, scratch: &mut Scratch, tokens: &mut Vec<u32>) {
        tokens.clear();
        let mut rest = text;
        while tokens.len() < most {
            let Some(found) = self.added.next(rest) else {
                self.encode_section(rest, most, scratch, tokens);
                break;
            };
            self.encode_section(rest.get(..found.start).unwrap_or_default(), most, scratch, tokens);
            tokens.push(found.token);
            rest = rest.get(found.end..).unwrap_or_default();
        }
        tokens.truncate(most);
    }

    fn encode_section(&self, text: &str, most: usize, scratch: &mut Scratch, tokens: &mut Vec<u32>) {
        if text.is_empty() {
            return;
        }
        let mut form = std::mem::take(&mut scratch.text);
        self.normaliser.apply(text, &mut form, &mut scratch.spare);
        self.cut.words(&form, &mut |word| {
            self.encode_word(word, scratch, tokens);
            tokens.len() < most
        });
        scratch.text = form;
    }

    fn encode_word(&self, word: &str, scratch: &mut Scratch, tokens: &mut Vec<u32>) {
        if let Some((start, end)) = scratch.known.get(word) {
            tokens.extend_from_slice(scratch.tokens.get(*start as usize..*end as usize).unwrap_or_default());
            return;
        }
        let before = tokens.len();
        match &self.model {
            Model::Bpe(model) => model.encode(word, &mut scratch.merging, tokens),
            Model::WordPiece(model) => model.encode(word, tokens),
        }
        if word.len() > LONGEST_KNOWN {
            return;
        }
        if scratch.known.len() >= MOST_KNOWN {
            scratch.known.clear();
            scratch.tokens.clear();
        }
        let start = scratch.tokens.len() as u32;
        scratch.tokens.extend_from_slice(tokens.get(before..).unwrap_or_default());
        scratch.known.insert(word.into(), (start, scratch.tokens.len() as u32));
    }
}

impl Cut {
    /// Gives words until `each` has enough.
    fn words(self, text: &str, each: &mut dyn FnMut(&str) -> bool) {
        match self {
            Self::Nowhere => {
                each(text);
            }
            Self::Before(mark) => {
                let mut start = 0;
                let mut before = mark;
                for (at, _) in text.match_indices(mark) {
                    before = text.get(..at).and_then(|text| text.chars().next_back()).unwrap_or(before);
                    if before != mark && at > start {
                        if !each(text.get(start..at).unwrap_or_default()) {
                            return;
                        }
                        start = at;
                    }
                }
                if let Some(last) = text.get(start..).filter(|last| !last.is_empty()) {
                    each(last);
                }
            }
            Self::Bert => {
                for run in text.split(char::is_whitespace) {
                    let mut start = 0;
                    for (at, mark) in run.match_indices(classes::is_punctuation) {
                        for word in [run.get(start..at).unwrap_or_default(), mark] {
                            if !word.is_empty() && !each(word) {
                                return;
                            }
                        }
                        start = at + mark.len();
                    }
                    if let Some(last) = run.get(start..).filter(|last| !last.is_empty())
                        && !each(last)
                    {
                        return;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(cut: Cut, text: &str) -> Vec<String> {
        let mut words = Vec::new();
        cut.words(text, &mut |word| {
            words.push(word.to_owned());
            true
        });
        words
    }

    #[test]
    fn words_are_cut_before_runs_of_blanks_and_nothing_is_lost() {
        assert_eq!(words(Cut::Before('_'), "_a__bc_d_"), ["_a", "__bc", "_d", "_"]);
        assert_eq!(words(Cut::Before('_'), "a"), ["a"]);
        assert_eq!(words(Cut::Before('_'), "___"), ["___"]);
        assert_eq!(words(Cut::Before('_'), "é_é"), ["é", "_é"]);
        assert!(words(Cut::Before('_'), "").is_empty());
        assert_eq!(words(Cut::Nowhere, "_a_b"), ["_a_b"]);
    }

    #[test]
    fn words_are_cut_at_white_space_and_around_punctuation() {
        assert_eq!(
            words(Cut::Bert, " a.b\t(c) «d»\u{a0}e "),
            ["a", ".", "b", "(", "c", ")", "«", "d", "»", "e"]
        );
        assert!(words(Cut::Bert, " \n").is_empty());
    }

    #[test]
    fn cutting_stops_as_soon_as_there_is_enough() {
        for cut in [Cut::Before('_'), Cut::Bert] {
            let mut count = 0;
            cut.words("a. _b. _c. _d.", &mut |_| {
                count += 1;
                count < 2
            });
            assert_eq!(count, 2, "{cut:?}");
        }
    }
}
