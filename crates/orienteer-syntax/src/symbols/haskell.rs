//! Haskell. A function's signature and its equations are one symbol.

use orienteer_base::SymbolKind as K;

use super::rules::{Found, Rules, Site, custom, def};
use crate::fields::F;

pub(super) static RULES: Rules = Rules {
    rows: &[&[
        def("header", K::Module).field("module"),
        def("data_type", K::Struct),
        def("newtype", K::Struct),
        def("type_synonym", K::TypeAlias),
        def("class", K::Trait),
        custom("data_constructor", constructor),
        custom("signature", function),
        custom("function", function),
        custom("bind", function),
        def("field", K::Field),
    ]],
    locals: &["match", "local_binds", "instance"],
    bodies: &["class_declarations"],
    ..Rules::EMPTY
};

fn constructor<'t>(site: &Site<'_, 't>) -> Vec<Found<'t>> {
    let name = site.node.named_child(0).and_then(|inner| inner.child_by_field_name("name"));
    name.map(|name| Found::new(K::EnumMember, name)).into_iter().collect()
}

fn function<'t>(site: &Site<'_, 't>) -> Vec<Found<'t>> {
    // Types have nodes of the same kind, without a name.
    let name = site.field(F::Name).filter(|name| name.kind() == "variable");
    name.map(|name| Found::new(K::Function, name).value().once()).into_iter().collect()
}
