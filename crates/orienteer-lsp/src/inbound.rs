//! What a server asks of us and tells us.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::capability::Capabilities;
use crate::capture::Capture;
use crate::message;
use crate::published::{self, Published};
use crate::quirk::{clangd, eslint};
use crate::ready::Ready;
use crate::silence::Silence;
use crate::uri;
use crate::wire::Inbound;

/// Everything a message from the server may change. It exists before the server has said anything.
#[derive(Debug)]
pub(crate) struct Listener {
    pub(crate) server_id: String,
    pub(crate) folders: Vec<PathBuf>,
    pub(crate) settings: Value,
    pub(crate) ready: Arc<Ready>,
    pub(crate) published: Arc<Published>,
    pub(crate) silence: Arc<Silence>,
    pub(crate) capture: Arc<Capture>,
    pub(crate) verdicts: Option<Arc<eslint::Verdicts>>,
    pub(crate) readings: Arc<clangd::Readings>,
    /// Registrations may come before `initialize` is answered.
    pub(crate) registered: Arc<std::sync::OnceLock<Arc<Capabilities>>>,
    pub(crate) early: std::sync::Mutex<Vec<(bool, Value)>>,
}

impl Listener {
    /// Called once, when the server has said what it can do.
    pub(crate) fn settle(&self, capabilities: Arc<Capabilities>) {
        let mut early = self.early.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        for (register, params) in early.drain(..) {
            if register { capabilities.register(&params) } else { capabilities.unregister(&params) }
        }
        let _ = self.registered.set(capabilities);
    }

    fn registration(&self, register: bool, params: &Value) {
        let mut early = self.early.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        match self.registered.get() {
            Some(capabilities) if register => capabilities.register(params),
            Some(capabilities) => capabilities.unregister(params),
            None => early.push((register, params.clone())),
        }
    }

    /// The part of the settings that a section names: `a.b` is `b` inside `a`.
    fn section(&self, section: Option<&str>) -> Value {
        let Some(section) = section.filter(|section| !section.is_empty()) else {
            return self.settings.clone();
        };
        let mut value = &self.settings;
        for name in section.split('.') {
            match value.get(name) {
                Some(inner) => value = inner,
                None => return Value::Null,
            }
        }
        value.clone()
    }
}

impl Inbound for Listener {
    fn request(&self, method: &str, params: &Value) -> Option<Value> {
        Some(match method {
            "workspace/configuration" => {
                let items = params["items"].as_array().map(Vec::as_slice).unwrap_or_default();
                items.iter().map(|item| self.section(item["section"].as_str())).collect()
            }
            "client/registerCapability" => {
                self.registration(true, params);
                Value::Null
            }
            "client/unregisterCapability" => {
                self.registration(false, params);
                Value::Null
            }
            "workspace/diagnostic/refresh"
            | "workspace/semanticTokens/refresh"
            | "workspace/inlayHint/refresh"
            | "workspace/codeLens/refresh"
            | "workspace/inlineValue/refresh"
            | "workspace/foldingRange/refresh" => {
                self.ready.refreshed();
                Value::Null
            }
            "window/workDoneProgress/create" | "window/showMessageRequest" => Value::Null,
            "workspace/workspaceFolders" => self.folders.iter().map(|folder| folder_of(folder)).collect(),
            // Nothing is written to disk because a server says so. What a command of its own wants is kept.
            "workspace/applyEdit" if self.capture.take(params) => json!({ "applied": true }),
            "workspace/applyEdit" => {
                json!({ "applied": false, "failureReason": "edits are applied by the user only" })
            }
            "window/showDocument" => json!({ "success": false }),
            _ => return self.verdicts.as_ref()?.request(method, params),
        })
    }

    fn notification(&self, method: &str, raw: Option<&RawValue>) {
        if method == "textDocument/publishDiagnostics" {
            // There may be very many: no tree is made of them.
            let told = raw.and_then(|raw| serde_json::from_str::<published::Told<'_>>(raw.get()).ok());
            if let Some((told, path)) = told.and_then(|told| uri::to_path(&told.uri).map(|path| (told, path)))
            {
                self.ready.published(&path);
                self.silence.published(&path);
                self.published.receive(path, &told);
            }
            return;
        }
        let params = message::value(raw);
        if let Some(verdicts) = &self.verdicts {
            verdicts.notification(method, &params);
        }
        match method {
            "textDocument/clangd.fileStatus" => self.readings.receive(&params),
            "$/progress" => self.ready.progress(&params),
            "experimental/serverStatus" => self.ready.server_status(&params),
            "window/logMessage" | "window/showMessage" => {
                let message = params["message"].as_str().unwrap_or_default();
                let short: String = message.chars().take(500).collect();
                tracing::debug!(server = self.server_id, message = short, "said");
                self.ready.logged(message);
                self.silence.logged(message);
                if params["type"] == 1 {
                    self.ready.complained(&short);
                }
            }
            _ => {}
        }
    }
}

/// A workspace folder as the protocol writes it.
pub(crate) fn folder_of(path: &std::path::Path) -> Value {
    let name = path.file_name().map_or_else(|| "root".to_owned(), |name| name.to_string_lossy().into_owned());
    json!({ "uri": uri::from_path(path), "name": name })
}
