//! The order of Python's versions.

use std::cmp::Ordering;

/// A version taken apart, in the order in which its parts count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pep440 {
    /// Without zeros at the end, which do not count; nothing when the text is no version.
    release: Option<(u64, Vec<u64>)>,
    pre: Option<(u8, u64)>,
    post: Option<u64>,
    dev: Option<u64>,
    local: Vec<(u64, String)>,
}

impl Pep440 {
    pub(crate) fn new(text: &str) -> Self {
        parse(&text.trim().to_ascii_lowercase()).unwrap_or(Self {
            release: None,
            pre: None,
            post: None,
            dev: None,
            local: Vec::new(),
        })
    }

    pub(crate) fn is_version(&self) -> bool {
        self.release.is_some()
    }

    pub(crate) fn is_finished(&self) -> bool {
        self.release.is_some() && self.pre.is_none() && self.dev.is_none()
    }

    /// A version under development comes before its first candidate, a finished one after the last.
    fn pre_rank(&self) -> (u8, u8, u64) {
        match self.pre {
            Some((phase, number)) => (1, phase, number),
            None if self.post.is_none() && self.dev.is_some() => (0, 0, 0),
            None => (2, 0, 0),
        }
    }
}

impl Ord for Pep440 {
    fn cmp(&self, other: &Self) -> Ordering {
        let dev = |version: &Self| version.dev.map_or((1, 0), |number| (0, number));
        self.release
            .cmp(&other.release)
            .then_with(|| self.pre_rank().cmp(&other.pre_rank()))
            .then_with(|| self.post.cmp(&other.post))
            .then_with(|| dev(self).cmp(&dev(other)))
            .then_with(|| self.local.cmp(&other.local))
    }
}

impl PartialOrd for Pep440 {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

fn parse(text: &str) -> Option<Pep440> {
    let text = text.strip_prefix('v').unwrap_or(text);
    let (public, local) = text.split_once('+').map_or((text, None), |(public, local)| (public, Some(local)));
    let (epoch, rest) = match public.split_once('!') {
        Some((epoch, rest)) => (epoch.parse().ok()?, rest),
        None => (0, public),
    };
    let mut rest = rest;
    let mut release = vec![number(&mut rest)?];
    while let Some(after) =
        rest.strip_prefix('.').filter(|after| after.starts_with(|c: char| c.is_ascii_digit()))
    {
        rest = after;
        release.push(number(&mut rest)?);
    }
    while release.len() > 1 && release.last() == Some(&0) {
        release.pop();
    }
    let pre = word(
        &mut rest,
        &[("alpha", 0), ("a", 0), ("beta", 1), ("b", 1), ("preview", 2), ("pre", 2), ("rc", 2), ("c", 2)],
    );
    // `1.0-1` is the old spelling of `1.0.post1`.
    let implicit = rest.strip_prefix('-').filter(|after| after.starts_with(|c: char| c.is_ascii_digit()));
    let post = if let Some(after) = implicit {
        rest = after;
        number(&mut rest)
    } else {
        word(&mut rest, &[("post", 0), ("rev", 0), ("r", 0)]).map(|(_, number)| number)
    };
    let dev = word(&mut rest, &[("dev", 0)]).map(|(_, number)| number);
    if !rest.is_empty() {
        return None;
    }
    let local = local.map_or_else(Vec::new, |local| local.split(['.', '-', '_']).map(local_part).collect());
    Some(Pep440 { release: Some((epoch, release)), pre, post, dev, local })
}

/// Takes the digits at the beginning.
fn number(rest: &mut &str) -> Option<u64> {
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (digits, after) = rest.split_at(end);
    let value = digits.parse().ok()?;
    *rest = after;
    Some(value)
}

/// Takes one of these words with its number, with whatever separates them.
fn word(rest: &mut &str, words: &[(&str, u8)]) -> Option<(u8, u64)> {
    let separated = |text: &'_ str| text.strip_prefix(['.', '-', '_']).map_or(text.len(), str::len);
    let start = rest.get(rest.len() - separated(rest)..)?;
    let (word, rank) = words.iter().find(|(word, _)| start.starts_with(word))?;
    let after = start.get(word.len()..)?;
    let mut behind = after.get(after.len() - separated(after)..)?;
    let value = match number(&mut behind) {
        Some(value) => {
            *rest = behind;
            value
        }
        None => {
            *rest = after;
            0
        }
    };
    Some((*rank, value))
}

/// Numbers count more than words.
fn local_part(text: &str) -> (u64, String) {
    text.parse::<u64>()
        .map_or_else(|_| (0, text.to_owned()), |number| (number.saturating_add(1), String::new()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_in_the_order_of_the_specification() {
        let ordered = [
            "no version",
            "0.9",
            "1.0.dev1",
            "1.0a1.dev1",
            "1.0a1",
            "1.0a2",
            "1.0b1",
            "1.0rc1",
            "1.0",
            "1.0+abc",
            "1.0+5",
            "1.0.post1.dev1",
            "1.0.post1",
            "1.0.1",
            "1.2",
            "1.10",
            "2024.1",
            "1!0.1",
        ];
        for pair in ordered.windows(2) {
            assert!(Pep440::new(pair[0]) < Pep440::new(pair[1]), "{} < {}", pair[0], pair[1]);
        }
    }

    #[test]
    fn spellings_of_one_version_are_equal() {
        for (one, other) in [
            ("1.0", "1.0.0"),
            ("1.0a1", "1.0.alpha-1"),
            ("1.0rc1", "v1.0-C1"),
            ("1.0-1", "1.0.post1"),
            ("1.0.rev2", "1.0post2"),
            ("1.0dev", "1.0.dev0"),
        ] {
            assert_eq!(Pep440::new(one).cmp(&Pep440::new(other)), Ordering::Equal, "{one} {other}");
        }
    }

    #[test]
    fn odd_texts_are_no_versions() {
        for text in ["", "latest", "1.x", "1..2", "99999999999999999999", "1.0-", "1.0.foo1", "!"] {
            assert!(!Pep440::new(text).is_version(), "{text}");
        }
        assert!(Pep440::new("1.0.post1").is_finished());
        assert!(!Pep440::new("1.0rc1").is_finished() && !Pep440::new("1.0.dev3").is_finished());
    }
}
