//! Lua. Functions are put into tables by their names or by assignment.

use orienteer_base::SymbolKind as K;
use tree_sitter::Node;

use super::rules::{Found, Rules, Site, child, custom};
use crate::fields::F;

pub(super) static RULES: Rules = Rules {
    rows: &[&[
        custom("function_declaration", function),
        custom("assignment_statement", assignment),
        custom("field", field),
    ]],
    locals: &["function_definition", "do_statement", "for_statement", "while_statement", "repeat_statement"],
    wrappers: &["variable_declaration"],
    ..Rules::EMPTY
};

/// `a.b.c` and `a.b:c` are `c` inside `a/b`.
fn placed<'t>(site: &Site<'_, 't>, kind: K, written: Node<'t>) -> Option<Found<'t>> {
    let field = match written.kind() {
        "identifier" => return Some(Found::new(kind, written)),
        "dot_index_expression" => F::Field,
        "method_index_expression" => F::Method,
        _ => return None,
    };
    let name = site.of(written, field)?;
    let owner = site.text_of(site.of(written, F::Table)?).replace('.', "/");
    Some(Found::new(kind, name).owner(Some(owner)))
}

fn function<'t>(site: &Site<'_, 't>) -> Vec<Found<'t>> {
    let name = site.field(F::Name);
    name.and_then(|name| placed(site, K::Function, name)).into_iter().collect()
}

fn assignment<'t>(site: &Site<'_, 't>) -> Vec<Found<'t>> {
    let (Some(names), Some(values)) =
        (child(site.node, "variable_list"), child(site.node, "expression_list"))
    else {
        return Vec::new();
    };
    let mut name_cursor = names.walk();
    let mut value_cursor = values.walk();
    let mut values = values.named_children(&mut value_cursor);
    let mut found = Vec::new();
    for name in names.named_children(&mut name_cursor) {
        let value = values.next();
        match value.map(|value| value.kind()) {
            Some("function_definition") => {
                let body = value.and_then(|value| site.of(value, F::Body));
                found.extend(placed(site, K::Function, name).map(|found| found.body(body)));
            }
            _ if name.kind() == "identifier" => {
                found.push(Found::new(K::Variable, name).value().once());
            }
            _ => {}
        }
    }
    found
}

/// Functions in a table that has a name.
fn field<'t>(site: &Site<'_, 't>) -> Vec<Found<'t>> {
    let (Some(name), Some(value)) = (site.field(F::Name), site.field(F::Value)) else { return Vec::new() };
    if value.kind() != "function_definition" || site.enclosing.is_none() || site.local {
        return Vec::new();
    }
    vec![Found::new(K::Method, name).body(site.of(value, F::Body))]
}
