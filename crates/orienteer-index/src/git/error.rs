//! What can go wrong with git, and what should the reader do about it?

use orienteer_base::{ErrorKind, Problem, Stopped};

/// Why git did not answer. That there is no git or no repository is no error.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    #[error(transparent)]
    Git(#[from] orienteer_process::GitError),
    #[error("`{path}` is no path inside the repository; give one relative to the root, without `..`")]
    BadPath { path: String },
    #[error("`{commit}` is no commit; give 7 to 64 hexadecimal digits")]
    BadCommit { commit: String },
    #[error("the repository no longer has the commit {commit}; build the index again")]
    UnknownCommit { commit: String },
    #[error("`{path}` has no line {line}; read the file again")]
    NoSuchLine { path: String, line: u32 },
}

impl From<Stopped> for GitError {
    fn from(stopped: Stopped) -> Self {
        Self::Git(stopped.into())
    }
}

impl From<GitError> for Problem {
    fn from(error: GitError) -> Self {
        let message = error.to_string();
        let (kind, detail) = match error {
            GitError::Git(error) => return error.into(),
            GitError::BadPath { .. } => (ErrorKind::InvalidParams, "invalid_path"),
            GitError::BadCommit { .. } => (ErrorKind::InvalidParams, "invalid_commit"),
            GitError::UnknownCommit { .. } => (ErrorKind::NotFound, "unknown_commit"),
            GitError::NoSuchLine { .. } => (ErrorKind::InvalidParams, "invalid_range"),
        };
        Self::new(kind, message).detail(detail)
    }
}
