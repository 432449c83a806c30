//! What a language server may have missed because macros and generated files were not expanded.
//!
//! In a project without trust nothing of it runs, so procedural macros are not expanded and build scripts make no files. An
//! answer lacks something for it only where the asked name stands in such a macro call or attribute, or where a file is
//! included that a build script would have made.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use orienteer_base::settings_file::read_settings;
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

/// How often a server found a name on each line of each file.
#[derive(Debug, Default)]
pub(crate) struct FoundLines(HashMap<PathBuf, HashMap<u32, usize>>);

impl FoundLines {
    pub(crate) fn add(&mut self, path: &Path, lines: impl Iterator<Item = u32>) {
        let found = self.0.entry(path.to_path_buf()).or_default();
        lines.for_each(|line| *found.entry(line).or_default() += 1);
    }

    fn on(&self, path: &Path, line: u32) -> usize {
        self.0.get(path).and_then(|lines| lines.get(&line)).copied().unwrap_or(0)
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
    /// Whether anything of the workspace could be written by a procedural macro or a build script.
    pub(crate) async fn has_procedural_macros(&self, cancel: &Cancel) -> Result<bool, Problem> {
        let (session, flag) = (self.clone(), cancel.clone());
        self.paint(cancel, move |_| {
            for word in ["proc_macro", "proc_macro2", "OUT_DIR"] {
                if !session.files_with(word, &flag)?.0.is_empty() {
                    return Ok(true);
                }
            }
            let lock = session.roots().workspace().join("Cargo.lock");
            Ok(read_settings(&lock).is_some_and(|text| text.contains("\"proc-macro2\"")))
        })
        .await
    }

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
                // What a macro of the project writes is told by its own source: as code that it quotes, or as a string.
                if text.text.contains("proc_macro") && is_in_string(&text.text, &word) {
                    let place = shown(&path);
                    return Ok(Some(format!("`{word}` may be written by a macro that was not expanded ({place})")));
                }
                if let Some(alias) = alias_of(&text.text, &word) {
                    let declared = HashSet::from_iter(BUILT_IN.iter().map(|&name| name.to_owned()));
                    let mut others = texts(&alias)?;
                    if let Some((path, _)) = others
                        .find(|(_, text)| !unexpanded_lines(&text.text, &alias, &declared).is_empty())
                    {
                        let place = shown(&path);
                        return Ok(Some(format!(
                            "`{word}` is also `{alias}`, which stands in a macro call that was not expanded ({place})"
                        )));
                    }
                }
                // Most places are known: the text around the others is what is looked at.
                if lines_with(&text.text, &word)
                    .into_iter()
                    .all(|(line, times)| found.on(&path, line) >= times)
                {
                    continue;
                }
                if declared.is_none() {
                    let own = texts("macro_rules")?.map(|(_, text)| text.text.clone()).collect::<Vec<_>>();
                    declared = Some(expanded_macros(&own));
                }
                let places =
                    unexpanded_lines(&text.text, &word, declared.as_ref().unwrap_or(&HashSet::new()));
                let is_new = |(line, all): &(u32, usize)| found.on(&path, *line) < *all;
                if let Some((line, _)) = places.into_iter().find(is_new) {
                    let place = format!("{}:{line}", shown(&path));
                    return Ok(Some(format!(
                        "`{word}` stands in a macro call or attribute that was not expanded ({place})"
                    )));
                }
            }
            let made = texts("OUT_DIR")?.find(|(_, text)| includes_generated(&text.text));
            Ok(made.map(|(path, _)| {
                format!("{} includes what a build script would make, which was not run", shown(&path))
            }))
        })
        .await
    }
}

/// Whether a text includes a file of the folder that build scripts write to.
fn includes_generated(text: &str) -> bool {
    let others =
        BUILT_IN.iter().filter(|name| !name.starts_with("include")).map(|&name| name.to_owned()).collect();
    text.contains("include") && !unexpanded_lines(text, "OUT_DIR", &others).is_empty()
}

/// Macros that are expanded without running anything: those of the language, and those of the project's own whose rules call
/// no other ones.
fn expanded_macros(texts: &[String]) -> HashSet<String> {
    let own: Vec<(String, &str)> = texts.iter().flat_map(|text| declared_macros(text)).collect();
    let names: HashSet<String> = BUILT_IN
        .iter()
        .map(|&name| name.to_owned())
        .chain(own.iter().map(|(name, _)| name.clone()))
        .collect();
    let passes_on: HashSet<&String> =
        own.iter().filter(|(_, rules)| calls_others(rules, &names)).map(|(name, _)| name).collect();
    names.iter().filter(|name| !passes_on.contains(name)).cloned().collect()
}

/// Names that `macro_rules!` gives in a text, each with its rules.
fn declared_macros(text: &str) -> impl Iterator<Item = (String, &str)> {
    text.split("macro_rules!").skip(1).filter_map(|rest| {
        let rest = rest.trim_start();
        let end = rest.find(|letter| !is_word(letter)).unwrap_or(rest.len());
        (end > 0).then(|| (rest[..end].to_owned(), rules(&rest[end..])))
    })
}

/// The bracketed text that begins here.
fn rules(text: &str) -> &str {
    let mut depth = 0_usize;
    for (at, letter) in text.char_indices() {
        match letter {
            '{' | '(' | '[' => depth += 1,
            '}' | ')' | ']' => depth = depth.saturating_sub(1),
            _ => continue,
        }
        if depth == 0 {
            return &text[..at];
        }
    }
    text
}

/// Whether rules call a macro that is none of these.
fn calls_others(rules: &str, names: &HashSet<String>) -> bool {
    rules.match_indices('!').any(|(at, _)| {
        let before = rules[..at].trim_end();
        let start = before.rfind(|letter| !is_word(letter)).map_or(0, |start| start + 1);
        let behind = rules[at + 1..].trim_start();
        let is_call = start < before.len() && behind.starts_with(['(', '[', '{']);
        is_call && !is_expanded(before, start, names)
    })
}

/// Whether the macro whose name ends a text is one of these: a path in front of the name leads to another one, unless it is
/// that of the language or of the crate itself.
fn is_expanded(before: &str, start: usize, names: &HashSet<String>) -> bool {
    let path = before[..start].trim_end();
    let plain = match path.strip_suffix("::") {
        None => true,
        Some(path) => {
            let first = path.rfind(|letter: char| !is_word(letter) && letter != '$').map_or(0, |at| at + 1);
            matches!(&path[first..], "std" | "core" | "alloc" | "crate" | "$crate")
        }
    };
    plain && names.contains(&before[start..])
}

/// Whether a word stands in a string.
fn is_in_string(text: &str, word: &str) -> bool {
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let length = match letter {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => comment_length(rest),
            '\'' => character_length(rest),
            '"' => string_length(rest),
            _ => raw_string_length(rest).unwrap_or(letter.len_utf8()),
        };
        let is_string = letter == '"' || (length > letter.len_utf8() && matches!(letter, 'r' | 'b' | 'c'));
        if is_string && rest[..length].split(|letter| !is_word(letter)).any(|part| part == word) {
            return true;
        }
        rest = &rest[length..];
    }
    false
}

/// The other name that an import gives a word.
fn alias_of(text: &str, word: &str) -> Option<String> {
    text.match_indices(word).find_map(|(at, found)| {
        let behind = text[at + found.len()..].trim_start().strip_prefix("as ")?.trim_start();
        let before = text[..at].chars().next_back();
        let alias: String = behind.chars().take_while(|letter| is_word(*letter)).collect();
        (!before.is_some_and(is_word) && !alias.is_empty() && alias != "_").then_some(alias)
    })
}

/// How often a word stands on each line.
fn lines_with(text: &str, word: &str) -> HashMap<u32, usize> {
    let (mut line, mut behind, mut lines) = (1_u32, 0, HashMap::new());
    for (at, found) in text.match_indices(word) {
        line += u32::try_from(text[behind..at].matches('\n').count()).unwrap_or(0);
        behind = at;
        let ends = [text[..at].chars().next_back(), text[at + found.len()..].chars().next()];
        if !ends.into_iter().flatten().any(is_word) {
            *lines.entry(line).or_default() += 1;
        }
    }
    lines
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// The lines on which a word stands inside a call of a macro that is not one of `declared`, or inside an attribute that is
/// not the language's own, each with how often it stands there in code.
fn unexpanded_lines(text: &str, word: &str, declared: &HashSet<String>) -> Vec<(u32, usize)> {
    let mut unexpanded = Vec::new();
    let mut all: HashMap<u32, usize> = HashMap::new();
    // For each open bracket: whether what is inside is not expanded.
    let mut open: Vec<bool> = Vec::new();
    let mut next_is = false;
    let (mut line, mut rest) = (1_u32, text);
    while let Some(letter) = rest.chars().next() {
        let mut length = letter.len_utf8();
        let inside = open.last().copied().unwrap_or(false);
        let mut found = |count: usize| {
            if count > 0 {
                *all.entry(line).or_default() += count;
                unexpanded.extend(inside.then_some(line));
            }
        };
        // A name in a string of an attribute is code to the macro.
        let in_string = |string: &str| {
            string.split(|letter| !is_word(letter)).filter(|part| inside && *part == word).count()
        };
        if rest.starts_with("//") {
            length = rest.find('\n').unwrap_or(rest.len());
        } else if rest.starts_with("/*") {
            length = comment_length(rest);
        } else if letter == '\'' {
            length = character_length(rest);
        } else if let Some(raw) = raw_string_length(rest) {
            length = raw;
            found(in_string(&rest[..length]));
        } else if letter == '"' {
            length = string_length(rest);
            found(in_string(&rest[..length]));
        } else if is_word(letter) {
            length = rest.find(|letter| !is_word(letter)).unwrap_or(rest.len());
            found(usize::from(&rest[..length] == word));
            let behind = rest[length..].trim_start();
            let is_call = behind.starts_with('!') && !behind.starts_with("!=");
            let at = text.len() - rest.len();
            next_is = is_call && !is_expanded(&text[..at + length], at, declared);
        } else if let Some(path) = rest.strip_prefix("#[").or_else(|| rest.strip_prefix("#![")) {
            let end = path.find(|letter| !is_word(letter) && letter != ':').unwrap_or(path.len());
            length = rest.len() - path.len();
            open.push(inside || !ATTRIBUTES.contains(&path[..end].trim()));
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
    unexpanded.dedup();
    unexpanded.into_iter().map(|line| (line, all.get(&line).copied().unwrap_or(1))).collect()
}

/// How long a comment is that begins here. They stand within each other.
fn comment_length(text: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if rest.starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return at;
            }
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
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
        let declared = expanded_macros(&[text.to_owned()]);
        unexpanded_lines(text, "target", &declared).into_iter().map(|(line, _)| line).collect()
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
    fn a_generated_file_is_included_by_code_alone() {
        assert!(includes_generated("include!(concat!(env!(\"OUT_DIR\"), \"/gen.rs\"));"));
        assert!(!includes_generated("// include!(concat!(env!(\"OUT_DIR\"), \"/gen.rs\"));"));
        assert!(!includes_generated(
            "const A: &str = r#\"include!(\"OUT_DIR\")\"#; fn b() { println!(\"OUT_DIR\") }"
        ));
    }

    #[test]
    fn lines_of_whole_words() {
        let lines = lines_with("target\nmy_target targets\n\n(target) target", "target");
        assert_eq!(lines, HashMap::from([(1, 1), (4, 2)]));
    }

    #[test]
    fn other_names_and_strings_of_macros_are_found() {
        assert_eq!(alias_of("pub use a::target as other;", "target").as_deref(), Some("other"));
        assert_eq!(alias_of("let x = my_target as u8; use a::target;", "target"), None);
        assert!(is_in_string("fn a() { \"target();\".parse() }", "target"));
        assert!(is_in_string("fn a() { r#\"target()\"#.parse() }", "target"));
        assert!(!is_in_string("fn target() {} // \"target\"", "target"));
    }

    #[test]
    fn a_macro_is_what_its_path_and_its_rules_say() {
        assert_eq!(
            lines("macro_rules! wrap { ($($t:tt)*) => { pm::html! { $($t)* } } }\nwrap! { target(); }"),
            [2]
        );
        assert_eq!(lines("pm::println!(target());\nstd::println!(target());\n$crate::vec![target]"), [1]);
        assert_eq!(lines("pm::html! { /* /* */ } */ target(); }"), [1]);
        assert_eq!(lines("#[test::case(target)]\nfn a() {}\n"), [1]);
        assert_eq!(lines("#[serde(with = r\"target\")]\nstruct A;\nhtml! { #[doc = target] }"), [1, 3]);
        let both = unexpanded_lines("target(); html! { target(); }", "target", &HashSet::new());
        assert_eq!(both, [(1, 2)], "one that was found on a line does not explain the other");
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
