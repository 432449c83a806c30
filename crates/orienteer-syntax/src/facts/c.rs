//! C and C++.
//!
//! What is `static` in a file is private to it. Members of a C++ class have the visibility of the label above them. C++
//! coroutines that wait are asynchronous, those that yield are generators.

use orienteer_base::SymbolKind as K;
use tree_sitter::Node;

use super::gather::Gather;
use super::head::parameter;
use super::rows::{ALL, Act, Beneath, Row, Rules, above, branch, branch_sign, custom, logic, looping, row};
use super::written::{Written, written};
use super::{Parameter, Visibility};
use crate::fields::F;
use crate::symbols::Outline;
use crate::symbols::walk::{Definition, Spot};

const COMMON: &[Row] = &[
    row("identifier", Act::Name),
    row("type_identifier", Act::Type),
    row("field_expression", Act::Member),
    row("subscript_expression", Act::Index).field("argument"),
    row("call_expression", Act::Call).field("function"),
    row("assignment_expression", Act::Assign).field("left"),
    row("update_expression", Act::Assign).field("argument"),
    above("declaration", Beneath::Declares),
    above("init_declarator", Beneath::DeclaresFirst),
    above("pointer_declarator", Beneath::Declares),
    above("array_declarator", Beneath::DeclaresFirst),
    above("function_declarator", Beneath::Declares),
    above("parenthesized_declarator", Beneath::Declares),
    above("parameter_declaration", Beneath::Declares),
    above("preproc_params", Beneath::Declares),
    branch("if_statement"),
    branch("conditional_expression"),
    branch_sign("case"),
    logic("&&"),
    logic("||"),
    looping("for_statement"),
    looping("while_statement"),
    looping("do_statement"),
    row("string_literal", Act::Past),
    row("char_literal", Act::Past),
    row("primitive_type", Act::Past),
    row("type_qualifier", Act::Past),
    row("storage_class_specifier", Act::Past),
    row("attribute_declaration", Act::Past),
    row("attribute_specifier", Act::Past),
    custom("preproc_include", import),
];

const PLUS_PLUS: &[Row] = &[
    custom("qualified_identifier", path).beneath(Beneath::Parts),
    above("template_function", Beneath::Labels),
    row("new_expression", Act::Create).field("type"),
    above("reference_declarator", Beneath::Declares),
    above("optional_parameter_declaration", Beneath::Declares),
    looping("for_range_loop").with(Act::Declare).field("declarator"),
    branch("catch_clause"),
    row("throw_statement", Act::Throw),
    row("co_yield_statement", Act::Yield),
    row("co_await_expression", Act::Suspend),
    custom("access_specifier", access),
];

pub(super) static C: Rules = Rules {
    rows: &[COMMON],
    head,
    finish: |gather, outline: &Outline| gather.export_public(outline),
    support: ALL,
    ..Rules::PLAIN
};

pub(super) static CPP: Rules = Rules { rows: &[COMMON, PLUS_PLUS], ..C };

/// `std::string` is a type as good as one with a capital.
fn path<'t>(gather: &mut Gather<'t>, spot: &Spot<'_, 't>) -> bool {
    let text = gather.written(spot.node);
    let Written { name, whole } = written(text);
    if whole && !text.contains('<') {
        if !gather.parts_used(spot.owner, &name, spot.node.end_byte()) {
            gather.uses(spot.owner, name, spot.node.end_byte());
        }
        return false;
    }
    true
}

fn access<'t>(gather: &mut Gather<'t>, spot: &Spot<'_, 't>) -> bool {
    // Base classes have such words too.
    if spot.above.last().is_some_and(|list| list.kind() == "field_declaration_list") {
        gather.visible_here(spot.owner, visibility(gather.written(spot.node)));
    }
    false
}

fn visibility(word: &str) -> Visibility {
    match word {
        "private" => Visibility::Private,
        "protected" => Visibility::Protected,
        _ => Visibility::Public,
    }
}

fn head<'t>(gather: &mut Gather<'t>, definition: &Definition<'_, 't>) {
    let (at, node, kind) = (definition.at, definition.node, definition.symbol.kind);
    let declarator = gather.table.fields.number(F::Declarator);
    let mut is_static = false;
    let mut bases = None;
    gather.each_child(node, &mut |gather, child, field| {
        if field == declarator {
            return false;
        }
        match child.kind() {
            "storage_class_specifier" => is_static |= gather.written(child) == "static",
            "attribute_declaration" | "attribute_specifier" => attributes(gather, at, child),
            "base_class_clause" => bases = Some(child),
            "field_declaration_list" | "enumerator_list" | "declaration_list" => return false,
            _ => {}
        }
        true
    });
    let outer = definition.within.filter(|(_, kind)| matches!(kind, K::Class | K::Struct | K::Union));
    gather.facts_of(at).visibility = Some(match (outer, definition.within) {
        (Some((outer, kind)), _) => {
            let default = if kind == K::Class { Visibility::Private } else { Visibility::Public };
            gather.access_in(outer).unwrap_or(default)
        }
        (None, Some((outer, K::Enum))) => {
            gather.facts.get(outer).and_then(|outer| outer.visibility).unwrap_or(Visibility::Public)
        }
        _ if is_static => Visibility::Private,
        _ => Visibility::Public,
    });
    if let Some(bases) = bases {
        gather.each_child(bases, &mut |gather, child, _| {
            if child.is_named() && !matches!(child.kind(), "access_specifier" | "virtual") {
                gather.extends(at, gather.written(child));
            }
            true
        });
    }
    match kind {
        K::Function | K::Method | K::Constructor => function(gather, at, node),
        // The name stands behind what it names.
        K::Struct | K::Enum | K::Union if node.kind() == "type_definition" => {
            gather.declare(Some(at), &definition.symbol.name);
        }
        K::Macro => gather.parameters(at, gather.child(node, F::Parameters), |gather, node| {
            Some(parameter(gather.written(node), None))
        }),
        _ => {}
    }
}

/// `[[nodiscard]]` and `__attribute__((noreturn))`.
fn attributes<'t>(gather: &mut Gather<'t>, at: usize, node: Node<'t>) {
    let written = gather.written(node).trim_start_matches("__attribute__");
    let inner = written.trim_matches(['[', ']', '(', ')', ' ']);
    inner.split(',').for_each(|name| gather.decorate(at, name.trim()));
}

/// Parameters and what is returned hide in a chain of declarators.
fn function<'t>(gather: &mut Gather<'t>, at: usize, node: Node<'t>) {
    const MAX_CHAIN: usize = 16;
    let written = gather.child(node, F::Type);
    let mut declarator = gather.child(node, F::Declarator);
    let mut pointers = String::new();
    for _ in 0..MAX_CHAIN {
        let Some(layer) = declarator else { return };
        match layer.kind() {
            "function_declarator" => break,
            "pointer_declarator" => pointers.push('*'),
            "reference_declarator" => pointers.push('&'),
            _ => {}
        }
        declarator = gather.child(layer, F::Declarator).or_else(|| layer.named_child(0));
    }
    let Some(declarator) = declarator else { return };
    gather.parameters(at, gather.child(declarator, F::Parameters), one_parameter);
    let mut trailing = None;
    gather.each_child(declarator, &mut |_, child, _| {
        if child.kind() == "trailing_return_type" {
            trailing = Some(child);
        }
        true
    });
    gather.returns(at, trailing.or(written));
    if trailing.is_none()
        && !pointers.is_empty()
        && let Some(returned) = &mut gather.facts_of(at).return_type
    {
        returned.push(' ');
        returned.push_str(&pointers);
    }
}

fn one_parameter<'t>(gather: &Gather<'t>, node: Node<'t>) -> Option<Parameter> {
    const MAX_CHAIN: usize = 16;
    let written = gather.child(node, F::Type)?;
    let declarator = gather.child(node, F::Declarator);
    let mut name = declarator;
    for _ in 0..MAX_CHAIN {
        let Some(layer) = name else { break };
        if matches!(layer.kind(), "identifier" | "type_identifier" | "field_identifier") {
            break;
        }
        name = gather.child(layer, F::Declarator).or_else(|| layer.named_child(0));
    }
    let name = name.map(|name| gather.written(name)).unwrap_or_default();
    // `const char *b[]` has the type `const char *[]`: all that is written, less the name.
    let all =
        gather.text.get(node.start_byte()..declarator.unwrap_or(written).end_byte()).unwrap_or_default();
    let type_name = match all.rfind(name) {
        Some(place) if !name.is_empty() => {
            let (before, after) = all.split_at_checked(place)?;
            [before.trim_end(), after.get(name.len()..).unwrap_or_default()].concat()
        }
        _ => all.to_owned(),
    };
    // `void` alone says that there are none.
    if name.is_empty() && type_name == "void" {
        return None;
    }
    Some(parameter(name, Some(&type_name)))
}

fn import<'t>(gather: &mut Gather<'t>, spot: &Spot<'_, 't>) -> bool {
    if let Some(path) = gather.child(spot.node, F::Path) {
        gather.import(gather.written(path).trim_matches(['<', '>', '"']), Vec::new(), spot.node);
    }
    false
}
