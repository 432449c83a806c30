//! What do the names and paths in a body say about it: called, used, read, given a value, declared?

use std::borrow::Cow;
use std::ops::Range;

use tree_sitter::Node;

use super::Gather;
use crate::facts::rows::Beneath;
use crate::facts::written::{self, Written, is_capital, written};
use crate::symbols::walk::Spot;

impl<'t> Gather<'t> {
    pub(in crate::facts) fn uses(&mut self, owner: Option<usize>, name: Cow<'t, str>, end: usize) {
        if self.is_telling(&name)
            && let Some(open) = self.open(owner)
        {
            open.uses.add(name, end, true);
        }
    }

    pub(in crate::facts) fn throws(&mut self, owner: Option<usize>, name: &'t str, end: usize) {
        if let Some(open) = self.open(owner) {
            open.throws.add(Cow::Borrowed(name), end, false);
        }
    }

    /// A call of what this text says. Whether the text is nothing but a name.
    pub(in crate::facts) fn call(&mut self, owner: Option<usize>, callee: &'t str, end: usize) -> bool {
        let Written { name, whole } = written(callee);
        if name.is_empty() {
            return whole;
        }
        if whole {
            self.path_of_call(owner, &name, end);
        }
        if !self.rules.ordinary.contains(&&*name)
            && let Some(open) = self.open(owner)
        {
            open.calls.add(name, end, false);
        }
        whole
    }

    /// Calling `a.b.c` reads `a.b`; calling `A::b` uses `A`.
    #[expect(clippy::ptr_arg, reason = "a part of a borrowed text stays borrowed")]
    fn path_of_call(&mut self, owner: Option<usize>, callee: &Cow<'t, str>, end: usize) {
        match joint_before_last(callee) {
            // Where everything public has a capital, a function does not look different from a class.
            None if is_capital(callee) && !self.rules.capital_values => self.uses(owner, callee.clone(), end),
            None => {}
            Some(joint) => {
                let receiver = part_of(callee, 0..joint);
                if callee.get(joint..).is_some_and(|joint| joint.starts_with("::")) {
                    self.parts_used(owner, &receiver, end);
                } else {
                    self.member(owner, receiver, end, false);
                }
            }
        }
    }

    /// The parts of a path that have a capital are types or constants. Whether there are any.
    #[expect(clippy::ptr_arg, reason = "a part of a borrowed text stays borrowed")]
    pub(in crate::facts) fn parts_used(
        &mut self,
        owner: Option<usize>,
        path: &Cow<'t, str>,
        end: usize,
    ) -> bool {
        let mut any = false;
        let mut start = 0;
        while start < path.len() {
            let rest = path.get(start..).unwrap_or_default();
            let length = rest.find(['.', ':']).unwrap_or(rest.len());
            if rest.get(..length).is_some_and(is_capital) {
                any = true;
                self.uses(owner, part_of(path, start..start + length), end);
            }
            start += length + 1;
        }
        any
    }

    /// `A::b::C`: its types and constants are used; where there are none, the path is read.
    pub(in crate::facts) fn path(&mut self, owner: Option<usize>, path: Cow<'t, str>, end: usize) {
        if !self.parts_used(owner, &path, end)
            && let Some(open) = self.open(owner)
        {
            open.reads.add(path, end, false);
        }
    }

    /// A path of fields that is read or given a value.
    pub(super) fn member(&mut self, owner: Option<usize>, path: Cow<'t, str>, end: usize, write: bool) {
        if matches!(&*path, "" | "_" | "self" | "this" | "super" | "base" | "cls") {
            return;
        }
        let first = path.find(['.', ':', '-']).unwrap_or(path.len());
        let bare = first == path.len();
        if is_capital(&path) && !(bare && write) {
            if path.get(first..).is_some_and(|rest| rest.starts_with("::")) {
                self.parts_used(owner, &path, end);
                return;
            }
            self.uses(owner, part_of(&path, 0..first), end);
            if bare {
                return;
            }
        }
        // `@x` and `$x` are never a function's own.
        let own = bare && !path.starts_with(['@', '$']);
        if let Some(open) = self.open(owner) {
            let list = if write { &mut open.writes } else { &mut open.reads };
            list.add(path, end, own);
        }
    }

    pub(in crate::facts) fn declare(&mut self, owner: Option<usize>, name: &str) {
        if let Some(open) = self.open(owner) {
            open.own.add(name);
        }
    }

    pub(in crate::facts) fn disown(&mut self, owner: Option<usize>, name: &str) {
        if let Some(open) = self.open(owner) {
            open.own.disown(name);
        }
    }

    /// A name in an expression or a pattern.
    pub(in crate::facts) fn name(&mut self, spot: &Spot<'_, 't>) {
        let node = spot.node;
        if node.id() == self.defined {
            return;
        }
        let owner = spot.owner;
        let (start, end) = (node.start_byte(), node.end_byte().min(self.text.len()));
        let text = self.text.get(start..end).unwrap_or_default();
        if let Some(parent) = spot.above.last() {
            let first = || parent.start_byte() == start;
            match self.table.mark(parent.kind_id()).beneath {
                Beneath::Value => {}
                Beneath::Labels if is_capital(text) => return self.uses(owner, text.into(), end),
                Beneath::Labels => return,
                Beneath::LabelFirst if first() => return,
                Beneath::Parts if !first() => return,
                Beneath::Declares => return self.declare(owner, text),
                Beneath::DeclaresFirst if first() => return self.declare(owner, text),
                Beneath::Tokens => return self.token(owner, *parent, text, start, end),
                Beneath::LabelFirst | Beneath::Parts | Beneath::DeclaresFirst => {}
            }
        }
        if end <= self.write_until {
            return self.member(owner, text.into(), end, true);
        }
        let declared = self.declared.start <= start && end <= self.declared.end;
        if declared && !(self.patterns && is_capital(text)) {
            return self.declare(owner, text);
        }
        let capital = is_capital(text);
        if capital {
            self.uses(owner, text.into(), end);
        }
        if (!capital || self.rules.capital_values)
            && text != "_"
            && let Some(open) = self.open(owner)
        {
            open.reads.add(Cow::Borrowed(text), end, true);
        }
    }

    /// A name among the tokens of a macro.
    fn token(&mut self, owner: Option<usize>, tree: Node<'t>, text: &'t str, start: usize, end: usize) {
        let path = written::ending_at(self.text, tree.start_byte(), end);
        let before = start.checked_sub(1).and_then(|at| self.text.as_bytes().get(at));
        match self.text.as_bytes().get(end) {
            Some(b'(') => {
                self.call(owner, path, end);
            }
            // The path goes on; its end will be met.
            Some(b'.') if self.text.as_bytes().get(end + 1) != Some(&b'.') => {}
            Some(b':') if self.text.as_bytes().get(end + 1) == Some(&b':') => {}
            _ if before == Some(&b'.') => self.member(owner, path.into(), end, false),
            _ if before == Some(&b':') => self.path(owner, path.into(), end),
            _ if is_capital(text) => self.uses(owner, text.into(), end),
            _ => {
                if let Some(open) = self.open(owner) {
                    open.reads.add(Cow::Borrowed(text), end, true);
                }
            }
        }
    }

    /// Whether a name is worth telling.
    fn is_telling(&self, name: &str) -> bool {
        name.len() > 1 && !self.rules.ordinary.contains(&name)
    }

    /// Names up to here are given a value.
    pub(in crate::facts) fn writes_until(&mut self, end: usize) {
        self.write_until = end;
    }

    pub(in crate::facts) fn writing_until(&self) -> usize {
        self.write_until
    }

    /// The text of a node is given a value.
    pub(in crate::facts) fn assign_path(&mut self, owner: Option<usize>, node: Node<'t>) {
        let Written { name, .. } = written(self.written(node));
        self.member(owner, name, node.end_byte(), true);
    }
}

/// Where the last joint of a path begins.
fn joint_before_last(path: &str) -> Option<usize> {
    let last = path.bytes().rposition(|byte| matches!(byte, b'.' | b':' | b'>'))?;
    let before = path.get(..last)?;
    Some(before.trim_end_matches([':', '-']).len())
}

fn part_of<'t>(path: &Cow<'t, str>, range: Range<usize>) -> Cow<'t, str> {
    match path {
        Cow::Borrowed(path) => Cow::Borrowed(path.get(range).unwrap_or_default()),
        Cow::Owned(path) => Cow::Owned(path.get(range).unwrap_or_default().to_owned()),
    }
}
