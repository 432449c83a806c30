//! Ruby.
//!
//! Nothing in a text tells a local variable that is read from a method that is called without arguments; what the method
//! does not declare itself is read. `include`, `extend` and `prepend` extend a class as its superclass does.

use orienteer_base::SymbolKind as K;
use tree_sitter::Node;

use super::gather::{Gather, Told};
use super::head::parameter;
use super::rows::{ALL, Act, Beneath, Row, Rules, above, branch, custom, logic, looping, row};
use super::written::leading;
use super::{Parameter, Visibility};
use crate::fields::F;
use crate::symbols::Outline;
use crate::symbols::rules::unquoted;
use crate::symbols::walk::{Definition, Spot};

const ROWS: &[Row] = &[
    custom("identifier", name),
    row("constant", Act::Type),
    row("instance_variable", Act::Member),
    row("class_variable", Act::Member),
    row("global_variable", Act::Member),
    row("scope_resolution", Act::Path).beneath(Beneath::Parts),
    row("element_reference", Act::Index).field("object"),
    custom("call", call).beneath(Beneath::Parts),
    row("assignment", Act::Assign).field("left"),
    row("operator_assignment", Act::Assign).field("left"),
    row("method_parameters", Act::Declare),
    row("block_parameters", Act::Declare),
    row("lambda_parameters", Act::Declare),
    row("exception_variable", Act::Declare),
    looping("for").with(Act::Declare).field("pattern"),
    looping("while"),
    looping("until"),
    looping("while_modifier"),
    looping("until_modifier"),
    branch("if"),
    branch("unless"),
    branch("elsif"),
    branch("if_modifier"),
    branch("unless_modifier"),
    branch("when"),
    branch("in_clause"),
    branch("conditional"),
    branch("rescue"),
    branch("rescue_modifier"),
    logic("&&"),
    logic("||"),
    logic("and"),
    logic("or"),
    row("simple_symbol", Act::Past),
    above("alias", Beneath::Labels),
    above("undef", Beneath::Labels),
];

pub(super) static RULES: Rules =
    Rules { rows: &[ROWS], head, finish, support: ALL, assignment_declares: true, ..Rules::PLAIN };

fn head<'t>(gather: &mut Gather<'t>, definition: &Definition<'_, 't>) {
    let (at, node, kind) = (definition.at, definition.node, definition.symbol.kind);
    // `private def x` stands inside a call.
    let called = definition.above.iter().rev().nth(1).filter(|outer| outer.kind() == "call");
    let word = called.and_then(|call| gather.child(*call, F::Method)).map(|word| gather.written(word));
    let here = definition.within.and_then(|(outer, _)| gather.access_in(outer));
    let own = matches!(kind, K::Method | K::Function | K::Property | K::Constructor)
        && node.kind() != "singleton_method";
    let visibility = word.and_then(visibility).or(here.filter(|_| own)).unwrap_or(Visibility::Public);
    gather.facts_of(at).visibility = Some(visibility);
    gather.parameters(at, gather.child(node, F::Parameters), one_parameter);
    if let Some(base) = gather.child(node, F::Superclass).filter(|_| kind == K::Class) {
        gather.extends(at, gather.written(base).trim_start_matches('<').trim());
    }
}

fn visibility(word: &str) -> Option<Visibility> {
    match word {
        "private" | "private_class_method" | "private_constant" => Some(Visibility::Private),
        "protected" => Some(Visibility::Protected),
        "public" | "public_class_method" => Some(Visibility::Public),
        _ => None,
    }
}

fn one_parameter<'t>(gather: &Gather<'t>, node: Node<'t>) -> Option<Parameter> {
    let name = gather.child(node, F::Name).unwrap_or(node);
    Some(parameter(gather.written(name), None))
}

/// A bare `private` is about what follows in the class.
fn name<'t>(gather: &mut Gather<'t>, spot: &Spot<'_, 't>) -> bool {
    let said = visibility(gather.written(spot.node));
    let statement = || spot.above.last().is_some_and(|outer| outer.kind() == "body_statement");
    match said {
        Some(said) if statement() => gather.visible_here(spot.owner, said),
        _ => gather.name(spot),
    }
    false
}

fn call<'t>(gather: &mut Gather<'t>, spot: &Spot<'_, 't>) -> bool {
    let node = spot.node;
    let receiver = gather.child(node, F::Receiver);
    let Some(method) = gather.child(node, F::Method) else { return true };
    // `self.x = 1` is written as the call of a method.
    if node.end_byte() <= gather.writing_until() {
        gather.assign_path(spot.owner, node);
        return false;
    }
    let word = gather.written(method);
    if receiver.is_none() && directive(gather, spot, word) {
        return true;
    }
    gather.call_between(spot.owner, node, method, receiver);
    true
}

/// Calls that say something about the text itself. Whether it was one that is nothing else.
fn directive<'t>(gather: &mut Gather<'t>, spot: &Spot<'_, 't>, word: &str) -> bool {
    let arguments = gather.child(spot.node, F::Arguments);
    let Some(arguments) = arguments else { return false };
    match word {
        "require" | "require_relative" | "load" | "autoload" => {
            let mut module = None;
            gather.each_child(arguments, &mut |_, child, _| {
                if child.kind() == "string" {
                    module = Some(child);
                }
                true
            });
            if let Some(module) = module {
                gather.import(unquoted(gather.written(module)), Vec::new(), spot.node);
            }
            false
        }
        "include" | "extend" | "prepend" => {
            if let Some(owner) = spot.owner {
                gather.extends_each(owner, Some(arguments));
            }
            false
        }
        "raise" | "fail" => {
            if let Some(first) = arguments.named_child(0) {
                let (name, _) = leading(gather.written(first));
                let name = name.strip_suffix(".new").unwrap_or(name);
                if super::written::is_capital(name) {
                    gather.throws(spot.owner, name, first.end_byte());
                }
            }
            false
        }
        _ => match visibility(word) {
            Some(said) => {
                let owner = spot.owner;
                gather.each_child(arguments, &mut |gather, child, _| {
                    if child.kind() == "simple_symbol" {
                        let name = gather.written(child).trim_start_matches(':').to_owned();
                        gather.told.push(Told::Visible(owner, name, said));
                    }
                    true
                });
                if let Some(method) = gather.child(spot.node, F::Method) {
                    gather.pass(method, false);
                }
                true
            }
            None => false,
        },
    }
}

fn finish(gather: &mut Gather<'_>, outline: &Outline) {
    let told = std::mem::take(&mut gather.told);
    // Which symbols have this name, so that many lines about many methods cost no more than they are long.
    let mut members: std::collections::HashMap<(Option<usize>, &str), Vec<usize>> = Default::default();
    if !told.is_empty() {
        for (at, symbol) in outline.symbols.iter().enumerate() {
            members.entry((symbol.parent, symbol.name.as_str())).or_default().push(at);
        }
    }
    for told in &told {
        if let Told::Visible(owner, name, said) = told {
            for at in members.get(&(*owner, name.as_str())).into_iter().flatten() {
                gather.facts_of(*at).visibility = Some(*said);
            }
        }
    }
    gather.export_public(outline);
}
