//! How a place in a file is sent and shown.

use orienteer_base::ask::SnippetSpec;
use orienteer_base::code::Place;
use orienteer_base::{Range, SymbolKind};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::render::text::visible;

/// The size of snippets; whether there are any is each tool's own default.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SnippetArgs {
    #[serde(default = "one_line")]
    #[schemars(range(max = 10))]
    snippet_context_lines: u32,
    #[serde(default = "four_hundred")]
    #[schemars(range(min = 40, max = 4000))]
    max_snippet_chars: usize,
}

fn one_line() -> u32 {
    1
}

fn four_hundred() -> usize {
    400
}

impl SnippetArgs {
    pub(super) fn spec(self, include: bool) -> Option<SnippetSpec> {
        let Self { snippet_context_lines, max_snippet_chars } = self;
        include.then_some(SnippetSpec { context_lines: snippet_context_lines, max_chars: max_snippet_chars })
    }
}

/// The four numbers of a range, as every answer has them.
pub(super) fn range(range: Range) -> Map<String, Value> {
    let mut value = Map::with_capacity(4);
    span(&mut value, range);
    value
}

fn span(value: &mut Map<String, Value>, range: Range) {
    value.insert("line".to_owned(), json!(range.start.line));
    value.insert("column".to_owned(), json!(range.start.column));
    value.insert("end_line".to_owned(), json!(range.end.line));
    value.insert("end_column".to_owned(), json!(range.end.column));
}

/// Stands in the place of what a file says that is in no allowed root, toolchain or package folder.
pub(super) const WITHHELD: &str = "outside_roots";

/// A location of the contract.
pub(super) fn location(place: &Place) -> Map<String, Value> {
    // Nine, and one that a tool adds. There are hundreds of them in an answer.
    let mut value = Map::with_capacity(10);
    value.insert("file_path".to_owned(), json!(place.file_path));
    span(&mut value, place.range);
    value.insert("preview".to_owned(), json!(place.preview));
    if let Some(snippet) = &place.snippet {
        value.insert("snippet".to_owned(), json!(snippet));
    }
    if let Some(symbol) = &place.symbol {
        value.insert("symbol".to_owned(), json!(symbol));
    }
    if place.withheld {
        value.insert("note".to_owned(), json!(WITHHELD));
    }
    value.insert("source".to_owned(), json!(place.source));
    value
}

/// `path:line:column`
pub(super) fn point(file_path: &str, at: Range) -> String {
    format!("{}:{}:{}", visible(file_path), at.start.line, at.start.column)
}

/// `path:line:column  code line  [enclosing symbol]`, and the snippet below it.
pub(super) fn line(place: &Place) -> String {
    let mut line = point(&place.file_path, place.range);
    if place.withheld {
        line.push_str(&format!("  ({WITHHELD}: not shown)"));
    }
    let preview = place.preview.trim();
    if !preview.is_empty() {
        line.push_str("  ");
        line.push_str(preview);
    }
    if let Some(symbol) = &place.symbol {
        line.push_str(&format!("  [{}]", visible(symbol)));
    }
    // A snippet of nothing but the line itself would be the same text twice.
    for text in place.snippet.iter().filter(|text| text.trim() != preview && !text.is_empty()) {
        line.push('\n');
        line.push_str(&quoted(text));
    }
    line
}

/// What somebody else wrote, with a mark before each line: none of them looks like one of ours.
pub(crate) fn quoted(text: &str) -> String {
    text.lines().map(|line| format!("    | {line}")).collect::<Vec<_>>().join("\n")
}

/// The same behind every line of it: what belongs to something else stands further right.
pub(super) fn indent(text: &str, depth: usize) -> String {
    let margin = "  ".repeat(depth);
    text.lines().map(|line| format!("{margin}{line}")).collect::<Vec<_>>().join("\n")
}

/// `kind name`, as far as they are known.
pub(super) fn title(kind: Option<SymbolKind>, name: &str) -> String {
    match kind {
        Some(kind) => format!("{} {}", kind.as_str(), visible(name)),
        None => visible(name).into_owned(),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use orienteer_base::{Position, Source};

    use super::*;

    pub(in crate::tools) fn at(line: u32, column: u32, length: u32) -> Range {
        Range { start: Position::new(line, column), end: Position::new(line, column + length) }
    }

    pub(in crate::tools) fn place(file_path: &str, line: u32, preview: &str) -> Place {
        Place {
            file_path: file_path.to_owned(),
            range: at(line, 5, 4),
            preview: preview.to_owned(),
            withheld: false,
            snippet: None,
            symbol: None,
            source: Source::Lsp,
        }
    }

    #[test]
    fn a_line_is_useful_alone() {
        let mut place = place("src/a.rs", 7, "    let x = f(1);");
        assert_eq!(line(&place), "src/a.rs:7:5  let x = f(1);");
        place.symbol = Some("Server/run".to_owned());
        assert_eq!(line(&place), "src/a.rs:7:5  let x = f(1);  [Server/run]");
        place.snippet = Some("    let x = f(1);".to_owned());
        assert_eq!(line(&place).lines().count(), 1, "the line is not said twice");
        place.snippet = Some("fn g() {\n    let x = f(1);\n}".to_owned());
        assert_eq!(
            line(&place),
            "src/a.rs:7:5  let x = f(1);  [Server/run]\n    | fn g() {\n    |     let x = f(1);\n    | }"
        );
        place.file_path = "a\nb".to_owned();
        assert!(line(&place).starts_with("a\\u{a}b:7:5"), "a name cannot forge a line");
    }

    #[test]
    fn a_location_has_the_contracts_fields() {
        let mut place = place("src/a.rs", 7, "  f()");
        let names = |place: &Place| location(place).keys().cloned().collect::<Vec<_>>().join(" ");
        assert_eq!(names(&place), "file_path line column end_line end_column preview source");
        place.snippet = Some(String::new());
        place.symbol = Some("g".to_owned());
        assert_eq!(names(&place), "file_path line column end_line end_column preview snippet symbol source");
        assert_eq!(location(&place)["preview"], "  f()", "as it stands");
        assert_eq!(location(&place)["end_column"], 9);
        assert_eq!(location(&place)["source"], "lsp");
    }

    #[test]
    fn snippets_are_only_made_when_they_are_wanted() {
        let args: SnippetArgs = serde_json::from_value(json!({})).unwrap();
        assert_eq!(args.spec(true), Some(SnippetSpec { context_lines: 1, max_chars: 400 }));
        assert_eq!(args.spec(false), None);
    }
}
