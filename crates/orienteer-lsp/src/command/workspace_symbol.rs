//! `workspace/symbol`.

use orienteer_base::SymbolKind;
use orienteer_base::ask::NameMatch;
use serde_json::{Value, json};

use super::symbol_kind;
use crate::failure::Failure;
use crate::lease::{Heard, Lease, Named, Spot};
use crate::live::{Live, Patience, Request, Seen, Stuck};
use crate::message::Location;
use crate::ready::Needs;

/// Symbols whose range has to be asked for one by one: more are left out.
const MOST_RESOLVED: usize = 50;

/// A symbol somewhere in the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    pub name: String,
    pub kind: SymbolKind,
    pub container: Option<String>,
    pub spot: Spot,
}

/// What a server lists.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Listed {
    pub found: Vec<Found>,
    /// There are or may be more.
    pub cut: bool,
    /// Those of dependencies are wanted, and it cannot be asked for them.
    pub own_only: bool,
}

impl Lease {
    /// Symbols of the project whose name fits a query, as the server matches; with those of its dependencies where it can be
    /// asked for them.
    pub async fn workspace_symbols(
        &self,
        query: &str,
        how: NameMatch,
        dependencies: bool,
        patience: &Patience,
    ) -> Result<Heard<Listed>, Failure> {
        let plain = json!({ "query": self.definition_of_server().asked_for(query, how) });
        let mut questions = vec![plain.clone()];
        let more = self.definition_of_server().dependency_symbols.as_object().filter(|_| dependencies);
        // Whoever is asked for them leaves those of the project out.
        if let (Some(more), Value::Object(mut question)) = (more.filter(|more| !more.is_empty()), plain) {
            question.extend(more.clone());
            questions.push(Value::Object(question));
        }
        let own_only = dependencies && more.is_none();
        let questions = &questions;
        self.with_live(patience, |live| async move {
            let mut listed = Listed { own_only, ..Listed::default() };
            let mut heard: Option<Seen> = None;
            for question in questions {
                let seen = list(&live, question, &mut listed, patience).await?;
                heard = Some(match heard {
                    Some(first) => first.and(seen),
                    None => seen,
                });
            }
            Ok(Heard { value: listed, seen: heard.unwrap_or_default() })
        })
        .await
    }
}

/// Adds what a server lists.
async fn list(
    live: &Live,
    question: &Value,
    listed: &mut Listed,
    patience: &Patience,
) -> Result<Seen, Stuck> {
    let request = Request {
        method: "workspace/symbol",
        needs: Needs::Project,
        file: None,
        at: None,
        range: None,
        extra: question.clone(),
    };
    let (raw, mut seen) = live.ask(&request, patience).await?;
    // Servers say `null` for nothing.
    let mut items = match raw.value() {
        Value::Array(items) => items,
        _ => Vec::new(),
    };
    listed.cut |= live.limits.cut_symbols(items.len());
    listed.cut |= resolve(live, &mut items, patience).await?;
    let mut named = Named::default();
    listed.found.extend(read(live, &items, &mut named));
    seen.not_files = named.not_files();
    Ok(seen)
}

/// Servers may leave the range out and tell it when asked. Returns whether some are left without.
async fn resolve(live: &Live, items: &mut [Value], patience: &Patience) -> Result<bool, Stuck> {
    let lacking =
        |item: &Value| item["location"]["uri"].is_string() && !item["location"]["range"].is_object();
    let can = live.capabilities.options("workspace/symbol")["resolveProvider"].as_bool() == Some(true);
    for item in items.iter_mut().filter(|item| lacking(item)).take(if can { MOST_RESOLVED } else { 0 }) {
        let pending = live.wire.request("workspaceSymbol/resolve", item.clone());
        *item = live.reply("workspaceSymbol/resolve", pending, patience).await?.value();
    }
    Ok(items.iter().any(lacking))
}

fn read(live: &Live, items: &[Value], named: &mut Named) -> Vec<Found> {
    items
        .iter()
        .filter_map(|item| {
            Some(Found {
                name: item["name"].as_str()?.to_owned(),
                kind: symbol_kind(item["kind"].as_u64().unwrap_or_default()),
                container: item["containerName"].as_str().filter(|name| !name.is_empty()).map(str::to_owned),
                spot: live.spot(&Location::read(&item["location"])?, named)?,
            })
        })
        .collect()
}
