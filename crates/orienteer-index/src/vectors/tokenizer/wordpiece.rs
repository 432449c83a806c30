//! Which tokens does a word have by taking the longest piece, again and again?

use std::collections::HashMap;

/// The longest known beginning is a token, then the longest known beginning of the rest. A word that does not come out
/// is unknown as a whole.
#[derive(Debug)]
pub(super) struct WordPiece {
    pub(super) starts: HashMap<Box<str>, u32>,
    /// Without the mark that they go on inside a word.
    pub(super) continuations: HashMap<Box<str>, u32>,
    /// Bytes of the longest piece.
    pub(super) longest: usize,
    pub(super) unknown: u32,
    /// A word with more characters is unknown.
    pub(super) most_characters: usize,
}

impl WordPiece {
    pub(super) fn encode(&self, word: &str, tokens: &mut Vec<u32>) {
        let before = tokens.len();
        if word.chars().nth(self.most_characters).is_some() {
            tokens.push(self.unknown);
            return;
        }
        let mut pieces = &self.starts;
        let mut rest = word;
        while !rest.is_empty() {
            let Some((length, token)) = self.longest_piece(pieces, rest) else {
                tokens.truncate(before);
                tokens.push(self.unknown);
                return;
            };
            tokens.push(token);
            rest = rest.get(length..).unwrap_or_default();
            pieces = &self.continuations;
        }
    }

    fn longest_piece(&self, pieces: &HashMap<Box<str>, u32>, text: &str) -> Option<(usize, u32)> {
        let ends = (1..=text.len().min(self.longest)).rev();
        ends.filter_map(|end| text.get(..end)).find_map(|piece| Some((piece.len(), *pieces.get(piece)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encode(word: &str) -> Vec<u32> {
        let model = WordPiece {
            starts: [("un".into(), 1), ("u".into(), 2), ("é".into(), 3)].into(),
            continuations: [("do".into(), 4), ("d".into(), 5), ("é".into(), 6)].into(),
            longest: 2,
            unknown: 0,
            most_characters: 6,
        };
        let mut tokens = vec![77];
        model.encode(word, &mut tokens);
        tokens.remove(0);
        tokens
    }

    #[test]
    fn the_longest_piece_is_taken_or_the_whole_word_is_unknown() {
        assert_eq!(encode("undo"), [1, 4]);
        assert_eq!(encode("undd"), [1, 5, 5]);
        assert_eq!(encode("éé"), [3, 6]);
        assert_eq!(encode("undox"), [0]);
        assert_eq!(encode("do"), [0]);
        assert!(encode("").is_empty());
    }

    #[test]
    fn a_word_of_too_many_characters_is_unknown() {
        assert_eq!(encode("uééééé"), [2, 6, 6, 6, 6, 6]);
        assert_eq!(encode("uéééééé"), [0]);
    }
}
