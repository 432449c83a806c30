//! The tree of a text as a flat list, which is all that finding comments, definitions and strings needs.

use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use orienteer_base::{Cancel, Language};
use orienteer_syntax::{Limits, parse};

/// A node; its parent stands before it in the list.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) kind: Rc<str>,
    /// The body of its parent.
    pub(super) is_body: bool,
    pub(super) named: bool,
    pub(super) range: Range<usize>,
    pub(super) parent: Option<usize>,
}

/// All nodes in document order, parents first.
#[derive(Debug, Default)]
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    pub(super) has_errors: bool,
}

impl Tree {
    pub(super) fn of(text: &str, language: &'static Language) -> anyhow::Result<Self> {
        let parsed = parse(text, language, &Limits::default(), &Cancel::new())?;
        let mut nodes = Vec::new();
        let mut kinds: HashMap<u16, Rc<str>> = HashMap::new();
        let mut cursor = parsed.tree.walk();
        let mut parents: Vec<usize> = Vec::new();
        loop {
            let node = cursor.node();
            nodes.push(Node {
                kind: kinds.entry(node.kind_id()).or_insert_with(|| node.kind().into()).clone(),
                is_body: cursor.field_name() == Some("body"),
                named: node.is_named(),
                range: node.start_byte().min(text.len())..node.end_byte().min(text.len()),
                parent: parents.last().copied(),
            });
            if cursor.goto_first_child() {
                parents.push(nodes.len() - 1);
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return Ok(Self { nodes, has_errors: parsed.has_errors });
                }
                parents.pop();
            }
        }
    }

    pub(super) fn children(&self, of: usize) -> impl Iterator<Item = usize> {
        let end = self.nodes[of].range.end;
        (of + 1..self.nodes.len())
            .take_while(move |&at| self.nodes[at].range.start <= end)
            .filter(move |&at| self.nodes[at].parent == Some(of))
    }

    /// From the parent outwards.
    pub(super) fn ancestors(&self, of: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(self.nodes[of].parent, |&at| self.nodes[at].parent)
    }
}
