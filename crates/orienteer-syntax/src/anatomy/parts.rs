//! Where are the parts of a definition?

use std::ops::Range;

use orienteer_base::Language;
use tree_sitter::Node;

use super::lead::{begins_line, lead};
use super::scan::Scan;
use super::{Anatomy, Body, Found, Shape};
use crate::symbols::extent::{body_of, clamp};
use crate::symbols::table::Table;
use crate::symbols::{Outline, Symbol};

pub(super) fn anatomy(
    text: &str,
    language: &'static Language,
    table: &Table,
    scan: &Scan,
    outline: &Outline,
    symbol: &Symbol,
    found: &Found<'_>,
) -> Anatomy {
    let lead = lead(text, language, scan, &symbol.range, &symbol.name_range);
    let (top, around) = top(text, &symbol.range, found);
    let separator = beside(top, Node::next_sibling).and_then(|node| match node.kind() {
        "," => Some((clamp(text, node), ',')),
        ";" => Some((clamp(text, node), ';')),
        _ => None,
    });
    let comma_before =
        beside(top, Node::prev_sibling).filter(|node| node.kind() == ",").map(|node| clamp(text, node));
    // Some grammars count the line break to a definition.
    let written = text.get(symbol.range.clone()).unwrap_or_default();
    let core_end = (symbol.range.start + written.trim_end().len()).max(lead.core_start);
    let core_end = before_comment(text, scan, lead.core_start..core_end);
    let ended = separator.as_ref().map_or(core_end, |(range, _)| range.end);
    let comment_behind = scan.comments.iter().find(|comment| {
        let on_line = |from: usize, to: usize| {
            text.get(from..to)
                .is_some_and(|between| between.bytes().all(|byte| byte == b' ' || byte == b'\t'))
        };
        let rest = text.get(comment.end..).unwrap_or_default();
        let line = rest.find('\n').map_or(rest, |end| rest.get(..end).unwrap_or_default());
        comment.start >= ended && on_line(ended, comment.start) && line.trim().is_empty()
    });
    let in_commas = comma_before.is_some()
        || matches!(separator, Some((_, ',')))
        || around.is_some_and(|around| {
            let mut cursor = around.walk();
            around.children(&mut cursor).take(64).any(|child| child.kind() == ",")
        });
    let same = |other: &&Symbol| other.range == symbol.range && other.name_range != symbol.name_range;
    // A class may be written as nothing but its only member.
    let shared = outline.symbols.iter().filter(same).filter(|other| other.parent == symbol.parent);
    Anatomy {
        docs: lead.docs,
        attributes: lead.attributes,
        core: lead.core_start..core_end,
        body: body(text, language, table, scan, symbol, found),
        separator,
        comment_behind: comment_behind.cloned(),
        comma_before,
        in_commas,
        shared_with: shared.map(|other| other.name.clone()).collect(),
        part: around.and_then(|around| part(around, top)),
        symbol: symbol.clone(),
    }
}

/// The end of a range without a comment behind its closing brace: where a line break may end a statement, some grammars
/// count what stands before that break to the block.
fn before_comment(text: &str, scan: &Scan, range: Range<usize>) -> usize {
    let behind = scan.comments.iter().find(|comment| comment.end == range.end && comment.start > range.start);
    let before = behind.and_then(|comment| text.get(range.start..comment.start)).map(str::trim_end);
    match before {
        Some(before) if before.ends_with('}') => range.start + before.len(),
        _ => range.end,
    }
}

/// The outermost node that is nothing but the definition, and the one around it.
fn top<'t>(text: &str, range: &Range<usize>, found: &Found<'t>) -> (Node<'t>, Option<Node<'t>>) {
    let mut top = found.node;
    for (depth, parent) in found.above.iter().enumerate().rev() {
        let whole = clamp(text, *parent);
        if depth == 0 || whole.start < range.start || whole.end > range.end {
            return (top, Some(*parent));
        }
        top = *parent;
    }
    (top, None)
}

/// The nearest sibling that is no comment.
fn beside<'t>(node: Node<'t>, step: fn(&Node<'t>) -> Option<Node<'t>>) -> Option<Node<'t>> {
    let mut at = step(&node);
    while let Some(node) = at {
        if !node.kind().contains("comment") {
            return Some(node);
        }
        at = step(&node);
    }
    None
}

/// What the node is of the one around it, unless that is a list of such nodes.
fn part(around: Node<'_>, node: Node<'_>) -> Option<String> {
    if ["body", "list", "block", "members"].iter().any(|word| around.kind().contains(word)) {
        return None;
    }
    let mut cursor = around.walk();
    if !cursor.goto_first_child() {
        return None;
    }
    loop {
        if cursor.node().id() == node.id() {
            let field = cursor.field_name()?;
            return (!matches!(field, "body" | "members" | "declarations")).then(|| field.to_owned());
        }
        if !cursor.goto_next_sibling() {
            return None;
        }
    }
}

fn body(
    text: &str,
    language: &'static Language,
    table: &Table,
    scan: &Scan,
    symbol: &Symbol,
    found: &Found<'_>,
) -> Option<Body> {
    let within = |node: &&Node<'_>| {
        let range = clamp(text, **node);
        range.start >= symbol.range.start && range.end <= symbol.range.end
    };
    let wrappers = found.above.iter().rev().take_while(within);
    let node = found
        .body
        .or_else(|| body_of(table, found.node))
        .or_else(|| wrappers.filter_map(|wrapper| body_of(table, *wrapper)).next())?;
    let mut range = clamp(text, node);
    if node.kind() == "{" {
        // Where the members have no node of their own, the brace stands for them.
        range.end = node.parent().map_or(range.end, |parent| clamp(text, parent).end);
    }
    let trimmed = text.get(range.clone())?.trim_end().len();
    range.end = before_comment(text, scan, range.start..range.start + trimmed);
    let written = text.get(range.clone())?;
    for (open, close) in [("{", "}"), ("do", "end")] {
        if written.len() >= open.len() + close.len() && written.starts_with(open) && written.ends_with(close)
        {
            let inner = range.start + open.len()..range.end - close.len();
            return Some(Body { range, inner, shape: Shape::Enclosed, docstring: None });
        }
    }
    if let Some(sign) = ["=>", "="].into_iter().find(|sign| written.starts_with(sign)) {
        let rest = written.get(sign.len()..)?;
        let start = range.start + sign.len() + (rest.len() - rest.trim_start().len());
        let end = range.start + written.trim_end_matches(';').trim_end().len();
        let inner = start..end.max(start);
        return Some(Body { range, inner, shape: Shape::Expression, docstring: None });
    }
    let statements = node.kind().contains("block")
        || node.kind().contains("statement")
        || node.kind().contains("body")
        || node.kind().contains("chunk");
    if !statements {
        return Some(Body { inner: range.clone(), range, shape: Shape::Expression, docstring: None });
    }
    let docstring = (language.id == "python").then(|| docstring(text, node)).flatten();
    let range = with_comments(text, scan, range, symbol);
    Some(Body { inner: range.clone(), range, shape: Shape::Lines, docstring })
}

fn docstring(text: &str, block: Node<'_>) -> Option<Range<usize>> {
    let mut cursor = block.walk();
    let first = block.named_children(&mut cursor).find(|child| !child.kind().contains("comment"))?;
    let string = first.named_child(0).filter(|_| first.kind() == "expression_statement")?;
    string.kind().contains("string").then(|| clamp(text, first))
}

/// Comments on lines of their own at the borders of a block stand outside of it in some grammars.
fn with_comments(text: &str, scan: &Scan, mut range: Range<usize>, symbol: &Symbol) -> Range<usize> {
    let blank = |from: usize, to: usize| text.get(from..to).is_some_and(|between| between.trim().is_empty());
    let column =
        |at: usize| at - text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1);
    if !begins_line(text, range.start) {
        return range;
    }
    let (indent, first, last) = (column(range.start), range.start, range.end);
    for comment in scan.comments.iter().rev().filter(|comment| comment.end <= first) {
        let inside = comment.start > symbol.name_range.end && begins_line(text, comment.start);
        if !inside || !blank(comment.end, range.start) {
            break;
        }
        range.start = comment.start;
    }
    for comment in scan.comments.iter().filter(|comment| comment.start >= last) {
        let inside = begins_line(text, comment.start) && column(comment.start) >= indent;
        if inside && blank(range.end, comment.start) {
            range.end = comment.end;
        } else if blank(range.end, comment.start) && !begins_line(text, comment.start) {
            // Behind the last statement, on its line.
            range.end = comment.end;
        } else {
            break;
        }
    }
    range
}
