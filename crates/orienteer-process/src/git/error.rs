//! What can go wrong with git, and what should the reader do about it?

use std::io;
use std::path::PathBuf;
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
    #[error("git is not asked for `{command}` here, because it is not known what that could start")]
    NotAllowed { command: String },
    #[error(
        "{} belongs to somebody else, so git is not asked about it; if you trust it, run `git config --global --add safe.directory '{}'`",
        .part.display(), .repository.display()
    )]
    Foreign { part: PathBuf, repository: PathBuf },
    #[error(
        "{} names {} as its repository, which does not name it in turn, so git is not asked about it; `git worktree repair` mends a moved work tree",
        .entry.display(), .named.display()
    )]
    Detached { entry: PathBuf, named: PathBuf },
    #[error(
        "the repository's configuration names a filter that cannot be switched off (`{name}`); rename it in .git/config"
    )]
    Filter { name: String },
    #[error("cannot run git while {doing}: {source}")]
    Io { doing: &'static str, source: io::Error },
}

impl From<GitError> for Problem {
    fn from(error: GitError) -> Self {
        let message = error.to_string();
        let (kind, detail) = match error {
            GitError::Stopped(stopped) => return stopped.into(),
            GitError::TimedOut { .. } => (ErrorKind::Timeout, "git"),
            GitError::TooMuch { .. } => (ErrorKind::TooLarge, "git"),
            GitError::Failed { .. }
            | GitError::NotAllowed { .. }
            | GitError::Foreign { .. }
            | GitError::Detached { .. }
            | GitError::Filter { .. }
            | GitError::Io { .. } => (ErrorKind::Unsupported, "no_version_control"),
        };
        Self::new(kind, message).detail(detail)
    }
}
