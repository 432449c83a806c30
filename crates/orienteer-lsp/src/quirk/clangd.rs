//! clangd does not look at the disk: it takes in an opened file when it gets to it, and a changed header only when a
//! file that includes it is told again. Which files there are it knows from a list, and where there is none only those that are
//! open count; it does not say so.

mod listed;
mod misread;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::json;

pub(crate) use self::listed::{Listed, OPENED_ONLY};
pub(crate) use self::misread::{is_declaration, misread};
use crate::live::{Live, Patience, Stuck};
use crate::uri;

/// Longer than a file takes to be read again by far.
const AT_MOST: Duration = Duration::from_secs(10);

/// Open files that may include a changed header and are told again: those used last. The others are closed.
const MOST_TOLD: usize = 16;

/// Waits until changed files, and the open files that may include them, have been read again; `false` when that took
/// too long to be seen.
pub(crate) async fn settle(live: &Live, touched: &[PathBuf], patience: &Patience) -> Result<bool, Stuck> {
    for path in touched {
        // A request about a file is answered when the file has been read, and makes it be read at once.
        let params = json!({ "textDocument": { "uri": uri::from_path(path) } });
        let pending = live.wire.request("textDocument/documentSymbol", params);
        if let Err(Stuck::Gone) = live.reply("textDocument/documentSymbol", pending, patience).await {
            return Err(Stuck::Gone);
        }
    }
    let mut waiting = Vec::new();
    {
        let mut state = live.state.lock().await;
        // What is in it is known to questions about other files a moment later.
        let version = |path: &PathBuf| Some((path.clone(), state.documents.get(path)?.version));
        waiting.extend(touched.iter().filter_map(version));
        let mut open = state.documents.paths();
        if !touched.iter().any(|path| is_header(path)) {
            open.clear();
        }
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
    have_been_read(live, waiting, Instant::now() + AT_MOST, patience).await
}

/// Waits until open files have been read, which were opened so that their words are known; `false` when that took too long.
pub(crate) async fn read(live: &Live, files: &[PathBuf], patience: &Patience) -> Result<bool, Stuck> {
    let waiting = {
        let state = live.state.lock().await;
        let version = |path: &PathBuf| Some((path.clone(), state.documents.get(path)?.version));
        files.iter().filter_map(version).collect()
    };
    have_been_read(live, waiting, patience.ready_by, patience).await
}

/// It publishes about a file when it has read it and all that it includes.
async fn have_been_read(
    live: &Live,
    waiting: Vec<(PathBuf, i64)>,
    until: Instant,
    patience: &Patience,
) -> Result<bool, Stuck> {
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
