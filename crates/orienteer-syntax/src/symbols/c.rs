//! C and C++. A name hides at the end of a chain of declarators.

use orienteer_base::SymbolKind as K;
use tree_sitter::Node;

use super::rules::{Container, Found, Row, Rules, Site, bare_type, child, custom, def};
use crate::fields::F;

const COMMON: &[Row] = &[
    custom("function_definition", function),
    custom("declaration", declaration),
    custom("field_declaration", declaration),
    custom("type_definition", typedef),
    custom("struct_specifier", aggregate),
    custom("union_specifier", aggregate),
    custom("enum_specifier", aggregate),
    def("enumerator", K::EnumMember),
    def("preproc_def", K::Macro),
    def("preproc_function_def", K::Macro),
];

const PLUS_PLUS: &[Row] = &[
    custom("class_specifier", aggregate),
    def("namespace_definition", K::Namespace),
    def("alias_declaration", K::TypeAlias),
    def("concept_definition", K::Trait),
];

pub(super) static C: Rules = Rules { rows: &[COMMON], locals: &["compound_statement"], ..Rules::EMPTY };

pub(super) static CPP: Rules = Rules {
    rows: &[COMMON, PLUS_PLUS],
    locals: &["compound_statement", "lambda_expression"],
    wrappers: &["template_declaration"],
    ..Rules::EMPTY
};

/// What a declarator declares.
struct Declared<'t> {
    name: Node<'t>,
    callable: bool,
}

/// Follows a declarator to its name: through pointers, arrays, initialisers and parameter lists.
fn declared<'t>(site: &Site<'_, 't>, declarator: Node<'t>) -> Option<Declared<'t>> {
    let mut node = declarator;
    let mut callable = false;
    loop {
        match node.kind() {
            "identifier"
            | "field_identifier"
            | "type_identifier"
            | "qualified_identifier"
            | "destructor_name"
            | "operator_name"
            | "operator_cast"
            | "template_function"
            | "primitive_type" => return Some(Declared { name: node, callable }),
            // Only the innermost layer counts: a pointer to a function is a value.
            "function_declarator" => callable = true,
            "parenthesized_declarator" => {}
            _ => callable = false,
        }
        let inner = site.of(node, F::Declarator);
        // Parentheses and references hold their declarator without a field.
        node = inner.or_else(|| node.named_child(0))?;
    }
}

/// The last name of `a::b::c` and the path before it.
fn qualified<'t>(site: &Site<'_, 't>, name: Node<'t>) -> (Node<'t>, Option<String>) {
    let mut name = name;
    let mut scopes = Vec::new();
    while name.kind() == "qualified_identifier" && scopes.len() < 16 {
        if let Some(scope) = site.of(name, F::Scope) {
            scopes.push(bare_type(site.text_of(scope)));
        }
        match site.of(name, F::Name) {
            Some(inner) => name = inner,
            None => break,
        }
    }
    if name.kind() == "template_function" {
        name = site.of(name, F::Name).unwrap_or(name);
    }
    scopes.retain(|scope| !scope.is_empty());
    (name, (!scopes.is_empty()).then(|| scopes.join("/")))
}

fn callable<'t>(site: &Site<'_, 't>, name: Node<'t>) -> Found<'t> {
    let (name, owner) = qualified(site, name);
    let class = match &owner {
        Some(path) => path.rsplit('/').next(),
        None if site.container == Container::Type => site.enclosing,
        None => None,
    };
    let constructs = class.is_some_and(|class| class == site.text_of(name));
    Found::new(if constructs { K::Constructor } else { K::Function }, name).owner(owner)
}

fn function<'t>(site: &Site<'_, 't>) -> Vec<Found<'t>> {
    let name = site.field(F::Declarator).and_then(|declarator| declared(site, declarator));
    name.map(|declared| callable(site, declared.name)).into_iter().collect()
}

fn declaration<'t>(site: &Site<'_, 't>) -> Vec<Found<'t>> {
    let mut cursor = site.node.walk();
    let declarators = site.node.children_by_field_name("declarator", &mut cursor);
    let found = declarators.filter_map(|declarator| declared(site, declarator)).map(|declared| {
        if declared.callable { callable(site, declared.name) } else { Found::new(K::Variable, declared.name) }
    });
    found.map(Found::value).collect()
}

fn kind_of(specifier: Node<'_>) -> Option<K> {
    Some(match specifier.kind() {
        "struct_specifier" => K::Struct,
        "union_specifier" => K::Union,
        "enum_specifier" => K::Enum,
        "class_specifier" => K::Class,
        _ => return None,
    })
}

/// Only where it has a body; elsewhere the words mention a type.
fn aggregate<'t>(site: &Site<'_, 't>) -> Vec<Found<'t>> {
    let (Some(kind), Some(name), Some(_)) = (kind_of(site.node), site.field(F::Name), site.field(F::Body))
    else {
        return Vec::new();
    };
    let (name, owner) = qualified(site, name);
    vec![Found::new(kind, name).text(bare_type(site.text_of(name))).owner(owner)]
}

/// `typedef struct { … } Name;` is how C names a struct.
fn typedef<'t>(site: &Site<'_, 't>) -> Vec<Found<'t>> {
    let written = site.field(F::Type);
    let body = written.and_then(|written| site.of(written, F::Body));
    let anonymous = written.filter(|written| site.of(*written, F::Name).is_none());
    let kind = anonymous.filter(|_| body.is_some()).and_then(kind_of);
    let mut cursor = site.node.walk();
    let declarators = site.node.children_by_field_name("declarator", &mut cursor);
    let found = |declared: Declared<'t>| {
        let found = Found::new(kind.unwrap_or(K::TypeAlias), declared.name);
        if kind.is_some() { found.body(body.and_then(|body| child(body, "{").or(Some(body)))) } else { found }
    };
    declarators.filter_map(|declarator| declared(site, declarator)).map(found).collect()
}
