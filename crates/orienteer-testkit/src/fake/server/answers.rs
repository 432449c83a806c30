//! The answers to questions about code, as an honest server gives them.

use serde_json::{Value, json};

use super::language::{Kind, Parsed, Role, words};
use super::view::{Asked, Defined, Refusal, View, symbol_kind};
use super::{edits, hierarchy};
use crate::fake::{HoverShape, Locations};
use crate::uri::file_uri;

/// The result of a request; -32601 for a method that is not of this kind.
pub(super) fn answer(view: &View<'_>, method: &str, params: &Value) -> Result<Value, Refusal> {
    match method {
        "textDocument/definition" => definition(view, params),
        "textDocument/declaration" => declaration(view, params),
        "textDocument/typeDefinition" => type_definition(view, params),
        "textDocument/implementation" => implementation(view, params),
        "textDocument/references" => references(view, params),
        "textDocument/hover" => hover(view, params),
        "textDocument/documentSymbol" => document_symbols(view, params),
        "workspace/symbol" => Ok(workspace_symbols(view, params)),
        "textDocument/completion" => completion(view, params),
        "completionItem/resolve" => Ok(resolve(view, params)),
        "textDocument/signatureHelp" => signature_help(view, params),
        "textDocument/prepareRename" => prepare_rename(view, params),
        "textDocument/rename" => rename(view, params),
        _ if view.script.offers_edits => {
            edits::answer(view, method, params).unwrap_or_else(|| hierarchy::answer(view, method, params))
        }
        _ => hierarchy::answer(view, method, params),
    }
}

/// Locations in the shape that the script chose; nothing at all is `null` for a single one.
fn shaped(view: &View<'_>, asked: &Asked<'_>, mut locations: Vec<Value>) -> Value {
    match view.script.locations {
        Locations::Array => Value::Array(locations),
        Locations::Single if locations.is_empty() => Value::Null,
        Locations::Single => locations.swap_remove(0),
        Locations::Links => {
            let origin = asked.mention().map(|mention| view.range(asked.parsed, mention.span));
            let link = |location: Value| {
                let range = &location["range"];
                let (uri, origin) = (&location["uri"], &origin);
                json!({
                    "targetUri": uri,
                    "targetRange": range,
                    "targetSelectionRange": range,
                    "originSelectionRange": origin,
                })
            };
            locations.into_iter().map(link).collect()
        }
    }
}

fn named<'a>(view: &'a View<'_>, name: &str) -> Vec<Defined<'a>> {
    // A definition needs the file alone, so it is right on a cold server too.
    let all = view
        .files
        .iter()
        .flat_map(|(path, parsed)| parsed.blocks.iter().map(move |block| Defined { path, parsed, block }));
    all.filter(|defined| defined.block.name == name).collect()
}

fn places(view: &View<'_>, defined: Vec<Defined<'_>>) -> Vec<Value> {
    defined.iter().map(|defined| view.location(defined.path, defined.parsed, defined.block.span)).collect()
}

fn definition(view: &View<'_>, params: &Value) -> Result<Value, Refusal> {
    let asked = view.asked(params)?;
    let found = match asked.mention() {
        Some(mention) if view.script.cold_definitions && !view.warm => {
            vec![view.location(&asked.path, asked.parsed, mention.span)]
        }
        Some(mention) => places(view, named(view, &mention.name)),
        None => Vec::new(),
    };
    Ok(shaped(view, &asked, found))
}

fn declaration(view: &View<'_>, params: &Value) -> Result<Value, Refusal> {
    let asked = view.asked(params)?;
    let Some(mention) = asked.mention() else { return Ok(shaped(view, &asked, Vec::new())) };
    let mut found = mentions(view, &asked, |role| role == Role::Declare);
    if found.is_empty() {
        found = places(view, named(view, &mention.name));
    }
    Ok(shaped(view, &asked, found))
}

fn type_definition(view: &View<'_>, params: &Value) -> Result<Value, Refusal> {
    let asked = view.asked(params)?;
    let name = asked.mention().map(|mention| mention.name.as_str()).unwrap_or_default();
    let types =
        named(view, name).into_iter().flat_map(|defined| match (&defined.block.result, defined.block.kind) {
            (Some(result), _) => named(view, result),
            (None, Kind::Type) => vec![defined],
            (None, _) => Vec::new(),
        });
    let found = places(view, types.collect());
    Ok(shaped(view, &asked, found))
}

/// Subtypes of a type; of anything else its definitions.
fn implementation(view: &View<'_>, params: &Value) -> Result<Value, Refusal> {
    let asked = view.asked(params)?;
    let name = asked.mention().map(|mention| mention.name.as_str()).unwrap_or_default();
    let mut found = view.definitions(Some(&asked.path));
    found.retain(|defined| match defined.block.kind {
        Kind::Type => defined.block.supertypes.iter().any(|supertype| supertype == name),
        Kind::Function | Kind::Method => defined.block.name == name,
    });
    let found = places(view, found);
    Ok(shaped(view, &asked, found))
}

/// The places where the asked name stands in one of these roles.
fn mentions(view: &View<'_>, asked: &Asked<'_>, wanted: impl Fn(Role) -> bool) -> Vec<Value> {
    let Some(name) = asked.mention().map(|mention| &mention.name) else { return Vec::new() };
    let mut found = Vec::new();
    for (path, parsed) in view.scope(Some(&asked.path)) {
        let ours = parsed.mentions.iter().filter(|mention| mention.name == *name && wanted(mention.role));
        found.extend(ours.map(|mention| view.location(path, parsed, mention.span)));
    }
    found
}

fn references(view: &View<'_>, params: &Value) -> Result<Value, Refusal> {
    let asked = view.asked(params)?;
    let declaration = params["context"]["includeDeclaration"] == true;
    let wanted = |role| declaration || !matches!(role, Role::Define | Role::Declare);
    Ok(Value::Array(mentions(view, &asked, wanted)))
}

fn hover(view: &View<'_>, params: &Value) -> Result<Value, Refusal> {
    let asked = view.asked(params)?;
    let Some(mention) = asked.mention() else { return Ok(Value::Null) };
    let Some(defined) = named(view, &mention.name).into_iter().next() else { return Ok(Value::Null) };
    let (signature, documentation) = (defined.block.signature(), &defined.block.documentation);
    let contents = match view.script.hover {
        HoverShape::Markdown => {
            json!({ "kind": "markdown", "value": format!("```fake\n{signature}\n```\n\n{documentation}") })
        }
        HoverShape::PlainText => {
            json!({ "kind": "plaintext", "value": format!("{signature}\n\n{documentation}") })
        }
        HoverShape::MarkedString => json!(format!("{signature}\n\n{documentation}")),
        HoverShape::MarkedPair => json!({ "language": "fake", "value": signature }),
        HoverShape::MarkedStrings => json!([{ "language": "fake", "value": signature }, documentation]),
    };
    Ok(json!({ "contents": contents, "range": view.range(asked.parsed, mention.span) }))
}

fn document_symbols(view: &View<'_>, params: &Value) -> Result<Value, Refusal> {
    let (path, parsed) = view.file(params)?;
    if view.script.flat_symbols {
        let flat =
            parsed.blocks.iter().map(|block| information(view, Defined { path: &path, parsed, block }));
        return Ok(flat.collect());
    }
    Ok(children(view, parsed, None))
}

fn children(view: &View<'_>, parsed: &Parsed, parent: Option<usize>) -> Value {
    let of_parent = parsed.blocks.iter().enumerate().filter(|(_, block)| block.parent == parent);
    let symbol = |(index, block): (usize, &super::language::Block)| {
        json!({
            "name": block.name,
            "detail": block.signature(),
            "kind": symbol_kind(block.kind),
            "range": view.block_range(parsed, block),
            "selectionRange": view.range(parsed, block.span),
            "children": children(view, parsed, Some(index)),
        })
    };
    of_parent.map(symbol).collect()
}

fn information(view: &View<'_>, defined: Defined<'_>) -> Value {
    let container = defined.block.parent.map(|parent| defined.parsed.blocks[parent].name.as_str());
    json!({
        "name": defined.block.name,
        "kind": symbol_kind(defined.block.kind),
        "containerName": container,
        "location": { "uri": file_uri(defined.path), "range": view.block_range(defined.parsed, defined.block) },
    })
}

fn workspace_symbols(view: &View<'_>, params: &Value) -> Value {
    let query = params["query"].as_str().unwrap_or_default().to_lowercase();
    let mut found = view.definitions(None);
    found.retain(|defined| defined.block.name.to_lowercase().contains(&query));
    found.into_iter().map(|defined| information(view, defined)).collect()
}

fn completion(view: &View<'_>, params: &Value) -> Result<Value, Refusal> {
    let asked = view.asked(params)?;
    let before = &asked.parsed.lines[asked.line][..asked.byte];
    let prefix = before.rsplit(char::is_whitespace).next().unwrap_or_default();
    let mut found = named_with_prefix(view, prefix);
    found.sort();
    found.dedup();
    let item =
        |(name, kind): &(String, u64)| json!({ "label": name, "kind": kind, "data": { "name": name } });
    Ok(json!({ "isIncomplete": false, "items": found.iter().map(item).collect::<Value>() }))
}

/// Names with the protocol's numbers of completion kinds, which are not those of symbols.
fn named_with_prefix(view: &View<'_>, prefix: &str) -> Vec<(String, u64)> {
    let blocks = view.files.values().flat_map(|parsed| &parsed.blocks);
    let number = |kind| match kind {
        Kind::Method => 2,
        Kind::Function => 3,
        Kind::Type => 7,
    };
    let ours = blocks.filter(|block| block.name.starts_with(prefix));
    ours.map(|block| (block.name.clone(), number(block.kind))).collect()
}

fn resolve(view: &View<'_>, item: &Value) -> Value {
    let mut item = item.clone();
    let name = item["data"]["name"].as_str().unwrap_or_default();
    if let Some(defined) = named(view, name).first() {
        item["detail"] = json!(defined.block.signature());
        item["documentation"] = json!({ "kind": "markdown", "value": defined.block.documentation });
    }
    item
}

fn signature_help(view: &View<'_>, params: &Value) -> Result<Value, Refusal> {
    let asked = view.asked(params)?;
    let before = &asked.parsed.lines[asked.line][..asked.byte];
    let words = words(before);
    let Some(call) = words.iter().rposition(|(_, word)| *word == "call") else { return Ok(Value::Null) };
    let Some((_, name)) = words.get(call + 1) else { return Ok(Value::Null) };
    let Some(defined) = named(view, name).into_iter().next() else { return Ok(Value::Null) };
    let given = words.len() - call - 2;
    let active = if before.ends_with(char::is_whitespace) { given } else { given.saturating_sub(1) };
    let parameters: Vec<_> = defined.block.parameters.iter().map(|name| json!({ "label": name })).collect();
    let signature = json!({
        "label": defined.block.signature(),
        "documentation": defined.block.documentation,
        "parameters": parameters,
    });
    Ok(json!({ "signatures": [signature], "activeSignature": 0, "activeParameter": active }))
}

fn prepare_rename(view: &View<'_>, params: &Value) -> Result<Value, Refusal> {
    let asked = view.asked(params)?;
    let Some(mention) = asked.mention() else { return Ok(Value::Null) };
    Ok(json!({ "range": view.range(asked.parsed, mention.span), "placeholder": mention.name }))
}

fn rename(view: &View<'_>, params: &Value) -> Result<Value, Refusal> {
    let asked = view.asked(params)?;
    let new = params["newName"].as_str().unwrap_or_default();
    if asked.mention().is_none() || new.is_empty() || new.contains(char::is_whitespace) {
        return Err((-32803, format!("nothing here can be named {new:?}")));
    }
    let mut changes = serde_json::Map::new();
    for place in mentions(view, &asked, |_| true) {
        let edits = changes.entry(place["uri"].as_str().unwrap_or_default()).or_insert_with(|| json!([]));
        if let Some(edits) = edits.as_array_mut() {
            edits.push(json!({ "range": place["range"], "newText": new }));
        }
    }
    if view.script.offers_edits {
        return Ok(view.versioned(&changes));
    }
    Ok(json!({ "changes": changes }))
}
