//! The one way to open what lies below a folder: the file at a path, and nothing that a link puts in its place.
//!
//! A path is checked, and a moment later a folder on it may have been swapped for a link that leads elsewhere. So
//! the system is told to follow no link (`openat2` on Linux, one call, as cheap as opening). Where it cannot be told,
//! what was opened is asked for where it really is.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The path leads elsewhere than its words say: there is a link on it, and there was none when it was checked.
#[derive(Debug, thiserror::Error)]
#[error("a folder on its path is a link now, or was one while it was looked at")]
struct LeadsElsewhere;

/// Whether a file was not opened because its path leads elsewhere by now.
pub fn leads_elsewhere(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<LeadsElsewhere>())
}

pub(super) fn elsewhere() -> io::Error {
    io::Error::other(LeadsElsewhere)
}

/// Opens the file at a canonical path for reading, following no link. Nobody waits for the other end of a pipe.
pub fn open_exactly(path: &Path) -> io::Result<File> {
    if let Some(opened) = system::open(path, false) {
        return opened;
    }
    let file = open_anywhere(path)?;
    if real_path(&file, path).is_some_and(|real| is_same_path(&real, path)) {
        Ok(file)
    } else {
        Err(elsewhere())
    }
}

/// What the system says of an entry at a canonical path, following no link; a link itself is an entry.
pub fn look_exactly(path: &Path) -> io::Result<Metadata> {
    if let Some(opened) = system::open(path, true) {
        return opened?.metadata();
    }
    let metadata = std::fs::symlink_metadata(path)?;
    match path.parent() {
        Some(parent) if std::fs::canonicalize(parent)? != parent => Err(elsewhere()),
        _ => Ok(metadata),
    }
}

/// The bytes of the file at a canonical path.
pub fn read_exactly(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut file = open_exactly(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    bytes.reserve_exact(usize::try_from(metadata.len()).unwrap_or_default().saturating_add(1));
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// As much of a path below a root as is there, with the first link on it or without what is missing.
pub fn standing(root: &Path, path: &Path) -> PathBuf {
    let mut known = root.to_owned();
    if !look_exactly(root).is_ok_and(|metadata| metadata.is_dir()) {
        return known;
    }
    for name in path.strip_prefix(root).unwrap_or(Path::new("")).components() {
        let next = known.join(name);
        let Ok(metadata) = look_exactly(&next) else { break };
        known = next;
        if !metadata.is_dir() {
            break;
        }
    }
    known
}

/// A folder that is to be the same in the end as in the beginning.
#[derive(Debug)]
pub struct SameFolder {
    path: PathBuf,
    identity: (u64, u64),
}

impl SameFolder {
    /// The folder at a canonical path; an error where it is none, or a link.
    pub fn new(path: &Path) -> io::Result<Self> {
        let metadata = look_exactly(path)?;
        if metadata.is_symlink() {
            return Err(elsewhere());
        }
        if !metadata.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(Self { path: path.to_owned(), identity: identity(&metadata) })
    }

    /// An error where another folder, a link or nothing is at its path now.
    pub fn check(&self) -> io::Result<()> {
        let now = look_exactly(&self.path)?;
        if now.is_dir() && identity(&now) == self.identity { Ok(()) } else { Err(elsewhere()) }
    }
}

#[cfg(unix)]
fn identity(metadata: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> (u64, u64) {
    (0, 0)
}

/// Opens whatever is at the end of a path.
#[cfg(unix)]
pub(super) fn open_anywhere(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};
    // Without `NONBLOCK`, opening a pipe would wait for its other end.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    Ok(File::from(rustix::fs::open(path, flags, Mode::empty())?))
}

#[cfg(not(unix))]
pub(super) fn open_anywhere(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Where an opened file really is.
pub(super) fn real_path(file: &File, path: &Path) -> Option<PathBuf> {
    system::opened_path(file).or_else(|| std::fs::canonicalize(path).ok())
}

/// File systems of Macs may take names in any case.
fn is_same_path(real: &Path, path: &Path) -> bool {
    real == path || (cfg!(target_vendor = "apple") && real.as_os_str().eq_ignore_ascii_case(path.as_os_str()))
}

#[cfg(target_os = "linux")]
mod system {
    use std::fs::File;
    use std::io;
    use std::os::fd::AsRawFd;
    use std::path::{Path, PathBuf};
    use std::sync::atomic::{AtomicBool, Ordering};

    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
    use rustix::io::Errno;

    /// An old kernel, or a sandbox that knows only older calls.
    static REFUSED: AtomicBool = AtomicBool::new(false);

    /// `None` where only the caller can tell.
    pub(super) fn open(path: &Path, look: bool) -> Option<io::Result<File>> {
        if !path.is_absolute() {
            return None;
        }
        let flags = if look {
            OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC
        } else {
            OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY
        };
        if REFUSED.load(Ordering::Relaxed) {
            return Some(open_and_ask(path, flags));
        }
        let stay = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        Some(match openat2(CWD, path, flags, Mode::empty(), stay) {
            Ok(opened) => Ok(File::from(opened)),
            Err(Errno::LOOP) => Err(super::elsewhere()),
            Err(Errno::NOSYS | Errno::PERM | Errno::TOOBIG) => {
                REFUSED.store(true, Ordering::Relaxed);
                open_and_ask(path, flags)
            }
            Err(error) => Err(error.into()),
        })
    }

    /// Opens what is at the end of a path and asks where it is.
    pub(super) fn open_and_ask(path: &Path, flags: OFlags) -> io::Result<File> {
        let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
        match opened_path(&file).or_else(|| std::fs::canonicalize(path).ok()) {
            Some(real) if real == path => Ok(file),
            _ => Err(super::elsewhere()),
        }
    }

    pub(super) fn opened_path(file: &File) -> Option<PathBuf> {
        std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).ok()
    }
}

#[cfg(target_vendor = "apple")]
mod system {
    use std::ffi::OsStr;
    use std::fs::File;
    use std::io;
    use std::os::unix::ffi::OsStrExt;
    use std::path::{Path, PathBuf};

    pub(super) fn open(_: &Path, _: bool) -> Option<io::Result<File>> {
        None
    }

    pub(super) fn opened_path(file: &File) -> Option<PathBuf> {
        let path = rustix::fs::getpath(file).ok()?;
        Some(PathBuf::from(OsStr::from_bytes(path.as_bytes())))
    }
}

#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
mod system {
    use std::fs::File;
    use std::io;
    use std::path::{Path, PathBuf};

    pub(super) fn open(_: &Path, _: bool) -> Option<io::Result<File>> {
        None
    }

    pub(super) fn opened_path(_: &File) -> Option<PathBuf> {
        None
    }
}

#[cfg(all(test, target_os = "linux"))]
#[allow(clippy::unwrap_used)]
mod tests {
    use rustix::fs::OFlags;

    use super::*;

    #[test]
    fn where_the_system_cannot_be_told_to_follow_no_link_what_was_opened_is_asked_where_it_is() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("a/b")).unwrap();
        std::fs::write(root.join("a/b/file"), "x").unwrap();
        std::os::unix::fs::symlink("a", root.join("link")).unwrap();
        std::os::unix::fs::symlink("b/file", root.join("a/to-file")).unwrap();
        let read = |path: &str| system::open_and_ask(&root.join(path), OFlags::RDONLY);
        let look = |path: &str| system::open_and_ask(&root.join(path), OFlags::PATH | OFlags::NOFOLLOW);
        assert!(read("a/b/file").is_ok() && look("a/b/file").is_ok());
        for path in ["link/b/file", "a/to-file"] {
            assert!(leads_elsewhere(&read(path).unwrap_err()), "{path}");
        }
        assert!(leads_elsewhere(&look("link/b/file").unwrap_err()));
        assert!(look("a/to-file").unwrap().metadata().unwrap().is_symlink(), "a link itself is an entry");
        assert_eq!(read("a/none").unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
