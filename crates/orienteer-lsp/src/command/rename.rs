//! `textDocument/prepareRename` and `textDocument/rename`.

use std::path::Path;

use orienteer_base::{Position, Range};
use orienteer_edit::EditError;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::lease::{Heard, Lease};
use crate::live::{Live, Patience, Request};
use crate::message::Extent;
use crate::position;
use crate::proposal;
use crate::reading::Content;
use crate::ready::Needs;
use crate::workspace_edit::Proposed;

/// Whether something at a place can be renamed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Renameable {
    Yes {
        /// Of the name.
        range: Option<Range>,
        placeholder: Option<String>,
    },
    /// The server does not say beforehand.
    Unknown,
    No {
        message: Option<String>,
    },
}

impl Content for Renameable {
    fn is_nothing(&self) -> bool {
        matches!(self, Self::No { message: None })
    }
}

impl Lease {
    /// Whether what stands at a place can be renamed.
    pub async fn prepare_rename(
        &self,
        file: &Path,
        at: Position,
        patience: &Patience,
    ) -> Result<Heard<Renameable>, Failure> {
        let request = Request {
            method: "textDocument/prepareRename",
            needs: Needs::Project,
            file: Some(file),
            at: Some(at),
            range: None,
            extra: json!({}),
        };
        self.with_live(patience, |live| {
            let request = &request;
            async move {
                if !live.capabilities.has("textDocument/rename") {
                    return Err(live.unsupported("textDocument/rename").into());
                }
                if live.capabilities.options("textDocument/rename")["prepareProvider"] != json!(true) {
                    return Ok(Heard { value: Renameable::Unknown, seen: live.glance() });
                }
                match live.ask(request, patience).await {
                    Ok((raw, mut reading)) => {
                        let value = reading.value(&raw);
                        Ok(reading.finish(&live, exactly(at, read(&live, file, &value))))
                    }
                    Err(stuck) => match stuck.refusal() {
                        Ok(message) => {
                            let value = Renameable::No { message: Some(message) };
                            Ok(Heard { value, seen: live.glance() })
                        }
                        Err(stuck) => Err(stuck),
                    },
                }
            }
        })
        .await
    }

    /// What renaming the symbol at a place would change.
    pub async fn rename(
        &self,
        file: &Path,
        at: Position,
        new_name: &str,
        patience: &Patience,
    ) -> Result<Heard<Result<Proposed, EditError>>, Failure> {
        let request = Request {
            method: "textDocument/rename",
            needs: Needs::Project,
            file: Some(file),
            at: Some(at),
            range: None,
            extra: json!({ "newName": new_name }),
        };
        self.with_live(patience, |live| {
            let request = &request;
            async move {
                proposal::ask(&live, request, patience, |gathering, raw| {
                    gathering.workspace_edit(&raw.value())
                })
                .await
            }
        })
        .await
    }
}

/// Asked about a keyword, some servers name the symbol beside it: nobody pointed at that.
fn exactly(at: Position, renameable: Renameable) -> Renameable {
    match &renameable {
        Renameable::Yes { range: Some(range), placeholder } if at < range.start || range.end < at => {
            let name = placeholder.as_ref().map_or_else(|| "a name".to_owned(), |name| format!("`{name}`"));
            let start = range.start;
            let message =
                format!("there is no name; {name} is beside it, at {}:{}", start.line, start.column);
            Renameable::No { message: Some(message) }
        }
        _ => renameable,
    }
}

fn read(live: &Live, file: &Path, value: &Value) -> Renameable {
    let range = |value: &Value| {
        let text = live.texts.read(file).ok()?;
        position::from_server(&text, Extent::read(value)?, live.unit)
    };
    match value {
        Value::Null => Renameable::No { message: None },
        _ if value["start"].is_object() => Renameable::Yes { range: range(value), placeholder: None },
        _ if value["range"].is_object() => Renameable::Yes {
            range: range(&value["range"]),
            placeholder: value["placeholder"].as_str().map(str::to_owned),
        },
        _ if value["defaultBehavior"] == json!(false) => Renameable::No { message: None },
        _ => Renameable::Unknown,
    }
}
