//! Which folders are watched?
//!
//! Folder by folder, so that ignored ones (`node_modules`, `target`) cost nothing.
//!
//! A planter is never repaired. The kernel watches folders, not paths: after one was renamed or events were lost, it tells of
//! what lies below under the old path. Whoever cannot rule that out makes a new planter.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::changes::Unwatched;
use crate::collector::Collector;
use crate::filesystem::{device, foreign};
use crate::inbox::Inbox;
use crate::proof;
use crate::queue::Queue;
use crate::table::{Name, from, is_below};

/// Only inotify is known to put the events of all folders into one queue in the order in which they happened;
/// Windows, for one, has a queue per folder. Elsewhere all files are looked at until somebody proves the same.
const ORDERED: bool = cfg!(any(target_os = "linux", target_os = "android"));

#[derive(Debug)]
pub(crate) struct Planter {
    root: PathBuf,
    device: u64,
    most: usize,
    inbox: Arc<Inbox>,
    planted: Mutex<Planted>,
    _collector: Option<Collector>,
}

#[derive(Debug, Default)]
struct Planted {
    folders: BTreeSet<Name>,
    failure: Option<Unwatched>,
}

impl Planter {
    /// A planter that watches nothing yet. `proof`: a folder of ours, to see that watching works.
    pub(crate) fn new(root: &Path, most: usize, proof: &Path) -> Result<Self, Unwatched> {
        if !ORDERED {
            return Err(Unwatched::Unordered);
        }
        let device = device(root).ok_or(Unwatched::RootMissing)?;
        if let Some(name) = foreign(root) {
            return Err(Unwatched::ForeignFileSystem(name));
        }
        proof::show(proof)?;
        let queue = Queue::new().map_err(|error| Unwatched::NoWatcher(error.to_string()))?;
        let inbox = Arc::new(Inbox::new(queue));
        let collector = Collector::start(inbox.clone());
        if let Err(error) = &collector {
            tracing::debug!(%error, "nobody collects events between questions");
        }
        Ok(Self {
            root: root.to_path_buf(),
            device,
            most,
            inbox,
            planted: Mutex::default(),
            _collector: collector.ok(),
        })
    }

    pub(crate) fn inbox(&self) -> &Arc<Inbox> {
        &self.inbox
    }

    fn planted(&self) -> MutexGuard<'_, Planted> {
        self.planted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Watches a folder. Called before the folder is listed, so that whatever is not in the list yet makes an
    /// event. Watching a watched folder again is cheap and restores a watch that was dropped.
    pub(crate) fn plant(&self, folder: &Path) {
        let Ok(name) = folder.strip_prefix(&self.root) else { return };
        if self.failure().is_some() {
            return;
        }
        if let Some(failure) = self.try_plant(folder, name.as_os_str()) {
            self.planted().failure.get_or_insert(failure);
        }
    }

    fn try_plant(&self, folder: &Path, name: &OsStr) -> Option<Unwatched> {
        let device = device(folder)?;
        // Another file system is mounted here.
        if device != self.device
            && let Some(name) = foreign(folder)
        {
            return Some(Unwatched::ForeignFileSystem(name));
        }
        match self.inbox.queue.watch(folder) {
            Ok(()) => {
                let mut planted = self.planted();
                planted.folders.insert(name.to_owned());
                let many = planted.folders.len() > self.most;
                many.then_some(Unwatched::TooManyFolders(self.most))
            }
            Err(error) => match error.kind() {
                ErrorKind::StorageFull => Some(Unwatched::NoWatchesLeft),
                // Gone again, or not ours to list either; its parent's watch tells when that changes.
                ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::PermissionDenied => None,
                _ => Some(Unwatched::NoWatcher(error.to_string())),
            },
        }
    }

    /// Why some folder could not be watched. From then on the planter proves nothing.
    pub(crate) fn failure(&self) -> Option<Unwatched> {
        self.planted().failure.clone()
    }

    pub(crate) fn knows(&self, folder: &OsStr) -> bool {
        self.planted().folders.contains(folder)
    }

    /// Forgets folders that are gone: `folder` and all below it, except those in `but`. The kernel has dropped
    /// their watches by itself.
    pub(crate) fn forget(&self, folder: &OsStr, but: &BTreeSet<Name>) {
        let mut planted = self.planted();
        let mut gone: Vec<Name> = planted
            .folders
            .range(from(folder))
            .take_while(|name| is_below(name, folder))
            .filter(|name| !but.contains(*name))
            .cloned()
            .collect();
        if !but.contains(folder) {
            gone.push(folder.to_owned());
        }
        for name in gone {
            planted.folders.remove(&name);
        }
    }
}
