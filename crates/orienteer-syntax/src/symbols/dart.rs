//! Dart. A function's name is in a signature of its own inside the declaration.

use orienteer_base::SymbolKind as K;
use tree_sitter::Node;

use super::rules::{Container, Found, Rules, Site, child, custom, def};
use crate::fields::F;

pub(super) static RULES: Rules = Rules {
    rows: &[&[
        def("class_declaration", K::Class),
        def("mixin_declaration", K::Trait),
        def("extension_declaration", K::Class),
        def("enum_declaration", K::Enum),
        def("enum_entry", K::EnumMember),
        def("type_alias", K::TypeAlias).child("type_identifier"),
        custom("function_declaration", function),
        custom("method_declaration", function),
        custom("declaration", function),
        custom("local_function_declaration", function),
        custom("static_final_declaration", value),
        custom("initialized_identifier", value),
    ]],
    locals: &["function_body", "function_expression"],
    wrappers: &[
        "member_declaration",
        "static_final_declaration_list",
        "initialized_identifier_list",
        "top_level_variable_declaration",
        "declaration",
    ],
    bodies: &["function_body", "initializers"],
    ..Rules::EMPTY
};

/// Whatever says how it is called, directly inside or one level further in.
fn signature(node: Node<'_>) -> Option<Node<'_>> {
    const KINDS: [&str; 5] = [
        "function_signature",
        "getter_signature",
        "setter_signature",
        "constructor_signature",
        "factory_constructor_signature",
    ];
    let holder = child(node, "method_signature").unwrap_or(node);
    KINDS.iter().find_map(|kind| child(holder, kind))
}

fn function<'t>(site: &Site<'_, 't>) -> Vec<Found<'t>> {
    let Some(signature) = signature(site.node) else { return Vec::new() };
    let mut cursor = signature.walk();
    // `Point.zero` is the constructor `zero` of `Point`.
    let Some(name) = signature.children_by_field_name("name", &mut cursor).last() else { return Vec::new() };
    let kind = match signature.kind() {
        "function_signature" => K::Function,
        "getter_signature" | "setter_signature" => K::Property,
        _ => K::Constructor,
    };
    vec![Found::new(kind, name)]
}

fn value<'t>(site: &Site<'_, 't>) -> Vec<Found<'t>> {
    let Some(name) = site.field(F::Name) else { return Vec::new() };
    let kind = match (site.container, site.node.kind()) {
        (Container::Type, _) => K::Field,
        (_, "static_final_declaration") => K::Constant,
        _ => K::Variable,
    };
    vec![Found::new(kind, name).value()]
}
