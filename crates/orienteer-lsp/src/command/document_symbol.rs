//! `textDocument/documentSymbol`.

use std::borrow::Cow;
use std::path::Path;
use std::time::Instant;

use orienteer_base::{Range, SymbolKind};
use serde::Deserialize;
use serde_json::json;

use super::symbol_kind;
use crate::failure::Failure;
use crate::lease::{Heard, Lease};
use crate::live::{Live, Patience, Request};
use crate::message::{Extent, Location};
use crate::position;
use crate::ready::Needs;
use crate::text::Text;

/// Deeper nesting than this is cut: no program has it, and what has it is an attack.
const DEEPEST: usize = 64;

/// One symbol with those inside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outlined {
    pub name: String,
    pub detail: Option<String>,
    pub kind: SymbolKind,
    /// Of the whole definition.
    pub range: Range,
    /// Of the name.
    pub name_range: Range,
    /// Name of the container, from servers that do not nest.
    pub container: Option<String>,
    pub children: Vec<Outlined>,
}

impl Lease {
    /// What a file defines, as the server sees it. One that gave its outline is not asked for it again until it was told of
    /// a change.
    pub async fn document_symbols(
        &self,
        file: &Path,
        patience: &Patience,
    ) -> Result<Heard<Vec<Outlined>>, Failure> {
        let request = Request {
            method: "textDocument/documentSymbol",
            needs: Needs::File,
            file: Some(file),
            at: None,
            range: None,
            extra: json!({}),
        };
        let request = &request;
        self.with_live(patience, |live| async move {
            let synced = match live.recall_outline(file).await? {
                Ok(heard) => return Ok(heard),
                Err(synced) => synced,
            };
            let since = Instant::now();
            let (raw, mut seen, asked) = live.ask_noting(request, patience).await?;
            seen.synced_files += synced;
            let value = match live.asked_about(file, asked).await {
                Some(text) => read(&live, &text, raw.list::<Told<'_>>(), 0),
                None => Vec::new(),
            };
            let heard = Heard { value, seen };
            live.keep_outline(file, since, asked, &heard).await;
            Ok(heard)
        })
        .await
    }
}

/// What a server says of a symbol, nested or flat.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Told<'r> {
    #[serde(borrow)]
    name: Cow<'r, str>,
    #[serde(borrow)]
    detail: Option<Cow<'r, str>>,
    #[serde(default)]
    kind: u64,
    range: Option<Extent>,
    selection_range: Option<Extent>,
    #[serde(borrow)]
    location: Option<Location<'r>>,
    #[serde(borrow)]
    container_name: Option<Cow<'r, str>>,
    #[serde(borrow)]
    children: Option<Vec<Told<'r>>>,
}

fn read(live: &Live, text: &Text, told: Vec<Told<'_>>, depth: usize) -> Vec<Outlined> {
    if depth > DEEPEST {
        return Vec::new();
    }
    let some = |words: Option<Cow<'_, str>>| words.filter(|words| !words.is_empty()).map(Cow::into_owned);
    let symbols = told.into_iter().filter_map(|symbol| {
        let flat = symbol.location.as_ref().and_then(|location| location.range);
        let range = position::from_server(text, flat.or(symbol.range)?, live.unit);
        let name_range = match symbol.selection_range {
            Some(selection) => position::from_server(text, selection, live.unit),
            None => text.name_within(range, &symbol.name).unwrap_or(range),
        };
        Some(Outlined {
            name: symbol.name.into_owned(),
            detail: some(symbol.detail),
            kind: symbol_kind(symbol.kind),
            range,
            name_range,
            container: some(symbol.container_name),
            children: read(live, text, symbol.children.unwrap_or_default(), depth + 1),
        })
    });
    let mut symbols: Vec<Outlined> = symbols.collect();
    symbols.sort_by_key(|symbol| (symbol.range.start, symbol.name_range.start));
    symbols
}
