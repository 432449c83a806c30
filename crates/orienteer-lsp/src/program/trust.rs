//! May what is installed in a project be run?
//!
//! A repository can carry a `node_modules` or a `.venv` with anything in it, so finding a program there is no reason to
//! run it. What the user installed there is another matter, and git can tell the two apart: it tracks what came with
//! the repository and does not track what `npm install` made.
//!
//! An archive can bring a `.git` of its own, which tracks what its maker wanted it to. So git's word counts only where git
//! has worked on this machine: its index notes of each file when it last changed and where it lies on the disk, and nobody
//! can know these before the file is here. Any doubt counts as tracked.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use orienteer_base::{Cancel, Roots};
use orienteer_process::{Environment, Git};

use super::within;

const PATIENCE: Duration = Duration::from_secs(10);

/// Folders in which package managers install things.
const FOLDERS: &[&str] = &["node_modules", ".venv", "venv"];

/// Which of a project's own programs are run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LocalPrograms {
    Never,
    /// Those in folders in which git tracks nothing, of a work tree that git wrote on this machine.
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
        policy: LocalPrograms,
    ) -> Self {
        let home = environment.get("HOME").map(PathBuf::from);
        let mut trusted = Self {
            everything: policy == LocalPrograms::Always,
            roots: strangers(roots, home.as_deref()),
            folders: Vec::new(),
        };
        let folders = installed_folders(project_root, roots, environment);
        if policy == LocalPrograms::Untracked && !folders.is_empty() {
            let git = Git::new(environment).with_patience(PATIENCE);
            let work = tokio::task::spawn_blocking(move || {
                folders.into_iter().filter(|folder| is_installed_here(&git, folder)).collect()
            });
            trusted.folders = work.await.unwrap_or_default();
        }
        trusted
    }

    /// Whether a file may be run, or a folder's programs. What lies outside the roots is the user's own. A link counts
    /// for what it leads to as well as for itself.
    pub(super) fn allows(&self, path: &Path) -> bool {
        self.everything
            || (self.holds(path) && std::fs::canonicalize(path).is_ok_and(|real| self.holds(&real)))
    }

    /// The roots in which nothing is run, and the folders in them that are excepted; `None` where everything may be.
    pub(super) fn limits(&self) -> Option<(&[PathBuf], &[PathBuf])> {
        (!self.everything).then_some((self.roots.as_slice(), self.folders.as_slice()))
    }

    fn holds(&self, path: &Path) -> bool {
        !self.roots.iter().any(|root| path.starts_with(root))
            || self.folders.iter().any(|folder| path.starts_with(folder))
    }
}

/// Folders whose files are somebody else's: the roots, and the work trees that they are part of, which came with them. A
/// home folder that is under git is the user's all the same.
fn strangers(roots: &Roots, home: Option<&Path>) -> Vec<PathBuf> {
    let around = |root: &Path| {
        let work_tree = root.ancestors().find(|folder| folder.join(".git").symlink_metadata().is_ok())?;
        let is_home = home.is_some_and(|home| home.starts_with(work_tree));
        (!is_home).then(|| work_tree.to_path_buf())
    };
    let mut folders: Vec<PathBuf> =
        roots.all().flat_map(|root| [Some(root.to_path_buf()), around(root)]).flatten().collect();
    folders.dedup();
    folders
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

/// How much of the index is read to see where it was written.
const MOST_BYTES: usize = 4 << 20;

/// Whether git tracks nothing in a folder, tracks something beside it, and wrote that here.
fn is_installed_here(git: &Git, folder: &Path) -> bool {
    let Some(parent) = folder.parent() else { return false };
    let cancel = Cancel::new();
    let list = ["ls-files", "-z", "--", "."].map(OsStr::new);
    let Ok(Some(listed)) = git.answer(parent, &list, &cancel) else { return false };
    if listed.code != Some(0) {
        return false;
    }
    let mut names: Vec<&[u8]> = listed
        .bytes
        .split(|byte| *byte == 0)
        .map(|path| path.split(|byte| *byte == b'/').next().unwrap_or_default())
        .filter(|name| !name.is_empty())
        .collect();
    names.dedup();
    // A disk may take two names for one.
    let is_folder = |name: &[u8]| same_file(&parent.join(path_of(name)), folder);
    !names.is_empty() && !names.into_iter().any(is_folder) && is_written_here(git, parent, &cancel)
}

/// Whether the index has seen a file of this folder as it lies on this disk.
fn is_written_here(git: &Git, folder: &Path, cancel: &Cancel) -> bool {
    // One that leads elsewhere is another one's.
    let is_own = |path: &Path| path.symlink_metadata().is_ok_and(|data| data.is_file());
    let Ok(Some(repository)) = git.repository(folder, cancel) else { return false };
    if !is_own(&repository.git_dir.join("index")) {
        return false;
    }
    let list = ["ls-files", "--debug", "-z", "--", "."].map(OsStr::new);
    let mut bytes = Vec::new();
    let keep = &mut |chunk: &[u8]| {
        bytes.extend_from_slice(chunk);
        bytes.len() < MOST_BYTES
    };
    let read = git.stream(folder, &list, (git.patience(), usize::MAX), cancel, keep);
    if !read.is_ok_and(|read| read.is_some()) {
        return false;
    }
    // A name and a NUL, then what is known of the file, then the next name.
    let mut parts = bytes.split(|byte| *byte == 0);
    let mut name = parts.next().unwrap_or_default();
    for part in parts {
        let text = String::from_utf8_lossy(part);
        let number = |field: &str| {
            let rest = text.split_once(field)?.1.trim_start();
            rest.split(|letter: char| !letter.is_ascii_digit()).next()?.parse::<u64>().ok()
        };
        let changed =
            text.lines().find_map(|line| line.trim_start().strip_prefix("ctime: ")?.split_once(':'));
        let changed = changed.and_then(|(seconds, rest)| Some((seconds.parse().ok()?, rest.parse().ok()?)));
        if let (Some(changed), Some(inode)) = (changed, number("ino:"))
            && lies_in(folder, &path_of(name))
            && is_as_noted(&folder.join(path_of(name)), changed, inode)
        {
            return true;
        }
        let end = part.windows(7).position(|word| word == b"flags: ").unwrap_or(part.len());
        let line = part[end..].iter().position(|byte| *byte == b'\n').map_or(part.len(), |at| end + at + 1);
        name = &part[line..];
    }
    false
}

/// Whether a name of an index stays in its folder, on the way there too.
fn lies_in(folder: &Path, name: &Path) -> bool {
    let is_plain = name.components().all(|part| matches!(part, std::path::Component::Normal(_)));
    let parent = |path: &Path| path.parent().map(Path::to_path_buf);
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    is_plain
        && real(folder).zip(parent(name)).is_some_and(|(real_folder, within)| {
            parent(&folder.join(name)).and_then(|path| real(&path)) == Some(real_folder.join(within))
        })
}

/// Whether a file lies where the index says and has not changed since. The index keeps the lower half of a long number.
#[cfg(unix)]
fn is_as_noted(path: &Path, changed: (i64, i64), inode: u64) -> bool {
    use std::os::unix::fs::MetadataExt;
    path.symlink_metadata().is_ok_and(|data| {
        // A time without fractions is none that a disk of today writes, but one that can be guessed.
        let is_told = data.is_file() && inode != 0 && changed.1 != 0;
        is_told && (data.ctime(), data.ctime_nsec()) == changed && data.ino() & 0xffff_ffff == inode
    })
}

/// The index notes nothing here that could not be made up.
#[cfg(not(unix))]
fn is_as_noted(_: &Path, _: (i64, i64), _: u64) -> bool {
    false
}

#[cfg(unix)]
fn same_file(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |path: &Path| path.symlink_metadata().map(|data| (data.dev(), data.ino()));
    matches!((id(one), id(other)), (Ok(one), Ok(other)) if one == other)
}

#[cfg(not(unix))]
fn same_file(one: &Path, other: &Path) -> bool {
    std::fs::canonicalize(one).is_ok_and(|one| std::fs::canonicalize(other).is_ok_and(|other| one == other))
}

/// A path as git writes it.
#[cfg(unix)]
fn path_of(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(OsStr::from_bytes(bytes))
}

#[cfg(not(unix))]
fn path_of(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
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
