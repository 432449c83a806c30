//! How is it done?

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::ErrorKind::{DirectoryNotEmpty, NotFound};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use orienteer_base::{Digest, Roots, private};

use super::entry::{Entry, FORMAT, FolderPath, Mark, Record, State};
use super::{Book, Journal, sync_folder, write_synced};
use crate::error::{EditError, Moved};
use crate::folder::{self, Folder, Found, Owned};
use crate::plan::{Change, Operation, Plan};

/// What shall be at a path.
#[derive(Debug, Clone)]
pub(super) struct Wanted {
    pub(super) content: Arc<[u8]>,
    pub(super) digest: Digest,
    pub(super) owned: Looks,
}

/// Which mode and owner a file gets.
#[derive(Debug, Clone)]
pub(super) enum Looks {
    /// Those of what was there, or of another file, or what the system gives to new files.
    Like(Option<PathBuf>),
    Exactly(Option<Owned>),
}

/// One path, what must be there, and what shall be.
#[derive(Debug, Clone)]
pub(super) struct Work {
    pub(super) path: PathBuf,
    pub(super) before: Option<Digest>,
    pub(super) after: Option<Wanted>,
}

impl Work {
    pub(super) fn of(change: &Change) -> Self {
        let after = change.after.as_ref().map(|after| Wanted {
            content: after.content.clone(),
            digest: after.digest,
            owned: Looks::Like(after.like.clone()),
        });
        Self { path: change.path.clone(), before: change.before, after }
    }
}

/// The folder of a path and its name in it.
pub(super) fn place(path: &Path) -> Result<(Folder, &OsStr), EditError> {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(EditError::Special { path: path.to_path_buf() });
    };
    let folder = Folder::open(parent).map_err(|error| EditError::io(parent, "opening", error))?;
    Ok((folder, name))
}

impl Journal {
    /// Does all of it or nothing. The lock is held and nothing is pending.
    pub(super) fn perform(
        &self,
        book: &Book,
        works: Vec<Work>,
        emptied: &[PathBuf],
        title: &str,
        undoes: &[String],
        roots: &Roots,
    ) -> Result<Entry, EditError> {
        let seen = verify(&works, roots)?;
        let id = book.next_id();
        let folder = book.folder.join(&id);
        let entry = Entry {
            format: FORMAT,
            id,
            title: title.to_owned(),
            undoes: undoes.to_vec(),
            records: works.iter().zip(&seen).map(|(work, seen)| record(work, seen.as_ref())).collect(),
            made: missing_folders(&works).into_iter().map(FolderPath).collect(),
            emptied: emptied.iter().cloned().map(FolderPath).collect(),
        };
        self.write_down(book, &folder, &entry, &seen).map_err(|error| {
            super::remove_folder(&folder);
            EditError::io(&folder, "writing the journal", error)
        })?;
        drop(seen);
        let touched = |root: &&Path| entry.records.iter().any(|record| record.path.starts_with(root));
        let touched = roots.all().filter(touched).map(|root| FolderPath(root.to_path_buf())).collect();
        let mark = Mark { id: entry.id.clone(), root: book.root.clone(), roots: touched };
        let done = self
            .step("mark")
            .and_then(|()| mark.write(&book.pending))
            .map_err(|error| EditError::io(&book.pending, "writing the journal", error))
            .and_then(|()| self.carry_out(&entry, &works, &folder))
            .and_then(|()| self.note(&folder, "applied"));
        if let Err(cause) = done {
            return Err(self.give_up(book, &entry, cause));
        }
        // It is done. A mark that stays makes the next who comes tidy up once more.
        if self.tidy(&entry) && self.step("unmark").and_then(|()| fs::remove_file(&book.pending)).is_ok() {
            sync_folder(&self.pending_folder());
        }
        book.prune(&entry.id);
        Ok(entry)
    }

    /// A change that failed half-way is taken back.
    fn give_up(&self, book: &Book, entry: &Entry, cause: EditError) -> EditError {
        let folder = book.folder.join(&entry.id);
        match self.restore(book, entry) {
            Ok(left) => {
                let unmarked = self.unmark(book).is_ok();
                if left.is_empty() {
                    // Whoever finds the mark needs the entry.
                    if unmarked {
                        super::remove_folder(&folder);
                    }
                    cause
                } else {
                    EditError::NotRestored { cause: Box::new(cause), left, why: None, kept_in: folder }
                }
            }
            // The mark stays: the next who comes tries again.
            Err(error) => {
                tracing::error!(id = entry.id, %error, "a change could not be taken back; it will be tried again");
                let left = self.not_as_before(book, entry);
                if left.is_empty() {
                    return cause;
                }
                let why = Some(error.to_string());
                EditError::NotRestored { cause: Box::new(cause), left, why, kept_in: folder }
            }
        }
    }

    fn write_down(
        &self,
        book: &Book,
        folder: &Path,
        entry: &Entry,
        seen: &[Option<Found>],
    ) -> io::Result<()> {
        self.step("journal")?;
        private::folder(folder)?;
        self.step("copy")?;
        let mut copies = private::create(&folder.join("before"))?;
        for found in seen.iter().flatten() {
            copies.write_all(&found.bytes)?;
        }
        copies.sync_all()?;
        self.step("entry")?;
        entry.save(folder)?;
        sync_folder(&book.folder);
        Ok(())
    }

    /// Writes everything beside its place, then changes places, one after the other.
    fn carry_out(&self, entry: &Entry, works: &[Work], journal: &Path) -> Result<(), EditError> {
        for FolderPath(made) in &entry.made {
            let (parent, name) = place(made)?;
            self.step("make folder")
                .and_then(|()| parent.make_folder(name))
                .map_err(|error| EditError::io(made, "making the folder", error))?;
        }
        for (at, (record, work)) in entry.records.iter().zip(works).enumerate() {
            if let (Some(wanted), Some(state)) = (&work.after, &record.after) {
                let names = (entry.writing_name(at), entry.waiting_name(at));
                self.stage(&record.path, &names, &wanted.content, state.owned)?;
            }
        }
        self.note(journal, "staged")?;
        for (at, record) in entry.records.iter().enumerate() {
            self.swap(record, &entry.waiting_name(at))?;
        }
        let made = entry.made.iter().map(|FolderPath(made)| made.as_path());
        let changed = entry.records.iter().map(|record| record.path.as_path()).chain(made);
        let folders: BTreeSet<&Path> = changed.filter_map(Path::parent).collect();
        for path in folders {
            let folder = Folder::open(path).map_err(|error| EditError::io(path, "opening", error))?;
            self.step("sync folder")
                .and_then(|()| folder.sync())
                .map_err(|error| EditError::io(path, "writing", error))?;
        }
        Ok(())
    }

    /// Writes a content beside its place under the first name, and gives it the second one when it is whole.
    pub(super) fn stage(
        &self,
        path: &Path,
        (writing, waiting): &(OsString, OsString),
        content: &[u8],
        owned: Option<Owned>,
    ) -> Result<(), EditError> {
        let (folder, _) = place(path)?;
        let write = || {
            self.step("stage")?;
            // What has a mode of its own is nobody else's to read meanwhile.
            let mut file = folder.create(writing, owned.is_some())?;
            self.step("write")?;
            file.write_all(content)?;
            if let Some(owned) = owned {
                owned.put_on(&file)?;
            }
            self.step("sync file")?;
            file.sync_all()?;
            self.step("wait")?;
            folder.rename_new(writing, waiting)
        };
        write().map_err(|error| EditError::io(path, "writing", error))
    }

    /// Writes a word into the journal that is there as a whole or not at all.
    fn note(&self, folder: &Path, word: &'static str) -> Result<(), EditError> {
        let write = || {
            self.step(word)?;
            let beside = folder.join(format!("{word}.new"));
            write_synced(&beside, b"")?;
            fs::rename(&beside, folder.join(word))
        };
        write().map_err(|error| EditError::io(folder, "writing the journal", error))?;
        sync_folder(folder);
        Ok(())
    }

    /// The new content goes to its place and the old one out of it. What came out must be what was seen.
    fn swap(&self, record: &Record, waiting: &OsStr) -> Result<(), EditError> {
        let (folder, name) = place(&record.path)?;
        let failed = |error| EditError::io(&record.path, "writing", error);
        let stale = |moved| EditError::Stale { files: vec![(record.path.clone(), moved)] };
        self.step("swap").map_err(failed)?;
        match (&record.before, &record.after) {
            (Some(before), Some(_)) => {
                let exchanged = match folder.exchange(waiting, name) {
                    Ok(exchanged) => exchanged,
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {
                        return Err(stale(Moved::Missing));
                    }
                    Err(error) => return Err(failed(error)),
                };
                if !exchanged {
                    return self.replace(&folder, name, waiting, record, before.sha256);
                }
                self.step("swapped").map_err(failed)?;
                match folder.look(waiting).map_err(failed)? {
                    folder::Entry::File(found) if found.digest == before.sha256 => Ok(()),
                    out => {
                        // Somebody was faster: theirs goes back.
                        folder.exchange(waiting, name).map_err(failed)?;
                        Err(stale(match out {
                            folder::Entry::File(_) => Moved::Changed,
                            _ => Moved::NotAFile,
                        }))
                    }
                }
            }
            (None, Some(_)) => match folder.rename_new(waiting, name) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(stale(Moved::Appeared)),
                done => done.map_err(failed),
            },
            (Some(before), None) => {
                match folder.rename_new(name, waiting) {
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {
                        return Err(stale(Moved::Missing));
                    }
                    done => done.map_err(failed)?,
                }
                self.step("swapped").map_err(failed)?;
                match folder.look(waiting).map_err(failed)? {
                    folder::Entry::File(found) if found.digest == before.sha256 => Ok(()),
                    _ => {
                        folder.rename_new(waiting, name).map_err(failed)?;
                        Err(stale(Moved::Changed))
                    }
                }
            }
            (None, None) => Ok(()),
        }
    }

    /// Where two files cannot change places: a last look, and over it.
    fn replace(
        &self,
        folder: &Folder,
        name: &OsStr,
        waiting: &OsStr,
        record: &Record,
        before: Digest,
    ) -> Result<(), EditError> {
        let failed = |error| EditError::io(&record.path, "writing", error);
        match folder.look(name).map_err(failed)? {
            folder::Entry::File(found) if found.digest == before => {}
            _ => return Err(EditError::Stale { files: vec![(record.path.clone(), Moved::Changed)] }),
        }
        folder.rename_over(waiting, name).map_err(failed)
    }

    /// Takes away what a finished change left beside the files, and folders that are empty now; `false` when
    /// something stayed.
    pub(super) fn tidy(&self, entry: &Entry) -> bool {
        let mut tidied = true;
        for (at, record) in entry.records.iter().enumerate() {
            let waiting = entry.waiting_name(at);
            if record.before.is_some()
                && let Ok((folder, _)) = place(&record.path)
                && let Err(error) = self.step("tidy").and_then(|()| remove_if_there(&folder, &waiting))
            {
                tracing::warn!(path = %record.path.display(), %error, "what was beside a file could not be removed");
                tidied = false;
            }
        }
        for FolderPath(path) in &entry.emptied {
            let Ok((parent, name)) = place(path) else { continue };
            match self.step("remove folder").and_then(|()| parent.remove_folder(name)) {
                // One with something in it stays.
                Err(error) if !matches!(error.kind(), DirectoryNotEmpty | NotFound) => tidied = false,
                _ => {}
            }
        }
        tidied
    }
}

pub(super) fn remove_if_there(folder: &Folder, name: &OsStr) -> io::Result<()> {
    // Asked first: where nothing may be written, even removing nothing is an error.
    if !folder.has(name)? {
        return Ok(());
    }
    match folder.remove(name) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn record(work: &Work, seen: Option<&Found>) -> Record {
    let before = seen.map(|found| State {
        sha256: found.digest,
        bytes: found.bytes.len() as u64,
        owned: Some(found.owned),
    });
    let after = work.after.as_ref().map(|wanted| {
        let like = |path: &PathBuf| fs::symlink_metadata(path).ok().map(|metadata| Owned::of(&metadata));
        let owned = match &wanted.owned {
            Looks::Exactly(owned) => *owned,
            Looks::Like(other) => other.as_ref().and_then(like).or(before.and_then(|state| state.owned)),
        };
        State { sha256: wanted.digest, bytes: wanted.content.len() as u64, owned }
    });
    Record { path: work.path.clone(), before, after }
}

/// Looks at every file: what is there must be what was seen.
fn verify(works: &[Work], roots: &Roots) -> Result<Vec<Option<Found>>, EditError> {
    let mut moved = Vec::new();
    let mut seen = Vec::with_capacity(works.len());
    for work in works {
        if !roots.contains(&work.path) {
            return Err(EditError::Outside { path: work.path.clone() });
        }
        let gone = |error: &EditError| matches!(error, EditError::Io { error, .. } if error.kind() == io::ErrorKind::NotFound);
        let linked = |error: &EditError| matches!(error, EditError::Io { error, .. } if error.kind() == io::ErrorKind::NotADirectory);
        let (folder, name) = match place(&work.path) {
            Ok(place) => place,
            Err(error) if gone(&error) => {
                if work.before.is_some() {
                    moved.push((work.path.clone(), Moved::Missing));
                }
                seen.push(None);
                continue;
            }
            // A folder on the way is a link now.
            Err(error) if linked(&error) => {
                moved.push((work.path.clone(), Moved::NotAFile));
                seen.push(None);
                continue;
            }
            Err(error) => return Err(error),
        };
        let found = folder.look(name).map_err(|error| EditError::io(&work.path, "reading", error))?;
        let (wrong, found) = match (found, work.before) {
            (folder::Entry::Nothing, None) => (None, None),
            (folder::Entry::Nothing, Some(_)) => (Some(Moved::Missing), None),
            (folder::Entry::Other, _) => (Some(Moved::NotAFile), None),
            (folder::Entry::File(_), None) => (Some(Moved::Appeared), None),
            (folder::Entry::File(found), Some(before)) if found.digest == before => (None, Some(found)),
            (folder::Entry::File(_), Some(_)) => (Some(Moved::Changed), None),
        };
        if let Some(found) = &found {
            if found.has_other_names {
                return Err(EditError::HardLinked { path: work.path.clone() });
            }
            folder.check_writable(name).map_err(|error| EditError::io(&work.path, "writing", error))?;
        }
        moved.extend(wrong.map(|wrong| (work.path.clone(), wrong)));
        seen.push(found);
    }
    if moved.is_empty() { Ok(seen) } else { Err(EditError::Stale { files: moved }) }
}

/// Folders that move or go have in them what was seen, and nothing is where they go.
pub(super) fn verify_folders(plan: &Plan) -> Result<(), EditError> {
    let known: BTreeSet<&Path> = plan
        .changes
        .iter()
        .map(|change| change.path.as_path())
        .chain(plan.emptied.iter().chain(&plan.kept).map(PathBuf::as_path))
        .collect();
    let mut moved = Vec::new();
    for folder in &plan.emptied {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if !known.contains(entry.path().as_path()) {
                moved.push((entry.path(), Moved::Appeared));
            }
        }
    }
    for operation in &plan.operations {
        if let Operation::Rename { from, to } = operation
            && plan.emptied.contains(from)
            && fs::symlink_metadata(to).is_ok()
        {
            moved.push((to.clone(), Moved::Appeared));
        }
    }
    if moved.is_empty() { Ok(()) } else { Err(EditError::Stale { files: moved }) }
}

/// Folders that new files need, the outermost first.
fn missing_folders(works: &[Work]) -> Vec<PathBuf> {
    let mut missing = BTreeSet::new();
    for work in works.iter().filter(|work| work.after.is_some()) {
        let absent = work.path.ancestors().skip(1).take_while(|folder| fs::symlink_metadata(folder).is_err());
        missing.extend(absent.map(Path::to_path_buf));
    }
    missing.into_iter().collect()
}
