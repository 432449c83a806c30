//! Does the index know the files as they are now?

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant, SystemTime};

use orienteer_base::error::panic_message;
use orienteer_base::{Cancel, ErrorKind, Problem};
use orienteer_index::build::{Build, BuildError, Made, Report, tidy};
use orienteer_index::store::{Reader, Store, StoreError};
use orienteer_watch::{Cursor, Watch};

use super::Index;
use super::job::{Done, Job};
use super::unwatched::Unwatched;

/// So many changed files are read before the answer; with more of them the answer does not wait.
const FEW: usize = 200;

/// A build that failed is not tried again for so long, unless somebody asks for one.
const RETRY: Duration = Duration::from_secs(30);

/// An index that could not be changed: a report, the store, what differs from the disk, and why.
type AsItIs = (Report, Store, BTreeSet<PathBuf>, Option<Problem>);

/// What is known about the index on disk.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) open: Option<Open>,
    failed: Option<(Instant, Problem)>,
}

impl State {
    /// What the last build failed of, where another one so soon would fail as well.
    fn failed_lately(&self) -> Option<&Problem> {
        self.failed.as_ref().filter(|(at, _)| at.elapsed() < RETRY).map(|(_, problem)| problem)
    }
}

/// An index that was true when the cursor was made.
#[derive(Debug)]
pub(super) struct Open {
    pub(super) store: Arc<Store>,
    pub(super) generation: u64,
    cursor: Cursor,
    /// Files that changed and are not in the index yet.
    pending: BTreeSet<PathBuf>,
    /// Those that the running build will bring.
    behind: BTreeSet<PathBuf>,
    /// All changes are known.
    complete: bool,
    unwatched: Unwatched,
}

impl Open {
    fn stale(&self) -> usize {
        self.pending.len() + self.behind.len()
    }

    /// Takes in what happened since the last look.
    fn hear(&mut self, watch: &Watch) {
        let changes = watch.changes(&mut self.cursor);
        self.complete = changes.complete;
        let told = changes.created.into_iter().chain(changes.changed).chain(changes.deleted);
        self.pending.extend(told.chain(self.unwatched.changed()));
    }
}

/// An index that can be asked.
#[derive(Debug, Clone)]
pub(super) struct View {
    pub(super) store: Arc<Store>,
    pub(super) generation: u64,
    /// Files that are not yet in it as they are now.
    pub(super) stale: usize,
    /// There may be changes that nobody was told of.
    pub(super) complete: bool,
    /// Files that were brought in before this was returned.
    pub(super) synced: u64,
    /// Files in folders that nobody watches and that are too many to be looked at each time.
    pub(super) unseen: usize,
}

impl View {
    /// It knows all files as they are.
    pub(super) fn is_true(&self) -> bool {
        self.stale == 0 && self.complete && self.unseen == 0
    }
}

/// What came of looking.
#[derive(Debug)]
pub(super) enum Look {
    Ready(View),
    /// There is nothing to ask before this ends.
    Wait(Arc<Job>),
    /// There is nothing to ask, and another try would fail as well.
    Failed(Problem),
}

impl Index {
    /// The index with every change that was made before this call, as far as there are few. Begins a build where there is
    /// nothing to ask. Blocks.
    pub(super) fn look(self: &Arc<Self>, watch: &Arc<Watch>, cancel: &Cancel) -> Result<Look, Problem> {
        let mut state = self.lock();
        let state = &mut *state;
        let Some(open) = state.open.as_mut() else {
            return Ok(match state.failed_lately() {
                Some(problem) if self.job().is_none() => Look::Failed(problem.clone()),
                _ => Look::Wait(self.begin(watch, false, true)),
            });
        };
        let generation = open.store.read().map(|reader| reader.generation());
        match generation {
            Ok(generation) if generation == open.generation => {}
            // Another process has built one, and may have read files before a change that we were told of.
            Ok(_) => {
                state.open = None;
                return Ok(Look::Wait(self.begin(watch, false, true)));
            }
            Err(error) => return self.lose(state, watch, error),
        }
        open.hear(watch);
        let mut synced = 0;
        if open.pending.len() > FEW {
            if self.job().is_none() && state.failed.as_ref().is_none_or(|(at, _)| at.elapsed() >= RETRY) {
                open.behind.append(&mut open.pending);
                self.begin(watch, false, true);
            }
        } else if !open.pending.is_empty() {
            let paths: Vec<PathBuf> = open.pending.iter().cloned().collect();
            match self.build.update_at_once(&open.store, &paths, cancel) {
                Ok(report) => {
                    open.pending.clear();
                    self.tidy_soon(&open.store);
                    synced = report.changed + report.deleted;
                }
                Err(error) if error.is_cancelled() => return Err(orienteer_base::Stopped.into()),
                Err(BuildError::Store(error)) if error.needs_rebuild() => {
                    return self.lose(state, watch, error);
                }
                // A full disk or another writer: what is there can still be asked.
                Err(error) => tracing::warn!(%error, "the index could not be brought up to date"),
            }
        }
        Ok(match &state.open {
            Some(open) => Look::Ready(View {
                store: open.store.clone(),
                generation: open.generation,
                stale: open.stale(),
                complete: open.complete,
                synced,
                unseen: open.unwatched.unseen(),
            }),
            None => Look::Wait(self.begin(watch, false, true)),
        })
    }

    /// Puts together what changes have left, behind the back of who waits for an answer.
    fn tidy_soon(self: &Arc<Self>, store: &Arc<Store>) {
        if self.tidying.swap(true, Ordering::SeqCst) {
            return;
        }
        let (index, store) = (self.clone(), store.clone());
        let begun = std::thread::Builder::new().name("index-tidy".to_owned()).spawn(move || {
            tidy(&store, &index.stopping);
            index.tidying.store(false, Ordering::SeqCst);
        });
        if begun.is_err() {
            self.tidying.store(false, Ordering::SeqCst);
        }
    }

    /// What is stale and what nobody watches, without changing anything; `None` when the index was not asked yet.
    pub(super) fn stale(&self, watch: &Watch) -> Option<(usize, usize)> {
        let mut state = self.lock();
        let open = state.open.as_mut()?;
        open.hear(watch);
        Some((open.stale(), open.unwatched.len()))
    }

    /// The index turned out to be gone, damaged or of another format while it was asked.
    pub(super) fn lost(self: &Arc<Self>, watch: &Arc<Watch>, error: StoreError) -> Result<Look, Problem> {
        let mut state = self.lock();
        self.lose(&mut state, watch, error)
    }

    fn lose(
        self: &Arc<Self>,
        state: &mut State,
        watch: &Arc<Watch>,
        error: StoreError,
    ) -> Result<Look, Problem> {
        if let StoreError::Stopped(stopped) = error {
            return Err(stopped.into());
        }
        if !error.needs_rebuild() {
            // A busy or full disk: nothing is wrong with the index, but now it cannot be asked.
            return Ok(Look::Failed(error.into()));
        }
        tracing::warn!(%error, "the index is built again");
        state.open = None;
        // What is damaged may look sound to who does not read all of it.
        let fresh = matches!(error, StoreError::Corrupt { .. });
        Ok(Look::Wait(self.begin(watch, fresh, true)))
    }

    /// Forgets what is open, so that the next question opens it again.
    pub(super) fn close(&self) {
        let mut state = self.lock();
        state.open = None;
        state.failed = None;
        drop(state);
        *self.covered.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = None;
    }

    /// Begins a build, unless one runs: then that one is returned. `wanted` builds go on when nobody waits. One that was
    /// told to stop does not count; the new one waits for its end, because both take the lock of the store.
    pub(super) fn begin(self: &Arc<Self>, watch: &Arc<Watch>, fresh: bool, wanted: bool) -> Arc<Job> {
        let mut running = self.jobs();
        if let Some(job) = running.as_ref().filter(|job| !job.cancel.is_cancelled()) {
            if wanted {
                job.want();
            }
            return job.clone();
        }
        let job = Arc::new(Job::new(fresh, wanted));
        if self.stopping.is_cancelled() {
            job.cancel.cancel();
        }
        *running = Some(job.clone());
        let (index, own, watch) = (self.clone(), job.clone(), watch.clone());
        let begun =
            std::thread::Builder::new().name("index".to_owned()).spawn(move || index.run(&own, &watch));
        if let Err(error) = begun {
            *running = None;
            let message = format!("no thread could be started to build the index: {error}");
            job.end(Err(Problem::new(ErrorKind::Overloaded, message).detail("no_thread")));
        }
        job
    }

    /// The same for a build that nobody asked for: not so soon after one that failed.
    pub(super) fn begin_unasked(self: &Arc<Self>, watch: &Arc<Watch>, fresh: bool) {
        let state = self.lock();
        if state.failed_lately().is_none() {
            self.begin(watch, fresh, true);
        }
    }

    fn run(&self, job: &Arc<Job>, watch: &Watch) {
        let made = catch_unwind(AssertUnwindSafe(|| self.sync(job, watch))).unwrap_or_else(|cause| {
            let message = format!("building the index panicked: {}", panic_message(cause.as_ref()));
            Err(Problem::new(ErrorKind::InternalError, message))
        });
        let mut state = self.lock();
        self.ended(job);
        match made {
            Ok((done, open)) => {
                let store = open.store.clone();
                state.open = Some(open);
                state.failed = done.frozen.clone().map(|problem| (Instant::now(), problem));
                drop(state);
                // Who waits for the build can wait for these, too; until they are there, words alone are compared.
                let claim = self.claim_vectors();
                job.end(Ok(Arc::new(done)));
                if let Some(claim) = claim {
                    self.make_vectors(claim, &store, &self.stopping);
                }
            }
            Err(problem) => {
                if let Some(open) = state.open.as_mut() {
                    open.pending.append(&mut open.behind);
                }
                if problem.kind != ErrorKind::Cancelled {
                    tracing::warn!(problem = problem.message, "the index was not built");
                    state.failed = Some((Instant::now(), problem.clone()));
                }
                drop(state);
                job.end(Err(problem));
            }
        }
    }

    /// Makes the index true, whatever was there.
    fn sync(&self, job: &Job, watch: &Watch) -> Result<(Done, Open), Problem> {
        // Whatever changes from here on is told later, whether or not the build saw it.
        let (cursor, begun) = (watch.cursor(), SystemTime::now());
        let mut build = Build { ..self.build.clone() };
        build.options.fresh = job.fresh;
        build.options.meta = self.origin(&job.cancel);
        let (report, store, pending, frozen) = match build.run(&job.cancel, &|progress| job.tell(progress)) {
            Ok(report) => (report, Store::open(&self.build.folder)?, BTreeSet::new(), None),
            Err(BuildError::Store(error)) if !job.fresh => self.as_it_is(error, &job.cancel)?,
            Err(error) => return Err(error.into()),
        };
        let files = store.read()?.files()?;
        let open = Open {
            store: Arc::new(store),
            generation: report.generation,
            cursor,
            pending,
            behind: BTreeSet::new(),
            complete: true,
            unwatched: Unwatched::of(&self.build.root, &files, watch, begun),
        };
        Ok((Done { report, frozen }, open))
    }

    /// An index that cannot be changed, on a full or read-only disk, can still be asked; what differs is known.
    fn as_it_is(&self, error: StoreError, cancel: &Cancel) -> Result<AsItIs, Problem> {
        let frozen = matches!(
            error,
            StoreError::ReadOnly { .. }
                | StoreError::Full { .. }
                | StoreError::Busy { .. }
                | StoreError::Io { .. }
        );
        let Some(store) = frozen.then(|| Store::open(&self.build.folder).ok()).flatten() else {
            return Err(error.into());
        };
        tracing::warn!(%error, "the index is used as it is");
        let reader = store.read()?;
        let differing = self.differing(&reader, cancel)?;
        let counts = reader.counts()?;
        let report = Report {
            made: Made::Nothing,
            healed: None,
            generation: reader.generation(),
            files: counts.files,
            read: 0,
            bytes: 0,
            pieces: counts.pieces,
            symbols: counts.symbols,
            deleted: 0,
            skipped: Vec::new(),
            skipped_count: 0,
            took: Duration::ZERO,
        };
        drop(reader);
        Ok((report, store, differing, Some(error.into())))
    }

    /// Files that are not what the index knows, new ones included: a walk over everything.
    pub(super) fn differing(
        &self,
        reader: &Reader<'_>,
        cancel: &Cancel,
    ) -> Result<BTreeSet<PathBuf>, BuildError> {
        let stale = self.build.stale_and_new(reader, cancel)?;
        let all = stale.changed.iter().chain(&stale.gone).chain(&stale.new);
        Ok(all.map(|path| path.absolute(&self.build.root)).collect())
    }

    /// What version control says about the files.
    fn origin(&self, cancel: &Cancel) -> Vec<(String, String)> {
        let head = self.git.head(&self.build.root, cancel).ok().flatten();
        let (commit, branch) = head.map(|head| (head.commit, head.branch)).unwrap_or_default();
        // Empty where there is none, so that those of an earlier build do not stay.
        vec![
            ("commit".to_owned(), commit.unwrap_or_default()),
            ("branch".to_owned(), branch.unwrap_or_default()),
        ]
    }
}
