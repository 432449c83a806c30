//! One running server process: asked, kept in step, waited for.

mod deleted;
mod moment;
mod patience;
mod seen;
mod untold;
mod waiting;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use orienteer_base::{ColumnUnit, Position, Range, Roots};
use orienteer_process::Child;
use orienteer_watch::{Changes, Cursor, Watch};
use serde_json::{Value, json};
use tokio::runtime::RuntimeFlavor;
use tokio::sync::{Mutex, MutexGuard, RwLock};

use crate::capability::Capabilities;
use crate::capture::Capture;
use crate::definition::{Definition, Reporting};
use crate::documents::{Documents, Reach, Told};
use crate::failure::Failure;
use crate::latency::Latencies;
use crate::limits::Limits;
use crate::message::Raw;
use crate::position;
use crate::published::Published;
use crate::quirk::clangd::{self, Listed, Readings};
use crate::quirk::eslint::Verdicts;
use crate::reading::Reading;
use crate::ready::{Needs, Ready};
use crate::recalled::Recalled;
use crate::sentinel::Sentinels;
use crate::silence::Silence;
use crate::surroundings::Watches;
use crate::text::{Text, Texts};
use crate::wire::{Lost, Pending, RpcError, Wire};

pub(crate) use deleted::Deleted;
pub(crate) use moment::Moment;
pub use patience::Patience;
pub use seen::Seen;
pub(crate) use untold::Untold;

/// Folders outside the project that are watched for one server.
const MOST_BESIDE: usize = 8;

/// One request.
#[derive(Debug, Clone)]
pub(crate) struct Request<'a> {
    pub(crate) method: &'static str,
    pub(crate) needs: Needs,
    /// Opened first, and named in the parameters.
    pub(crate) file: Option<&'a Path>,
    pub(crate) at: Option<Position>,
    pub(crate) range: Option<Range>,
    /// Merged into the parameters.
    pub(crate) extra: Value,
}

/// Why a running server gave no answer.
#[derive(Debug)]
pub(crate) enum Stuck {
    /// It is gone: another process may answer.
    Gone,
    /// What the project depends on has changed since it was started: a new process sees it.
    Outdated,
    Failed(Failure),
}

impl Stuck {
    /// The words in which the server refuses, unless it only asks to be asked again.
    pub(crate) fn refusal(self) -> Result<String, Self> {
        match self {
            Self::Failed(Failure::Refused { code, message, .. }) if !RpcError::is_passing(code) => {
                Ok(message)
            }
            other => Err(other),
        }
    }
}

impl From<Failure> for Stuck {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Live {
    pub(crate) definition: Arc<Definition>,
    pub(crate) root: PathBuf,
    pub(crate) generation: u64,
    pub(crate) started: Instant,
    pub(crate) version: Option<String>,
    /// It runs nothing that the project names, because nobody trusts the project.
    pub(crate) is_restricted: bool,
    pub(crate) child: Child,
    pub(crate) wire: Arc<Wire>,
    pub(crate) capabilities: Arc<Capabilities>,
    pub(crate) ready: Arc<Ready>,
    pub(crate) published: Arc<Published>,
    pub(crate) silence: Arc<Silence>,
    pub(crate) capture: Arc<Capture>,
    pub(crate) verdicts: Option<Arc<Verdicts>>,
    pub(crate) texts: Arc<Texts>,
    pub(crate) watch: Arc<Watch>,
    pub(crate) watches: Watches,
    pub(crate) roots: Roots,
    pub(crate) sentinels: Sentinels,
    pub(crate) unit: ColumnUnit,
    pub(crate) limits: Limits,
    pub(crate) readings: Arc<Readings>,
    pub(crate) listed: Listed,
    pub(crate) state: Mutex<InStep>,
    pub(crate) latencies: Arc<Latencies>,
    /// The watcher could not look at everything the last time.
    pub(crate) blind: AtomicBool,
    /// Whoever asks takes it with others, whoever tries out a change takes it alone.
    pub(crate) turn: RwLock<()>,
    /// Texts that the server was told and that are not on disk.
    pub(crate) imagined: std::sync::RwLock<HashMap<PathBuf, Arc<Text>>>,
    /// It may have been told something that is not true: another process takes its place.
    pub(crate) spoiled: AtomicBool,
    /// For status, without waiting for the lock.
    pub(crate) open_documents: AtomicU64,
    pub(crate) recalled: std::sync::Mutex<Recalled>,
    pub(crate) deleted: Deleted,
}

/// What only one caller at a time may touch: the order of what is sent depends on it.
#[derive(Debug)]
pub(crate) struct InStep {
    pub(crate) documents: Documents,
    pub(crate) untold: Arc<std::sync::Mutex<Untold>>,
    /// The epoch of the documents that the last finished compiler run saw.
    pub(crate) checked_epoch: Option<u64>,
    settling: Option<Settling>,
}

/// What the server was told last and takes in on its own time. Everybody who asks waits for it, whoever told it
/// and went away since.
#[derive(Debug, Clone)]
struct Settling {
    told: Told,
    since: Instant,
}

impl InStep {
    pub(crate) fn new(cursor: Cursor) -> Self {
        let untold =
            Arc::new(std::sync::Mutex::new(Untold { cursor, changes: Vec::new(), beside: Vec::new() }));
        Self { documents: Documents::default(), untold, checked_epoch: None, settling: None }
    }

    /// What the server has been told by now.
    pub(crate) fn moment(&self, file: Option<&Path>) -> Moment {
        let version = file.and_then(|file| self.documents.get(file)).map(|open| open.version);
        Moment { epoch: self.documents.epoch, version, opened: self.documents.opened }
    }

    /// The server is taking in what it was told.
    pub(crate) fn is_settling(&self) -> bool {
        self.settling.is_some()
    }
}

impl Live {
    /// Whether it has a compiler that it may run.
    pub(crate) fn compiles(&self) -> bool {
        self.definition.reporting == Reporting::Flycheck && !self.is_restricted
    }

    pub(crate) fn is_gone(&self) -> bool {
        self.wire.closed().is_cancelled()
    }

    pub(crate) fn recalled(&self) -> std::sync::MutexGuard<'_, Recalled> {
        self.recalled.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn is_spoiled(&self) -> bool {
        self.spoiled.load(Ordering::Relaxed)
    }

    pub(crate) fn reach(&self) -> Reach<'_> {
        Reach {
            definition: &self.definition,
            root: &self.root,
            wire: &self.wire,
            capabilities: &self.capabilities,
            published: &self.published,
            texts: &self.texts,
            watch: &self.watch,
            ready: &self.ready,
        }
    }

    /// The barrier: when it returns, the server has been told everything that happened on disk before the call,
    /// and `files` are open. The lock is still held, so that what is sent next comes next.
    pub(crate) async fn barrier(&self, files: &[&Path]) -> Result<(MutexGuard<'_, InStep>, Told), Stuck> {
        if self.sentinels.moved() || self.is_spoiled() {
            return Err(Stuck::Outdated);
        }
        let mut state = self.state.lock().await;
        let seen = self.look(&state).await?;
        let reach = self.reach();
        let mut told = Told::default();
        self.blind.store(seen.iter().any(|changes| !changes.complete), Ordering::Relaxed);
        for changes in &seen {
            told.add(state.documents.sync(changes, &reach));
        }
        self.deleted.add(&told.deleted);
        if told.outdated {
            self.spoiled.store(true, Ordering::Relaxed);
            return Err(Stuck::Outdated);
        }
        if told.needs_time(&self.ready) {
            let mut all = state.settling.take().map(|settling| settling.told).unwrap_or_default();
            all.add(told.clone());
            state.settling = Some(Settling { told: all, since: Instant::now() });
        }
        for file in files {
            state.documents.open(file, &reach).map_err(|error| Failure::File {
                path: file.display().to_string(),
                reason: error.to_string(),
            })?;
        }
        if !files.is_empty() {
            self.ready.opened_a_document();
        }
        self.open_documents.store(state.documents.len() as u64, Ordering::Relaxed);
        if self.is_gone() {
            return Err(Stuck::Gone);
        }
        Ok((state, told))
    }

    /// Asks the watcher. What it says is kept until it has been told: a caller that goes away in between takes
    /// nothing with it.
    async fn look(&self, state: &InStep) -> Result<Vec<Changes>, Failure> {
        let (watch, untold, beside) = (self.watch.clone(), state.untold.clone(), self.beside());
        if beside.is_none()
            && let Ok(mut untold) = untold.try_lock()
            && let Some(changes) = watch.changes_if_still(&untold.cursor)
        {
            untold.changes.push(changes);
            return Ok(std::mem::take(&mut untold.changes));
        }
        let ask = move || {
            let mut untold = untold.lock().unwrap_or_else(PoisonError::into_inner);
            let changes = watch.changes(&mut untold.cursor);
            untold.changes.push(changes);
            untold.look_beside(&beside);
        };
        // A few files are looked at as a rule: less than handing it to another thread.
        if tokio::runtime::Handle::current().runtime_flavor() == RuntimeFlavor::MultiThread {
            tokio::task::block_in_place(ask);
        } else {
            let asked = tokio::task::spawn_blocking(ask).await;
            asked.map_err(|error| Failure::File {
                path: self.root.display().to_string(),
                reason: format!("its changes could not be seen: {error}"),
            })?;
        }
        let mut untold = state.untold.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(std::mem::take(&mut untold.changes))
    }

    /// What else is to be watched: folders outside the project, inside the roots, that the server asked about.
    fn beside(&self) -> Option<(Watches, Vec<PathBuf>)> {
        let mut bases = self.capabilities.bases_outside(&self.root);
        bases.retain(|base| self.roots.contains(base) && base.is_dir());
        bases.truncate(MOST_BESIDE);
        (!bases.is_empty()).then(|| (self.watches.clone(), bases))
    }

    /// A text as the server was told it, if that is not the one on disk.
    pub(crate) fn imagined(&self, path: &Path) -> Option<Arc<Text>> {
        self.imagined.read().unwrap_or_else(PoisonError::into_inner).get(path).cloned()
    }

    /// What may be wrong with an answer: in the server's own eyes, or because not every change could be seen.
    pub(crate) fn complaint(&self) -> Option<String> {
        let unseen = "not every change on disk could be seen: too many files, or an unreadable folder";
        let ours = self.blind.load(Ordering::Relaxed).then(|| unseen.to_owned());
        self.ready.complaint().or(ours)
    }

    /// What surrounds an answer that is given now.
    pub(crate) fn glance(&self) -> Seen {
        let ready = self.ready.look(Needs::Project).is_ok();
        let doing = self.ready.activity().filter(|_| !ready);
        Seen {
            generation: self.generation,
            ready,
            busy_with: doing.map(|doing| doing.to_string()),
            complaint: self.complaint(),
            ..Seen::default()
        }
    }

    /// Asks a request about files as they are on disk now.
    pub(crate) async fn ask(
        &self,
        request: &Request<'_>,
        patience: &Patience,
    ) -> Result<(Raw, Reading), Stuck> {
        self.ask_noting(request, patience).await.map(|(raw, reading, _)| (raw, reading))
    }

    /// The same with what the server had been told when it was asked.
    pub(crate) async fn ask_noting(
        &self,
        request: &Request<'_>,
        patience: &Patience,
    ) -> Result<(Raw, Reading, Moment), Stuck> {
        if !self.capabilities.has(request.method) {
            return Err(self.unsupported(request.method).into());
        }
        let begun = Instant::now();
        let files: Vec<&Path> = request.file.into_iter().collect();
        let mut synced = 0;
        let mut ready = self.ready.look(request.needs).is_ok();
        if !ready {
            // Many servers begin to load when the first file is opened.
            let (state, told) = self.barrier(&files).await?;
            drop(state);
            synced += told.files;
            ready = self.wait_ready(request.needs, patience).await?;
        }
        if clangd::guesses_unread(&self.definition, request.method) {
            drop(self.barrier(&files).await?);
            let files: Vec<PathBuf> = files.iter().map(|file| file.to_path_buf()).collect();
            clangd::read(self, &files, patience).await?;
        }
        let until = Instant::now() + self.limit(request.method);
        let mut pause = Duration::from_millis(20);
        let mut absorbed = true;
        loop {
            let (state, told) = self.barrier(&files).await?;
            synced += told.files;
            if state.settling.is_some() && absorbed {
                drop(state);
                absorbed = self.absorb(patience).await?;
                // What it was told may have set it to work.
                ready = absorbed && self.wait_ready(request.needs, patience).await?;
                continue;
            }
            let params = self.params(request, &state)?;
            let waited_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
            let pending = self.wire.request(request.method, params);
            let moment = state.moment(request.file);
            drop(state);
            match self.reply(request.method, pending, patience).await {
                Ok(value) => {
                    let busy_with =
                        if ready { None } else { self.ready.activity().map(|doing| doing.to_string()) };
                    let unlisted = match request.file {
                        Some(file) => clangd::unlisted(self, file, patience).await?,
                        None => None,
                    };
                    let seen = Seen {
                        generation: self.generation,
                        synced_files: synced,
                        waited_ms,
                        ready,
                        busy_with,
                        complaint: self.complaint(),
                        unlisted,
                        ..Seen::default()
                    };
                    return Ok((value, Reading::new(seen), moment));
                }
                Err(Stuck::Failed(Failure::Refused { code, .. }))
                    if Instant::now() + pause < until
                        && matches!(code, RpcError::CONTENT_MODIFIED | RpcError::SERVER_CANCELLED) =>
                {
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(Duration::from_millis(250));
                }
                Err(stuck) => return Err(stuck),
            }
        }
    }

    fn params(&self, request: &Request<'_>, state: &InStep) -> Result<Value, Failure> {
        let mut params = json!({});
        if let Some(open) = request.file.and_then(|file| state.documents.get(file)) {
            params["textDocument"] = json!({ "uri": open.uri });
            let place = |at: Position| {
                position::to_server(&open.text, at, self.unit).ok_or_else(|| Failure::File {
                    path: request.file.map(|file| file.display().to_string()).unwrap_or_default(),
                    reason: format!("it has no line {}", at.line),
                })
            };
            if let Some(at) = request.at {
                params["position"] = place(at)?;
            }
            if let Some(range) = request.range {
                params["range"] = json!({ "start": place(range.start)?, "end": place(range.end)? });
            }
        }
        if let (Some(params), Some(extra)) = (params.as_object_mut(), request.extra.as_object()) {
            params.extend(extra.clone());
        }
        Ok(params)
    }

    /// How long a method may take.
    fn limit(&self, method: &str) -> Duration {
        self.definition.request_timeouts.get(method).copied().unwrap_or(self.definition.request_timeout)
    }

    /// Waits for a reply within the time the definition allows for the method.
    pub(crate) async fn reply(
        &self,
        method: &'static str,
        pending: Pending,
        patience: &Patience,
    ) -> Result<Raw, Stuck> {
        let limit = self.limit(method);
        let begun = Instant::now();
        let reply = tokio::time::timeout(limit, pending.reply()).await;
        let server = || self.definition.id.clone();
        match reply {
            Ok(Ok(value)) => {
                self.latencies.record(method, begun.elapsed());
                Ok(value)
            }
            Ok(Err(Lost::Closed)) => Err(Stuck::Gone),
            Ok(Err(Lost::Error(error))) => {
                if patience.cancel.is_cancelled() {
                    return Err(Failure::Cancelled.into());
                }
                if error.code == RpcError::METHOD_NOT_FOUND {
                    return Err(self.unsupported(method).into());
                }
                let code = if error.code == RpcError::SERVER_CANCELLED && !error.retrigger {
                    RpcError::REQUEST_CANCELLED
                } else {
                    error.code
                };
                Err(Failure::Refused { server: server(), method, code, message: error.message }.into())
            }
            Err(_) => Err(self.late(method, limit).into()),
        }
    }

    /// The same while the caller waits; `None` afterwards.
    pub(crate) async fn reply_in_time(
        &self,
        method: &'static str,
        pending: Pending,
        patience: &Patience,
    ) -> Option<Result<Raw, Stuck>> {
        tokio::time::timeout_at(patience.ready_by.into(), self.reply(method, pending, patience)).await.ok()
    }

    pub(crate) fn late(&self, method: &str, after: Duration) -> Failure {
        let after_ms = u64::try_from(after.as_millis()).unwrap_or(u64::MAX);
        Failure::Timeout { server: self.definition.id.clone(), method: method.to_owned(), after_ms }
    }

    pub(crate) fn unsupported(&self, method: &'static str) -> Failure {
        Failure::Unsupported { server: self.definition.id.clone(), method }
    }

    /// Ends it politely, then by force.
    pub(crate) async fn stop(&self) {
        let polite = async {
            // Whoever waits for an answer has a turn: some servers say that a closed document is fine, and that must not
            // be taken for the answer.
            if let (Ok(_alone), Ok(mut state)) = (self.turn.try_write(), self.state.try_lock()) {
                state.documents.close_all(&self.reach());
            }
            let pending = self.wire.request("shutdown", Value::Null);
            if pending.reply().await.is_ok() {
                self.wire.notify("exit", Value::Null);
                // Its input stays open until it has read that.
                let _ = tokio::time::timeout(Duration::from_millis(500), self.child.wait()).await;
            }
        };
        let _ = tokio::time::timeout(Duration::from_secs(2), polite).await;
        if let Err(error) = self.child.stop(Duration::from_millis(500)).await {
            tracing::warn!(server = self.definition.id, %error, "did not stop");
        }
        self.wire.close();
    }
}
