//! What a careful reader of the answers believes of the tree, and what is really there.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use orienteer_watch::{Changes, Watch, stamp};

/// The content of each file, read whenever an answer names it. A change that is not told leaves it wrong.
#[derive(Debug, Default)]
pub(crate) struct Model {
    pub(crate) files: BTreeMap<PathBuf, Vec<u8>>,
    /// Files that were away or another one while they were read, to be read again.
    unread: BTreeSet<PathBuf>,
}

impl Model {
    /// What is really there: `hidden` names the files and folders that do not count.
    pub(crate) fn of_disk(root: &Path, hidden: &dyn Fn(&Path) -> bool) -> Self {
        let mut model = Self::default();
        let mut folders = vec![root.to_path_buf()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten() {
                let entry = entry.unwrap();
                let (path, kind) = (entry.path(), entry.file_type().unwrap());
                if hidden(&path) {
                } else if kind.is_dir() {
                    folders.push(path);
                } else if kind.is_file() {
                    let content = fs::read(&path).unwrap();
                    model.files.insert(path, content);
                }
            }
        }
        model
    }

    /// Takes an answer and reads what it names: created files were not there before, the others were.
    pub(crate) fn fold(&mut self, watch: &Watch, changes: &Changes) {
        for (paths, there) in [(&changes.created, false), (&changes.changed, true)] {
            for path in paths {
                assert_eq!(self.files.contains_key(path), there, "{path:?} in {changes:?}");
                self.files.insert(path.clone(), Vec::new());
                self.unread.insert(path.clone());
            }
        }
        for path in &changes.deleted {
            assert!(self.files.remove(path).is_some(), "{path:?} in {changes:?}");
            self.unread.remove(path);
        }
        let files = &mut self.files;
        self.unread.retain(|path| {
            let (before, content, after) = (stamp(path), fs::read(path), stamp(path));
            let trusted = before.is_some() && before == after && before == watch.known(path);
            if let (true, Ok(content)) = (trusted, content) {
                files.insert(path.clone(), content);
                return false;
            }
            true
        });
    }

    /// The paths whose content is not what it is there.
    pub(crate) fn differences(&self, other: &Self) -> BTreeSet<PathBuf> {
        let all = self.files.keys().chain(other.files.keys());
        all.filter(|path| self.files.get(*path) != other.files.get(*path)).cloned().collect()
    }
}
