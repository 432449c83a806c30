//! From where to where a definition reaches, and the line that stands for it.

use std::ops::Range;

use tree_sitter::Node;

use super::rules::{Found, HEAD};
use super::signature;
use super::table::Table;
use crate::fields::F;

/// The bytes of a node that are in the text. Grammars may place a node's end beyond it.
pub(crate) fn clamp(text: &str, node: Node<'_>) -> Range<usize> {
    let end = node.end_byte().min(text.len());
    node.start_byte().min(end)..end
}

/// The bytes of the whole definition, and its line. `ancestors` are from the root to the parent.
pub(super) fn extent<'t>(
    text: &str,
    table: &Table,
    ancestors: &[Node<'t>],
    node: Node<'t>,
    found: &Found<'t>,
) -> (Range<usize>, String) {
    let (mut outer, mut line, mut inner) = (node, node, node);
    let (mut alone, mut plain) = (true, true);
    let mut body = found.body.or_else(|| body_of(table, node));
    for parent in ancestors.iter().rev() {
        let entry = table.entry(parent.kind_id());
        if !entry.wrapper && !entry.decorator {
            break;
        }
        alone &= entry.decorator || holds_one(*parent, inner);
        plain &= entry.wrapper;
        outer = if alone { *parent } else { outer };
        line = if plain { *parent } else { line };
        body = body.or_else(|| body_of(table, *parent));
        inner = *parent;
    }
    let end = body.map_or(line.end_byte(), |body| body.start_byte()).min(text.len());
    let start = line.start_byte().min(end);
    (clamp(text, outer), signature::signature(text, start, end, body.is_some()))
}

/// The child that holds the body.
pub(crate) fn body_of<'t>(table: &Table, node: Node<'t>) -> Option<Node<'t>> {
    let body = table.fields.child(node, F::Body);
    body.filter(|body| !table.entry(body.kind_id()).inline).or_else(|| {
        if !table.has_bodies {
            return None;
        }
        let mut cursor = node.walk();
        let mut children = node.children(&mut cursor).take(HEAD);
        children.find(|child| table.entry(child.kind_id()).body)
    })
}

/// Whether a wrapper holds no second node like this one. `let a = 1, b = 2` must not be the extent of both.
fn holds_one(wrapper: Node<'_>, inner: Node<'_>) -> bool {
    let mut cursor = wrapper.walk();
    let alike = wrapper.named_children(&mut cursor).take(8).filter(|c| c.kind_id() == inner.kind_id());
    alike.count() < 2
}
