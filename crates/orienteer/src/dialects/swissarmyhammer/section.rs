//! What does the `lsp` section of a `config.yaml` say?
//!
//! Other sections of the file are SwissArmyHammer's own and are passed over.

use std::collections::BTreeMap;

use orienteer_base::nearest::nearest;

use super::yaml::{Fault, Key, Node, Value};

/// Everything the section may hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Section {
    /// As written, with its line: its bounds are those of our own key.
    pub(super) idle_timeout_seconds: Option<(String, usize)>,
    pub(super) disabled_languages: Vec<String>,
    /// Program to where it is, with the line.
    pub(super) server_paths: BTreeMap<String, (String, usize)>,
    pub(super) languages: BTreeMap<String, Language>,
}

/// One language; what is absent was not given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Language {
    pub(super) line: usize,
    pub(super) command: Option<String>,
    pub(super) args: Option<Vec<String>>,
    pub(super) extensions: Vec<String>,
    pub(super) root_markers: Vec<String>,
    pub(super) install_hint: Option<String>,
    pub(super) requires: Vec<String>,
}

const KEYS: &[&str] = &["idle_timeout_seconds", "disabled_languages", "server_paths", "languages"];
const LANGUAGE_KEYS: &[&str] = &["command", "args", "extensions", "root_markers", "install_hint", "requires"];

/// Reads the section of a whole file.
pub(super) fn read(file: &Node) -> Result<Section, Fault> {
    let Value::Map(sections) = &file.value else {
        return Err(Fault::new(file.line, "the file must hold sections such as `lsp:`"));
    };
    let Some((_, lsp)) = sections.iter().find(|(key, _)| key.name == "lsp") else {
        // Written almost right, it would silently count for nothing.
        let close = sections.iter().find(|(key, _)| !nearest(&key.name, ["lsp"], 1).is_empty());
        return match close {
            Some((key, _)) if key.name.chars().count() <= 4 => {
                Err(Fault::new(key.line, format!("`{}` is no section; did you mean `lsp`?", cut(&key.name))))
            }
            _ => Ok(Section::default()),
        };
    };
    let mut section = Section::default();
    for (key, node) in entries(lsp, "lsp")? {
        let at = format!("lsp.{}", key.name);
        match key.name.as_str() {
            "idle_timeout_seconds" => {
                section.idle_timeout_seconds = match &node.value {
                    Value::Text(text, false) => Some((text.clone(), node.line)),
                    _ => return Err(wrong(node, &at, "a whole number")),
                };
            }
            "disabled_languages" => section.disabled_languages = texts(node, &at)?,
            "server_paths" => {
                for (program, path) in entries(node, &at)? {
                    let path = (text(path, &format!("{at}.{}", cut(&program.name)))?, program.line);
                    section.server_paths.insert(program.name.clone(), path);
                }
            }
            "languages" => {
                for (name, node) in entries(node, &at)? {
                    section.languages.insert(name.name.clone(), language(name, node, &at)?);
                }
            }
            _ => return Err(unknown(key, "lsp", KEYS)),
        }
    }
    Ok(section)
}

fn language(name: &Key, node: &Node, at: &str) -> Result<Language, Fault> {
    let at = format!("{at}.{}", cut(&name.name));
    let mut language = Language { line: name.line, ..Language::default() };
    for (key, node) in entries(node, &at)? {
        let field = format!("{at}.{}", cut(&key.name));
        match key.name.as_str() {
            "command" => language.command = Some(text(node, &field)?),
            "args" => language.args = Some(texts(node, &field)?),
            "extensions" => language.extensions = texts(node, &field)?,
            "root_markers" => language.root_markers = texts(node, &field)?,
            "install_hint" => language.install_hint = Some(text(node, &field)?),
            "requires" => language.requires = texts(node, &field)?,
            _ => return Err(unknown(key, &at, LANGUAGE_KEYS)),
        }
    }
    Ok(language)
}

fn entries<'n>(node: &'n Node, at: &str) -> Result<&'n [(Key, Node)], Fault> {
    match &node.value {
        Value::Map(entries) => Ok(entries),
        Value::Nothing => Ok(&[]),
        _ => Err(wrong(node, at, "a mapping")),
    }
}

fn text(node: &Node, at: &str) -> Result<String, Fault> {
    match &node.value {
        Value::Text(text, _) if !text.trim().is_empty() => Ok(text.clone()),
        _ => Err(wrong(node, at, "a string")),
    }
}

fn texts(node: &Node, at: &str) -> Result<Vec<String>, Fault> {
    match &node.value {
        Value::List(items) => items.iter().map(|item| text(item, at)).collect(),
        Value::Nothing => Ok(Vec::new()),
        _ => Err(wrong(node, at, "a list of strings")),
    }
}

fn wrong(node: &Node, at: &str, expected: &str) -> Fault {
    let found = match &node.value {
        Value::Nothing => "nothing".to_owned(),
        Value::Text(text, _) => format!("`{}`", cut(text)),
        Value::List(_) => "a list".to_owned(),
        Value::Map(_) => "a mapping".to_owned(),
        Value::Special(what) => format!("{what}, which is not read here: write the value itself"),
    };
    Fault::new(node.line, format!("`{at}` must be {expected}, not {found}"))
}

fn unknown(key: &Key, at: &str, legal: &[&str]) -> Fault {
    let close = nearest(&key.name, legal.iter().copied(), 1);
    let hint = close.first().map(|close| format!("did you mean `{close}`? ")).unwrap_or_default();
    let message =
        format!("`{at}.{}` is not a setting; {hint}legal ones are {}", cut(&key.name), legal.join(", "));
    Fault::new(key.line, message)
}

fn cut(text: &str) -> String {
    text.chars().take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialects::swissarmyhammer::yaml;

    fn of(text: &str) -> Result<Section, Fault> {
        read(&yaml::parse(text).unwrap().unwrap())
    }

    fn fault(text: &str) -> (usize, String) {
        let fault = of(text).unwrap_err();
        (fault.line, fault.message)
    }

    #[test]
    fn the_example_of_the_document_is_understood() {
        let section = of("# .swissarmyhammer/config.yaml\nlsp:\n  # Override idle timeout\n  idle_timeout_seconds: 600\n\n  \
             # Disable specific languages\n  disabled_languages: []\n\n  # Custom language server paths\n  server_paths:\n    \
             rust-analyzer: \"/custom/path/rust-analyzer\"\n\n  # Additional language configurations\n  languages:\n    go:\n      \
             command: \"gopls\"\n      args: []\n      extensions: [\".go\"]\n      root_markers: [\"go.mod\", \"go.sum\"]\n")
        .unwrap();
        assert_eq!(section.idle_timeout_seconds, Some(("600".to_owned(), 4)));
        assert_eq!(section.disabled_languages, Vec::<String>::new());
        assert_eq!(section.server_paths["rust-analyzer"].0, "/custom/path/rust-analyzer");
        let go = &section.languages["go"];
        assert_eq!((go.line, go.command.as_deref(), go.args.as_deref()), (15, Some("gopls"), Some(&[][..])));
        assert_eq!(
            (&go.extensions[..], &go.root_markers[..]),
            (&[".go".to_owned()][..], &["go.mod".to_owned(), "go.sum".to_owned()][..])
        );
    }

    #[test]
    fn other_sections_are_somebody_elses() {
        assert_eq!(of("agent: &a {model: x}\nother: [*a]\n"), Ok(Section::default()));
        assert_eq!(of("lsp:\nagent: 1\n"), Ok(Section::default()));
        assert_eq!(
            fault("\nlps:\n  languages: {}\n"),
            (2, "`lps` is no section; did you mean `lsp`?".to_owned())
        );
    }

    #[test]
    fn a_wrong_key_names_its_line_and_the_nearest_legal_one() {
        let (line, message) = fault("lsp:\n  idle_timeout_secs: 3\n");
        assert_eq!(line, 2);
        assert!(message.contains("did you mean `idle_timeout_seconds`?"), "{message}");
        let (line, message) = fault("lsp:\n  languages:\n    go:\n      comand: gopls\n");
        assert_eq!(line, 4);
        assert!(message.contains("`lsp.languages.go.comand`") && message.contains("`command`"), "{message}");
    }

    #[test]
    fn a_wrong_value_says_what_is_legal() {
        assert_eq!(
            fault("lsp:\n  disabled_languages: rust\n"),
            (2, "`lsp.disabled_languages` must be a list of strings, not `rust`".to_owned())
        );
        assert!(
            fault("lsp:\n  idle_timeout_seconds: [1]\n").1.contains("must be a whole number, not a list")
        );
        assert!(
            fault("x: &x /bin/sh\nlsp:\n  languages:\n    go:\n      command: *x\n")
                .1
                .contains("not an alias")
        );
        assert!(fault("lsp: [1]").1.contains("must be a mapping"));
        assert!(fault("- 1").1.contains("sections"));
    }
}
