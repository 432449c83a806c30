//! Which files has somebody changed, as version control sees it?

use std::path::PathBuf;

use orienteer_base::{Cancel, ErrorKind, Problem};
use orienteer_index::git::{Change, Git};

use crate::Session;
use crate::blocking::blocking;

impl Session {
    /// Files below the workspace root that differ from the last commit, new ones included.
    pub(crate) async fn changed_files(&self, cancel: &Cancel) -> Result<Vec<PathBuf>, Problem> {
        let root = self.roots().workspace().to_path_buf();
        let git = Git::new(&self.engine().environment);
        let failed = |why: String| {
            let message = format!("{why}; name the files with `file_paths`");
            Problem::new(ErrorKind::Unsupported, message).field("scope").detail("no_version_control")
        };
        if !git.is_present() {
            return Err(failed("`git` is not installed".to_owned()));
        }
        let (folder, flag) = (root.clone(), cancel.clone());
        let changed = blocking(cancel, move || Ok(git.changed(&folder, &flag)?)).await;
        let changed = match changed {
            Ok(Some(changed)) => changed,
            Ok(None) => return Err(failed("the workspace is in no git repository".to_owned())),
            Err(problem) if problem.kind == ErrorKind::Cancelled => return Err(problem),
            Err(problem) => return Err(failed(problem.message)),
        };
        let there = changed.into_iter().filter(|file| file.change != Change::Deleted);
        Ok(there.map(|file| root.join(file.path)).filter(|path| path.is_file()).collect())
    }
}
