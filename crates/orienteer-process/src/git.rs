//! The one way in which git is asked about a repository.
//!
//! A repository's configuration can name programs for almost everything that git does: monitors, hooks, filters, pagers,
//! transports, helpers. Somebody else wrote that configuration, so a question starts none of them. Three things keep it so:
//!
//! * **Which repository** is decided here and not by git, which also takes a folder for one that is merely laid out like
//!   one, and whose ordinary tracked files are then its configuration (`git/repository`).
//! * **Whose repository** it is: the user's or the system's, or one that the user's own configuration names
//!   (`git/owner`).
//! * **Which commands** are asked, each with everything switched off that it could start (`git/command`).
//!
//! That there is no git or no repository is no error: the answer is `None`. The module is synchronous: a child of it needs
//! no reaper, because git writes to a pipe that ends with us and starts nothing of its own (`git/run`).

mod command;
mod error;
mod owner;
mod repository;
mod run;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use orienteer_base::Cancel;

use crate::environment::{DEFAULT_ALLOWED, Environment};

pub use error::GitError;
pub use repository::Repository;
pub use run::{GitAnswer, GitEnd, GitOutput};

/// Git answers in less, or something is wrong with the repository.
const PATIENCE: Duration = Duration::from_secs(20);

/// The `git` program of a machine.
#[derive(Debug, Clone)]
pub struct Git {
    programs: Vec<PathBuf>,
    environment: Environment,
    patience: Duration,
}

impl Git {
    /// Looks for the program on the `PATH` of an environment. Of the variables git gets what every program needs: none of
    /// those that would point it to another repository, index, program or configuration.
    pub fn new(environment: &Environment) -> Self {
        let programs = environment.which("git", Path::new("/"));
        Self {
            programs,
            environment: environment.allow_list(DEFAULT_ALLOWED).for_a_child(),
            patience: PATIENCE,
        }
    }

    /// Gives up after another time than 20 seconds.
    #[must_use]
    pub fn with_patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    pub fn patience(&self) -> Duration {
        self.patience
    }

    /// Whether there is a program at all.
    pub fn is_present(&self) -> bool {
        !self.programs.is_empty()
    }

    /// The repository that a folder belongs to. `None` without git, and where there is no repository.
    ///
    /// # Errors
    ///
    /// When there is one that must not be asked: somebody else's, or one whose parts do not belong together.
    pub fn repository(&self, folder: &Path, cancel: &Cancel) -> Result<Option<Repository>, GitError> {
        cancel.check()?;
        if !self.is_present() {
            return Ok(None);
        }
        let value = |work_tree: &Path, file: &Path, key: &str| self.value_in(work_tree, file, key, cancel);
        let Some(found) = repository::find(folder, value)? else { return Ok(None) };
        owner::check(&found, || self.safe_directories(&found.work_tree, cancel))?;
        Ok(Some(found))
    }

    /// Asks a command whose answer is short and keeps all of it. `None` without git or a repository.
    ///
    /// # Errors
    ///
    /// See [`GitError`]. An exit code other than zero is none.
    pub fn answer(
        &self,
        folder: &Path,
        arguments: &[&OsStr],
        cancel: &Cancel,
    ) -> Result<Option<GitAnswer>, GitError> {
        let Some(repository) = self.repository(folder, cancel)? else { return Ok(None) };
        let Some(program) = self.program(&repository.work_tree) else { return Ok(None) };
        let command = command::guarded(self, &repository, folder, arguments, cancel)?;
        let answer =
            run::whole(self.prepare(program, folder, &command, Some(&repository)), self.patience, cancel)?;
        Ok(answer.filter(|answer| !answer.is_nowhere()))
    }

    /// Asks a command and gives what it writes piece by piece, until `each` wants no more. `None` without git or a
    /// repository.
    ///
    /// # Errors
    ///
    /// See [`GitError`]. That time or space ran out is told in the result.
    pub fn stream(
        &self,
        folder: &Path,
        arguments: &[&OsStr],
        bounds: (Duration, usize),
        cancel: &Cancel,
        each: &mut dyn FnMut(&[u8]) -> bool,
    ) -> Result<Option<GitOutput>, GitError> {
        let Some(repository) = self.repository(folder, cancel)? else { return Ok(None) };
        let Some(program) = self.program(&repository.work_tree) else { return Ok(None) };
        let command = command::guarded(self, &repository, folder, arguments, cancel)?;
        let prepared = self.prepare(program, folder, &command, Some(&repository));
        let output = run::stream(prepared, bounds, cancel, each)?;
        Ok(output.filter(|output| !output.is_nowhere()))
    }

    /// The program for a repository. One that lies in the repository is not it, whatever the `PATH` says.
    fn program(&self, work_tree: &Path) -> Option<&Path> {
        self.programs.iter().map(PathBuf::as_path).find(|program| {
            std::fs::canonicalize(program)
                .is_ok_and(|real| !real.starts_with(work_tree) && !program.starts_with(work_tree))
        })
    }

    /// A value in a file of git's form. Nothing else is read: no repository, no other file.
    fn value_in(
        &self,
        work_tree: &Path,
        file: &Path,
        key: &str,
        cancel: &Cancel,
    ) -> Result<Option<String>, GitError> {
        let arguments = ["config", "--no-includes", "--file"].map(OsStr::new);
        let arguments = [&arguments[..], &[file.as_os_str(), "--get".as_ref(), key.as_ref()]].concat();
        let answer = self.without_repository(work_tree, &arguments, cancel)?;
        Ok(answer.filter(|answer| answer.code == Some(0)).map(|answer| answer.line()))
    }

    /// What the user's and the system's configuration name as safe.
    fn safe_directories(&self, work_tree: &Path, cancel: &Cancel) -> Result<Vec<String>, GitError> {
        let mut named = Vec::new();
        for scope in ["--system", "--global"] {
            let arguments =
                ["config", scope, "--includes", "--type=path", "--null", "--get-all", "safe.directory"];
            let answer = self.without_repository(work_tree, &arguments.map(OsStr::new), cancel)?;
            // Without such a file or key it fails, and names nothing.
            let bytes = answer.filter(|answer| answer.code == Some(0)).map(|answer| answer.bytes);
            let bytes = bytes.unwrap_or_default();
            let text = String::from_utf8_lossy(&bytes);
            named.extend(text.split_terminator('\0').map(str::to_owned));
        }
        Ok(named)
    }

    /// Runs `git config` where it sees no repository.
    fn without_repository(
        &self,
        work_tree: &Path,
        arguments: &[&OsStr],
        cancel: &Cancel,
    ) -> Result<Option<GitAnswer>, GitError> {
        let Some(program) = self.program(work_tree) else { return Ok(None) };
        let arguments: Vec<_> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        run::whole(self.prepare(program, Path::new("/"), &arguments, None), self.patience, cancel)
    }
}

#[cfg(all(test, unix))]
mod tests;
