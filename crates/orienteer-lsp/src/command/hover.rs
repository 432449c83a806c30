//! `textDocument/hover`: the signature, the words and the module told apart.

use std::path::Path;

use orienteer_base::{Position, Range};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::lease::{Heard, Lease};
use crate::live::{Patience, Request};
use crate::message::Extent;
use crate::position;
use crate::reading::{Entry, LeftOut, Reading, needed};
use crate::ready::Needs;

/// What a server shows when a person points at something.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hovered {
    pub type_info: Option<String>,
    pub documentation: Option<String>,
    pub source_module: Option<String>,
    pub range: Option<Range>,
}

impl Lease {
    /// `None` when the server has nothing to say about the place.
    pub async fn hover(
        &self,
        file: &Path,
        at: Position,
        patience: &Patience,
    ) -> Result<Heard<Option<Hovered>>, Failure> {
        let request = Request {
            method: "textDocument/hover",
            needs: Needs::File,
            file: Some(file),
            at: Some(at),
            range: None,
            extra: json!({}),
        };
        self.ask(&request, patience, |live, raw, reading| {
            let value = reading.value(raw);
            if !value.is_null() && value.get("contents").is_none() {
                reading.unreadable(1);
            }
            let mut hovered = read(&value["contents"], reading)?;
            if value["range"].is_object() {
                let range =
                    live.texts.read(file).ok().and_then(|text| {
                        position::from_server(&text, Extent::read(&value["range"])?, live.unit)
                    });
                hovered.range = reading.keep(needed(range));
            }
            Some(hovered)
        })
        .await
    }
}

/// One piece of a hover: code or words.
#[derive(Debug, PartialEq, Eq)]
enum Piece {
    Code(String),
    Words(String),
}

fn read(contents: &Value, reading: &mut Reading) -> Option<Hovered> {
    let items = match contents {
        Value::Null => &[],
        Value::Array(items) => items.as_slice(),
        other => std::slice::from_ref(other),
    };
    let pieces = items.iter().filter_map(|item| reading.keep(one(item)));
    let mut pieces: Vec<Piece> = pieces.flatten().collect();
    let mut code: Vec<String> = Vec::new();
    let mut words: Vec<String> = Vec::new();
    if let Some(hovered) = headed(&mut pieces).or_else(|| titled(&mut pieces)) {
        return Some(hovered);
    }
    for piece in pieces {
        match piece {
            // Code after words is an example in the documentation.
            Piece::Code(text) if words.is_empty() => code.push(text),
            Piece::Code(text) => words.push(format!("```\n{text}\n```")),
            Piece::Words(text) => words.push(text),
        }
    }
    // A first block of one path-like word, with the signature after it, is the module.
    let source_module = (code.len() > 1 && is_path(&code[0])).then(|| code.remove(0));
    let (documentation, full_name) = without_footer(&words.join("\n\n"));
    let source_module = source_module.or(full_name);
    let documentation = Some(documentation.trim().to_owned()).filter(|text| !text.is_empty());
    let mut type_info = Some(code.join("\n")).filter(|text| !text.trim().is_empty());
    let mut documentation = documentation;
    if type_info.is_none() {
        // Servers that send plain text put the signature on the first line.
        let text = documentation.take()?;
        let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
        type_info = Some(first.trim().to_owned());
        documentation = Some(rest.trim().to_owned()).filter(|rest| !rest.is_empty());
    }
    Some(Hovered { type_info, documentation, source_module, range: None })
}

/// clangd begins with a heading (`### function `area``) and ends with the code, whose first line may be a comment
/// that says where it is.
fn headed(pieces: &mut Vec<Piece>) -> Option<Hovered> {
    match (pieces.first(), pieces.last()) {
        (Some(Piece::Words(first)), Some(Piece::Code(_))) if first.starts_with("### ") => {}
        _ => return None,
    }
    let Some(Piece::Code(code)) = pieces.pop() else { return None };
    let (source_module, code) = match code.split_once('\n') {
        Some((first, rest)) if first.starts_with("// In ") => {
            let module = first.trim_start_matches("// In ").trim_start_matches("namespace ");
            (Some(module.trim().to_owned()), rest.to_owned())
        }
        _ => (None, code),
    };
    let words = pieces.drain(..).map(|piece| match piece {
        Piece::Words(text) => match text.strip_prefix("### ") {
            // What follows the heading in the same piece.
            Some(headed) => {
                headed.split_once('\n').map_or_else(String::new, |(_, rest)| rest.trim().to_owned())
            }
            None => text,
        },
        Piece::Code(text) => format!("```\n{text}\n```"),
    });
    let words: Vec<String> = words.filter(|text| !text.is_empty()).collect();
    let documentation = Some(words.join("\n\n")).filter(|text| !text.is_empty());
    Some(Hovered { type_info: Some(code), documentation, source_module, range: None })
}

/// intelephense begins with the whole name in bold; the code follows the words.
fn titled(pieces: &mut Vec<Piece>) -> Option<Hovered> {
    let Some(Piece::Words(first)) = pieces.first_mut() else { return None };
    let (title, rest) = first.split_once('\n').unwrap_or((first.as_str(), ""));
    let name = title.trim().strip_prefix("__")?.strip_suffix("__")?;
    // Markdown's escapes: a backslash before each underscore and each backslash.
    let name = name.replace("\\_", "_").replace("\\\\", "\\");
    let source_module = name.rsplit_once('\\').map(|(module, _)| module.to_owned());
    let rest = rest.trim().to_owned();
    let at = pieces.iter().position(|piece| matches!(piece, Piece::Code(_)))?;
    let Piece::Code(code) = pieces.remove(at) else { return None };
    let code = code.trim_start_matches("<?php").trim().to_owned();
    let words = pieces.drain(..).enumerate().map(|(at, piece)| match piece {
        Piece::Words(_) if at == 0 => rest.clone(),
        Piece::Words(text) => text,
        Piece::Code(text) => format!("```\n{text}\n```"),
    });
    let words: Vec<String> = words.filter(|text| !text.is_empty()).collect();
    let documentation = Some(words.join("\n\n")).filter(|text| !text.is_empty());
    Some(Hovered { type_info: Some(code), documentation, source_module, range: None })
}

/// What stands below the words and is none: jedi ends with the whole name, from which the module is read (classes in it
/// are told by their capital letter), pyrefly with links into the sources.
fn without_footer(words: &str) -> (String, Option<String>) {
    let words = words.trim_end();
    let (rest, last) = words.rsplit_once('\n').unwrap_or(("", words));
    if let Some(name) = last.strip_prefix("**Full name:** `").and_then(|name| name.strip_suffix('`')) {
        let mut module = name.rsplit_once('.').map_or(name, |(module, _)| module);
        while let Some((outer, class)) = module.rsplit_once('.')
            && class.starts_with(char::is_uppercase)
        {
            module = outer;
        }
        return (rest.to_owned(), Some(module.to_owned()));
    }
    let is_links = last.starts_with("Go to [") && last.contains("](file://");
    (if is_links { rest.to_owned() } else { words.to_owned() }, None)
}

fn is_path(code: &str) -> bool {
    let code = code.trim();
    !code.is_empty() && code.chars().all(|c| c.is_alphanumeric() || "_:./-@<>$".contains(c))
}

fn one(item: &Value) -> Entry<Vec<Piece>> {
    match item {
        Value::String(text) => Ok(markdown(text)),
        Value::Object(object) => {
            let value = needed(object.get("value").and_then(Value::as_str))?;
            if object.contains_key("language") {
                return Ok(vec![Piece::Code(value.trim().to_owned())]);
            }
            if object.get("kind").and_then(Value::as_str) == Some("plaintext") {
                return Ok(vec![Piece::Words(value.trim().to_owned())]);
            }
            Ok(markdown(value))
        }
        _ => Err(LeftOut::Unreadable),
    }
}

/// Pictures that are written into the text are thousands of characters that nobody can read.
fn without_pictures(text: &str) -> String {
    let mut kept = String::new();
    let mut left = text;
    while let Some(begin) = left.find("![") {
        let picture = &left[begin..];
        let data = picture.find("](data:").filter(|at| !picture[..*at].contains('\n'));
        match data.and_then(|_| picture.find(')')) {
            Some(end) => {
                kept.push_str(left[..begin].trim_end_matches(' '));
                left = picture[end + 1..].trim_start_matches(' ');
            }
            None => {
                kept.push_str(&left[..begin + 2]);
                left = &left[begin + 2..];
            }
        }
    }
    kept.push_str(left);
    kept
}

/// Fenced code and what stands between; rules are left out.
fn markdown(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut lines = text.lines();
    let mut words: Vec<&str> = Vec::new();
    let flush = |words: &mut Vec<&str>, pieces: &mut Vec<Piece>| {
        let joined = words.join("\n");
        let joined = without_pictures(&joined);
        let parts = joined.split("\n---\n").map(|part| part.trim().trim_matches('-').trim().to_owned());
        pieces.extend(parts.filter(|part| !part.is_empty()).map(Piece::Words));
        words.clear();
    };
    while let Some(line) = lines.next() {
        let trimmed = line.trim_start();
        let Some(fence) = ["```", "~~~"].into_iter().find(|fence| trimmed.starts_with(fence)) else {
            words.push(line);
            continue;
        };
        flush(&mut words, &mut pieces);
        let code: Vec<&str> =
            lines.by_ref().take_while(|line| !line.trim_start().starts_with(fence)).collect();
        pieces.push(Piece::Code(code.join("\n").trim_matches('\n').to_owned()));
    }
    flush(&mut words, &mut pieces);
    pieces
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn read(contents: &Value) -> Option<Hovered> {
        super::read(contents, &mut Reading::new(crate::live::Seen::default()))
    }

    fn hover(contents: Value) -> (Option<String>, Option<String>, Option<String>) {
        let hovered = read(&contents).unwrap();
        (hovered.source_module, hovered.type_info, hovered.documentation)
    }

    fn some(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    #[test]
    fn a_module_a_signature_and_words() {
        let value = "\n```rust\ngeometry::shape\n```\n\n```rust\npub fn area(&self) -> f64\n```\n\n---\n\nThe area.\n\n# Examples\n\n```\nlet a = 1;\n```";
        let (module, code, words) = hover(json!({ "kind": "markdown", "value": value }));
        assert_eq!(module, some("geometry::shape"));
        assert_eq!(code, some("pub fn area(&self) -> f64"));
        assert_eq!(words, some("The area.\n\n# Examples\n\n```\nlet a = 1;\n```"));
    }

    #[test]
    fn what_stands_below_the_words() {
        let value = "```python\ndef f()\n```\n---\nThe sum.\n**Full name:** `shapes.total.f`";
        let (module, code, words) = hover(json!({ "kind": "markdown", "value": value }));
        assert_eq!((module, code, words), (some("shapes.total"), some("def f()"), some("The sum.")));
        let value = "```python\ndef f()\n```\n---\n**Full name:** `shapes.round.Circle.area`";
        assert_eq!(hover(json!({ "kind": "markdown", "value": value })).0, some("shapes.round"));
        let value =
            "```python\ndef f()\n```\n---\nThe sum.\n\nGo to [A](file:///a.py#L1,1) | [B](file:///b.py#L1,1)";
        let (module, code, words) = hover(json!({ "kind": "markdown", "value": value }));
        assert_eq!((module, code, words), (None, some("def f()"), some("The sum.")));
        let value = "```python\ndef f()\n```\n---\nGo to [the page](https://example.org).";
        let words = hover(json!({ "kind": "markdown", "value": value })).2;
        assert_eq!(words, some("Go to [the page](https://example.org)."), "somebody's words");
    }

    #[test]
    fn a_heading_with_the_code_at_the_end() {
        let value = "### function `total`  \n\n---\n→ `int`  \nThe sum.\n\n---\n```cpp\n// In namespace geometry\nint total()\n```";
        let (module, code, words) = hover(json!({ "kind": "markdown", "value": value }));
        assert_eq!((module, code), (some("geometry"), some("int total()")));
        assert_eq!(words, some("→ `int`  \nThe sum."));
    }

    #[test]
    fn a_bold_name_with_the_code_behind_the_words() {
        let value = "__Shapes\\\\total\\_area__\n\nThe sum.\n\n```php\n<?php\nfunction total_area(): float { }\n```\n\n_@return_ `float`";
        let (module, code, words) = hover(json!({ "kind": "markdown", "value": value }));
        assert_eq!((module, code), (some("Shapes"), some("function total_area(): float { }")));
        assert_eq!(words, some("The sum.\n\n_@return_ `float`"));
    }

    #[test]
    fn pictures_in_the_text_are_left_out() {
        let value = "The main element.\n\n![Baseline icon](data:image/svg+xml;base64,PHN2ZyB3aWR0aD0i) _Widely available_ ![x](a.png)";
        let (_, code, words) = hover(json!({ "kind": "markdown", "value": value }));
        assert_eq!((code, words), (some("The main element."), some("_Widely available_ ![x](a.png)")));
    }

    #[test]
    fn every_shape_of_the_protocol() {
        let marked = json!([{ "language": "typescript", "value": "function f(): void" }, "Does it."]);
        assert_eq!(hover(marked), (None, some("function f(): void"), some("Does it.")));
        assert_eq!(hover(json!("plain")), (None, some("plain"), None));
        let plain = json!({ "kind": "plaintext", "value": "def f() -> int\n\nDocs here." });
        assert_eq!(hover(plain), (None, some("def f() -> int"), some("Docs here.")));
        assert_eq!(read(&Value::Null), None);
        assert_eq!(read(&json!([])), None);
        assert_eq!(read(&json!({ "kind": "markdown", "value": "" })), None);
    }
}
