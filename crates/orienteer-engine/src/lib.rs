//! The façade: one method per question, plain answers, policy.
//!
//! An [`Engine`] exists once per process; a [`Session`] once per client. Neither knows rmcp, JSON or how an
//! answer is worded. Whatever lives longer than a call (plans, baselines, cursors) is held by the engine as
//! a handle bound to a principal and a root, never to a connection, so that a shared daemon can be added
//! without touching the tools.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`session`] | who asks: roots and policy as plain data |
//! | [`files`] | questions about the files on disk |
//! | `definitions`, `references`, `hover`, `outline`, `symbols`, `hierarchies`, `typing`, `explore` | questions about code |
//! | `diagnostics`, `type_check`, `recent`, `baseline`, `changed`, [`check`] | what is wrong, a moment ago, since when, in which files, by which checker |
//! | `edit` | changing code: plans, carrying them out, taking them back |
//! | [`editor`] | places as the Language Server Protocol writes them, with the lines around |
//! | `resolve`, `home` | what an agent points at; which folder that belongs to |
//! | `answering`, `failure` | how far an answer can be trusted; what takes a server's place |
//! | `scenery`, `outlines`, `workspace` | what surrounds a place; what files define and contain |
//! | `known`, `representatives` | whether a server knows the files with a word; which of them make every project known |
//! | `overlooked`, `bound` | which files a server does not look into; from where a name can be reached |
//! | [`index`] | the index of a workspace: searching it, keeping it true and small |
//! | `triage` | security findings: records, decisions, evidence |
//! | [`data`] | files that were fetched by address: models, dictionaries, extensions |
//! | [`remote`] | questions about what is not on this machine |
//! | [`registries`] | where packages come from, as the user's package managers have it |
//! | [`bootstrap`] | what is here and what is missing |
//! | [`servers`] | which language servers are known, and the truth about them |
//! | `blocking` | how synchronous work runs, stops and fails |

mod ahead;
mod answering;
mod around;
mod baseline;
mod blocking;
pub mod bootstrap;
mod bound;
mod callers;
mod changed;
pub mod check;
mod checkers;
pub mod data;
mod definitions;
mod diagnostics;
mod edit;
pub mod editor;
mod explore;
pub mod exposure;
mod failure;
pub mod files;
mod hierarchies;
mod home;
mod hover;
pub mod index;
mod known;
mod named;
mod outline;
mod outlines;
mod overlooked;
mod packed;
mod recent;
mod references;
pub mod registries;
pub mod remote;
mod representatives;
mod resolve;
mod scenery;
pub mod servers;
pub mod session;
mod symbols;
mod triage;
mod type_check;
mod typing;
mod unexpanded;
mod workspace;

pub use index::IndexSpec;
pub use orienteer_lsp::catalog;
pub use orienteer_lsp::program::LocalPrograms;
pub use orienteer_process as process;
pub use orienteer_search::modified_ns;
pub use orienteer_syntax as syntax;
pub use servers::{ServerSpec, ServerState};
pub use session::{Session, SessionSpec};
pub use type_check::{TypesChecked, TypesQuery};

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use orienteer_base::{Conceal, Roots};
use orienteer_lsp::library::Libraries;
use orienteer_lsp::{Definition, Fleet, FleetSpec};
use orienteer_process::{Environment, Launcher};

use baseline::Baselines;
use edit::Edits;
use index::{Index, Shared};
use outlines::Outlines;
use recent::Recent;
use workspace::Workspace;

/// Files outside the roots that servers named and may therefore be read; more and the oldest are forgotten.
const MOST_ADMITTED: usize = 50_000;

/// Everything an engine is told.
#[derive(Debug, Clone)]
pub struct EngineSpec {
    /// The language servers, in order of preference.
    pub catalog: Vec<Definition>,
    pub roots: Roots,
    /// The snapshot children are started from and programs are looked up in.
    pub environment: Environment,
    pub launcher: Launcher,
    /// The user trusts the project: programs that it brings along may be run.
    pub trusts_project: bool,
    /// A folder of ours, outside every project.
    pub state_folder: PathBuf,
    /// How long a question waits for a server that is not ready.
    pub wait: Duration,
    pub idle_timeout: Duration,
    pub max_servers: usize,
    pub memory_budget_bytes: u64,
    /// Without it there is no index.
    pub index: Option<IndexSpec>,
    /// Holds data files that somebody fetches. Without it none are.
    pub data_folder: Option<PathBuf>,
    /// Holds what changes can be taken back with, outside every project. Without it nothing is changed.
    pub journal_folder: Option<PathBuf>,
    /// Holds records of findings and decisions, outside every cache. Without it there are none.
    pub triage_folder: Option<PathBuf>,
    /// Without it no forge and no registry is asked.
    pub remote: Option<remote::RemoteSetup>,
    /// What texts go through before they are cut.
    pub conceal: Conceal,
}

impl EngineSpec {
    /// No servers and the usual limits.
    pub fn new(roots: Roots, environment: Environment, launcher: Launcher, state_folder: PathBuf) -> Self {
        Self {
            catalog: Vec::new(),
            roots,
            environment,
            launcher,
            trusts_project: false,
            state_folder,
            wait: Duration::from_secs(30),
            idle_timeout: Duration::from_secs(300),
            max_servers: 8,
            memory_budget_bytes: 8 << 30,
            index: None,
            data_folder: None,
            journal_folder: None,
            triage_folder: None,
            remote: None,
            conceal: Conceal::default(),
        }
    }
}

/// What every session shares.
#[derive(Debug)]
pub struct Engine {
    fleet: Arc<Fleet>,
    environment: Environment,
    launcher: Launcher,
    trusts_project: bool,
    wait: Duration,
    conceal: Conceal,
    outlines: Outlines,
    lacking: files::Lacking,
    baselines: Baselines,
    recent: Recent,
    edits: Edits,
    triage: triage::Triage,
    workspaces: Mutex<HashMap<PathBuf, Arc<Workspace>>>,
    admitted: Mutex<HashSet<PathBuf>>,
    libraries: OnceLock<Libraries>,
    index_shared: Option<Shared>,
    indexes: Mutex<HashMap<PathBuf, Arc<Index>>>,
    data: Option<orienteer_remote::data::Data>,
    away: Option<remote::Away>,
}

impl Engine {
    pub fn new(spec: EngineSpec) -> Arc<Self> {
        let local_programs =
            if spec.trusts_project { LocalPrograms::Always } else { LocalPrograms::Untracked };
        let away = spec.remote.map(|setup| {
            let proxies = data::proxies(&spec.environment);
            let folder = spec.state_folder.join("questions");
            remote::Away::new(setup, proxies, spec.launcher.clone(), spec.environment.clone(), folder)
        });
        let fleet = Fleet::new(FleetSpec {
            catalog: spec.catalog,
            roots: spec.roots,
            environment: spec.environment.clone(),
            launcher: spec.launcher.clone(),
            local_programs,
            state_folder: spec.state_folder,
            idle_timeout: spec.idle_timeout,
            max_servers: spec.max_servers,
            memory_budget_bytes: spec.memory_budget_bytes,
        });
        Arc::new(Self {
            fleet,
            environment: spec.environment,
            launcher: spec.launcher,
            trusts_project: spec.trusts_project,
            wait: spec.wait,
            conceal: spec.conceal,
            outlines: Outlines::default(),
            lacking: files::Lacking::default(),
            baselines: Baselines::default(),
            recent: Recent::default(),
            edits: Edits::new(spec.journal_folder),
            triage: triage::Triage::new(spec.triage_folder),
            workspaces: Mutex::default(),
            admitted: Mutex::default(),
            libraries: OnceLock::new(),
            index_shared: spec.index.map(Shared::new),
            indexes: Mutex::default(),
            data: spec.data_folder.map(orienteer_remote::data::Data::new),
            away,
        })
    }

    pub fn session(self: &Arc<Self>, spec: SessionSpec) -> Session {
        Session::new(self.clone(), spec)
    }

    /// Stops every server and every build. No server is started after that.
    pub async fn shut_down(&self) {
        for index in self.indexes.lock().unwrap_or_else(PoisonError::into_inner).values() {
            index.shut_down();
        }
        self.fleet.shut_down().await;
    }

    /// Lets a file that a server named be read, if it belongs to a toolchain or a package: a project can make servers
    /// name any file. Whether it may be shown what it says.
    pub(crate) fn admit_named(&self, path: &Path) -> bool {
        if self.is_admitted(path) {
            return true;
        }
        let is_library = self.libraries.get_or_init(|| Libraries::new(&self.environment)).hold(path);
        if is_library {
            self.admit(path);
        }
        is_library
    }

    /// Lets a file outside the roots be read.
    pub(crate) fn admit(&self, path: &Path) {
        let mut admitted = self.admitted.lock().unwrap_or_else(PoisonError::into_inner);
        if admitted.len() >= MOST_ADMITTED {
            admitted.clear();
        }
        if !admitted.contains(path) {
            admitted.insert(path.to_path_buf());
        }
    }

    pub(crate) fn is_admitted(&self, path: &Path) -> bool {
        self.admitted.lock().unwrap_or_else(PoisonError::into_inner).contains(path)
    }

    /// The workspace of a root that is watched already, unless somebody is beginning to.
    pub(crate) fn known_workspace(&self, root: &Path) -> Option<Arc<Workspace>> {
        self.workspaces.try_lock().ok().and_then(|workspaces| workspaces.get(root).cloned())
    }

    /// The workspace of a root, watched from its first use on. Blocks.
    pub(crate) fn workspace(&self, root: &Path) -> Arc<Workspace> {
        let mut workspaces = self.workspaces.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = workspaces.get(root) {
            return known.clone();
        }
        let made = Arc::new(Workspace::new(self.fleet.watch(root)));
        workspaces.insert(root.to_path_buf(), made.clone());
        made
    }
}
