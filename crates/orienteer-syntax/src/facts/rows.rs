//! The words a language's table of facts is written in.

use std::collections::HashMap;
use std::fmt;

use super::Field;
use super::gather::Gather;
use crate::fields::field_number;
use crate::symbols::Outline;
use crate::symbols::walk::{Definition, Spot};

/// Everything that is known about the facts of one language.
pub(crate) struct Rules {
    /// Several lists, because languages of one family share some.
    pub(super) rows: &'static [&'static [Row]],
    /// What a definition says about itself before its body.
    pub(super) head: for<'a, 't> fn(&mut Gather<'t>, &Definition<'a, 't>),
    /// What can be said once the whole text is known.
    pub(super) finish: for<'t> fn(&mut Gather<'t>, &Outline),
    pub(super) support: &'static [Field],
    /// Giving a bare name a value inside a function makes it the function's own.
    pub(super) assignment_declares: bool,
    /// A name with a capital may as well be a variable or a field.
    pub(super) capital_values: bool,
    /// Names that every text is full of and nobody asks for.
    pub(super) ordinary: &'static [&'static str],
    /// Only comments with a special mark document what stands below them.
    pub(super) marked_docs: bool,
}

impl Rules {
    pub(super) const PLAIN: Self = Self {
        rows: &[],
        head: |_, _| {},
        finish: |_, _| {},
        support: &[Field::Doc],
        assignment_declares: false,
        capital_values: false,
        ordinary: &[],
        marked_docs: false,
    };
}

/// Every question there is.
pub(super) const ALL: &[Field] = &[
    Field::Doc,
    Field::Visibility,
    Field::Async,
    Field::Generator,
    Field::Decorators,
    Field::Parameters,
    Field::ReturnType,
    Field::Extends,
    Field::Imports,
    Field::Exports,
    Field::Calls,
    Field::Uses,
    Field::Throws,
    Field::Reads,
    Field::Writes,
    Field::Branches,
    Field::Loops,
];

/// What one kind of node means.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) node: &'static str,
    /// A keyword or an operator, not a node with a name.
    sign: bool,
    act: Act,
    pub(super) field: &'static str,
    count: Count,
    beneath: Beneath,
}

/// What is done on meeting a node.
#[derive(Clone, Copy, Default)]
pub(crate) enum Act {
    #[default]
    Nothing,
    /// A name in an expression or a pattern.
    Name,
    /// A name that can only be one that is being declared.
    Bound,
    /// The name of a type or a constant.
    Type,
    /// `a.b`.
    Member,
    /// `a::b`, a path of modules and types.
    Path,
    /// `a[b]`; the field holds `a`.
    Index,
    /// The field holds what is called.
    Call,
    /// The field holds the type of what is made.
    Create,
    /// The field holds what is given a value.
    Assign,
    /// The names in the field, or in the whole node, are declared.
    Declare,
    /// The same where types and constants may stand between the names.
    Pattern,
    /// Parameters: read as text where nothing but names and types can stand in them, otherwise as a pattern.
    Signature,
    /// A type: read as text where it is nothing but names and signs.
    Types,
    Throw,
    /// It makes the function around it a generator.
    Yield,
    /// It makes the function around it asynchronous.
    Suspend,
    Comment,
    /// An attribute or decorator above what it belongs to.
    Lead,
    /// Nothing inside is of interest.
    Past,
    /// `&&` and its like.
    Logic,
    /// The language needs more than a table to tell. `false`: what stands inside is not looked at.
    Custom(for<'a, 't> fn(&mut Gather<'t>, &Spot<'a, 't>) -> bool),
}

impl fmt::Debug for Act {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if matches!(self, Self::Custom(_)) { "Custom" } else { "Act" })
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Count {
    #[default]
    Nothing,
    Branch,
    Loop,
}

/// What a name directly beneath a node of this kind is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Beneath {
    #[default]
    Value,
    /// The first child names something of the callee, the others are values.
    LabelFirst,
    /// Only types and components count.
    Labels,
    /// The first child is declared, the others are values.
    DeclaresFirst,
    Declares,
    /// The first child is a value, the others name parts of it.
    Parts,
    /// Tokens of a macro, in which nothing but the signs around a name tells what it is.
    Tokens,
}

/// A node of this kind is met with this act.
pub(super) const fn row(node: &'static str, act: Act) -> Row {
    Row { node, sign: false, act, field: "", count: Count::Nothing, beneath: Beneath::Value }
}

/// Is counted as a branch.
pub(super) const fn branch(node: &'static str) -> Row {
    Row { count: Count::Branch, ..row(node, Act::Nothing) }
}

/// Is counted as a loop.
pub(super) const fn looping(node: &'static str) -> Row {
    Row { count: Count::Loop, ..row(node, Act::Nothing) }
}

/// Says something about the names beneath it, and nothing else.
pub(super) const fn above(node: &'static str, beneath: Beneath) -> Row {
    Row { beneath, ..row(node, Act::Nothing) }
}

/// `a && b`, by the operator.
pub(super) const fn logic(sign: &'static str) -> Row {
    Row { sign: true, count: Count::Branch, ..row(sign, Act::Logic) }
}

/// A keyword that begins a branch.
pub(super) const fn branch_sign(sign: &'static str) -> Row {
    Row { sign: true, count: Count::Branch, ..row(sign, Act::Past) }
}

pub(super) const fn custom(
    node: &'static str,
    f: for<'a, 't> fn(&mut Gather<'t>, &Spot<'a, 't>) -> bool,
) -> Row {
    row(node, Act::Custom(f))
}

impl Row {
    pub(super) const fn field(self, field: &'static str) -> Self {
        Self { field, ..self }
    }

    pub(super) const fn with(self, act: Act) -> Self {
        Self { act, ..self }
    }

    pub(super) const fn beneath(self, beneath: Beneath) -> Self {
        Self { beneath, ..self }
    }

    #[cfg(test)]
    pub(super) fn is_sign(&self) -> bool {
        self.sign
    }
}

/// What a row says, with the grammar's numbers.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Mark {
    pub(super) act: Act,
    /// Nought where no field was named.
    pub(super) field: u16,
    pub(super) count: Count,
    pub(super) beneath: Beneath,
}

impl Mark {
    /// Whether there is anything to do on meeting the node.
    pub(crate) fn is_set(&self) -> bool {
        !matches!(self.act, Act::Nothing) || self.count != Count::Nothing
    }

    /// Whether nothing inside is ever looked at.
    pub(crate) fn is_leaf(&self) -> bool {
        matches!(self.act, Act::Name | Act::Bound | Act::Type | Act::Comment | Act::Past)
    }
}

/// The rows of a language by what they are about.
#[derive(Debug)]
pub(crate) struct Marks {
    kinds: HashMap<&'static str, &'static Row>,
    signs: HashMap<&'static str, &'static Row>,
}

impl Marks {
    pub(crate) fn of(rules: &'static Rules) -> Self {
        let mut marks = Self { kinds: HashMap::new(), signs: HashMap::new() };
        for row in rules.rows.iter().copied().flatten() {
            let list = if row.sign { &mut marks.signs } else { &mut marks.kinds };
            list.insert(row.node, row);
        }
        marks
    }

    pub(crate) fn of_kind(&self, kind: &str, grammar: &tree_sitter::Language) -> Mark {
        let Some(row) = self.kinds.get(kind) else {
            // All grammars agree on what they call a comment. What is inside one is never visited.
            let act =
                if kind.ends_with("comment") || kind == "haddock" { Act::Comment } else { Act::Nothing };
            return Mark { act, ..Mark::default() };
        };
        let field = if row.field.is_empty() { 0 } else { field_number(grammar, row.field) };
        Mark { act: row.act, field, count: row.count, beneath: row.beneath }
    }

    pub(crate) fn of_sign(&self, sign: &str) -> Mark {
        let Some(row) = self.signs.get(sign) else { return Mark::default() };
        Mark { act: row.act, field: 0, count: row.count, beneath: row.beneath }
    }
}
