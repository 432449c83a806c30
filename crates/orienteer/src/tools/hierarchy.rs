//! How callers, callees, supertypes and subtypes are sent and shown.

use orienteer_base::ask::Window;
use orienteer_base::code::{Hierarchy, HierarchyItem, Place};
use orienteer_base::{Answer, Problem};
use serde_json::{Map, Value, json};

use super::{keys, page, place};
use crate::render::text::{count, visible};
use crate::render::{Body, Reply, Row};
use crate::tool::Ctx;

/// Somebody who calls the same thing from more places than this is told how many there are.
const MOST_CALL_SITES: usize = 20;

/// Every place that an answer shows.
fn places(hierarchy: &mut Hierarchy) -> Vec<&mut Place> {
    hierarchy.roots.iter_mut().chain(&mut hierarchy.items).flat_map(item_places).collect()
}

/// The places of one member.
pub(super) fn item_places(item: &mut HierarchyItem) -> impl Iterator<Item = &mut Place> {
    std::iter::once(&mut item.location).chain(&mut item.call_sites)
}

/// The whole reply; `what` says which direction it is.
pub(super) async fn reply(
    ctx: &Ctx,
    mut answer: Answer<Hierarchy>,
    what: &str,
    window: Window,
) -> Result<Reply, Problem> {
    let hidden = keys::hide_in_places(ctx, places(&mut answer.value)).await?;
    let mut reply = Reply::of(&answer);
    reply.warnings.extend(hidden);
    fill(&mut reply, &answer.value, what);
    page::resume(&mut reply, window, answer.value.items.len(), Some(answer.value.total_count));
    Ok(reply)
}

/// The body of a hierarchy; `what` says which direction it is.
fn fill(reply: &mut Reply, hierarchy: &Hierarchy, what: &str) {
    let roots = &hierarchy.roots;
    let several = roots.len() > 1;
    let names: Vec<String> = roots.iter().map(heading).collect();
    let of = if names.is_empty() { String::new() } else { format!(" of {}", names.join(" and ")) };
    reply.head.push(match hierarchy.total_count {
        0 => format!("No {what}s{of}."),
        total => format!("{}{of}", count(total as u64, what)),
    });
    if let Some(root) = roots.first() {
        reply.field("root", Value::Object(value(root)));
    }
    if several {
        reply.field("roots", roots.iter().map(|root| Value::Object(value(root))).collect::<Vec<_>>());
    }
    reply.field("total_count", hierarchy.total_count);
    let row = |item: &HierarchyItem| {
        let (mut row, mut line) = (value(item), text(item, item.depth as usize));
        // Where there are several, each member says which of them it belongs to.
        if several {
            row.insert("root".to_owned(), json!(item.root));
            if let (1, Some(name)) = (item.depth, names.get(item.root)) {
                line.push_str(&format!("\n    (of {name})"));
            }
        }
        Row::new(Value::Object(row), line)
    };
    reply.body = Body::Rows { field: "items", rows: hierarchy.items.iter().map(row).collect() };
}

/// A member of the contract.
pub(super) fn value(item: &HierarchyItem) -> Map<String, Value> {
    let mut value = Map::new();
    let mut put = |name: &str, entry: Value| value.insert(name.to_owned(), entry);
    put("name", json!(item.name));
    put("name_path", json!(item.name_path));
    put("kind", json!(item.kind));
    put("location", Value::Object(place::location(&item.location)));
    put("depth", json!(item.depth));
    if let Some(relation) = item.relation {
        put("relation", json!(relation));
    }
    if item.cycle {
        put("cycle", json!(true));
    }
    let shown = item.call_sites.iter().take(MOST_CALL_SITES);
    put("call_sites", shown.map(|site| Value::Object(place::location(site))).collect());
    if item.call_sites.len() > MOST_CALL_SITES {
        put("call_site_count", json!(item.call_sites.len()));
    }
    value
}

/// `kind name  path:line:column`
fn heading(item: &HierarchyItem) -> String {
    let name = item.name_path.as_deref().unwrap_or(&item.name);
    format!(
        "{}  {}",
        place::title(item.kind, name),
        place::point(&item.location.file_path, item.location.range)
    )
}

/// A member, indented by its depth, and below it where it calls.
pub(super) fn text(item: &HierarchyItem, depth: usize) -> String {
    let mut line = heading(item);
    if let Some(relation) = item.relation {
        line.push_str(&format!("  ({relation})"));
    }
    if item.cycle {
        line.push_str("  (again; not followed further)");
    }
    if let Some(snippet) = &item.location.snippet {
        for text in snippet.lines() {
            line.push_str(&format!("\n    | {text}"));
        }
    }
    for site in item.call_sites.iter().take(MOST_CALL_SITES) {
        // The caller is the symbol around the call: naming it again says nothing.
        let site = Place { symbol: None, ..site.clone() };
        line.push('\n');
        line.push_str(&place::indent(&place::line(&site), 2));
    }
    let more = item.call_sites.len().saturating_sub(MOST_CALL_SITES);
    if more > 0 {
        line.push_str(&format!("\n    … {more} more calls in {}", visible(&item.name)));
    }
    place::indent(&line, depth)
}

#[cfg(test)]
pub(super) mod tests {
    use orienteer_base::SymbolKind;

    use super::super::place::tests::place;
    use super::*;
    use crate::tools::testing::rendered;

    pub(in crate::tools) fn item(name: &str, depth: u32, sites: u32) -> HierarchyItem {
        HierarchyItem {
            name: name.to_owned(),
            name_path: Some(format!("Type/{name}")),
            kind: Some(SymbolKind::Method),
            location: place("src/a.rs", depth * 10, "fn x() {"),
            depth,
            root: 0,
            relation: None,
            call_sites: (1..=sites).map(|line| place("src/b.rs", line, "  x();")).collect(),
            cycle: false,
        }
    }

    #[test]
    fn hierarchies_are_indented_by_depth() {
        let mut again = item("again", 2, 0);
        again.cycle = true;
        let hierarchy = Hierarchy {
            roots: vec![item("root", 0, 0)],
            items: vec![item("near", 1, 1), again],
            total_count: 2,
        };
        let mut reply = Reply::default();
        fill(&mut reply, &hierarchy, "caller");
        let outcome = rendered(reply, 10_000);
        assert_eq!(
            outcome.text,
            "2 callers of method Type/root  src/a.rs:0:5\n  method Type/near  src/a.rs:10:5\n      src/b.rs:1:5  x();\n    \
             method Type/again  src/a.rs:20:5  (again; not followed further)"
        );
        let fields = outcome.structured["items"][0].as_object().unwrap();
        for field in ["name", "name_path", "kind", "location", "depth", "call_sites"] {
            assert!(fields.contains_key(field), "{field}");
        }
        assert_eq!(outcome.structured["root"]["name"], "root");
    }

    #[test]
    fn members_of_several_roots_say_whose_they_are() {
        let (mut second, mut other) = (item("second", 0, 0), item("near", 1, 0));
        second.location.file_path = "src/c.rs".to_owned();
        other.root = 1;
        let hierarchy = Hierarchy {
            roots: vec![item("first", 0, 0), second],
            items: vec![item("near", 1, 0), other],
            total_count: 2,
        };
        let mut reply = Reply::default();
        fill(&mut reply, &hierarchy, "caller");
        let outcome = rendered(reply, 10_000);
        assert_eq!(
            outcome.text,
            "2 callers of method Type/first  src/a.rs:0:5 and method Type/second  src/c.rs:0:5\n  method Type/near  \
             src/a.rs:10:5\n    (of method Type/first  src/a.rs:0:5)\n  method Type/near  src/a.rs:10:5\n    (of method \
             Type/second  src/c.rs:0:5)"
        );
        assert_eq!(outcome.structured["root"]["name"], "first");
        assert_eq!(outcome.structured["roots"][1]["name"], "second");
        assert_eq!(outcome.structured["items"][1]["root"], 1);
    }

    #[test]
    fn many_calls_of_one_caller_are_counted() {
        let busy = item("busy", 1, 90);
        assert_eq!(value(&busy)["call_sites"].as_array().unwrap().len(), MOST_CALL_SITES);
        assert_eq!(value(&busy)["call_site_count"], 90);
        assert!(text(&busy, 0).ends_with("… 70 more calls in busy"));
    }

    #[test]
    fn nothing_is_said_in_words() {
        let mut reply = Reply::default();
        fill(&mut reply, &Hierarchy::default(), "subtype");
        let outcome = rendered(reply, 10_000);
        assert_eq!(outcome.text, "No subtypes.");
        assert!(!outcome.structured.contains_key("root"));
    }
}
