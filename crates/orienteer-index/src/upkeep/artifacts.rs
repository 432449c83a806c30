//! Which files are there?

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::store::{FileKind, file_kind, is_index};

/// People's decisions live in folders of this name, which nothing here looks into.
pub(super) const TRIAGE: &str = "triage";

/// A file of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    pub kind: FileKind,
    pub path: PathBuf,
    pub bytes: u64,
    pub modified: Option<SystemTime>,
}

/// The files of all indexes in and below a folder, by path. Links are not followed.
pub fn artifacts(folder: &Path) -> Vec<Artifact> {
    let mut found = Vec::new();
    for index in indexes(folder) {
        found.extend(of_index(&index));
    }
    found.sort_by(|one, other| one.path.cmp(&other.path));
    found
}

/// The files of the index in one folder.
pub(super) fn of_index(folder: &Path) -> Vec<Artifact> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    if !is_index(folder) {
        return Vec::new();
    }
    entries
        .flatten()
        .filter_map(|entry| {
            let kind = file_kind(entry.file_name().to_str()?)?;
            let metadata = entry.metadata().ok().filter(fs::Metadata::is_file)?;
            Some(Artifact {
                kind,
                path: entry.path(),
                bytes: metadata.len(),
                modified: metadata.modified().ok(),
            })
        })
        .collect()
}

/// How deep below a cache an index may lie.
const DEEPEST: usize = 3;

/// Folders that hold an index: this one and those below it.
pub(super) fn indexes(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![(folder.to_owned(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        if folder.file_name().is_some_and(|name| name == TRIAGE) {
            continue;
        }
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() && depth < DEEPEST {
                folders.push((entry.path(), depth + 1));
            }
        }
        if is_index(&folder) {
            found.push(folder);
        }
    }
    found.sort();
    found
}
