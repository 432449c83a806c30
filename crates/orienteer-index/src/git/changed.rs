//! Which files differ from a commit?

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use orienteer_base::Cancel;

use super::{Git, GitError, NAMES_ONLY, is_commit, path_of};

/// A file that is not as a commit has it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Changed {
    /// Relative to the folder that was asked about.
    pub path: PathBuf,
    pub change: Change,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// In the folder and not in the commit, whether git knows it or not. Ignored files do not count.
    Added,
    Modified,
    Deleted,
}

impl Git {
    /// Files below a folder that differ from the last commit; before the first one, all that git does not ignore.
    pub fn changed(&self, root: &Path, cancel: &Cancel) -> Result<Option<Vec<Changed>>, GitError> {
        let Some(head) = self.head(root, cancel)? else { return Ok(None) };
        if let Some(commit) = head.commit {
            return self.changed_since(root, &commit, cancel);
        }
        let all = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", "."];
        let Some(listed) = self.ask(root, &all, cancel)? else { return Ok(None) };
        if listed.code != Some(0) {
            return Ok(listed.failed("ls-files")?);
        }
        let paths = listed.bytes.split(|byte| *byte == 0).filter(|path| !path.is_empty());
        Ok(Some(paths.map(|path| Changed { path: path_of(path), change: Change::Added }).collect()))
    }

    /// Files below a folder that differ from a commit as they are on disk now, in order of their paths. Renames are one
    /// deleted and one added file; folders of submodules and nested repositories are left out.
    ///
    /// A file whose filter git would have to run (large file storage, encryption) may be named although it is the same.
    pub fn changed_since(
        &self,
        root: &Path,
        commit: &str,
        cancel: &Cancel,
    ) -> Result<Option<Vec<Changed>>, GitError> {
        if !is_commit(commit) {
            let commit = commit.chars().take(80).collect();
            return Err(GitError::BadCommit { commit });
        }
        // First, because outside of a repository `git diff` compares files and says nothing of it.
        let others = ["ls-files", "-z", "--others", "--exclude-standard", "--", "."];
        let Some(unknown) = self.ask(root, &others, cancel)? else { return Ok(None) };
        if unknown.code != Some(0) {
            return Ok(unknown.failed("ls-files")?);
        }
        let diff = ["diff", "-z"].into_iter().chain(NAMES_ONLY).chain([commit, "--", "."]);
        let arguments: Vec<&OsStr> = diff.map(OsStr::new).collect();
        let Some(answer) = self.0.answer(root, &arguments, cancel)? else { return Ok(None) };
        if answer.code != Some(0) {
            let missing =
                ["bad object", "unknown revision", "bad revision", "ambiguous argument", "Not a valid"];
            if missing.iter().any(|words| answer.said.contains(words)) {
                return Err(GitError::UnknownCommit { commit: commit.to_owned() });
            }
            return Ok(answer.failed("diff")?);
        }
        let mut changed = BTreeMap::new();
        let mut fields = answer.bytes.split(|byte| *byte == 0);
        while let (Some([status, ..]), Some(path)) = (fields.next(), fields.next()) {
            let change = match status {
                b'A' => Change::Added,
                b'D' => Change::Deleted,
                _ => Change::Modified,
            };
            changed.insert(path_of(path), change);
        }
        // A nested repository is named as a folder, with a slash at its end.
        let paths =
            unknown.bytes.split(|byte| *byte == 0).filter(|path| !path.is_empty() && !path.ends_with(b"/"));
        for path in paths {
            // Taken out of the index and still on disk: the commit has it.
            let file = changed.entry(path_of(path)).or_insert(Change::Added);
            if *file == Change::Deleted {
                *file = Change::Modified;
            }
        }
        Ok(Some(changed.into_iter().map(|(path, change)| Changed { path, change }).collect()))
    }
}
