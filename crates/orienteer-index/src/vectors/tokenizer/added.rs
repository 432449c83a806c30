//! Where does a text hold a token that stands for itself, such as `<s>`?

use super::TokenizerError;

/// A handful in every published tokenizer; each is compared at each place where its first byte stands.
const MOST: usize = 1024;

/// Found before anything else is done with a text.
#[derive(Debug)]
pub(super) struct AddedTokens {
    /// The longest first.
    tokens: Vec<(String, u32)>,
    /// Which bytes one of them begins with.
    begins: [bool; 256],
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) token: u32,
}

impl AddedTokens {
    pub(super) fn new(mut tokens: Vec<(String, u32)>) -> Result<Self, TokenizerError> {
        tokens.retain(|(text, _)| !text.is_empty());
        if tokens.len() > MOST {
            return Err(TokenizerError::Malformed(format!("{} added tokens", tokens.len())));
        }
        tokens.sort_by(|(one, _), (other, _)| other.len().cmp(&one.len()).then(one.cmp(other)));
        let mut begins = [false; 256];
        for byte in tokens.iter().filter_map(|(text, _)| text.bytes().next()) {
            begins[usize::from(byte)] = true;
        }
        Ok(Self { tokens, begins })
    }

    /// The first; of several at one place the longest.
    pub(super) fn next(&self, text: &str) -> Option<Found> {
        let candidates = text.bytes().enumerate().filter(|(_, byte)| self.begins[usize::from(*byte)]);
        for (start, _) in candidates {
            let rest = text.get(start..).unwrap_or_default();
            if let Some((found, token)) =
                self.tokens.iter().find(|(token, _)| rest.starts_with(token.as_str()))
            {
                return Some(Found { start, end: start + found.len(), token: *token });
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_and_longest_is_found() {
        let tokens = [("<s>", 1), ("</s>", 2), ("<s>>", 3), ("é", 4), ("", 5)];
        let added = AddedTokens::new(tokens.map(|(text, token)| (text.to_owned(), token)).to_vec()).unwrap();
        assert_eq!(added.next("a < s></s><s>"), Some(Found { start: 6, end: 10, token: 2 }));
        assert_eq!(added.next("x<s>>"), Some(Found { start: 1, end: 5, token: 3 }));
        assert_eq!(added.next("ñé"), Some(Found { start: 2, end: 4, token: 4 }));
        assert_eq!(added.next("<s"), None);
        assert_eq!(added.next(""), None);
    }

    #[test]
    fn there_are_not_too_many() {
        let tokens = (0..2000).map(|number| (format!("<{number}>"), number)).collect();
        assert!(AddedTokens::new(tokens).is_err());
    }
}
