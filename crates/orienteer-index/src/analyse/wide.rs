//! What are the words of a text that is not ASCII?
//!
//! Such text is rare in code. Looking a character up in the tables of Unicode several times is what costs here, so the
//! answers for the alphabets of Europe and the Near East are kept.

use std::sync::OnceLock;

use super::parts::{Class, OTHER, Parts, UNDERSCORE, UPPER, class_of, split};
use super::{LONGEST, LONGEST_OF_PARTS, Word};

/// What is kept between two words.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    pub(super) lower: String,
    /// Of each character of the word: where it stands in the run, where in `lower`, and what it is.
    letters: Vec<Letter>,
}

#[derive(Debug, Clone, Copy)]
struct Letter {
    at: usize,
    lower: usize,
    class: Class,
    plural: bool,
}

/// What is known of a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Known {
    /// `OTHER` for what is no part of a word.
    class: Class,
    /// Whether a word can begin with it.
    begins: bool,
    /// Of a script without blanks.
    dense: bool,
    /// In lower case, where that is one character; `None` where it is several.
    lower: Option<char>,
}

impl Known {
    fn look_up(c: char) -> Self {
        let dense = is_dense(c);
        let begins = dense || c == '_' || c.is_alphanumeric();
        let class = if begins || continues(c) { class_of(c) } else { OTHER };
        let mut lower = c.to_lowercase();
        let first = lower.next();
        Self { class, begins, dense, lower: first.filter(|_| lower.next().is_none()) }
    }

    fn of(c: char) -> Self {
        static TABLE: OnceLock<Vec<Known>> = OnceLock::new();
        /// What two bytes of UTF-8 can hold.
        const END: u32 = 0x800;
        let number = u32::from(c);
        if number >= END {
            // Most of these have no case.
            return match is_dense(c) {
                true => Self { class: class_of('a'), begins: true, dense: true, lower: Some(c) },
                false => Self::look_up(c),
            };
        }
        let table = TABLE.get_or_init(|| (0..END).filter_map(char::from_u32).map(Self::look_up).collect());
        table.get(number as usize).copied().unwrap_or_else(|| Self::look_up(c))
    }
}

/// The words of a run that holds no ASCII besides letters, digits and underscores. `base` is where it begins.
pub(super) fn run(run: &str, base: usize, scratch: &mut Scratch, each: &mut impl FnMut(Word<'_>)) {
    let mut rest = run.char_indices().map(|(at, c)| (at, c, Known::of(c))).peekable();
    while let Some(&(start, _, first)) = rest.peek() {
        if !first.begins {
            rest.next();
            continue;
        }
        let dense = first.dense;
        scratch.lower.clear();
        scratch.letters.clear();
        let mut end = start;
        let mut length = 0;
        let mut seen = OTHER;
        while let Some((at, letter, known)) =
            rest.next_if(|(_, _, known)| known.class != OTHER && known.dense == dense)
        {
            end = at + letter.len_utf8();
            length += 1;
            seen |= known.class;
            // Characters beyond the longest name are only counted.
            if dense || length <= LONGEST_OF_PARTS {
                let lower = scratch.lower.len();
                match known.lower {
                    Some(lower) => scratch.lower.push(lower),
                    None => scratch.lower.extend(letter.to_lowercase()),
                }
                scratch.letters.push(Letter { at, lower, class: known.class, plural: letter == 's' });
            }
            // Pairs need only the last two, so a book without blanks needs no more memory.
            if dense && length > 1 {
                pair(run, base, end, scratch, each);
            }
        }
        match (dense, length) {
            (true, 1) => each(Word { text: &scratch.lower, range: base + start..base + end, part: false }),
            (true, _) => {}
            // Small letters alone are one part, which is the whole.
            (false, ..=LONGEST) if seen & (UPPER | UNDERSCORE) == 0 => {
                each(Word { text: &scratch.lower, range: base + start..base + end, part: false });
            }
            (false, _) => name(base, start..end, length, scratch, each),
        }
    }
}

/// Gives the last two letters, and forgets all but the last.
fn pair(run: &str, base: usize, end: usize, scratch: &mut Scratch, each: &mut impl FnMut(Word<'_>)) {
    let [.., first, last] = scratch.letters.as_slice() else { return };
    let (start, last_at) = (first.at, last.at);
    each(Word { text: &scratch.lower, range: base + start..base + end, part: false });
    scratch.lower.clear();
    scratch.letters.clear();
    // These scripts have no case.
    scratch.lower.push_str(&run[last_at..end]);
    scratch.letters.push(Letter { at: last_at, lower: 0, class: 0, plural: false });
}

fn name(
    base: usize,
    range: std::ops::Range<usize>,
    length: usize,
    scratch: &Scratch,
    each: &mut impl FnMut(Word<'_>),
) {
    let letters = &scratch.letters;
    if length > LONGEST_OF_PARTS || letters.iter().all(|letter| letter.class == UNDERSCORE) {
        return;
    }
    if length <= LONGEST {
        each(Word { text: &scratch.lower, range: base + range.start..base + range.end, part: false });
    }
    let mut found = Parts::new();
    split(letters.len(), |at| letters[at].class, |at| letters[at].plural, &mut found);
    for part in found.wanted(letters.len()) {
        let lower_end = letters.get(part.end).map_or(scratch.lower.len(), |letter| letter.lower);
        let at_end = letters.get(part.end).map_or(range.end, |letter| letter.at);
        let first = letters[part.start];
        let lone = part.len() == 1 && at_end - first.at == 1;
        if !lone
            && part.len() <= LONGEST
            && let Some(text) = scratch.lower.get(first.lower..lower_end)
        {
            each(Word { text, range: base + first.at..base + at_end, part: true });
        }
    }
}

/// Accents that stand apart from their letter, joiners, and the signs inside words of the scripts of India.
fn continues(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{200c}' | '\u{200d}')
        || matches!(c, '\u{900}'..='\u{dff}' if !matches!(c, '\u{964}' | '\u{965}' | '\u{970}' | '\u{df4}'))
}

/// Whether a character belongs to a script that writes no blanks between words.
fn is_dense(c: char) -> bool {
    matches!(c,
        '\u{3005}' | '\u{3041}'..='\u{3096}' | '\u{3099}'..='\u{309f}' | '\u{30a1}'..='\u{30fa}'
        | '\u{30fc}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{ff66}'..='\u{ff9f}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}'
        | '\u{e01}'..='\u{e3a}' | '\u{e40}'..='\u{e4e}' | '\u{e81}'..='\u{ece}'
        | '\u{1000}'..='\u{1049}' | '\u{1780}'..='\u{17d3}')
}
