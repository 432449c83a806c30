//! Rust.
//!
//! What counts as throwing: macros that panic (`panic!`, `unreachable!`, …, `bail!`, `ensure!`), and what is put into
//! `Err(…)` where that is named. Deriving a trait and implementing it in the same text extend a type by it.

use orienteer_base::SymbolKind as K;
use tree_sitter::Node;

use super::gather::{Gather, Told};
use super::head::parameter;
use super::rows::{ALL, Act, Beneath, Row, Rules, above, branch, custom, logic, looping, row};
use super::written::{MAX_NAME, is_capital, leading};
use super::{Parameter, Visibility, doc};
use crate::fields::F;
use crate::symbols::Outline;
use crate::symbols::rules::bare_type;
use crate::symbols::walk::{Definition, Spot};

const ROWS: &[Row] = &[
    row("identifier", Act::Name),
    row("type_identifier", Act::Type),
    row("shorthand_field_identifier", Act::Bound),
    row("field_expression", Act::Member).field("field"),
    row("scoped_identifier", Act::Path).beneath(Beneath::Parts),
    row("scoped_type_identifier", Act::Path).beneath(Beneath::Parts),
    row("index_expression", Act::Index),
    custom("call_expression", call),
    custom("macro_invocation", invocation),
    above("token_tree", Beneath::Tokens),
    row("assignment_expression", Act::Assign).field("left"),
    row("compound_assignment_expr", Act::Assign).field("left"),
    row("let_declaration", Act::Pattern).field("pattern"),
    row("let_condition", Act::Pattern).field("pattern"),
    row("parameters", Act::Signature),
    row("type_arguments", Act::Types),
    row("type_parameters", Act::Types),
    row("where_clause", Act::Types),
    row("parameter", Act::Pattern).field("pattern"),
    row("closure_parameters", Act::Pattern),
    row("match_pattern", Act::Pattern),
    branch("match_arm"),
    branch("if_expression"),
    logic("&&"),
    logic("||"),
    looping("for_expression").with(Act::Pattern).field("pattern"),
    looping("while_expression"),
    looping("loop_expression"),
    row("yield_expression", Act::Yield),
    custom("line_comment", comment),
    custom("block_comment", comment),
    custom("attribute_item", attribute),
    row("inner_attribute_item", Act::Past),
    row("visibility_modifier", Act::Past),
    row("string_literal", Act::Past),
    row("lifetime", Act::Past),
    row("label", Act::Past),
    row("macro_rule", Act::Past),
    custom("use_declaration", import),
    custom("extern_crate_declaration", import_crate),
    custom("impl_item", implemented),
];

pub(super) static RULES: Rules = Rules {
    rows: &[ROWS],
    head,
    finish,
    support: ALL,
    ordinary: &["Some", "None", "Ok", "Err", "Self"],
    marked_docs: true,
    ..Rules::PLAIN
};

fn head<'t>(gather: &mut Gather<'t>, definition: &Definition<'_, 't>) {
    let (at, node) = (definition.at, definition.node);
    derived(gather, definition);
    let mut visibility = Visibility::Private;
    let is_function = matches!(node.kind(), "function_item" | "function_signature_item");
    gather.each_child(node, &mut |gather, child, _| match child.kind() {
        "visibility_modifier" => {
            visibility = match gather.written(child) {
                "pub" => Visibility::Public,
                "pub(self)" => Visibility::Private,
                _ => Visibility::Internal,
            };
            is_function
        }
        "function_modifiers" => {
            let is_async = gather.written(child).split_whitespace().any(|word| word == "async");
            gather.facts_of(at).is_async = is_async;
            false
        }
        // Nothing of interest comes later.
        "fn" | "struct" | "enum" | "identifier" | "type_identifier" | "field_identifier" => false,
        _ => true,
    });
    // Variants and what a trait asks for are as visible as what they are part of; what implements a trait is too, but
    // the trait may be anywhere.
    let part = definition.within.filter(|(_, kind)| matches!(kind, K::Enum | K::Trait));
    let of_trait = definition.in_scope
        && visibility == Visibility::Private
        && in_trait_implementation(gather, definition);
    gather.facts_of(at).visibility = match part {
        Some((outer, _)) => gather.facts.get(outer).and_then(|outer| outer.visibility),
        None if of_trait => None,
        None => Some(visibility),
    };
    if is_function {
        gather.parameters(at, gather.child(node, F::Parameters), one_parameter);
        gather.returns(at, gather.child(node, F::ReturnType));
    }
    if definition.symbol.kind == K::Trait {
        gather.extends_each(at, gather.child(node, F::Bounds));
    }
    if definition.symbol.kind == K::Macro {
        let exported = gather.facts_of(at).decorators.iter().any(|name| name == "macro_export");
        gather.facts_of(at).visibility =
            Some(if exported { Visibility::Public } else { Visibility::Private });
    }
}

fn in_trait_implementation<'t>(gather: &Gather<'t>, definition: &Definition<'_, 't>) -> bool {
    let block = definition.above.iter().rev().nth(1).filter(|block| block.kind() == "impl_item");
    block.is_some_and(|block| gather.child(*block, F::Trait).is_some())
}

/// What attributes above say besides their names.
fn derived<'t>(gather: &mut Gather<'t>, definition: &Definition<'_, 't>) {
    if gather.lead.above(gather.text, definition.symbol.range.start).is_none() {
        return;
    }
    for at in 0..gather.lead.attributes().len() {
        let Some(written) = gather.lead.attributes().get(at).and_then(|range| gather.text.get(range.clone()))
        else {
            continue;
        };
        let inner = written.trim_start_matches(['#', '[']).trim_end_matches(']');
        if let Some(traits) = inner.strip_prefix("derive(") {
            traits.trim_end_matches(')').split(',').for_each(|name| gather.extends(definition.at, name));
        }
        let words = inner.strip_prefix("doc").and_then(|rest| rest.trim_start().strip_prefix('='));
        if let Some(words) = words.and_then(|words| doc::of_string(words.trim())) {
            append(&mut gather.facts_of(definition.at).doc, &words);
        }
    }
}

fn append(into: &mut Option<String>, words: &str) {
    const MAX_DOC: usize = 4000;
    match into {
        Some(known) if known.len() + words.len() < MAX_DOC => known.extend(["\n", words]),
        Some(_) => {}
        None => *into = Some(words.to_owned()),
    }
}

fn one_parameter<'t>(gather: &Gather<'t>, node: Node<'t>) -> Option<Parameter> {
    match node.kind() {
        "self_parameter" => Some(Parameter { name: "self".to_owned(), type_name: None }),
        "parameter" => {
            let pattern = gather.child(node, F::Pattern)?;
            let type_name = gather.child(node, F::Type).map(|written| gather.written(written));
            Some(parameter(gather.written(pattern), type_name))
        }
        _ => None,
    }
}

fn call<'t>(gather: &mut Gather<'t>, spot: &Spot<'_, 't>) -> bool {
    let Some(callee) = gather.child(spot.node, F::Function) else { return true };
    if gather.written(callee) == "Err"
        && let Some(argument) = gather.child(spot.node, F::Arguments).and_then(|list| list.named_child(0))
    {
        let (name, rest) = leading(gather.written(argument));
        let last = name.rsplit("::").next().unwrap_or_default();
        if is_capital(name) && !last.is_empty() && !rest.starts_with('!') {
            gather.throws(spot.owner, name, argument.start_byte() + name.len());
        }
    }
    gather.meet_call(spot.owner, callee, gather.table.fields.number(F::Function));
    true
}

const PANICS: &[&str] = &["panic", "unreachable", "todo", "unimplemented", "bail", "ensure"];

fn invocation<'t>(gather: &mut Gather<'t>, spot: &Spot<'_, 't>) -> bool {
    let Some(name) = gather.child(spot.node, F::Macro) else { return true };
    // With the sign that tells macros from functions.
    let end = name.end_byte() + 1;
    let written = gather.text.get(name.start_byte()..end).unwrap_or_default();
    gather.call(spot.owner, written, end);
    gather.pass(name, false);
    let last = written.trim_end_matches('!').rsplit("::").next().unwrap_or_default();
    if PANICS.contains(&last) {
        gather.throws(spot.owner, written, end);
    }
    true
}

/// `//!` and `/*!` are about what they stand in.
fn comment<'t>(gather: &mut Gather<'t>, spot: &Spot<'_, 't>) -> bool {
    let (start, end) = (spot.node.start_byte(), spot.node.end_byte().min(gather.text.len()));
    let written = gather.text.get(start..end).unwrap_or_default();
    if !written.starts_with("//!") && !written.starts_with("/*!") {
        gather.lead.comment(gather.text, start..end);
        return false;
    }
    gather.lead.inner_comment(gather.text, start..end);
    if let Some(words) = doc::of_comments(gather.text, std::slice::from_ref(&(start..end)), true) {
        let doc = match spot.owner {
            Some(at) => &mut gather.facts_of(at).doc,
            None => &mut gather.outside.doc,
        };
        append(doc, &words);
    }
    false
}

fn attribute<'t>(gather: &mut Gather<'t>, spot: &Spot<'_, 't>) -> bool {
    gather.lead.attribute(gather.text, spot.node.start_byte()..spot.node.end_byte().min(gather.text.len()));
    false
}

fn implemented<'t>(gather: &mut Gather<'t>, spot: &Spot<'_, 't>) -> bool {
    if let (Some(of), Some(what)) = (gather.child(spot.node, F::Type), gather.child(spot.node, F::Trait)) {
        let name = bare_type(gather.written(of)).to_owned();
        let what = leading(gather.written(what)).0.to_owned();
        gather.told.push(Told::Extends(name, what));
    }
    true
}

fn import_crate<'t>(gather: &mut Gather<'t>, spot: &Spot<'_, 't>) -> bool {
    if let Some(name) = gather.child(spot.node, F::Name) {
        gather.import(gather.written(name), Vec::new(), spot.node);
    }
    false
}

fn import<'t>(gather: &mut Gather<'t>, spot: &Spot<'_, 't>) -> bool {
    let Some(argument) = gather.child(spot.node, F::Argument) else { return false };
    let public = gather.written(spot.node).starts_with("pub") && spot.above.len() == 1;
    for (module, names) in used(gather.written(argument)) {
        if public {
            names.iter().filter(|name| *name != "*" && *name != "self").for_each(|name| gather.export(name));
        }
        gather.import(&module, names, spot.node);
    }
    false
}

/// `a::{b, c::{d, e as f}}` is `a` with `b`, and `a::c` with `d` and `e`.
fn used(tree: &str) -> Vec<(String, Vec<String>)> {
    const MAX_PREFIXES: usize = 64;
    const MAX_MODULES: usize = 500;
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    let mut prefixes: Vec<String> = vec![String::new()];
    let mut item = String::new();
    for c in tree.chars().chain([',']) {
        match c {
            '{' if prefixes.len() < MAX_PREFIXES && item.len() <= MAX_NAME => {
                let outer = prefixes.last().map(String::as_str).unwrap_or_default();
                prefixes.push(format!("{outer}{}", item.trim()));
                item.clear();
            }
            ',' | '}' => {
                let prefix = prefixes.last().map(String::as_str).unwrap_or_default();
                if found.len() < MAX_MODULES && prefix.len() + item.len() <= MAX_NAME {
                    add(&mut found, prefix, item.trim());
                }
                item.clear();
                if c == '}' && prefixes.len() > 1 {
                    prefixes.pop();
                }
            }
            c => item.push(c),
        }
    }
    found
}

fn add(found: &mut Vec<(String, Vec<String>)>, prefix: &str, item: &str) {
    let item = item.split(" as ").next().unwrap_or_default().trim();
    if item.is_empty() {
        return;
    }
    let path = format!("{prefix}{item}");
    let (module, names) = match path.rsplit_once("::") {
        Some((module, name)) => (module.to_owned(), vec![name.to_owned()]),
        None => (path, Vec::new()),
    };
    match found.iter_mut().find(|(known, list)| *known == module && !list.is_empty() && !names.is_empty()) {
        Some((_, list)) => list.extend(names),
        None => found.push((module, names)),
    }
}

fn finish(gather: &mut Gather<'_>, outline: &Outline) {
    let told = std::mem::take(&mut gather.told);
    let mut types: std::collections::HashMap<&str, usize> = std::collections::HashMap::new();
    if !told.is_empty() {
        for (at, symbol) in outline.symbols.iter().enumerate() {
            if matches!(symbol.kind, K::Struct | K::Enum | K::Union | K::Trait | K::TypeAlias) {
                types.entry(&symbol.name).or_insert(at);
            }
        }
    }
    for told in told {
        if let Told::Extends(name, what) = told
            && let Some(at) = types.get(name.as_str())
        {
            gather.extends(*at, &what);
        }
    }
    gather.export_public(outline);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_of_imports_are_flattened() {
        let lines = |tree| -> Vec<String> {
            used(tree).into_iter().map(|(module, names)| format!("{module}: {}", names.join(" "))).collect()
        };
        assert_eq!(
            lines("std::collections::{HashMap as Map, HashSet}"),
            ["std::collections: HashMap HashSet"]
        );
        assert_eq!(lines("a::{self, b, c::{d, e::F}}"), ["a: self b", "a::c: d", "a::c::e: F"]);
        assert_eq!(lines("serde"), ["serde: "]);
        assert_eq!(lines("a::*"), ["a: *"]);
        assert_eq!(lines("a::{b"), ["a: b"]);
    }
}
