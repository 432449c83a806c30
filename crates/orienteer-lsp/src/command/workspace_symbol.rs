//! `workspace/symbol`.

use orienteer_base::SymbolKind;
use serde_json::{Value, json};

use super::symbol_kind;
use crate::failure::Failure;
use crate::lease::{Heard, Lease, Named, Spot};
use crate::live::{Live, Patience, Request};
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

impl Lease {
    /// Symbols of the project whose name fits a query, as the server matches.
    pub async fn workspace_symbols(
        &self,
        query: &str,
        patience: &Patience,
    ) -> Result<Heard<Vec<Found>>, Failure> {
        let request = Request {
            method: "workspace/symbol",
            needs: Needs::Project,
            file: None,
            at: None,
            range: None,
            extra: json!({ "query": query }),
        };
        let heard = self
            .with_live(patience, |live| {
                let request = &request;
                async move {
                    let (raw, seen) = live.ask(request, patience).await?;
                    let value = resolve(&live, raw.value(), patience).await?;
                    Ok(Heard { value: read(&live, &value), seen })
                }
            })
            .await?;
        Ok(heard)
    }
}

/// Servers may leave the range out and tell it when asked.
async fn resolve(live: &Live, mut value: Value, patience: &Patience) -> Result<Value, crate::live::Stuck> {
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
