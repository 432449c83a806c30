//! What may clangd have misunderstood where nobody tells it how files are compiled?

use std::ops::Range;
use std::path::{Path, PathBuf};

use serde_json::Value;
use serde_json::value::RawValue;

use crate::live::Live;
use crate::text::words;

/// What stands before the name of a type.
const TYPES: [&str; 4] = ["class", "enum", "struct", "union"];

/// A file that it may not have understood, and why. `word`: the file has it. `found`: where that was found as what is meant;
/// nothing where the answer does not tell of declarations.
pub(crate) async fn misread(
    live: &Live,
    word: Option<&str>,
    found: Option<&[PathBuf]>,
) -> Option<(PathBuf, &'static str)> {
    let state = live.state.lock().await;
    let text = |path: &PathBuf| state.documents.get(path).map(|open| open.text.clone());
    let mut open = state.documents.paths();
    open.retain(|path| {
        let has = |word: &str| text(path).is_some_and(|text| words(&text.text, word).next().is_some());
        word.is_none_or(has)
    });
    open.sort();
    if let Some(path) = open.iter().find(|path| lacks_include(live, path)) {
        return Some((path.clone(), "since includes are not found"));
    }
    // Where nobody says that a header is C, it is taken for C++, and a function of C is another one then.
    let is = |path: &Path, wanted: &str| path.extension().is_some_and(|extension| extension == wanted);
    let found = found.filter(|found| found.iter().any(|path| is(path, "c")))?;
    let declares = |path: &PathBuf| {
        let text = text(path)?;
        Some(word.is_none_or(|word| declares_function(&text.text, word)))
    };
    let unknown = |path: &PathBuf| is(path, "h") && !found.contains(path) && declares(path) == Some(true);
    Some((open.into_iter().find(unknown)?, "since it is read as C++"))
}

pub(crate) fn lacks_include(live: &Live, path: &Path) -> bool {
    let lacks = |item: &RawValue| {
        let item: Value = serde_json::from_str(item.get()).unwrap_or_default();
        item["code"] == "pp_file_not_found"
    };
    live.published.of(path).is_some_and(|publish| publish.items.list.iter().any(|item| lacks(item)))
}

/// Whether a function is declared somewhere: what stands before its name is its type and no comment.
fn declares_function(text: &str, name: &str) -> bool {
    words(text, name).any(|at| {
        let before = text[..at].rsplit(['{', '}', ';', '\n']).next().unwrap_or_default().trim();
        let line = text[..at].rsplit('\n').next().unwrap_or_default().trim_start();
        let is_comment = line.starts_with('*') || ["//", "/*"].iter().any(|mark| line.contains(mark));
        let is_typed =
            !before.is_empty() && !before.ends_with(['(', ',', '=', '.', '>']) && before != "return";
        let rest = &text[at + name.len()..];
        is_typed
            && !is_comment
            && rest.trim_start().starts_with('(')
            && is_declaration(text, at..at + name.len())
    })
}

/// Whether what is named at a place is declared there without being defined: the parameters of a function end with a
/// semicolon, a type has nothing but its name, a variable is `extern` and has no value.
pub(crate) fn is_declaration(text: &str, name: Range<usize>) -> bool {
    let (Some(before), Some(rest)) = (text.get(..name.start), text.get(name.end..)) else { return false };
    let statement = before.rsplit(['{', '}', ';', '\n']).next().unwrap_or_default();
    let mut words = statement.split_whitespace();
    // A macro is what it is.
    if statement.trim_start().starts_with('#') {
        return false;
    }
    let rest = rest.trim_start();
    if rest.starts_with(';') && words.clone().next_back().is_some_and(|word| TYPES.contains(&word)) {
        return true;
    }
    let is_extern = words.any(|word| word == "extern");
    if !rest.starts_with('(') && !is_extern {
        return false;
    }
    let mut depth = 0_usize;
    for letter in rest.chars() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            '{' | ';' | '=' if depth == 0 => return letter == ';',
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_that_a_header_declares_are_told_from_words() {
        for declared in ["int many(int);", "extern char *many (void);", "static inline\nint many(int n);"] {
            assert!(declares_function(declared, "many"), "{declared}");
        }
        for other in [
            "/* many(1); */",
            " * many(1);",
            "int a; // many(1);",
            "struct s { int many; };",
            "int f(void) { return many(1); }",
            "int f(void) { a = many(1); }",
            "int f(int many);",
            "int as_many(int);",
            "#define many(n) n\nint f(int);",
        ] {
            assert!(!declares_function(other, "many"), "{other}");
        }
    }

    #[test]
    fn declarations_are_told_from_definitions() {
        for (text, expected) in [
            ("int |f|(int);", true),
            ("int |f| (void (*g)(int)) noexcept;", true),
            ("int |f|(int n) { return n; }", false),
            ("virtual int |f|() = 0;", false),
            ("|C|() = default;", false),
            ("namespace |f| {", false),
            ("#define |MAX|(a, b) ((a) > (b) ? (a) : (b))\nint f(int);", false),
            ("#  define |ONE| 1\nint f(int);", false),
            ("struct |s|;", true),
            ("enum class |s| ;", true),
            ("struct |s| { int a; };", false),
            ("struct s |a|;", false),
            ("extern int |a|[4];", true),
            ("extern const int |a| = 4;", false),
            ("int |a|;", false),
            ("extern int b; int |a|;", false),
            ("int |f|(", false),
        ] {
            let mut parts = text.splitn(3, '|');
            let mut part = || parts.next().unwrap_or_default();
            let (before, name, rest) = (part(), part(), part());
            let at = before.len()..before.len() + name.len();
            assert_eq!(is_declaration(&format!("{before}{name}{rest}"), at), expected, "{text}");
        }
        assert!(!is_declaration("a", 5..6) && !is_declaration("é", 1..2));
    }
}
