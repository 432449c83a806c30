//! Languages that hold data: their symbols are keys, nested as the data is.

use orienteer_base::SymbolKind as K;

use super::rules::{Found, Rules, Site, child, custom, def, unquoted};
use crate::fields::F;

pub(super) static JSON: Rules =
    Rules { rows: &[&[custom("pair", keyed)]], bodies: &["object", "array"], ..Rules::EMPTY };

pub(super) static YAML: Rules = Rules {
    rows: &[&[custom("block_mapping_pair", keyed), custom("flow_pair", keyed)]],
    bodies: &["block_node"],
    ..Rules::EMPTY
};

pub(super) static TOML: Rules = Rules {
    rows: &[&[custom("table", table), custom("table_array_element", table), custom("pair", pair)]],
    bodies: &["pair"],
    ..Rules::EMPTY
};

pub(super) static HCL: Rules = Rules {
    rows: &[&[custom("block", block), def("attribute", K::Key).child("identifier")]],
    bodies: &["block_start"],
    ..Rules::EMPTY
};

pub(super) static NIX: Rules = Rules {
    rows: &[&[def("binding", K::Key).field("attrpath")]],
    bodies: &["attrset_expression", "function_expression", "let_expression"],
    ..Rules::EMPTY
};

fn keyed<'t>(site: &Site<'_, 't>) -> Vec<Found<'t>> {
    let Some(key) = site.field(F::Key) else { return Vec::new() };
    vec![Found::new(K::Key, key).text(unquoted(site.text_of(key)))]
}

fn toml_key<'t>(site: &Site<'_, 't>, kind: K) -> Vec<Found<'t>> {
    let kinds = ["bare_key", "dotted_key", "quoted_key"];
    let mut cursor = site.node.walk();
    let key = site.node.named_children(&mut cursor).find(|child| kinds.contains(&child.kind()));
    let Some(key) = key else { return Vec::new() };
    let text = site.text_of(key);
    // Quotes inside a dotted key tell its parts apart and must stay.
    let text = if key.kind() == "quoted_key" { unquoted(text) } else { text };
    vec![Found::new(kind, key).text(text)]
}

fn table<'t>(site: &Site<'_, 't>) -> Vec<Found<'t>> {
    toml_key(site, K::Namespace)
}

fn pair<'t>(site: &Site<'_, 't>) -> Vec<Found<'t>> {
    toml_key(site, K::Key)
}

/// A block is named by its labels: `resource "kind" "name"` is `resource.kind.name`.
fn block<'t>(site: &Site<'_, 't>) -> Vec<Found<'t>> {
    let Some(name) = child(site.node, "identifier") else { return Vec::new() };
    let mut cursor = site.node.walk();
    let labels = site.node.named_children(&mut cursor).take(8);
    let labels: Vec<&str> = labels
        .filter(|label| matches!(label.kind(), "identifier" | "string_lit"))
        .map(|label| unquoted(site.text_of(label)))
        .collect();
    vec![Found::new(K::Namespace, name).text(labels.join("."))]
}
