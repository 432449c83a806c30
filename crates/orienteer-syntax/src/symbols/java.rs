//! Java.

use orienteer_base::SymbolKind as K;

use super::rules::{Found, Rules, Site, child, custom, def};
use crate::fields::F;

pub(super) static RULES: Rules = Rules {
    rows: &[&[
        custom("package_declaration", package),
        def("module_declaration", K::Module),
        def("class_declaration", K::Class),
        def("record_declaration", K::Class),
        def("interface_declaration", K::Interface),
        def("annotation_type_declaration", K::Interface),
        def("enum_declaration", K::Enum),
        def("enum_constant", K::EnumMember),
        def("method_declaration", K::Method),
        def("annotation_type_element_declaration", K::Method),
        def("constructor_declaration", K::Constructor),
        def("compact_constructor_declaration", K::Constructor),
        custom("variable_declarator", variable),
    ]],
    locals: &["lambda_expression", "block", "static_initializer"],
    wrappers: &["field_declaration", "constant_declaration"],
    ..Rules::EMPTY
};

fn package<'t>(site: &Site<'_, 't>) -> Vec<Found<'t>> {
    let name = child(site.node, "scoped_identifier").or_else(|| child(site.node, "identifier"));
    name.map(|name| Found::new(K::Package, name)).into_iter().collect()
}

fn variable<'t>(site: &Site<'_, 't>) -> Vec<Found<'t>> {
    let (Some(name), Some(declaration)) = (site.field(F::Name), site.parent()) else { return Vec::new() };
    // `int... rest` is written like a variable.
    if declaration.kind() == "spread_parameter" {
        return Vec::new();
    }
    let modifiers = child(declaration, "modifiers").map(|modifiers| site.text_of(modifiers)).unwrap_or("");
    let has = |word| modifiers.split_whitespace().any(|modifier| modifier == word);
    let constant = declaration.kind() == "constant_declaration" || (has("static") && has("final"));
    vec![Found::new(if constant { K::Constant } else { K::Field }, name).value()]
}
