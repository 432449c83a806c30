//! Kotlin. The grammar names no fields and tells classes from interfaces by a keyword.

use orienteer_base::SymbolKind as K;

use super::rules::{Container, Found, Rules, Site, child, custom, def};

pub(super) static RULES: Rules = Rules {
    rows: &[&[
        def("package_header", K::Package).child("identifier"),
        custom("class_declaration", class),
        def("object_declaration", K::Class).child("type_identifier"),
        custom("companion_object", companion),
        def("enum_entry", K::EnumMember).child("simple_identifier"),
        def("type_alias", K::TypeAlias).child("type_identifier"),
        def("function_declaration", K::Function).child("simple_identifier"),
        custom("secondary_constructor", constructor),
        custom("property_declaration", property),
        custom("class_parameter", parameter),
    ]],
    locals: &["lambda_literal", "anonymous_function", "getter", "setter", "anonymous_initializer"],
    bodies: &["class_body", "enum_class_body", "function_body", "statements"],
    ..Rules::EMPTY
};

fn class<'t>(site: &Site<'_, 't>) -> Vec<Found<'t>> {
    let Some(name) = child(site.node, "type_identifier") else { return Vec::new() };
    let kind = if child(site.node, "interface").is_some() {
        K::Interface
    } else if child(site.node, "enum_class_body").is_some() || child(site.node, "enum").is_some() {
        K::Enum
    } else {
        K::Class
    };
    vec![Found::new(kind, name)]
}

fn companion<'t>(site: &Site<'_, 't>) -> Vec<Found<'t>> {
    match child(site.node, "type_identifier") {
        Some(name) => vec![Found::new(K::Class, name)],
        None => {
            let name = child(site.node, "object").unwrap_or(site.node);
            vec![Found::new(K::Class, name).text("Companion")]
        }
    }
}

fn constructor<'t>(site: &Site<'_, 't>) -> Vec<Found<'t>> {
    let Some(name) = child(site.node, "constructor") else { return Vec::new() };
    vec![Found::new(K::Constructor, name)]
}

fn property<'t>(site: &Site<'_, 't>) -> Vec<Found<'t>> {
    let Some(name) = child(site.node, "variable_declaration").and_then(|v| child(v, "simple_identifier"))
    else {
        return Vec::new();
    };
    let modifiers = child(site.node, "modifiers").map(|modifiers| site.text_of(modifiers)).unwrap_or("");
    let kind = if modifiers.split_whitespace().any(|word| word == "const") {
        K::Constant
    } else if site.container == Container::Type {
        K::Property
    } else {
        K::Variable
    };
    vec![Found::new(kind, name).value()]
}

/// A parameter of the primary constructor that is kept as a property.
fn parameter<'t>(site: &Site<'_, 't>) -> Vec<Found<'t>> {
    if child(site.node, "binding_pattern_kind").is_none() {
        return Vec::new();
    }
    let name = child(site.node, "simple_identifier");
    name.map(|name| Found::new(K::Property, name)).into_iter().collect()
}
