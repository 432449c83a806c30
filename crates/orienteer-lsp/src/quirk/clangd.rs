//! clangd does not look at the disk: it takes in an opened file when it gets to it, and a changed header only when a
//! file that includes it is told again.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::live::{Live, Patience, Stuck};
use crate::uri;

/// Longer than a file takes to be read again by far.
const AT_MOST: Duration = Duration::from_secs(10);

/// Open files that may include a changed header and are told again: those used last. The others are closed.
const MOST_TOLD: usize = 16;

/// Waits until changed files, and the open files that may include them, have been read again; `false` when that took
/// too long to be seen.
pub(crate) async fn settle(live: &Live, touched: &[PathBuf], patience: &Patience) -> Result<bool, Stuck> {
    for path in touched.iter().filter(|path| !is_header(path)) {
        // A request about a file is answered when the file has been read.
        let params = json!({ "textDocument": { "uri": uri::from_path(path) } });
        let pending = live.wire.request("textDocument/documentSymbol", params);
        if let Err(Stuck::Gone) = live.reply("textDocument/documentSymbol", pending, patience).await {
            return Err(Stuck::Gone);
        }
    }
    if !touched.iter().any(|path| is_header(path)) {
        return Ok(true);
    }
    let mut waiting = Vec::new();
    {
        let mut state = live.state.lock().await;
        let open = state.documents.paths();
        let others = open.into_iter().rev().filter(|path| !touched.contains(path));
        for (at, path) in others.enumerate() {
            if at >= MOST_TOLD {
                // Opened again when it is asked about, it is read anew.
                state.documents.close(&path, &live.reach());
            } else if let Some(version) = state.documents.poke(&path, &live.reach()) {
                waiting.push((path, version));
            }
        }
    }
    // It publishes about a file when it has read it and all that it includes.
    let until = Instant::now() + AT_MOST;
    let mut ticks = live.published.ticks();
    for (path, version) in waiting {
        let seen =
            || live.published.of(&path).and_then(|publish| publish.version).is_some_and(|of| of >= version);
        while !seen() {
            if Instant::now() >= until || patience.cancel.is_cancelled() {
                return Ok(false);
            }
            tokio::select! {
                _ = ticks.changed() => {}
                () = tokio::time::sleep_until(until.into()) => {}
                () = live.wire.closed().cancelled() => return Err(Stuck::Gone),
            }
        }
    }
    Ok(true)
}

pub(crate) fn is_header(path: &Path) -> bool {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    extension.is_none_or(|extension| extension.starts_with('h') || extension == "inl" || extension == "ipp")
}
