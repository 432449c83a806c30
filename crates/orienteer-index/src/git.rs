//! Who changed this, when, how often?
//!
//! The `git` program is asked, because it alone is right for worktrees, shallow and partial clones and new formats of
//! repositories. Without the program, or outside of a repository, every answer is `None`: that is no error.
//!
//! How it is run, so that nothing is started that a repository's configuration names, is kept in `orienteer-process`.
//!
//! | module | question it answers |
//! | --- | --- |
//! | `git/history` | Who changed each file last, when, and how often was it changed? |
//! | `git/changed` | Which files differ from a commit? |
//! | `git/blame` | Which commit wrote these lines? |
//! | `git/error` | What can go wrong? |

mod blame;
mod changed;
mod error;
mod history;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use orienteer_base::Cancel;
use orienteer_process::{Environment, GitAnswer};

pub use blame::{BlamedLine, Writer};
pub use changed::{Change, Changed};
pub use error::GitError;
pub use history::{FileHistory, History};

/// Which files differ, told by name, whatever the user's or the repository's settings would make of it.
const NAMES_ONLY: [&str; 6] =
    ["--name-status", "--no-renames", "--no-color", "--ignore-submodules=all", "-O/dev/null", "--relative"];

/// The `git` program of a machine, asked about the history of a workspace.
#[derive(Debug, Clone)]
pub struct Git(orienteer_process::Git);

/// Where a repository stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// `None` before the first commit.
    pub commit: Option<String>,
    /// `None` when no branch is checked out.
    pub branch: Option<String>,
}

impl Git {
    /// Looks for the program on the `PATH` of an environment.
    pub fn new(environment: &Environment) -> Self {
        Self(orienteer_process::Git::new(environment))
    }

    /// Gives up after another time than 20 seconds; reading the history may take six times as long.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Self {
        Self(self.0.with_patience(patience))
    }

    /// Whether there is a program at all.
    pub fn is_present(&self) -> bool {
        self.0.is_present()
    }

    /// The commit and the branch that are checked out.
    pub fn head(&self, root: &Path, cancel: &Cancel) -> Result<Option<Head>, GitError> {
        let Some(branch) = self.ask(root, &["symbolic-ref", "--quiet", "HEAD"], cancel)? else {
            return Ok(None);
        };
        // Exit code 1: no branch is checked out.
        let branch = match branch.code {
            Some(0) => Some(branch.line()),
            Some(1) => None,
            _ => return Ok(branch.failed("symbolic-ref")?),
        };
        let branch = branch.map(|name| name.strip_prefix("refs/heads/").unwrap_or(&name).to_owned());
        let verify = ["rev-parse", "--quiet", "--verify", "HEAD^{commit}"];
        let Some(commit) = self.ask(root, &verify, cancel)? else { return Ok(None) };
        let commit = (commit.code == Some(0)).then(|| commit.line()).filter(|commit| is_commit(commit));
        Ok(Some(Head { commit, branch }))
    }

    /// Runs a command whose answer is short. `None` without git or a repository.
    fn ask(&self, root: &Path, arguments: &[&str], cancel: &Cancel) -> Result<Option<GitAnswer>, GitError> {
        let arguments: Vec<&OsStr> = arguments.iter().map(OsStr::new).collect();
        Ok(self.0.answer(root, &arguments, cancel)?)
    }
}

/// Whether a text is the full name of a commit, or a beginning of it that is long enough to mean one.
fn is_commit(text: &str) -> bool {
    (7..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// A path as git writes it.
fn path_of(bytes: &[u8]) -> PathBuf {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        PathBuf::from(OsStr::from_bytes(bytes))
    }
    #[cfg(not(unix))]
    {
        PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
    }
}

#[cfg(test)]
mod tests;
