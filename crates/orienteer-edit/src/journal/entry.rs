//! What was done, as it is written down?

use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use orienteer_base::Digest;
use serde::{Deserialize, Serialize};

use super::{sync_folder, write_synced};
use crate::error::EditError;
use crate::folder::Owned;

/// A path, whatever its bytes are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    Text(String),
    Bytes(Vec<u8>),
}

impl From<&Path> for Written {
    fn from(path: &Path) -> Self {
        match path.to_str() {
            Some(text) => Self::Text(text.to_owned()),
            None => Self::Bytes(path.as_os_str().as_encoded_bytes().to_vec()),
        }
    }
}

impl Written {
    fn path(self) -> Option<PathBuf> {
        match self {
            Self::Text(text) => Some(PathBuf::from(text)),
            #[cfg(unix)]
            Self::Bytes(bytes) => {
                use std::os::unix::ffi::OsStringExt;
                Some(PathBuf::from(OsString::from_vec(bytes)))
            }
            #[cfg(not(unix))]
            Self::Bytes(bytes) => String::from_utf8(bytes).ok().map(OsString::from).map(PathBuf::from),
        }
    }
}

/// A path in JSON.
mod written {
    use super::{Path, PathBuf, Written};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
        Written::from(path).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
        let written = Written::deserialize(deserializer)?;
        written.path().ok_or_else(|| serde::de::Error::custom("not a path"))
    }
}

/// A file as it was or became.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct State {
    pub(super) sha256: Digest,
    pub(super) bytes: u64,
    /// `None`: what the system gives to new files.
    pub(super) owned: Option<Owned>,
}

/// One path. What was there is kept in the file `before` of the entry, one behind the other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    #[serde(with = "written")]
    pub(super) path: PathBuf,
    pub(super) before: Option<State>,
    pub(super) after: Option<State>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FolderPath(#[serde(with = "written")] pub(super) PathBuf);

/// One change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Entry {
    pub(super) format: u32,
    pub(super) id: String,
    pub(super) title: String,
    pub(super) undoes: Vec<String>,
    pub(super) records: Vec<Record>,
    /// Folders that did not exist, the outermost first.
    pub(super) made: Vec<FolderPath>,
    /// Folders that go when they are empty, the deepest first.
    pub(super) emptied: Vec<FolderPath>,
}

pub(super) const FORMAT: u32 = 1;

impl Entry {
    pub(super) fn paths(&self) -> Vec<PathBuf> {
        self.records.iter().map(|record| record.path.clone()).collect()
    }

    /// Under which name the new content waits beside its place, and the old one afterwards.
    pub(super) fn waiting_name(&self, at: usize) -> OsString {
        OsString::from(format!(".orienteer-{}-{at}", self.id))
    }

    /// Under which name a content is written before it waits: what is half-written must never be taken for a whole one.
    pub(super) fn writing_name(&self, at: usize) -> OsString {
        OsString::from(format!(".orienteer-{}-{at}-new", self.id))
    }

    /// Under which name an old content from the journal waits. Not the same: what is half-written there must never be
    /// taken for what came out of a place.
    pub(super) fn copy_name(&self, at: usize) -> OsString {
        OsString::from(format!(".orienteer-{}-{at}-copy", self.id))
    }

    pub(super) fn save(&self, folder: &Path) -> std::io::Result<()> {
        let bytes = serde_json::to_vec(self).map_err(std::io::Error::other)?;
        write_synced(&folder.join("entry.json"), &bytes)?;
        sync_folder(folder);
        Ok(())
    }

    pub(super) fn load(book: &Path, id: &str) -> Result<Self, EditError> {
        let damaged = |what: String| EditError::Damaged { id: id.to_owned(), what };
        let bytes =
            std::fs::read(book.join(id).join("entry.json")).map_err(|error| damaged(error.to_string()))?;
        let entry: Self = serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?;
        if entry.format != FORMAT || entry.id != id {
            return Err(damaged(format!("format {} of `{}`", entry.format, entry.id)));
        }
        Ok(entry)
    }

    /// Everything new waits beside its place; before that nothing has changed places.
    pub(super) fn is_staged(&self, book: &Path) -> bool {
        book.join(&self.id).join("staged").exists()
    }

    pub(super) fn is_applied(&self, book: &Path) -> bool {
        book.join(&self.id).join("applied").exists()
    }

    /// What was at a path before.
    pub(super) fn before(&self, book: &Path, at: usize) -> Result<Vec<u8>, EditError> {
        let damaged = |what: String| EditError::Damaged { id: self.id.clone(), what };
        let Some(state) = self.records.get(at).and_then(|record| record.before) else {
            return Err(damaged(format!("it has no copy number {at}")));
        };
        let earlier = self.records.iter().take(at).filter_map(|record| record.before);
        let offset: u64 = earlier.map(|state| state.bytes).sum();
        let read = || {
            let mut file = File::open(book.join(&self.id).join("before"))?;
            file.seek(SeekFrom::Start(offset))?;
            let mut bytes = Vec::new();
            file.take(state.bytes).read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        let bytes = read().map_err(|error: std::io::Error| damaged(error.to_string()))?;
        if state.sha256 != crate::overlay::digest(&bytes) {
            return Err(damaged(format!("its copy number {at} is another text")));
        }
        Ok(bytes)
    }
}

/// Says that a change has begun.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Mark {
    pub(super) id: String,
    #[serde(with = "written")]
    pub(super) root: PathBuf,
    /// Every root that has a file of the change.
    pub(super) roots: Vec<FolderPath>,
}

impl Mark {
    pub(super) fn read(path: &Path) -> Option<Self> {
        let bytes = std::fs::read(path).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// In one instant: a mark is whole or absent.
    pub(super) fn write(&self, path: &Path) -> std::io::Result<()> {
        let bytes = serde_json::to_vec(self).map_err(std::io::Error::other)?;
        let beside = path.with_extension("new");
        write_synced(&beside, &bytes)?;
        std::fs::rename(&beside, path)?;
        if let Some(folder) = path.parent() {
            sync_folder(folder);
        }
        Ok(())
    }
}
