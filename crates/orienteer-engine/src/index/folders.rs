//! Which folders hold nothing that is listed?
//!
//! The watcher leaves out what is ignored, and also what nobody edits: caches, `node_modules`. A search looks into the
//! latter where no rule ignores them. Which they are nobody tells, so every folder that holds none of the listed files
//! counts, and the search decides itself whether it enters. A new one shows in the time of the folder that it is in.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use orienteer_base::{Cancel, Stopped};
use orienteer_watch::Stamp;

/// Folders that files lie in, with the folders in each of them.
#[derive(Debug, Default)]
pub(super) struct Folders(BTreeMap<PathBuf, Seen>);

#[derive(Debug, PartialEq, Eq)]
struct Seen {
    /// `None` when it was too young to prove anything.
    stamp: Option<Stamp>,
    inside: Vec<OsString>,
}

impl Seen {
    fn at(folder: &Path) -> Self {
        // Asked first, so that whatever comes while the folder is read shows later.
        let stamp = stamp(folder);
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let is_folder = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
        let mut inside: Vec<OsString> = entries.filter(is_folder).map(|entry| entry.file_name()).collect();
        inside.sort_unstable();
        Self { stamp, inside }
    }
}

fn stamp(folder: &Path) -> Option<Stamp> {
    let metadata = fs::symlink_metadata(folder).ok()?;
    Some(Stamp::of(&metadata)).filter(|stamp| !stamp.is_recent())
}

impl Folders {
    /// The folders that lead from the root to files.
    pub(super) fn of(root: &Path, files: &[PathBuf], cancel: &Cancel) -> Result<Self, Stopped> {
        let mut folders = Self::default();
        folders.add(root);
        // Neighbours in the list mostly share their folder.
        let mut last: Option<&Path> = None;
        for folder in files.iter().filter_map(|file| file.parent()) {
            if last == Some(folder) {
                continue;
            }
            cancel.check()?;
            last = Some(folder);
            for above in folder.ancestors().take_while(|above| above.starts_with(root)) {
                if !folders.add(above) {
                    break;
                }
            }
        }
        Ok(folders)
    }

    /// Whether the folder is new here.
    fn add(&mut self, folder: &Path) -> bool {
        if self.0.contains_key(folder) {
            return false;
        }
        self.0.insert(folder.to_path_buf(), Seen::at(folder));
        true
    }

    /// Whether folders came or went since the last look.
    pub(super) fn look(&mut self, cancel: &Cancel) -> Result<bool, Stopped> {
        let mut other = false;
        for (number, (folder, seen)) in self.0.iter_mut().enumerate() {
            if number % 256 == 0 {
                cancel.check()?;
            }
            if seen.stamp.is_some() && seen.stamp == stamp(folder) {
                continue;
            }
            let now = Seen::at(folder);
            other |= now.inside != seen.inside;
            *seen = now;
        }
        Ok(other)
    }

    /// Folders that hold none of the files.
    pub(super) fn apart(&self) -> Vec<PathBuf> {
        let inside =
            self.0.iter().flat_map(|(folder, seen)| seen.inside.iter().map(|name| folder.join(name)));
        inside.filter(|folder| !self.0.contains_key(folder)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_without_listed_files_are_apart_however_late_they_come() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        let cancel = Cancel::new();
        for folder in ["a/b", "a/empty/deep", "cache"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        let files = [root.join("a/b/x"), root.join("y")];
        let mut folders = Folders::of(&root, &files, &cancel).unwrap();
        assert_eq!(folders.apart(), [root.join("cache"), root.join("a/empty")]);
        assert!(!folders.look(&cancel).unwrap());
        fs::create_dir(root.join("a/b/node_modules")).unwrap();
        assert!(folders.look(&cancel).unwrap());
        assert_eq!(
            folders.apart(),
            [root.join("cache"), root.join("a/empty"), root.join("a/b/node_modules")]
        );
        fs::remove_dir(root.join("cache")).unwrap();
        assert!(folders.look(&cancel).unwrap());
        assert!(!folders.apart().contains(&root.join("cache")));
    }
}
