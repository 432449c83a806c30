//! What a language server may have missed because macros and generated files were not expanded.
//!
//! In a project without trust nothing of it runs, so procedural macros are not expanded and build scripts make no files. An
//! answer lacks something for it only where the asked name stands in such a macro call or attribute, or where a file is
//! included that a build script would have made.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use orienteer_base::{Cancel, Problem};
use orienteer_lsp::{Lease, Spot};

use crate::Session;

/// Macros of the language and its library, which are expanded without running anything.
const BUILT_IN: &[&str] = &[
    "addr_of",
    "assert",
    "assert_eq",
    "assert_ne",
    "cfg",
    "column",
    "compile_error",
    "concat",
    "dbg",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "env",
    "eprint",
    "eprintln",
    "file",
    "format",
    "format_args",
    "include",
    "include_bytes",
    "include_str",
    "line",
    "macro_rules",
    "matches",
    "module_path",
    "option_env",
    "panic",
    "print",
    "println",
    "stringify",
    "thread_local",
    "todo",
    "unimplemented",
    "unreachable",
    "vec",
    "write",
    "writeln",
];

/// Attributes of the language itself.
const ATTRIBUTES: &[&str] = &[
    "allow",
    "cfg",
    "cold",
    "deny",
    "deprecated",
    "doc",
    "expect",
    "export_name",
    "forbid",
    "global_allocator",
    "ignore",
    "inline",
    "link",
    "link_name",
    "macro_export",
    "macro_use",
    "must_use",
    "no_mangle",
    "no_std",
    "non_exhaustive",
    "panic_handler",
    "path",
    "recursion_limit",
    "repr",
    "should_panic",
    "target_feature",
    "test",
    "track_caller",
    "warn",
];

/// The lines of each file on which a server found a name already.
#[derive(Debug, Default)]
pub(crate) struct FoundLines(HashMap<PathBuf, HashSet<u32>>);

impl FoundLines {
    pub(crate) fn add(&mut self, path: &Path, lines: impl Iterator<Item = u32>) {
        self.0.entry(path.to_path_buf()).or_default().extend(lines);
    }

    fn has(&self, path: &Path, line: u32) -> bool {
        self.0.get(path).is_some_and(|lines| lines.contains(&line))
    }
}

impl<'s> FromIterator<&'s Spot> for FoundLines {
    fn from_iter<I: IntoIterator<Item = &'s Spot>>(spots: I) -> Self {
        let mut found = Self::default();
        spots.into_iter().for_each(|spot| found.add(&spot.path, std::iter::once(spot.range.start.line)));
        found
    }
}

impl Session {
    /// Why an answer about a name may lack something for want of trust; `None` where it cannot.
    pub(crate) async fn unexpanded(
        &self,
        lease: &Lease,
        word: Option<&str>,
        found: FoundLines,
        cancel: &Cancel,
    ) -> Result<Option<String>, Problem> {
        let Some(word) = word.filter(|_| lease.is_restricted()).map(str::to_owned) else { return Ok(None) };
        let (session, flag) = (self.clone(), cancel.clone());
        self.paint(cancel, move |_| {
            let texts = |word: &str| {
                let (files, _) = session.files_with(word, &flag)?;
                let is_rust = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "rs");
                let cache = session.engine().fleet.texts();
                Ok::<_, Problem>(files.into_iter().filter(is_rust).filter_map(|path| {
                    let text = cache.read(&path).ok()?;
                    Some((path, text))
                }))
            };
            let shown = |path: &Path| session.roots().show(path);
            let mut declared: Option<HashSet<String>> = None;
            for (path, text) in texts(&word)? {
                flag.check()?;
                // Most places are known: the text around the others is what is looked at.
                if lines_with(&text.text, &word).all(|line| found.has(&path, line)) {
                    continue;
                }
                if declared.is_none() {
                    let own = texts("macro_rules")?
                        .flat_map(|(_, text)| declared_macros(&text.text).collect::<Vec<_>>());
                    declared = Some(BUILT_IN.iter().map(|&name| name.to_owned()).chain(own).collect());
                }
                let lines = unexpanded_lines(&text.text, &word, declared.as_ref().unwrap_or(&HashSet::new()));
                if let Some(line) = lines.into_iter().find(|line| !found.has(&path, *line)) {
                    let place = format!("{}:{line}", shown(&path));
                    return Ok(Some(format!(
                        "`{word}` stands in a macro call or attribute that was not expanded ({place})"
                    )));
                }
            }
            let made = texts("OUT_DIR")?.find(|(_, text)| text.text.contains("include!"));
            Ok(made.map(|(path, _)| {
                format!("{} includes what a build script would make, which was not run", shown(&path))
            }))
        })
        .await
    }
}

/// Names that `macro_rules!` gives in a text.
fn declared_macros(text: &str) -> impl Iterator<Item = String> {
    text.split("macro_rules!").skip(1).filter_map(|rest| {
        let name: String = rest.trim_start().chars().take_while(|letter| is_word(*letter)).collect();
        (!name.is_empty()).then_some(name)
    })
}

/// The lines on which a word stands.
fn lines_with<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = u32> + 't {
    let (mut line, mut behind) = (1_u32, 0);
    text.match_indices(word).filter_map(move |(at, found)| {
        line += u32::try_from(text[behind..at].matches('\n').count()).unwrap_or(0);
        behind = at;
        let ends = [text[..at].chars().next_back(), text[at + found.len()..].chars().next()];
        (!ends.into_iter().flatten().any(is_word)).then_some(line)
    })
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// The lines on which a word stands inside a call of a macro that is not one of `declared`, or inside an attribute that is
/// not the language's own.
fn unexpanded_lines(text: &str, word: &str, declared: &HashSet<String>) -> Vec<u32> {
    let mut lines = Vec::new();
    // For each open bracket: whether what is inside is not expanded.
    let mut open: Vec<bool> = Vec::new();
    let mut next_is = false;
    let (mut line, mut rest) = (1_u32, text);
    while let Some(letter) = rest.chars().next() {
        let mut length = letter.len_utf8();
        let inside = open.last().copied().unwrap_or(false);
        if rest.starts_with("//") {
            length = rest.find('\n').unwrap_or(rest.len());
        } else if rest.starts_with("/*") {
            length = rest.find("*/").map_or(rest.len(), |at| at + 2);
        } else if letter == '\'' {
            length = character_length(rest);
        } else if let Some(raw) = raw_string_length(rest) {
            length = raw;
        } else if letter == '"' {
            length = string_length(rest);
            // A name in a string of an attribute is code to the macro.
            if inside && rest[..length].split(|letter| !is_word(letter)).any(|part| part == word) {
                lines.push(line);
            }
        } else if is_word(letter) {
            length = rest.find(|letter| !is_word(letter)).unwrap_or(rest.len());
            let name = &rest[..length];
            if inside && name == word {
                lines.push(line);
            }
            let behind = rest[length..].trim_start();
            let is_call = behind.starts_with('!') && !behind.starts_with("!=");
            next_is = is_call && !declared.contains(name);
        } else if let Some(path) = rest.strip_prefix("#[").or_else(|| rest.strip_prefix("#![")) {
            let name: String = path.trim_start().chars().take_while(|letter| is_word(*letter)).collect();
            length = rest.len() - path.len();
            open.push(!ATTRIBUTES.contains(&name.as_str()));
        } else if matches!(letter, '(' | '[' | '{') {
            open.push(inside || std::mem::take(&mut next_is));
        } else if matches!(letter, ')' | ']' | '}') {
            open.pop();
        } else if letter == ';' {
            next_is = false;
        }
        line += u32::try_from(rest[..length].matches('\n').count()).unwrap_or(0);
        rest = &rest[length..];
    }
    lines
}

/// How long what begins with an apostrophe is: a character, or the apostrophe of a lifetime alone.
fn character_length(text: &str) -> usize {
    let mut letters = text.char_indices().skip(1);
    let escaped = text[1..].starts_with('\\');
    let close =
        if escaped { letters.skip(2).take(10).find(|(_, letter)| *letter == '\'') } else { letters.nth(1) };
    close.filter(|(_, letter)| *letter == '\'').map_or(1, |(at, _)| at + 1)
}

/// How long a raw string is that begins here: `r"…"`, `br#"…"#`.
fn raw_string_length(text: &str) -> Option<usize> {
    let behind = ["r", "br", "cr"].iter().find_map(|prefix| text.strip_prefix(prefix))?;
    let marks = behind.bytes().take_while(|byte| *byte == b'#').count();
    let content = behind[marks..].strip_prefix('"')?;
    let close = format!("\"{}", "#".repeat(marks));
    let end = content.find(&close).map_or(content.len(), |at| at + close.len());
    Some(text.len() - content.len() + end)
}

/// How long a string is that begins here, with its quotes.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<u32> {
        let mut declared: HashSet<String> = BUILT_IN.iter().map(|&name| name.to_owned()).collect();
        declared.extend(declared_macros(text));
        unexpanded_lines(text, "target", &declared)
    }

    #[test]
    fn only_what_is_not_expanded_counts() {
        assert_eq!(lines("fn target() {}\nfn b() { target(); }\n"), [0; 0]);
        assert_eq!(lines("fn b() { println!(\"{}\", target()); vec![target()]; }\n"), [0; 0]);
        assert_eq!(lines("fn b() {\n    html! {\n        <p>{ target() }</p>\n    }\n}\n"), [3]);
        assert_eq!(lines("sqlx::query!(target);\nfn b() { target() }"), [1]);
        assert_eq!(lines("macro_rules! own { ($x:expr) => { $x } }\nfn b() { own!(target()) }"), [0; 0]);
        assert_eq!(lines("fn b() { let q = '\"'; html!(target) } // \""), [1]);
        assert_eq!(
            lines("fn b<'a>(x: &'a str) { let q = r#\"a \" html!(target)\"#; html!('\\'', target) }"),
            [1]
        );
        assert_eq!(lines("fn b() { let q = r#\"html!(target)\"#; }"), [0; 0]);
        assert_eq!(lines("// html!(target)\n/* html!(target) */ fn b() { a != (target); }"), [0; 0]);
    }

    #[test]
    fn lines_of_whole_words() {
        let lines: Vec<u32> = lines_with("target\nmy_target targets\n\n(target) target", "target").collect();
        assert_eq!(lines, [1, 4, 4]);
    }

    #[test]
    fn attributes_name_functions_in_strings_and_words() {
        assert_eq!(lines("struct A {\n    #[serde(with = \"target\")]\n    b: u8,\n}\n"), [2]);
        assert_eq!(lines("#[route(target)]\nfn a() {}\n"), [1]);
        assert_eq!(lines("#[derive(Debug, target)]\nstruct A;\nfn b() { target() }"), [1]);
        assert_eq!(lines("#[doc = \"target\"]\n#[cfg(target)]\nfn a() {}\n"), [0; 0]);
        assert_eq!(lines("#[serde(with = \"un\\\"closed"), [0; 0]);
    }
}
