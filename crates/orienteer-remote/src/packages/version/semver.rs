//! The order of semantic versions.

use std::cmp::Ordering;

/// A version taken apart. Text that is none has no core and comes first in the order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Semver {
    core: Option<[u64; 3]>,
    /// What follows the hyphen; empty: the version is finished.
    pre: Vec<Part>,
}

/// Numbers come before words.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Number(u64),
    Word(String),
}

impl Semver {
    pub(crate) fn new(text: &str) -> Self {
        parse(text.trim()).unwrap_or(Self { core: None, pre: Vec::new() })
    }

    pub(crate) fn is_finished(&self) -> bool {
        self.core.is_some() && self.pre.is_empty()
    }
}

fn parse(text: &str) -> Option<Semver> {
    let text = text.strip_prefix('v').unwrap_or(text);
    // What stands behind a plus does not count in the order.
    let text = text.split_once('+').map_or(text, |(before, _)| before);
    let (core, pre) = text.split_once('-').map_or((text, None), |(core, pre)| (core, Some(pre)));
    let mut numbers = core.split('.').map(|number| number.parse::<u64>().ok());
    let core = [numbers.next()??, numbers.next()??, numbers.next()??];
    if numbers.next().is_some() {
        return None;
    }
    let pre = pre.map_or_else(Vec::new, |pre| pre.split('.').map(part).collect());
    Some(Semver { core: Some(core), pre })
}

fn part(text: &str) -> Part {
    text.parse().map_or_else(|_| Part::Word(text.to_owned()), Part::Number)
}

impl Ord for Semver {
    fn cmp(&self, other: &Self) -> Ordering {
        self.core.cmp(&other.core).then_with(|| match (self.pre.is_empty(), other.pre.is_empty()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Greater,
            (false, true) => Ordering::Less,
            (false, false) => self.pre.cmp(&other.pre),
        })
    }
}

impl PartialOrd for Semver {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_in_the_order_of_the_specification() {
        let ordered = [
            "not a version",
            "0.9.10",
            "1.0.0-alpha",
            "1.0.0-alpha.1",
            "1.0.0-alpha.beta",
            "1.0.0-beta",
            "1.0.0-beta.2",
            "1.0.0-beta.11",
            "1.0.0-rc.1",
            "1.0.0",
            "1.0.1",
            "1.2.0",
            "1.10.0",
            "2.0.0-0",
            "2.0.0",
        ];
        for pair in ordered.windows(2) {
            assert!(Semver::new(pair[0]) < Semver::new(pair[1]), "{} < {}", pair[0], pair[1]);
        }
    }

    #[test]
    fn what_is_behind_a_plus_does_not_count() {
        assert_eq!(Semver::new("1.0.0+a").cmp(&Semver::new("1.0.0+b")), Ordering::Equal);
        assert_eq!(Semver::new("v1.0.0").cmp(&Semver::new("1.0.0")), Ordering::Equal);
    }

    #[test]
    fn odd_texts_are_no_versions() {
        for text in ["", "1", "1.2", "1.2.3.4", "a.b.c", "1.-2.3", "99999999999999999999.0.0"] {
            assert_eq!(Semver::new(text).core, None, "{text}");
        }
        assert!(!Semver::new("1.0.0-rc.1").is_finished() && Semver::new("1.0.0").is_finished());
    }
}
