//! Which kind of character is this?
//!
//! The tables of Unicode come from `regex-syntax`, which the index has anyway, as far as they are those of Unicode 8: the
//! library that tokenizers are made with knows no later ones. What is lacking is the form without accents, which
//! `accents.txt` has, made from the Unicode Character Database: a line is `form: characters that have it`, as code points.

use std::collections::HashMap;
use std::sync::LazyLock;

use regex_syntax::hir::{Class, HirKind};

/// The single characters changed their kind since.
static PUNCTUATION: LazyLock<Ranges> =
    LazyLock::new(|| Ranges::of(r"[[\p{P}\u{166d}\u{111c9}]&&\p{age:8.0}]"));
static CONTROLS: LazyLock<Ranges> = LazyLock::new(|| Ranges::of(r"[[\p{Cc}\p{Cf}\p{Co}]&&\p{age:8.0}]"));
static MARKS: LazyLock<Ranges> = LazyLock::new(|| {
    Ranges::of(r"[[[\p{Mn}\u{1734}\u{1171e}]--[\u{1885}\u{1886}\u{a9bd}\u{111c9}]]&&\p{age:8.0}]")
});
static PLAIN: LazyLock<HashMap<char, String>> = LazyLock::new(plain_forms);

/// As BERT has it: all ASCII signs count, currency and arithmetic too.
pub(super) fn is_punctuation(character: char) -> bool {
    if character.is_ascii() { character.is_ascii_punctuation() } else { PUNCTUATION.contains(character) }
}

/// Those that BERT leaves out; the others are white space.
pub(super) fn is_control(character: char) -> bool {
    !matches!(character, '\t' | '\n' | '\r') && CONTROLS.contains(character)
}

/// The ranges that BERT puts blanks around.
pub(super) fn is_ideograph(character: char) -> bool {
    matches!(u32::from(character),
        0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x2a6df | 0x2a700..=0x2b73f
        | 0x2b740..=0x2b81f | 0x2b920..=0x2ceaf | 0x2f800..=0x2fa1f)
}

/// The canonical decomposition without marks.
pub(super) fn without_accents(character: char, each: &mut dyn FnMut(char)) {
    if character.is_ascii() {
        each(character);
    } else if let Some(plain) = PLAIN.get(&character) {
        plain.chars().for_each(each);
    } else if let Some(syllable) =
        u32::from(character).checked_sub(0xac00).filter(|syllable| *syllable < 11_172)
    {
        // Hangul syllables are decomposed by arithmetic: 21 vowels, 28 endings of which the first is none.
        let ending = syllable % 28;
        let letters = [0x1100 + syllable / 588, 0x1161 + syllable % 588 / 28, 0x11a7 + ending];
        let count = if ending == 0 { 2 } else { 3 };
        letters.into_iter().take(count).filter_map(char::from_u32).for_each(each);
    } else if !MARKS.contains(character) {
        each(character);
    }
}

fn plain_forms() -> HashMap<char, String> {
    let character = |code: &str| u32::from_str_radix(code, 16).ok().and_then(char::from_u32);
    let mut forms = HashMap::new();
    for line in include_str!("accents.txt").lines() {
        if let Some((plain, others)) = line.split_once(':') {
            let plain: String = plain.split(' ').filter_map(character).collect();
            forms.extend(others.split(' ').filter_map(character).map(|other| (other, plain.clone())));
        }
    }
    forms
}

#[derive(Debug)]
struct Ranges(Vec<(char, char)>);

impl Ranges {
    /// Of a class written as a regular expression; the tests show that each of them parses.
    fn of(class: &str) -> Self {
        match regex_syntax::parse(class).map(|parsed| parsed.into_kind()) {
            Ok(HirKind::Class(Class::Unicode(class))) => {
                Self(class.iter().map(|range| (range.start(), range.end())).collect())
            }
            _ => Self(Vec::new()),
        }
    }

    fn contains(&self, character: char) -> bool {
        let after = self.0.partition_point(|(start, _)| *start <= character);
        after.checked_sub(1).and_then(|at| self.0.get(at)).is_some_and(|(_, end)| character <= *end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> String {
        let mut plain = String::new();
        text.chars().for_each(|character| without_accents(character, &mut |character| plain.push(character)));
        plain
    }

    #[test]
    fn accents_go_and_letters_stay() {
        assert_eq!(plain("Ünïcödé ǅ ß Ṩ ñ e\u{301} 中 Ω"), "Unicode ǅ ß S n e 中 Ω");
        assert_eq!(plain("한국"), "\u{1112}\u{1161}\u{11ab}\u{1100}\u{116e}\u{11a8}");
        assert_eq!(plain("가"), "\u{1100}\u{1161}");
    }

    #[test]
    fn classes_are_as_bert_has_them() {
        for character in ['$', '+', '<', '^', '`', '_', '«', '—', '。'] {
            assert!(is_punctuation(character), "{character}");
        }
        assert!(!['a', '0', ' ', 'é', '€', '中'].into_iter().any(is_punctuation));
        assert!(['\0', '\u{7f}', '\u{200b}', '\u{feff}', '\u{e000}'].into_iter().all(is_control));
        assert!(['\u{b}', '\u{c}', '\u{85}'].into_iter().all(is_control), "although they are white space");
        assert!(!['a', ' ', '\u{a0}', '\n', '\t', '\r'].into_iter().any(is_control));
        assert!(is_ideograph('中') && !is_ideograph('か') && !is_ideograph('한'));
    }
}
