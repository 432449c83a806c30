//! How is a file replaced in one instant, and where nobody can put a link?
//!
//! Everything that is written goes through a [`Folder`] that was opened without following a link in any part of its
//! path. Whoever swaps a folder for a link afterwards changes nothing: names are looked up in what was opened.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod portable;

#[cfg(target_os = "linux")]
pub(crate) use linux::Folder;
#[cfg(not(target_os = "linux"))]
pub(crate) use portable::Folder;

use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io::{self, Read};

use orienteer_base::Digest;

use crate::overlay::digest;

/// A file and what is in it.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) bytes: Vec<u8>,
    pub(crate) digest: Digest,
    pub(crate) owned: Owned,
    /// It has hard links.
    pub(crate) has_other_names: bool,
}

/// What a name stands for.
#[derive(Debug)]
pub(crate) enum Entry {
    Nothing,
    File(Found),
    /// A link, a folder, a device.
    Other,
}

/// Larger files are not read: nothing of ours is that large, so it is somebody else's.
const LARGEST: u64 = 512 << 20;

impl Folder {
    /// Whether there is anything of this name.
    pub(crate) fn has(&self, name: &OsStr) -> io::Result<bool> {
        Ok(self.is_file(name)?.is_some())
    }

    /// What is there now.
    pub(crate) fn look(&self, name: &OsStr) -> io::Result<Entry> {
        match self.is_file(name)? {
            None => return Ok(Entry::Nothing),
            Some(false) => return Ok(Entry::Other),
            Some(true) => {}
        }
        let file = match self.open_file(name) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Entry::Nothing),
            Err(error) => return Err(error),
        };
        let metadata = file.metadata()?;
        if !metadata.is_file() || metadata.len() > LARGEST {
            return Ok(Entry::Other);
        }
        let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0));
        file.take(LARGEST).read_to_end(&mut bytes)?;
        Ok(Entry::File(Found {
            digest: digest(&bytes),
            bytes,
            owned: Owned::of(&metadata),
            has_other_names: has_other_names(&metadata),
        }))
    }
}

/// The mode and the owner of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Owned {
    pub(crate) mode: u32,
    pub(crate) user: u32,
    pub(crate) group: u32,
}

impl Owned {
    #[cfg(unix)]
    pub(crate) fn of(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self { mode: metadata.mode() & 0o7777, user: metadata.uid(), group: metadata.gid() }
    }

    #[cfg(not(unix))]
    pub(crate) fn of(metadata: &Metadata) -> Self {
        Self { mode: u32::from(metadata.permissions().readonly()), user: 0, group: 0 }
    }

    /// Gives a new file this mode and owner.
    #[cfg(unix)]
    pub(crate) fn put_on(self, file: &File) -> io::Result<()> {
        use std::os::unix::fs::{PermissionsExt, fchown};
        let now = Self::of(&file.metadata()?);
        if (now.user, now.group) != (self.user, self.group) {
            fchown(file, Some(self.user), Some(self.group))?;
        }
        // After the owner: changing that may take bits away.
        file.set_permissions(std::fs::Permissions::from_mode(self.mode))
    }

    #[cfg(not(unix))]
    pub(crate) fn put_on(self, file: &File) -> io::Result<()> {
        let mut permissions = file.metadata()?.permissions();
        permissions.set_readonly(self.mode == 1);
        file.set_permissions(permissions)
    }
}

#[cfg(unix)]
fn has_other_names(metadata: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    metadata.nlink() > 1
}

#[cfg(not(unix))]
fn has_other_names(_: &Metadata) -> bool {
    false
}
