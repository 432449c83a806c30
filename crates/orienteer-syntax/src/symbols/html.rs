//! HTML: the elements that have an id, because that is how the rest of a page names them.

use orienteer_base::SymbolKind as K;

use super::rules::{Found, Rules, Site, child, custom};

pub(super) static RULES: Rules = Rules {
    rows: &[&[
        custom("element", identified),
        custom("script_element", identified),
        custom("style_element", identified),
    ]],
    ..Rules::EMPTY
};

fn identified<'t>(site: &Site<'_, 't>) -> Vec<Found<'t>> {
    let tag = child(site.node, "start_tag").or_else(|| child(site.node, "self_closing_tag"));
    let Some(tag) = tag else { return Vec::new() };
    let mut cursor = tag.walk();
    for attribute in tag.named_children(&mut cursor).filter(|child| child.kind() == "attribute") {
        let named = child(attribute, "attribute_name")
            .is_some_and(|name| site.text_of(name).eq_ignore_ascii_case("id"));
        if !named {
            continue;
        }
        let quoted = child(attribute, "quoted_attribute_value");
        let value = child(quoted.unwrap_or(attribute), "attribute_value");
        return value.map(|value| Found::new(K::Key, value).body(site.node.child(1))).into_iter().collect();
    }
    Vec::new()
}
