//! A parsed text as the matcher sees it.
//!
//! The matcher's own document parses without limits, walks without looking at the clock, and follows the
//! nesting of the text on the stack when one hole must fit twice. This one holds a tree that was parsed
//! within limits, and its nodes put an end to the other two.

use std::borrow::Cow;
use std::cell::Cell;

use ast_grep_core::Position;
use ast_grep_core::source::{Doc, Edit, SgNode};
use tree_sitter::{Node, Tree, TreeCursor};

use super::dialect::Dialect;
use crate::parse::Watch;

/// Two pieces of code that must be the same are compared node by node to this depth, and by text below it.
const MAX_COMPARED_DEPTH: usize = 200;
/// How many times nodes are opened between two looks at the clock.
const OPENED_PER_CHECK: u32 = 256;

#[derive(Clone)]
pub(super) struct Document {
    text: String,
    tree: Tree,
    dialect: Dialect,
    guard: Guard,
}

/// Asked whenever the matcher opens a node; once it says no it keeps saying so.
#[derive(Clone)]
struct Guard {
    watch: Watch,
    opened: Cell<u32>,
    over: Cell<bool>,
}

impl Guard {
    fn is_over(&self) -> bool {
        let opened = self.opened.get().wrapping_add(1);
        self.opened.set(opened);
        if opened.is_multiple_of(OPENED_PER_CHECK) && self.watch.check().is_err() {
            self.over.set(true);
        }
        self.over.get()
    }
}

impl Document {
    pub(super) fn new(text: &str, tree: Tree, dialect: Dialect, watch: Watch) -> Self {
        let guard = Guard { watch, opened: Cell::new(0), over: Cell::new(false) };
        Self { text: text.to_owned(), tree, dialect, guard }
    }
}

impl Doc for Document {
    type Source = String;
    type Lang = Dialect;
    type Node<'r> = Seen<'r>;

    fn get_lang(&self) -> &Dialect {
        &self.dialect
    }

    fn get_source(&self) -> &String {
        &self.text
    }

    fn do_edit(&mut self, _: &Edit<String>) -> Result<(), String> {
        Err("a document that is searched is not edited".to_owned())
    }

    fn root_node(&self) -> Seen<'_> {
        Seen { node: self.tree.root_node(), depth: 0, guard: &self.guard }
    }

    fn get_node_text<'a>(&'a self, node: &Seen<'a>) -> Cow<'a, str> {
        // Grammars may place a node's end beyond the text.
        let end = node.node.end_byte().min(self.text.len());
        Cow::Borrowed(self.text.get(node.node.start_byte().min(end)..end).unwrap_or_default())
    }
}

/// A node that knows how deep below the start of the match it is.
#[derive(Clone)]
pub(super) struct Seen<'r> {
    node: Node<'r>,
    depth: usize,
    guard: &'r Guard,
}

impl<'r> Seen<'r> {
    fn at(&self, node: Node<'r>, depth: usize) -> Self {
        Self { node, depth, guard: self.guard }
    }
}

/// Children, counted beforehand as the matcher wants them.
struct Children<'r> {
    cursor: TreeCursor<'r>,
    left: usize,
    parent: Seen<'r>,
}

impl<'r> Iterator for Children<'r> {
    type Item = Seen<'r>;

    fn next(&mut self) -> Option<Seen<'r>> {
        self.left = self.left.checked_sub(1)?;
        let node = self.cursor.node();
        self.cursor.goto_next_sibling();
        Some(self.parent.at(node, self.parent.depth + 1))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Children<'_> {}

impl<'r> SgNode<'r> for Seen<'r> {
    fn parent(&self) -> Option<Self> {
        self.node.parent().map(|node| self.at(node, self.depth.saturating_sub(1)))
    }

    fn children(&self) -> impl ExactSizeIterator<Item = Self> {
        let mut cursor = self.node.walk();
        let any = !self.guard.is_over() && cursor.goto_first_child();
        let left = if any { self.node.child_count() as usize } else { 0 };
        Children { cursor, left, parent: self.clone() }
    }

    /// Every node below in order, each as the start of a match of its own.
    fn dfs(&self) -> impl Iterator<Item = Self> {
        let start = self.clone();
        let mut cursor = self.node.walk();
        let mut first = true;
        std::iter::from_fn(move || {
            if !std::mem::take(&mut first) && !cursor.goto_first_child() {
                while !cursor.goto_next_sibling() {
                    if !cursor.goto_parent() {
                        return None;
                    }
                }
            }
            Some(start.at(cursor.node(), 0))
        })
    }

    fn kind(&self) -> Cow<'_, str> {
        Cow::Borrowed(self.node.kind())
    }

    fn kind_id(&self) -> u16 {
        self.node.kind_id()
    }

    fn node_id(&self) -> usize {
        self.node.id()
    }

    fn range(&self) -> std::ops::Range<usize> {
        self.node.byte_range()
    }

    fn start_pos(&self) -> Position {
        let at = self.node.start_position();
        Position::new(at.row, at.column, self.node.start_byte())
    }

    fn end_pos(&self) -> Position {
        let at = self.node.end_position();
        Position::new(at.row, at.column, self.node.end_byte())
    }

    fn is_named(&self) -> bool {
        self.node.is_named()
    }

    /// Asked only where two captures of one name are compared, and answered so that the comparison ends.
    fn is_named_leaf(&self) -> bool {
        self.depth > MAX_COMPARED_DEPTH || self.node.named_child_count() == 0
    }

    fn is_leaf(&self) -> bool {
        self.node.child_count() == 0
    }

    fn is_missing(&self) -> bool {
        self.node.is_missing()
    }

    fn is_error(&self) -> bool {
        self.node.is_error()
    }

    fn is_extra(&self) -> bool {
        self.node.is_extra()
    }

    fn field(&self, name: &str) -> Option<Self> {
        self.node.child_by_field_name(name).map(|node| self.at(node, self.depth + 1))
    }

    fn field_children(&self, field_id: Option<u16>) -> impl Iterator<Item = Self> {
        let field = field_id.and_then(std::num::NonZeroU16::new);
        let mut cursor = self.node.walk();
        let mut found = Vec::new();
        if let Some(field) = field {
            let nodes = self.node.children_by_field_id(field, &mut cursor);
            found.extend(nodes.map(|node| self.at(node, self.depth + 1)));
        }
        found.into_iter()
    }

    fn child_by_field_id(&self, field_id: u16) -> Option<Self> {
        self.node.child_by_field_id(field_id).map(|node| self.at(node, self.depth + 1))
    }
}
