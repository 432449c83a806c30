//! Actions and formatting, as an honest server with a version for every document offers them.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::documents::line_and_column;
use super::language::Parsed;
use super::view::{Refusal, View};
use crate::uri::{file_uri, uri_path};

/// The only command that it runs. What it wants to change is for the script to ask.
pub(super) const COMMAND: &str = "fake.fix";

/// The result of a request; `None` for a method that is not of this kind.
pub(super) fn answer(view: &View<'_>, method: &str, params: &Value) -> Option<Result<Value, Refusal>> {
    Some(match method {
        "textDocument/codeAction" => actions(view, params),
        "codeAction/resolve" => Ok(resolve(view, params)),
        "textDocument/formatting" => format(view, params, 0, usize::MAX),
        "textDocument/rangeFormatting" => lines(params).and_then(|(from, to)| format(view, params, from, to)),
        "workspace/executeCommand" if params["command"] == COMMAND => Ok(Value::Null),
        "workspace/executeCommand" => Err((-32602, format!("{} is no command here", params["command"]))),
        _ => return None,
    })
}

fn lines(params: &Value) -> Result<(usize, usize), Refusal> {
    let line = |end: &str| line_and_column(&params["range"][end]).map_err(|wrong| (-32602, wrong));
    Ok((line("start")?.0, line("end")?.0))
}

/// For each `bad` line its deletion, without the edit; for the file a command.
fn actions(view: &View<'_>, params: &Value) -> Result<Value, Refusal> {
    let (path, parsed) = view.file(params)?;
    let (from, to) = lines(params)?;
    let said = params["context"]["diagnostics"].as_array().map(Vec::as_slice).unwrap_or_default();
    let bad = parsed.errors.iter().filter(|(span, _)| (from..=to).contains(&span.line));
    let mut actions: Vec<Value> = bad
        .map(|(span, message)| {
            let is_about = |finding: &&Value| finding["range"] == view.range(parsed, *span);
            json!({
                "title": format!("Delete “{message}”"),
                "kind": "quickfix",
                "isPreferred": true,
                "diagnostics": said.iter().filter(is_about).collect::<Vec<_>>(),
                "data": { "path": path, "line": span.line },
            })
        })
        .collect();
    actions.push(json!({ "title": "Fix all", "command": COMMAND, "arguments": [file_uri(&path)] }));
    actions.push(json!({
        "title": "Inline",
        "kind": "refactor.inline",
        "disabled": { "reason": "there is nothing to inline" },
    }));
    Ok(Value::Array(actions))
}

fn resolve(view: &View<'_>, action: &Value) -> Value {
    let mut action = action.clone();
    let data = &action["data"];
    let path = data["path"].as_str().map(PathBuf::from);
    if let (Some(path), Some(line)) = (path, data["line"].as_u64()) {
        let range = json!({
            "start": { "line": line, "character": 0 },
            "end": { "line": line + 1, "character": 0 },
        });
        action["edit"] = view.document_changes(&[(path, vec![json!({ "range": range, "newText": "" })])]);
    }
    action
}

/// Blanks at the ends of lines are taken away.
fn format(view: &View<'_>, params: &Value, from: usize, to: usize) -> Result<Value, Refusal> {
    let (_, parsed) = view.file(params)?;
    Ok((from..=to.min(parsed.lines.len().saturating_sub(1)))
        .filter_map(|line| trim(view, parsed, line))
        .collect())
}

fn trim(view: &View<'_>, parsed: &Parsed, line: usize) -> Option<Value> {
    let text = parsed.lines.get(line)?;
    let start = text.trim_end().len();
    let span = super::language::Span { line, start, end: text.len() };
    (start < text.len()).then(|| json!({ "range": view.range(parsed, span), "newText": "" }))
}

impl View<'_> {
    /// A `WorkspaceEdit` of text document edits with the versions of open documents.
    pub(super) fn document_changes(&self, files: &[(PathBuf, Vec<Value>)]) -> Value {
        let one = |(path, edits): &(PathBuf, Vec<Value>)| {
            let document = json!({ "uri": file_uri(path), "version": self.version(path) });
            json!({ "textDocument": document, "edits": edits })
        };
        json!({ "documentChanges": files.iter().map(one).collect::<Value>() })
    }

    /// The same from edits by URI.
    pub(super) fn versioned(&self, changes: &serde_json::Map<String, Value>) -> Value {
        let files: Vec<(PathBuf, Vec<Value>)> = changes
            .iter()
            .filter_map(|(uri, edits)| Some((uri_path(uri)?, edits.as_array()?.clone())))
            .collect();
        self.document_changes(&files)
    }

    fn version(&self, path: &Path) -> Option<i64> {
        self.open.iter().find(|(open, _)| open == path).map(|(_, version)| *version)
    }
}
