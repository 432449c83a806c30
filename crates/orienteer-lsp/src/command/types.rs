//! `textDocument/prepareTypeHierarchy`, `typeHierarchy/supertypes`, `typeHierarchy/subtypes`.

use std::path::Path;

use orienteer_base::{Position, SymbolKind};
use serde_json::{Value, json};

use super::symbol_kind;
use crate::failure::Failure;
use crate::lease::{Heard, Lease, Spot};
use crate::live::{Live, Patience, Request};
use crate::message::{Extent, Raw};
use crate::order::own_first;
use crate::reading::{Reading, needed};
use crate::ready::Needs;

/// A type in a hierarchy.
#[derive(Debug, Clone, PartialEq)]
pub struct TypeItem {
    pub name: String,
    pub kind: SymbolKind,
    pub detail: Option<String>,
    pub spot: Spot,
    /// What the server wants back to go on.
    raw: Value,
}

impl Lease {
    /// The types at a place.
    pub async fn prepare_types(
        &self,
        file: &Path,
        at: Position,
        patience: &Patience,
    ) -> Result<Heard<Vec<TypeItem>>, Failure> {
        let request = Request {
            method: "textDocument/prepareTypeHierarchy",
            needs: Needs::Project,
            file: Some(file),
            at: Some(at),
            range: None,
            extra: json!({}),
        };
        self.ask(&request, patience, items).await
    }

    /// What a type is made of (`up`), or what is made of it.
    pub async fn related_types(
        &self,
        of: &TypeItem,
        up: bool,
        patience: &Patience,
    ) -> Result<Heard<Vec<TypeItem>>, Failure> {
        let method = if up { "typeHierarchy/supertypes" } else { "typeHierarchy/subtypes" };
        let extra = json!({ "item": of.raw });
        let request = Request { method, needs: Needs::Project, file: None, at: None, range: None, extra };
        self.ask(&request, patience, items).await
    }
}

fn items(live: &Live, raw: &Raw, reading: &mut Reading) -> Vec<TypeItem> {
    let value = reading.value(raw);
    let mut items: Vec<TypeItem> = reading.each(&value, |value, reading| {
        let range = Extent::read(&value["selectionRange"]).or_else(|| Extent::read(&value["range"]));
        let (uri, range) = (needed(value["uri"].as_str())?, needed(range)?);
        Ok(TypeItem {
            name: needed(value["name"].as_str())?.to_owned(),
            kind: symbol_kind(value["kind"].as_u64().unwrap_or_default()),
            detail: value["detail"].as_str().filter(|detail| !detail.is_empty()).map(str::to_owned),
            spot: reading.spot_at(live, uri, range, Extent::read(&value["range"]))?,
            raw: value.clone(),
        })
    });
    items.sort_by(|left, right| left.name.cmp(&right.name));
    own_first(&live.root, &mut items, |item| &item.spot);
    items
}
