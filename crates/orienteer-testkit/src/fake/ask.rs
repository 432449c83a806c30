//! What the server says of its own accord.

use std::path::Path;

use serde_json::{Value, json};

use super::json::json_struct;
use crate::uri::file_uri;

json_struct! {
    /// A request or a notification to the client. The client's reply to a request is in the record.
    pub(crate) struct Say {
        /// The method on whose arrival it is said, before that is answered.
        on: String,
        delay_ms: u64,
        request: bool,
        method: String,
        params: Option<Value>,
    }
}

/// A request of the server to the client.
#[derive(Debug, Clone)]
pub struct Ask {
    pub(crate) method: String,
    pub(crate) params: Value,
}

impl Ask {
    /// Any request.
    pub fn raw(method: &str, params: Value) -> Self {
        Self { method: method.to_owned(), params }
    }

    /// `workspace/configuration` for these sections.
    pub fn configuration(sections: &[&str]) -> Self {
        let items: Vec<_> = sections.iter().map(|section| json!({ "section": section })).collect();
        Self::raw("workspace/configuration", json!({ "items": items }))
    }

    /// Dynamic registration of one method.
    pub fn register(method: &str, options: Value) -> Self {
        let registration =
            json!({ "id": format!("fake:{method}"), "method": method, "registerOptions": options });
        Self::raw("client/registerCapability", json!({ "registrations": [registration] }))
    }

    /// Takes back what [`Ask::register`] registered. The misspelled member is the protocol's.
    pub fn unregister(method: &str) -> Self {
        let unregistration = json!({ "id": format!("fake:{method}"), "method": method });
        Self::raw("client/unregisterCapability", json!({ "unregisterations": [unregistration] }))
    }

    /// Watched files, by plain glob patterns.
    pub fn watch(globs: &[&str]) -> Self {
        let watchers: Vec<_> = globs.iter().map(|glob| json!({ "globPattern": glob })).collect();
        Self::register("workspace/didChangeWatchedFiles", json!({ "watchers": watchers }))
    }

    /// Watched files, by a pattern relative to a folder.
    pub fn watch_relative(base: &Path, pattern: &str) -> Self {
        let glob = json!({ "baseUri": file_uri(base), "pattern": pattern });
        let watchers = json!([{ "globPattern": glob, "kind": 7 }]);
        Self::register("workspace/didChangeWatchedFiles", json!({ "watchers": watchers }))
    }

    pub fn create_progress(token: impl Into<Value>) -> Self {
        Self::raw("window/workDoneProgress/create", json!({ "token": token.into() }))
    }

    pub fn workspace_folders() -> Self {
        Self::raw("workspace/workspaceFolders", Value::Null)
    }

    /// `workspace/applyEdit`: a server that wants to write files by itself.
    pub fn apply_edit(edit: Value) -> Self {
        Self::raw("workspace/applyEdit", json!({ "label": "fake edit", "edit": edit }))
    }

    pub fn refresh_diagnostics() -> Self {
        Self::raw("workspace/diagnostic/refresh", Value::Null)
    }

    /// A method that no client knows.
    pub fn unknown() -> Self {
        Self::raw("fake/unknownRequest", json!({ "why": "nobody knows" }))
    }
}
