//! JavaScript and its typed dialects.
//!
//! What a module exports is public, what it keeps is private; members of a class are public where nothing else is said.

use orienteer_base::SymbolKind as K;
use tree_sitter::Node;

use super::gather::Gather;
use super::head::parameter;
use super::rows::{ALL, Act, Beneath, Row, Rules, above, branch, branch_sign, custom, logic, looping, row};
use super::{Parameter, Visibility};
use crate::fields::F;
use crate::symbols::Outline;
use crate::symbols::rules::unquoted;
use crate::symbols::walk::{Definition, Spot};

const COMMON: &[Row] = &[
    row("identifier", Act::Name),
    row("shorthand_property_identifier", Act::Name),
    row("shorthand_property_identifier_pattern", Act::Bound),
    row("member_expression", Act::Member),
    row("subscript_expression", Act::Index).field("object"),
    custom("call_expression", call),
    row("new_expression", Act::Create).field("constructor"),
    custom("assignment_expression", assignment),
    row("augmented_assignment_expression", Act::Assign).field("left"),
    row("update_expression", Act::Assign).field("argument"),
    row("variable_declarator", Act::Declare).field("name"),
    row("formal_parameters", Act::Signature),
    row("arrow_function", Act::Declare).field("parameter"),
    looping("for_in_statement").with(Act::Declare).field("left"),
    looping("for_statement"),
    looping("while_statement"),
    looping("do_statement"),
    branch("if_statement"),
    branch("ternary_expression"),
    branch("catch_clause").with(Act::Declare).field("parameter"),
    branch_sign("case"),
    logic("&&"),
    logic("||"),
    logic("??"),
    row("throw_statement", Act::Throw),
    row("decorator", Act::Lead).beneath(Beneath::Labels),
    row("string", Act::Past),
    row("regex", Act::Past),
    custom("import_statement", import),
    custom("export_statement", export),
    custom("labeled_statement", |gather, spot| {
        spot.node.child(0).into_iter().for_each(|label| gather.pass(label, false));
        true
    }),
];

const MARKUP: &[Row] = &[
    above("jsx_opening_element", Beneath::Labels),
    above("jsx_self_closing_element", Beneath::Labels),
    above("jsx_closing_element", Beneath::Labels),
];

const TYPED: &[Row] = &[
    row("type_identifier", Act::Type),
    row("predefined_type", Act::Past),
    row("type_annotation", Act::Types),
    row("type_arguments", Act::Types),
    row("type_parameters", Act::Types),
    row("accessibility_modifier", Act::Past),
];

pub(super) static JAVASCRIPT: Rules =
    Rules { rows: &[COMMON, MARKUP], head, finish, support: ALL, ..Rules::PLAIN };

pub(super) static TYPESCRIPT: Rules = Rules {
    // The dialect without markup lacks its kinds, and no row may name what a grammar does not have.
    rows: &[COMMON, TYPED],
    head,
    finish,
    support: ALL,
    ..Rules::PLAIN
};

pub(super) static TSX: Rules =
    Rules { rows: &[COMMON, TYPED, MARKUP], head, finish, support: ALL, ..Rules::PLAIN };

/// The function or class that a definition is about: itself, or what is bound to its name.
fn bound<'t>(gather: &Gather<'t>, node: Node<'t>) -> Node<'t> {
    match node.kind() {
        "variable_declarator"
        | "pair"
        | "public_field_definition"
        | "field_definition"
        | "assignment_expression" => gather.value_of(node).unwrap_or(node),
        _ => node,
    }
}

fn head<'t>(gather: &mut Gather<'t>, definition: &Definition<'_, 't>) {
    let at = definition.at;
    let about = bound(gather, definition.node);
    let kind = definition.symbol.kind;
    let callable = matches!(kind, K::Function | K::Method | K::Constructor);
    let mut said = None;
    let member = matches!(kind, K::Method | K::Constructor | K::Property | K::EnumMember | K::Field);
    if member || callable || kind == K::Class {
        said = modifiers(gather, at, definition.node, about);
    }
    let hidden = definition.symbol.name.starts_with('#');
    gather.facts_of(at).visibility = Some(match said {
        Some(said) => said,
        None if hidden => Visibility::Private,
        None if member && definition.within.is_some() => Visibility::Public,
        None if is_exported(definition) => Visibility::Public,
        None => Visibility::Private,
    });
    if callable {
        let list = gather.child(about, F::Parameters);
        if let Some(single) = gather.child(about, F::Parameter) {
            let only = parameter(gather.written(single), None);
            gather.facts_of(at).parameters = vec![only];
        }
        gather.parameters(at, list, one_parameter);
        gather.returns(at, gather.child(about, F::ReturnType));
    }
    if matches!(kind, K::Class | K::Interface) {
        heritage(gather, at, about);
    }
}

/// Whether an `export` stands around it, with nothing but declarations between.
fn is_exported(definition: &Definition<'_, '_>) -> bool {
    for node in definition.above.iter().rev().take(3) {
        match node.kind() {
            "export_statement" => return true,
            "lexical_declaration" | "variable_declaration" | "ambient_declaration" => {}
            _ => return false,
        }
    }
    false
}

/// Words and decorators before the name.
fn modifiers<'t>(gather: &mut Gather<'t>, at: usize, node: Node<'t>, about: Node<'t>) -> Option<Visibility> {
    let name = gather.table.fields.number(F::Name);
    let body = gather.table.fields.number(F::Body);
    let mut said = None;
    let mut see = |gather: &mut Gather<'t>, child: Node<'t>, field: u16| {
        if field == name || field == body {
            return false;
        }
        match child.kind() {
            "decorator" => gather.decorate(at, gather.written(child)),
            "accessibility_modifier" => {
                said = match gather.written(child) {
                    "private" => Some(Visibility::Private),
                    "protected" => Some(Visibility::Protected),
                    _ => Some(Visibility::Public),
                };
            }
            "async" => gather.facts_of(at).is_async = true,
            "*" => gather.facts_of(at).is_generator = true,
            _ => {}
        }
        true
    };
    gather.each_child(node, &mut see);
    if about.id() != node.id() {
        gather.each_child(about, &mut see);
    }
    said
}

fn one_parameter<'t>(gather: &Gather<'t>, node: Node<'t>) -> Option<Parameter> {
    match node.kind() {
        "required_parameter" | "optional_parameter" => {
            let pattern = gather.child(node, F::Pattern).or_else(|| gather.child(node, F::Name))?;
            let type_name = gather.child(node, F::Type).map(|written| gather.written(written));
            Some(parameter(gather.written(pattern), type_name))
        }
        "assignment_pattern" => Some(parameter(gather.written(gather.child(node, F::Left)?), None)),
        "comment" => None,
        _ => Some(parameter(gather.written(node), None)),
    }
}

fn heritage<'t>(gather: &mut Gather<'t>, at: usize, node: Node<'t>) {
    let mut clauses = Vec::new();
    gather.each_child(node, &mut |_, child, _| {
        match child.kind() {
            "class_heritage" | "extends_type_clause" => clauses.push(child),
            "class_body" | "interface_body" => return false,
            _ => {}
        }
        true
    });
    let mut inner = Vec::new();
    for clause in clauses {
        gather.each_child(clause, &mut |gather, child, _| {
            match child.kind() {
                "extends_clause" | "implements_clause" => inner.push(child),
                "type_arguments" => {}
                _ if child.is_named() => gather.extends(at, gather.written(child)),
                _ => {}
            }
            true
        });
    }
    for clause in inner {
        gather.each_child(clause, &mut |gather, child, _| {
            if child.is_named() && child.kind() != "type_arguments" {
                gather.extends(at, gather.written(child));
            }
            true
        });
    }
}

fn call<'t>(gather: &mut Gather<'t>, spot: &Spot<'_, 't>) -> bool {
    let Some(callee) = gather.child(spot.node, F::Function) else { return true };
    // `require("x")` and `import("x")`.
    if matches!(gather.written(callee), "require" | "import")
        && let Some(list) = gather.child(spot.node, F::Arguments)
        && let Some(module) = list.named_child(0).filter(|module| module.kind() == "string")
    {
        gather.import(unquoted(gather.written(module)), Vec::new(), spot.node);
    }
    gather.meet_call(spot.owner, callee, 0);
    true
}

fn import<'t>(gather: &mut Gather<'t>, spot: &Spot<'_, 't>) -> bool {
    let Some(source) = gather.child(spot.node, F::Source) else { return true };
    let module = unquoted(gather.written(source));
    let before = gather.text.get(spot.node.start_byte()..source.start_byte()).unwrap_or_default();
    let names = imported(before);
    gather.import(module, names, spot.node);
    false
}

/// The names between `import` and `from`.
fn imported(clause: &str) -> Vec<String> {
    let clause = clause.trim().strip_prefix("import").unwrap_or(clause).trim();
    let clause = clause.strip_suffix("from").unwrap_or(clause);
    let clause = clause.trim().strip_prefix("type ").unwrap_or(clause);
    listed(clause).map(|(name, _)| name.to_owned()).collect()
}

/// Names in a list with braces, and what they are called outside.
fn listed(clause: &str) -> impl Iterator<Item = (&str, &str)> {
    clause.split([',', '{', '}']).filter_map(|item| {
        let item = item.trim();
        let item = item.strip_prefix("type ").unwrap_or(item);
        let (name, alias) = item.split_once(" as ").unwrap_or((item, item));
        let (name, alias) = (unquoted(name), unquoted(alias));
        (!name.is_empty() && name != "*").then_some((name, alias))
    })
}

fn export<'t>(gather: &mut Gather<'t>, spot: &Spot<'_, 't>) -> bool {
    let node = spot.node;
    let clause = (0..4).filter_map(|at| node.child(at)).find(|child| child.kind() == "export_clause");
    if let Some(clause) = clause {
        let names: Vec<(&str, &str)> = listed(gather.written(clause)).collect();
        names.iter().for_each(|(_, alias)| gather.export(alias));
        if let Some(source) = gather.child(node, F::Source) {
            let names = names.iter().map(|(name, _)| (*name).to_owned()).collect();
            gather.import(unquoted(gather.written(source)), names, node);
        }
        return false;
    }
    if let Some(source) = gather.child(node, F::Source) {
        gather.import(unquoted(gather.written(source)), vec!["*".to_owned()], node);
        return false;
    }
    if node.child(1).is_some_and(|word| word.kind() == "default") {
        gather.export("default");
        if let Some(value) = gather.child(node, F::Value).filter(|value| value.kind() == "identifier") {
            gather.export(gather.written(value));
        }
    }
    if let Some(name) = gather.child(node, F::Declaration).and_then(|inner| gather.child(inner, F::Name)) {
        gather.export(gather.written(name));
    } else if let Some(declaration) = gather.child(node, F::Declaration) {
        gather.each_child(declaration, &mut |gather, child, _| {
            if child.kind() == "variable_declarator"
                && let Some(name) = gather.child(child, F::Name).filter(|name| name.kind() == "identifier")
            {
                gather.export(gather.written(name));
            }
            true
        });
    }
    true
}

/// `module.exports = { a, b }` and `exports.a = …` export as well.
fn assignment<'t>(gather: &mut Gather<'t>, spot: &Spot<'_, 't>) -> bool {
    let Some(left) = gather.child(spot.node, F::Left) else { return true };
    gather.writes_until(left.end_byte());
    if left.kind() != "member_expression" || spot.above.len() > 2 {
        return true;
    }
    let target = gather.written(left);
    if target == "module.exports" {
        let right = gather.child(spot.node, F::Right);
        match right.map(|right| (right.kind(), right)) {
            Some(("object", object)) => gather.each_child(object, &mut |gather, child, _| {
                let name =
                    gather.child(child, F::Key).or_else(|| gather.child(child, F::Name)).unwrap_or(child);
                if child.is_named()
                    && matches!(name.kind(), "property_identifier" | "shorthand_property_identifier")
                {
                    gather.export(gather.written(name));
                }
                true
            }),
            Some(("identifier", name)) => gather.export(gather.written(name)),
            _ => {}
        }
    } else if let Some(name) =
        target.strip_prefix("module.exports.").or_else(|| target.strip_prefix("exports."))
    {
        gather.export(name);
    }
    true
}

/// What is exported in a list is public as if it said so itself.
fn finish(gather: &mut Gather<'_>, outline: &Outline) {
    if gather.exports.is_empty() {
        return;
    }
    let exported: std::collections::HashSet<String> = gather.exports.iter().cloned().collect();
    for (symbol, facts) in outline.symbols.iter().zip(&mut gather.facts) {
        if symbol.parent.is_none() && symbol.name_path == symbol.name && exported.contains(&symbol.name) {
            facts.visibility = Some(Visibility::Public);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_imports_are_listed() {
        assert_eq!(imported("import fs, { readFile as rf, type X } from "), ["fs", "readFile", "X"]);
        assert_eq!(imported("import * as path from "), [] as [&str; 0]);
        assert_eq!(imported("import type { A } from "), ["A"]);
        assert_eq!(imported("import "), [] as [&str; 0]);
    }
}
