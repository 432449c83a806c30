//! Which files has somebody changed, as version control sees it?

use std::path::PathBuf;
use std::time::Duration;

use orienteer_base::{ErrorKind, Problem};
use orienteer_process::{CancellationToken, DEFAULT_ALLOWED, ProcessSpec};

use crate::Session;

/// Git answers in less, or something is wrong with the repository.
const PATIENCE: Duration = Duration::from_secs(20);

impl Session {
    /// Files below the workspace root that differ from the last commit, new ones included. Nothing of the
    /// repository's configuration is run.
    pub(crate) async fn changed_files(&self) -> Result<Vec<PathBuf>, Problem> {
        let root = self.roots().workspace();
        let top = self.git(&["rev-parse", "--show-toplevel"]).await?;
        let top = PathBuf::from(top.trim_end());
        let listed = self
            .git(&["status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", "--", "."])
            .await?;
        let mut files: Vec<PathBuf> = listed
            .split('\0')
            .filter(|entry| entry.len() > 3 && !entry.starts_with("D ") && !entry.starts_with(" D"))
            .map(|entry| top.join(&entry[3..]))
            .filter(|path| path.starts_with(root) && path.is_file())
            .collect();
        files.sort_unstable();
        Ok(files)
    }

    async fn git(&self, args: &[&str]) -> Result<String, Problem> {
        let engine = self.engine();
        let environment = engine.environment.allow_list(DEFAULT_ALLOWED);
        let environment = environment.with("GIT_OPTIONAL_LOCKS", "0").with("GIT_TERMINAL_PROMPT", "0");
        // A repository may name programs in its configuration: none of them is started.
        let guarded = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"];
        let spec = ProcessSpec::new("git", self.roots().workspace(), environment)
            .args(guarded)
            .args(args.iter().copied())
            .timeout(PATIENCE)
            .stdout_limit(16 << 20);
        let ran = engine.launcher.run(&spec, &CancellationToken::new()).await;
        let failed = |message: String| {
            Problem::new(ErrorKind::Unsupported, message).field("scope").detail("no_version_control")
        };
        let finished = ran.map_err(|error| failed(error.to_string()))?;
        if !finished.status.success() {
            let said = finished.stderr.text();
            let said = said.lines().next().unwrap_or("it gave no reason");
            return Err(failed(format!(
                "git does not know the workspace: {said}; name the files with `file_paths`"
            )));
        }
        Ok(finished.stdout.text().into_owned())
    }
}
