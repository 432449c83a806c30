//! `workspace/symbol`.

use orienteer_base::SymbolKind;
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
    /// There may be more than the so many that it lists.
    pub cut: Option<usize>,
    /// Those of dependencies are wanted, and it cannot be asked for them.
    pub own_only: bool,
}

impl Lease {
    /// Symbols of the project whose name fits a query, as the server matches; with those of its dependencies where it can be
    /// asked for them.
    pub async fn workspace_symbols(
        &self,
        query: &str,
        dependencies: bool,
        patience: &Patience,
    ) -> Result<Heard<Listed>, Failure> {
        let plain = json!({ "query": query });
        let mut questions = vec![plain.clone()];
        let more = self.definition_of_server().dependency_symbols.as_object().filter(|_| dependencies);
        // Whoever is asked for them leaves those of the project out.
        if let (Some(more), Value::Object(mut question)) = (more, plain) {
            question.extend(more.clone());
            questions.push(Value::Object(question));
        }
        let own_only = dependencies && more.is_none();
        let questions = &questions;
        self.with_live(patience, |live| async move {
            let mut listed = Listed { own_only, ..Listed::default() };
            let mut heard: Option<Seen> = None;
            for question in questions {
                let (found, seen) = list(&live, question, patience).await?;
                listed.cut = listed.cut.or(live.definition.most_symbols.filter(|most| found.len() >= *most));
                listed.found.extend(found);
                heard = Some(match heard {
                    Some(first) => Seen {
                        waited_ms: first.waited_ms + seen.waited_ms,
                        synced_files: first.synced_files + seen.synced_files,
                        ready: first.ready && seen.ready,
                        busy_with: first.busy_with.or(seen.busy_with),
                        ..seen
                    },
                    None => seen,
                });
            }
            Ok(Heard { value: listed, seen: heard.unwrap_or_default() })
        })
        .await
    }
}

async fn list(live: &Live, question: &Value, patience: &Patience) -> Result<(Vec<Found>, Seen), Stuck> {
    let request = Request {
        method: "workspace/symbol",
        needs: Needs::Project,
        file: None,
        at: None,
        range: None,
        extra: question.clone(),
    };
    let (raw, seen) = live.ask(&request, patience).await?;
    let value = resolve(live, raw.value(), patience).await?;
    Ok((read(live, &value), seen))
}

/// Servers may leave the range out and tell it when asked.
async fn resolve(live: &Live, mut value: Value, patience: &Patience) -> Result<Value, Stuck> {
    let lacking =
        |item: &Value| item["location"]["uri"].is_string() && !item["location"]["range"].is_object();
    let can = live.capabilities.options("workspace/symbol")["resolveProvider"].as_bool() == Some(true);
    if let Value::Array(items) = &mut value {
        for item in items.iter_mut().filter(|item| lacking(item)).take(if can { MOST_RESOLVED } else { 0 }) {
            let pending = live.wire.request("workspaceSymbol/resolve", item.clone());
            *item = live.reply("workspaceSymbol/resolve", pending, patience).await?.value();
        }
    }
    Ok(value)
}

fn read(live: &Live, value: &Value) -> Vec<Found> {
    let mut named = Named::default();
    let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
    items
        .iter()
        .filter_map(|item| {
            Some(Found {
                name: item["name"].as_str()?.to_owned(),
                kind: symbol_kind(item["kind"].as_u64().unwrap_or_default()),
                container: item["containerName"].as_str().filter(|name| !name.is_empty()).map(str::to_owned),
                spot: live.spot(&Location::read(&item["location"])?, &mut named)?,
            })
        })
        .collect()
}
