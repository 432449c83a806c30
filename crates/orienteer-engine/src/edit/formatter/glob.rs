//! Patterns of paths in settings of formatters, as far as all programs agree about what they mean.
//!
//! A pattern with anything else in it is not read: a guess would give a file another style than its project wants.

use globset::{GlobBuilder, GlobMatcher};

/// What `**` means beside other characters of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// Nothing that everybody agrees about.
    Prettier,
    /// Any characters, also `/`.
    EditorConfig,
}

#[derive(Debug)]
pub(super) struct Glob {
    written: String,
    matcher: GlobMatcher,
}

impl Glob {
    /// `None` where the pattern cannot be read exactly.
    pub(super) fn read(written: &str, dialect: Dialect) -> Option<Self> {
        let plain = |c: char| c.is_ascii_alphanumeric() || "_-./*{},@+ ".contains(c);
        if written.trim() != written || !written.chars().all(plain) || !has_plain_braces(written) {
            return None;
        }
        // Names such as `..` lead elsewhere.
        let odd = |name: &str| name.is_empty() || name == "." || name == ".." || name.contains("***");
        if written.split('/').any(odd) {
            return None;
        }
        let names: Option<Vec<String>> = written.split('/').map(|name| stars(name, dialect)).collect();
        let glob = GlobBuilder::new(&names?.join("/")).literal_separator(true).build().ok()?;
        Some(Self { written: written.to_owned(), matcher: glob.compile_matcher() })
    }

    pub(super) fn has_slash(&self) -> bool {
        self.written.contains('/')
    }

    pub(super) fn is(&self, path: &str) -> bool {
        self.written == path
    }

    pub(super) fn matches(&self, path: &str) -> bool {
        self.matcher.is_match(path)
    }
}

/// Whether braces are pairs, one in the other nowhere, with two alternatives or more: of others programs think
/// differently, as of commas outside and of slashes inside.
fn has_plain_braces(text: &str) -> bool {
    let mut inside: Option<Vec<&str>> = None;
    let mut from = 0;
    for (at, c) in text.char_indices().filter(|(_, c)| "{},/".contains(*c)) {
        let before = text.get(from..at).unwrap_or_default();
        match (c, inside.as_mut()) {
            ('{', None) => inside = Some(Vec::new()),
            (',', Some(alternatives)) => alternatives.push(before),
            ('}', Some(alternatives)) => {
                alternatives.push(before);
                let odd = |text: &&str| text.is_empty() || text.contains("**") || text.contains("..");
                if alternatives.len() < 2 || alternatives.iter().any(odd) {
                    return false;
                }
                inside = None;
            }
            ('/', None) => {}
            _ => return false,
        }
        from = at + 1;
    }
    inside.is_none()
}

/// A name with what `**` in it means to the matcher, which knows it as a whole name only.
fn stars(name: &str, dialect: Dialect) -> Option<String> {
    match (name.split_once("**"), dialect) {
        (None, _) => Some(name.to_owned()),
        (Some(("", "")), _) => Some(name.to_owned()),
        (Some((before, after)), Dialect::EditorConfig) if !after.contains("**") && !name.contains('{') => {
            Some(format!("{{{before}*{after},{before}*/**/*{after}}}"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(written: &str, dialect: Dialect, path: &str) -> Option<bool> {
        Glob::read(written, dialect).map(|glob| glob.matches(path))
    }

    #[test]
    fn patterns_that_everybody_reads_alike() {
        use Dialect::{EditorConfig, Prettier};
        for (written, path, expected) in [
            ("*.js", "a.js", true),
            ("*.js", "src/a.js", false),
            ("*.{js,ts}", ".x.ts", true),
            ("src/**/*.js", "src/a.js", true),
            ("src/**/*.js", "src/a/b/c.js", true),
            ("src/**", "src/a/b", true),
            ("**/a.md", "a.md", true),
            ("{src,lib}/*.ts", "lib/a.ts", true),
            ("+page.svelte", "+page.svelte", true),
        ] {
            assert_eq!(fits(written, Prettier, path), Some(expected), "{written} {path}");
        }
        assert_eq!(fits("lib/**.js", EditorConfig, "lib/a/b/c.js"), Some(true));
        assert_eq!(fits("lib/**.js", EditorConfig, "lib/c.js"), Some(true));
        assert_eq!(fits("lib/**.js", EditorConfig, "lib/a/c.ts"), Some(false));
    }

    #[test]
    fn others_are_not_read() {
        for written in [
            "",
            "!*.js",
            "*.[jt]s",
            "@(a|b).js",
            "{a}.js",
            "{1..3}.js",
            "a,b",
            "{a,{b,c}}",
            "{a,b",
            "a}",
            "a?.js",
            "../*.js",
            "./a.js",
            "/a.js",
            "src/",
            "a//b",
            "a\\*b",
            "ä.js",
            "lib/**.js",
            "{a,}.js",
            "{a/b,c}.js",
            "#a",
        ] {
            assert!(Glob::read(written, Dialect::Prettier).is_none(), "{written}");
        }
    }
}
