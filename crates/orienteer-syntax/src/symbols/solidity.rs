//! Solidity.

use orienteer_base::SymbolKind as K;

use super::rules::{Found, Rules, Site, child, custom, def};

pub(super) static RULES: Rules = Rules {
    rows: &[&[
        def("contract_declaration", K::Class),
        def("interface_declaration", K::Interface),
        def("library_declaration", K::Module),
        def("struct_declaration", K::Struct),
        def("struct_member", K::Field),
        def("enum_declaration", K::Enum),
        def("enum_value", K::EnumMember).itself(),
        def("event_definition", K::Property),
        def("error_declaration", K::Struct),
        def("modifier_definition", K::Function),
        def("function_definition", K::Function),
        custom("constructor_definition", constructor),
        def("state_variable_declaration", K::Variable),
        def("constant_variable_declaration", K::Constant),
    ]],
    ..Rules::EMPTY
};

fn constructor<'t>(site: &Site<'_, 't>) -> Vec<Found<'t>> {
    child(site.node, "constructor").map(|name| Found::new(K::Constructor, name)).into_iter().collect()
}
