//! `textDocument/prepareCallHierarchy`, `callHierarchy/incomingCalls`, `callHierarchy/outgoingCalls`.

use std::path::Path;

use orienteer_base::ask::CallDirection;
use orienteer_base::{Position, Range, SymbolKind};
use serde_json::{Value, json};

use super::symbol_kind;
use crate::failure::Failure;
use crate::lease::{Heard, Lease, Spot};
use crate::live::{Live, Patience, Request};
use crate::message::Extent;
use crate::order::own_first;
use crate::reading::{Entry, Reading, needed};
use crate::ready::Needs;
use crate::uri;

/// A function in a call hierarchy.
#[derive(Debug, Clone, PartialEq)]
pub struct CallItem {
    pub name: String,
    pub kind: SymbolKind,
    pub detail: Option<String>,
    pub spot: Spot,
    /// What the server wants back to go on.
    raw: Value,
}

impl CallItem {
    /// What stands outside every function of a file.
    pub fn module(path: &Path) -> Self {
        let uri = uri::from_path(path);
        let start = json!({ "line": 0, "character": 0 });
        let range = json!({ "start": start, "end": start });
        let name = path.display().to_string();
        let raw = json!({ "name": name, "kind": 2, "uri": uri, "range": range, "selectionRange": range });
        let start = Position::new(1, 1);
        let range = Range { start, end: start };
        let spot = Spot { path: path.to_path_buf(), range, whole: None, unread: false };
        Self { name, kind: SymbolKind::Module, detail: None, spot, raw }
    }
}

/// A caller or a callee, with where the calls stand.
#[derive(Debug, Clone, PartialEq)]
pub struct Called {
    pub item: CallItem,
    pub sites: Vec<Spot>,
}

impl Lease {
    /// The functions at a place.
    pub async fn prepare_calls(
        &self,
        file: &Path,
        at: Position,
        patience: &Patience,
    ) -> Result<Heard<Vec<CallItem>>, Failure> {
        let request = Request {
            method: "textDocument/prepareCallHierarchy",
            needs: Needs::Project,
            file: Some(file),
            at: Some(at),
            range: None,
            extra: json!({}),
        };
        self.ask(&request, patience, |live, raw, reading| {
            let value = reading.value(raw);
            reading.each(&value, |value, reading| item(live, value, reading))
        })
        .await
    }

    /// Who calls a function, or whom it calls.
    pub async fn calls(
        &self,
        of: &CallItem,
        direction: CallDirection,
        patience: &Patience,
    ) -> Result<Heard<Vec<Called>>, Failure> {
        let method = match direction {
            CallDirection::Incoming => "callHierarchy/incomingCalls",
            CallDirection::Outgoing => "callHierarchy/outgoingCalls",
        };
        let extra = json!({ "item": of.raw });
        let request = Request { method, needs: Needs::Project, file: None, at: None, range: None, extra };
        let here = of.raw["uri"].as_str().unwrap_or_default();
        self.ask(&request, patience, |live, raw, reading| {
            let value = reading.value(raw);
            let mut called: Vec<Called> = reading.each(&value, |call, reading| {
                let (other, place) = match direction {
                    CallDirection::Incoming => (&call["from"], needed(call["from"]["uri"].as_str())?),
                    // The ranges of outgoing calls are inside the caller.
                    CallDirection::Outgoing => (&call["to"], here),
                };
                let item = item(live, other, reading)?;
                let mut sites: Vec<Spot> = reading.each(&call["fromRanges"], |range, reading| {
                    reading.spot_at(live, place, needed(Extent::read(range))?, None)
                });
                sites.sort();
                sites.dedup();
                Ok(Called { item, sites })
            });
            called.sort_by(|left, right| left.item.name.cmp(&right.item.name));
            own_first(&live.root, &mut called, |called| &called.item.spot);
            called
        })
        .await
    }
}

fn item(live: &Live, value: &Value, reading: &mut Reading) -> Entry<CallItem> {
    let range = Extent::read(&value["selectionRange"]).or_else(|| Extent::read(&value["range"]));
    let (uri, range) = (needed(value["uri"].as_str())?, needed(range)?);
    Ok(CallItem {
        name: needed(value["name"].as_str())?.to_owned(),
        kind: symbol_kind(value["kind"].as_u64().unwrap_or_default()),
        detail: value["detail"].as_str().filter(|detail| !detail.is_empty()).map(str::to_owned),
        spot: reading.spot_at(live, uri, range, Extent::read(&value["range"]))?,
        raw: value.clone(),
    })
}
