//! Go. A method belongs to the type of its receiver.

use orienteer_base::SymbolKind as K;

use super::rules::{Found, Rules, Site, bare_type, child, custom, def};
use crate::fields::F;

pub(super) static RULES: Rules = Rules {
    rows: &[&[
        def("package_clause", K::Package).child("package_identifier"),
        def("function_declaration", K::Function),
        custom("method_declaration", method),
        custom("type_spec", type_spec),
        def("type_alias", K::TypeAlias),
        def("field_declaration", K::Field).each("name"),
        def("method_elem", K::Method),
        def("const_spec", K::Constant).each("name").value(),
        def("var_spec", K::Variable).each("name").value(),
    ]],
    locals: &["func_literal"],
    wrappers: &["type_declaration", "const_declaration", "var_declaration"],
    ..Rules::EMPTY
};

fn method<'t>(site: &Site<'_, 't>) -> Vec<Found<'t>> {
    let Some(name) = site.field(F::Name) else { return Vec::new() };
    let receiver = site.field(F::Receiver).and_then(|list| child(list, "parameter_declaration"));
    let owner = receiver
        .and_then(|receiver| site.of(receiver, F::Type))
        .map(|written| bare_type(site.text_of(written)).to_owned())
        .filter(|owner| !owner.is_empty());
    vec![Found::new(K::Method, name).owner(owner)]
}

fn type_spec<'t>(site: &Site<'_, 't>) -> Vec<Found<'t>> {
    let Some(name) = site.field(F::Name) else { return Vec::new() };
    let written = site.field(F::Type);
    let kind = match written.map(|written| written.kind()) {
        Some("struct_type") => K::Struct,
        Some("interface_type") => K::Interface,
        _ => K::TypeAlias,
    };
    let body =
        written.filter(|_| kind == K::Struct).and_then(|written| child(written, "field_declaration_list"));
    let body = body.or_else(|| {
        let interface = written.filter(|_| kind == K::Interface)?;
        child(interface, "{")
    });
    vec![Found::new(kind, name).body(body)]
}
