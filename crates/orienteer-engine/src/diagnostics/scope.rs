//! Which files are to be checked?

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use orienteer_base::ask::CheckScope;
use orienteer_base::{Cancel, Language, Problem};

use crate::Session;

/// Files of a folder or workspace that servers are asked about in one call.
const MOST_FILES: usize = 1_000;

/// The files of a scope.
pub(super) struct InScope {
    pub(super) files: Vec<PathBuf>,
    /// How many more there are.
    pub(super) left: usize,
    /// Somebody named them one by one.
    pub(super) explicit: bool,
}

impl Session {
    pub(super) async fn files_in(&self, scope: &CheckScope, cancel: &Cancel) -> Result<InScope, Problem> {
        let mut explicit = true;
        let mut files: Vec<PathBuf> = Vec::new();
        match scope {
            CheckScope::Files(paths) => {
                for path in paths {
                    if path.absolute().is_dir() {
                        explicit = false;
                        files.extend(self.checkable(Some(path.absolute().to_path_buf()), cancel).await?);
                    } else {
                        files.push(path.absolute().to_path_buf());
                    }
                }
            }
            CheckScope::Changed => {
                explicit = false;
                let has_owner = |path: &PathBuf| !self.engine().fleet.owners(path).is_empty();
                files = self.changed_files(cancel).await?.into_iter().filter(has_owner).collect();
            }
            CheckScope::Workspace => {
                explicit = false;
                files = self.checkable(None, cancel).await?;
            }
        }
        let mut seen = HashSet::new();
        files.retain(|path| seen.insert(path.clone()));
        let all = files.len();
        files.truncate(MOST_FILES);
        Ok(InScope { left: all - files.len(), files, explicit })
    }

    /// Files below a folder that some server takes.
    async fn checkable(&self, folder: Option<PathBuf>, cancel: &Cancel) -> Result<Vec<PathBuf>, Problem> {
        let session = self.clone();
        self.paint(cancel, move |_| {
            let inside = |path: &Path| folder.as_ref().is_none_or(|folder| path.starts_with(folder));
            let fleet = &session.engine().fleet;
            let files = session.workspace().files().into_iter();
            // Data formats are checked when somebody names the file: a workspace is asked about for its code.
            let is_code = |path: &Path| Language::by_path(path).is_none_or(|language| !language.is_data());
            Ok(files.filter(|path| inside(path) && is_code(path) && !fleet.owners(path).is_empty()).collect())
        })
        .await
    }
}
