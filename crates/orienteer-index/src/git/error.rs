//! What can go wrong with git, and what should the reader do about it?

use std::io;
use std::time::Duration;

use orienteer_base::{ErrorKind, Problem, Stopped};

/// Why git did not answer. That there is no git or no repository is no error.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    #[error(transparent)]
    Stopped(#[from] Stopped),
    #[error(
        "`git {command}` had not finished after {after:?} and was stopped; see what it waits for by running it by hand"
    )]
    TimedOut { command: String, after: Duration },
    #[error("`git {command}` wrote more than {most} bytes; ask for less at once")]
    TooMuch { command: String, most: usize },
    #[error("`git {command}` failed: {said}")]
    Failed { command: String, said: String },
    #[error(
        "git does not trust the repository: {said}; if you do, run `git config --global --add safe.directory FOLDER`"
    )]
    Untrusted { said: String },
    #[error(
        "the repository's configuration names a filter that cannot be switched off (`{name}`); rename it in .git/config"
    )]
    Filter { name: String },
    #[error("cannot run git while {doing}: {source}")]
    Io { doing: &'static str, source: io::Error },
    #[error("`{path}` is no path inside the repository; give one relative to the root, without `..`")]
    BadPath { path: String },
    #[error("`{commit}` is no commit; give 7 to 64 hexadecimal digits")]
    BadCommit { commit: String },
    #[error("the repository no longer has the commit {commit}; build the index again")]
    UnknownCommit { commit: String },
    #[error("`{path}` has no line {line}; read the file again")]
    NoSuchLine { path: String, line: u32 },
}

impl From<GitError> for Problem {
    fn from(error: GitError) -> Self {
        let message = error.to_string();
        let (kind, detail) = match error {
            GitError::Stopped(stopped) => return stopped.into(),
            GitError::TimedOut { .. } => (ErrorKind::Timeout, "git"),
            GitError::TooMuch { .. } => (ErrorKind::TooLarge, "git"),
            GitError::Failed { .. }
            | GitError::Untrusted { .. }
            | GitError::Filter { .. }
            | GitError::Io { .. } => (ErrorKind::Unsupported, "no_version_control"),
            GitError::BadPath { .. } => (ErrorKind::InvalidParams, "invalid_path"),
            GitError::BadCommit { .. } => (ErrorKind::InvalidParams, "invalid_commit"),
            GitError::UnknownCommit { .. } => (ErrorKind::NotFound, "unknown_commit"),
            GitError::NoSuchLine { .. } => (ErrorKind::InvalidParams, "invalid_range"),
        };
        Self::new(kind, message).detail(detail)
    }
}
