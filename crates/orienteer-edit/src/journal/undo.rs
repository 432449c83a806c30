//! How is a finished change taken back?

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

use super::Book;
use super::Undo;
use super::entry::{Entry, FolderPath, State};
use super::perform::{Looks, Wanted, Work};
use crate::error::{EditError, Moved};

/// The entries that are meant, the newest first.
pub(super) fn choose(book: &Book, what: &Undo) -> Result<Vec<Entry>, EditError> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut undone: HashSet<String> = HashSet::new();
    for id in book.ids().iter().rev() {
        let Ok(entry) = Entry::load(&book.folder, id) else { continue };
        if !entry.is_applied(&book.folder) {
            continue;
        }
        // What an undo that was itself undone had taken back is there again.
        if !undone.contains(&entry.id) {
            undone.extend(entry.undoes.iter().cloned());
        }
        entries.push(entry);
    }
    match what {
        Undo::Entry(id) => {
            // What can still be taken back, not how earlier ones were.
            let standing = |entry: &&Entry| !undone.contains(&entry.id) && entry.undoes.is_empty();
            let known = || entries.iter().filter(standing).take(10).map(|entry| entry.id.clone()).collect();
            let found = entries.iter().find(|entry| &entry.id == id);
            let entry = found.ok_or_else(|| EditError::NoSuchEntry { id: id.clone(), known: known() })?;
            if undone.contains(id) {
                return Err(EditError::AlreadyUndone { id: id.clone() });
            }
            Ok(vec![entry.clone()])
        }
        Undo::Last(count) => {
            let standing =
                entries.into_iter().filter(|entry| !undone.contains(&entry.id) && entry.undoes.is_empty());
            let chosen: Vec<Entry> = standing.take(*count).collect();
            if chosen.is_empty() {
                return Err(EditError::NothingToUndo);
            }
            if chosen.len() < *count {
                return Err(EditError::FewerToUndo { wanted: *count, left: chosen.len() });
            }
            Ok(chosen)
        }
    }
}

/// Where a path was and is to be again.
struct Way {
    /// What must be there now.
    now: Option<State>,
    then: Option<State>,
    /// Which entry has a copy of it, and under which number.
    copy: (usize, usize),
}

/// What takes entries back, the newest first, as one change.
pub(super) fn reverse(book: &Book, entries: &[Entry]) -> Result<(Vec<Work>, Vec<PathBuf>), EditError> {
    let mut ways: BTreeMap<PathBuf, Way> = BTreeMap::new();
    let mut emptied = Vec::new();
    for (number, entry) in entries.iter().enumerate() {
        for (at, record) in entry.records.iter().enumerate() {
            match ways.get_mut(&record.path) {
                Some(way) => {
                    let sha = |state: &Option<State>| state.map(|state| state.sha256);
                    if sha(&way.then) != sha(&record.after) {
                        // Something else changed the file between the two.
                        return Err(EditError::Stale { files: vec![(record.path.clone(), Moved::Changed)] });
                    }
                    way.then = record.before;
                    way.copy = (number, at);
                }
                None => {
                    let way = Way { now: record.after, then: record.before, copy: (number, at) };
                    ways.insert(record.path.clone(), way);
                }
            }
        }
        emptied.extend(entry.made.iter().rev().map(|FolderPath(path)| path.clone()));
    }
    let mut works = Vec::with_capacity(ways.len());
    for (path, way) in ways {
        if way.now.map(|state| state.sha256) == way.then.map(|state| state.sha256) {
            continue;
        }
        let after = match (way.then, entries.get(way.copy.0)) {
            (Some(state), Some(entry)) => Some(Wanted {
                content: entry.before(&book.folder, way.copy.1)?.into(),
                digest: state.sha256,
                owned: Looks::Exactly(state.owned),
            }),
            _ => None,
        };
        works.push(Work { path, before: way.now.map(|state| state.sha256), after });
    }
    Ok((works, emptied))
}
