//! What is shown of a text that is too long to show, with nothing secret in it?
//!
//! Whoever renders an answer hides what is secret in it, and recognises a secret as a whole only: half of one, or a value
//! without the name before it, looks like any other text. So rooms that cut a text hide what is in it first.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// So many characters before and after a place decide what may be shown of it.
const NEAR: usize = 16 << 10;

type Hide = dyn Fn(&str) -> String + Send + Sync;

/// Hides secrets in a text, or shows it as it is.
#[derive(Clone, Default)]
pub struct Conceal(Option<Arc<Hide>>);

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    pub text: String,
    /// Something stands before it.
    pub before: bool,
    /// Something stands after it.
    pub after: bool,
}

impl Conceal {
    /// Texts go through this before they are cut.
    pub fn with(hide: impl Fn(&str) -> String + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(hide)))
    }

    fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match &self.0 {
            Some(hide) => Cow::Owned(hide(text)),
            None => Cow::Borrowed(text),
        }
    }

    /// The part of a text around its character number `at`: at most `most` characters, up to `lead` of them before it.
    /// `None` when the whole text is no longer than that.
    pub fn around(&self, text: &str, at: usize, lead: usize, most: usize) -> Option<Cut> {
        // A text has no more characters than bytes, so most need not be counted.
        if text.len() <= most || text.chars().nth(most).is_none() {
            return None;
        }
        let (first, length) = (at.saturating_sub(NEAR), most.saturating_add(2 * NEAR));
        let goes_on = text.chars().nth(first.saturating_add(length)).is_some();
        let near = slice(text, first, length);
        // What is hidden before the place moves it.
        let at = self.text(slice(near, 0, at - first)).chars().count();
        let near = self.text(near);
        let count = near.chars().count();
        let start = at.saturating_sub(lead).min(count.saturating_sub(most));
        Some(Cut {
            text: slice(&near, start, most).to_owned(),
            before: first > 0 || start > 0,
            after: goes_on || start + most < count,
        })
    }

    /// The text, or its first so many characters.
    pub fn beginning(&self, text: String, most: usize) -> String {
        match self.around(&text, 0, 0, most) {
            Some(Cut { text, after, .. }) => text + if after { "…" } else { "" },
            None => text,
        }
    }
}

/// Characters of a text from number `first` on, at most so many.
fn slice(text: &str, first: usize, most: usize) -> &str {
    let mut starts = text.char_indices().map(|(at, _)| at).skip(first);
    let start = starts.next().unwrap_or(text.len());
    let end = if most == 0 { start } else { starts.nth(most - 1).unwrap_or(text.len()) };
    text.get(start..end).unwrap_or_default()
}

impl fmt::Debug for Conceal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Conceal").field(&self.0.is_some()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Recognises `key=` with forty characters or more behind it.
    fn conceal() -> Conceal {
        Conceal::with(|text| {
            let words = text.split(' ').map(|word| match word.split_once("key=") {
                Some((before, value)) if value.len() >= 40 => format!("{before}key=[HIDDEN]"),
                _ => word.to_owned(),
            });
            words.collect::<Vec<_>>().join(" ")
        })
    }

    #[test]
    fn a_secret_that_a_window_would_cut_is_hidden_first() {
        let secret = "s3cr3t".repeat(7);
        let (before, after) = ("a ".repeat(300), "c ".repeat(300));
        // The window ends in its middle, begins in its middle, and begins between its name and itself.
        for line in [
            format!("{before} place {} key={secret} {after}", "b".repeat(270)),
            format!("{before} key={secret} {} place {after}", "b".repeat(70)),
            format!("{before} key={secret} {} place {after}", "b".repeat(56)),
        ] {
            let at = line.find("place").unwrap();
            let shown = conceal().around(&line, at, 100, 400).unwrap();
            assert!(shown.text.contains(" place ") && !shown.text.contains("s3cr3t"), "{shown:?}");
            let open = Conceal::default().around(&line, at, 100, 400).unwrap();
            assert!(
                open.text.contains("s3cr3t") && !open.text.contains(&format!("key={secret}")),
                "{open:?}"
            );
        }
    }

    #[test]
    fn what_is_cut_says_so_on_its_side() {
        let open = Conceal::default();
        assert_eq!(open.around("short", 3, 100, 400), None);
        assert_eq!(open.around(&"ü".repeat(400), 3, 100, 400), None, "characters count");
        let line = format!("{}here{}", "a".repeat(1_000), "ü".repeat(1_000));
        let middle = open.around(&line, 1_000, 100, 400).unwrap();
        assert_eq!(middle.text, format!("{}here{}", "a".repeat(100), "ü".repeat(296)));
        assert!(middle.before && middle.after);
        let first = open.around(&line, 0, 100, 400).unwrap();
        assert_eq!((first.text, first.before, first.after), ("a".repeat(400), false, true));
        let last = open.around(&line, 2_003, 100, 400).unwrap();
        assert_eq!((last.text, last.before, last.after), ("ü".repeat(400), true, false));
        let huge = "x".repeat(200_000);
        let far = open.around(&huge, 100_000, 100, 400).unwrap();
        assert!(far.text.len() == 400 && far.before && far.after);
        let end = open.around(&huge, 200_000, 100, 400).unwrap();
        assert!(end.text.len() == 400 && end.before && !end.after);
    }

    #[test]
    fn a_beginning_is_cut_from_what_may_be_shown() {
        let secret = "s3cr3t".repeat(20);
        let text = format!("one two key={secret} three {}", "x ".repeat(100));
        assert_eq!(conceal().beginning(text.clone(), 30), "one two key=[HIDDEN] three x x…");
        assert_eq!(
            conceal().beginning(format!("key={secret}"), 30),
            "key=[HIDDEN]",
            "then all of it is shown"
        );
        assert_eq!(conceal().beginning("key=short".to_owned(), 30), "key=short");
        assert!(Conceal::default().beginning(text, 30).contains("s3cr3t"));
        let long = format!("{} key={secret} {}", "x".repeat(99_990), "y ".repeat(100));
        let shown = conceal().beginning(long, 100_000);
        assert!(shown.ends_with("x key=[HIDD…"), "however much is shown: {}", &shown[99_980..]);
    }
}
