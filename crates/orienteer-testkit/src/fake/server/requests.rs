//! Messages of the client: state that they change, and answers.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::{Value, json};

use super::capabilities::{encoding, family, initialize_result, options, pulls};
use super::documents::path_of;
use super::faults::Fault;
use super::view::{Refusal, View};
use super::{Phase, Server, answers, journal, loading, reports};
use crate::fake::Ask;
use crate::uri::uri_path;

impl Server {
    fn view(&self) -> View<'_> {
        let warm = self.shared.ready.load(Ordering::SeqCst);
        View::new(&self.shared.script, &self.documents, self.encoding, warm)
    }

    pub(super) fn request(&mut self, fault: Fault, method: &str, message: &Value) {
        let answer = match method {
            "initialize" => self.initialize(&message["params"]),
            _ if self.phase != Phase::Running => {
                self.shared.journal.violation(&format!("{method} before initialize or after shutdown"));
                Err(if self.phase == Phase::Fresh {
                    (-32002, "not initialized".to_owned())
                } else {
                    (-32600, "shut down".to_owned())
                })
            }
            "shutdown" => {
                self.phase = Phase::ShutDown;
                Ok(Value::Null)
            }
            _ => self.answer(method, &message["params"]),
        };
        let mut response = json!({ "jsonrpc": "2.0", "id": message["id"] });
        match answer {
            Ok(result) => response["result"] = result,
            Err((code, text)) => {
                if code == -32602 {
                    self.shared.journal.violation(&format!("{method}: {text}"));
                }
                response["error"] = json!({ "code": code, "message": text });
            }
        }
        let response = fault.distort(response);
        let mut note = json!({ "method": method, "id": message["id"] });
        if let Some(error) = response.get("error") {
            note["error"] = error.clone();
        }
        // Whoever shuts a server down need not tell it the news first.
        if !self.shared.script.without_texts && method != "shutdown" {
            note["texts"] = journal::texts(self.documents.held());
            note["stale"] = json!(self.documents.stale());
        }
        fault.deliver(&self.shared, response, note);
    }

    fn answer(&self, method: &str, params: &Value) -> Result<Value, Refusal> {
        let family = family(method);
        let script = &self.shared.script;
        let named = |methods: &[String]| methods.iter().any(|name| name == family);
        let unregistered = named(&script.dynamic) && !self.shared.registered.lock().unwrap().contains(family);
        let diagnostics = family == "textDocument/diagnostic";
        let no_pulls = diagnostics && !pulls(script) && !named(&script.dynamic);
        let refused = || (-32601, format!("Unhandled method {method}"));
        if named(&script.without) || unregistered || no_pulls {
            self.shared.journal.violation(&format!("{method} is asked, and was not announced"));
            return Err(refused());
        }
        let view = self.view();
        let version = |path: &Path| self.documents.open.get(path).map(|open| open.version);
        let answer = match method {
            "textDocument/diagnostic" => reports::pull(&view, params),
            "workspace/diagnostic" => Ok(reports::pull_workspace(&view, version, params)),
            _ => answers::answer(&view, method, params),
        };
        if matches!(answer, Err((-32601, _))) {
            self.shared.journal.violation(&format!("{method} is asked, and was not announced"));
        }
        answer
    }

    fn initialize(&mut self, params: &Value) -> Result<Value, Refusal> {
        if self.phase != Phase::Fresh {
            self.shared.journal.violation("initialize for the second time");
            return Err((-32600, "already initialized".to_owned()));
        }
        self.phase = Phase::Running;
        self.client = params["capabilities"].clone();
        self.encoding = encoding(&self.shared.script, params);
        let folders = params["workspaceFolders"].as_array().into_iter().flatten();
        let roots = std::iter::once(&params["rootUri"]).chain(folders.map(|folder| &folder["uri"]));
        for root in roots.filter_map(Value::as_str).filter_map(uri_path) {
            self.documents.add_root(root);
        }
        let script = &self.shared.script;
        // Without anything to wait for it is loaded now.
        let loaded = !script.never_ready && script.ready_ms == 0 && script.signals.is_empty();
        self.shared.ready.store(loaded, Ordering::SeqCst);
        self.loading = loaded;
        Ok(initialize_result(script, self.encoding))
    }

    pub(super) fn notification(&mut self, method: &str, params: &Value) {
        let changed = match method {
            "initialized" => {
                self.register_later();
                if !self.shared.script.loads_on_open {
                    self.load();
                }
                self.publish(None);
                return;
            }
            "$/cancelRequest" => return self.cancel(&params["id"]),
            "textDocument/didOpen" => {
                self.load();
                self.documents.did_open(params)
            }
            "textDocument/didChange" => self.documents.did_change(params, self.encoding),
            "textDocument/didSave" => {
                path_of(&params["textDocument"]).inspect(|path| self.documents.refresh(path))
            }
            "textDocument/didClose" => self.documents.did_close(params).inspect(|path| {
                self.publishing.closed(&self.shared, path);
            }),
            "workspace/didChangeWatchedFiles" => {
                self.files_changed(params);
                self.publish(None);
                return;
            }
            "workspace/didChangeWorkspaceFolders" => {
                self.folders_changed(params);
                self.publish(None);
                return;
            }
            _ => return,
        };
        match changed {
            Ok(path) => self.publish(Some(path)),
            Err(wrong) => self.shared.journal.violation(&wrong),
        }
    }

    fn files_changed(&mut self, params: &Value) {
        for change in params["changes"].as_array().into_iter().flatten() {
            match path_of(change) {
                Ok(path) if change["type"] == 3 => self.documents.forget(&path),
                Ok(path) => self.documents.refresh(&path),
                Err(wrong) => self.shared.journal.violation(&wrong),
            }
        }
    }

    fn folders_changed(&mut self, params: &Value) {
        let folders = |key: &str| -> Vec<PathBuf> {
            let list = params["event"][key].as_array().into_iter().flatten();
            list.filter_map(|folder| folder["uri"].as_str().and_then(uri_path)).collect()
        };
        folders("removed").iter().for_each(|root| self.documents.remove_root(root));
        folders("added").into_iter().for_each(|root| self.documents.add_root(root));
    }

    /// Publishes what is new; the changed document in any case.
    pub(super) fn publish(&mut self, changed: Option<PathBuf>) {
        let mut publishing = std::mem::take(&mut self.publishing);
        publishing.after(&self.shared, &self.documents, &self.view(), changed.as_deref());
        self.publishing = publishing;
    }

    fn load(&mut self) {
        if !std::mem::replace(&mut self.loading, true) {
            loading::begin(self.shared.clone(), self.client.clone(), self.sender.clone());
        }
    }

    /// Only answers that are found and delayed can be cancelled; one that hangs has nobody to hear it.
    fn cancel(&self, id: &Value) {
        if self.shared.late.lock().unwrap().remove(&id.to_string()) {
            let error = json!({ "code": -32800, "message": "request cancelled" });
            self.shared.wire.send(&json!({ "jsonrpc": "2.0", "id": id, "error": error }));
        }
    }

    fn register_later(&self) {
        let shared = self.shared.clone();
        if shared.script.dynamic.is_empty() {
            return;
        }
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(shared.script.dynamic_ms));
            for method in &shared.script.dynamic {
                shared.registered.lock().unwrap().insert(method.clone());
                let mut options = options(method);
                options["documentSelector"] = Value::Null;
                let ask = Ask::register(method, options);
                let key = shared.ask(&ask.method, Some(ask.params));
                shared.insist(&key);
            }
        });
    }
}
