//! Folders as paths, for systems without handles of them: a folder that is swapped for a link while files are replaced
//! is not noticed.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// See [`super`].
#[derive(Debug)]
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        if fs::canonicalize(path)? != path {
            return Err(io::Error::new(io::ErrorKind::NotADirectory, "it goes through a link now"));
        }
        Ok(Self(path.to_path_buf()))
    }

    pub(super) fn is_file(&self, name: &OsStr) -> io::Result<Option<bool>> {
        match fs::symlink_metadata(self.0.join(name)) {
            Ok(metadata) => Ok(Some(metadata.is_file())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(super) fn open_file(&self, name: &OsStr) -> io::Result<File> {
        File::open(self.0.join(name))
    }

    pub(crate) fn check_writable(&self, name: &OsStr) -> io::Result<()> {
        OpenOptions::new().write(true).open(self.0.join(name)).map(drop)
    }

    pub(crate) fn create(&self, name: &OsStr, _: bool) -> io::Result<File> {
        OpenOptions::new().write(true).create_new(true).open(self.0.join(name))
    }

    pub(crate) fn exchange(&self, _: &OsStr, _: &OsStr) -> io::Result<bool> {
        Ok(false)
    }

    pub(crate) fn rename_new(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        if self.is_file(to)?.is_some() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        fs::rename(self.0.join(from), self.0.join(to))
    }

    pub(crate) fn rename_over(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        fs::rename(self.0.join(from), self.0.join(to))
    }

    pub(crate) fn remove(&self, name: &OsStr) -> io::Result<()> {
        fs::remove_file(self.0.join(name))
    }

    pub(crate) fn make_folder(&self, name: &OsStr) -> io::Result<()> {
        fs::create_dir(self.0.join(name))
    }

    pub(crate) fn remove_folder(&self, name: &OsStr) -> io::Result<()> {
        fs::remove_dir(self.0.join(name))
    }

    #[allow(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
    pub(crate) fn sync(&self) -> io::Result<()> {
        // Where folders can be opened they can be told to reach the disk; elsewhere the system does as it likes.
        match File::open(&self.0) {
            Ok(folder) => {
                let _ = folder.sync_all();
                Ok(())
            }
            Err(_) => Ok(()),
        }
    }
}
