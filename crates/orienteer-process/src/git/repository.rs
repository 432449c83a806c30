//! Which repository a folder belongs to.
//!
//! Git would find it by itself, and would also take a folder for a repository that has `HEAD`, `config`, `objects` and
//! `refs` in it: ordinary files that any repository can carry, whose `config` could then name programs. Only what no
//! repository can carry counts here: an entry called `.git`, which git refuses to track.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::GitError;

/// A `.git` file is one line.
const MOST_BYTES: u64 = 8 << 10;

/// A work tree and the folder that holds its repository, both canonical.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    /// The folder with the entry `.git`.
    pub work_tree: PathBuf,
    /// Where that entry leads.
    pub git_dir: PathBuf,
    /// What several work trees share; the same folder where there is only one.
    pub common_dir: PathBuf,
}

/// The nearest repository at or above a folder. `value` reads one value of a file of git's form.
pub(super) fn find(
    folder: &Path,
    value: impl Fn(&Path, &Path, &str) -> Result<Option<String>, GitError>,
) -> Result<Option<Repository>, GitError> {
    let Ok(folder) = std::fs::canonicalize(folder) else { return Ok(None) };
    if !folder.is_dir() {
        return Ok(None);
    }
    for work_tree in folder.ancestors() {
        let entry = work_tree.join(".git");
        let Ok(kind) = entry.symlink_metadata() else { continue };
        // An archive can bring a link to somebody else's, which knows nothing of it.
        if kind.is_symlink() {
            let named = std::fs::canonicalize(&entry).unwrap_or_else(|_| entry.clone());
            return Err(GitError::Detached { entry, named });
        }
        let git_dir = if kind.is_dir() { canonical(&entry)? } else { named_by(&entry, work_tree, &value)? };
        // An empty folder of that name is none, to git either.
        if !git_dir.join("HEAD").exists() && !git_dir.join("HEAD").is_symlink() {
            continue;
        }
        // What is inside is no work tree.
        if folder.starts_with(&git_dir) {
            return Ok(None);
        }
        let common_dir = match read_line(&git_dir.join("commondir"))? {
            Some(line) => canonical(&git_dir.join(line))?,
            None => git_dir.clone(),
        };
        return Ok(Some(Repository { work_tree: work_tree.to_path_buf(), git_dir, common_dir }));
    }
    Ok(None)
}

/// Where a `.git` file leads: to a folder that names this work tree in turn, as those of worktrees and submodules do. Any
/// other could be somebody else's, with somebody else's configuration.
fn named_by(
    entry: &Path,
    work_tree: &Path,
    value: impl Fn(&Path, &Path, &str) -> Result<Option<String>, GitError>,
) -> Result<PathBuf, GitError> {
    let line = read_line(entry)?.unwrap_or_default();
    let named = work_tree.join(line.strip_prefix("gitdir:").unwrap_or_default().trim());
    let detached = || GitError::Detached { entry: entry.to_path_buf(), named: named.clone() };
    if !line.starts_with("gitdir:") {
        return Err(detached());
    }
    let git_dir = std::fs::canonicalize(&named).map_err(|_| detached())?;
    let leads_back = |path: &str, to: &Path| {
        std::fs::canonicalize(git_dir.join(path)).is_ok_and(|back| Ok(back) == canonical(to).map_err(drop))
    };
    if let Some(back) = read_line(&git_dir.join("gitdir"))? {
        return if leads_back(&back, entry) { Ok(git_dir) } else { Err(detached()) };
    }
    for file in ["config", "config.worktree"] {
        let file = git_dir.join(file);
        if file.is_file()
            && let Some(back) = value(work_tree, &file, "core.worktree")?
        {
            return if leads_back(&back, work_tree) { Ok(git_dir) } else { Err(detached()) };
        }
    }
    Err(detached())
}

fn canonical(path: &Path) -> Result<PathBuf, GitError> {
    std::fs::canonicalize(path).map_err(|source| GitError::Io { doing: "looking for its repository", source })
}

/// The first line of a short file; `None` when there is no such file.
fn read_line(path: &Path) -> Result<Option<String>, GitError> {
    if !path.is_file() {
        return Ok(None);
    }
    let lost = |source| GitError::Io { doing: "looking for its repository", source };
    let mut text = Vec::new();
    std::fs::File::open(path).map_err(lost)?.take(MOST_BYTES).read_to_end(&mut text).map_err(lost)?;
    let text = String::from_utf8_lossy(&text);
    Ok(Some(text.lines().next().unwrap_or_default().trim_end().to_owned()))
}
