//! What is written between slashes?

use regex::Regex;

use super::error::{QueryError, shown};
use super::pattern::compile;
use super::{Need, pattern};

/// Letters that may follow the closing slash. `g` and `u` change nothing here, but people write them.
const FLAGS: &str = "imsxgu";

/// A regular expression that a piece must match, or must not.
#[derive(Debug, Clone)]
pub struct Expression {
    /// As it was written, slashes and flags included.
    pub text: String,
    pub need: Need,
    /// Ready for any reader of Rust's syntax: flags stand inside.
    pub pattern: String,
    pub regex: Regex,
}

impl PartialEq for Expression {
    fn eq(&self, other: &Self) -> bool {
        self.pattern == other.pattern && self.need == other.need
    }
}

impl Eq for Expression {}

impl Expression {
    pub(super) fn new(text: &str, inner: &str, flags: &str, need: Need) -> Result<Self, QueryError> {
        let pattern = with_flags(inner, flags);
        let wrong =
            |reason: String| QueryError::BadExpression { field: "query", pattern: shown(inner), reason };
        if inner.len() > 4 * pattern::LONGEST {
            return Err(wrong(format!("it has more than {} bytes", 4 * pattern::LONGEST)));
        }
        let regex = compile(&pattern, true).map_err(wrong)?;
        Ok(Self { text: text.to_owned(), need, pattern, regex })
    }
}

/// The expression and the flags of a text that begins with a slash, ends with one and flags, and has no other
/// closing slash.
pub(super) fn between_slashes(text: &str) -> Option<(&str, &str)> {
    let (inner, flags, end) = scan(text)?;
    (end == text.len()).then_some((inner, flags))
}

/// Reads an expression at the beginning of a text: what stands inside, its flags, and where it ends. `None` where
/// it is none, as in `/usr/lib`, `/ by` or a comment, `/* x */`. One word with a class that nothing closes, `/a[/`, is one
/// all the same, and wrong: as words it would find nothing, and nobody would know why.
pub(super) fn scan(text: &str) -> Option<(&str, &str, usize)> {
    let rest = text.strip_prefix('/')?;
    if rest.starts_with(|c: char| c.is_whitespace() || matches!(c, '/' | '*')) {
        return None;
    }
    let mut escaped = false;
    let mut class = false;
    let mut within_class = None;
    for (at, c) in rest.char_indices() {
        match c {
            // Looking further for every slash of a long text would take its length squared.
            _ if at > 8 * pattern::LONGEST => return None,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' => class = true,
            ']' => (class, within_class) = (false, None),
            '/' => {
                let after = &rest[at + 1..];
                let length = after.find(|c: char| !FLAGS.contains(c)).unwrap_or(after.len());
                // Flags end at a blank: `/usr/include` is a path.
                if after[length..].chars().next().is_none_or(char::is_whitespace) {
                    let found = (&rest[..at], &after[..length], 1 + at + 1 + length);
                    if !class {
                        return Some(found);
                    }
                    within_class = within_class.or(Some(found));
                }
            }
            _ => {}
        }
    }
    within_class.filter(|(inner, ..)| !inner.contains(char::is_whitespace))
}

/// The expression with its flags inside.
pub(super) fn with_flags(pattern: &str, flags: &str) -> String {
    let flags: String = "imsx".chars().filter(|flag| flags.contains(*flag)).collect();
    if flags.is_empty() { pattern.to_owned() } else { format!("(?{flags}){pattern}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_told_from_paths() {
        assert_eq!(scan("/a b/i rest"), Some(("a b", "i", 6)));
        assert_eq!(scan("/[/]x/"), Some(("[/]x", "", 6)));
        assert_eq!(scan(r"/a\/b/"), Some((r"a\/b", "", 6)));
        assert_eq!(scan("/usr/lib"), None);
        assert_eq!(scan("/usr"), None);
        assert_eq!(scan("// comment /"), None);
        assert_eq!(scan("/ by /"), None);
        assert_eq!(scan("/or and/or"), None);
        assert_eq!(scan("/a[/"), Some(("a[", "", 4)));
        assert_eq!(scan("/a[b/i c"), Some(("a[b", "i", 6)));
        assert_eq!(scan("/a[/ ]b/"), Some(("a[/ ]b", "", 8)), "the class is closed later");
        assert_eq!(scan("/app/[id"), None);
        assert_eq!(scan("/a b[/"), None, "words");
    }

    #[test]
    fn flags_stand_inside() {
        assert_eq!(with_flags("a", "gi"), "(?i)a");
        assert_eq!(with_flags("a", ""), "a");
        let slash = Expression::new(r"/a\/b/", r"a\/b", "", Need::Must).unwrap();
        assert!(slash.regex.is_match("a/b"));
    }
}
