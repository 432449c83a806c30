//! Python.
//!
//! A name that begins with an underscore is private, unless it both begins and ends with two. A module exports what
//! `__all__` lists, or everything public.

use tree_sitter::Node;

use super::gather::Gather;
use super::head::parameter;
use super::rows::{ALL, Act, Beneath, Row, Rules, above, branch, custom, logic, looping, row};
use super::{Parameter, Visibility, doc};
use crate::fields::F;
use crate::symbols::Outline;
use crate::symbols::rules::{HEAD, unquoted};
use crate::symbols::walk::{Definition, Spot};
use orienteer_base::SymbolKind as K;

const ROWS: &[Row] = &[
    row("identifier", Act::Name),
    row("attribute", Act::Member).beneath(Beneath::Parts),
    row("dotted_name", Act::Member).beneath(Beneath::Parts),
    row("subscript", Act::Index).field("value"),
    row("call", Act::Call).field("function"),
    custom("assignment", assignment),
    row("augmented_assignment", Act::Assign).field("left"),
    row("named_expression", Act::Assign).field("name"),
    above("keyword_argument", Beneath::LabelFirst),
    above("keyword_pattern", Beneath::LabelFirst),
    row("type", Act::Types).beneath(Beneath::Labels),
    above("generic_type", Beneath::Labels),
    above("decorator", Beneath::Labels),
    row("parameters", Act::Signature),
    row("lambda_parameters", Act::Pattern),
    row("as_pattern_target", Act::Declare),
    looping("for_statement").with(Act::Declare).field("left"),
    looping("for_in_clause").with(Act::Declare).field("left"),
    looping("while_statement"),
    branch("if_statement"),
    branch("elif_clause"),
    branch("if_clause"),
    branch("conditional_expression"),
    branch("case_clause"),
    branch("except_clause"),
    logic("and"),
    logic("or"),
    row("raise_statement", Act::Throw),
    row("yield", Act::Yield),
    custom("global_statement", foreign),
    custom("nonlocal_statement", foreign),
    custom("module", module),
    custom("string", string),
    custom("import_statement", import),
    custom("import_from_statement", import_from),
    row("future_import_statement", Act::Past),
];

pub(super) static RULES: Rules = Rules {
    rows: &[ROWS],
    head,
    finish,
    support: ALL,
    assignment_declares: true,
    ordinary: &["None", "True", "False"],
    ..Rules::PLAIN
};

fn head<'t>(gather: &mut Gather<'t>, definition: &Definition<'_, 't>) {
    let (at, node) = (definition.at, definition.node);
    let name = definition.symbol.name.as_str();
    let special = name.starts_with("__") && name.ends_with("__");
    let private = name.starts_with('_') && !special;
    gather.facts_of(at).visibility = Some(if private { Visibility::Private } else { Visibility::Public });
    let function = match node.kind() {
        "function_definition" => true,
        "class_definition" => false,
        _ => return,
    };
    if let Some(words) = gather.child(node, F::Body).and_then(|body| docstring(gather, body)) {
        gather.facts_of(at).doc = Some(words);
    }
    if let Some(outer) = definition.above.last().filter(|outer| outer.kind() == "decorated_definition") {
        gather.each_child(*outer, &mut |gather, child, _| {
            if child.kind() == "decorator" {
                gather.decorate(at, gather.written(child));
            }
            true
        });
    }
    if function {
        gather.facts_of(at).is_async = node.child(0).is_some_and(|word| word.kind() == "async");
        gather.parameters(at, gather.child(node, F::Parameters), one_parameter);
        gather.returns(at, gather.child(node, F::ReturnType));
    } else if let Some(bases) = gather.child(node, F::Superclasses) {
        gather.each_child(bases, &mut |gather, child, _| {
            // A metaclass is written like an argument.
            if child.is_named() && child.kind() != "keyword_argument" {
                gather.extends(at, gather.written(child));
            }
            true
        });
    }
}

/// Code stands in strings with an `f` before them only, or a `t`.
fn string<'t>(gather: &mut Gather<'t>, spot: &Spot<'_, 't>) -> bool {
    let letters = gather.written(spot.node).bytes().take_while(u8::is_ascii_alphabetic);
    letters.into_iter().any(|letter| matches!(letter, b'f' | b'F' | b't' | b'T'))
}

/// The words of the string that a body begins with.
fn docstring<'t>(gather: &Gather<'t>, body: Node<'t>) -> Option<String> {
    let mut children = (0..HEAD as u32).map_while(|at| body.named_child(at));
    let first = children.find(|child| child.kind() != "comment")?;
    let string = first.named_child(0).filter(|string| string.kind() == "string")?;
    if first.kind() != "expression_statement" {
        return None;
    }
    doc::of_string(gather.written(string))
}

fn module<'t>(gather: &mut Gather<'t>, spot: &Spot<'_, 't>) -> bool {
    gather.outside.doc = docstring(gather, spot.node);
    true
}

fn one_parameter<'t>(gather: &Gather<'t>, node: Node<'t>) -> Option<Parameter> {
    let type_name = || gather.child(node, F::Type).map(|written| gather.written(written));
    match node.kind() {
        "default_parameter" | "typed_default_parameter" => {
            Some(parameter(gather.written(gather.child(node, F::Name)?), type_name()))
        }
        "typed_parameter" => Some(parameter(gather.written(node.named_child(0)?), type_name())),
        "keyword_separator" | "positional_separator" | "comment" => None,
        _ => Some(parameter(gather.written(node), None)),
    }
}

fn assignment<'t>(gather: &mut Gather<'t>, spot: &Spot<'_, 't>) -> bool {
    let Some(left) = gather.child(spot.node, F::Left) else { return true };
    gather.writes_until(left.end_byte());
    if spot.above.len() == 2 && gather.written(left) == "__all__" {
        list_all(gather, spot.node);
    }
    true
}

fn list_all<'t>(gather: &mut Gather<'t>, node: Node<'t>) {
    let Some(right) = gather.child(node, F::Right) else { return };
    gather.each_child(right, &mut |gather, child, _| {
        if child.kind() == "string" {
            gather.export(unquoted(gather.written(child)));
        }
        true
    });
}

/// `global x`: the function gives a value to what is not its own.
fn foreign<'t>(gather: &mut Gather<'t>, spot: &Spot<'_, 't>) -> bool {
    gather.each_child(spot.node, &mut |gather, child, _| {
        if child.kind() == "identifier" {
            gather.disown(spot.owner, gather.written(child));
        }
        true
    });
    false
}

/// `a.b as c` is `a.b`.
fn original(written: &str) -> &str {
    written.split_whitespace().next().unwrap_or_default()
}

fn import<'t>(gather: &mut Gather<'t>, spot: &Spot<'_, 't>) -> bool {
    let node = spot.node;
    gather.each_child(node, &mut |gather, child, _| {
        if child.is_named() {
            gather.import(original(gather.written(child)), Vec::new(), node);
        }
        true
    });
    false
}

fn import_from<'t>(gather: &mut Gather<'t>, spot: &Spot<'_, 't>) -> bool {
    let node = spot.node;
    let Some(module) = gather.child(node, F::ModuleName) else { return false };
    let mut names = Vec::new();
    gather.each_child(node, &mut |gather, child, _| {
        if child.is_named() && child.id() != module.id() && child.kind() != "comment" {
            names.push(original(gather.written(child)).to_owned());
        }
        true
    });
    gather.import(gather.written(module), names, node);
    false
}

fn finish(gather: &mut Gather<'_>, outline: &Outline) {
    if !gather.exports.is_empty() {
        return;
    }
    let mut names = Vec::new();
    for (symbol, facts) in outline.symbols.iter().zip(&gather.facts) {
        let public = facts.visibility == Some(Visibility::Public) && !symbol.name.starts_with("__");
        if symbol.parent.is_none() && public && symbol.kind != K::Package {
            names.push(symbol.name.as_str());
        }
    }
    names.into_iter().for_each(|name| gather.export(name));
}
