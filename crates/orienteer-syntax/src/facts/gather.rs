//! What the walk tells while it passes: the facts of each definition, collected from the nodes of its body.

mod body;
mod meet;

use std::collections::HashSet;
use std::ops::Range;

use tree_sitter::{Node, TreeCursor};

use super::lead::Lead;
use super::names::{Locals, Names};
use super::rows::Rules;
use super::written::{self, leading};
use super::{Facts, Import, Visibility, doc};
use crate::fields::F;
use crate::symbols::Outline;
use crate::symbols::rules::slice;
use crate::symbols::table::Table;
use crate::symbols::walk::Definition;

/// More imports or exports than this are made by a program.
const MAX_LISTED: usize = 10_000;
/// What stands outside of every definition is collected under this number.
const OUTSIDE: usize = usize::MAX;

/// The body of a definition, while it is being read.
#[derive(Debug, Default)]
struct Open<'t> {
    at: usize,
    calls: Names<'t>,
    uses: Names<'t>,
    throws: Names<'t>,
    reads: Names<'t>,
    writes: Names<'t>,
    own: Locals,
    branches: u32,
    loops: u32,
    is_async: bool,
    is_generator: bool,
}

/// Collects while the walk goes on.
pub(crate) struct Gather<'t> {
    pub(super) text: &'t str,
    pub(super) table: &'t Table,
    pub(super) rules: &'static Rules,
    /// One for each symbol.
    pub(super) facts: Vec<Facts>,
    /// Where each symbol begins with what stands above it.
    pub(super) starts: Vec<usize>,
    pub(super) outside: Facts,
    pub(super) imports: Vec<Import>,
    pub(super) exports: Vec<String>,
    pub(super) lead: Lead,
    /// The visibility that a line such as `private:` gives to what follows in a class, innermost last.
    pub(super) access: Vec<(usize, Visibility)>,
    /// What is told about a definition by name: which one, and what.
    pub(super) told: Vec<Told>,
    open: Vec<Open<'t>>,
    spare: Vec<Open<'t>>,
    cursor: Option<TreeCursor<'t>>,
    /// A node that was dealt with by its parent, and whether what is inside it still counts.
    past: usize,
    past_into: bool,
    /// The name of the definition met last.
    defined: usize,
    /// Names up to here are given a value.
    write_until: usize,
    /// Names in here are declared.
    declared: Range<usize>,
    patterns: bool,
}

/// Said about a symbol away from where it is defined.
#[derive(Debug)]
pub(super) enum Told {
    /// A type, found by the path of its name, is or does what another one says.
    Extends(String, String),
    /// A member of this symbol has this visibility.
    Visible(Option<usize>, String, Visibility),
}

impl<'t> Gather<'t> {
    pub(super) fn new(text: &'t str, table: &'t Table, rules: &'static Rules) -> Self {
        Self {
            text,
            table,
            rules,
            facts: Vec::new(),
            starts: Vec::new(),
            outside: Facts::default(),
            imports: Vec::new(),
            exports: Vec::new(),
            lead: Lead::default(),
            access: Vec::new(),
            told: Vec::new(),
            open: Vec::new(),
            spare: Vec::new(),
            cursor: None,
            past: 0,
            past_into: false,
            defined: 0,
            write_until: 0,
            declared: 0..0,
            patterns: false,
        }
    }

    /// The text of a node.
    pub(super) fn written(&self, node: Node<'_>) -> &'t str {
        slice(self.text, node)
    }

    pub(super) fn child(&self, node: Node<'t>, field: F) -> Option<Node<'t>> {
        self.table.fields.child(node, field)
    }

    /// Calls with each child and the number of its field, until told to stop.
    pub(super) fn each_child(
        &mut self,
        node: Node<'t>,
        see: &mut dyn FnMut(&mut Self, Node<'t>, u16) -> bool,
    ) {
        let mut cursor = match self.cursor.take() {
            Some(mut cursor) => {
                cursor.reset(node);
                cursor
            }
            None => node.walk(),
        };
        if cursor.goto_first_child() {
            loop {
                let field = cursor.field_id().map_or(0, Into::into);
                if !see(self, cursor.node(), field) || !cursor.goto_next_sibling() {
                    break;
                }
            }
        }
        self.cursor = Some(cursor);
    }

    fn open(&mut self, owner: Option<usize>) -> Option<&mut Open<'t>> {
        let at = owner.unwrap_or(OUTSIDE);
        if self.open.last().is_none_or(|open| open.at != at) {
            let mut open = self.spare.pop().unwrap_or_default();
            open.at = at;
            self.open.push(open);
        }
        self.open.last_mut()
    }

    fn shut(&mut self, mut open: Open<'t>) {
        let facts = match open.at {
            OUTSIDE => Some(&mut self.outside),
            at => self.facts.get_mut(at),
        };
        if let Some(facts) = facts {
            if self.rules.assignment_declares {
                open.writes.declare(&mut open.own);
            }
            let nothing = Locals::default();
            facts.calls = open.calls.take(&nothing);
            facts.uses = open.uses.take(&open.own);
            merge(&mut facts.throws, open.throws.take(&nothing));
            facts.reads = open.reads.take(&open.own);
            facts.writes = open.writes.take(&open.own);
            facts.branches = open.branches;
            facts.loops = open.loops;
            facts.is_async |= open.is_async;
            facts.is_generator |= open.is_generator;
        }
        open.own.clear();
        (open.branches, open.loops, open.is_async, open.is_generator) = (0, 0, false, false);
        self.spare.push(open);
    }

    /// Ends what is still open, and says what can be said at the end.
    pub(super) fn finish(&mut self, outline: &Outline) {
        while let Some(open) = self.open.pop() {
            self.shut(open);
        }
        self.facts.resize_with(outline.symbols.len(), Facts::default);
        (self.rules.finish)(self, outline);
        let mut known = HashSet::with_capacity(self.exports.len());
        self.exports.retain(|name| known.insert(name.clone()));
    }

    /// This node has been dealt with. `into`: what is inside it still counts.
    pub(super) fn pass(&mut self, node: Node<'t>, into: bool) {
        (self.past, self.past_into) = (node.id(), into);
    }

    pub(super) fn import(&mut self, module: &str, names: Vec<String>, node: Node<'t>) {
        let module = module.trim();
        if !module.is_empty() && self.imports.len() < MAX_LISTED {
            let range = node.start_byte()..node.end_byte().min(self.text.len());
            self.imports.push(Import { module: bounded(module), names, range });
        }
    }

    pub(super) fn export(&mut self, name: &str) {
        let name = name.trim();
        if !name.is_empty() && self.exports.len() < MAX_LISTED {
            self.exports.push(bounded(name));
        }
    }

    pub(super) fn visible_here(&mut self, owner: Option<usize>, visibility: Visibility) {
        let Some(owner) = owner else { return };
        self.access.retain(|(at, _)| *at < owner);
        self.access.push((owner, visibility));
    }

    pub(super) fn access_in(&self, owner: usize) -> Option<Visibility> {
        self.access.iter().rev().find(|(at, _)| *at == owner).map(|(_, visibility)| *visibility)
    }

    /// What stands above a definition.
    fn lead_of(&mut self, definition: &Definition<'_, 't>) {
        let start = definition.symbol.range.start;
        let (Some(facts), Some(from)) =
            (self.facts.get_mut(definition.at), self.starts.get_mut(definition.at))
        else {
            return;
        };
        let Some(above) = self.lead.above(self.text, start) else { return };
        *from = above;
        facts.doc = doc::of_comments(self.text, self.lead.docs(), self.rules.marked_docs);
        for attribute in self.lead.attributes() {
            if let Some(written) = self.text.get(attribute.clone()) {
                facts.decorators.extend(decorator(written));
            }
        }
    }
}

/// The name of a decorator, attribute or annotation as it is written.
pub(super) fn decorator(written: &str) -> Option<String> {
    let name = written.trim_start_matches(['@', '#', '!', '[', ' ']);
    let name = leading(name).0;
    (!name.is_empty()).then(|| name.to_owned())
}

/// No longer than a name may be.
pub(super) fn bounded(name: &str) -> String {
    match name.char_indices().nth(written::MAX_NAME) {
        Some((cut, _)) => name.get(..cut).unwrap_or_default().to_owned(),
        None => name.to_owned(),
    }
}

fn merge(into: &mut Vec<String>, names: Vec<String>) {
    if into.is_empty() {
        *into = names;
        return;
    }
    for name in names {
        if !into.contains(&name) {
            into.push(name);
        }
    }
}
