//! The table of rules: one row for each format of secret.

mod assignments;
mod cloud;
mod forges;
mod services;
mod tooling;
mod transport;

use crate::judge::{self, Candidate};

/// One format of secret.
#[derive(Debug)]
pub(crate) struct Rule {
    /// The name that stands in the marker.
    pub(crate) kind: &'static str,
    /// What it is, for people.
    pub(crate) about: &'static str,
    /// Lower-case texts, one of which is in every line that can match.
    pub(crate) keywords: &'static [&'static str],
    /// A byte that is in every line that can match, as a second cheap test for common keywords.
    pub(crate) needs: Option<u8>,
    /// The expression, over bytes and without Unicode classes.
    pub(crate) pattern: &'static str,
    /// The group that is the value.
    pub(crate) group: usize,
    /// Bits for each byte below which a value is too regular to be a secret.
    pub(crate) min_entropy: f32,
    /// What else must hold.
    pub(crate) check: fn(&Candidate<'_>) -> bool,
}

impl Rule {
    /// A token with a form of its own; the first group is the value.
    const fn token(
        kind: &'static str,
        about: &'static str,
        keywords: &'static [&'static str],
        pattern: &'static str,
    ) -> Self {
        Self { kind, about, keywords, needs: None, pattern, group: 1, min_entropy: 2.8, check: judge::token }
    }

    const fn needs(mut self, byte: u8) -> Self {
        self.needs = Some(byte);
        self
    }

    const fn entropy(mut self, least: f32) -> Self {
        self.min_entropy = least;
        self
    }

    const fn check(mut self, check: fn(&Candidate<'_>) -> bool) -> Self {
        self.check = check;
        self
    }
}

/// Vendors' formats first: where values overlap the earlier rule names the result.
const TABLES: [&[Rule]; 6] =
    [cloud::RULES, forges::RULES, services::RULES, tooling::RULES, transport::RULES, assignments::RULES];

/// All rules in order of precedence.
pub(crate) fn all() -> impl Iterator<Item = &'static Rule> {
    TABLES.iter().flat_map(|table| table.iter())
}

pub(crate) fn count() -> usize {
    TABLES.iter().map(|table| table.len()).sum()
}

pub(crate) fn get(mut index: usize) -> Option<&'static Rule> {
    for table in TABLES {
        match table.get(index) {
            Some(rule) => return Some(rule),
            None => index -= table.len(),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::compiled;

    #[test]
    fn every_rule_compiles_and_has_its_group() {
        for rule in all() {
            let regex = compiled::build(rule.pattern);
            assert!(
                regex.is_some(),
                "{} does not compile: {:?}",
                rule.kind,
                regex::bytes::Regex::new(rule.pattern)
            );
            assert!(regex.unwrap().captures_len() > rule.group, "{} has no group {}", rule.kind, rule.group);
        }
    }

    #[test]
    fn rows_are_well_formed() {
        for (index, rule) in all().enumerate() {
            assert!(!rule.keywords.is_empty() && !rule.about.is_empty());
            let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
            assert!(rule.kind.bytes().all(plain), "{} cannot stand in a marker", rule.kind);
            for word in rule.keywords {
                assert_eq!(*word, word.to_ascii_lowercase(), "{}", rule.kind);
            }
            assert_eq!(get(index).unwrap().pattern, rule.pattern);
        }
        assert!(get(count()).is_none());
    }
}
