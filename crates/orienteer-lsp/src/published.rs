//! What a server has said is wrong, file by file.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use serde_json::Value;
use tokio::sync::watch;

use crate::uri;

/// The last word about one file.
#[derive(Debug, Clone)]
pub(crate) struct Publish {
    /// Of the document it speaks about, where the server says so.
    pub(crate) version: Option<i64>,
    pub(crate) items: Arc<Vec<Value>>,
    pub(crate) at: Instant,
    /// Counts publishes of this server.
    pub(crate) number: u64,
}

#[derive(Debug, Default)]
struct State {
    files: HashMap<PathBuf, Publish>,
    number: u64,
    /// When the last of them came.
    last: Option<Instant>,
}

/// See the module. A publish for an older version than one that is already here is dropped.
#[derive(Debug)]
pub(crate) struct Published {
    state: Mutex<State>,
    ticks: watch::Sender<u64>,
}

impl Default for Published {
    fn default() -> Self {
        Self { state: Mutex::default(), ticks: watch::channel(0).0 }
    }
}

impl Published {
    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `textDocument/publishDiagnostics`.
    pub(crate) fn receive(&self, mut params: Value) {
        let Some(path) = params["uri"].as_str().and_then(uri::to_path) else { return };
        let version = params["version"].as_i64();
        let items = match params["diagnostics"].take() {
            Value::Array(items) => items,
            _ => Vec::new(),
        };
        let mut state = self.lock();
        state.number += 1;
        state.last = Some(Instant::now());
        let number = state.number;
        let known = state.files.get(&path).and_then(|publish| publish.version);
        if let (Some(known), Some(version)) = (known, version)
            && version < known
        {
            return;
        }
        state.files.insert(path, Publish { version, items: Arc::new(items), at: Instant::now(), number });
        drop(state);
        self.ticks.send_modify(|tick| *tick += 1);
    }

    pub(crate) fn of(&self, path: &std::path::Path) -> Option<Publish> {
        self.lock().files.get(path).cloned()
    }

    /// Every file with findings.
    pub(crate) fn all(&self) -> Vec<(PathBuf, Publish)> {
        let state = self.lock();
        let mut all: Vec<_> = state
            .files
            .iter()
            .filter(|(_, publish)| !publish.items.is_empty())
            .map(|(path, publish)| (path.clone(), publish.clone()))
            .collect();
        all.sort_by(|left, right| left.0.cmp(&right.0));
        all
    }

    /// How many publishes there have been.
    pub(crate) fn number(&self) -> u64 {
        self.lock().number
    }

    /// When the last publish came, about whichever file.
    pub(crate) fn last(&self) -> Option<Instant> {
        self.lock().last
    }

    /// Ends with the next publish.
    pub(crate) fn ticks(&self) -> watch::Receiver<u64> {
        self.ticks.subscribe()
    }

    /// The versions of a document begin anew when it is opened. What was said before stays, as an old word
    /// without one: a compiler that ran over the whole project says nothing new when a file is opened.
    pub(crate) fn opened(&self, path: &std::path::Path) {
        if let Some(publish) = self.lock().files.get_mut(path) {
            publish.version = None;
        }
    }

    /// The server has looked at a later version and found nothing new in it: what it said of an older one holds for that, too.
    pub(crate) fn still_holds(&self, path: &std::path::Path, version: i64) {
        if let Some(publish) = self.lock().files.get_mut(path)
            && publish.version.is_some_and(|of| of < version)
        {
            (publish.version, publish.at) = (Some(version), Instant::now());
        }
        self.ticks.send_modify(|tick| *tick += 1);
    }

    /// What was said before texts were tried out counts again, as an old word: a compiler does not repeat it.
    pub(crate) fn put_back(&self, path: &std::path::Path, said: Option<Publish>) {
        let mut state = self.lock();
        match said {
            Some(said) => state.files.insert(path.to_path_buf(), Publish { version: None, ..said }),
            None => state.files.remove(path),
        };
    }

    /// Whatever was said about a file that is gone no longer holds.
    pub(crate) fn forget(&self, path: &std::path::Path) {
        self.lock().files.remove(path);
    }
}
