//! C#.
//!
//! What says nothing about its visibility is private in a type, public in an interface or an enum, and internal elsewhere.

use orienteer_base::SymbolKind as K;
use tree_sitter::Node;

use super::gather::Gather;
use super::head::parameter;
use super::rows::{ALL, Act, Beneath, Row, Rules, above, branch, branch_sign, custom, logic, looping, row};
use super::{Parameter, Visibility, doc};
use crate::fields::F;
use crate::symbols::Outline;
use crate::symbols::rules::{HEAD, child};
use crate::symbols::walk::{Definition, Spot};

const ROWS: &[Row] = &[
    row("identifier", Act::Name),
    row("implicit_parameter", Act::Bound),
    row("member_access_expression", Act::Member).beneath(Beneath::Parts),
    above("member_binding_expression", Beneath::Parts),
    row("element_access_expression", Act::Index).field("expression"),
    row("invocation_expression", Act::Call).field("function"),
    row("object_creation_expression", Act::Create).field("type"),
    row("assignment_expression", Act::Assign).field("left"),
    custom("postfix_unary_expression", update),
    custom("prefix_unary_expression", update),
    above("variable_declarator", Beneath::DeclaresFirst),
    custom("parameter", declares_name).beneath(Beneath::Labels),
    // The grammar puts the parts of `params int[] rest` into the list itself.
    above("parameter_list", Beneath::Declares),
    custom("declaration_pattern", declares_name).beneath(Beneath::Labels),
    custom("catch_declaration", declares_name).beneath(Beneath::Labels),
    // What stands directly in these is a type, or the name of what is defined.
    row("qualified_name", Act::Path),
    above("generic_name", Beneath::Labels),
    above("type_argument_list", Beneath::Labels),
    above("base_list", Beneath::Labels),
    above("nullable_type", Beneath::Labels),
    above("array_type", Beneath::Labels),
    above("variable_declaration", Beneath::Labels),
    above("typeof_expression", Beneath::Labels),
    above("method_declaration", Beneath::Labels),
    above("property_declaration", Beneath::Labels),
    above("local_function_statement", Beneath::Labels),
    above("delegate_declaration", Beneath::Labels),
    above("type_parameter_constraints_clause", Beneath::Labels),
    row("type_parameter_list", Act::Past),
    row("attribute_list", Act::Past),
    row("modifier", Act::Past),
    row("predefined_type", Act::Past),
    row("string_literal", Act::Past),
    row("verbatim_string_literal", Act::Past),
    above("labeled_statement", Beneath::LabelFirst),
    custom("argument", argument),
    branch("if_statement"),
    branch("conditional_expression"),
    branch("switch_expression_arm"),
    branch("catch_clause"),
    branch_sign("case"),
    logic("&&"),
    logic("||"),
    logic("??"),
    looping("for_statement"),
    looping("foreach_statement").with(Act::Declare).field("left"),
    looping("while_statement"),
    looping("do_statement"),
    row("throw_statement", Act::Throw),
    row("throw_expression", Act::Throw),
    row("yield_statement", Act::Yield),
    custom("using_directive", import),
];

pub(super) static RULES: Rules = Rules {
    rows: &[ROWS],
    head,
    finish: |gather, outline: &Outline| gather.export_public(outline),
    support: ALL,
    capital_values: true,
    ..Rules::PLAIN
};

fn head<'t>(gather: &mut Gather<'t>, definition: &Definition<'_, 't>) {
    let (at, kind) = (definition.at, definition.symbol.kind);
    // Words and attributes of a field stand two levels above its name.
    let field = definition.node.kind() == "variable_declarator";
    let outer = definition.above.iter().rev().nth(1).copied();
    let node = outer.filter(|_| field).unwrap_or(definition.node);
    if let Some(words) = gather.facts_of(at).doc.take() {
        let plain = doc::without_tags(&words);
        gather.facts_of(at).doc = (!plain.is_empty()).then_some(plain);
    }
    let said = modifiers(gather, at, node);
    let inside = definition.within.map(|(_, kind)| kind);
    gather.facts_of(at).visibility = Some(said.unwrap_or(match inside {
        Some(K::Interface | K::Enum) => Visibility::Public,
        Some(K::Class | K::Struct) => Visibility::Private,
        Some(K::Method | K::Function | K::Constructor) => Visibility::Private,
        _ if kind == K::Namespace => Visibility::Public,
        _ => Visibility::Internal,
    }));
    match kind {
        K::Method | K::Function | K::Constructor | K::TypeAlias => {
            gather.parameters(at, gather.child(node, F::Parameters), one_parameter);
            last_parameters(gather, at, node);
            let written = gather.child(node, F::Returns).or_else(|| gather.child(node, F::Type));
            gather.returns(at, written);
        }
        K::Class | K::Struct | K::Interface | K::Enum => {
            gather.parameters(at, child(node, "parameter_list"), one_parameter);
            gather.extends_each(at, child(node, "base_list"));
        }
        K::Property => gather.returns(at, gather.child(node, F::Type)),
        _ => {}
    }
}

fn modifiers<'t>(gather: &mut Gather<'t>, at: usize, node: Node<'t>) -> Option<Visibility> {
    let name = gather.table.fields.number(F::Name);
    let mut said = None;
    gather.each_child(node, &mut |gather, child, field| {
        match child.kind() {
            "attribute_list" => {
                let list = gather.written(child).trim_matches(['[', ']']);
                if child.named_child_count() == 1 {
                    gather.decorate(at, list);
                } else {
                    let several = (0..HEAD as u32).map_while(|at| child.named_child(at));
                    several.for_each(|one| gather.decorate(at, gather.written(one)));
                }
            }
            "modifier" => match gather.written(child) {
                "public" => said = Some(Visibility::Public),
                // `protected internal` is open to both, `private protected` to neither.
                "protected" => said = said.or(Some(Visibility::Protected)),
                "internal" => said = said.or(Some(Visibility::Internal)),
                "private" => said = Some(Visibility::Private),
                "async" => gather.facts_of(at).is_async = true,
                _ => {}
            },
            _ => {}
        }
        field != name
    });
    said
}

fn one_parameter<'t>(gather: &Gather<'t>, node: Node<'t>) -> Option<Parameter> {
    if node.kind() != "parameter" {
        return None;
    }
    let type_name = gather.child(node, F::Type).map(|written| gather.written(written));
    Some(parameter(gather.written(gather.child(node, F::Name)?), type_name))
}

/// The grammar puts the parts of `params int[] rest` into the list itself.
fn last_parameters<'t>(gather: &mut Gather<'t>, at: usize, node: Node<'t>) {
    let Some(list) = gather.child(node, F::Parameters) else { return };
    let Some(name) = gather.child(list, F::Name) else { return };
    let type_name = gather.child(list, F::Type).map(|written| gather.written(written));
    let last = parameter(gather.written(name), type_name);
    gather.facts_of(at).parameters.push(last);
}

/// Its name is declared, and what else stands directly in it is a type.
fn declares_name<'t>(gather: &mut Gather<'t>, spot: &Spot<'_, 't>) -> bool {
    if let Some(name) = gather.child(spot.node, F::Name) {
        gather.declare(spot.owner, gather.written(name));
        gather.pass(name, false);
    }
    true
}

/// `x++` gives `x` a value, `-x` does not.
fn update<'t>(gather: &mut Gather<'t>, spot: &Spot<'_, 't>) -> bool {
    let written = gather.written(spot.node);
    if written.ends_with("++")
        || written.ends_with("--")
        || written.starts_with("++")
        || written.starts_with("--")
    {
        gather.writes_until(spot.node.end_byte());
    }
    true
}

/// `name: value`.
fn argument<'t>(gather: &mut Gather<'t>, spot: &Spot<'_, 't>) -> bool {
    if spot.node.child_count() > 1
        && let Some(label) = gather.child(spot.node, F::Name)
    {
        gather.pass(label, false);
    }
    true
}

fn import<'t>(gather: &mut Gather<'t>, spot: &Spot<'_, 't>) -> bool {
    let written = gather.written(spot.node).trim_end_matches(';').trim();
    let path = written.strip_prefix("global ").unwrap_or(written).trim_start();
    let path = path.strip_prefix("using").unwrap_or(path).trim_start();
    let path = path.strip_prefix("static ").unwrap_or(path);
    let path = path.split_once('=').map_or(path, |(_, path)| path);
    gather.import(path, Vec::new(), spot.node);
    false
}
