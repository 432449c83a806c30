//! The scanner of the Ruby grammar keeps the words that texts end at (`<<~WORD`) in a buffer of a kilobyte and their lengths
//! in one byte each, and stops the program where that is not enough. Blanks stand in for what would begin such a text.

use std::borrow::Cow;

use memchr::memmem;

/// Bytes of a word; nobody writes longer ones.
const LONGEST: usize = 200;
/// Bytes of all words on one line, with what is noted beside each.
const MOST: usize = 500;
const BESIDE: usize = 4;

pub(super) fn shown(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut hidden = Vec::new();
    let (mut last, mut open) = (0, 0);
    for at in memmem::find_iter(bytes, "<<") {
        if bytes[last..at].contains(&b'\n') {
            open = 0;
        }
        last = at;
        let length = word(&bytes[at + 2..]);
        open += length + BESIDE;
        if length > LONGEST || open > MOST {
            hidden.push(at);
        }
    }
    if hidden.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut shown = text.to_owned();
    for at in hidden {
        shown.replace_range(at..at + 2, "  ");
    }
    Cow::Owned(shown)
}

/// The length of the word that ends a text, if one begins here: up to the same quote, or as long as it has letters.
fn word(after: &[u8]) -> usize {
    let after = after.strip_prefix(b"-").or_else(|| after.strip_prefix(b"~")).unwrap_or(after);
    match after.first() {
        Some(quote @ (b'\'' | b'"' | b'`')) => memchr::memchr(*quote, &after[1..]).unwrap_or(after.len()),
        _ => after
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_' || !byte.is_ascii())
            .count(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_texts_are_shown_as_they_are() {
        for text in ["a = <<~EOS\n  b\nEOS\n", "a << b << 'c'", "foo(<<-'A', <<\"B\")\nA\nB\n", ""] {
            assert!(matches!(shown(text), Cow::Borrowed(_)), "{text}");
        }
    }

    #[test]
    fn no_text_begins_that_the_scanner_could_not_remember() {
        let long = "x".repeat(LONGEST + 1);
        assert_eq!(shown(&format!("a = <<~{long}\n")), format!("a =   ~{long}\n"));
        let open = format!("a = <<-'A\n{}", "b\n".repeat(LONGEST));
        assert_eq!(shown(&open), open.replace("<<", "  "));
        let many = "f(<<A, <<B)\n".repeat(200);
        assert!(matches!(shown(&many), Cow::Borrowed(_)), "a line has two");
        let line = format!("f({}<<Z)", "<<A, ".repeat(300));
        assert_eq!(shown(&line).matches("<<").count(), MOST / (1 + BESIDE));
    }
}
