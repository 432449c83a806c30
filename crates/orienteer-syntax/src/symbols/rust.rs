//! Rust. Methods live in `impl` blocks, which are no symbols but carry their type's name.

use orienteer_base::SymbolKind as K;

use super::rules::{Found, Rules, Site, bare_type, custom, def};
use crate::fields::F;

pub(super) static RULES: Rules = Rules {
    rows: &[&[
        def("function_item", K::Function),
        def("function_signature_item", K::Function),
        def("struct_item", K::Struct),
        def("enum_item", K::Enum),
        def("union_item", K::Union),
        def("trait_item", K::Trait),
        def("type_item", K::TypeAlias),
        def("associated_type", K::TypeAlias),
        def("const_item", K::Constant),
        def("static_item", K::Variable),
        def("macro_definition", K::Macro),
        def("mod_item", K::Module),
        def("enum_variant", K::EnumMember),
        def("field_declaration", K::Field),
        custom("impl_item", implemented),
    ]],
    // The fields of a tuple have no names to be listed by.
    inline: &["ordered_field_declaration_list"],
    ..Rules::EMPTY
};

fn implemented<'t>(site: &Site<'_, 't>) -> Vec<Found<'t>> {
    let Some(mut written) = site.field(F::Type) else { return Vec::new() };
    // `impl Trait for &mut Vec<T>` belongs to `Vec`.
    for _ in 0..8 {
        let field = match written.kind() {
            "reference_type" | "pointer_type" | "generic_type" => F::Type,
            "scoped_type_identifier" => F::Name,
            _ => break,
        };
        let Some(inner) = site.of(written, field) else { break };
        written = inner;
    }
    vec![Found::scope(written, bare_type(site.text_of(written)))]
}
