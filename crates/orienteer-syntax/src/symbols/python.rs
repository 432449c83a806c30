//! Python. An assignment declares where it stands in a module or a class.

use orienteer_base::SymbolKind as K;

use super::rules::{Found, Rules, Site, custom, def};
use crate::fields::F;

pub(super) static RULES: Rules = Rules {
    rows: &[&[
        def("class_definition", K::Class),
        def("function_definition", K::Function),
        def("type_alias_statement", K::TypeAlias).field("left"),
        custom("assignment", assignment),
    ]],
    locals: &["lambda"],
    decorators: &["decorated_definition"],
    ..Rules::EMPTY
};

fn assignment<'t>(site: &Site<'_, 't>) -> Vec<Found<'t>> {
    let Some(left) = site.field(F::Left).filter(|left| left.kind() == "identifier") else {
        return Vec::new();
    };
    let kind = if super::rules::is_upper(site.text_of(left)) { K::Constant } else { K::Variable };
    vec![Found::new(kind, left).value().once()]
}
