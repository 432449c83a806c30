//! Deciding whether a piece of text that has the form of a secret is one.

mod assigned;
mod dummy;
mod encoded;
mod measure;
mod reference;

use std::ops::Range;

pub(crate) use assigned::{flag, named, netrc, option, quoted, unquoted};
pub(crate) use encoded::{basic_auth, docker_auth};
pub(crate) use measure::entropy;

/// A value that a rule's expression matched, with the line around it.
#[derive(Debug)]
pub(crate) struct Candidate<'a> {
    pub(crate) line: &'a str,
    pub(crate) value: Range<usize>,
    /// From the beginning of the match to the value: the name and what joins it to the value.
    pub(crate) key: Range<usize>,
}

impl<'a> Candidate<'a> {
    pub(crate) fn value(&self) -> &'a str {
        self.line.get(self.value.clone()).unwrap_or_default()
    }

    pub(crate) fn key(&self) -> &'a str {
        self.line.get(self.key.clone()).unwrap_or_default()
    }

    pub(crate) fn before(&self) -> &'a str {
        self.line.get(..self.key.start).unwrap_or_default()
    }

    pub(crate) fn after(&self) -> &'a str {
        self.line.get(self.value.end..).unwrap_or_default()
    }

    pub(crate) fn entropy(&self) -> f32 {
        entropy(self.value())
    }
}

/// A vendor's token: the form is proof enough, unless it is a documentation stand-in.
pub(crate) fn token(candidate: &Candidate<'_>) -> bool {
    let value = candidate.value();
    !dummy::stand_in(value) && !measure::word_like(value, 16, 62)
}

/// A vendor's token whose prefix is short: the body has to mix letters and digits as well.
pub(crate) fn mixed_token(candidate: &Candidate<'_>) -> bool {
    let value = candidate.value();
    token(candidate) && measure::digits(value) >= 2 && measure::letters(value) >= 2
}

/// The AWS secret key, which has both cases, unlike a commit id of the same length.
pub(crate) fn both_cases(candidate: &Candidate<'_>) -> bool {
    let value = candidate.value();
    token(candidate)
        && value.bytes().any(|byte| byte.is_ascii_uppercase())
        && value.bytes().any(|byte| byte.is_ascii_lowercase())
}

/// A password inside a URL or a connection string.  The place says that it is one, so even a weak
/// value counts; references, masks and the usual example values do not.
pub(crate) fn in_place(candidate: &Candidate<'_>) -> bool {
    let value = candidate.value();
    let user = candidate.key().rsplit('/').next().unwrap_or_default().trim_end_matches(':');
    !reference::is_reference(value)
        && !dummy::stand_in(value)
        && !dummy::only_example_word(value)
        && !user.eq_ignore_ascii_case(value)
        && (value.len() >= 6 || measure::classes(value) > 1)
        && !(measure::mostly_words(value, 5) && measure::classes(value) == 1)
        && !value.bytes().all(|byte| byte.is_ascii_punctuation())
}
