//! One server for one project: started when needed, once; restarted after a crash; left alone when it keeps
//! crashing.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures::FutureExt;
use futures::future::{BoxFuture, Shared};
use orienteer_watch::Cursor;
use tokio_util::sync::CancellationToken;

use crate::definition::Definition;
use crate::failure::Failure;
use crate::latency::{Latencies, Latency};
use crate::live::{Live, Patience};
use crate::program;
use crate::quirk;
use crate::start::{self, Plan, last_lines};
use crate::surroundings::Surroundings;

/// More crashes than this within [`WINDOW`] and a server is left alone.
const MOST_CRASHES: usize = 4;
const WINDOW: Duration = Duration::from_secs(180);

/// Documents given back after a crash: those used last.
const REOPENED: usize = 16;

/// How long the end of a process is waited for once its pipes are closed.
const ENDING: [Duration; 4] =
    [Duration::ZERO, Duration::from_millis(2), Duration::from_millis(10), Duration::from_millis(40)];

/// Where a server is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Life {
    Starting,
    Running,
    /// It ended by itself and is started again by the next question.
    Crashed,
    /// It ended too often: it is left alone until a file changes or somebody restarts it.
    Broken,
    Stopped,
}

/// The last thing that went wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastError {
    pub message: String,
    pub exit_code: Option<i32>,
    pub stderr_tail: String,
}

/// What is true of one server now.
#[derive(Debug, Clone, PartialEq)]
pub struct Status {
    pub server_id: String,
    pub language: String,
    pub root: PathBuf,
    pub life: Life,
    /// Whether it can answer questions about the whole project.
    pub ready: bool,
    /// What it does while it is not ready, in its own words.
    pub busy_with: Option<String>,
    pub percent: Option<u32>,
    pub pid: Option<u32>,
    pub rss_bytes: Option<u64>,
    pub uptime_ms: Option<u64>,
    pub generation: u64,
    pub open_documents: usize,
    pub restarts: u64,
    pub last_error: Option<LastError>,
    pub latency: Vec<Latency>,
    pub version: Option<String>,
}

type Starting = Shared<BoxFuture<'static, Result<Arc<Live>, Failure>>>;

enum Slot {
    Empty,
    /// The token cuts the start short.
    Starting(Starting, CancellationToken),
    Running(Arc<Live>),
}

struct State {
    slot: Slot,
    generation: u64,
    restarts: u64,
    crashes: VecDeque<Instant>,
    last_error: Option<LastError>,
    last_failure: Option<Failure>,
    not_before: Option<Instant>,
    /// Since when it is left alone: a change on disk after that lets it try again.
    broken: Option<Option<(Arc<orienteer_watch::Watch>, Cursor)>>,
    reopen: Vec<PathBuf>,
    last_used: Instant,
}

/// See the module.
pub(crate) struct Server {
    pub(crate) definition: Arc<Definition>,
    pub(crate) root: PathBuf,
    pub(crate) surroundings: Arc<Surroundings>,
    pub(crate) listed: quirk::clangd::Listed,
    state: Mutex<State>,
    busy: AtomicUsize,
    stopping: AtomicBool,
    latencies: Arc<Latencies>,
    /// What it does not run was told.
    pub(crate) told_restriction: AtomicBool,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server")
            .field("id", &self.definition.id)
            .field("root", &self.root)
            .finish_non_exhaustive()
    }
}

/// While it exists, the server is not stopped for being idle.
#[derive(Debug)]
pub(crate) struct Busy(Arc<Server>);

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.lock().last_used = Instant::now();
        self.0.busy.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Server {
    pub(crate) fn new(definition: Arc<Definition>, root: PathBuf, surroundings: Arc<Surroundings>) -> Self {
        let state = State {
            slot: Slot::Empty,
            generation: 0,
            restarts: 0,
            crashes: VecDeque::new(),
            last_error: None,
            last_failure: None,
            not_before: None,
            broken: None,
            reopen: Vec::new(),
            last_used: Instant::now(),
        };
        let args = definition.candidates.iter().flat_map(|candidate| &candidate.args);
        let given = definition.env.get("CLANGD_FLAGS").map(|flags| OsStr::new(&flags.0));
        let flags = given.or_else(|| surroundings.environment.get("CLANGD_FLAGS")).and_then(OsStr::to_str);
        let listed = quirk::clangd::Listed::of(&definition, &root, args, flags);
        Self {
            definition,
            root,
            surroundings,
            listed,
            state: Mutex::new(state),
            busy: AtomicUsize::new(0),
            stopping: AtomicBool::new(false),
            latencies: Arc::default(),
            told_restriction: AtomicBool::new(false),
        }
    }

    pub(crate) fn is_restricted(&self) -> bool {
        let here = &self.surroundings;
        program::is_restricted(&self.definition, &self.root, &here.roots, here.local_programs)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn roots(&self) -> &orienteer_base::Roots {
        &self.surroundings.roots
    }

    pub(crate) fn busy(self: &Arc<Self>) -> Busy {
        self.busy.fetch_add(1, Ordering::AcqRel);
        self.lock().last_used = Instant::now();
        Busy(self.clone())
    }

    pub(crate) fn is_busy(&self) -> bool {
        self.busy.load(Ordering::Acquire) > 0
    }

    pub(crate) fn last_used(&self) -> Instant {
        self.lock().last_used
    }

    /// The running process, if there is one.
    pub(crate) fn running(&self) -> Option<Arc<Live>> {
        match &self.lock().slot {
            Slot::Running(live) if !live.is_gone() => Some(live.clone()),
            _ => None,
        }
    }

    pub(crate) fn is_live(&self) -> bool {
        !matches!(self.lock().slot, Slot::Empty)
    }

    /// The process to ask: the running one, or one that is started now. Several callers wait for the same start,
    /// and none of them ends it by going away.
    pub(crate) async fn live(self: &Arc<Self>, patience: &Patience) -> Result<Arc<Live>, Failure> {
        loop {
            let starting = {
                let mut state = self.lock();
                self.bury(&mut state);
                match &state.slot {
                    Slot::Running(live) => return Ok(live.clone()),
                    Slot::Starting(starting, _) => starting.clone(),
                    Slot::Empty => {
                        if self.stopping.load(Ordering::Acquire) {
                            return Err(Failure::ShuttingDown);
                        }
                        self.may_start(&mut state)?;
                        self.begin(&mut state)
                    }
                }
            };
            patience.cancel.say(format!("{}: starting", self.definition.id));
            match tokio::time::timeout_at(patience.ready_by.into(), starting).await {
                // Somebody stopped it while it started, which does not answer this question.
                Ok(Err(Failure::ShuttingDown)) => {}
                Ok(result) => return result,
                Err(_) => {
                    return Err(Failure::NotReady {
                        server: self.definition.id.clone(),
                        doing: Some("it has not answered `initialize` yet".to_owned()),
                        retry_after_ms: 2_000,
                    });
                }
            }
        }
    }

    fn begin(self: &Arc<Self>, state: &mut State) -> Starting {
        state.generation += 1;
        if state.generation > 1 {
            state.restarts += 1;
        }
        let plan = Plan {
            definition: self.definition.clone(),
            root: self.root.clone(),
            generation: state.generation,
            surroundings: self.surroundings.clone(),
            latencies: self.latencies.clone(),
            reopen: std::mem::take(&mut state.reopen),
        };
        let (server, generation) = (self.clone(), state.generation);
        let cut = CancellationToken::new();
        let cut_short = cut.clone();
        // A task of its own: it goes on when the caller that began it goes away.
        let task = tokio::spawn(async move {
            let result = tokio::select! {
                result = start::start(plan) => result,
                // The process goes with the future.
                () = cut_short.cancelled() => Err(Failure::ShuttingDown),
            };
            server.started(generation, &result);
            result
        });
        let id = self.definition.id.clone();
        let starting = task
            .map(move |joined| {
                joined.unwrap_or_else(|error| {
                    let message = format!("the start failed inside: {error}");
                    Err(Failure::StartFailed {
                        server: id,
                        command: String::new(),
                        message,
                        exit_code: None,
                        stderr: String::new(),
                        retry_after_ms: None,
                    })
                })
            })
            .boxed()
            .shared();
        state.slot = Slot::Starting(starting.clone(), cut);
        starting
    }

    fn started(&self, generation: u64, result: &Result<Arc<Live>, Failure>) {
        let mut state = self.lock();
        if state.generation != generation || !matches!(state.slot, Slot::Starting(..)) {
            // It was stopped meanwhile; whoever did that ends the process.
            return;
        }
        match result {
            Ok(live) => state.slot = Slot::Running(live.clone()),
            Err(failure) => {
                tracing::warn!(server = self.definition.id, %failure, "did not start");
                state.slot = Slot::Empty;
                if let Failure::StartFailed { message, exit_code, stderr, .. } = failure {
                    let (message, exit_code, stderr) = (message.clone(), *exit_code, stderr.clone());
                    state.last_error = Some(LastError { message, exit_code, stderr_tail: stderr });
                    state.last_failure = Some(failure.clone());
                    self.count_crash(&mut state, None);
                }
            }
        }
    }

    /// Takes a process that ended by itself out of the way and remembers how.
    fn bury(&self, state: &mut State) {
        let Slot::Running(live) = &state.slot else { return };
        if !live.is_gone() {
            return;
        }
        let live = live.clone();
        state.slot = Slot::Empty;
        // Its pipes close a moment before it has ended.
        let status = ENDING.iter().find_map(|pause| {
            std::thread::sleep(*pause);
            live.child.try_exit().ok().flatten()
        });
        let exit_code = status.and_then(|status| status.code());
        let how = status.map_or_else(|| "its output ended".to_owned(), |status| status.to_string());
        let stderr = last_lines(&live.child.stderr_tail());
        tracing::warn!(server = self.definition.id, how, "crashed");
        if let Ok(inside) = live.state.try_lock() {
            let paths = inside.documents.paths();
            state.reopen = paths.into_iter().rev().take(REOPENED).rev().collect();
        }
        let message = format!("it ended by itself ({how})");
        state.last_error = Some(LastError { message, exit_code, stderr_tail: stderr.clone() });
        let server = self.definition.id.clone();
        state.last_failure = Some(Failure::Crashed { server, exit_code, stderr, retry_after_ms: None });
        self.count_crash(state, Some(&live));
    }

    fn count_crash(&self, state: &mut State, live: Option<&Arc<Live>>) {
        let now = Instant::now();
        state.crashes.push_back(now);
        while state.crashes.front().is_some_and(|first| now.duration_since(*first) > WINDOW) {
            state.crashes.pop_front();
        }
        // The first is restarted at once; then 0.5 s, 1 s, 2 s.
        let pause = match state.crashes.len() {
            0 | 1 => Duration::ZERO,
            more => Duration::from_millis(250 << (more - 1).min(5)),
        };
        state.not_before = Some(now + pause);
        if state.crashes.len() > MOST_CRASHES {
            let watch = live.map(|live| (live.watch.clone(), live.watch.cursor()));
            state.broken = Some(watch);
        }
    }

    /// Whether a start may be tried now.
    fn may_start(&self, state: &mut State) -> Result<(), Failure> {
        if let Some(broken) = &mut state.broken {
            let changed = match broken {
                Some((watch, cursor)) => !watch.changes(cursor).is_empty(),
                // Nothing was ever watched: time alone lets it try again.
                None => state.crashes.back().is_some_and(|last| last.elapsed() > Duration::from_secs(30)),
            };
            if !changed {
                return Err(self.refusal(state, None));
            }
            state.broken = None;
            state.crashes.clear();
            state.not_before = None;
        }
        match state.not_before.and_then(|until| until.checked_duration_since(Instant::now())) {
            Some(left) if !left.is_zero() => Err(self.refusal(state, Some(whole_ms(left)))),
            _ => Ok(()),
        }
    }

    fn refusal(&self, state: &State, wait: Option<u64>) -> Failure {
        let mut failure = state.last_failure.clone().unwrap_or_else(|| Failure::Crashed {
            server: self.definition.id.clone(),
            exit_code: None,
            stderr: String::new(),
            retry_after_ms: None,
        });
        match &mut failure {
            Failure::Crashed { retry_after_ms, .. } | Failure::StartFailed { retry_after_ms, .. } => {
                *retry_after_ms = wait;
            }
            _ => {}
        }
        failure
    }

    /// After a crash during a call: waits for the news of the exit, then tells why, for the call that does not
    /// try again.
    pub(crate) async fn crashed(self: &Arc<Self>, live: &Arc<Live>) -> Failure {
        let _ = tokio::time::timeout(Duration::from_secs(2), live.child.wait()).await;
        let mut state = self.lock();
        self.bury(&mut state);
        let wait = state.not_before.map(|until| whole_ms(until.saturating_duration_since(Instant::now())));
        let wait = wait.filter(|_| state.broken.is_none());
        self.refusal(&state, wait)
    }

    /// Ends the process, if there is one, without counting a crash.
    pub(crate) async fn stop(self: &Arc<Self>, for_good: bool) {
        if for_good {
            self.stopping.store(true, Ordering::Release);
        }
        let slot = std::mem::replace(&mut self.lock().slot, Slot::Empty);
        match slot {
            Slot::Running(live) => live.stop().await,
            Slot::Starting(starting, cut) => {
                cut.cancel();
                if let Ok(live) = starting.await {
                    live.stop().await;
                }
            }
            Slot::Empty => {}
        }
    }

    /// Ends one process, if it is still the one that runs: what the project depends on has changed, also which programs
    /// and environments may be used.
    pub(crate) async fn replace(self: &Arc<Self>, old: &Arc<Live>) {
        let taken = {
            let mut state = self.lock();
            match &state.slot {
                Slot::Running(live) if Arc::ptr_eq(live, old) => {
                    state.slot = Slot::Empty;
                    true
                }
                _ => false,
            }
        };
        if taken {
            self.surroundings.sought.forget();
            old.stop().await;
        }
    }

    /// Forgets that it kept crashing.
    pub(crate) fn forgive(&self) {
        let mut state = self.lock();
        state.broken = None;
        state.crashes.clear();
        state.not_before = None;
    }

    pub(crate) fn note(&self, message: String) {
        self.lock().last_error = Some(LastError { message, exit_code: None, stderr_tail: String::new() });
    }

    pub(crate) fn rss_bytes(&self) -> Option<u64> {
        self.running().and_then(|live| live.child.rss_bytes())
    }

    pub(crate) fn status(&self, with_memory: bool) -> Status {
        let mut state = self.lock();
        self.bury(&mut state);
        let live = match &state.slot {
            Slot::Running(live) => Some(live.clone()),
            _ => None,
        };
        let life = match (&state.slot, &state.broken) {
            (Slot::Running(_), _) => Life::Running,
            (Slot::Starting(..), _) => Life::Starting,
            (Slot::Empty, Some(_)) => Life::Broken,
            (Slot::Empty, None) if state.not_before.is_some() && state.last_error.is_some() => Life::Crashed,
            (Slot::Empty, None) => Life::Stopped,
        };
        let activity = live.as_ref().and_then(|live| live.ready.activity());
        Status {
            server_id: self.definition.id.clone(),
            language: self.definition.language.clone(),
            root: self.root.clone(),
            life,
            ready: live.as_ref().is_some_and(|live| live.ready.look(crate::ready::Needs::Project).is_ok()),
            percent: activity.as_ref().and_then(|activity| activity.percent),
            busy_with: activity.map(|activity| activity.title),
            pid: live.as_ref().map(|live| live.child.pid()),
            rss_bytes: live.as_ref().filter(|_| with_memory).and_then(|live| live.child.rss_bytes()),
            uptime_ms: live.as_ref().and_then(|live| u64::try_from(live.started.elapsed().as_millis()).ok()),
            generation: state.generation,
            open_documents: live.as_ref().map_or(0, |live| {
                usize::try_from(live.open_documents.load(Ordering::Relaxed)).unwrap_or_default()
            }),
            restarts: state.restarts,
            last_error: state.last_error.clone(),
            latency: self.latencies.all(),
            version: live.and_then(|live| live.version.clone()),
        }
    }
}

/// Rounded up: whoever waits so long is not refused again.
fn whole_ms(left: Duration) -> u64 {
    u64::try_from(left.as_micros().div_ceil(1_000)).unwrap_or(u64::MAX)
}
