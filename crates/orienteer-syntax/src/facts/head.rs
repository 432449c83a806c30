//! What definitions say about themselves before their bodies: helpers that languages share.

use orienteer_base::SymbolKind as K;
use tree_sitter::Node;

use super::gather::{Gather, bounded};
use super::names::MAX_NAMES;
use super::written::{MAX_NAME, leading};
use super::{Facts, Parameter, Visibility};
use crate::fields::F;
use crate::symbols::Outline;

/// A type as it is written, on one line, without what introduces it.
pub(super) fn type_of(written: &str) -> Option<String> {
    let written = written.strip_prefix("->").unwrap_or(written).trim_start_matches(':').trim();
    let mut line = String::with_capacity(written.len().min(MAX_NAME));
    for word in written.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if line.len() > 4 * MAX_NAME {
            break;
        }
    }
    (!line.is_empty()).then(|| bounded(&line))
}

pub(super) fn parameter(name: &str, type_name: Option<&str>) -> Parameter {
    // `*rest`, `...rest`, `&block`, `&self`.
    let name = name.trim_start_matches(['*', '.', '&', '$', ' ']).trim();
    Parameter { name: one_line(name), type_name: type_name.and_then(type_of) }
}

fn one_line(text: &str) -> String {
    let plain = text.len() <= MAX_NAME && !text.contains(char::is_whitespace);
    if plain { text.to_owned() } else { type_of(text).unwrap_or_default() }
}

impl<'t> Gather<'t> {
    pub(super) fn facts_of(&mut self, at: usize) -> &mut Facts {
        if self.facts.len() <= at {
            self.facts.resize_with(at + 1, Facts::default);
        }
        &mut self.facts[at]
    }

    /// Reads the parameters in a list with a function for one of them.
    pub(super) fn parameters(
        &mut self,
        at: usize,
        list: Option<Node<'t>>,
        one: fn(&Self, Node<'t>) -> Option<Parameter>,
    ) {
        let Some(list) = list else { return };
        let mut found = Vec::new();
        self.each_child(list, &mut |gather, child, _| {
            if child.is_named() {
                found.extend(one(gather, child));
            }
            found.len() < MAX_NAMES
        });
        self.facts_of(at).parameters = found;
    }

    pub(super) fn returns(&mut self, at: usize, written: Option<Node<'t>>) {
        if let Some(written) = written {
            self.facts_of(at).return_type = type_of(self.written(written));
        }
    }

    pub(super) fn extends(&mut self, at: usize, written: &str) {
        let name = written.trim();
        let name = leading(name.trim_start_matches(['*', '&', ' '])).0;
        let facts = self.facts_of(at);
        if !name.is_empty()
            && facts.extends.len() < MAX_NAMES
            && !facts.extends.iter().any(|known| known == name)
        {
            facts.extends.push(bounded(name));
        }
    }

    /// Every named child of a list is a type that is extended.
    pub(super) fn extends_each(&mut self, at: usize, list: Option<Node<'t>>) {
        let Some(list) = list else { return };
        self.each_child(list, &mut |gather, child, _| {
            if child.is_named() {
                gather.extends(at, gather.written(child));
            }
            true
        });
    }

    pub(super) fn decorate(&mut self, at: usize, written: &str) {
        let name = super::gather::decorator(written);
        let facts = self.facts_of(at);
        if facts.decorators.len() < MAX_NAMES {
            facts.decorators.extend(name);
        }
    }

    pub(super) fn value_of(&self, node: Node<'t>) -> Option<Node<'t>> {
        self.child(node, F::Value).or_else(|| self.child(node, F::Right))
    }

    /// Exports what is public and stands in no type or function.
    pub(super) fn export_public(&mut self, outline: &Outline) {
        let mut names = Vec::new();
        for (symbol, facts) in outline.symbols.iter().zip(&self.facts) {
            let outer = symbol.parent.and_then(|at| outline.symbols.get(at));
            let top = outer.is_none_or(|outer| outer.kind == K::Namespace)
                && !symbol.name_path_is_inside(outer.is_some());
            let counts = !matches!(symbol.kind, K::Package | K::Namespace);
            if top && counts && facts.visibility == Some(Visibility::Public) {
                names.push(symbol.name.as_str());
            }
        }
        for name in names {
            self.export(name);
        }
    }
}

impl crate::symbols::Symbol {
    /// Written away from its type: it has no parent in this text but belongs to one.
    fn name_path_is_inside(&self, has_parent: bool) -> bool {
        !has_parent && self.name_path.len() > self.name.len()
    }
}
