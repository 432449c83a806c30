//! `textDocument/completion` and `completionItem/resolve`.

use std::borrow::Cow;
use std::path::Path;

use orienteer_base::code::CompletionItem;
use orienteer_base::{ColumnUnit, Position};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::words;
use crate::failure::Failure;
use crate::lease::{Heard, Lease};
use crate::live::{Live, Patience, Request, Stuck};
use crate::message::{Extent, Raw};
use crate::position;
use crate::reading::{Content, MOST_ENTRIES, Reading, needed};
use crate::ready::Needs;
use crate::text::Text;

/// What could be written at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    pub items: Vec<CompletionItem>,
    pub total: usize,
    pub is_incomplete: bool,
}

/// The protocol's numbers as words.
const KINDS: &[&str] = &[
    "text",
    "method",
    "function",
    "constructor",
    "field",
    "variable",
    "class",
    "interface",
    "module",
    "property",
    "unit",
    "value",
    "enum",
    "keyword",
    "snippet",
    "color",
    "file",
    "reference",
    "folder",
    "enum_member",
    "constant",
    "struct",
    "event",
    "operator",
    "type_parameter",
];

impl Lease {
    /// Proposals in the server's order; those from `skip` on, at most `limit`, with details where `resolve` asks.
    pub async fn complete(
        &self,
        file: &Path,
        at: Position,
        trigger: Option<&str>,
        (skip, limit, resolve): (usize, usize, bool),
        patience: &Patience,
    ) -> Result<Heard<Proposal>, Failure> {
        let context = match trigger {
            Some(character) => json!({ "triggerKind": 2, "triggerCharacter": character }),
            None => json!({ "triggerKind": 1 }),
        };
        let request = Request {
            method: "textDocument/completion",
            needs: Needs::File,
            file: Some(file),
            at: Some(at),
            range: None,
            extra: json!({ "context": context }),
        };
        self.with_live(patience, |live| {
            let request = &request;
            async move {
                let (raw, mut reading) = live.ask(request, patience).await?;
                let (is_incomplete, mut items) = proposed(&raw, &mut reading);
                items.sort_by(|left, right| left.0.cmp(&right.0));
                let total = items.len();
                let shown = items.into_iter().skip(skip).take(limit);
                let mut shown: Vec<Value> =
                    shown.map(|(_, item)| serde_json::from_str(item.get()).unwrap_or_default()).collect();
                if resolve
                    && live.capabilities.options("textDocument/completion")["resolveProvider"] == json!(true)
                {
                    resolve_all(&live, &mut shown, patience).await?;
                }
                let text = live.texts.read(file).ok();
                let covered = |item: &Value| covered(text.as_deref()?, &item["textEdit"], at, live.unit);
                let items = shown.iter().map(|item| needed(read(item, covered(item))));
                let items = items.filter_map(|item| reading.keep(item)).collect();
                Ok(reading.finish(&live, Proposal { items, total, is_incomplete }))
            }
        })
        .await
    }
}

impl Content for Proposal {
    fn is_nothing(&self) -> bool {
        self.total == 0
    }
}

/// What a proposal is ordered by: the server's own word for that, then its label.
type Place<'r> = (Cow<'r, str>, Cow<'r, str>);

/// Proposals as they came, and whether there are more. There may be many, of which a page is read.
fn proposed<'r>(raw: &'r Raw, reading: &mut Reading) -> (bool, Vec<(Place<'r>, &'r RawValue)>) {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Listed<'r> {
        #[serde(default)]
        is_incomplete: bool,
        #[serde(borrow)]
        items: Option<&'r RawValue>,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Ordered<'r> {
        #[serde(borrow)]
        label: Cow<'r, str>,
        #[serde(borrow)]
        sort_text: Option<Cow<'r, str>>,
    }
    let Some(text) = raw.text() else { return (false, Vec::new()) };
    let (is_incomplete, text) = match serde_json::from_str::<Listed<'_>>(text) {
        Ok(listed) if text.starts_with('{') => {
            (listed.is_incomplete, listed.items.map(RawValue::get).unwrap_or_default())
        }
        _ => (false, text),
    };
    if !text.starts_with('[') {
        // Some write a list of nothing as null.
        let is_nothing = text.is_empty() && raw.text().is_some_and(|text| text.contains("\"items\""));
        reading.unreadable(usize::from(!is_nothing));
        return (is_incomplete, Vec::new());
    }
    let items = reading.entries(text, MOST_ENTRIES, |item: &RawValue, _| {
        let order: Ordered<'_> = needed(serde_json::from_str(item.get()).ok())?;
        let place = order.sort_text.unwrap_or_else(|| order.label.clone());
        Ok(((place, order.label), item))
    });
    (is_incomplete, items)
}

/// All at once: a server answers them one after the other, without our waiting between.
async fn resolve_all(live: &Live, items: &mut [Value], patience: &Patience) -> Result<(), Stuck> {
    let asked: Vec<_> =
        items.iter().map(|item| live.wire.request("completionItem/resolve", item.clone())).collect();
    for (item, pending) in items.iter_mut().zip(asked) {
        match live.reply("completionItem/resolve", pending, patience).await {
            Ok(resolved) => {
                let resolved = resolved.value();
                if resolved.is_object() {
                    *item = resolved;
                }
            }
            Err(Stuck::Gone) => return Err(Stuck::Gone),
            // One that cannot be told more about is still a proposal.
            _ => {}
        }
    }
    Ok(())
}

/// What stands before the word at the place and would be replaced too: servers may repeat the dot.
fn covered(text: &Text, edit: &Value, at: Position, unit: ColumnUnit) -> Option<String> {
    let range = if edit["range"].is_object() { &edit["range"] } else { &edit["insert"] };
    let start = position::from_server(text, Extent::read(range)?, unit)?.start;
    if start.line != at.line {
        return None;
    }
    let line: Vec<char> = text.line(at.line)?.chars().take(at.column as usize - 1).collect();
    let word = line.iter().rev().take_while(|c| c.is_alphanumeric() || **c == '_').count();
    line.get(start.column as usize - 1..line.len() - word).map(|covered| covered.iter().collect())
}

fn read(item: &Value, covered: Option<String>) -> Option<CompletionItem> {
    // Some put a mark or a blank before the name.
    let label = item["label"].as_str()?.trim_start_matches([' ', '•']);
    let text = |value: &Value| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    let kind = item["kind"]
        .as_u64()
        .and_then(|kind| KINDS.get(usize::try_from(kind).ok()?.checked_sub(1)?).copied());
    let details = &item["labelDetails"];
    let detail = text(&item["detail"]).or_else(|| {
        let joined: String =
            ["detail", "description"].iter().filter_map(|name| details[*name].as_str()).collect();
        Some(joined.trim().to_owned()).filter(|joined| !joined.is_empty())
    });
    let edited = text(&item["textEdit"]["newText"]).map(|text| {
        let rest = covered.and_then(|covered| text.strip_prefix(&covered).map(str::to_owned));
        rest.unwrap_or(text)
    });
    let insert_text = edited.or_else(|| text(&item["insertText"]));
    Some(CompletionItem {
        label: label.to_owned(),
        kind,
        detail,
        documentation: words(&item["documentation"]),
        insert_text: insert_text.unwrap_or_else(|| label.to_owned()),
    })
}
