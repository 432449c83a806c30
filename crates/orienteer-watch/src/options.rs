//! How much is watched, and where may we write?

use std::ffi::OsString;
use std::path::PathBuf;

/// What a [`crate::Watch`] may use.
#[derive(Debug, Clone)]
pub struct Options {
    /// A folder of ours outside every project; made when it is missing. An empty file is in it for a moment, to see that
    /// watching works.
    pub proof_folder: PathBuf,
    /// With more folders than this nothing is watched and every question looks at all files.
    pub max_watched_folders: usize,
    /// With more files than this the answer covers only those already known and says that it is not complete.
    pub max_files: usize,
    /// Never watch: every question looks at all files.
    pub polling: bool,
    /// Names of files and folders that are left out wherever they are; `.git` always is.
    pub ignored_names: Vec<OsString>,
}

impl Options {
    /// The limits fit the largest repositories on an ordinary machine: a folder costs the kernel about 1 kB, a
    /// file costs us about 150 bytes.
    pub fn new(proof_folder: impl Into<PathBuf>) -> Self {
        Self {
            proof_folder: proof_folder.into(),
            max_watched_folders: 50_000,
            max_files: 500_000,
            polling: false,
            ignored_names: [".hg", ".svn", ".jj"].map(OsString::from).to_vec(),
        }
    }
}
