//! Folders as handles.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, RenameFlags, ResolveFlags, mkdirat, openat, openat2, renameat,
    renameat_with, statat, unlinkat,
};
use rustix::io::Errno;

/// See [`super`].
#[derive(Debug)]
pub(crate) struct Folder(OwnedFd);

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC).union(OFlags::NOFOLLOW);

impl Folder {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        match openat2(CWD, path, FOLDER, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
            Ok(handle) => Ok(Self(handle)),
            // A kernel or a sandbox that does not know the call: part by part.
            Err(Errno::NOSYS | Errno::PERM) => {
                let mut at = openat(CWD, "/", FOLDER, Mode::empty())?;
                for part in path.components().skip(1) {
                    at = openat(&at, part.as_os_str(), FOLDER, Mode::empty())?;
                }
                Ok(Self(at))
            }
            // Some say that a link is no folder, some that it is one link too many.
            Err(Errno::LOOP) => Err(Errno::NOTDIR.into()),
            Err(error) => Err(error.into()),
        }
    }

    /// Whether a name is a regular file; `None` when there is nothing.
    pub(super) fn is_file(&self, name: &OsStr) -> io::Result<Option<bool>> {
        match statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile)),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    pub(super) fn open_file(&self, name: &OsStr) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        Ok(openat(&self.0, name, flags, Mode::empty())?.into())
    }

    /// Whether a file may be written.
    pub(crate) fn check_writable(&self, name: &OsStr) -> io::Result<()> {
        let flags = OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        openat(&self.0, name, flags, Mode::empty())?;
        Ok(())
    }

    /// A new file; one that is private is for its owner alone.
    pub(crate) fn create(&self, name: &OsStr, private: bool) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = if private { 0o600 } else { 0o666 };
        Ok(openat(&self.0, name, flags, Mode::from_raw_mode(mode))?.into())
    }

    /// Two files change places in one instant; `false` where the file system cannot.
    pub(crate) fn exchange(&self, left: &OsStr, right: &OsStr) -> io::Result<bool> {
        match renameat_with(&self.0, left, &self.0, right, RenameFlags::EXCHANGE) {
            Ok(()) => Ok(true),
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Gives a file another name that nothing has.
    pub(crate) fn rename_new(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        match renameat_with(&self.0, from, &self.0, to, RenameFlags::NOREPLACE) {
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
                if self.is_file(to)?.is_some() {
                    return Err(Errno::EXIST.into());
                }
                Ok(renameat(&self.0, from, &self.0, to)?)
            }
            done => Ok(done?),
        }
    }

    /// Puts a file in the place of another.
    pub(crate) fn rename_over(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        Ok(renameat(&self.0, from, &self.0, to)?)
    }

    pub(crate) fn remove(&self, name: &OsStr) -> io::Result<()> {
        Ok(unlinkat(&self.0, name, AtFlags::empty())?)
    }

    pub(crate) fn make_folder(&self, name: &OsStr) -> io::Result<()> {
        Ok(mkdirat(&self.0, name, Mode::from_raw_mode(0o777))?)
    }

    /// Only when it is empty.
    pub(crate) fn remove_folder(&self, name: &OsStr) -> io::Result<()> {
        Ok(unlinkat(&self.0, name, AtFlags::REMOVEDIR)?)
    }

    /// What was done here survives a loss of power.
    pub(crate) fn sync(&self) -> io::Result<()> {
        match rustix::fs::fsync(&self.0) {
            // Some file systems have nothing to say to that.
            Ok(()) | Err(Errno::INVAL | Errno::BADF) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}
