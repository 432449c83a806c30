//! What `.editorconfig` files say about a file, in the words of prettier's options.
//!
//! They are data. What cannot be read exactly is refused, as everywhere here: the file would get another style than its
//! project wants.

use std::collections::BTreeMap;
use std::path::Path;

use super::glob::{Dialect, Glob};
use super::refusal::{Refusal, read_settings};

const NAME: &str = ".editorconfig";

/// The lines of other properties change nothing about how a file is formatted.
const PROPERTIES: &[&str] =
    &["indent_style", "indent_size", "tab_width", "max_line_length", "quote_type", "end_of_line"];

/// What prettier takes for a line of any length.
const ENDLESS: &str = "2147483647";

type Properties = BTreeMap<&'static str, String>;

/// Options by prettier's names for them.
pub(super) fn options(file: &Path) -> Result<BTreeMap<&'static str, String>, Refusal> {
    let mut found = Vec::new();
    for folder in file.ancestors().skip(1) {
        let path = folder.join(NAME);
        let mut is_root = [".git", ".hg"].iter().any(|name| folder.join(name).is_dir());
        if path.is_file() {
            let (properties, ends) = read(&path, folder, file)?;
            found.push(properties);
            is_root |= ends;
        }
        if is_root {
            break;
        }
    }
    // The nearest file has the last word.
    let mut all = Properties::new();
    found.into_iter().rev().for_each(|properties| all.extend(properties));
    all.retain(|_, value| value != "unset");
    Ok(translated(all))
}

/// What one file says about another, and whether those further out do not count.
fn read(path: &Path, folder: &Path, file: &Path) -> Result<(Properties, bool), Refusal> {
    let text = read_settings(path)?;
    let refuse = |why: String| Refusal::new(path, why);
    let shown = file.strip_prefix(folder).ok().and_then(Path::to_str).map(|path| path.replace('\\', "/"));
    let shown = shown.ok_or_else(|| refuse("the name of the file is not UTF-8".to_owned()))?;
    let (mut properties, mut ends) = (Properties::new(), false);
    // Before the first section `root` counts, and nothing else.
    let mut section: Option<&str> = None;
    for line in text.lines().map(str::trim) {
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        if let Some(header) = line.strip_prefix('[') {
            let end = header.rfind(']').ok_or_else(|| refuse(format!("`{line}` is no section")))?;
            section = header.get(..end);
            continue;
        }
        let Some((name, value)) = line.split_once(['=', ':']) else { continue };
        let (name, value) = (name.trim().to_ascii_lowercase(), value.trim().to_ascii_lowercase());
        let Some(written) = section else {
            ends |= name == "root" && value == "true";
            continue;
        };
        let Some(name) = PROPERTIES.iter().find(|known| **known == name) else { continue };
        // A pattern without a folder is for files in all of them.
        let pattern = match written.strip_prefix('/') {
            Some(rest) => rest.to_owned(),
            None if written.contains('/') => written.to_owned(),
            None => format!("**/{written}"),
        };
        let glob = Glob::read(&pattern, Dialect::EditorConfig)
            .ok_or_else(|| refuse(format!("`[{written}]` is a pattern that is not read here")))?;
        if glob.matches(&shown) {
            if !legal(name, &value) {
                return Err(refuse(format!("`{name} = {value}` is not read here")));
            }
            properties.insert(name, value);
        }
    }
    Ok((properties, ends))
}

fn legal(name: &str, value: &str) -> bool {
    let number = (1..=4).contains(&value.len()) && value.bytes().all(|byte| byte.is_ascii_digit());
    value == "unset"
        || match name {
            "indent_style" => matches!(value, "tab" | "space"),
            "indent_size" => value == "tab" || number,
            "tab_width" => number,
            "max_line_length" => value == "off" || number,
            "quote_type" => matches!(value, "single" | "double" | "auto"),
            _ => matches!(value, "lf" | "crlf" | "cr"),
        }
}

/// As prettier translates them.
fn translated(all: Properties) -> BTreeMap<&'static str, String> {
    let number =
        |name: &str| all.get(name).filter(|value| value.bytes().any(|byte| (b'1'..=b'9').contains(&byte)));
    let is = |name: &str, value: &str| all.get(name).is_some_and(|found| found == value);
    let mut options = BTreeMap::new();
    let tabs = match all.get("indent_style") {
        Some(style) => Some(style == "tab"),
        None => is("indent_size", "tab").then_some(true),
    };
    if let Some(tabs) = tabs {
        options.insert("useTabs", tabs.to_string());
    }
    let size = number("indent_size").filter(|size| *size != "tab");
    let width = match tabs {
        Some(false) => size.or_else(|| number("tab_width")),
        _ => number("tab_width").or(size),
    };
    if let Some(width) = width {
        options.insert("tabWidth", width.clone());
    }
    if is("max_line_length", "off") {
        options.insert("printWidth", ENDLESS.to_owned());
    } else if let Some(length) = number("max_line_length") {
        options.insert("printWidth", length.clone());
    }
    for (value, single) in [("single", "true"), ("double", "false")] {
        if is("quote_type", value) {
            options.insert("singleQuote", single.to_owned());
        }
    }
    if let Some(end) = all.get("end_of_line") {
        options.insert("endOfLine", end.clone());
    }
    options
}
