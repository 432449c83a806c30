//! Zig. Types are values bound to constants.

use orienteer_base::SymbolKind as K;

use super::rules::{Found, Rules, Site, child, custom, def};
use crate::fields::F;

pub(super) static RULES: Rules = Rules {
    rows: &[&[
        def("function_declaration", K::Function),
        custom("variable_declaration", variable),
        custom("container_field", field),
        custom("test_declaration", test),
    ]],
    locals: &["block"],
    bodies: &["struct_declaration", "enum_declaration", "union_declaration", "block"],
    ..Rules::EMPTY
};

fn variable<'t>(site: &Site<'_, 't>) -> Vec<Found<'t>> {
    let Some(name) = child(site.node, "identifier") else { return Vec::new() };
    let of = |kind| child(site.node, kind).is_some();
    if of("struct_declaration") || of("opaque_declaration") {
        return vec![Found::new(K::Struct, name)];
    }
    if of("enum_declaration") {
        return vec![Found::new(K::Enum, name)];
    }
    if of("union_declaration") {
        return vec![Found::new(K::Union, name)];
    }
    vec![Found::new(if of("const") { K::Constant } else { K::Variable }, name).value()]
}

fn field<'t>(site: &Site<'_, 't>) -> Vec<Found<'t>> {
    let kind = if site.within == Some(K::Enum) { K::EnumMember } else { K::Field };
    site.field(F::Name).map(|name| Found::new(kind, name)).into_iter().collect()
}

fn test<'t>(site: &Site<'_, 't>) -> Vec<Found<'t>> {
    let Some(name) = child(site.node, "string") else { return Vec::new() };
    let text = site.text_of(name).trim_matches('"');
    vec![Found::new(K::Function, name).text(text)]
}
