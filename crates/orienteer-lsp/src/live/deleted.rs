//! Which files does a server know to be gone?

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Files that are remembered.
const MOST: usize = 10_000;

/// Those that it was told of.
#[derive(Debug, Default)]
pub(crate) struct Deleted(Mutex<HashSet<PathBuf>>);

impl Deleted {
    pub(crate) fn add(&self, paths: &[PathBuf]) {
        if paths.is_empty() {
            return;
        }
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() > MOST {
            known.clear();
        }
        known.extend(paths.iter().cloned());
    }

    pub(crate) fn has(&self, path: &Path) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(path)
    }
}
