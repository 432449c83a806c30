//! Where does a name fall apart?

use std::ops::Range;

/// Bits, so that all that a word holds fits one number.
pub(super) type Class = u8;
pub(super) const OTHER: Class = 0;
/// Letters without case count as small ones.
pub(super) const LOWER: Class = 1;
pub(super) const UPPER: Class = 2;
pub(super) const DIGIT: Class = 4;
pub(super) const UNDERSCORE: Class = 8;

/// More parts than this are not a name.
const MOST: usize = 64;
/// From this length on, a word is asked whether it looks like chance.
const DOUBTFUL: usize = 24;

/// The parts of one name, without allocation.
#[derive(Debug)]
pub(super) struct Parts {
    ranges: [(u16, u16); MOST],
    count: usize,
    overflow: bool,
}

impl Parts {
    pub(super) fn new() -> Self {
        Self { ranges: [(0, 0); MOST], count: 0, overflow: false }
    }

    pub(super) fn clear(&mut self) {
        self.count = 0;
        self.overflow = false;
    }

    fn push(&mut self, start: usize, end: usize) {
        if start >= end {
            return;
        }
        match (self.ranges.get_mut(self.count), u16::try_from(start), u16::try_from(end)) {
            (Some(slot), Ok(start), Ok(end)) => {
                *slot = (start, end);
                self.count += 1;
            }
            _ => self.overflow = true,
        }
    }

    pub(super) fn all(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.ranges.iter().take(self.count).map(|&(start, end)| usize::from(start)..usize::from(end))
    }

    /// The parts worth giving beside a whole of this length: none where the whole is its only part, or where the
    /// parts are so short that chance must have made them.
    pub(super) fn wanted(&self, length: usize) -> impl Iterator<Item = Range<usize>> + '_ {
        let only = self.count == 1 && usize::from(self.ranges[0].1 - self.ranges[0].0) == length;
        let chance = self.overflow || (length > DOUBTFUL && 3 * self.count > length);
        let taken = if only || chance { 0 } else { self.count };
        self.all().take(taken)
    }
}

/// Finds the parts of a name of `length` characters. `plural` says whether a character is a small `s`.
pub(super) fn split(
    length: usize,
    class: impl Fn(usize) -> Class,
    plural: impl Fn(usize) -> bool,
    found: &mut Parts,
) {
    if length == 0 || class(0) == DIGIT {
        found.push(0, length);
        return;
    }
    let mut start = 0;
    let mut before_previous = OTHER;
    let mut previous = OTHER;
    for at in 0..length {
        let current = class(at);
        match (previous, current) {
            (_, UNDERSCORE) => {
                found.push(start, at);
                start = at + 1;
            }
            (LOWER | DIGIT, UPPER) => {
                found.push(start, at);
                start = at;
            }
            // `HTTPServer`: the last capital belongs to what follows, but not in `URLs`.
            (UPPER, LOWER) if before_previous == UPPER && at - 1 > start => {
                let ends = at + 1 == length || class(at + 1) != LOWER;
                if !(plural(at) && ends) {
                    found.push(start, at - 1);
                    start = at - 1;
                }
            }
            _ => {}
        }
        before_previous = previous;
        previous = current;
    }
    found.push(start, length);
}

/// The parts of a name in lower case, single letters included. Several names are taken one after the other.
///
/// `get_user_by_id` gives `get`, `user`, `by`, `id`; `HTTPServer` gives `http`, `server`.
pub fn parts(identifier: &str) -> Vec<String> {
    let mut all = Vec::new();
    each_part(identifier, |part| all.push(part.iter().flat_map(|c| c.to_lowercase()).collect()));
    all
}

/// The first letters of a name's parts, for those who type `gubi` and mean `get_user_by_id`; `HTTPServer` gives `hs`.
/// `None` for a name of one part: its first letter is no acronym.
pub fn initials(identifier: &str) -> Option<String> {
    let (mut letters, mut count) = (String::new(), 0);
    each_part(identifier, |part| {
        letters.extend(part.first().and_then(|first| first.to_lowercase().next()));
        count += 1;
    });
    (count > 1).then_some(letters)
}

fn each_part(identifier: &str, mut each: impl FnMut(&[char])) {
    let mut found = Parts::new();
    let mut letters: Vec<char> = Vec::new();
    for name in identifier.split(|c: char| !(c.is_alphanumeric() || c == '_')) {
        letters.clear();
        letters.extend(name.chars().take(4 * super::LONGEST));
        found.clear();
        split(letters.len(), |at| class_of(letters[at]), |at| letters[at] == 's', &mut found);
        found.all().for_each(|part| each(&letters[part]));
    }
}

pub(super) fn class_of(c: char) -> Class {
    if c == '_' {
        UNDERSCORE
    } else if c.is_uppercase() {
        UPPER
    } else if c.is_numeric() {
        DIGIT
    } else {
        LOWER
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_keep_single_letters() {
        assert_eq!(parts("get_user_by_id"), ["get", "user", "by", "id"]);
        assert_eq!(parts("aFooX"), ["a", "foo", "x"]);
        assert_eq!(parts("Foo::barBaz"), ["foo", "bar", "baz"]);
        assert_eq!(parts("__"), [""; 0]);
        assert_eq!(parts(""), [""; 0]);
    }

    #[test]
    fn initials_are_those_of_the_parts() {
        assert_eq!(initials("HTTPServer").as_deref(), Some("hs"));
        assert_eq!(initials("get_user_by_id").as_deref(), Some("gubi"));
        assert_eq!(initials("NullPointerException").as_deref(), Some("npe"));
        assert_eq!(initials("größeÄndern").as_deref(), Some("gä"));
        assert_eq!(initials("server"), None);
        assert_eq!(initials(""), None);
    }

    #[test]
    fn a_hostile_name_is_bounded() {
        assert!(parts(&"aB".repeat(100_000)).len() <= MOST);
    }
}
