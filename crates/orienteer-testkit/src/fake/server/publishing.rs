//! Publishing diagnostics: after every change, or too early, too late, or not at all.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::{Value, json};

use super::documents::Documents;
use super::reports::{bulk, diagnostics};
use super::shared::Shared;
use super::view::View;
use crate::fake::{Diagnostics, Stale};
use crate::uri::file_uri;

/// What was published last for each file.
#[derive(Default)]
pub(super) struct Publishing {
    last: BTreeMap<PathBuf, (Option<i64>, Vec<Value>)>,
}

impl Publishing {
    /// Publishes for the changed document, and for others whose diagnostics are different now.
    pub(super) fn after(
        &mut self,
        shared: &Arc<Shared>,
        documents: &Documents,
        view: &View<'_>,
        changed: Option<&Path>,
    ) {
        let script = &shared.script;
        if !matches!(script.diagnostics, Diagnostics::Push | Diagnostics::Both) {
            return;
        }
        let everywhere = script.publish_workspace && shared.ready.load(Ordering::SeqCst);
        let mut messages = Vec::new();
        let bulk = bulk(script.bulk_diagnostics);
        for (path, parsed) in &view.files {
            let open = documents.open.get(path);
            if open.is_none() && !everywhere {
                continue;
            }
            let found = diagnostics(view, parsed);
            let version = open.map(|open| open.version);
            let is_changed = changed == Some(path.as_path());
            let before = self.last.get(path);
            if !is_changed && before.map_or(&[][..], |(_, before)| before) == found.as_slice() {
                continue;
            }
            let news = publish(path, version.filter(|_| !script.versionless), &found, &bulk);
            let old = before
                .filter(|(old, _)| is_changed && *old < version)
                .map(|(old, found)| publish(path, old.filter(|_| !script.versionless), found, &bulk));
            match (script.stale, old) {
                (Stale::Before, Some(old)) => messages.extend([old, news]),
                (Stale::After, Some(old)) => messages.extend([news, old]),
                _ => messages.push(news),
            }
            self.last.insert(path.clone(), (version, found));
        }
        send(shared, messages);
    }

    /// A closed document has no diagnostics any more, unless the whole workspace has them.
    pub(super) fn closed(&mut self, shared: &Arc<Shared>, path: &Path) {
        if shared.script.publish_workspace || self.last.remove(path).is_none() {
            return;
        }
        send(shared, vec![publish(path, None, &[], "")]);
    }
}

/// The text of the params.
fn publish(path: &Path, version: Option<i64>, found: &[Value], bulk: &str) -> String {
    let mut params = json!({ "uri": file_uri(path) });
    if let Some(version) = version {
        params["version"] = json!(version);
    }
    let items: Vec<_> = found.iter().map(Value::to_string).collect();
    let all = [bulk, &items.join(",")].concat();
    let params = params.to_string();
    format!("{},\"diagnostics\":[{}]}}", params.trim_end_matches('}'), all.trim_end_matches(','))
}

fn send(shared: &Arc<Shared>, messages: Vec<String>) {
    let shared = shared.clone();
    let late = shared.script.publish_ms;
    let send = move || {
        for params in messages {
            shared.notify_text("textDocument/publishDiagnostics", &params);
        }
    };
    if late == 0 {
        return send();
    }
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(late));
        send();
    });
}
