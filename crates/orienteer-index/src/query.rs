//! What is asked for?
//!
//! One query box for people and agents, and the same filters as structured values. Plain words are soft: a hit with
//! more of them is better, and none is needed. Only what is marked narrows:
//!
//! | written | means |
//! | --- | --- |
//! | `+word` | must be there |
//! | `-word` | must not be there |
//! | `"some words"` | must stand there like this; `-"…"` must not |
//! | `/regex/i` | must match; `-/…/` must not. Flags: `i`, `m`, `s`, `x` |
//! | `name:value` | the filter must hold; `-name:value` must not. Values with blanks stand in double quotes |
//! | `+name:value` | must hold whatever else the same filter says; without `+`, one of its values is enough |
//!
//! In a sentence quotes are no marks: `Unknown option "x" in file` is a message that somebody has pasted. One name or value
//! in quotes among three and more plain words counts like them, unless words are marked; `+"x"` must be there. Several words
//! in quotes must stand there, and count like the others only where nothing has them.
//!
//! A mark counts only at the beginning of a word and before a letter, a quote or a slash: `read-only`, `--flag`, `-x`,
//! `-1`, `a - b` and `->` are plain text. So is `name:` where it looks like code: `std::fs`, `http://x`, `TODO: fix`.
//!
//! | module | question it answers |
//! | --- | --- |
//! | `query/scan` | Which marks are in the box? |
//! | [`table`] | Which filters are there? |
//! | `query/value` | What does a value of a filter mean? |
//! | `query/json` | How are structured filters read? |
//! | `query/filters` | What must hold of a piece? |
//! | `query/pattern` | Does a name match what a filter says? |
//! | `query/names` | What are the parts of a name? |
//! | `query/expression` | What is written between slashes? |
//! | `query/phrase` | How is a text compared that must stand as it is written? |
//! | `query/error` | What can be wrong? |

mod error;
mod expression;
mod filters;
mod json;
mod kind;
pub(crate) mod names;
mod pattern;
pub(crate) mod phrase;
mod scan;
pub mod table;
mod value;

pub use error::QueryError;
pub use expression::Expression;
pub use filters::{Filters, Meta, Presence, Risk, Span, Wanted};
pub use kind::Kind;
pub use pattern::{Manner, Pattern};
pub use table::{Name, Row};
pub use value::Vocabulary;

use scan::Scanned;

/// The most bytes of a query.
pub const MOST_BYTES: usize = 256 << 10;
/// The most different words of each need. Of plain words only the first count; more that must be there, or must not, are
/// an error.
pub const MOST_WORDS: usize = 64;

/// What somebody looks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// As it was written.
    pub text: String,
    pub terms: Vec<Term>,
    pub phrases: Vec<Phrase>,
    pub expressions: Vec<Expression>,
    pub filters: Filters,
    /// What was understood in a way that may surprise.
    pub warnings: Vec<String>,
    /// The words in their order, without marks and filters.
    pub(crate) spoken: String,
    /// A sentence that quotes several words, without its quotes.
    plain: Option<Box<Self>>,
}

/// How much a part of a query matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Need {
    /// The more of these the better.
    Should,
    Must,
    Not,
}

/// One word between blanks, and what the analyser makes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// As it was written, without its mark.
    pub text: String,
    pub need: Need,
    /// The names in it: `Foo.barBaz` has `foo` and `barbaz`. Never empty.
    pub wholes: Vec<String>,
    /// The parts of those: `bar`, `baz`.
    pub parts: Vec<String>,
    /// Words such as `the` and `how`, which say little where others stand beside them.
    pub common: bool,
}

impl Term {
    /// The letters, where this may be the initials of a name, as `gubi` is of `get_user_by_id`.
    pub fn as_acronym(&self) -> Option<&str> {
        let letters =
            (2..=8).contains(&self.text.len()) && self.text.bytes().all(|byte| byte.is_ascii_alphabetic());
        if !letters || self.common { None } else { self.wholes.first().map(String::as_str) }
    }
}

/// Text that stands together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phrase {
    pub text: String,
    pub need: Need,
    /// The names in it, each once; empty where it is only punctuation.
    pub words: Vec<String>,
}

impl Query {
    /// Reads the query box, with the rules and the time of now.
    pub fn parse(text: &str) -> Result<Self, QueryError> {
        Self::new(text, Filters::default(), &Vocabulary::default())
    }

    /// Reads the query box and lays structured filters beside it. With filters, the box may be empty.
    pub fn new(text: &str, filters: Filters, vocabulary: &Vocabulary) -> Result<Self, QueryError> {
        if text.len() > MOST_BYTES {
            return Err(QueryError::TooLong { bytes: text.len(), most: MOST_BYTES });
        }
        let Scanned { terms, phrases, expressions, filters: boxed, warnings, spoken, plain } =
            scan::scan(text, vocabulary)?;
        let filters = boxed.merged(filters)?.settled()?;
        let mut query = Self {
            text: text.to_owned(),
            terms,
            phrases,
            expressions,
            filters,
            warnings,
            spoken,
            plain: None,
        };
        query.plain = plain.map(|plain| {
            let Scanned { terms, phrases, warnings, spoken, .. } = *plain;
            Box::new(Self { terms, phrases, warnings, spoken, ..query.clone() })
        });
        for text in query.texts() {
            phrase::compile(text, query.filters.case)?;
        }
        let needs = || {
            let terms = query.terms.iter().map(|term| term.need);
            let phrases = query.phrases.iter().map(|phrase| phrase.need);
            terms.chain(phrases).chain(query.expressions.iter().map(|expression| expression.need))
        };
        if query.filters.is_empty() && needs().all(|need| need == Need::Not) {
            return Err(match needs().next() {
                None => QueryError::Empty,
                Some(_) => QueryError::OnlyExclusions { excluded: error::shown(text.trim()) },
            });
        }
        Ok(query)
    }

    /// The same without its quotes, for when nothing has what a sentence quotes; `None` for what is no sentence.
    pub(crate) fn by_words(&self) -> Option<&Self> {
        self.plain.as_deref()
    }

    /// What is compared as it is written: phrases, and names of several parts that must not be there.
    fn texts(&self) -> impl Iterator<Item = &str> {
        let several = |term: &&Term| term.need == Need::Not && term.wholes.len() > 1;
        let terms = self.terms.iter().filter(several).map(|term| term.text.as_str());
        self.phrases.iter().map(|phrase| phrase.text.as_str()).chain(terms)
    }

    /// Whether there is anything to rank by; a query of filters alone is a list.
    pub fn has_words(&self) -> bool {
        self.terms.iter().any(|term| term.need != Need::Not)
            || self.phrases.iter().any(|phrase| phrase.need != Need::Not)
    }

    /// Everything that decides the answer, in a fixed spelling, for caches.
    pub fn key(&self) -> String {
        let mut key = String::new();
        let mut push = |mark: &str, need: Need, text: &str| {
            key.push_str(&format!("{mark}{need:?} {text:?}\n"));
        };
        for term in &self.terms {
            push("word ", term.need, &term.text);
        }
        for phrase in &self.phrases {
            push("phrase ", phrase.need, &phrase.text);
        }
        for expression in &self.expressions {
            push("regex ", expression.need, &expression.pattern);
        }
        for filter in self.filters.spelled() {
            push("filter ", Need::Must, &filter);
        }
        if let Some(plain) = &self.plain {
            push("or ", Need::Should, &plain.key());
        }
        key
    }
}

#[cfg(test)]
mod tests;
