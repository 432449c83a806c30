//! PHP.

use orienteer_base::SymbolKind as K;

use super::rules::{Found, Rules, Site, custom, def};
use crate::fields::F;

pub(super) static RULES: Rules = Rules {
    rows: &[&[
        def("namespace_definition", K::Namespace),
        def("class_declaration", K::Class),
        def("interface_declaration", K::Interface),
        def("trait_declaration", K::Trait),
        def("enum_declaration", K::Enum),
        def("enum_case", K::EnumMember),
        def("function_definition", K::Function),
        custom("method_declaration", method),
        def("const_element", K::Constant).child("name"),
        custom("property_element", property),
    ]],
    locals: &["anonymous_function", "arrow_function"],
    wrappers: &["const_declaration", "property_declaration"],
    ..Rules::EMPTY
};

fn method<'t>(site: &Site<'_, 't>) -> Vec<Found<'t>> {
    let Some(name) = site.field(F::Name) else { return Vec::new() };
    let constructs = site.text_of(name).eq_ignore_ascii_case("__construct");
    vec![Found::new(if constructs { K::Constructor } else { K::Method }, name)]
}

fn property<'t>(site: &Site<'_, 't>) -> Vec<Found<'t>> {
    let Some(name) = site.field(F::Name) else { return Vec::new() };
    vec![Found::new(K::Property, name).text(site.text_of(name).trim_start_matches('$'))]
}
