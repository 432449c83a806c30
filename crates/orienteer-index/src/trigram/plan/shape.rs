//! What do the matches of an expression begin with, end with and contain?
//!
//! An expression is taken apart from the inside out. While all its matches can be written down, they are; as soon as
//! they are too many, what is left are the two bytes at either end, which are needed to know what stands across the
//! seam to the next part, and the trigrams that every match contains.

use std::collections::BTreeSet;

use regex_syntax::hir::{Class, Hir, HirKind, Repetition};

use super::Need;
use crate::trigram::gather::{fold, trigram};

/// More matches than this are not written down.
const MOST_MATCHES: usize = 24;
/// Nor are longer ones.
const LONGEST: usize = 64;
/// Characters of a class that are told apart, and how many of it are looked at.
const MOST_OF_CLASS: usize = 16;
const MOST_LOOKED_AT: usize = 64;
/// Beginnings and ends that are told apart.
const MOST_ENDS: usize = 32;
/// An expression is repeated no more often than this; what comes more often begins and ends that way.
const MOST_REPEATS: u32 = 6;

// The ends of matches that are all known are never shortened: `then` builds on them.
const _: () = assert!(MOST_MATCHES <= MOST_ENDS && MOST_OF_CLASS <= MOST_MATCHES);

type Strings = BTreeSet<Vec<u8>>;

/// What is known of the matches of an expression.
#[derive(Debug, Clone)]
pub(super) enum Shape {
    /// All matches there are.
    Exactly(Strings),
    /// Every match begins with one of these strings of at most two bytes, ends with one of those, and satisfies a
    /// need. The empty string says that an end is not known.
    Roughly { begins: Strings, ends: Strings, need: Need },
}

impl Shape {
    pub(super) fn of(expression: &Hir) -> Self {
        match expression.kind() {
            // Where something stands adds nothing to it.
            HirKind::Empty | HirKind::Look(_) => Self::empty(),
            HirKind::Literal(literal) => {
                Self::Exactly([literal.0.iter().map(|byte| fold(*byte)).collect()].into()).bounded()
            }
            HirKind::Class(class) => Self::class(class),
            HirKind::Capture(capture) => Self::of(&capture.sub),
            HirKind::Concat(parts) => {
                parts.iter().fold(Self::empty(), |before, part| before.then(Self::of(part)))
            }
            HirKind::Alternation(parts) => Self::one_of(parts.iter().map(Self::of)),
            HirKind::Repetition(repetition) => Self::repeated(repetition),
        }
    }

    /// What every text with a match satisfies.
    pub(super) fn into_need(self) -> Need {
        match self {
            Self::Exactly(matches) => need_of(&matches),
            Self::Roughly { need, .. } => need,
        }
    }

    fn empty() -> Self {
        Self::Exactly([Vec::new()].into())
    }

    fn unknown() -> Self {
        let end: Strings = [Vec::new()].into();
        Self::Roughly { begins: end.clone(), ends: end, need: Need::everything() }
    }

    fn class(class: &Class) -> Self {
        let mut matches = Strings::new();
        match class {
            Class::Unicode(class) => {
                let size: usize = class.iter().map(|range| range.len()).sum();
                if size > MOST_LOOKED_AT {
                    return Self::unknown();
                }
                for character in class.iter().flat_map(|range| range.start()..=range.end()) {
                    let mut bytes = [0; 4];
                    matches.insert(character.encode_utf8(&mut bytes).bytes().map(fold).collect());
                }
            }
            Class::Bytes(class) => {
                let size: usize = class.iter().map(|range| range.len()).sum();
                if size > MOST_LOOKED_AT {
                    return Self::unknown();
                }
                matches.extend(
                    class.iter().flat_map(|range| range.start()..=range.end()).map(|byte| vec![fold(byte)]),
                );
            }
        }
        if matches.len() > MOST_OF_CLASS { Self::unknown() } else { Self::Exactly(matches) }
    }

    fn repeated(repetition: &Repetition) -> Self {
        let (least, most) = (repetition.min, repetition.max);
        if most == Some(0) {
            return Self::empty();
        }
        let once = Self::of(&repetition.sub);
        if least == 0 {
            return if most == Some(1) { Self::one_of([Self::empty(), once]) } else { Self::unknown() };
        }
        let mut several = once.clone();
        for _ in 1..least.min(MOST_REPEATS) {
            several = several.then(once.clone());
        }
        if most == Some(least) && least <= MOST_REPEATS { several } else { several.roughly() }
    }

    fn one_of(shapes: impl IntoIterator<Item = Self>) -> Self {
        let mut exact = Strings::new();
        let (mut all_begins, mut all_ends) = (Strings::new(), Strings::new());
        let mut needs = Vec::new();
        for shape in shapes {
            match shape {
                Self::Exactly(matches) if exact.len() + matches.len() <= MOST_MATCHES => {
                    exact.extend(matches)
                }
                shape => {
                    if let Self::Roughly { begins, ends, need } = shape.roughly() {
                        all_begins.extend(begins);
                        all_ends.extend(ends);
                        needs.push(need);
                        // Without this a long list of words would be kept in full.
                        shorten(&mut all_begins, first);
                        shorten(&mut all_ends, last);
                    }
                }
            }
        }
        if needs.is_empty() {
            return Self::Exactly(exact);
        }
        if let Self::Roughly { begins, ends, need } = Self::Exactly(exact).roughly() {
            all_begins.extend(begins);
            all_ends.extend(ends);
            needs.push(need);
        }
        shorten(&mut all_begins, first);
        shorten(&mut all_ends, last);
        Self::Roughly { begins: all_begins, ends: all_ends, need: Need::any(needs) }
    }

    /// One behind the other.
    fn then(self, next: Self) -> Self {
        if let (Self::Exactly(these), Self::Exactly(those)) = (&self, &next) {
            let longest = |strings: &Strings| strings.iter().map(Vec::len).max().unwrap_or(0);
            if these.len() * those.len() <= MOST_MATCHES && longest(these) + longest(those) <= LONGEST {
                return Self::Exactly(cross(these, those));
            }
        }
        let (short_before, short_after) = (self.short(), next.short());
        let (
            Self::Roughly { begins, ends, mut need },
            Self::Roughly { begins: next_begins, ends: next_ends, need: next_need },
        ) = (self.roughly(), next.roughly())
        else {
            return Self::unknown();
        };
        need.and(next_need);
        need.and(seam(&ends, &next_begins));
        // A match that is shorter than two bytes begins with what comes after it, and one may end before it began.
        let mut begins = if short_before { cut(&cross(&begins, &next_begins), first) } else { begins };
        let mut ends = if short_after { cut(&cross(&ends, &next_ends), last) } else { next_ends };
        shorten(&mut begins, first);
        shorten(&mut ends, last);
        Self::Roughly { begins, ends, need }
    }

    /// Whether all matches are known and one is shorter than two bytes.
    fn short(&self) -> bool {
        matches!(self, Self::Exactly(matches) if matches.iter().any(|one| one.len() < 2))
    }

    fn bounded(self) -> Self {
        match &self {
            Self::Exactly(matches) if matches.iter().any(|one| one.len() > LONGEST) => self.roughly(),
            _ => self,
        }
    }

    fn roughly(self) -> Self {
        match self {
            Self::Exactly(matches) => {
                let need = need_of(&matches);
                let (mut begins, mut ends) = (cut(&matches, first), cut(&matches, last));
                shorten(&mut begins, first);
                shorten(&mut ends, last);
                Self::Roughly { begins, ends, need }
            }
            rough => rough,
        }
    }
}

/// Every string of one set before every string of another.
fn cross(these: &Strings, those: &Strings) -> Strings {
    these.iter().flat_map(|one| those.iter().map(move |other| [&one[..], &other[..]].concat())).collect()
}

fn first(string: &[u8], length: usize) -> &[u8] {
    &string[..string.len().min(length)]
}

fn last(string: &[u8], length: usize) -> &[u8] {
    &string[string.len().saturating_sub(length)..]
}

type End = fn(&[u8], usize) -> &[u8];

fn cut(strings: &Strings, end: End) -> Strings {
    strings.iter().map(|string| end(string, 2).to_vec()).collect()
}

/// Where there are too many, one byte is told, or nothing.
fn shorten(strings: &mut Strings, end: End) {
    for length in [1, 0] {
        if strings.len() <= MOST_ENDS {
            return;
        }
        *strings = strings.iter().map(|string| end(string, length).to_vec()).collect();
    }
}

/// The trigrams of a string.
fn trigrams(string: &[u8]) -> impl Iterator<Item = Need> {
    string
        .windows(3)
        .filter(|window| !window.contains(&b'\n'))
        .map(|window| Need::Trigram(trigram([window[0], window[1], window[2]])))
}

fn all(trigrams: impl Iterator<Item = Need>) -> Need {
    let mut need = Need::everything();
    trigrams.for_each(|trigram| need.and(trigram));
    need
}

/// A text holds one of these strings.
fn need_of(strings: &Strings) -> Need {
    Need::any(strings.iter().map(|string| all(trigrams(string))))
}

/// A text holds the end of one match right before the beginning of another. At most two bytes are from either side,
/// so each trigram of the four has some of both.
fn seam(ends: &Strings, begins: &Strings) -> Need {
    if ends.len() * begins.len() > 4 * MOST_ENDS {
        return Need::everything();
    }
    need_of(&cross(ends, begins))
}
