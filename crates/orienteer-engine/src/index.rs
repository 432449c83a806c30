//! The index of a workspace: made when it is first needed, as true as the disk whenever it is asked.
//!
//! | module | question it answers |
//! | --- | --- |
//! | `index/place` | Where is the index of a folder? |
//! | `index/job` | What does the one build that runs do, and who waits for it? |
//! | `index/fresh` | Does the index know the files as they are now? |
//! | `index/unwatched` | Have files changed that nobody watches? |
//! | `index/ready` | How long is somebody to wait for it? |
//! | `index/search` | What answers the question best? |
//! | `index/means`, `index/meaning` | What may be used for that besides the store? |
//! | `index/inside` | Is a file of the index still inside the roots? |
//! | `index/hits` | How is something found pointed at? |
//! | `index/instead` | What can be said without an index? |
//! | `index/covered`, `index/folders` | Which files need a search for text not open? |
//! | `index/names`, `index/outlines` | Which files define a name, and what does a file define? |
//! | `index/status`, `index/upkeep`, `index/caches` | What is there, and how is it kept small? |

mod caches;
mod covered;
mod folders;
mod fresh;
mod hits;
mod inside;
mod instead;
mod job;
mod meaning;
mod means;
mod names;
mod outlines;
mod place;
mod ready;
mod search;
mod status;
mod unwatched;
mod upkeep;

pub(crate) use names::Named;
pub use orienteer_index::query::Filters;
pub(crate) use place::of_workspace as folder_of_workspace;
pub use search::SearchQuery;
pub use upkeep::{BuildQuery, GcQuery};

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use orienteer_base::{Cancel, ErrorKind, Problem};
use orienteer_index::build::{Build, Options};
use orienteer_index::git::Git;
use orienteer_index::query::Vocabulary;
use orienteer_index::risk::Rules;
use orienteer_process::Environment;
use orienteer_watch::Watch;

use crate::{Engine, Session};
use covered::Covered;
use fresh::State;
use job::Job;
use meaning::Meanings;
use means::Kept;

/// A file of rules is not longer.
const MOST_RULES: u64 = 1 << 20;

/// What an engine is told about the indexes of its workspaces.
#[derive(Debug, Clone)]
pub struct IndexSpec {
    /// Holds one folder for each workspace.
    pub folder: PathBuf,
    /// The folder of a model of meaning.
    pub model: Option<PathBuf>,
    /// A file of risk rules that is laid over ours.
    pub rules: Option<PathBuf>,
    /// Threads that read files.
    pub threads: usize,
}

/// The index of one workspace. Shared by all sessions; the store itself is shared with other processes.
#[derive(Debug)]
pub(crate) struct Index {
    build: Build,
    /// Holds the folders of all workspaces.
    base: PathBuf,
    git: Git,
    model: Option<PathBuf>,
    /// What was wrong with the file of rules; those that come with us are used.
    rules_error: Option<String>,
    /// Held while changes are brought in, so never by who must not wait.
    state: Mutex<State>,
    /// The build that runs. Held for a moment only; taken after `state` where both are needed.
    job: Mutex<Option<Arc<Job>>>,
    covered: Mutex<Option<Covered>>,
    kept: Mutex<Kept>,
    /// Who changed what. Apart, because reading it takes long.
    history: Mutex<means::ReadLog>,
    meanings: Meanings,
    /// Set when the process ends.
    stopping: Cancel,
    /// Searches for text that would have used an index.
    wished: AtomicU64,
    /// Somebody puts together what changes have left.
    tidying: AtomicBool,
}

/// What all indexes of an engine have in common. Made once, before anybody asks: it reads a file.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) spec: IndexSpec,
    rules: Arc<Rules>,
    pub(crate) rules_error: Option<String>,
}

impl Shared {
    pub(crate) fn new(spec: IndexSpec) -> Self {
        let (rules, rules_error) = match spec.rules.as_deref().map(read_rules) {
            None => (Rules::builtin().clone(), None),
            Some(Ok(rules)) => (Rules::builtin().merged(&rules), None),
            Some(Err(error)) => (Rules::builtin().clone(), Some(error)),
        };
        Self { spec, rules: Arc::new(rules), rules_error }
    }
}

impl Index {
    fn new(shared: &Shared, root: &Path, environment: &Environment) -> Self {
        let Shared { spec, rules, rules_error } = shared;
        let options = Options { threads: spec.threads.max(1), rules: rules.clone(), ..Options::default() };
        let folder = place::of_workspace(&spec.folder, root);
        Self {
            build: Build { options, ..Build::new(root, &folder) },
            base: spec.folder.clone(),
            git: Git::new(environment),
            model: spec.model.clone(),
            rules_error: rules_error.clone(),
            state: Mutex::default(),
            job: Mutex::default(),
            covered: Mutex::default(),
            kept: Mutex::default(),
            history: Mutex::default(),
            meanings: Meanings::default(),
            stopping: Cancel::new(),
            wished: AtomicU64::new(0),
            tidying: AtomicBool::new(false),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Words that filters may use.
    fn vocabulary(&self) -> Vocabulary {
        Vocabulary::of(&self.build.options.rules)
    }

    /// Tells everything that runs to stop for good.
    pub(crate) fn shut_down(&self) {
        self.stopping.cancel();
        let _ = self.stop();
    }

    /// Tells a build that runs to stop. Nothing is lost by that.
    fn stop(&self) -> Option<Arc<Job>> {
        let job = self.job();
        if let Some(job) = &job {
            job.cancel.cancel();
        }
        job
    }

    fn jobs(&self) -> MutexGuard<'_, Option<Arc<Job>>> {
        self.job.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The build that runs.
    fn job(&self) -> Option<Arc<Job>> {
        self.jobs().clone()
    }

    /// A build is at its end; another may have taken its place.
    fn ended(&self, job: &Arc<Job>) {
        let mut running = self.jobs();
        if running.as_ref().is_some_and(|other| Arc::ptr_eq(other, job)) {
            *running = None;
        }
    }
}

/// The filters of a search: name, other names, meaning.
pub fn filters() -> impl Iterator<Item = (&'static str, &'static [&'static str], &'static str)> {
    orienteer_index::query::table::ROWS.iter().map(|row| (row.word, row.aliases, row.about))
}

fn read_rules(path: &Path) -> Result<Rules, String> {
    let failed = |error: &dyn std::fmt::Display| format!("{} could not be used: {error}", path.display());
    let metadata = std::fs::metadata(path).map_err(|error| failed(&error))?;
    // Opening a pipe would wait for its other end.
    if !metadata.is_file() {
        return Err(failed(&"it is no file"));
    }
    let size = metadata.len();
    if size > MOST_RULES {
        return Err(failed(&format_args!("it has {size} bytes, and at most {MOST_RULES} are read")));
    }
    let text = std::fs::read_to_string(path).map_err(|error| failed(&error))?;
    Rules::parse(&text).map_err(|error| failed(&error))
}

impl Engine {
    /// The index of a root, which need not exist on disk; `None` when indexes are turned off.
    pub(crate) fn index(&self, root: &Path) -> Option<Arc<Index>> {
        let shared = self.index_shared.as_ref()?;
        let mut indexes = self.indexes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = indexes.get(root) {
            return Some(known.clone());
        }
        let made = Arc::new(Index::new(shared, root, &self.environment));
        indexes.insert(root.to_path_buf(), made.clone());
        Some(made)
    }

    /// The folders of all indexes that sessions of this process use.
    fn index_folders(&self) -> Vec<PathBuf> {
        let indexes = self.indexes.lock().unwrap_or_else(PoisonError::into_inner);
        indexes.values().map(|index| index.build.folder.clone()).collect()
    }
}

impl Session {
    /// The index of the workspace, or why there is none.
    pub(crate) fn index(&self) -> Result<Arc<Index>, Problem> {
        self.engine().index(self.roots().workspace()).ok_or_else(|| {
            Problem::new(ErrorKind::NotEnabled, "the index is turned off; set `index.enabled = true`")
                .detail("index_disabled")
        })
    }

    /// Watches the workspace. Blocks on its first use.
    pub(crate) fn watch(&self) -> Arc<Watch> {
        self.workspace().watch()
    }

    /// Reads filters that were written as names and values.
    pub fn search_filters(&self, written: &serde_json::Value) -> Result<Filters, Problem> {
        let index = self.index()?;
        Filters::from_json(written, &index.vocabulary())
            .map_err(|error| Problem::from(error).field("filters"))
    }
}
