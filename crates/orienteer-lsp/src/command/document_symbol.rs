//! `textDocument/documentSymbol`.

use std::borrow::Cow;
use std::path::Path;
use std::time::Instant;

use orienteer_base::{Range, SymbolKind};
use serde::Deserialize;
use serde_json::{Value, json};

use super::symbol_kind;
use crate::failure::Failure;
use crate::lease::{Heard, Lease};
use crate::live::{Live, Patience, Request};
use crate::message::{Extent, Location, Raw};
use crate::position;
use crate::reading::{MOST_ENTRIES, Reading, needed};
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
            let (raw, mut reading, asked) = live.ask_noting(request, patience).await?;
            let value = match live.asked_about(file, asked).await {
                Some(text) => outline(&live, &text, &raw, &mut reading),
                None => {
                    reading.unreadable(1);
                    Vec::new()
                }
            };
            let mut heard = reading.finish(&live, value);
            heard.seen.synced_files += synced;
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

fn outline(live: &Live, text: &Text, raw: &Raw, reading: &mut Reading) -> Vec<Outlined> {
    let mut left = MOST_ENTRIES;
    let Some(told) = raw.text() else { return Vec::new() };
    match serde_json::from_str(told) {
        Ok(symbols) => read(live, text, symbols, 0, &mut left, reading),
        // Something in it is odd.
        Err(_) => {
            let symbols = one_by_one(reading.value(raw), 0, reading);
            read(live, text, symbols, 0, &mut left, reading)
        }
    }
}

/// What can be read of symbols of which one cannot, however deep that is.
fn one_by_one(symbols: Value, depth: usize, reading: &mut Reading) -> Vec<Told<'static>> {
    if depth > DEEPEST {
        reading.cut(1);
        return Vec::new();
    }
    let items = match symbols {
        Value::Null => Vec::new(),
        Value::Array(items) => items,
        _ => {
            reading.unreadable(1);
            Vec::new()
        }
    };
    let mut told = Vec::new();
    for mut item in items {
        let inside = item.as_object_mut().and_then(|item| item.remove("children")).unwrap_or_default();
        let symbol = needed(Told::deserialize(item).ok());
        let children = one_by_one(inside, depth + 1, reading);
        match reading.keep(symbol) {
            Some(symbol) => told.push(Told { children: Some(children), ..symbol }),
            None => told.extend(children),
        }
    }
    told
}

fn read(
    live: &Live,
    text: &Text,
    told: Vec<Told<'_>>,
    depth: usize,
    left: &mut usize,
    reading: &mut Reading,
) -> Vec<Outlined> {
    if depth > DEEPEST {
        reading.cut(told.len());
        return Vec::new();
    }
    let some = |words: Option<Cow<'_, str>>| words.filter(|words| !words.is_empty()).map(Cow::into_owned);
    let mut symbols: Vec<Outlined> = Vec::new();
    for symbol in told {
        if *left == 0 {
            reading.cut(1);
            continue;
        }
        let children = symbol.children.unwrap_or_default();
        let flat = symbol.location.as_ref().and_then(|location| location.range);
        let range = flat.or(symbol.range).and_then(|range| position::of_whole(text, range, live.unit));
        let name_range = match (range, symbol.selection_range) {
            (_, Some(selection)) => position::from_server(text, selection, live.unit),
            (Some(range), None) => Some(text.name_within(range, &symbol.name).unwrap_or(range)),
            (None, None) => None,
        };
        let (Some(range), Some(name_range)) = (range, name_range) else {
            reading.unreadable(1);
            symbols.extend(read(live, text, children, depth + 1, left, reading));
            continue;
        };
        *left -= 1;
        symbols.push(Outlined {
            name: symbol.name.into_owned(),
            detail: some(symbol.detail),
            kind: symbol_kind(symbol.kind),
            range,
            name_range,
            container: some(symbol.container_name),
            children: read(live, text, children, depth + 1, left, reading),
        });
    }
    symbols.sort_by_key(|symbol| (symbol.range.start, symbol.name_range.start));
    symbols
}
