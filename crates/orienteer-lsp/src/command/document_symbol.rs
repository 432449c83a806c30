//! `textDocument/documentSymbol`.

use std::path::Path;

use orienteer_base::{Range, SymbolKind};
use serde_json::{Value, json};

use super::symbol_kind;
use crate::failure::Failure;
use crate::lease::{Heard, Lease};
use crate::live::{Live, Patience, Request};
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
    /// What a file defines, as the server sees it.
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
            extra: json!({}),
        };
        self.ask(&request, patience, |live, value| {
            let Ok(text) = live.texts.read(file) else { return Vec::new() };
            read(live, &text, &value, 0)
        })
        .await
    }
}

fn read(live: &Live, text: &Text, value: &Value, depth: usize) -> Vec<Outlined> {
    if depth > DEEPEST {
        return Vec::new();
    }
    let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
    let mut symbols: Vec<Outlined> = items
        .iter()
        .filter_map(|item| {
            let flat = &item["location"]["range"];
            let whole = if flat.is_object() { flat } else { &item["range"] };
            let name = item["name"].as_str()?;
            let range = position::from_server(text, whole, live.unit)?;
            let name_range = match position::from_server(text, &item["selectionRange"], live.unit) {
                Some(selection) => selection,
                None => name_inside(text, range, name).unwrap_or(range),
            };
            Some(Outlined {
                name: name.to_owned(),
                detail: item["detail"].as_str().filter(|detail| !detail.is_empty()).map(str::to_owned),
                kind: symbol_kind(&item["kind"]),
                range,
                name_range,
                container: item["containerName"].as_str().filter(|name| !name.is_empty()).map(str::to_owned),
                children: read(live, text, &item["children"], depth + 1),
            })
        })
        .collect();
    symbols.sort_by_key(|symbol| (symbol.range.start, symbol.name_range.start));
    symbols
}

/// Servers that do not nest give only the whole range: the name is its first occurrence inside.
fn name_inside(text: &Text, range: Range, name: &str) -> Option<Range> {
    let start = text.lines.offset_of(&text.text, range.start)?;
    let end = text.lines.offset_of(&text.text, range.end)?;
    let at = start + text.text.get(start..end)?.find(name)?;
    Some(text.lines.range(&text.text, at..at + name.len()))
}
