//! May what is installed in a project be run?
//!
//! A repository can carry a `node_modules` or a `.venv` with anything in it, so finding a program there is no reason to
//! run it. What the user installed there is another matter, and git can tell the two apart: it tracks what came with
//! the repository and does not track what `npm install` made.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use orienteer_base::Roots;
use orienteer_process::{CancellationToken, Environment, Launcher, ProcessSpec};

use super::within;

const PATIENCE: Duration = Duration::from_secs(10);

/// Folders in which package managers install things.
const FOLDERS: &[&str] = &["node_modules", ".venv", "venv"];

/// Which of a project's own programs are run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LocalPrograms {
    Never,
    /// Those in folders of a git work tree in which git tracks nothing.
    #[default]
    Untracked,
    /// The user trusts the project.
    Always,
}

/// What was found out about one project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trusted {
    everything: bool,
    roots: Vec<PathBuf>,
    folders: Vec<PathBuf>,
}

impl Trusted {
    pub(super) async fn ask(
        project_root: &Path,
        roots: &Roots,
        environment: &Environment,
        launcher: &Launcher,
        policy: LocalPrograms,
    ) -> Self {
        let mut trusted = Self {
            everything: policy == LocalPrograms::Always,
            roots: roots.all().map(Path::to_path_buf).collect(),
            folders: Vec::new(),
        };
        if policy == LocalPrograms::Untracked {
            let git = Git { environment, launcher, roots };
            for folder in installed_folders(project_root, roots, environment) {
                if git.tracks_nothing_in(&folder).await {
                    trusted.folders.push(folder);
                }
            }
        }
        trusted
    }

    /// Whether a file may be run, or a folder's programs. What lies outside the roots is the user's own. A link counts
    /// for what it leads to as well as for itself.
    pub(super) fn allows(&self, path: &Path) -> bool {
        self.everything
            || (self.holds(path) && std::fs::canonicalize(path).is_ok_and(|real| self.holds(&real)))
    }

    fn holds(&self, path: &Path) -> bool {
        !self.roots.iter().any(|root| path.starts_with(root))
            || self.folders.iter().any(|folder| path.starts_with(folder))
    }
}

/// The folders of installed things that a server of this project might use.
fn installed_folders(project_root: &Path, roots: &Roots, environment: &Environment) -> Vec<PathBuf> {
    let within = within(project_root, roots);
    let usual = within.iter().flat_map(|folder| FOLDERS.iter().map(|name| folder.join(name)));
    let active = ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(|name| environment.get(name));
    let active = active.map(PathBuf::from).filter(|path| roots.contains(path));
    let mut folders: Vec<PathBuf> = Vec::new();
    for folder in usual.chain(active).filter(|folder| folder.is_dir()) {
        if !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    folders
}

struct Git<'a> {
    environment: &'a Environment,
    launcher: &'a Launcher,
    roots: &'a Roots,
}

impl Git<'_> {
    /// Whether the folder is in a work tree, and nothing in it came with the repository.
    async fn tracks_nothing_in(&self, folder: &Path) -> bool {
        let Some(parent) = folder.parent() else { return false };
        let args = [OsStr::new("ls-files"), OsStr::new("-z"), OsStr::new("--"), folder.as_os_str()];
        let listing = self.run(parent, &args);
        listing.await.is_some_and(|listed| listed.is_empty()) && self.knows(parent).await
    }

    /// Whether the work tree is the project's. One further out, such as a home folder under git, tracks nothing of a
    /// project that was unpacked into it, which says nothing about where the project's files come from.
    async fn knows(&self, folder: &Path) -> bool {
        let top = self.run(folder, &[OsStr::new("rev-parse"), OsStr::new("--show-toplevel")]).await;
        let top = top.and_then(|top| std::fs::canonicalize(top.trim_end()).ok());
        if top.is_some_and(|top| self.roots.contains(&top)) {
            return true;
        }
        let tree = ["rev-parse", "--verify", "--quiet", "HEAD:./"].map(OsStr::new);
        self.run(folder, &tree).await.is_some()
    }

    /// What git prints; `None` when it fails. A repository's own settings must not make it run anything.
    async fn run(&self, cwd: &Path, args: &[&OsStr]) -> Option<String> {
        let git = self.environment.which("git", cwd).into_iter().next()?;
        let environment = self
            .environment
            .allow_list(&[
                "PATH",
                "HOME",
                "XDG_CONFIG_HOME",
                "USERPROFILE",
                "SystemRoot",
                "TMPDIR",
                "TEMP",
                "TMP",
            ])
            .with("LC_ALL", "C")
            .with("GIT_OPTIONAL_LOCKS", "0")
            .with("GIT_TERMINAL_PROMPT", "0");
        let spec = ProcessSpec::new(git, cwd, environment)
            .args(["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"])
            .args(args.iter().copied())
            .timeout(PATIENCE)
            .stdout_limit(64 * 1024);
        let finished = self.launcher.run(&spec, &CancellationToken::new()).await.ok()?;
        finished.status.success().then(|| finished.stdout.text().into_owned())
    }
}

#[cfg(test)]
impl Trusted {
    pub(super) fn everything_for_tests() -> Self {
        Self { everything: true, ..Self::default() }
    }

    pub(super) fn nothing_for_tests(roots: &Roots) -> Self {
        Self { roots: roots.all().map(Path::to_path_buf).collect(), ..Self::default() }
    }
}
