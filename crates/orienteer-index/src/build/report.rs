//! What came of it?

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use orienteer_base::path::standing;
use orienteer_base::{ErrorKind, Problem, Stopped};

use crate::store::{RelativePath, StoreError};
use crate::trigram::TrigramError;

/// More names than this help nobody; the count tells the rest.
const SHOWN: usize = 100;

/// A file or folder that is not in the index, and why.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Skipped {
    pub path: String,
    pub reason: String,
}

/// How a build came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Made {
    /// A new generation.
    Generation,
    /// Changes in the one that was there.
    Changes,
    /// Nothing had changed.
    Nothing,
}

/// What a build did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    pub made: Made,
    /// Why the index that was there could not be used, where there was one.
    pub healed: Option<String>,
    pub generation: u64,
    /// Files in the index now.
    pub files: u64,
    /// Files that were read, and their bytes.
    pub read: u64,
    pub bytes: u64,
    pub pieces: u64,
    pub symbols: u64,
    pub deleted: u64,
    /// The first of them, in order of their paths.
    pub skipped: Vec<Skipped>,
    pub skipped_count: u64,
    pub took: Duration,
}

/// What a change did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UpdateReport {
    /// Files whose content is new.
    pub changed: u64,
    /// Files that were looked at and are the same.
    pub unchanged: u64,
    pub deleted: u64,
    pub skipped: Vec<Skipped>,
    pub skipped_count: u64,
    pub took: Duration,
}

/// What a build does at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Waiting for another build.
    Waiting,
    Reading,
    /// All files are read; lists are written.
    Writing,
}

/// How far a build has come.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    pub phase: Phase,
    /// Files that are in.
    pub done: u64,
    /// Files that were found so far; all of them when `counted`.
    pub found: u64,
    pub bytes_done: u64,
    pub bytes_found: u64,
    /// The walk has ended.
    pub counted: bool,
}

/// Of the time a build takes, so much is reading.
const READING: f32 = 92.0;

impl Progress {
    pub(super) fn new(phase: Phase) -> Self {
        Self { phase, done: 0, found: 0, bytes_done: 0, bytes_found: 0, counted: false }
    }

    /// From 0 to 100; `None` while it is not known how much there is.
    pub fn percent(&self) -> Option<f32> {
        match self.phase {
            Phase::Waiting => None,
            Phase::Reading if !self.counted => None,
            Phase::Reading if self.bytes_found == 0 => Some(READING),
            Phase::Reading => Some(READING * (self.bytes_done as f32 / self.bytes_found as f32).min(1.0)),
            Phase::Writing => Some(READING),
        }
    }
}

/// Why there is no new index. The old one is as it was.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    #[error("the folder `{}` cannot be indexed: {error}", path.display())]
    Root { path: PathBuf, error: io::Error },
    #[error("no thread could be started to read files: {0}")]
    Threads(io::Error),
    #[error("the index was not built because a thread that read files ended early ({0}); build it again")]
    Lost(String),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Trigrams(TrigramError),
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

impl From<TrigramError> for BuildError {
    fn from(error: TrigramError) -> Self {
        match error {
            TrigramError::Stopped(stopped) => Self::Stopped(stopped),
            other => Self::Trigrams(other),
        }
    }
}

impl BuildError {
    pub fn is_cancelled(&self) -> bool {
        matches!(self, Self::Stopped(_) | Self::Store(StoreError::Stopped(_)))
    }
}

impl From<BuildError> for Problem {
    fn from(error: BuildError) -> Self {
        let message = error.to_string();
        match error {
            BuildError::Root { .. } => Problem::new(ErrorKind::NotFound, message).detail("unreadable_root"),
            BuildError::Threads(_) => Problem::new(ErrorKind::Overloaded, message).detail("no_thread"),
            BuildError::Lost(_) => Problem::new(ErrorKind::InternalError, message).detail("index_thread"),
            BuildError::Store(error) => error.into(),
            BuildError::Trigrams(TrigramError::Io { ref error, .. })
                if matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded) =>
            {
                Problem::new(ErrorKind::InternalError, message).detail("disk_full")
            }
            BuildError::Trigrams(_) => Problem::new(ErrorKind::InternalError, message).detail("index_io"),
            BuildError::Stopped(stopped) => stopped.into(),
        }
    }
}

/// What was skipped, collected over all threads.
#[derive(Debug, Default)]
pub(super) struct Skips(Mutex<Skipping>);

#[derive(Debug, Default)]
struct Skipping {
    shown: Vec<Skipped>,
    count: u64,
    /// Files and folders that are there and could not be looked at, with what is below them.
    closed: HashSet<RelativePath>,
}

impl Skips {
    pub(super) fn add(&self, path: String, reason: String) {
        let mut guard = self.lock();
        guard.count += 1;
        // Sorted and cut as they come, so that the ones shown do not depend on threads.
        let skipped = Skipped { path, reason };
        let at = guard.shown.partition_point(|known| *known < skipped);
        guard.shown.insert(at, skipped);
        guard.shown.truncate(SHOWN);
    }

    pub(super) fn add_error(&self, root: &Path, path: &RelativePath, error: Option<&io::Error>) {
        self.add(shown(root, path), error.map_or_else(|| "unreadable".to_owned(), reason));
        self.close(path, error);
    }

    /// Remembers that a path could not be looked at. A rule that cannot be understood hides nothing, and what vanished
    /// is gone.
    pub(super) fn close(&self, path: &RelativePath, error: Option<&io::Error>) {
        if error.is_some_and(|error| !is_gone(error)) {
            self.lock().closed.insert(path.clone());
        }
    }

    /// Whether a path is one that could not be looked at, or lies below one: it may be there all the same.
    pub(super) fn hide(&self, path: &RelativePath) -> bool {
        let guard = self.lock();
        !guard.closed.is_empty() && path.with_parents().any(|path| guard.closed.contains(&path))
    }

    pub(super) fn finish(self) -> (Vec<Skipped>, u64) {
        let skipping = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        (skipping.shown, skipping.count)
    }

    fn lock(&self) -> MutexGuard<'_, Skipping> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The name of a file that could not be read, as far as it is below the root for certain: the rest may be a name that
/// stands behind a link.
pub(super) fn shown(root: &Path, path: &RelativePath) -> String {
    let known = standing(root, &path.absolute(root));
    RelativePath::below(root, &known).map_or_else(|| ".".to_owned(), |path| path.shown())
}

/// Whether an error says that there is no such file.
pub(super) fn is_gone(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidFilename, NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory | InvalidFilename)
}

/// The words of the system without its error number.
pub(super) fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::NotFound => "vanished while the index was built".to_owned(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_below_a_folder_that_could_not_be_looked_at_may_be_there() {
        let path = |text: &str| RelativePath::of_bytes(text.as_bytes().to_vec());
        let skips = Skips::default();
        skips.add_error(
            Path::new("/nowhere"),
            &path("closed"),
            Some(&io::ErrorKind::PermissionDenied.into()),
        );
        skips.add_error(Path::new("/nowhere"), &path("gone"), Some(&io::ErrorKind::NotFound.into()));
        skips.add_error(Path::new("/nowhere"), &path("rules/.gitignore"), None);
        let hidden = ["closed", "closed/a.rs", "closed/deep/b.rs", "closed.rs", "gone/c.rs", "rules/d.rs"];
        assert_eq!(hidden.map(|text| skips.hide(&path(text))), [true, true, true, false, false, false]);
        // Nobody knows where this one was.
        skips.close(&path(""), Some(&io::ErrorKind::Other.into()));
        assert!(skips.hide(&path("anything")));
        assert_eq!(skips.finish().1, 3);
    }
}
