//! Elixir. Every definition is a call.

use orienteer_base::SymbolKind as K;
use tree_sitter::Node;

use super::rules::{Found, Rules, Site, child, custom};
use crate::fields::F;

pub(super) static RULES: Rules =
    Rules { rows: &[&[custom("call", call)]], bodies: &["do_block"], ..Rules::EMPTY };

fn call<'t>(site: &Site<'_, 't>) -> Vec<Found<'t>> {
    let Some(target) = site.field(F::Target).filter(|target| target.kind() == "identifier") else {
        return Vec::new();
    };
    let kind = match site.text_of(target) {
        "defmodule" => K::Module,
        "defprotocol" => K::Interface,
        "defimpl" => K::Module,
        "def" | "defp" | "defdelegate" => K::Function,
        "defmacro" | "defmacrop" | "defguard" | "defguardp" => K::Macro,
        _ => return Vec::new(),
    };
    let Some(first) = child(site.node, "arguments").and_then(|arguments| arguments.named_child(0)) else {
        return Vec::new();
    };
    head(first).map(|name| Found::new(kind, name)).into_iter().collect()
}

/// The name in `f`, `f(x)` and `f(x) when x > 1`.
fn head(node: Node<'_>) -> Option<Node<'_>> {
    let mut node = node;
    for _ in 0..4 {
        node = match node.kind() {
            "identifier" | "alias" => return Some(node),
            "call" => node.child_by_field_name("target")?,
            "binary_operator" => node.child_by_field_name("left")?,
            _ => return None,
        };
    }
    None
}
