//! Which folders are watched?
//!
//! Folder by folder, so that ignored ones (`node_modules`, `target`) cost nothing.
//!
//! A planter is never repaired. notify keeps a table from path to kernel watch, and drops watches by path when
//! it reads that a name went; after a folder was renamed or events were lost, two paths may stand for one kernel
//! watch and dropping one silences the other. Whoever cannot rule that out makes a new planter.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::ErrorKind as Io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use notify::{ErrorKind, EventKindMask, RecommendedWatcher, RecursiveMode, Watcher};

use crate::changes::Unwatched;
use crate::cookie::Names;
use crate::filesystem::{device, foreign};
use crate::inbox::{Inbox, Slot};
use crate::table::{Name, from, is_below};

/// Only inotify is known to put the events of all folders into one queue in the order in which they happened;
/// Windows, for one, has a queue per folder. Elsewhere all files are looked at until somebody proves the same.
const ORDERED: bool = cfg!(any(target_os = "linux", target_os = "android"));

pub(crate) struct Planter {
    root: PathBuf,
    device: u64,
    most: usize,
    inbox: Arc<Inbox>,
    watcher: Mutex<RecommendedWatcher>,
    planted: Mutex<Planted>,
}

#[derive(Debug, Default)]
struct Planted {
    folders: BTreeSet<Name>,
    failure: Option<Unwatched>,
}

impl std::fmt::Debug for Planter {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Planter").field("root", &self.root).finish_non_exhaustive()
    }
}

impl Planter {
    /// A watcher that watches the cookie folder and nothing else yet.
    pub(crate) fn new(root: &Path, most: usize, names: &Names) -> Result<Self, Unwatched> {
        if !ORDERED {
            return Err(Unwatched::Unordered);
        }
        let device = device(root).ok_or(Unwatched::RootMissing)?;
        if let Some(name) = foreign(root) {
            return Err(Unwatched::ForeignFileSystem(name));
        }
        let failed = |error: notify::Error| Unwatched::NoWatcher(error.to_string());
        let inbox = Inbox::new(names.clone());
        // Not that files are read: every compiler, server and search in the tree would wake us for each file.
        let kinds = EventKindMask::CORE | EventKindMask::ACCESS_CLOSE;
        let config = notify::Config::default().with_event_kinds(kinds);
        let mut watcher = RecommendedWatcher::new(Slot(inbox.clone()), config).map_err(failed)?;
        std::fs::create_dir_all(names.folder()).map_err(|error| Unwatched::NoWatcher(error.to_string()))?;
        watcher.watch(names.folder(), RecursiveMode::NonRecursive).map_err(failed)?;
        Ok(Self {
            root: root.to_path_buf(),
            device,
            most,
            inbox,
            watcher: Mutex::new(watcher),
            planted: Mutex::default(),
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
        let watched = self
            .watcher
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .watch(folder, RecursiveMode::NonRecursive);
        let error = match watched {
            Ok(()) => {
                let mut planted = self.planted();
                planted.folders.insert(name.to_owned());
                let many = planted.folders.len() > self.most;
                return many.then_some(Unwatched::TooManyFolders(self.most));
            }
            Err(error) => error,
        };
        match error.kind {
            ErrorKind::MaxFilesWatch => Some(Unwatched::NoWatchesLeft),
            // Gone again, or not ours to list either; its parent's watch tells when that changes.
            ErrorKind::PathNotFound => None,
            ErrorKind::Io(io)
                if matches!(io.kind(), Io::NotFound | Io::NotADirectory | Io::PermissionDenied) =>
            {
                None
            }
            other => Some(Unwatched::NoWatcher(notify::Error::new(other).to_string())),
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
