//! How is the index of a workspace removed?

use std::path::{Path, PathBuf};
use std::time::Duration;

use orienteer_base::Cancel;

use super::artifacts::of_index;
use crate::store::{BuildLock, StoreError, remove_generation};

/// What was removed, or would be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removed {
    pub files: Vec<PathBuf>,
    pub bytes: u64,
    /// It was only asked for.
    pub dry_run: bool,
}

/// Removes the index of a folder and nothing else. Whoever reads it meanwhile is told that it vanished.
pub fn clean(
    folder: &Path,
    dry_run: bool,
    patience: Duration,
    cancel: &Cancel,
) -> Result<Removed, StoreError> {
    let artifacts = of_index(folder);
    let mut files: Vec<PathBuf> = artifacts.iter().map(|artifact| artifact.path.clone()).collect();
    files.sort();
    let removed = Removed { files, bytes: artifacts.iter().map(|artifact| artifact.bytes).sum(), dry_run };
    if !dry_run && !removed.files.is_empty() {
        let lock = BuildLock::take(folder, patience, cancel)?;
        remove_generation(folder, &lock).map_err(|error| StoreError::io(folder, &error))?;
    }
    Ok(removed)
}
