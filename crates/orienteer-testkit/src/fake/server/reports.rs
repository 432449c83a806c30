//! Diagnostics, published or pulled.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use serde_json::{Map, Value, json};

use super::language::{Parsed, Role};
use super::view::{Refusal, View};
use crate::uri::file_uri;

/// The diagnostics of one file, but for the bulk.
pub(super) fn diagnostics(view: &View<'_>, parsed: &Parsed) -> Vec<Value> {
    let mut found = Vec::new();
    for (span, message) in &parsed.errors {
        found.push(diagnostic(view.range(parsed, *span), 1, "bad", message));
    }
    if view.script.undefined_names {
        for mention in &parsed.mentions {
            let uses = matches!(mention.role, Role::Use | Role::Call);
            if uses
                && !view.files.values().flat_map(|file| &file.blocks).any(|block| block.name == mention.name)
            {
                let message = format!("{} is not defined", mention.name);
                found.push(diagnostic(view.range(parsed, mention.span), 1, "undefined", &message));
            }
        }
    }
    found
}

/// The script's warnings that every report has more, as JSON with a comma after each: an unoptimised build
/// takes seconds to build 50,000 values.
pub(super) fn bulk(count: u64) -> String {
    let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 1 } });
    let one = diagnostic(range, 2, "bulk", "warning NUMBER of many").to_string();
    let (before, after) = one.split_once("NUMBER").expect("the number's place");
    (0..count).fold(String::new(), |text, number| text + before + &number.to_string() + after + ",")
}

fn diagnostic(range: Value, severity: u64, code: &str, message: &str) -> Value {
    json!({ "range": range, "severity": severity, "code": code, "source": "fake", "message": message })
}

fn result_id(items: &[Value]) -> String {
    let mut hasher = DefaultHasher::new();
    items.iter().for_each(|item| item.to_string().hash(&mut hasher));
    format!("{:x}", hasher.finish())
}

fn report(view: &View<'_>, parsed: &Parsed, previous: &Value) -> Value {
    let mut items = diagnostics(view, parsed);
    let bulk = format!("[{}null]", bulk(view.script.bulk_diagnostics));
    if let Ok(Value::Array(bulk)) = serde_json::from_str(&bulk) {
        items.extend(bulk.into_iter().filter(|item| !item.is_null()));
    }
    let id = result_id(&items);
    if *previous == id.as_str() {
        return json!({ "kind": "unchanged", "resultId": id });
    }
    json!({ "kind": "full", "resultId": id, "items": items })
}

/// `textDocument/diagnostic`.
pub(super) fn pull(view: &View<'_>, params: &Value) -> Result<Value, Refusal> {
    let (path, parsed) = view.file(params)?;
    let mut answer = report(view, parsed, &params["previousResultId"]);
    if view.script.related_documents {
        let mut related = Map::new();
        for (other, parsed) in view.files.iter().filter(|(other, _)| **other != path) {
            if !diagnostics(view, parsed).is_empty() {
                related.insert(file_uri(other), report(view, parsed, &Value::Null));
            }
        }
        answer["relatedDocuments"] = Value::Object(related);
    }
    Ok(answer)
}

/// `workspace/diagnostic`.
pub(super) fn pull_workspace(
    view: &View<'_>,
    versions: impl Fn(&Path) -> Option<i64>,
    params: &Value,
) -> Value {
    let previous = |uri: &str| {
        let known = params["previousResultIds"].as_array().into_iter().flatten();
        known.filter(|id| id["uri"] == uri).map(|id| id["value"].clone()).next().unwrap_or(Value::Null)
    };
    let mut items = Vec::new();
    for (path, parsed) in view.scope(None) {
        let uri = file_uri(path);
        let mut item = report(view, parsed, &previous(&uri));
        item["uri"] = json!(uri);
        item["version"] = json!(versions(path));
        items.push(item);
    }
    json!({ "items": items })
}
