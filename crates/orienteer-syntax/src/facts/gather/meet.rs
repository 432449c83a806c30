//! What is done on meeting a node?

use tree_sitter::Node;

use super::Gather;
use crate::facts::Facts;
use crate::facts::rows::{Act, Count, Mark};
use crate::facts::written::{self, Written, is_capital, leading, written};
use crate::fields::by_number;
use crate::symbols::walk::{Definition, Spot, Witness};

impl<'t> Witness<'t> for Gather<'t> {
    const LOOKS: bool = true;

    fn meet(&mut self, mark: &Mark, spot: &Spot<'_, 't>) -> bool {
        let node = spot.node;
        if mark.count != Count::Nothing {
            self.count(mark, spot);
        }
        if node.id() == self.past {
            return self.past_into;
        }
        match mark.act {
            Act::Nothing => true,
            Act::Name => {
                self.name(spot);
                false
            }
            Act::Bound => {
                self.declare(spot.owner, self.written(node));
                false
            }
            Act::Type => {
                if node.id() != self.defined {
                    self.uses(spot.owner, self.written(node).into(), node.end_byte());
                }
                false
            }
            Act::Member => self.meet_member(spot),
            Act::Path => self.meet_path(spot),
            Act::Index => {
                if node.end_byte() <= self.write_until {
                    let object = by_number(node, mark.field).or_else(|| node.child(0));
                    self.write_until = object.map_or(0, |object| object.end_byte());
                }
                true
            }
            Act::Call => {
                self.write_until = 0;
                if let Some(callee) = by_number(node, mark.field).or_else(|| node.child(0)) {
                    self.meet_call(spot.owner, callee, mark.field);
                }
                true
            }
            Act::Create => {
                if let Some(made) = by_number(node, mark.field).or_else(|| node.named_child(0)) {
                    self.make(spot.owner, made);
                }
                true
            }
            Act::Assign => {
                let left = by_number(node, mark.field).or_else(|| node.named_child(0));
                self.write_until = left.map_or(0, |left| left.end_byte());
                true
            }
            Act::Declare | Act::Pattern => {
                let names = if mark.field == 0 { Some(node) } else { by_number(node, mark.field) };
                if let Some(names) = names {
                    self.declared = names.start_byte()..names.end_byte();
                    self.patterns = matches!(mark.act, Act::Pattern);
                }
                true
            }
            Act::Signature => {
                if self.scan(spot, true) {
                    return false;
                }
                self.declared = node.start_byte()..node.end_byte();
                self.patterns = true;
                true
            }
            Act::Types => !self.scan(spot, false),
            Act::Throw => {
                self.thrown(spot);
                true
            }
            Act::Yield => {
                self.open(spot.owner).into_iter().for_each(|open| open.is_generator = true);
                true
            }
            Act::Suspend => {
                self.open(spot.owner).into_iter().for_each(|open| open.is_async = true);
                true
            }
            Act::Comment => {
                self.lead.comment(self.text, node.start_byte()..node.end_byte().min(self.text.len()));
                false
            }
            Act::Lead => {
                self.lead.attribute(self.text, node.start_byte()..node.end_byte().min(self.text.len()));
                true
            }
            Act::Past | Act::Logic => false,
            Act::Custom(f) => f(self, spot),
        }
    }

    fn is_past(&self, node: Node<'t>) -> bool {
        node.id() == self.past && !self.past_into
    }

    fn define(&mut self, definition: &Definition<'_, 't>) {
        self.facts.resize_with(definition.at + 1, Facts::default);
        self.starts.resize(definition.at + 1, definition.symbol.range.start);
        self.defined = definition.name.id();
        self.lead_of(definition);
        (self.rules.head)(self, definition);
    }

    fn close(&mut self, symbol: usize) {
        if let Some(open) = self.open.pop_if(|open| open.at == symbol) {
            self.shut(open);
        }
        self.access.pop_if(|(at, _)| *at == symbol);
    }
}

impl<'t> Gather<'t> {
    fn count(&mut self, mark: &Mark, spot: &Spot<'_, 't>) {
        // `&&` is also a kind of reference; between two operands it is logic.
        let logic = matches!(mark.act, Act::Logic);
        if logic && spot.above.last().is_none_or(|parent| parent.child_count() != 3) {
            return;
        }
        let Some(open) = self.open(spot.owner) else { return };
        match mark.count {
            Count::Branch => open.branches += 1,
            Count::Loop => open.loops += 1,
            Count::Nothing => {}
        }
    }

    pub(in crate::facts) fn meet_call(&mut self, owner: Option<usize>, callee: Node<'t>, field: u16) {
        let text = self.written(callee);
        let whole = self.call(owner, text, callee.end_byte());
        if whole && !text.contains('<') {
            return self.pass(callee, false);
        }
        // With types in angles, what is called is one level deeper.
        let inner = by_number(callee, field).filter(|_| text.ends_with('>')).unwrap_or(callee);
        self.pass(inner, true);
    }

    /// Making something calls its type.
    pub(in crate::facts) fn make(&mut self, owner: Option<usize>, made: Node<'t>) {
        let (name, rest) = leading(self.written(made));
        self.call(owner, name, made.end_byte());
        let last = name.rsplit(['.', ':', '\\']).next().unwrap_or_default();
        if is_capital(last) {
            self.uses(owner, last.into(), made.end_byte());
        }
        self.pass(made, !rest.is_empty());
    }

    fn meet_member(&mut self, spot: &Spot<'_, 't>) -> bool {
        let (text, end) = (self.written(spot.node), spot.node.end_byte());
        let write = end <= self.write_until;
        let Written { name, whole } = written(text);
        if whole {
            self.member(spot.owner, name, end, write);
            return false;
        }
        // What the field is taken from is read even where the field is given a value.
        self.write_until = self.write_until.min(spot.node.start_byte());
        if !name.is_empty()
            && let Some(open) = self.open(spot.owner)
        {
            let list = if write { &mut open.writes } else { &mut open.reads };
            list.add(name, end, false);
        }
        true
    }

    /// Reads the words of a type or of parameters, which costs a tenth of visiting their nodes. `false` where there may
    /// be more than words: definitions, comments, calls.
    fn scan(&mut self, spot: &Spot<'_, 't>, declares: bool) -> bool {
        const MAX_SCANNED: usize = 2000;
        let (start, text) = (spot.node.start_byte(), self.written(spot.node));
        if text.len() > MAX_SCANNED || !written::is_only_words(text) {
            return false;
        }
        let mut ahead = 0;
        while let Some((word, end)) = written::word(text, ahead) {
            ahead = end;
            if is_capital(word) {
                self.uses(spot.owner, word.into(), start + end);
            } else if declares {
                self.declare(spot.owner, word);
            }
        }
        true
    }

    fn meet_path(&mut self, spot: &Spot<'_, 't>) -> bool {
        let text = self.written(spot.node);
        let Written { name, whole } = written(text);
        if !whole || text.contains('<') {
            return true;
        }
        if spot.node.id() != self.defined {
            self.path(spot.owner, name, spot.node.end_byte());
        }
        false
    }

    /// A call that is written as an object and a name: from the beginning of the node to the end of the name.
    pub(in crate::facts) fn call_between(
        &mut self,
        owner: Option<usize>,
        node: Node<'t>,
        name: Node<'t>,
        object: Option<Node<'t>>,
    ) {
        self.write_until = 0;
        let end = name.end_byte().min(self.text.len());
        let start = object.map_or(name, |_| node).start_byte().min(end);
        let callee = self.text.get(start..end).unwrap_or_default();
        let whole = self.call(owner, callee, end);
        match object {
            Some(object) if whole => self.pass(object, false),
            Some(_) => {}
            None => self.pass(name, false),
        }
    }

    /// What is thrown by a statement that begins with a keyword.
    fn thrown(&mut self, spot: &Spot<'_, 't>) {
        let text = self.written(spot.node);
        let rest = text.trim_start_matches(|c: char| c.is_ascii_alphabetic()).trim_start();
        let rest = rest.strip_prefix("new ").unwrap_or(rest).trim_start();
        let (name, after) = leading(rest);
        let last = name.rsplit(['.', ':']).next().unwrap_or_default();
        // A bare name is something that was caught or made before.
        if is_capital(last) || (!last.is_empty() && after.starts_with(['(', '{'])) {
            self.throws(spot.owner, name, spot.node.end_byte());
        }
    }
}
