//! Have files changed that nobody watches?
//!
//! The watcher leaves out caches and folders of installed packages. Where no rule ignores them, they are indexed. Few such
//! files are looked at before each answer, with the folders they are in; many are not, and the answer says so.

use std::collections::{BTreeMap, HashSet};
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use orienteer_index::store::{File, FileFlags, Stamp};
use orienteer_watch::Watch;

/// Files and folders that are looked at before each answer: a microsecond or two each.
const MOST: usize = 2_000;

/// What was seen of a path last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Seen {
    /// Nothing that proves anything.
    Unknown,
    Gone,
    As(Stamp),
}

impl Seen {
    fn of(stamp: Option<Stamp>, is_proof: bool) -> Self {
        match stamp {
            Some(stamp) if is_proof => Self::As(stamp),
            _ => Self::Unknown,
        }
    }
}

/// Files of the index in folders that nobody watches.
#[derive(Debug, Default)]
pub(super) struct Unwatched {
    files: usize,
    /// These, and the folders they are in, as the index took them in. Empty when there are too many.
    seen: BTreeMap<PathBuf, Seen>,
}

impl Unwatched {
    /// Those among the files of an index that was built from `begun` on.
    pub(super) fn of(root: &Path, known: &[File], watch: &Watch, begun: SystemTime) -> Self {
        let watched: HashSet<PathBuf> = watch.files().into_iter().collect();
        let mut unwatched = Self::default();
        for file in known {
            let path = file.path.absolute(root);
            if watched.contains(&path) {
                continue;
            }
            unwatched.files += 1;
            if unwatched.seen.len() > MOST {
                continue;
            }
            if let Some(folder) = path.parent().filter(|folder| !unwatched.seen.contains_key(*folder)) {
                // What came into it after the walk had passed shows in its time.
                let before = |metadata: &Metadata| metadata.modified().is_ok_and(|at| at < begun);
                let stamp = fs::symlink_metadata(folder).ok().filter(before);
                let seen = Seen::of(stamp.map(|metadata| Stamp::of(&metadata)), true);
                unwatched.seen.insert(folder.to_owned(), seen);
            }
            unwatched.seen.insert(path, Seen::of(Some(file.stamp), !file.flags.has(FileFlags::YOUNG)));
        }
        if unwatched.seen.len() > MOST {
            unwatched.seen.clear();
        }
        unwatched
    }

    pub(super) fn len(&self) -> usize {
        self.files
    }

    /// How many of them are not looked at.
    pub(super) fn unseen(&self) -> usize {
        if self.seen.is_empty() { self.files } else { 0 }
    }

    /// Those that differ from what was seen last.
    pub(super) fn changed(&mut self) -> Vec<PathBuf> {
        let (mut changed, mut folders) = (Vec::new(), Vec::new());
        let now = SystemTime::now();
        for (path, seen) in &mut self.seen {
            let metadata = fs::symlink_metadata(path).ok();
            let latest = match &metadata {
                None => Seen::Gone,
                // Asked before the file is read, so that a change meanwhile shows at the next look.
                Some(metadata) => Seen::of(Some(Stamp::of(metadata)), !Stamp::is_young(metadata, now)),
            };
            if latest == *seen && latest != Seen::Unknown {
                continue;
            }
            *seen = latest;
            changed.push(path.clone());
            if metadata.is_some_and(|metadata| metadata.is_dir()) {
                folders.push(path.clone());
            }
        }
        folders.iter().for_each(|folder| self.add_new(folder));
        changed
    }

    /// What came into a folder is looked at from now on.
    fn add_new(&mut self, folder: &Path) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_file() || kind.is_dir()) {
                self.seen.entry(entry.path()).or_insert(Seen::Unknown);
            }
        }
        if self.seen.len() > 2 * MOST {
            self.seen.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_new_files_and_lost_ones_are_told() {
        let temp = tempfile::tempdir().unwrap();
        let folder = temp.path().join("cache");
        fs::create_dir(&folder).unwrap();
        let (one, two) = (folder.join("one"), folder.join("two"));
        fs::write(&one, "1").unwrap();
        let old = SystemTime::now() - std::time::Duration::from_secs(60);
        let settle = |path: &Path| fs::File::open(path).unwrap().set_modified(old).unwrap();
        let seen = [folder.clone(), one.clone()].map(|path| (path, Seen::Unknown));
        let mut unwatched = Unwatched { files: 1, seen: BTreeMap::from(seen) };
        let told = |unwatched: &mut Unwatched| {
            // Nothing is proved by a time that is too young.
            let mut told = unwatched.changed();
            while !unwatched.seen.values().all(|seen| *seen != Seen::Unknown) {
                told.extend(unwatched.changed());
            }
            told
        };
        settle(&one);
        settle(&folder);
        told(&mut unwatched);
        assert_eq!(unwatched.changed(), Vec::<PathBuf>::new());
        fs::write(&one, "longer").unwrap();
        assert!(told(&mut unwatched).contains(&one));
        fs::write(&two, "2").unwrap();
        let new = told(&mut unwatched);
        assert!(new.contains(&folder) && new.contains(&two), "{new:?}");
        fs::write(&two, "changed").unwrap();
        assert!(told(&mut unwatched).contains(&two), "what came later is looked at, too");
        fs::remove_file(&one).unwrap();
        assert!(told(&mut unwatched).contains(&one));
        assert!(!told(&mut unwatched).contains(&one), "once is enough");
        assert_eq!(unwatched.unseen(), 0);
        assert_eq!(Unwatched { files: 7, seen: BTreeMap::new() }.unseen(), 7);
    }
}
