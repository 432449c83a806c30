//! How is a text compared that must stand somewhere as it is written?

use regex::{Regex, RegexBuilder};

use super::error::{QueryError, shown};

/// A longer phrase is refused: comparing only its beginning would find, or leave out, something else.
pub(crate) const LONGEST: usize = 2_000;
/// Memory for the longest of them without case.
const COMPILED: usize = 32 << 20;

/// The expression for a text with any white space where it has some, as a pattern and made ready.
pub(crate) fn compile(text: &str, case: bool) -> Result<(String, Regex), QueryError> {
    let refused = || QueryError::LongPhrase { phrase: shown(text), bytes: text.len(), most: LONGEST };
    if text.len() > LONGEST {
        return Err(refused());
    }
    let words: Vec<String> = text.split_whitespace().map(regex::escape).collect();
    let pattern = words.join(r"\s+");
    let built = RegexBuilder::new(&pattern)
        .case_insensitive(!case)
        .multi_line(true)
        .size_limit(COMPILED)
        .dfa_size_limit(COMPILED)
        .build();
    // Only for want of memory.
    built.map(|regex| (pattern, regex)).map_err(|_| refused())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_phrase_is_compared_in_full() {
        for letter in ["x", "é", "ſ", "中"] {
            let text = letter.repeat(LONGEST / letter.len());
            let (_, regex) = compile(&text, false).unwrap();
            assert!(regex.is_match(&text) && !regex.is_match(&text[letter.len()..]), "{letter}");
        }
        let error = compile(&"x".repeat(LONGEST + 1), true).unwrap_err();
        assert!(error.to_string().contains("2001 bytes"), "{error}");
    }
}
