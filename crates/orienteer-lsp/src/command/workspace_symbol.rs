//! `workspace/symbol`.

use std::borrow::Cow;

use orienteer_base::SymbolKind;
use orienteer_base::ask::NameMatch;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::symbol_kind;
use crate::failure::Failure;
use crate::lease::{Heard, Lease, Spot};
use crate::live::{Live, Patience, Request, Seen, Stuck};
use crate::message::Location;
use crate::reading::{Entry, MOST_ENTRIES, Reading, needed};
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
    let (raw, mut reading) = live.ask(&request, patience).await?;
    let mut lacking: Vec<&RawValue> = Vec::new();
    let mut told = 0;
    let found = reading.list(&raw, MOST_ENTRIES, |item: &RawValue, reading| {
        told += 1;
        let symbol: Told<'_> = needed(serde_json::from_str(item.get()).ok())?;
        if symbol.location.uri.is_some() && symbol.location.range.is_none() {
            lacking.push(item);
            return Ok(None);
        }
        symbol.found(live, reading).map(Some)
    });
    listed.cut |= live.limits.cut_symbols(told);
    listed.found.extend(found.into_iter().flatten());
    let can = live.capabilities.options("workspace/symbol")["resolveProvider"].as_bool() == Some(true);
    let asked = lacking.len().min(if can { MOST_RESOLVED } else { 0 });
    listed.cut |= asked < lacking.len();
    // Servers may leave the range out and tell it when asked.
    for item in &lacking[..asked] {
        let item = serde_json::from_str(item.get()).unwrap_or_default();
        let pending = live.wire.request("workspaceSymbol/resolve", item);
        let raw = live.reply("workspaceSymbol/resolve", pending, patience).await?;
        let read = |symbol: Told<'_>, reading: &mut Reading| symbol.found(live, reading);
        // Nothing in reply to one that there is: it cannot be read either.
        let resolved = reading.list(&raw, 1, read);
        reading.unreadable(usize::from(resolved.is_empty() && raw.text().is_none()));
        listed.found.extend(resolved);
    }
    Ok(reading.finish(live, found_any(listed)).seen)
}

/// What a server says of a symbol.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Told<'r> {
    #[serde(borrow)]
    name: Cow<'r, str>,
    #[serde(default)]
    kind: u64,
    #[serde(borrow)]
    container_name: Option<Cow<'r, str>>,
    #[serde(borrow)]
    location: Location<'r>,
}

impl Told<'_> {
    fn found(self, live: &Live, reading: &mut Reading) -> Entry<Found> {
        let spot = reading.spot(live, &self.location)?;
        let container = self.container_name.filter(|name| !name.is_empty()).map(Cow::into_owned);
        Ok(Found { name: self.name.into_owned(), kind: symbol_kind(self.kind), container, spot })
    }
}

fn found_any(listed: &Listed) -> Option<()> {
    (!listed.found.is_empty()).then_some(())
}
