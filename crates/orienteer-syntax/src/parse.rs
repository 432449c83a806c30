//! Parsing that ends: within a size, within a time, and as soon as it is cancelled.

mod watch;

use std::time::Duration;

use orienteer_base::{Cancel, Language, Stopped};
use tree_sitter::Tree;

use crate::arena::Arena;
use crate::quick::{Quick, Words};
use crate::shown::{self, Show};

pub(crate) use watch::Watch;

/// How much work one text may cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// A longer text is not parsed.
    pub max_bytes: usize,
    /// For the whole call: parsing and everything done with the tree.
    pub max_time: Duration,
    /// An outline stops growing here and says so.
    pub max_symbols: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_bytes: 8 << 20, max_time: Duration::from_secs(5), max_symbols: 50_000 }
    }
}

/// Why there is no tree.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    #[error("no grammar for {language}")]
    NoGrammar { language: &'static str },
    #[error("{bytes} bytes of text, and no more than {limit} are parsed")]
    TooLarge { bytes: usize, limit: usize },
    #[error("not finished within {limit:?}")]
    TimedOut { limit: Duration },
    #[error(transparent)]
    Stopped(#[from] Stopped),
    #[error("the parser gave no tree for {language}")]
    NoTree { language: &'static str },
}

/// A text with its tree.
#[derive(Debug, Clone)]
pub struct Parsed<'t> {
    pub text: &'t str,
    pub tree: Tree,
    /// Some of the text did not fit the grammar; the tree covers the rest.
    pub has_errors: bool,
}

/// The tree of a text. Broken syntax still gives one.
pub fn parse<'t>(
    text: &'t str,
    language: &'static Language,
    limits: &Limits,
    cancel: &Cancel,
) -> Result<Parsed<'t>, ParseError> {
    let grammar = crate::grammar::grammar(language).ok_or(ParseError::NoGrammar { language: language.id })?;
    parse_with(text, shown::written, language, &grammar, None, &Watch::start(limits, cancel))
}

/// Parses one of many texts as it is parsed for the index, and keeps nothing of it but whether all of it fits the grammar.
pub fn parse_in(
    arena: &mut Arena,
    text: &str,
    language: &'static Language,
    limits: &Limits,
    cancel: &Cancel,
) -> Result<bool, ParseError> {
    let grammar = crate::grammar::grammar(language).ok_or(ParseError::NoGrammar { language: language.id })?;
    let (grammar, words) = arena.wides.grammar(language.id, &grammar, text.len());
    let _entered = arena.enter();
    let watch = Watch::start(limits, cancel);
    let parsed = parse_with(text, shown::readable, language, &grammar, words.as_deref(), &watch)?;
    let fits = !parsed.has_errors;
    std::mem::forget(parsed.tree);
    Ok(fits)
}

/// With a grammar chosen by the caller and the clock already running. `show` says what the grammar sees; `words` are of the
/// same grammar.
pub(crate) fn parse_with<'t>(
    text: &'t str,
    show: Show,
    language: &'static Language,
    grammar: &tree_sitter::Language,
    words: Option<&Words>,
    watch: &Watch,
) -> Result<Parsed<'t>, ParseError> {
    watch.admit(text.len())?;
    let shown = show(language, text);
    watch.check()?;
    let mut parser = Quick::new(grammar).ok_or(ParseError::NoGrammar { language: language.id })?;
    match parser.parse(shown.as_bytes(), words, &mut || watch.check().is_err()) {
        Some(tree) => {
            let has_errors = tree.root_node().has_error();
            Ok(Parsed { text, tree, has_errors })
        }
        None => Err(watch.check().err().unwrap_or(ParseError::NoTree { language: language.id })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rust() -> &'static Language {
        Language::by_word("rust").unwrap()
    }

    #[test]
    fn broken_syntax_gives_a_tree_and_says_so() {
        let parsed = parse("fn a( {", rust(), &Limits::default(), &Cancel::new()).unwrap();
        assert!(parsed.has_errors);
        let parsed = parse("fn a() {}", rust(), &Limits::default(), &Cancel::new()).unwrap();
        assert!(!parsed.has_errors);
        assert!(!parse("", rust(), &Limits::default(), &Cancel::new()).unwrap().has_errors);
    }

    #[test]
    fn large_texts_are_refused() {
        let limits = Limits { max_bytes: 4, ..Limits::default() };
        let error = parse("fn a() {}", rust(), &limits, &Cancel::new()).unwrap_err();
        assert_eq!(error, ParseError::TooLarge { bytes: 9, limit: 4 });
    }

    #[test]
    fn a_cancelled_parse_stops() {
        let cancel = Cancel::new();
        cancel.cancel();
        let error = parse("fn a() {}", rust(), &Limits::default(), &cancel).unwrap_err();
        assert_eq!(error, ParseError::Stopped(Stopped));
    }

    #[test]
    fn a_slow_parse_times_out() {
        let limits = Limits { max_time: Duration::from_millis(2), ..Limits::default() };
        let text = "fn a() { b(c, [1, 2, 3]); }\n".repeat(100_000);
        let error = parse(&text, rust(), &limits, &Cancel::new()).unwrap_err();
        assert_eq!(error, ParseError::TimedOut { limit: limits.max_time });
    }

    #[test]
    fn an_unknown_grammar_is_named() {
        let plain = Language::by_word("plaintext").unwrap();
        let error = parse("x", plain, &Limits::default(), &Cancel::new()).unwrap_err();
        assert_eq!(error, ParseError::NoGrammar { language: "plaintext" });
    }
}
