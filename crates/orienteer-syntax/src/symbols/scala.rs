//! Scala.

use orienteer_base::SymbolKind as K;

use super::rules::{Container, Found, Rules, Site, custom, def};
use crate::fields::F;

pub(super) static RULES: Rules = Rules {
    rows: &[&[
        def("package_clause", K::Package),
        def("package_object", K::Module),
        def("class_definition", K::Class),
        def("object_definition", K::Class),
        def("trait_definition", K::Trait),
        def("enum_definition", K::Enum),
        def("simple_enum_case", K::EnumMember),
        def("full_enum_case", K::EnumMember),
        def("function_definition", K::Function),
        def("function_declaration", K::Function),
        def("type_definition", K::TypeAlias),
        def("given_definition", K::Variable).value(),
        custom("val_definition", value),
        custom("var_definition", value),
        custom("val_declaration", value),
        custom("var_declaration", value),
    ]],
    locals: &["block", "lambda_expression", "case_block", "indented_block"],
    ..Rules::EMPTY
};

fn value<'t>(site: &Site<'_, 't>) -> Vec<Found<'t>> {
    let name = site.field(F::Pattern).or_else(|| site.field(F::Name));
    let Some(name) = name.filter(|name| name.kind() == "identifier") else { return Vec::new() };
    let kind = match (site.container, site.node.kind()) {
        (Container::Type, _) => K::Property,
        (_, "val_definition" | "val_declaration") => K::Constant,
        _ => K::Variable,
    };
    vec![Found::new(kind, name).value()]
}
