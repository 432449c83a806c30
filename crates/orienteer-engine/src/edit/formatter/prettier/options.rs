//! Prettier's options that are plain data, and what a project's configuration says about one file in them.
//!
//! Whatever else a configuration says is refused: an option that is not known here may name a program.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::super::glob::{Dialect, Glob};

#[derive(Debug, Clone, Copy)]
enum Kind {
    Switch,
    Number,
    Word(&'static [&'static str]),
}

use Kind::{Number, Switch, Word};

const OPTIONS: &[(&str, Kind)] = &[
    ("arrowParens", Word(&["always", "avoid"])),
    ("bracketSameLine", Switch),
    ("bracketSpacing", Switch),
    ("checkIgnorePragma", Switch),
    ("embeddedLanguageFormatting", Word(&["auto", "off"])),
    ("endOfLine", Word(&["lf", "crlf", "cr", "auto"])),
    ("experimentalOperatorPosition", Word(&["start", "end"])),
    ("experimentalTernaries", Switch),
    ("htmlWhitespaceSensitivity", Word(&["css", "strict", "ignore"])),
    ("insertPragma", Switch),
    ("jsxBracketSameLine", Switch),
    ("jsxSingleQuote", Switch),
    ("objectWrap", Word(&["preserve", "collapse"])),
    ("parser", Word(PARSERS)),
    ("printWidth", Number),
    ("proseWrap", Word(&["always", "never", "preserve"])),
    ("quoteProps", Word(&["as-needed", "consistent", "preserve"])),
    ("requirePragma", Switch),
    ("semi", Switch),
    ("singleAttributePerLine", Switch),
    ("singleQuote", Switch),
    ("tabWidth", Number),
    ("trailingComma", Word(&["all", "es5", "none"])),
    ("useTabs", Switch),
    ("vueIndentScriptAndStyle", Switch),
];

/// Those that prettier brings along: any other name may be a module to be loaded.
const PARSERS: &[&str] = &[
    "acorn",
    "angular",
    "babel",
    "babel-flow",
    "babel-ts",
    "css",
    "espree",
    "flow",
    "glimmer",
    "graphql",
    "html",
    "json",
    "json-stringify",
    "json5",
    "jsonc",
    "less",
    "lwc",
    "markdown",
    "mdx",
    "meriyah",
    "mjml",
    "scss",
    "typescript",
    "vue",
    "yaml",
];

const MOST_NUMBER: u64 = 100_000;

/// The options for the file at `path`, which is relative to the folder of the configuration. The error says what is not
/// plain data.
pub(super) fn read(configuration: &Value, path: &str) -> Result<BTreeMap<&'static str, String>, String> {
    let mut options = BTreeMap::new();
    match configuration {
        // An empty file.
        Value::Null => {}
        Value::Object(entries) => {
            put(entries, true, &mut options)?;
            overrides(entries.get("overrides"), path, &mut options)?;
        }
        Value::String(name) => return Err(format!("it names the module `{name}`")),
        _ => return Err("it is no mapping of options".to_owned()),
    }
    Ok(options)
}

/// `--tab-width=4` for `tabWidth`.
pub(super) fn argument(name: &str, value: &str) -> String {
    let mut argument = "--".to_owned();
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            argument.push('-');
        }
        argument.push(c.to_ascii_lowercase());
    }
    format!("{argument}={value}")
}

fn put(
    entries: &Map<String, Value>,
    is_root: bool,
    options: &mut BTreeMap<&'static str, String>,
) -> Result<(), String> {
    for (name, value) in entries {
        if is_root && matches!(name.as_str(), "overrides" | "$schema") {
            continue;
        }
        let (known, kind) = OPTIONS
            .iter()
            .find(|(known, _)| known == name)
            .ok_or_else(|| format!("`{name}` is no option that is known to be plain data"))?;
        let text = match (kind, value) {
            (Switch, Value::Bool(on)) => Some(on.to_string()),
            (Number, Value::Number(number)) => {
                number.as_u64().filter(|number| *number <= MOST_NUMBER).map(|number| number.to_string())
            }
            (Word(words), Value::String(word)) => words.contains(&word.as_str()).then(|| word.clone()),
            _ => None,
        };
        let text = text.ok_or_else(|| format!("the value of `{name}` is none that is known here"))?;
        options.insert(known, text);
    }
    Ok(())
}

fn overrides(
    list: Option<&Value>,
    path: &str,
    options: &mut BTreeMap<&'static str, String>,
) -> Result<(), String> {
    let list = match list {
        None | Some(Value::Null) => return Ok(()),
        Some(Value::Array(list)) => list,
        Some(_) => return Err("`overrides` is no list".to_owned()),
    };
    for entry in list {
        let Value::Object(entry) = entry else {
            return Err("`overrides` has something odd in it".to_owned());
        };
        if let Some(odd) =
            entry.keys().find(|key| !matches!(key.as_str(), "files" | "excludeFiles" | "options"))
        {
            return Err(format!("`overrides` has `{odd}`"));
        }
        if !concerns(entry, path)? {
            continue;
        }
        match entry.get("options") {
            None | Some(Value::Null) => {}
            Some(Value::Object(entries)) => put(entries, false, options)?,
            Some(_) => return Err("`options` of `overrides` is no mapping".to_owned()),
        }
    }
    Ok(())
}

/// Patterns without a folder are compared with the name of a file, the others with its path, and each with all of those
/// that exclude.
fn concerns(entry: &Map<String, Value>, path: &str) -> Result<bool, String> {
    let files = patterns(entry.get("files"))?;
    let excluded = patterns(entry.get("excludeFiles"))?;
    let name = path.rsplit('/').next().unwrap_or(path);
    let fits = |globs: &[&Glob], text: &str| globs.iter().any(|glob| glob.is(path) || glob.matches(text));
    let excluded: Vec<&Glob> = excluded.iter().collect();
    let (far, near): (Vec<&Glob>, Vec<&Glob>) = files.iter().partition(|glob| glob.has_slash());
    Ok((fits(&near, name) && !fits(&excluded, name)) || (fits(&far, path) && !fits(&excluded, path)))
}

fn patterns(value: Option<&Value>) -> Result<Vec<Glob>, String> {
    let read = |value: &Value| {
        let text = value.as_str().ok_or("a pattern of `overrides` is no text")?;
        Glob::read(text, Dialect::Prettier).ok_or_else(|| format!("the pattern `{text}` is not read here"))
    };
    match value {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(list)) => list.iter().map(read).collect(),
        Some(one) => Ok(vec![read(one)?]),
    }
}
