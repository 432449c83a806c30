//! What else stands in a text: comments, attributes, long strings, and what does not fit.

use std::ops::Range;

use orienteer_base::Language;
use tree_sitter::Node;

use crate::parse::{ParseError, Parsed, Watch};
use crate::symbols::extent::clamp;
use crate::symbols::rules::slice;

/// How many nodes are visited between two looks at the clock.
const NODES_PER_CHECK: usize = 1024;

/// A text with more of them is no text of the language.
const MOST_ERRORS: usize = 1_000;

/// A place that does not fit the grammar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    pub range: Range<usize>,
    /// A sign that should be there, where only that is wrong.
    pub missing: Option<String>,
}

/// In order of the text.
#[derive(Debug, Default)]
pub(super) struct Scan {
    pub(super) errors: Vec<SyntaxError>,
    /// Without the line break that some grammars count to them.
    pub(super) comments: Vec<Range<usize>>,
    pub(super) attributes: Vec<Range<usize>>,
    pub(super) strings: Vec<Range<usize>>,
}

pub(super) fn scan(
    parsed: &Parsed<'_>,
    language: &'static Language,
    watch: &Watch,
) -> Result<Scan, ParseError> {
    let text = parsed.text;
    let mut scan = Scan::default();
    let mut cursor = parsed.tree.walk();
    let mut visited = 0usize;
    // Inside of what is wrong, more is wrong; one place is told.
    let mut wrong_until = 0;
    // Attributes are made of attributes.
    let mut attribute_until = 0;
    loop {
        visited += 1;
        if visited.is_multiple_of(NODES_PER_CHECK) {
            watch.check()?;
        }
        let node = cursor.node();
        let mut into = true;
        if (node.is_error() || node.is_missing()) && scan.errors.len() < MOST_ERRORS {
            let range = clamp(text, node);
            if range.start >= wrong_until {
                wrong_until = range.end;
                scan.errors
                    .push(SyntaxError { range, missing: node.is_missing().then(|| node.kind().to_owned()) });
            }
        }
        if language.id == "python" && matches!(node.kind(), "block" | "module") {
            misindented(node, text, &mut scan.errors);
        }
        if node.is_named() {
            match sort(node, text, language) {
                Some(Sort::Comment) => {
                    let range = clamp(text, node);
                    let length = slice(text, node).trim_end().len();
                    scan.comments.push(range.start..range.start + length);
                    into = false;
                }
                Some(Sort::Attribute) if node.start_byte() >= attribute_until => {
                    let range = clamp(text, node);
                    attribute_until = range.end;
                    scan.attributes.push(range);
                }
                Some(Sort::LongString) => scan.strings.push(clamp(text, node)),
                Some(Sort::Attribute) | None => {}
            }
        }
        if into && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                scan.errors.sort_by_key(|error| error.range.start);
                return Ok(scan);
            }
        }
    }
}

/// Statements of a Python block that do not stand below each other, which the grammar lets pass.
fn misindented(block: Node<'_>, text: &str, errors: &mut Vec<SyntaxError>) {
    let mut cursor = block.walk();
    let owner = block.parent();
    let is_empty = block.named_children(&mut cursor).all(|child| child.kind().contains("comment"));
    if is_empty && block.kind() == "block" && errors.len() < MOST_ERRORS {
        errors.push(SyntaxError { range: clamp(text, block), missing: Some("a statement".to_owned()) });
    }
    let mut column = match block.kind() {
        "module" => Some(0),
        _ => None,
    };
    for child in block.named_children(&mut cursor) {
        let start = child.start_position();
        // What shares a line with something else has no indentation of its own.
        let own_line = super::lead::begins_line(text, child.start_byte());
        if child.kind().contains("comment") || child.is_error() || !own_line {
            continue;
        }
        let mark = if start.row == 0 && text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let here = start.column.saturating_sub(mark);
        let expected = *column.get_or_insert(here);
        let outside = owner.is_some_and(|owner| owner.start_position().column >= here);
        if (here != expected || outside) && errors.len() < MOST_ERRORS {
            errors.push(SyntaxError { range: clamp(text, child), missing: None });
        }
    }
}

enum Sort {
    Comment,
    Attribute,
    LongString,
}

fn sort(node: Node<'_>, text: &str, language: &'static Language) -> Option<Sort> {
    let kind = node.kind();
    if kind.contains("comment") || kind == "haddock" {
        return Some(Sort::Comment);
    }
    match kind {
        "attribute_item"
        | "attribute_list"
        | "attribute_declaration"
        | "attribute_specifier"
        | "decorator"
        | "annotation"
        | "marker_annotation"
        | "attribute" => return Some(Sort::Attribute),
        // Elixir writes what is said about a function as calls of operators.
        "unary_operator" if language.id == "elixir" => {
            let written = slice(text, node);
            let said = ["@doc", "@spec", "@impl", "@deprecated", "@since"];
            return said.iter().any(|word| written.starts_with(word)).then_some(Sort::Attribute);
        }
        _ => {}
    }
    let is_string = (kind.contains("string") && !kind.contains("concatenated") && !kind.contains("array"))
        || kind.contains("heredoc")
        || matches!(kind, "template_literal" | "block_scalar" | "regex" | "raw_text");
    let long = is_string && slice(text, node).contains('\n');
    (long && !is_docstring(node, language)).then_some(Sort::LongString)
}

/// A string that stands alone at the beginning of a Python block. Its indentation is no part of what it says.
fn is_docstring(node: Node<'_>, language: &'static Language) -> bool {
    if language.id != "python" {
        return false;
    }
    let mut inner = node;
    // The string, or what it is made of.
    for _ in 0..3 {
        let Some(parent) = inner.parent() else { return false };
        if parent.kind() == "expression_statement" {
            return parent.named_child_count() == 1 && parent.prev_named_sibling().is_none();
        }
        if parent.kind() != "string" {
            return false;
        }
        inner = parent;
    }
    false
}
