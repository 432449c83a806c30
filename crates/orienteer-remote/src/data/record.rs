//! What was fetched, and what were its files?

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use orienteer_base::sha256::Undigested;
use orienteer_base::{Cancel, Digest, Stopped};
use serde::{Deserialize, Serialize};

use super::{DataError, Fault, Order};

const NAME: &str = "record.json";
/// A record is a list of names; this is room for more than any archive may have.
const MOST_BYTES: u64 = 16 << 20;
const DEEPEST: usize = 64;

/// The note that stands beside what was fetched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    pub url: String,
    /// Of the download.
    pub sha256: Digest,
    pub unpacked: bool,
    /// By path, with `/` between names.
    pub files: BTreeMap<String, DataFile>,
}

/// A file that was fetched, or was in an archive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataFile {
    pub bytes: u64,
    pub sha256: Digest,
}

impl Record {
    /// Of everything in a folder.
    pub(super) fn of(order: &Order, folder: &Path, cancel: &Cancel) -> Result<Self, DataError> {
        let mut files = BTreeMap::new();
        for path in files_below(folder).map_err(super::disk(folder))? {
            let whole = folder.join(&path);
            let bytes = fs::metadata(&whole).map_err(super::disk(&whole))?.len();
            let sha256 = match digest(&whole, cancel) {
                Ok(digest) => digest,
                Err(Undigested::Io(error)) => return Err(super::disk(&whole)(error)),
                Err(Undigested::Stopped(_) | Undigested::TooLarge { .. }) => return Err(DataError::Stopped),
            };
            files.insert(path, DataFile { bytes, sha256 });
        }
        Ok(Self { url: order.url.clone(), sha256: order.sha256, unpacked: order.unpack, files })
    }

    /// Whether there is one, good or bad.
    pub(super) fn is_at(place: &Path) -> bool {
        place.join(NAME).exists()
    }

    pub(super) fn read(place: &Path) -> Result<Self, String> {
        let path = place.join(NAME);
        let data = fs::symlink_metadata(&path).map_err(|error| error.to_string())?;
        if !data.is_file() || data.len() > MOST_BYTES {
            return Err("it is not a small file".to_owned());
        }
        let text = fs::read(&path).map_err(|error| error.to_string())?;
        serde_json::from_slice(&text).map_err(|error| error.to_string())
    }

    pub(super) fn write(&self, place: &Path) -> io::Result<()> {
        let mut file = tempfile::NamedTempFile::new_in(place)?;
        serde_json::to_writer_pretty(&mut file, self)?;
        file.write_all(b"\n")?;
        file.as_file().sync_all()?;
        file.persist(place.join(NAME)).map_err(|error| error.error)?;
        Ok(())
    }

    pub(super) fn remove(&self, place: &Path) -> io::Result<()> {
        match fs::remove_file(place.join(NAME)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Where a folder differs from what was fetched.
    pub(super) fn faults(&self, folder: &Path, cancel: &Cancel) -> Result<Vec<Fault>, Stopped> {
        let mut faults = Vec::new();
        let there = files_below(folder).unwrap_or_default();
        for (path, file) in &self.files {
            if there.binary_search(path).is_err() {
                faults.push(Fault::Missing { path: path.clone() });
                continue;
            }
            match digest(&folder.join(path), cancel) {
                Ok(found) if found == file.sha256 => {}
                Err(Undigested::Stopped(stopped)) => return Err(stopped),
                _ => faults.push(Fault::Changed { path: path.clone() }),
            }
        }
        let added = there.into_iter().filter(|path| !self.files.contains_key(path));
        faults.extend(added.map(|path| Fault::Added { path }));
        Ok(faults)
    }
}

fn digest(path: &Path, cancel: &Cancel) -> Result<Digest, Undigested> {
    if !fs::symlink_metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a file").into());
    }
    Digest::of(&mut File::open(path)?, u64::MAX, cancel)
}

/// Paths of everything below a folder that is not a folder, sorted. Links are told and not followed.
fn files_below(folder: &Path) -> io::Result<Vec<String>> {
    let mut files = Vec::new();
    let mut folders = vec![(folder.to_path_buf(), String::new(), 0)];
    while let Some((folder, above, depth)) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let path = format!("{above}{}", entry.file_name().to_string_lossy());
            if entry.file_type()?.is_dir() && depth < DEEPEST {
                folders.push((entry.path(), path + "/", depth + 1));
            } else {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}
