//! JavaScript and its typed dialects. A constant that holds a function is a function.

use orienteer_base::SymbolKind as K;
use tree_sitter::Node;

use super::rules::{Container, Found, Row, Rules, Site, custom, def, unquoted};
use crate::fields::F;

const COMMON: &[Row] = &[
    def("function_declaration", K::Function),
    def("generator_function_declaration", K::Function),
    def("class_declaration", K::Class),
    custom("method_definition", method),
    custom("variable_declarator", variable),
    custom("pair", entry),
    custom("assignment_expression", assignment),
];

const UNTYPED: &[Row] = &[custom("field_definition", field)];

const TYPED: &[Row] = &[
    def("function_signature", K::Function),
    def("abstract_class_declaration", K::Class),
    def("interface_declaration", K::Interface),
    def("type_alias_declaration", K::TypeAlias),
    def("enum_declaration", K::Enum),
    def("enum_assignment", K::EnumMember),
    custom("property_identifier", enum_member),
    custom("internal_module", module),
    custom("module", module),
    custom("public_field_definition", field),
    custom("method_signature", method),
    custom("abstract_method_signature", method),
    custom("property_signature", field),
];

const LOCALS: &[&str] = &[
    "arrow_function",
    "function_expression",
    "generator_function",
    "class_static_block",
    "for_statement",
    "for_in_statement",
    "catch_clause",
];

pub(super) static JAVASCRIPT: Rules = Rules {
    rows: &[COMMON, UNTYPED],
    locals: LOCALS,
    wrappers: &["lexical_declaration", "variable_declaration", "export_statement"],
    bodies: &["object", "array"],
    ..Rules::EMPTY
};

pub(super) static TYPESCRIPT: Rules = Rules {
    rows: &[COMMON, TYPED],
    locals: LOCALS,
    wrappers: &["lexical_declaration", "variable_declaration", "export_statement", "ambient_declaration"],
    bodies: &["object", "array"],
    ..Rules::EMPTY
};

/// The kind a value gives to the name it is bound to, and where its body begins.
fn bound<'t>(site: &Site<'_, 't>, value: Option<Node<'t>>) -> Option<(K, Option<Node<'t>>)> {
    let value = value?;
    let kind = match value.kind() {
        "arrow_function" | "function_expression" | "generator_function" => K::Function,
        "class" => K::Class,
        _ => return None,
    };
    Some((kind, site.of(value, F::Body)))
}

fn variable<'t>(site: &Site<'_, 't>) -> Vec<Found<'t>> {
    let Some(name) = site.field(F::Name).filter(|name| name.kind() == "identifier") else {
        return Vec::new();
    };
    if let Some((kind, body)) = bound(site, site.field(F::Value)) {
        return vec![Found::new(kind, name).body(body)];
    }
    let constant = site.parent().and_then(|all| all.child(0)).is_some_and(|word| word.kind() == "const");
    vec![Found::new(if constant { K::Constant } else { K::Variable }, name).value()]
}

/// A member without a value is a bare name.
fn enum_member<'t>(site: &Site<'_, 't>) -> Vec<Found<'t>> {
    let inside = site.parent().is_some_and(|parent| parent.kind() == "enum_body");
    if inside { vec![Found::new(K::EnumMember, site.node)] } else { Vec::new() }
}

fn named<'t>(site: &Site<'_, 't>, kind: K, name: Node<'t>) -> Found<'t> {
    Found::new(kind, name).text(unquoted(site.text_of(name)))
}

fn method<'t>(site: &Site<'_, 't>) -> Vec<Found<'t>> {
    // Methods of an object that is passed somewhere are as anonymous as the object.
    if site.local {
        return Vec::new();
    }
    let Some(name) = site.field(F::Name) else { return Vec::new() };
    let constructs = site.container == Container::Type && site.text_of(name) == "constructor";
    vec![named(site, if constructs { K::Constructor } else { K::Method }, name)]
}

fn field<'t>(site: &Site<'_, 't>) -> Vec<Found<'t>> {
    let Some(name) = site.field(F::Name).or_else(|| site.field(F::Property)) else { return Vec::new() };
    // Members of a type written in passing are described by whatever is declared with it.
    if site.local || site.enclosing.is_none() {
        return Vec::new();
    }
    match bound(site, site.field(F::Value)) {
        Some((K::Function, body)) => vec![named(site, K::Method, name).body(body)],
        _ => vec![named(site, K::Property, name)],
    }
}

fn entry<'t>(site: &Site<'_, 't>) -> Vec<Found<'t>> {
    let Some(key) = site.field(F::Key) else { return Vec::new() };
    match bound(site, site.field(F::Value)) {
        Some((K::Function, body)) if !site.local && site.enclosing.is_some() => {
            vec![named(site, K::Method, key).body(body)]
        }
        _ => Vec::new(),
    }
}

/// `exports.a = function () {}` and `A.prototype.b = function () {}`.
fn assignment<'t>(site: &Site<'_, 't>) -> Vec<Found<'t>> {
    let (Some(left), Some((kind, body))) = (site.field(F::Left), bound(site, site.field(F::Right))) else {
        return Vec::new();
    };
    if site.local || left.kind() != "member_expression" {
        return Vec::new();
    }
    let (Some(object), Some(name)) = (site.of(left, F::Object), site.of(left, F::Property)) else {
        return Vec::new();
    };
    let object = site.text_of(object);
    let object = object.strip_suffix(".prototype").unwrap_or(object);
    let exported = matches!(object, "exports" | "module" | "module.exports" | "this" | "window");
    let owner = (!exported && object.chars().all(char::is_alphanumeric)).then(|| object.to_owned());
    if !exported && owner.is_none() {
        return Vec::new();
    }
    vec![Found::new(kind, name).owner(owner).body(body)]
}

fn module<'t>(site: &Site<'_, 't>) -> Vec<Found<'t>> {
    let Some(name) = site.field(F::Name) else { return Vec::new() };
    let kind = if name.kind() == "string" { K::Module } else { K::Namespace };
    vec![named(site, kind, name)]
}
