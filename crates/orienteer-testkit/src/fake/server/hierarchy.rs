//! Who calls whom, and which type is below which.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::language::{Kind, Role};
use super::view::{Defined, Refusal, View, symbol_kind};
use crate::uri::{file_uri, uri_path};

pub(super) fn answer(view: &View<'_>, method: &str, params: &Value) -> Result<Value, Refusal> {
    match method {
        "textDocument/prepareCallHierarchy" => prepare(view, params, |kind| kind != Kind::Type),
        "callHierarchy/incomingCalls" => Ok(incoming(view, &params["item"])),
        "callHierarchy/outgoingCalls" => Ok(outgoing(view, &params["item"])),
        "textDocument/prepareTypeHierarchy" => prepare(view, params, |kind| kind == Kind::Type),
        "typeHierarchy/supertypes" => Ok(supertypes(view, &params["item"])),
        "typeHierarchy/subtypes" => Ok(subtypes(view, &params["item"])),
        _ => Err((-32601, format!("Unhandled method {method}"))),
    }
}

/// The item carries the name as `data`: a client that drops it gets nothing.
fn item(view: &View<'_>, defined: Defined<'_>) -> Value {
    json!({
        "name": defined.block.name,
        "detail": defined.block.signature(),
        "kind": symbol_kind(defined.block.kind),
        "uri": file_uri(defined.path),
        "range": view.block_range(defined.parsed, defined.block),
        "selectionRange": view.range(defined.parsed, defined.block.span),
        "data": { "name": defined.block.name, "line": defined.block.span.line },
    })
}

fn everywhere<'a>(view: &'a View<'_>) -> impl Iterator<Item = Defined<'a>> {
    view.files
        .iter()
        .flat_map(|(path, parsed)| parsed.blocks.iter().map(move |block| Defined { path, parsed, block }))
}

fn prepare(view: &View<'_>, params: &Value, wanted: impl Fn(Kind) -> bool) -> Result<Value, Refusal> {
    let asked = view.asked(params)?;
    let Some(mention) = asked.mention() else { return Ok(Value::Null) };
    let found = everywhere(view).filter(|it| it.block.name == mention.name && wanted(it.block.kind));
    let items: Vec<_> = found.map(|defined| item(view, defined)).collect();
    Ok(if items.is_empty() { Value::Null } else { Value::Array(items) })
}

fn name_of(item: &Value) -> &str {
    item["data"]["name"].as_str().unwrap_or_default()
}

fn incoming(view: &View<'_>, of: &Value) -> Value {
    let asked = of["uri"].as_str().and_then(uri_path);
    let mut found = Vec::new();
    for (path, parsed) in view.scope(asked.as_deref()) {
        let mut callers: BTreeMap<usize, Vec<Value>> = BTreeMap::new();
        for mention in &parsed.mentions {
            if mention.role == Role::Call
                && mention.name == name_of(of)
                && let Some(block) = parsed.block_around(mention.span.line)
            {
                callers.entry(block).or_default().push(view.range(parsed, mention.span));
            }
        }
        for (block, ranges) in callers {
            let from = item(view, Defined { path, parsed, block: &parsed.blocks[block] });
            found.push(json!({ "from": from, "fromRanges": ranges }));
        }
    }
    Value::Array(found)
}

fn outgoing(view: &View<'_>, of: &Value) -> Value {
    let Some(path) = of["uri"].as_str().and_then(uri_path) else { return json!([]) };
    let Some(parsed) = view.files.get(&path) else { return json!([]) };
    let own = parsed
        .blocks
        .iter()
        .position(|block| block.name == name_of(of) && of["data"]["line"] == block.span.line as u64);
    let mut callees: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for mention in parsed.mentions.iter().filter(|mention| mention.role == Role::Call) {
        if own.is_some() && parsed.block_around(mention.span.line) == own {
            callees.entry(&mention.name).or_default().push(view.range(parsed, mention.span));
        }
    }
    let mut found = Vec::new();
    for (name, ranges) in callees {
        for callee in everywhere(view).filter(|callee| callee.block.name == name) {
            found.push(json!({ "to": item(view, callee), "fromRanges": ranges }));
        }
    }
    Value::Array(found)
}

fn supertypes(view: &View<'_>, of: &Value) -> Value {
    let own = everywhere(view).find(|it| it.block.kind == Kind::Type && it.block.name == name_of(of));
    let names = own.map(|own| own.block.supertypes.as_slice()).unwrap_or_default();
    let found = everywhere(view).filter(|it| it.block.kind == Kind::Type && names.contains(&it.block.name));
    found.map(|defined| item(view, defined)).collect()
}

fn subtypes(view: &View<'_>, of: &Value) -> Value {
    let asked = of["uri"].as_str().and_then(uri_path);
    let mut found = view.definitions(asked.as_deref());
    found.retain(|defined| defined.block.supertypes.iter().any(|supertype| supertype == name_of(of)));
    found.into_iter().map(|defined| item(view, defined)).collect()
}
