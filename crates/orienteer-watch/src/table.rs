//! Which files do we know, and what has each cursor not been told?
//!
//! Every cursor has a list of the paths that changed since it was last answered, each with whether the file was
//! there at that time. Whether it is there now is in the table. The two together are the answer: created,
//! changed, deleted, or, for a file that came and went in between, nothing. Such files are taken off the list at
//! once, so a list is never longer than the files there were plus the files there are, however long nobody asks:
//! no cursor can fall behind, and a cursor with nothing to tell costs nothing.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::ops::Bound;
use std::path::{MAIN_SEPARATOR_STR, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::SystemTime;

use crate::stamp::{Look, Stamp};

/// Paths relative to the root, as text: ordered byte by byte, what is below a folder stands together, and
/// comparing is several times faster than with `Path`, which takes each side apart.
pub(crate) type Name = OsString;

/// One file found on disk.
#[derive(Debug)]
pub(crate) struct Sighting {
    pub(crate) name: Name,
    pub(crate) look: Look,
}

/// What an equal stamp means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Equal {
    /// The same file.
    Same,
    /// The same file, unless our stamp was too young to be trusted: then it is reported as changed. Once too
    /// often is harmless, once too few is not.
    SameUnlessRacy,
}

/// For each path, whether the file was there when the cursor was last answered.
type Pending = BTreeMap<Name, bool>;

/// What one asker has been told of one root. Dropping it ends the bookkeeping for it.
#[derive(Debug)]
pub struct Cursor {
    table: u64,
    pending: Arc<Mutex<Pending>>,
}

impl Cursor {
    /// One that has been told nothing: the first answer names every file as created. So does the first answer of
    /// a watch to a cursor of another watch.
    pub fn knowing_nothing() -> Self {
        Self { table: 0, pending: Arc::default() }
    }
}

/// The paths of an answer.
#[derive(Debug, Default)]
pub(crate) struct Told {
    pub(crate) created: Vec<PathBuf>,
    pub(crate) changed: Vec<PathBuf>,
    pub(crate) deleted: Vec<PathBuf>,
}

/// The snapshot and its readers.
#[derive(Debug)]
pub(crate) struct Table {
    id: u64,
    files: BTreeMap<Name, Look>,
    /// Files whose stamp was too young to be trusted when it was taken.
    young: Vec<Name>,
    readers: Vec<Weak<Mutex<Pending>>>,
}

impl Table {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            files: BTreeMap::new(),
            young: Vec::new(),
            readers: Vec::new(),
        }
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &Name> {
        self.files.keys()
    }

    pub(crate) fn len(&self) -> usize {
        self.files.len()
    }

    pub(crate) fn get(&self, name: &OsStr) -> Option<Stamp> {
        self.files.get(name).map(|look| look.stamp)
    }

    pub(crate) fn contains(&self, name: &OsStr) -> bool {
        self.files.contains_key(name)
    }

    /// A cursor that knows what the table holds now.
    pub(crate) fn cursor(&mut self) -> Cursor {
        let cursor = Cursor { table: self.id, pending: Arc::default() };
        self.readers.retain(|reader| reader.strong_count() > 0);
        self.readers.push(Arc::downgrade(&cursor.pending));
        cursor
    }

    /// Everything the cursor has not been told, and marks it as told.
    pub(crate) fn tell(&mut self, cursor: &mut Cursor, root: &Path) -> Told {
        let mut told = Told::default();
        if cursor.table != self.id {
            *cursor = self.cursor();
            told.created = self.files.keys().map(|name| root.join(name)).collect();
            return told;
        }
        let pending = std::mem::take(&mut *cursor.pending.lock().unwrap_or_else(PoisonError::into_inner));
        for (name, was_there) in pending {
            match (was_there, self.contains(&name)) {
                (true, true) => told.changed.push(root.join(name)),
                (false, true) => told.created.push(root.join(name)),
                (true, false) => told.deleted.push(root.join(name)),
                (false, false) => {}
            }
        }
        told
    }

    /// Whether there is something that the cursor has not been told.
    pub(crate) fn has_news(&self, cursor: &Cursor) -> bool {
        cursor.table != self.id || !cursor.pending.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// Trusts the stamps that were old enough at the time `asked`, of files that `untouched` says no event was
    /// about since we looked: all events from before that time are here, and a change after it would have left
    /// another stamp. Without this, every recent edit would be told again when all files are next looked at.
    pub(crate) fn trust(&mut self, asked: SystemTime, untouched: impl Fn(&Name) -> bool) {
        let files = &mut self.files;
        self.young.retain(|name| match files.get_mut(name) {
            Some(look) if look.racy && (look.stamp.is_racy(asked) || !untouched(name)) => true,
            Some(look) => {
                look.racy = false;
                false
            }
            None => false,
        });
    }

    /// Notes a file that was seen. Whether that is news.
    pub(crate) fn put(&mut self, name: Name, look: Look, equal: Equal) -> bool {
        if look.racy {
            self.young.push(name.clone());
        }
        match self.files.get_mut(&name) {
            Some(known) => {
                let news = replace(known, look, equal);
                if news {
                    self.note(&name, true);
                }
                news
            }
            None => {
                self.note(&name, false);
                self.files.insert(name, look);
                true
            }
        }
    }

    /// Notes that there is no file of this name. Whether that is news.
    pub(crate) fn remove(&mut self, name: &OsStr) -> bool {
        let Some((name, _)) = self.files.remove_entry(name) else { return false };
        self.readers.retain(|reader| {
            let Some(pending) = reader.upgrade() else { return false };
            let mut pending = pending.lock().unwrap_or_else(PoisonError::into_inner);
            match pending.get(&name) {
                Some(false) => _ = pending.remove(&name),
                Some(true) => {}
                None => _ = pending.insert(name.clone(), true),
            }
            true
        });
        true
    }

    /// Notes that nothing is left below a folder.
    pub(crate) fn remove_below(&mut self, folder: &OsStr) {
        let gone: Vec<Name> = self
            .files
            .range(from(folder))
            .map(|(name, _)| name)
            .take_while(|name| is_below(name, folder))
            .cloned()
            .collect();
        for name in gone {
            self.remove(&name);
        }
    }

    /// Makes the part of the table below a folder equal to what was found there. Names at or below one of
    /// `unknown` that were not found are left as they are: nobody could look.
    pub(crate) fn reconcile(
        &mut self,
        folder: &OsStr,
        mut found: Vec<Sighting>,
        unknown: &[Name],
        equal: Equal,
    ) {
        if folder.is_empty() {
            // All that are still young are found again now; nobody else empties the list without a watcher.
            self.young.clear();
        }
        found.sort_unstable_by(|one, other| one.name.cmp(&other.name));
        let mut found = found.into_iter().peekable();
        let (mut new, mut changed, mut gone) = (Vec::new(), Vec::new(), Vec::new());
        let known = self.files.range_mut(from(folder)).take_while(|(name, _)| is_below(name, folder));
        for (name, look) in known {
            while let Some(sighting) = found.next_if(|next| next.name < *name) {
                new.push(sighting);
            }
            match found.next_if(|next| next.name == *name) {
                Some(sighting) => {
                    if sighting.look.racy {
                        self.young.push(name.clone());
                    }
                    if replace(look, sighting.look, equal) {
                        changed.push(name.clone());
                    }
                }
                None => {
                    if !unknown.iter().any(|unknown| name == unknown || is_below(name, unknown)) {
                        gone.push(name.clone());
                    }
                }
            }
        }
        new.extend(found);
        for name in changed {
            self.note(&name, true);
        }
        for name in gone {
            self.remove(&name);
        }
        for sighting in new {
            self.put(sighting.name, sighting.look, equal);
        }
    }

    fn note(&mut self, name: &OsStr, was_there: bool) {
        self.readers.retain(|reader| {
            let Some(pending) = reader.upgrade() else { return false };
            let mut pending = pending.lock().unwrap_or_else(PoisonError::into_inner);
            if !pending.contains_key(name) {
                pending.insert(name.to_owned(), was_there);
            }
            true
        });
    }
}

/// Whether the file is another one than before.
fn replace(known: &mut Look, look: Look, equal: Equal) -> bool {
    let racy = known.racy && equal == Equal::SameUnlessRacy;
    let same = known.stamp == look.stamp && !racy;
    // A stamp that has come of age is trusted from now on only if this look was a full one.
    if !same || equal == Equal::SameUnlessRacy {
        *known = look;
    }
    !same
}

/// Where the names below a folder begin.
pub(crate) fn from(folder: &OsStr) -> (Bound<OsString>, Bound<OsString>) {
    if folder.is_empty() {
        return (Bound::Unbounded, Bound::Unbounded);
    }
    let mut start = folder.to_owned();
    start.push(MAIN_SEPARATOR_STR);
    (Bound::Included(start), Bound::Unbounded)
}

/// Whether a name lies below a folder; everything lies below the root, whose name is empty.
pub(crate) fn is_below(name: &OsStr, folder: &OsStr) -> bool {
    let rest = name.as_encoded_bytes().strip_prefix(folder.as_encoded_bytes());
    folder.is_empty() || rest.is_some_and(|rest| rest.starts_with(MAIN_SEPARATOR_STR.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(racy: bool) -> Look {
        let metadata = std::fs::metadata(".").unwrap();
        Look { stamp: Stamp::of(&metadata), racy }
    }

    fn other_look() -> Look {
        Look { stamp: Stamp::of(&std::fs::metadata("Cargo.toml").unwrap()), racy: false }
    }

    fn told(table: &mut Table, cursor: &mut Cursor) -> [Vec<String>; 3] {
        let told = table.tell(cursor, Path::new(""));
        [told.created, told.changed, told.deleted]
            .map(|paths| paths.iter().map(|path| path.display().to_string()).collect())
    }

    fn nothing() -> [Vec<String>; 3] {
        Default::default()
    }

    #[test]
    fn what_came_and_went_is_not_told_and_what_went_and_came_is_changed() {
        let mut table = Table::new();
        table.put("stays".into(), look(false), Equal::Same);
        let mut cursor = table.cursor();
        table.put("brief".into(), look(false), Equal::Same);
        table.remove(OsStr::new("brief"));
        assert!(cursor.pending.lock().unwrap().is_empty());
        table.remove(OsStr::new("stays"));
        table.put("stays".into(), look(false), Equal::Same);
        assert_eq!(told(&mut table, &mut cursor), [vec![], vec!["stays".to_owned()], vec![]]);
        assert_eq!(told(&mut table, &mut cursor), nothing());
        table.remove(OsStr::new("stays"));
        table.put("stays".into(), look(false), Equal::Same);
        table.remove(OsStr::new("stays"));
        assert_eq!(told(&mut table, &mut cursor), [vec![], vec![], vec!["stays".to_owned()]]);
    }

    #[test]
    fn each_cursor_is_told_once_and_a_dropped_one_costs_nothing() {
        let mut table = Table::new();
        let (mut one, mut two) = (table.cursor(), table.cursor());
        table.put("a".into(), look(false), Equal::Same);
        assert_eq!(told(&mut table, &mut one)[0], ["a"]);
        table.put("b".into(), look(false), Equal::Same);
        drop(two);
        table.put("c".into(), look(false), Equal::Same);
        assert_eq!(table.readers.len(), 1);
        two = Cursor::knowing_nothing();
        assert_eq!(told(&mut table, &mut two)[0], ["a", "b", "c"]);
        assert_eq!(told(&mut table, &mut two), nothing());
        assert_eq!(told(&mut table, &mut one)[0], ["b", "c"]);
    }

    #[test]
    fn an_equal_stamp_that_was_racy_counts_once() {
        let mut table = Table::new();
        table.put("a".into(), look(true), Equal::Same);
        assert!(!table.put("a".into(), look(false), Equal::Same));
        assert!(table.put("a".into(), look(false), Equal::SameUnlessRacy));
        assert!(!table.put("a".into(), look(false), Equal::SameUnlessRacy));
        assert!(table.put("a".into(), other_look(), Equal::Same));
    }

    #[test]
    fn reconciling_a_folder_leaves_its_neighbours_alone() {
        let mut table = Table::new();
        for name in ["a", "a.b", "a/one", "a/two/x", "a0", "b"] {
            table.put(name.into(), look(false), Equal::Same);
        }
        let mut cursor = table.cursor();
        let found = vec![
            Sighting { name: "a/three".into(), look: look(false) },
            Sighting { name: "a/one".into(), look: other_look() },
        ];
        table.reconcile(OsStr::new("a"), found, &[], Equal::Same);
        let expected = [vec!["a/three".to_owned()], vec!["a/one".to_owned()], vec!["a/two/x".to_owned()]];
        assert_eq!(told(&mut table, &mut cursor), expected);
        table.reconcile(OsStr::new(""), Vec::new(), &["a".into()], Equal::Same);
        assert_eq!(table.names().collect::<Vec<_>>(), ["a", "a/one", "a/three"]);
        table.remove_below(OsStr::new("a"));
        assert_eq!(table.names().collect::<Vec<_>>(), ["a"]);
    }
}
