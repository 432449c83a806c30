//! What was there, what shall be there?

use std::path::PathBuf;
use std::sync::Arc;

use orienteer_base::Digest;

/// One path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub path: PathBuf,
    /// What was there when the plan was made; `None`: nothing.
    pub before: Option<Digest>,
    /// What shall be there; `None`: nothing.
    pub after: Option<After>,
}

/// What shall be at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct After {
    pub content: Arc<[u8]>,
    pub digest: Digest,
    /// A file whose mode and owner a new one gets: the one it was before it was renamed.
    pub like: Option<PathBuf>,
}

/// What is done to whole files, in the order it was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operation {
    Create { path: PathBuf },
    Rename { from: PathBuf, to: PathBuf },
    Delete { path: PathBuf },
}

/// One file as a person sees its change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// Where it is now, or will be when it is new.
    pub path: PathBuf,
    /// Where it goes.
    pub new_path: Option<PathBuf>,
    pub before: Option<Digest>,
    pub edits: usize,
    /// Unified.
    pub diff: String,
}

/// See the module. Paths are canonical, each occurs once, and they are in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    pub changes: Vec<Change>,
    pub operations: Vec<Operation>,
    pub previews: Vec<Preview>,
    /// Folders that are empty afterwards and go, the deepest first.
    pub emptied: Vec<PathBuf>,
    /// Files in them that are to be as they were: something came back, and the folder stays for it.
    pub kept: Vec<PathBuf>,
}

impl Plan {
    /// Nothing would change.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// How much memory it takes, roughly.
    pub fn bytes(&self) -> usize {
        let contents = self.changes.iter().filter_map(|change| change.after.as_ref());
        let diffs: usize = self.previews.iter().map(|preview| preview.diff.len()).sum();
        contents.map(|after| after.content.len()).sum::<usize>() + diffs
    }
}
