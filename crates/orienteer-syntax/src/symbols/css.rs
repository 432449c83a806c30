//! Style sheets: selectors, custom properties, and the at-rules that hold or name something.

use orienteer_base::SymbolKind as K;

use super::rules::{Found, Rules, Site, child, custom, def};

pub(super) static RULES: Rules = Rules {
    rows: &[&[
        def("rule_set", K::Class).child("selectors"),
        def("keyframes_statement", K::Function).child("keyframes_name"),
        custom("media_statement", at_rule),
        custom("supports_statement", at_rule),
        custom("declaration", property),
    ]],
    bodies: &["block", "keyframe_block_list"],
    ..Rules::EMPTY
};

fn at_rule<'t>(site: &Site<'_, 't>) -> Vec<Found<'t>> {
    let end = child(site.node, "block").map_or(site.node.end_byte(), |block| block.start_byte());
    let condition = site.text.get(site.node.start_byte()..end).unwrap_or_default();
    let Some(name) = site.node.child(0) else { return Vec::new() };
    vec![Found::new(K::Namespace, name).text(condition)]
}

fn property<'t>(site: &Site<'_, 't>) -> Vec<Found<'t>> {
    let name = child(site.node, "property_name").filter(|name| site.text_of(*name).starts_with("--"));
    // Inside a selector it is still a variable, not a field of a type.
    name.map(|name| Found::new(K::Property, name)).into_iter().collect()
}
