//! `lspCallHierarchy`: who calls a function, or what it calls.

use orienteer_base::Problem;
use orienteer_base::ask::{CallDirection, CallsQuery, Window};
use orienteer_base::code::{Hierarchy, HierarchyItem, Place};
use orienteer_engine::editor::EditorPlace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::super::asked::Asked;
use super::super::bulk::{FEW, Found, Query};
use super::super::goals::LocalGoals;
use super::super::paging::Paging;
use super::super::pointing::{self, Pointing};
use super::super::usual::{number, small};
use crate::tool::Ctx;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in super::super) struct LspCallHierarchy {
    #[serde(flatten)]
    _goals: LocalGoals,
    #[serde(flatten)]
    pointing: Pointing,
    /// Call direction
    direction: Direction,
    /// Hierarchy depth
    #[serde(default = "small::<1>")]
    #[schemars(range(min = 1, max = 3))]
    depth: u32,
    /// Context lines
    #[serde(default = "small::<2>")]
    #[schemars(range(min = 0, max = 10))]
    context_lines: u32,
    /// Calls per page
    #[serde(default = "number::<15>")]
    #[schemars(range(min = 1, max = 30))]
    calls_per_page: usize,
    /// Page number
    #[serde(default = "number::<1>")]
    #[schemars(range(min = 1))]
    page: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Direction {
    Incoming,
    Outgoing,
}

impl Query for LspCallHierarchy {
    const TOOL: &'static str = "lspCallHierarchy";
    const TITLE: &'static str = "Callers and callees";
    const DESCRIPTION: &'static str = "Trace incoming and outgoing call relationships for functions using LSP. lineHint is a line (1-indexed) that has the function: find it with localSearchCode first.";
    const MOST: u64 = FEW;

    fn check(&self) -> Result<(), Problem> {
        self.pointing.check()
    }

    async fn answer(self, asked: Asked, ctx: Ctx) -> Result<Found, Problem> {
        let (page, per_page, direction) = (self.page, self.calls_per_page, self.direction);
        let skip = Paging::skip(page, per_page);
        let query = CallsQuery {
            target: self.pointing.target(&ctx)?,
            direction: match direction {
                Direction::Incoming => CallDirection::Incoming,
                Direction::Outgoing => CallDirection::Outgoing,
            },
            depth: self.depth,
            snippet: None,
            // From the beginning: whom a call belongs to may stand on an earlier page.
            window: Window { skip: 0, limit: skip.saturating_add(per_page) },
            wait: ctx.wait(None),
        };
        let answer = ctx.session.call_hierarchy(query, &ctx.cancel).await?;
        let found = &answer.value;
        pointing::understood(&answer, found.total_count == 0)?;
        let pairs: Vec<_> = pairs(found).into_iter().skip(skip).collect();
        let (calls, hidden) = calls(&pairs, direction, self.context_lines, &ctx).await?;
        let paging = Paging { page, per_page, total: found.total_count };
        let mut hints = pointing::notes(&answer);
        hints.extend(hidden);
        hints.extend(paging.hint(&asked, "page"));
        hints.extend(deeper(&calls, direction, found.total_count, &asked));
        let data = json!({ "calls": calls, "totalCalls": found.total_count, "pagination": paging.to_json() });
        Ok(Found::new(data, hints))
    }
}

/// Each member with the one it was found through: the last before it that is one step nearer, or its root.
fn pairs(found: &Hierarchy) -> Vec<(&HierarchyItem, &HierarchyItem)> {
    let mut path: Vec<&HierarchyItem> = Vec::new();
    let mut pairs = Vec::new();
    for item in &found.items {
        path.truncate((item.depth as usize).saturating_sub(1));
        pairs.extend(path.last().copied().or(found.roots.get(item.root)).map(|nearer| (nearer, item)));
        path.push(item);
    }
    pairs
}

/// A call goes from who calls to what is called, and stands where the first of its places is.
async fn calls(
    pairs: &[(&HierarchyItem, &HierarchyItem)],
    direction: Direction,
    context_lines: u32,
    ctx: &Ctx,
) -> Result<(Vec<Value>, Option<String>), Problem> {
    let mut ends: Vec<&Place> = Vec::new();
    let mut sites: Vec<&Place> = Vec::new();
    for (nearer, item) in pairs {
        ends.extend([&nearer.location, &item.location]);
        sites.extend(if item.call_sites.is_empty() {
            std::slice::from_ref(&item.location)
        } else {
            &item.call_sites
        });
    }
    let (ends, _) = pointing::around(ctx, &ends, 0).await?;
    let (shown, hidden) = pointing::around(ctx, &sites, context_lines).await?;
    let mut shown = shown.iter();
    let mut calls = Vec::new();
    for ((nearer, item), ends) in pairs.iter().zip(ends.chunks(2)) {
        let sites: Vec<&EditorPlace> = shown.by_ref().take(item.call_sites.len().max(1)).collect();
        let ([near, far], Some(site)) = (ends, sites.first()) else { continue };
        let (near, far) = (end(&nearer.name, near), end(&item.name, far));
        let (from, to) = if direction == Direction::Incoming { (far, near) } else { (near, far) };
        let own = sites.iter().filter(|_| !item.call_sites.is_empty());
        calls.push(json!({
            "from": from,
            "to": to,
            "fromRanges": own.map(|site| pointing::range(site)).collect::<Vec<_>>(),
            "content": site.content,
            "contextBefore": site.before,
            "contextAfter": site.after,
            "depth": item.depth,
        }));
    }
    Ok((calls, hidden.map(|warning| warning.message)))
}

fn end(name: &str, place: &EditorPlace) -> Value {
    json!({ "name": name, "uri": place.uri, "range": pointing::range(place) })
}

fn deeper(calls: &[Value], direction: Direction, total: usize, asked: &Asked) -> Option<String> {
    if total == 0 {
        let other = if direction == Direction::Incoming { "outgoing" } else { "incoming" };
        let why = format!(
            "No {} calls; the other direction",
            if other == "outgoing" { "incoming" } else { "outgoing" }
        );
        return Some(asked.again(&why, json!({ "direction": other, "page": 1 })));
    }
    let depth = asked.row.get("depth").and_then(Value::as_u64).unwrap_or(1);
    if depth < 3 {
        return Some(asked.again("One level further", json!({ "depth": depth + 1, "page": 1 })));
    }
    let end = if direction == Direction::Incoming { "from" } else { "to" };
    let call = calls.first()?;
    let line = call[end]["range"]["start"]["line"].as_u64()? + 1;
    let fields = json!({ "uri": call[end]["uri"], "symbolName": call[end]["name"], "lineHint": line });
    Some(asked.other("Where the first of them is used", "lspFindReferences", fields))
}
