//! Which words does a text have?
//!
//! The same at index and at query time: identifiers whole and in parts, in lower case, in the order of the text, a
//! whole before its parts. There is no list of words that are left out.
//!
//! - A word is a run of letters, digits and `_`; `read-only` and `std::fs` are two words each.
//! - Parts end at `_`, before a capital that follows a small letter or a digit, and before the last capital of a run
//!   of them that goes on in small letters: `HTTPServer` is `http` and `server`, but `parseURLs` keeps its `urls`.
//!   Digits stay with the letters before them (`utf8`). Parts of one ASCII letter are left out, as are the parts of
//!   what begins with a digit, since that is a number.
//! - Scripts that write no blanks between words (Chinese, Japanese, Thai, …) give every pair of neighbouring
//!   characters, so that a word inside a sentence is found.
//! - A word of more than [`LONGEST`] characters is left out as a whole. Up to four times that, its parts still
//!   count, because names of tests are long; beyond, it is data and nothing of it counts. What changes between
//!   small and large letters at every turn, as base64 does, gives no parts at all.
//!
//! | module | question it answers |
//! | --- | --- |
//! | `analyse/parts` | Where does a name fall apart? |
//! | `analyse/wide` | What are the words of a text that is not ASCII? |

mod parts;
mod wide;

use std::ops::Range;

pub use parts::{initials, parts};

use parts::{Class, DIGIT, LOWER, OTHER, UNDERSCORE, UPPER};

/// The most characters of a word.
pub const LONGEST: usize = 64;
/// The most characters of a name whose parts count.
const LONGEST_OF_PARTS: usize = 4 * LONGEST;

/// A byte of a character that is not ASCII.
const WIDE: Class = 16;

/// What each byte is; the values are bits, so that a word can be judged by all that it holds.
const CLASSES: [Class; 256] = {
    let mut table = [OTHER; 256];
    let mut at = 0;
    while at < 256 {
        table[at] = match at as u8 {
            b'a'..=b'z' => LOWER,
            b'A'..=b'Z' => UPPER,
            b'0'..=b'9' => DIGIT,
            b'_' => UNDERSCORE,
            0x80.. => WIDE,
            _ => OTHER,
        };
        at += 1;
    }
    table
};

/// A word and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word<'w> {
    /// In lower case.
    pub text: &'w str,
    /// The bytes it was made of.
    pub range: Range<usize>,
    /// Part of a name that came as a whole before, unless that was too long.
    pub part: bool,
}

/// Gives every word of a text, each as often as it stands there.
pub fn words(text: &str, each: &mut impl FnMut(&str)) {
    scan(text, &mut |word: Word<'_>| each(word.text));
}

/// The same words with their places, for showing what matched.
pub fn words_at(text: &str, each: &mut dyn FnMut(Word<'_>)) {
    scan(text, &mut |word: Word<'_>| each(word));
}

/// Whole names apart from their parts, each once, in order; at most so many wholes.
pub(crate) fn wholes_and_parts(text: &str, most: usize) -> (Vec<String>, Vec<String>) {
    let (mut wholes, mut inner) = (Vec::<String>::new(), Vec::<String>::new());
    words_at(text, &mut |word| {
        let list = if word.part { &mut inner } else { &mut wholes };
        if list.len() < 4 * most && !list.iter().any(|known| known == word.text) {
            list.push(word.text.to_owned());
        }
    });
    wholes.truncate(most);
    inner.retain(|part| !wholes.contains(part));
    (wholes, inner)
}

fn scan(text: &str, each: &mut impl FnMut(Word<'_>)) {
    let bytes = text.as_bytes();
    let mut scratch = wide::Scratch::default();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let mut seen = CLASSES[usize::from(byte)];
        if seen == OTHER {
            at += 1;
            continue;
        }
        let start = at;
        at += 1;
        while let Some(&byte) = bytes.get(at) {
            let class = CLASSES[usize::from(byte)];
            if class == OTHER {
                break;
            }
            seen |= class;
            at += 1;
        }
        // Both ends lie beside ASCII or at the ends of the text.
        let Some(run) = text.get(start..at) else { continue };
        if seen & WIDE != 0 {
            wide::run(run, start, &mut scratch, each);
        } else if seen & (UPPER | UNDERSCORE) == 0 {
            // The commonest word costs no copy.
            if run.len() <= LONGEST {
                each(Word { text: run, range: start..at, part: false });
            }
        } else {
            ascii(run, start, seen, &mut scratch.lower, each);
        }
    }
}

/// A name with capitals or underscores.
fn ascii(run: &str, start: usize, seen: Class, lower: &mut String, each: &mut impl FnMut(Word<'_>)) {
    if seen & !UNDERSCORE == 0 || run.len() > LONGEST_OF_PARTS {
        return;
    }
    lower.clear();
    lower.push_str(run);
    lower.make_ascii_lowercase();
    if run.len() <= LONGEST {
        each(Word { text: lower, range: start..start + run.len(), part: false });
    }
    // Capitals alone, or a number: one part, which is the whole.
    if seen & (LOWER | UNDERSCORE) == 0 {
        return;
    }
    let bytes = run.as_bytes();
    let mut found = parts::Parts::new();
    let class = |at: usize| CLASSES[usize::from(bytes[at])];
    parts::split(bytes.len(), class, |at| bytes[at] == b's', &mut found);
    for part in found.wanted(bytes.len()) {
        // A lone letter finds everything.
        if part.len() > 1
            && part.len() <= LONGEST
            && let Some(text) = lower.get(part.clone())
        {
            each(Word { text, range: start + part.start..start + part.end, part: true });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        words(text, &mut |word| found.push(word.to_owned()));
        found
    }

    #[test]
    fn names_are_kept_whole_and_in_parts() {
        assert_eq!(all("parseJSON"), ["parsejson", "parse", "json"]);
        assert_eq!(all("HTTPServer"), ["httpserver", "http", "server"]);
        assert_eq!(all("snake_case_name"), ["snake_case_name", "snake", "case", "name"]);
        assert_eq!(all("XMLHttpRequest"), ["xmlhttprequest", "xml", "http", "request"]);
        assert_eq!(all("MAX_BUFFER_SIZE"), ["max_buffer_size", "max", "buffer", "size"]);
        assert_eq!(all("getHTTPResponseCode"), ["gethttpresponsecode", "get", "http", "response", "code"]);
    }

    #[test]
    fn plain_words_come_once() {
        assert_eq!(all("the quick Fox, JUMPED!"), ["the", "quick", "fox", "jumped"]);
        assert_eq!(all("Foo foo FOO"), ["foo", "foo", "foo"]);
        assert_eq!(all(""), [""; 0]);
        assert_eq!(all("  \n\t.,;(){}"), [""; 0]);
    }

    #[test]
    fn plurals_of_acronyms_stay_together() {
        assert_eq!(all("parseURLs"), ["parseurls", "parse", "urls"]);
        assert_eq!(all("allIDsOfUser"), ["allidsofuser", "all", "ids", "of", "user"]);
        assert_eq!(all("HTTPSets"), ["httpsets", "http", "sets"]);
    }

    #[test]
    fn digits_stay_with_the_letters_before_them() {
        assert_eq!(all("utf8Decode"), ["utf8decode", "utf8", "decode"]);
        assert_eq!(all("sha256sum"), ["sha256sum"]);
        assert_eq!(all("X509Certificate"), ["x509certificate", "x509", "certificate"]);
        assert_eq!(all("utf8_to_utf16"), ["utf8_to_utf16", "utf8", "to", "utf16"]);
        assert_eq!(all("0xDEADbeef 1_000"), ["0xdeadbeef", "1_000"]);
    }

    #[test]
    fn marks_split_and_underscores_around_a_name_do_not_hide_it() {
        assert_eq!(all("std::fs::read_only"), ["std", "fs", "read_only", "read", "only"]);
        assert_eq!(all("read-only"), ["read", "only"]);
        assert_eq!(all("__init__ _x ___"), ["__init__", "init", "_x"]);
    }

    #[test]
    fn words_of_other_scripts_are_kept() {
        assert_eq!(all("Größe naïve"), ["größe", "naïve"]);
        assert_eq!(all("größeÄndern"), ["größeändern", "größe", "ändern"]);
        assert_eq!(
            all("имя_файла ЧислоСтрок"),
            ["имя_файла", "имя", "файла", "числострок", "число", "строк"]
        );
        assert_eq!(all("“quoted”—dash…"), ["quoted", "dash"]);
        assert_eq!(all("हिन्दी"), ["हिन्दी"]);
        assert_eq!(all("cafe\u{301}"), ["cafe\u{301}"]);
    }

    #[test]
    fn scripts_without_blanks_give_pairs() {
        assert_eq!(all("返回值"), ["返回", "回值"]);
        assert_eq!(all("值"), ["值"]);
        assert_eq!(all("API返回JSON"), ["api", "返回", "json"]);
    }

    #[test]
    fn long_words_are_bounded() {
        let long = "x".repeat(65);
        assert_eq!(all(&format!("a {long} b")), ["a", "b"]);
        assert_eq!(all(&"x".repeat(64)), ["x".repeat(64)]);
        let test_name = "test_that_a_very_long_name_of_a_test_still_gives_its_words_when_it_is_searched_for";
        assert!(all(test_name).contains(&"searched".to_owned()));
        assert!(!all(test_name).contains(&test_name.to_owned()));
        assert_eq!(all(&"Ab_".repeat(1_000)), [""; 0]);
        assert_eq!(all(&"é".repeat(10_000)), [""; 0]);
    }

    #[test]
    fn base64_gives_no_parts() {
        let text = "aGVsbG8gd29ybGQgdGhpcyBpcyBhIHRlc3Q";
        assert_eq!(all(text), [text.to_lowercase()]);
    }

    #[test]
    fn places_are_those_of_the_text() {
        let text = "é fooBar größeÄndern";
        let mut seen = Vec::new();
        words_at(text, &mut |word| seen.push((text[word.range].to_owned(), word.part)));
        let shown: Vec<(&str, bool)> = seen.iter().map(|(text, part)| (text.as_str(), *part)).collect();
        assert_eq!(
            shown,
            [
                ("é", false),
                ("fooBar", false),
                ("foo", true),
                ("Bar", true),
                ("größeÄndern", false),
                ("größe", true),
                ("Ändern", true)
            ]
        );
    }

    proptest! {
        #[test]
        fn every_place_is_one_of_the_text_and_every_word_is_bounded(text in "\\PC{0,200}") {
            words_at(&text, &mut |word| {
                assert!(text.get(word.range.clone()).is_some());
                assert!(!word.text.is_empty());
                assert!(word.text.chars().count() <= 3 * LONGEST);
                assert!(!word.text.contains(char::is_whitespace));
            });
        }

        #[test]
        fn a_word_in_lower_case_is_found_as_itself(word in "[a-z][a-z0-9]{0,20}") {
            let (small, large) = (all(&word), all(&word.to_uppercase()));
            assert_eq!((small, large), (vec![word.clone()], vec![word]));
        }

        #[test]
        fn words_do_not_depend_on_what_stands_around(left in "[a-zA-Z_é返]{1,12}", right in "[a-zA-Z_é返]{1,12}") {
            let mut apart = all(&left);
            apart.extend(all(&right));
            assert_eq!(all(&format!("{left} ({right})")), apart);
        }
    }
}
