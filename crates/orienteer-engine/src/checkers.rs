//! Who says what is wrong with a file?
//!
//! The server that has it, and the linters beside it that the user named.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use orienteer_lsp::{Failure, Lease};

use crate::Session;

/// Servers, each with the files that it is asked about.
#[derive(Debug, Default)]
pub(crate) struct Groups(BTreeMap<(String, PathBuf), (Lease, Vec<PathBuf>)>);

impl Groups {
    pub(crate) fn add(&mut self, lease: Lease, file: &Path) {
        let key = (lease.server_id().to_owned(), lease.root().to_path_buf());
        self.0.entry(key).or_insert_with(|| (lease, Vec::new())).1.push(file.to_path_buf());
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn into_values(self) -> impl Iterator<Item = (Lease, Vec<PathBuf>)> {
        self.0.into_values()
    }
}

impl Session {
    /// The server of a file, or why there is none, then the linters. None is started yet.
    pub(crate) async fn checkers_of(&self, file: &Path) -> Vec<Result<Lease, Failure>> {
        let first = self.lease(file).await;
        let id = first.as_ref().ok().map(Lease::server_id);
        let linters = self.engine().fleet.linters(file, id).await;
        std::iter::once(first).chain(linters).collect()
    }
}
