//! C#.

use orienteer_base::SymbolKind as K;

use super::rules::{Found, Rules, Site, child, custom, def};
use crate::fields::F;

pub(super) static RULES: Rules = Rules {
    rows: &[&[
        def("namespace_declaration", K::Namespace),
        def("file_scoped_namespace_declaration", K::Namespace),
        def("class_declaration", K::Class),
        def("record_declaration", K::Class),
        def("struct_declaration", K::Struct),
        def("interface_declaration", K::Interface),
        def("enum_declaration", K::Enum),
        def("enum_member_declaration", K::EnumMember),
        def("delegate_declaration", K::TypeAlias),
        def("method_declaration", K::Method),
        def("local_function_statement", K::Function),
        def("constructor_declaration", K::Constructor),
        custom("destructor_declaration", destructor),
        def("property_declaration", K::Property),
        def("event_declaration", K::Property),
        custom("variable_declarator", variable),
    ]],
    locals: &[
        "lambda_expression",
        "anonymous_method_expression",
        "block",
        "global_statement",
        "accessor_list",
    ],
    wrappers: &["variable_declaration", "field_declaration", "event_field_declaration"],
    bodies: &["accessor_list", "arrow_expression_clause"],
    ..Rules::EMPTY
};

fn destructor<'t>(site: &Site<'_, 't>) -> Vec<Found<'t>> {
    let Some(name) = site.field(F::Name) else { return Vec::new() };
    vec![Found::new(K::Method, name).text(format!("~{}", site.text_of(name)))]
}

fn variable<'t>(site: &Site<'_, 't>) -> Vec<Found<'t>> {
    let Some(name) = site.field(F::Name) else { return Vec::new() };
    let Some(declaration) = site.ancestors.iter().rev().nth(1) else { return Vec::new() };
    let kind = match declaration.kind() {
        "event_field_declaration" => K::Property,
        "field_declaration" => {
            let mut cursor = declaration.walk();
            let mut modifiers =
                declaration.children(&mut cursor).take_while(|c| c.kind() != "variable_declaration");
            if modifiers.any(|modifier| child(modifier, "const").is_some()) { K::Constant } else { K::Field }
        }
        _ => return Vec::new(),
    };
    vec![Found::new(kind, name).value()]
}
