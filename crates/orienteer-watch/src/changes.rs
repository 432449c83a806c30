//! What does an answer say?

use std::path::PathBuf;
use std::time::Duration;

/// What differs from what the cursor was told before: each path once, absolute and sorted.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub struct Changes {
    pub created: Vec<PathBuf>,
    pub changed: Vec<PathBuf>,
    pub deleted: Vec<PathBuf>,
    pub how: How,
    /// False when there are more files than [`crate::Options::max_files`], or when a folder could not be read for
    /// another reason than permission: then there may be changes that are not in this answer.
    pub complete: bool,
    pub took: Duration,
}

impl Changes {
    /// Nothing changed. Says nothing about completeness.
    pub fn is_empty(&self) -> bool {
        self.created.is_empty() && self.changed.is_empty() && self.deleted.is_empty()
    }
}

/// Which way an answer was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// From events.
    Watched,
    /// By looking at every file.
    Swept,
}

/// Why questions are answered by looking at every file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unwatched {
    #[error("watching is turned off")]
    Polling,
    #[error("the order of file events is not proved on this operating system")]
    Unordered,
    #[error("the folder does not exist")]
    RootMissing,
    #[error("it lies on a file system ({0}) that does not report changes made elsewhere")]
    ForeignFileSystem(&'static str),
    #[error("it holds more than {0} folders; leave some out with an ignore file")]
    TooManyFolders(usize),
    #[error("it holds more than {0} files; leave some out with an ignore file")]
    TooManyFiles(usize),
    #[error("the system allows no more watches; raise fs.inotify.max_user_watches")]
    NoWatchesLeft,
    #[error("watching could not be set up: {0}")]
    NoWatcher(String),
    #[error("the system does not report our own file in {0}")]
    Silent(PathBuf),
}

impl Unwatched {
    /// Whether the reason may go away by itself.
    pub(crate) fn may_pass(&self) -> bool {
        !matches!(self, Self::Polling | Self::Unordered | Self::ForeignFileSystem(_))
    }
}
