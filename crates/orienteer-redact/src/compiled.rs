//! Expressions compiled one by one, each when its keyword is first seen.

use std::sync::{LazyLock, OnceLock};

use regex::bytes::{Regex, RegexBuilder};

use crate::rules;

/// Lazy automata may grow to this size; the default of two megabytes for each rule would add up.
const AUTOMATON_BYTES: usize = 512 * 1024;

static CELLS: LazyLock<Vec<OnceLock<Option<Regex>>>> =
    LazyLock::new(|| rules::all().map(|_| OnceLock::new()).collect());

/// The expression of rule `index`; `None` where it does not compile, which a test rules out.
pub(crate) fn regex(index: usize, pattern: &str) -> Option<&'static Regex> {
    CELLS.get(index)?.get_or_init(|| build(pattern)).as_ref()
}

/// Bytes and no Unicode tables: every format here is ASCII, and such automata are small and fast.
pub(crate) fn build(pattern: &str) -> Option<Regex> {
    RegexBuilder::new(pattern).unicode(false).dfa_size_limit(AUTOMATON_BYTES).build().ok()
}
