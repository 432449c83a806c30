//! What number has the field of this name in a grammar?
//!
//! Grammars find fields by number; finding the number by name costs more than the field itself, so it is done once.

use tree_sitter::Node;

macro_rules! fields {
    ($($variant:ident = $name:literal,)*) => {
        /// The fields that tables ask for.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum F {
            $($variant,)*
        }

        const NAMES: &[&str] = &[$($name,)*];
    };
}

fields! {
    Argument = "argument",
    Arguments = "arguments",
    Body = "body",
    BoundIdentifier = "bound_identifier",
    Bounds = "bounds",
    Constructor = "constructor",
    Declaration = "declaration",
    DeclarationKind = "declaration_kind",
    Declarator = "declarator",
    Field = "field",
    Function = "function",
    Interfaces = "interfaces",
    Key = "key",
    Left = "left",
    Macro = "macro",
    Method = "method",
    ModuleName = "module_name",
    Name = "name",
    Object = "object",
    Parameter = "parameter",
    Parameters = "parameters",
    Path = "path",
    Pattern = "pattern",
    Property = "property",
    Receiver = "receiver",
    Result = "result",
    ReturnType = "return_type",
    Returns = "returns",
    Right = "right",
    Scope = "scope",
    Source = "source",
    Superclass = "superclass",
    Superclasses = "superclasses",
    Table = "table",
    Target = "target",
    Trait = "trait",
    Type = "type",
    Value = "value",
}

/// The numbers of one grammar; nought where it has no such field.
#[derive(Debug)]
pub(crate) struct Fields([u16; NAMES.len()]);

impl Fields {
    pub(crate) fn of_grammar(grammar: &tree_sitter::Language) -> Self {
        let mut numbers = [0; NAMES.len()];
        for (number, name) in numbers.iter_mut().zip(NAMES) {
            *number = field_number(grammar, name);
        }
        Self(numbers)
    }

    pub(crate) fn number(&self, field: F) -> u16 {
        self.0.get(field as usize).copied().unwrap_or_default()
    }

    /// The child of a node in this field.
    pub(crate) fn child<'t>(&self, node: Node<'t>, field: F) -> Option<Node<'t>> {
        by_number(node, self.number(field))
    }
}

/// Nought is no field's number.
pub(crate) fn field_number(grammar: &tree_sitter::Language, name: &str) -> u16 {
    grammar.field_id_for_name(name).map_or(0, Into::into)
}

pub(crate) fn by_number(node: Node<'_>, field: u16) -> Option<Node<'_>> {
    if field == 0 { None } else { node.child_by_field_id(field) }
}
