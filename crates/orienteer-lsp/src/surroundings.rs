//! What every server of a fleet shares: the machine, the roots, the texts, the watchers.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use orienteer_base::Roots;
use orienteer_process::{Environment, Launcher};
use orienteer_watch::{Cursor, Options, Watch};

use crate::definition::Definition;
use crate::failure::Failure;
use crate::program::{LocalPrograms, Missing};
use crate::sought::Sought;
use crate::text::Texts;

/// See the module.
#[derive(Debug)]
pub(crate) struct Surroundings {
    pub(crate) roots: Roots,
    pub(crate) environment: Environment,
    pub(crate) launcher: Launcher,
    pub(crate) local_programs: LocalPrograms,
    /// A folder of ours, outside every project.
    pub(crate) state_folder: PathBuf,
    pub(crate) texts: Arc<Texts>,
    pub(crate) watches: Watches,
    pub(crate) sought: Sought,
}

pub(crate) fn missing_failure(definition: &Definition, missing: Missing) -> Failure {
    let (server, language) = (definition.id.clone(), definition.language.clone());
    match missing {
        Missing::Prerequisite { program, hint, looked_in, too_old } => {
            Failure::Prerequisite { server, language, missing: program, hint, looked_in, too_old }
        }
        Missing::NotTrusted { program } => Failure::NotTrusted { server, language, program },
        Missing::NotInstalled { tried, looked_in, hint, rejected } => {
            Failure::NotInstalled { server, language, tried, looked_in, hint, rejected }
        }
    }
}

/// One watcher per folder, shared by the servers of that folder.
#[derive(Debug, Clone)]
pub(crate) struct Watches {
    proof_folder: PathBuf,
    watches: Arc<Mutex<HashMap<PathBuf, Weak<Watch>>>>,
}

/// A watcher and where in its history a new listener begins.
#[derive(Debug)]
pub(crate) struct Watched {
    pub(crate) watch: Arc<Watch>,
    pub(crate) from: Cursor,
}

impl Watches {
    pub(crate) fn new(proof_folder: PathBuf) -> Self {
        Self { proof_folder, watches: Arc::default() }
    }

    /// The watcher of a folder; a new one walks the folder first, beside whatever the caller does meanwhile.
    pub(crate) fn of(&self, root: &Path) -> impl Future<Output = Result<Watched, String>> + Send + use<> {
        let (root, watches) = (root.to_path_buf(), self.clone());
        let work = tokio::task::spawn_blocking(move || {
            let watch = watches.now(&root);
            let from = watch.cursor();
            Watched { watch, from }
        });
        async { work.await.map_err(|error| format!("its folder could not be watched: {error}")) }
    }

    /// The same, waited for.
    pub(crate) fn now(&self, root: &Path) -> Arc<Watch> {
        let mut watches = self.watches.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = watches.get(root).and_then(Weak::upgrade) {
            return known;
        }
        // Held while the folder is walked: two first callers walk it once.
        let mut options = Options::new(self.proof_folder.clone());
        // Too many files to watch; what is installed there is seen in another way (`sentinel`).
        options.ignored_names.push("node_modules".into());
        let watch = Watch::start(root, options);
        watches.retain(|_, watch| watch.strong_count() > 0);
        watches.insert(root.to_path_buf(), Arc::downgrade(&watch));
        watch
    }
}
