//! How often has clangd read a file, and is it doing so now?
//!
//! It publishes about a file unless nothing has changed for it; what it does with a file it always says.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio::sync::watch;

use crate::uri;

#[derive(Debug, Clone, Copy, Default)]
struct Reading {
    /// It has begun with the includes.
    begun: bool,
    busy: bool,
    rounds: u64,
}

/// What it says about files, if it was asked to.
#[derive(Debug)]
pub(crate) struct Readings {
    files: Mutex<HashMap<PathBuf, Reading>>,
    ticks: watch::Sender<()>,
}

impl Default for Readings {
    fn default() -> Self {
        Self { files: Mutex::default(), ticks: watch::Sender::new(()) }
    }
}

impl Readings {
    fn lock(&self) -> MutexGuard<'_, HashMap<PathBuf, Reading>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `textDocument/clangd.fileStatus`.
    pub(crate) fn receive(&self, params: &Value) {
        let Some(path) = params["uri"].as_str().and_then(uri::to_path) else { return };
        let state = params["state"].as_str().unwrap_or_default();
        {
            let mut files = self.lock();
            let reading = files.entry(path).or_default();
            reading.begun |= state.contains("parsing includes");
            reading.busy = state != "idle";
            if !reading.busy && std::mem::take(&mut reading.begun) {
                reading.rounds += 1;
            }
        }
        self.ticks.send_replace(());
    }

    pub(crate) fn rounds(&self, path: &Path) -> u64 {
        self.lock().get(path).map_or(0, |reading| reading.rounds)
    }

    pub(crate) fn is_busy(&self, path: &Path) -> bool {
        self.lock().get(path).is_some_and(|reading| reading.busy)
    }

    /// Ends with the next word.
    pub(crate) fn ticks(&self) -> watch::Receiver<()> {
        self.ticks.subscribe()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_round_begins_with_the_includes_and_ends_idle() {
        let (readings, path) = (Readings::default(), Path::new("/w/a.c"));
        let say = |state: &str| {
            readings.receive(&json!({ "uri": "file:///w/a.c", "state": state }));
            (readings.rounds(path), readings.is_busy(path))
        };
        assert_eq!((readings.rounds(path), readings.is_busy(path)), (0, false));
        assert_eq!(say("file is queued"), (0, true));
        // A request was answered.
        assert_eq!(say("idle"), (0, false));
        assert_eq!(say("parsing includes, running Update"), (0, true));
        assert_eq!(say("parsing main file"), (0, true));
        assert_eq!(say("idle"), (1, false));
        assert_eq!(say("idle"), (1, false));
    }
}
