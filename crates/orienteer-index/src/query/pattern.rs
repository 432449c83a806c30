//! Does a name, a path or a text match what a filter says?
//!
//! Values are compared without case unless the query says otherwise. `*` stands for any letters, and a value between
//! slashes is a regular expression. Only globs of paths and what stands between slashes are compiled: compiling costs
//! more than comparing with many candidates.

use regex::{Regex, RegexBuilder};

use super::error::{QueryError, shown};
use super::names::{last_name, matches_part, segments, without_brackets};

/// The longest value.
pub(super) const LONGEST: usize = 1_000;
/// Memory for one compiled expression.
const COMPILED: usize = 1 << 20;

/// How a value is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// Part of a path with `/`; with `*`, `**`, `?` or `{a,b}` a glob that may begin at any folder.
    Path,
    /// The end of a path at a `/`, with or without the extension; or a glob of the same.
    File,
    /// The end of a file name after a dot.
    Extension,
    /// A name by its last parts: `readFile` and `fs.readFile` match `fs.readFile`. Separators are all one:
    /// `Type.method` matches `Type::method` and `Type/method`.
    Last,
    /// A name by any neighbouring parts: `std::fs` matches `std::fs::File`, and `String` matches `Vec<String>`.
    Run,
    /// Any part of a text; blanks are all one.
    Part,
    /// The whole text.
    Whole,
}

/// A value that is ready to be compared.
#[derive(Debug, Clone)]
pub struct Pattern {
    text: String,
    manner: Manner,
    case: bool,
    matcher: Matcher,
}

#[derive(Debug, Clone)]
enum Matcher {
    /// In small letters, unless case counts.
    Names(Vec<String>),
    Letters(String),
    Glob {
        source: String,
        regex: Regex,
    },
    /// Written between slashes; says itself whether case counts.
    Expression(Regex),
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        (&self.text, self.manner, self.case) == (&other.text, other.manner, other.case)
    }
}

impl Eq for Pattern {}

impl Pattern {
    pub(super) fn new(filter: &'static str, manner: Manner, text: &str) -> Result<Self, QueryError> {
        let written = text.trim();
        if written.is_empty() || written.len() > LONGEST {
            let value = shown(written);
            let advice = format!("write 1 to {LONGEST} characters");
            return Err(QueryError::BadValue {
                filter,
                value,
                nearest: Vec::new(),
                legal: Vec::new(),
                advice,
            });
        }
        let wrong = |reason| QueryError::BadExpression { field: filter, pattern: shown(written), reason };
        let matcher = match super::expression::between_slashes(written) {
            Some((pattern, flags)) => {
                let pattern = super::expression::with_flags(pattern, flags);
                Matcher::Expression(compile(&pattern, true).map_err(wrong)?)
            }
            None => matcher(manner, written).map_err(wrong)?,
        };
        let mut pattern = Self { text: written.to_owned(), manner, case: false, matcher };
        match &mut pattern.matcher {
            Matcher::Names(parts) => parts.iter_mut().for_each(|part| *part = part.to_lowercase()),
            Matcher::Letters(letters) => *letters = letters.to_lowercase(),
            Matcher::Glob { .. } | Matcher::Expression(_) => {}
        }
        Ok(pattern)
    }

    /// Makes capitals and small letters differ.
    pub(super) fn sensitive(&mut self) {
        if let Ok(matcher) = matcher(self.manner, &self.text)
            && !matches!(self.matcher, Matcher::Expression(_))
        {
            self.matcher = match matcher {
                Matcher::Glob { source, regex } => {
                    let regex = compile(&source, true).unwrap_or(regex);
                    Matcher::Glob { source, regex }
                }
                other => other,
            };
            self.case = true;
        }
    }

    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn matches(&self, candidate: &str) -> bool {
        match &self.matcher {
            Matcher::Expression(regex) | Matcher::Glob { regex, .. } => regex.is_match(candidate),
            Matcher::Names(_) | Matcher::Letters(_) if !self.case => self.compare(&candidate.to_lowercase()),
            _ => self.compare(candidate),
        }
    }

    fn compare(&self, candidate: &str) -> bool {
        match (&self.matcher, self.manner) {
            (Matcher::Names(parts), Manner::Last) => {
                let name = last_name(candidate);
                let bare = without_brackets(name);
                let name = segments(&bare);
                name.len().checked_sub(parts.len()).is_some_and(|from| same(parts, &name[from..]))
            }
            (Matcher::Names(parts), _) => {
                segments(candidate).windows(parts.len()).any(|window| same(parts, window))
            }
            (Matcher::Letters(letters), Manner::Whole) => matches_part(letters, candidate),
            (Matcher::Letters(letters), Manner::Extension) => {
                let name = candidate.rsplit('/').next().unwrap_or(candidate);
                matches_part(&format!("*.{letters}"), name)
            }
            (Matcher::Letters(letters), Manner::File) => {
                let stem = match candidate.rsplit_once('.') {
                    Some((stem, extension)) if !extension.contains('/') => stem,
                    _ => candidate,
                };
                ends_at_folder(candidate, letters) || ends_at_folder(stem, letters)
            }
            (Matcher::Letters(letters), Manner::Path) => match letters.strip_prefix('/') {
                Some(start) => candidate.starts_with(start),
                None => candidate.contains(letters.as_str()),
            },
            (Matcher::Letters(letters), _) => {
                let joined = candidate.split_whitespace().collect::<Vec<_>>().join(" ");
                match letters.contains('*') {
                    true => matches_part(&format!("*{letters}*"), &joined),
                    false => joined.contains(letters.as_str()),
                }
            }
            (Matcher::Glob { .. } | Matcher::Expression(_), _) => false,
        }
    }

    /// The last part of a name in small letters, which every candidate that matches holds: for looking candidates up
    /// before they are compared. `None` where the value has wildcards, is an expression, or is no name.
    pub fn literal(&self) -> Option<String> {
        match &self.matcher {
            Matcher::Names(parts) => {
                parts.last().filter(|last| !last.contains('*')).map(|last| last.to_lowercase())
            }
            _ => None,
        }
    }
}

fn same(parts: &[String], name: &[&str]) -> bool {
    parts.len() == name.len() && parts.iter().zip(name).all(|(pattern, part)| matches_part(pattern, part))
}

fn ends_at_folder(path: &str, end: &str) -> bool {
    path.strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

fn matcher(manner: Manner, text: &str) -> Result<Matcher, String> {
    let is_glob = text.contains(['*', '?', '{']);
    let glob = |source: String| Ok(Matcher::Glob { regex: compile(&source, false)?, source });
    Ok(match manner {
        Manner::Path if is_glob => return glob(path(text)),
        Manner::File if is_glob => return glob(file(text)),
        Manner::Path => Matcher::Letters(tidy_path(text)),
        Manner::File => Matcher::Letters(tidy_path(text).trim_start_matches('/').to_owned()),
        Manner::Extension => {
            Matcher::Letters(text.trim_start_matches("*.").trim_start_matches('.').to_owned())
        }
        Manner::Last | Manner::Run => {
            let parts: Vec<String> = parts(text);
            // A name without letters, such as an operator, is compared as it is.
            if parts.is_empty() { Matcher::Letters(text.to_owned()) } else { Matcher::Names(parts) }
        }
        Manner::Part => Matcher::Letters(text.split_whitespace().collect::<Vec<_>>().join(" ")),
        Manner::Whole => Matcher::Letters(text.to_owned()),
    })
}

/// The parts of a name with its wildcards.
fn parts(text: &str) -> Vec<String> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '-' | '*');
    let parts = text.split(|c: char| !is_part(c)).map(|part| part.trim_matches('-'));
    parts.filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

pub(super) fn compile(source: &str, case: bool) -> Result<Regex, String> {
    let built = RegexBuilder::new(source)
        .case_insensitive(!case)
        .multi_line(true)
        .size_limit(COMPILED)
        .dfa_size_limit(COMPILED)
        .nest_limit(100)
        .build();
    built.map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => "it needs too much memory".to_owned(),
        // The last line says what is wrong; those before it draw a picture.
        other => {
            let text = other.to_string();
            let reason = text.lines().last().unwrap_or_default().trim_start_matches("error:").trim();
            if reason.is_empty() { "it cannot be read".to_owned() } else { reason.to_owned() }
        }
    })
}

/// A glob from any folder on. One that names a folder takes all below it.
fn path(text: &str) -> String {
    let text = tidy_path(text);
    let (start, rest) = match text.strip_prefix('/') {
        Some(rest) => (r"\A", rest),
        None => (r"\A(?:.*/)?", text.as_str()),
    };
    format!(r"{start}(?:{})(?:/.*)?\z", glob(rest.trim_end_matches('/')))
}

/// A glob for the end of a path, with or without an extension.
fn file(text: &str) -> String {
    format!(r"\A(?:.*/)?(?:{})(?:\.[^/.]+)?\z", glob(tidy_path(text).trim_start_matches('/')))
}

fn tidy_path(text: &str) -> String {
    let text = text.replace('\\', "/");
    text.strip_prefix("./").map(str::to_owned).unwrap_or(text)
}

/// `*` and `?` stay inside a folder, `**` does not, `{a,b}` is either. Brackets are letters: files are called `[id].tsx`.
fn glob(text: &str) -> String {
    let mut source = String::with_capacity(text.len() * 2);
    let mut rest = text;
    let mut open = 0_usize;
    while let Some(first) = rest.chars().next() {
        let (piece, taken) = match first {
            '*' if rest.starts_with("**/") => ("(?:.*/)?".to_owned(), 3),
            '*' if rest.starts_with("**") => (".*".to_owned(), 2),
            '*' => ("[^/]*".to_owned(), 1),
            '?' => ("[^/]".to_owned(), 1),
            '{' if rest.contains('}') => {
                open += 1;
                ("(?:".to_owned(), 1)
            }
            '}' if open > 0 => {
                open -= 1;
                (")".to_owned(), 1)
            }
            ',' if open > 0 => ("|".to_owned(), 1),
            other => (regex::escape(other.encode_utf8(&mut [0; 4])), other.len_utf8()),
        };
        source.push_str(&piece);
        rest = &rest[taken..];
    }
    // `{a,{b}` opens more than it closes.
    source.extend(std::iter::repeat_n(')', open));
    source
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(manner: Manner, pattern: &str, candidate: &str) -> bool {
        Pattern::new("path", manner, pattern).unwrap().matches(candidate)
    }

    #[test]
    fn paths_match_by_part_or_glob() {
        let path = |pattern, candidate| matches(Manner::Path, pattern, candidate);
        assert!(path("src", "crates/a/src/lib.rs"));
        assert!(path("SRC/lib", "crates/a/src/lib.rs"));
        assert!(path("./src\\lib.rs", "a/src/lib.rs"));
        assert!(!path("/src", "a/src/lib.rs"));
        assert!(path("/src", "src/lib.rs"));
        assert!(path("src/*.rs", "a/src/lib.rs"));
        assert!(!path("src/*.rs", "a/src/deep/lib.rs"));
        assert!(path("src/**/*.rs", "a/src/deep/er/lib.rs"));
        assert!(path("src/**/*.rs", "a/src/lib.rs"));
        assert!(path("tests/*", "tests/it/main.rs"));
        assert!(path("**/*.{ts,tsx}", "app/view.tsx"));
        assert!(!path("**/*.{ts,tsx}", "app/view.js"));
        assert!(path("app/[id].tsx", "app/[id].tsx"));
        assert!(path("*.min.js", "dist/a.min.js"));
        assert!(!path("s?c", "stuc/x"));
    }

    #[test]
    fn files_match_by_name_stem_and_end() {
        let file = |pattern, candidate| matches(Manner::File, pattern, candidate);
        assert!(file("lib.rs", "a/lib.rs"));
        assert!(file("lib", "a/lib.rs"));
        assert!(file("a/lib.rs", "x/a/lib.rs"));
        assert!(!file("lib.rs", "a/mylib.rs"));
        assert!(file("*_test.go", "a/x_test.go"));
        assert!(!file("lib", "a/lib/x.rs"));
    }

    #[test]
    fn extensions_match_with_and_without_their_dot() {
        let ext = |pattern, candidate| matches(Manner::Extension, pattern, candidate);
        assert!(ext("rs", "a/lib.RS"));
        assert!(ext(".tar.gz", "a.tar.gz"));
        assert!(ext("*.d.ts", "a.d.ts"));
        assert!(!ext("s", "a.rs"));
    }

    #[test]
    fn names_match_by_their_last_parts_whatever_the_separator() {
        let last = |pattern, candidate| matches(Manner::Last, pattern, candidate);
        assert!(last("readFile", "fs.readFile"));
        assert!(last("readfile()", "fs.promises.readFile"));
        assert!(last("fs.readFile", "fs.readFile"));
        assert!(last("Vec.new", "std::Vec::new"));
        assert!(last("Vec::new", "Vec/new"));
        assert!(!last("readFile", "fs.readFileSync"));
        assert!(!last("File", "fs.readFile"));
        assert!(!last("fs", "fs.readFile"));
        assert!(last("read*", "fs.readFileSync"));
        assert!(last("@Get", "app.Get"));
        assert!(last("#[test]", "test"));
        assert!(last("Base", "Base<T>"));
        assert!(last("operator()", "operator"));
        assert!(last("+=", "a += b") && !last("+=", "a + b"));
        assert!(last("grün", "farbe.GRÜN"));
        assert!(last("Vec::new", "Vec::<u8>::new") && last("run", "items[0].run"));
    }

    #[test]
    fn other_manners() {
        assert!(matches(Manner::Run, "std::fs", "std::fs::File"));
        assert!(matches(Manner::Run, "react", "react/jsx-runtime"));
        assert!(!matches(Manner::Run, "react", "preact"));
        assert!(matches(Manner::Run, "String", "Vec<String>"));
        assert!(!matches(Manner::Run, "String", "Vec<OsString>"));
        assert!(matches(Manner::Part, "ann@", "Ann <ann@example.org>"));
        assert!(matches(Manner::Part, "fn  a( b", "pub fn a(  b: u8)"));
        assert!(matches(Manner::Part, "fn*u8", "pub fn a( b: u8)"));
        assert!(matches(Manner::Whole, "feature/*", "feature/x/y"));
        assert!(!matches(Manner::Whole, "main", "maintenance"));
        assert!(matches(Manner::Last, "/^get_\\w+$/", "get_x"));
        assert!(!matches(Manner::Last, "/^get_\\w+$/", "Get_x"));
        assert!(matches(Manner::Last, "/^get_\\w+$/i", "Get_x"));
    }

    #[test]
    fn case_counts_when_told() {
        let mut pattern = Pattern::new("symbol", Manner::Last, "Foo").unwrap();
        assert!(pattern.matches("foo"));
        pattern.sensitive();
        assert!(!pattern.matches("foo"));
        assert!(pattern.matches("a::Foo"));
    }

    #[test]
    fn literals_help_to_look_candidates_up() {
        let literal = |manner, text| Pattern::new("calls", manner, text).unwrap().literal();
        assert_eq!(literal(Manner::Last, "fs.readFile()").as_deref(), Some("readfile"));
        assert_eq!(literal(Manner::Last, "read*"), None);
        assert_eq!(literal(Manner::Last, "/x/"), None);
        assert_eq!(literal(Manner::Part, "x"), None);
    }

    #[test]
    fn bad_values_say_what_is_wrong() {
        let error = Pattern::new("symbol", Manner::Last, "/(/").unwrap_err().to_string();
        assert!(error.contains("unclosed group") && error.contains("double quotes"), "{error}");
        assert!(Pattern::new("symbol", Manner::Last, "  ").is_err());
        assert!(Pattern::new("symbol", Manner::Last, &"x".repeat(1_001)).is_err());
        for odd in ["{", "}", "{a,{b}", "{,}", "::", "()", "@", "**", "\\", "[", "a{b", "*."] {
            for manner in [Manner::Path, Manner::File, Manner::Extension, Manner::Last, Manner::Run] {
                assert!(Pattern::new("path", manner, odd).is_ok(), "{odd} {manner:?}");
            }
        }
    }
}
