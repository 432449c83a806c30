//! Go.
//!
//! Only `panic` throws. A struct extends what it embeds, an interface what it includes.

use orienteer_base::SymbolKind as K;
use tree_sitter::Node;

use super::gather::Gather;
use super::head::parameter;
use super::rows::{ALL, Act, Beneath, Row, Rules, above, branch, branch_sign, custom, logic, looping, row};
use super::written::is_capital;
use super::{Parameter, Visibility};
use crate::fields::F;
use crate::symbols::Outline;
use crate::symbols::rules::unquoted;
use crate::symbols::walk::{Definition, Spot};

const ROWS: &[Row] = &[
    row("identifier", Act::Name),
    row("type_identifier", Act::Type),
    row("selector_expression", Act::Member),
    row("index_expression", Act::Index).field("operand"),
    custom("call_expression", call),
    row("assignment_statement", Act::Assign).field("left"),
    row("inc_statement", Act::Assign),
    row("dec_statement", Act::Assign),
    row("short_var_declaration", Act::Declare).field("left"),
    row("range_clause", Act::Declare).field("left"),
    row("receive_statement", Act::Declare).field("left"),
    row("type_switch_statement", Act::Declare).field("alias"),
    row("parameter_list", Act::Signature),
    above("var_spec", Beneath::Declares),
    above("const_spec", Beneath::Declares),
    above("parameter_declaration", Beneath::Declares),
    above("variadic_parameter_declaration", Beneath::Declares),
    above("type_parameter_declaration", Beneath::Declares),
    custom("keyed_element", keyed),
    branch("if_statement"),
    branch_sign("case"),
    logic("&&"),
    logic("||"),
    looping("for_statement"),
    row("interpreted_string_literal", Act::Past),
    row("raw_string_literal", Act::Past),
    row("rune_literal", Act::Past),
    custom("import_spec", import),
];

pub(super) static RULES: Rules = Rules {
    rows: &[ROWS],
    head,
    finish: |gather, outline: &Outline| gather.export_public(outline),
    support: ALL,
    capital_values: true,
    ordinary: &[
        "any",
        "bool",
        "byte",
        "comparable",
        "complex128",
        "complex64",
        "error",
        "float32",
        "float64",
        "int",
        "int16",
        "int32",
        "int64",
        "int8",
        "rune",
        "string",
        "uint",
        "uint16",
        "uint32",
        "uint64",
        "uint8",
        "uintptr",
    ],
    ..Rules::PLAIN
};

fn head<'t>(gather: &mut Gather<'t>, definition: &Definition<'_, 't>) {
    let (at, node) = (definition.at, definition.node);
    let public = is_capital(&definition.symbol.name);
    gather.facts_of(at).visibility = Some(if public { Visibility::Public } else { Visibility::Internal });
    match definition.symbol.kind {
        K::Function | K::Method => {
            if let Some(list) = gather.child(node, F::Parameters) {
                let found = parameters(gather, list);
                gather.facts_of(at).parameters = found;
            }
            gather.returns(at, gather.child(node, F::Result));
        }
        K::Struct => {
            let list = gather.child(node, F::Type).and_then(|written| written.named_child(0));
            embedded(gather, at, list);
        }
        K::Interface => {
            let Some(body) = gather.child(node, F::Type) else { return };
            gather.each_child(body, &mut |gather, child, _| {
                // A choice between types is no interface.
                if child.kind() == "type_elem" && child.named_child_count() == 1 {
                    gather.extends(at, gather.written(child));
                }
                true
            });
        }
        _ => {}
    }
}

fn embedded<'t>(gather: &mut Gather<'t>, at: usize, list: Option<Node<'t>>) {
    let Some(list) = list else { return };
    gather.each_child(list, &mut |gather, child, _| {
        if child.kind() == "field_declaration" && gather.child(child, F::Name).is_none() {
            gather.extends(at, gather.written(child));
        }
        true
    });
}

/// `a, b int` are two of the same type.
fn parameters<'t>(gather: &mut Gather<'t>, list: Node<'t>) -> Vec<Parameter> {
    let mut declarations = Vec::new();
    gather.each_child(list, &mut |_, child, _| {
        if child.is_named() {
            declarations.push(child);
        }
        declarations.len() < 200
    });
    let name_field = gather.table.fields.number(F::Name);
    let mut found = Vec::new();
    for declaration in declarations {
        let written = gather.child(declaration, F::Type).map(|written| gather.written(written));
        let many = (declaration.kind() == "variadic_parameter_declaration")
            .then(|| format!("...{}", written.unwrap_or("")));
        let written = many.as_deref().or(written);
        let before = found.len();
        gather.each_child(declaration, &mut |gather, child, field| {
            if field == name_field && child.is_named() {
                found.push(parameter(gather.written(child), written));
            }
            true
        });
        if found.len() == before && written.is_some() {
            found.push(parameter("_", written));
        }
    }
    found
}

fn call<'t>(gather: &mut Gather<'t>, spot: &Spot<'_, 't>) -> bool {
    let Some(callee) = gather.child(spot.node, F::Function) else { return true };
    if gather.written(callee) == "panic" {
        gather.throws(spot.owner, gather.written(callee), callee.end_byte());
    }
    gather.writes_until(0);
    gather.meet_call(spot.owner, callee, 0);
    true
}

/// The key of a field in a literal names the field.
fn keyed<'t>(gather: &mut Gather<'t>, spot: &Spot<'_, 't>) -> bool {
    let name =
        spot.node.child(0).filter(|key| key.named_child(0).is_some_and(|key| key.kind() == "identifier"));
    name.into_iter().for_each(|name| gather.pass(name, false));
    true
}

fn import<'t>(gather: &mut Gather<'t>, spot: &Spot<'_, 't>) -> bool {
    if let Some(path) = gather.child(spot.node, F::Path) {
        let dot = gather.child(spot.node, F::Name).is_some_and(|name| name.kind() == "dot");
        let names = if dot { vec!["*".to_owned()] } else { Vec::new() };
        gather.import(unquoted(gather.written(path)), names, spot.node);
    }
    false
}
