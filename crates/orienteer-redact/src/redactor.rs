//! The public face: options, the redactor, and what it gives back.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::{scan, span};

/// A replaced value can make room for another rule to match.  Passes are repeated until nothing
/// changes, but no more often than this, so that crafted text cannot make the work grow.
const MAX_PASSES: usize = 8;

/// What to leave alone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// Kinds that are not looked for, by the name that stands in the marker.
    pub disabled_kinds: Vec<String>,
    /// Exact values that are known to be harmless.
    pub allowed_values: Vec<String>,
}

/// One or more secrets of one kind on one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Finding {
    pub kind: &'static str,
    /// Counted from one, or from the line given to [`Redactor::redact_from`].
    pub line: u32,
    /// How many values of this kind the line held; a private key counts once, on its first line.
    pub count: u32,
}

/// Text that is fit to be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redacted<'a> {
    pub text: Cow<'a, str>,
    /// Sorted by line.
    pub findings: Vec<Finding>,
}

impl Redacted<'_> {
    /// How many values were hidden.
    #[must_use]
    pub fn total(&self) -> usize {
        self.findings.iter().map(|found| found.count as usize).sum()
    }

    /// How many values of each kind were hidden.
    #[must_use]
    pub fn counts(&self) -> BTreeMap<&'static str, usize> {
        let mut counts = BTreeMap::new();
        for found in &self.findings {
            *counts.entry(found.kind).or_insert(0) += found.count as usize;
        }
        counts
    }
}

/// Hides secrets.  Making one costs nothing; tables are built when the first text arrives and are
/// shared by all redactors of the process.
#[derive(Debug, Clone, Default)]
pub struct Redactor {
    options: Options,
}

impl Redactor {
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self { options }
    }

    /// Hides the secrets in a whole text.
    #[must_use]
    pub fn redact<'a>(&self, text: &'a str) -> Redacted<'a> {
        self.redact_from(text, 1)
    }

    /// Hides the secrets in a piece of a file that begins at `first_line`; a single line will do.
    ///
    /// A line from the middle of a private key shows nothing of what it is, so a caller that has the
    /// whole file should redact it first and cut the lines out of the result: lines keep their places.
    #[must_use]
    pub fn redact_from<'a>(&self, text: &'a str, first_line: u32) -> Redacted<'a> {
        let mut findings = Vec::new();
        let mut current = Cow::Borrowed(text);
        for _ in 0..MAX_PASSES {
            let spans = scan::scan(&current, &|kind| self.enabled(kind), &|value| self.allowed(value));
            if spans.is_empty() {
                break;
            }
            current = Cow::Owned(span::apply(&current, &spans, first_line, &mut findings));
        }
        findings.sort_by_key(|found| found.line);
        Redacted { text: current, findings }
    }

    /// The bodies of the private keys in a whole text, piece by piece. Whoever shows parts of that text in another form,
    /// folded, joined or cut, can look for them there.
    #[must_use]
    pub fn private_keys<'t>(&self, text: &'t str) -> Vec<&'t str> {
        let spans = scan::private_keys(text).into_iter().filter(|span| self.enabled(span.kind));
        spans.filter_map(|span| text.get(span.range)).collect()
    }

    fn enabled(&self, kind: &str) -> bool {
        !self.options.disabled_kinds.iter().any(|disabled| disabled == kind)
    }

    fn allowed(&self, value: &str) -> bool {
        self.options.allowed_values.iter().any(|allowed| allowed == value)
    }
}
