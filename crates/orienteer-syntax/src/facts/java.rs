//! Java.
//!
//! What says nothing about its visibility is internal to its package, except in interfaces, where it is public.

use orienteer_base::SymbolKind as K;
use tree_sitter::Node;

use super::gather::Gather;
use super::head::parameter;
use super::rows::{ALL, Act, Beneath, Row, Rules, above, branch, branch_sign, custom, logic, looping, row};
use super::{Parameter, Visibility};
use crate::fields::F;
use crate::symbols::Outline;
use crate::symbols::rules::child;
use crate::symbols::walk::{Definition, Spot};

const ROWS: &[Row] = &[
    row("identifier", Act::Name),
    row("type_identifier", Act::Type),
    row("scoped_type_identifier", Act::Path),
    row("field_access", Act::Member).beneath(Beneath::Parts),
    row("array_access", Act::Index).field("array"),
    custom("method_invocation", call).beneath(Beneath::Parts),
    row("object_creation_expression", Act::Create).field("type"),
    custom("explicit_constructor_invocation", constructor),
    above("method_reference", Beneath::Parts),
    row("assignment_expression", Act::Assign).field("left"),
    row("update_expression", Act::Assign),
    above("variable_declarator", Beneath::DeclaresFirst),
    row("formal_parameters", Act::Signature),
    row("type_arguments", Act::Types),
    row("inferred_parameters", Act::Declare),
    row("catch_formal_parameter", Act::Declare),
    row("resource", Act::Declare).field("name"),
    row("lambda_expression", Act::Declare).field("parameters"),
    row("package_declaration", Act::Past),
    above("labeled_statement", Beneath::LabelFirst),
    above("element_value_pair", Beneath::LabelFirst),
    row("modifiers", Act::Past),
    row("string_literal", Act::Past),
    row("character_literal", Act::Past),
    branch("if_statement"),
    branch("ternary_expression"),
    branch("catch_clause"),
    branch_sign("case"),
    logic("&&"),
    logic("||"),
    looping("for_statement"),
    looping("enhanced_for_statement").with(Act::Declare).field("name"),
    looping("while_statement"),
    looping("do_statement"),
    row("throw_statement", Act::Throw),
    custom("import_declaration", import),
];

pub(super) static RULES: Rules = Rules {
    rows: &[ROWS],
    head,
    finish: |gather, outline: &Outline| gather.export_public(outline),
    support: ALL,
    ordinary: &["var", "String", "Object", "Integer"],
    ..Rules::PLAIN
};

fn head<'t>(gather: &mut Gather<'t>, definition: &Definition<'_, 't>) {
    let (at, kind) = (definition.at, definition.symbol.kind);
    // Words and annotations of a field stand on the declaration around it.
    let declared = definition.node.kind() == "variable_declarator";
    let node =
        if declared { definition.above.last().copied().unwrap_or(definition.node) } else { definition.node };
    let mut said = None;
    if let Some(list) = child(node, "modifiers") {
        gather.each_child(list, &mut |gather, word, _| {
            match word.kind() {
                "annotation" | "marker_annotation" => gather.decorate(at, gather.written(word)),
                "public" => said = Some(Visibility::Public),
                "protected" => said = Some(Visibility::Protected),
                "private" => said = Some(Visibility::Private),
                _ => {}
            }
            true
        });
    }
    let open = definition.within.filter(|(_, kind)| matches!(kind, K::Interface));
    let part = definition.within.filter(|_| kind == K::EnumMember).map(|(outer, _)| outer);
    gather.facts_of(at).visibility = match (said, part) {
        (Some(said), _) => Some(said),
        (None, Some(outer)) => gather.facts.get(outer).and_then(|outer| outer.visibility),
        (None, None) if open.is_some() || kind == K::Package => Some(Visibility::Public),
        _ => Some(Visibility::Internal),
    };
    match kind {
        K::Method | K::Constructor => {
            gather.parameters(at, gather.child(node, F::Parameters), one_parameter);
            gather.returns(at, gather.child(node, F::Type).filter(|_| kind == K::Method));
            throws(gather, at, node);
        }
        K::Class | K::Interface | K::Enum => {
            gather.parameters(at, gather.child(node, F::Parameters), one_parameter);
            gather.extends_each(at, gather.child(node, F::Superclass));
            let lists = gather.child(node, F::Interfaces).or_else(|| child(node, "extends_interfaces"));
            gather.extends_each(at, lists.and_then(|list| child(list, "type_list")));
        }
        _ => {}
    }
}

fn throws<'t>(gather: &mut Gather<'t>, at: usize, node: Node<'t>) {
    let Some(clause) = child(node, "throws") else { return };
    let mut names = Vec::new();
    gather.each_child(clause, &mut |gather, thrown, _| {
        if thrown.is_named() {
            names.push(gather.written(thrown).to_owned());
        }
        names.len() < 200
    });
    gather.facts_of(at).throws = names;
}

fn one_parameter<'t>(gather: &Gather<'t>, node: Node<'t>) -> Option<Parameter> {
    match node.kind() {
        "formal_parameter" => {
            let type_name = gather.child(node, F::Type).map(|written| gather.written(written));
            Some(parameter(gather.written(gather.child(node, F::Name)?), type_name))
        }
        "spread_parameter" => {
            let declared = child(node, "variable_declarator")?;
            let before = gather.text.get(node.start_byte()..declared.start_byte()).unwrap_or_default();
            let before = before.trim().strip_prefix("final ").unwrap_or(before);
            Some(parameter(gather.written(declared), Some(before)))
        }
        _ => None,
    }
}

fn call<'t>(gather: &mut Gather<'t>, spot: &Spot<'_, 't>) -> bool {
    let node = spot.node;
    let Some(name) = gather.child(node, F::Name) else { return true };
    let object = gather.child(node, F::Object);
    gather.call_between(spot.owner, node, name, object);
    true
}

fn constructor<'t>(gather: &mut Gather<'t>, spot: &Spot<'_, 't>) -> bool {
    if let Some(name) = gather.child(spot.node, F::Constructor) {
        gather.call(spot.owner, gather.written(name), name.end_byte());
    }
    true
}

fn import<'t>(gather: &mut Gather<'t>, spot: &Spot<'_, 't>) -> bool {
    let written = gather.written(spot.node).trim_end_matches(';').trim();
    let path = written.strip_prefix("import").unwrap_or(written).trim_start();
    let path = path.strip_prefix("static ").unwrap_or(path).trim();
    match path.strip_suffix(".*") {
        Some(module) => gather.import(module, vec!["*".to_owned()], spot.node),
        None => gather.import(path, Vec::new(), spot.node),
    }
    false
}
