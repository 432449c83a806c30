//! Swift. One kind of node is a class, a struct, an enum, an actor or an extension.

use orienteer_base::SymbolKind as K;

use super::rules::{Container, Found, Rules, Site, bare_type, child, custom, def};
use crate::fields::F;

pub(super) static RULES: Rules = Rules {
    rows: &[&[
        custom("class_declaration", class),
        def("protocol_declaration", K::Interface),
        def("protocol_function_declaration", K::Method),
        custom("protocol_property_declaration", property),
        def("function_declaration", K::Function),
        custom("init_declaration", init),
        custom("property_declaration", property),
        def("enum_entry", K::EnumMember).each("name"),
        def("typealias_declaration", K::TypeAlias),
        def("associatedtype_declaration", K::TypeAlias),
    ]],
    locals: &["lambda_literal", "computed_property", "deinit_declaration"],
    bodies: &["computed_property", "protocol_property_requirements"],
    ..Rules::EMPTY
};

fn class<'t>(site: &Site<'_, 't>) -> Vec<Found<'t>> {
    let (Some(name), Some(word)) = (site.field(F::Name), site.field(F::DeclarationKind)) else {
        return Vec::new();
    };
    let kind = match site.text_of(word) {
        "struct" => K::Struct,
        "enum" => K::Enum,
        "extension" => return vec![Found::scope(name, bare_type(site.text_of(name)))],
        _ => K::Class,
    };
    vec![Found::new(kind, name).text(bare_type(site.text_of(name)))]
}

fn init<'t>(site: &Site<'_, 't>) -> Vec<Found<'t>> {
    child(site.node, "init").map(|name| Found::new(K::Constructor, name)).into_iter().collect()
}

fn property<'t>(site: &Site<'_, 't>) -> Vec<Found<'t>> {
    let mut cursor = site.node.walk();
    let patterns = site.node.children_by_field_name("name", &mut cursor);
    let names = patterns.filter_map(|pattern| site.of(pattern, F::BoundIdentifier));
    let constant = child(site.node, "value_binding_pattern").is_some_and(|word| site.text_of(word) == "let");
    let kind = match site.container {
        Container::Type => K::Property,
        _ if constant => K::Constant,
        _ => K::Variable,
    };
    names.map(|name| Found::new(kind, name).value()).collect()
}
