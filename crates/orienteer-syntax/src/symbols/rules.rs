//! The words a language's table is written in.

use orienteer_base::SymbolKind;
use tree_sitter::Node;

use crate::fields::{F, Fields, by_number, field_number};

/// Everything the outline knows about one language.
#[derive(Debug)]
pub(super) struct Rules {
    /// Several lists, because languages of one family share some.
    pub(super) rows: &'static [&'static [Row]],
    /// Node kinds inside of which declared values belong to running code and not to the outline.
    pub(super) locals: &'static [&'static str],
    /// Parents that are part of the definition they hold alone, such as `export` or `template<…>`.
    pub(super) wrappers: &'static [&'static str],
    /// Parents that are part of the definition but not of its signature, such as decorators.
    pub(super) decorators: &'static [&'static str],
    /// Kinds of children that end a signature where no field is called `body`.
    pub(super) bodies: &'static [&'static str],
    /// Kinds that belong to the signature although the field is called `body`.
    pub(super) inline: &'static [&'static str],
}

impl Rules {
    pub(super) const EMPTY: Self =
        Self { rows: &[], locals: &[], wrappers: &[], decorators: &[], bodies: &[], inline: &[] };
}

/// What one kind of node means.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) node: &'static str,
    pub(super) act: Act,
}

#[derive(Debug)]
pub(super) enum Act {
    Define(Define),
    /// The language needs more than a table to tell.
    Custom(for<'a, 't> fn(&Site<'a, 't>) -> Vec<Found<'t>>),
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Define {
    kind: SymbolKind,
    name: Name,
    value: bool,
}

#[derive(Debug, Clone, Copy)]
enum Name {
    Field(&'static str),
    Child(&'static str),
    EachField(&'static str),
    Itself,
}

/// A node of this kind defines a symbol named by its field `name`.
pub(super) const fn def(node: &'static str, kind: SymbolKind) -> Row {
    Row { node, act: Act::Define(Define { kind, name: Name::Field("name"), value: false }) }
}

pub(super) const fn custom(node: &'static str, f: for<'a, 't> fn(&Site<'a, 't>) -> Vec<Found<'t>>) -> Row {
    Row { node, act: Act::Custom(f) }
}

impl Row {
    const fn with(self, name: Name) -> Self {
        match self.act {
            Act::Define(define) => Self { node: self.node, act: Act::Define(Define { name, ..define }) },
            _ => self,
        }
    }

    /// Named by another field.
    pub(super) const fn field(self, field: &'static str) -> Self {
        self.with(Name::Field(field))
    }

    /// Named by the first child of a kind.
    pub(super) const fn child(self, kind: &'static str) -> Self {
        self.with(Name::Child(kind))
    }

    /// One symbol for each child in this field.
    pub(super) const fn each(self, field: &'static str) -> Self {
        self.with(Name::EachField(field))
    }

    /// The node is its own name.
    pub(super) const fn itself(self) -> Self {
        self.with(Name::Itself)
    }

    /// Left out inside running code.
    pub(super) const fn value(self) -> Self {
        match self.act {
            Act::Define(define) => {
                Self { node: self.node, act: Act::Define(Define { value: true, ..define }) }
            }
            _ => self,
        }
    }
}

impl Define {
    /// The number of the field that holds the name, where one does.
    pub(super) fn field(&self, grammar: &tree_sitter::Language) -> u16 {
        match self.name {
            Name::Field(field) | Name::EachField(field) => field_number(grammar, field),
            Name::Child(_) | Name::Itself => 0,
        }
    }

    /// Gives each symbol that a node defines; `field` is the number of the field.
    pub(super) fn each<'t>(&self, node: Node<'t>, field: u16, give: &mut dyn FnMut(Found<'t>) -> bool) {
        let found = |name| Found { value: self.value, ..Found::new(self.kind, name) };
        let name = match self.name {
            Name::Field(_) => by_number(node, field),
            Name::Child(kind) => child(node, kind),
            Name::Itself => Some(node),
            Name::EachField(name) => {
                let mut cursor = node.walk();
                for name in node.children_by_field_name(name, &mut cursor) {
                    if !give(found(name)) {
                        break;
                    }
                }
                None
            }
        };
        if let Some(name) = name {
            give(found(name));
        }
    }
}

/// What surrounds a symbol, as far as it changes what the symbol is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Container {
    Plain,
    Type,
    Code,
}

/// A node with its surroundings, for the rows that need to look.
#[derive(Debug)]
pub(super) struct Site<'a, 't> {
    pub(super) node: Node<'t>,
    pub(super) text: &'t str,
    pub(super) fields: &'a Fields,
    /// From the root to the parent. Asking a node for its parent would search from the root each time.
    pub(super) ancestors: &'a [Node<'t>],
    pub(super) container: Container,
    pub(super) local: bool,
    /// The kind of the enclosing symbol, where one encloses.
    pub(super) within: Option<SymbolKind>,
    /// The enclosing symbol's name, or that of the type that encloses without being a symbol.
    pub(super) enclosing: Option<&'a str>,
}

impl<'t> Site<'_, 't> {
    pub(super) fn text_of(&self, node: Node<'_>) -> &'t str {
        slice(self.text, node)
    }

    pub(super) fn field(&self, field: F) -> Option<Node<'t>> {
        self.fields.child(self.node, field)
    }

    /// The child of another node.
    pub(super) fn of(&self, node: Node<'t>, field: F) -> Option<Node<'t>> {
        self.fields.child(node, field)
    }

    pub(super) fn parent(&self) -> Option<Node<'t>> {
        self.ancestors.last().copied()
    }
}

/// One symbol that a node defines.
#[derive(Debug, Clone)]
pub(super) struct Found<'t> {
    pub(super) kind: SymbolKind,
    pub(super) name: Node<'t>,
    /// Where the name is not the text of its node.
    pub(super) text: Option<String>,
    /// The type it belongs to where that does not enclose it; several names are joined with `/`.
    pub(super) owner: Option<String>,
    /// Where the body is not found by field or kind.
    pub(super) body: Option<Node<'t>>,
    /// Left out inside running code.
    pub(super) value: bool,
    /// An assignment that declares: only the first one of a name in its container counts.
    pub(super) once: bool,
    /// Not a symbol, but what stands inside belongs to the type of this name.
    pub(super) scope: bool,
}

impl<'t> Found<'t> {
    pub(super) fn new(kind: SymbolKind, name: Node<'t>) -> Self {
        Self { kind, name, text: None, owner: None, body: None, value: false, once: false, scope: false }
    }

    /// A block that adds to a type defined elsewhere.
    pub(super) fn scope(name: Node<'t>, text: impl Into<String>) -> Self {
        Self { scope: true, ..Self::new(SymbolKind::Class, name).text(text) }
    }

    pub(super) fn text(self, text: impl Into<String>) -> Self {
        Self { text: Some(text.into()), ..self }
    }

    pub(super) fn owner(self, owner: Option<String>) -> Self {
        Self { owner, ..self }
    }

    pub(super) fn body(self, body: Option<Node<'t>>) -> Self {
        Self { body, ..self }
    }

    pub(super) fn value(self) -> Self {
        Self { value: true, ..self }
    }

    pub(super) fn once(self) -> Self {
        Self { once: true, ..self }
    }
}

/// The text of a node. Grammars may place a node's end beyond the text, so nothing is taken for granted.
pub(crate) fn slice<'t>(text: &'t str, node: Node<'_>) -> &'t str {
    let end = node.end_byte().min(text.len());
    text.get(node.start_byte().min(end)..end).unwrap_or_default()
}

/// What tells about a node stands among its first children. Looking through all of them, once for each of
/// them, would take the square of a list's length.
pub(crate) const HEAD: usize = 32;

/// The first child of a kind, named or not.
pub(crate) fn child<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    let mut children = node.children(&mut cursor).take(HEAD);
    children.find(|child| child.kind() == kind)
}

/// A name without its quotes.
pub(crate) fn unquoted(text: &str) -> &str {
    let text = text.trim();
    for quote in ['"', '\'', '`'] {
        if let Some(inner) = text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)) {
            return inner;
        }
    }
    text
}

/// A type's own name: without arguments, without the path to it.
pub(crate) fn bare_type(text: &str) -> &str {
    let text = text.split(['<', '[', '(']).next().unwrap_or_default().trim();
    let text = text.trim_start_matches(['*', '&', ' ']);
    text.rsplit(['.', ':']).next().unwrap_or_default().trim()
}

/// `LIKE_THIS`, which people write for constants.
pub(crate) fn is_upper(name: &str) -> bool {
    name.chars().any(char::is_uppercase) && !name.chars().any(char::is_lowercase)
}
