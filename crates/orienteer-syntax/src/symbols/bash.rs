//! Shell scripts: functions, and variables set outside of them.

use orienteer_base::SymbolKind as K;

use super::rules::{Found, Rules, Site, custom, def};
use crate::fields::F;

pub(super) static RULES: Rules = Rules {
    rows: &[&[def("function_definition", K::Function), custom("variable_assignment", variable)]],
    // `A=1 command` sets a variable for one command.
    locals: &["command", "subshell", "command_substitution"],
    wrappers: &["declaration_command"],
    ..Rules::EMPTY
};

fn variable<'t>(site: &Site<'_, 't>) -> Vec<Found<'t>> {
    let Some(name) = site.field(F::Name).filter(|name| name.kind() == "variable_name") else {
        return Vec::new();
    };
    let readonly = site.parent().is_some_and(|parent| site.text_of(parent).starts_with("readonly"));
    vec![Found::new(if readonly { K::Constant } else { K::Variable }, name).value().once()]
}
