//! clangd does not look at the disk: it takes in an opened file when it gets to it, and a changed header only when a
//! file that includes it is told again. Which files there are it knows from a list, and where there is none only those that are
//! open count; it does not say so.

mod listed;
mod misread;
mod readings;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::json;

pub(crate) use self::listed::{Listed, OPENED_ONLY};
pub(crate) use self::misread::{is_declaration, lacks_include, misread};
pub(crate) use self::readings::Readings;
use crate::definition::Definition;
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
        ask(live, path, patience).await?;
    }
    let until = Instant::now() + AT_MOST;
    let has_header = touched.iter().any(|path| is_header(path));
    let others = {
        let state = live.state.lock().await;
        let mut open = state.documents.paths();
        open.retain(|path| has_header && !touched.contains(path));
        open.reverse();
        open
    };
    // What it says about a file is then about what comes next.
    for path in others.iter().take(MOST_TOLD) {
        if !is_so(live, || !live.readings.is_busy(path), until, patience).await? {
            return Ok(false);
        }
    }
    let mut waiting = Vec::new();
    {
        let mut state = live.state.lock().await;
        // What is in it is known to questions about other files a moment later.
        let version = |path: &PathBuf| Some(Awaited::new(path, state.documents.get(path)?.version));
        waiting.extend(touched.iter().filter_map(version));
        for (at, path) in others.iter().enumerate() {
            if at >= MOST_TOLD {
                // Opened again when it is asked about, it is read anew.
                state.documents.close(path, &live.reach());
                continue;
            }
            let rounds = live.readings.rounds(path);
            if let Some(version) = state.documents.poke(path, &live.reach()) {
                waiting.push(Awaited { rounds: Some(rounds), ..Awaited::new(path, version) });
            }
        }
    }
    have_been_read(live, waiting, until, patience).await
}

async fn ask(live: &Live, path: &Path, patience: &Patience) -> Result<(), Stuck> {
    let params = json!({ "textDocument": { "uri": uri::from_path(path) } });
    let pending = live.wire.request("textDocument/documentSymbol", params);
    match live.reply("textDocument/documentSymbol", pending, patience).await {
        Err(Stuck::Gone) => Err(Stuck::Gone),
        _ => Ok(()),
    }
}

/// A file that is to be read.
struct Awaited {
    path: PathBuf,
    version: i64,
    /// How often it had been read before. It is not spoken of where nothing has changed for it.
    rounds: Option<u64>,
}

impl Awaited {
    fn new(path: &Path, version: i64) -> Self {
        Self { path: path.to_path_buf(), version, rounds: None }
    }
}

/// Whether it answers by guessing as long as it has not read the file.
pub(crate) fn guesses_unread(definition: &Definition, method: &str) -> bool {
    definition.is("clangd") && matches!(method, "textDocument/completion" | "textDocument/signatureHelp")
}

/// Why an answer about a file may not be right: its includes are not found, and nobody says how it is compiled.
pub(crate) async fn unlisted(live: &Live, file: &Path, patience: &Patience) -> Result<Option<String>, Stuck> {
    if !live.listed.lacks(file) {
        return Ok(None);
    }
    // It answers before it speaks of the file.
    read(live, &[file.to_path_buf()], patience).await?;
    Ok(lacks_include(live, file).then(|| format!("includes of the file are not found; {OPENED_ONLY}")))
}

/// Waits until open files have been read, which were opened so that their words are known; `false` when that took too long.
pub(crate) async fn read(live: &Live, files: &[PathBuf], patience: &Patience) -> Result<bool, Stuck> {
    let waiting = {
        let state = live.state.lock().await;
        let version = |path: &PathBuf| Some(Awaited::new(path, state.documents.get(path)?.version));
        files.iter().filter_map(version).collect()
    };
    have_been_read(live, waiting, patience.ready_by, patience).await
}

/// It publishes about a file when it has read it and all that it includes.
async fn have_been_read(
    live: &Live,
    waiting: Vec<Awaited>,
    until: Instant,
    patience: &Patience,
) -> Result<bool, Stuck> {
    for Awaited { path, version, rounds } in waiting {
        let is_spoken_of =
            || live.published.of(&path).and_then(|publish| publish.version).is_some_and(|of| of >= version);
        let is_through = || rounds.is_some_and(|before| live.readings.rounds(&path) > before);
        if !is_so(live, || is_spoken_of() || is_through(), until, patience).await? {
            return Ok(false);
        }
        if !is_spoken_of() {
            // Its includes have been read; what comes of that stands before the answer.
            ask(live, &path, patience).await?;
            live.published.still_holds(&path, version);
        }
    }
    Ok(true)
}

/// Waits until something is so that clangd says; `false` when that took too long.
async fn is_so(
    live: &Live,
    so: impl Fn() -> bool,
    until: Instant,
    patience: &Patience,
) -> Result<bool, Stuck> {
    let (mut published, mut read) = (live.published.ticks(), live.readings.ticks());
    while !so() {
        if Instant::now() >= until || patience.cancel.is_cancelled() {
            return Ok(false);
        }
        tokio::select! {
            _ = published.changed() => {}
            _ = read.changed() => {}
            () = tokio::time::sleep_until(until.into()) => {}
            () = live.wire.closed().cancelled() => return Err(Stuck::Gone),
        }
    }
    Ok(true)
}

pub(crate) fn is_header(path: &Path) -> bool {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    extension.is_none_or(|extension| extension.starts_with('h') || extension == "inl" || extension == "ipp")
}
