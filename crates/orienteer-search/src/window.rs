//! How is a line shown that is too long to show?

use std::borrow::Cow;

use orienteer_base::Conceal;

/// More characters of one match than this are a window around it.
const LONGEST: usize = 2_000;
/// How much of a window lies before the match.
const LEAD: usize = 200;

/// A line as it is shown.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Shown {
    pub(crate) content: String,
    /// 1-based column of the match in the whole line.
    pub(crate) column: u64,
    pub(crate) shortened: bool,
}

/// Decodes a line without its line end, with the match that starts at byte `at`.
pub(crate) fn show(line: &[u8], at: usize, conceal: &Conceal) -> Shown {
    let before = lossy_chars(&line[..at.min(line.len())]);
    let text = String::from_utf8_lossy(line);
    let (content, shortened) = window(&text, before, conceal);
    Shown { content, column: before as u64 + 1, shortened }
}

/// The part of `text` around its character number `at` that can be shown.
pub(crate) fn window(text: &str, at: usize, conceal: &Conceal) -> (String, bool) {
    match conceal.around(text, at, LEAD, LONGEST) {
        Some(cut) => (cut.text, true),
        None => (text.to_owned(), false),
    }
}

fn lossy_chars(bytes: &[u8]) -> usize {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.chars().count(),
        Err(_) => String::from_utf8_lossy(bytes).chars().count(),
    }
}

/// A line of context: the beginning of a long one, and whether it was cut.
pub(crate) fn context(line: &[u8], conceal: &Conceal) -> (String, bool) {
    let text: Cow<'_, str> = String::from_utf8_lossy(strip_line_end(line));
    window(&text, 0, conceal)
}

/// Without `\n` or `\r\n`.
pub(crate) fn strip_line_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(line: &[u8], at: usize) -> Shown {
        super::show(line, at, &Conceal::default())
    }

    #[test]
    fn columns_count_characters_of_the_lossy_text() {
        let shown = show("äö=x".as_bytes(), 5);
        assert_eq!((shown.column, shown.shortened), (4, false));
        let shown = show(b"a\xff\xfeb=x", 5);
        assert_eq!((shown.content.as_str(), shown.column), ("a\u{fffd}\u{fffd}b=x", 6));
    }

    #[test]
    fn long_lines_are_windows_around_the_match() {
        let line = format!("{}NEEDLE{}", "ä".repeat(10_000), "b".repeat(10_000));
        let shown = show(line.as_bytes(), 20_000);
        assert!(shown.shortened);
        assert_eq!(shown.column, 10_001);
        assert_eq!(shown.content.chars().count(), LONGEST);
        assert!(shown.content.starts_with(&format!("{}NEEDLEb", "ä".repeat(LEAD))));
        let at_end = format!("{}NEEDLE", "a".repeat(10_000));
        assert!(show(at_end.as_bytes(), 10_000).content.ends_with("aNEEDLE"));
        assert!(!show("ä".repeat(2_000).as_bytes(), 0).shortened);
    }

    #[test]
    fn what_a_window_cuts_is_hidden_as_a_whole() {
        let conceal = Conceal::with(|text| text.replace("s3cr3t-value", "[HIDDEN]"));
        // The window around the match ends in the middle of it, and so does that of a line beside it.
        let line =
            format!("{}NEEDLE{}s3cr3t-value{}", "a".repeat(3_000), "b".repeat(1_790), "c".repeat(3_000));
        let shown = super::show(line.as_bytes(), 3_000, &conceal);
        assert!(shown.content.contains("NEEDLE") && !shown.content.contains("s3cr"), "{}", shown.content);
        assert!(show(line.as_bytes(), 3_000).content.contains("s3cr"));
        let beside = format!("{}s3cr3t-value{}", "a".repeat(1_995), "c".repeat(3_000));
        assert!(!context(beside.as_bytes(), &conceal).0.contains("s3cr"));
        assert!(context(beside.as_bytes(), &Conceal::default()).0.contains("s3cr"));
    }

    #[test]
    fn line_ends_are_stripped_once() {
        assert_eq!(strip_line_end(b"a\r\n"), b"a");
        assert_eq!(strip_line_end(b"a\r\r\n"), b"a\r");
        assert_eq!(strip_line_end(b"\n"), b"");
    }
}
