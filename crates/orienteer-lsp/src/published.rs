//! What a server has said is wrong, file by file.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::sync::watch;

use crate::items::Items;

/// Bytes of findings that are kept of one server.
const MOST_BYTES: usize = 32 << 20;

/// Files that are known, those without findings among them.
const MOST_FILES: usize = 50_000;

/// `textDocument/publishDiagnostics`.
#[derive(Debug, Deserialize)]
pub(crate) struct Told<'r> {
    #[serde(borrow)]
    pub(crate) uri: Cow<'r, str>,
    #[serde(default)]
    version: Value,
    #[serde(borrow)]
    diagnostics: Option<&'r RawValue>,
}

/// The last word about one file.
#[derive(Debug, Clone)]
pub(crate) struct Publish {
    /// Of the document it speaks about, where the server says so.
    pub(crate) version: Option<i64>,
    pub(crate) items: Items,
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
    /// Of all findings.
    bytes: usize,
    /// Findings of files that are not known any more.
    forgotten: usize,
}

impl State {
    /// Takes in a word about a file. Where there is no room for its findings, it is still known how many they are.
    fn put(&mut self, path: PathBuf, mut publish: Publish) {
        self.take(&path);
        if self.files.len() >= MOST_FILES {
            self.forget_oldest();
        }
        if self.bytes + publish.items.bytes() > MOST_BYTES {
            publish.items = publish.items.counted();
        }
        self.bytes += publish.items.bytes();
        self.files.insert(path, publish);
    }

    fn take(&mut self, path: &Path) -> Option<Publish> {
        let publish = self.files.remove(path)?;
        self.bytes -= publish.items.bytes();
        Some(publish)
    }

    /// Rarely: lets go of the tenth that was heard longest ago. Who asks about one of those is told that nothing is known.
    fn forget_oldest(&mut self) {
        let mut numbers: Vec<u64> = self.files.values().map(|publish| publish.number).collect();
        numbers.sort_unstable();
        let oldest = numbers.get(numbers.len() / 10).copied().unwrap_or_default();
        let old = self.files.extract_if(|_, publish| publish.number <= oldest);
        for (_, publish) in old {
            self.bytes -= publish.items.bytes();
            self.forgotten += publish.items.list.len() + publish.items.cut + publish.items.unreadable;
        }
    }
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

    /// A word about a file.
    pub(crate) fn receive(&self, path: PathBuf, told: &Told<'_>) {
        let version = told.version.as_i64();
        let items = match told.diagnostics {
            None => Items { unreadable: 1, ..Items::default() },
            list => Items::read(list),
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
        state.put(path, Publish { version, items, at: Instant::now(), number });
        drop(state);
        self.ticks.send_modify(|tick| *tick += 1);
    }

    pub(crate) fn of(&self, path: &Path) -> Option<Publish> {
        self.lock().files.get(path).cloned()
    }

    /// Every file with findings.
    pub(crate) fn all(&self) -> Vec<(PathBuf, Publish)> {
        let state = self.lock();
        let mut all: Vec<_> = state
            .files
            .iter()
            .filter(|(_, publish)| !publish.items.is_clean())
            .map(|(path, publish)| (path.clone(), publish.clone()))
            .collect();
        all.sort_by(|left, right| left.0.cmp(&right.0));
        all
    }

    /// How many findings were let go of, because they are too many.
    pub(crate) fn forgotten(&self) -> usize {
        self.lock().forgotten
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
    pub(crate) fn opened(&self, path: &Path) {
        if let Some(publish) = self.lock().files.get_mut(path) {
            publish.version = None;
        }
    }

    /// The server has looked at a later version and found nothing new in it: what it said of an older one holds for that, too.
    pub(crate) fn still_holds(&self, path: &Path, version: i64) {
        if let Some(publish) = self.lock().files.get_mut(path)
            && publish.version.is_some_and(|of| of < version)
        {
            (publish.version, publish.at) = (Some(version), Instant::now());
        }
        self.ticks.send_modify(|tick| *tick += 1);
    }

    /// What was said before texts were tried out counts again, as an old word: a compiler does not repeat it.
    pub(crate) fn put_back(&self, path: &Path, said: Option<Publish>) {
        let mut state = self.lock();
        match said {
            Some(said) => state.put(path.to_path_buf(), Publish { version: None, ..said }),
            None => drop(state.take(path)),
        }
    }

    /// Whatever was said about a file that is gone no longer holds.
    pub(crate) fn forget(&self, path: &Path) {
        self.lock().take(path);
    }
}
