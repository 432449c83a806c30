//! How is a change that was not finished taken back?
//!
//! It may have been cut short anywhere, also while it was being taken back. So nothing is assumed: for each path what is
//! there now, and what is beside it under our name, tells what is left to do.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::PathBuf;

use orienteer_base::Roots;

use super::entry::{Entry, FolderPath, Record};
use super::perform::{place, remove_if_there};
use super::{Book, Journal};
use crate::error::EditError;
use crate::folder::{self, Folder};

/// What is at a path, in the words of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Now {
    Nothing,
    Before,
    After,
    /// Somebody else's.
    Else,
}

impl Journal {
    /// Puts every file back. Returns those that somebody else has changed meanwhile: they are left alone.
    pub(super) fn restore(&self, book: &Book, entry: &Entry) -> Result<Vec<PathBuf>, EditError> {
        let mut left = Vec::new();
        let mut failed = None;
        let swapped = entry.is_staged(&book.folder);
        for (at, record) in entry.records.iter().enumerate().rev() {
            // The others are put back whatever is wrong with this one.
            match self.restore_one(book, entry, at, swapped) {
                // What was not touched need not be put back, whoever has changed it.
                Ok(back) if back || !swapped => {}
                Ok(_) => left.push(record.path.clone()),
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        if let Some(error) = failed {
            return Err(error);
        }
        for FolderPath(made) in entry.made.iter().rev() {
            if let Ok((parent, name)) = place(made) {
                self.step("unmake folder").map_err(|error| EditError::io(made, "putting back", error))?;
                // One that somebody has put something into stays.
                let _ = parent.remove_folder(name);
            }
        }
        if !left.is_empty() {
            // What they were is not thrown away with the old entries.
            let kept = book.folder.join(&entry.id).join("kept");
            super::write_synced(&kept, b"")
                .map_err(|error| EditError::io(&kept, "writing the journal", error))?;
        }
        Ok(left)
    }

    /// Which files are not known to be as they were. Before everything new waits beside its place, all of them are.
    pub(super) fn not_as_before(&self, book: &Book, entry: &Entry) -> Vec<PathBuf> {
        if !entry.is_staged(&book.folder) {
            return Vec::new();
        }
        let is_as_before = |record: &&Record| {
            let now = place(&record.path).and_then(|(folder, name)| self.now(&folder, name, record));
            let was = if record.before.is_some() { Now::Before } else { Now::Nothing };
            now.is_ok_and(|now| now == was)
        };
        let others = entry.records.iter().filter(|record| !is_as_before(record));
        others.map(|record| record.path.clone()).collect()
    }

    /// Takes away what stayed beside a file although the change that it belonged to has ended. Nothing else is touched: only
    /// names of this change, only files, and of those that waited only the two texts that the journal knows.
    pub(super) fn sweep_entry(&self, entry: &Entry, roots: &Roots) -> usize {
        let mut swept = 0;
        for (at, record) in
            entry.records.iter().enumerate().filter(|(_, record)| roots.contains(&record.path))
        {
            let Ok((folder, _)) = place(&record.path) else { continue };
            for name in [entry.writing_name(at), entry.copy_name(at), entry.waiting_name(at)] {
                let is_half_written = name != entry.waiting_name(at);
                let is_ours = match self.now(&folder, &name, record) {
                    Ok(Now::Before | Now::After) => true,
                    Ok(Now::Else) => {
                        is_half_written && matches!(folder.look(&name), Ok(folder::Entry::File(_)))
                    }
                    Ok(Now::Nothing) | Err(_) => false,
                };
                if is_ours && folder.remove(&name).is_ok() {
                    tracing::warn!(beside = %record.path.display(), "took away what a change had left beside a file");
                    swept += 1;
                }
            }
        }
        swept
    }

    /// Puts one file back and takes away what waits beside it; `false`: it is somebody else's now.
    fn restore_one(&self, book: &Book, entry: &Entry, at: usize, swapped: bool) -> Result<bool, EditError> {
        let Some(record) = entry.records.get(at) else { return Ok(true) };
        let (folder, name) = match place(&record.path) {
            Ok(place) => place,
            // Its folder was not made yet, or is gone, or is something else now.
            Err(EditError::Io { error, .. })
                if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
            {
                return Ok(record.before.is_none());
            }
            Err(error) => return Err(error),
        };
        let failed = |error| EditError::io(&record.path, "putting back", error);
        let waiting = entry.waiting_name(at);
        let back = !swapped || self.put_back(book, entry, at, &folder, name, &waiting)?;
        self.step("unstage").map_err(failed)?;
        // What somebody wrote in the last moment and could not go back to its place is nowhere else.
        let theirs = !back && self.now(&folder, &waiting, record)? == Now::Else;
        let names = [(!theirs).then_some(waiting), Some(entry.writing_name(at)), Some(entry.copy_name(at))];
        for name in names.into_iter().flatten() {
            remove_if_there(&folder, &name).map_err(failed)?;
        }
        folder.sync().map_err(failed)?;
        Ok(back)
    }

    /// `false`: it is somebody else's now.
    fn put_back(
        &self,
        book: &Book,
        entry: &Entry,
        at: usize,
        folder: &Folder,
        name: &OsStr,
        waiting: &OsStr,
    ) -> Result<bool, EditError> {
        let Some(record) = entry.records.get(at) else { return Ok(true) };
        let failed = |error| EditError::io(&record.path, "putting back", error);
        let now = self.now(folder, name, record)?;
        let beside = self.now(folder, waiting, record)?;
        self.step("put back").map_err(failed)?;
        match (&record.before, &record.after, now) {
            // Never got there, or is back already.
            (Some(_), _, Now::Before) | (None, _, Now::Nothing) | (None, None, _) => Ok(true),
            // The new content still waits: whatever is there, we did not put it there.
            (_, Some(_), _) if beside == Now::After => Ok(true),
            (Some(_), Some(_), Now::After) => {
                // The old file itself is beside it, or what somebody wrote to it in the last moment.
                if matches!(beside, Now::Before | Now::Else)
                    && folder.exchange(waiting, name).map_err(failed)?
                {
                    return Ok(true);
                }
                let copy = self.stage_copy(book, entry, at, folder)?;
                folder.rename_over(&copy, name).map_err(failed)?;
                Ok(true)
            }
            // Not taken out by us: that moves it beside its place.
            (Some(_), None, _) if beside == Now::Nothing => Ok(true),
            (Some(_), None, Now::Nothing) => {
                folder.rename_new(waiting, name).map_err(failed)?;
                Ok(true)
            }
            (None, Some(_), Now::After) => {
                folder.remove(name).map_err(failed)?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// The old content from the journal, beside its place.
    fn stage_copy(
        &self,
        book: &Book,
        entry: &Entry,
        at: usize,
        folder: &Folder,
    ) -> Result<OsString, EditError> {
        let content = entry.before(&book.folder, at)?;
        let copy = entry.copy_name(at);
        if let Some(record) = entry.records.get(at) {
            let names = (entry.writing_name(at), copy.clone());
            for name in [&names.0, &names.1] {
                remove_if_there(folder, name)
                    .map_err(|error| EditError::io(&record.path, "putting back", error))?;
            }
            self.stage(&record.path, &names, &content, record.before.and_then(|state| state.owned))?;
        }
        Ok(copy)
    }

    fn now(&self, folder: &Folder, name: &OsStr, record: &Record) -> Result<Now, EditError> {
        let found = folder.look(name).map_err(|error| EditError::io(&record.path, "reading", error))?;
        Ok(match found {
            folder::Entry::Nothing => Now::Nothing,
            folder::Entry::File(found) if record.before.is_some_and(|state| state.sha256 == found.digest) => {
                Now::Before
            }
            folder::Entry::File(found) if record.after.is_some_and(|state| state.sha256 == found.digest) => {
                Now::After
            }
            _ => Now::Else,
        })
    }
}
