//! Markdown: headings, nested by their level, each reaching to the next heading of its level or above.
//!
//! This is a walk of its own because the grammar nests only one of the two ways to write a heading.

use orienteer_base::SymbolKind;
use tree_sitter::Node;

use super::rules::{child, slice};
use super::{Outline, Symbol, signature};
use crate::parse::{Limits, ParseError, Parsed, Watch};

const NODES_PER_CHECK: usize = 1024;

pub(crate) fn headings(parsed: &Parsed<'_>, limits: &Limits, watch: &Watch) -> Result<Outline, ParseError> {
    let mut outline = Outline::default();
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut cursor = parsed.tree.walk();
    let mut visited = 0usize;
    'nodes: loop {
        visited += 1;
        if visited.is_multiple_of(NODES_PER_CHECK) {
            watch.check()?;
        }
        let node = cursor.node();
        if let Some((level, name)) = heading(node) {
            if outline.symbols.len() >= limits.max_symbols {
                outline.truncated = true;
                break;
            }
            add(&mut outline, &mut open, parsed.text, node, level, name);
        }
        // A heading inside a quotation or a list belongs to what is quoted.
        if matches!(node.kind(), "document" | "section") && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                break 'nodes;
            }
        }
    }
    Ok(outline)
}

/// The level and what holds the words.
fn heading(node: Node<'_>) -> Option<(usize, Node<'_>)> {
    let name = node.child_by_field_name("heading_content");
    match node.kind() {
        "atx_heading" => {
            let marker = node.child(0)?;
            let level = (1..=6).find(|level| marker.kind() == format!("atx_h{level}_marker"))?;
            Some((level, name?))
        }
        "setext_heading" => {
            let level = if child(node, "setext_h1_underline").is_some() { 1 } else { 2 };
            Some((level, name?))
        }
        _ => None,
    }
}

fn add(
    outline: &mut Outline,
    open: &mut Vec<(usize, usize)>,
    text: &str,
    node: Node<'_>,
    level: usize,
    words: Node<'_>,
) {
    let start = node.start_byte().min(text.len());
    while let Some((at, _)) = open.pop_if(|(_, above)| *above >= level) {
        if let Some(symbol) = outline.symbols.get_mut(at) {
            symbol.range.end = start;
        }
    }
    let written = slice(text, words);
    // An optional closing run of `#` is not part of the words.
    let trimmed = written.trim_end();
    let unclosed = trimmed.trim_end_matches('#');
    let closed = unclosed.len() < trimmed.len() && (unclosed.is_empty() || unclosed.ends_with([' ', '\t']));
    let shown = if closed { unclosed.trim_end() } else { trimmed };
    let name = signature::name(shown);
    if name.is_empty() {
        return;
    }
    let parent = open.last().map(|(at, _)| *at);
    let name_path = match parent.and_then(|parent| outline.symbols.get(parent)) {
        Some(parent) => format!("{}/{name}", parent.name_path),
        None => name.clone(),
    };
    let name_start = words.start_byte().min(text.len());
    open.push((outline.symbols.len(), level));
    outline.symbols.push(Symbol {
        signature: format!("{} {name}", "#".repeat(level)),
        name,
        kind: SymbolKind::Heading,
        name_path,
        range: start..text.len(),
        name_range: name_start..name_start + shown.len(),
        parent,
    });
}
