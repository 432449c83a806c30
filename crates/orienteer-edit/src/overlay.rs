//! What would the files be after all these changes?
//!
//! Changes are told in order and later ones see what earlier ones did, as the Language Server Protocol has it. Each file
//! is read once, when it is first named; nothing is written.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use orienteer_base::path::{leads_elsewhere, look_exactly};
use orienteer_base::sha256::Sha256;
use orienteer_base::{Digest, Roots};

use crate::diff;
use crate::error::EditError;
use crate::plan::{After, Change, Operation, Plan, Preview};
use crate::text::{self, LineEnds, TextEdit};

/// More files than this in one plan are refused.
const MOST_FILES: usize = 10_000;

/// More bytes than this in one plan are refused.
const MOST_BYTES: usize = 256 << 20;

/// Larger files are not changed.
const LARGEST: u64 = 32 << 20;

/// What happens when a file is already where a new one shall be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    Refuse,
    /// It stays and nothing is done.
    Keep,
    Overwrite,
}

/// What a file has in it, and its SHA-256.
type OnDisk = (Arc<[u8]>, Digest);

#[derive(Debug, Clone)]
struct Content {
    bytes: Arc<[u8]>,
    /// Where it was on disk, and its mode and owner are taken from.
    origin: Option<PathBuf>,
    edits: usize,
}

#[derive(Debug, Clone)]
struct Slot {
    /// As it is on disk.
    before: Option<OnDisk>,
    after: Option<Content>,
}

/// See the module.
#[derive(Debug)]
pub struct Overlay {
    roots: Roots,
    files: BTreeMap<PathBuf, Slot>,
    operations: Vec<Operation>,
    /// Folders whose files all went elsewhere.
    emptied: Vec<PathBuf>,
    bytes: usize,
}

impl Overlay {
    pub fn new(roots: Roots) -> Self {
        Self { roots, files: BTreeMap::new(), operations: Vec::new(), emptied: Vec::new(), bytes: 0 }
    }

    /// The text of a file after the changes so far.
    pub fn text(&mut self, path: &Path) -> Result<Arc<str>, EditError> {
        let path = self.admit(path)?;
        let slot = self.slot(&path)?;
        let Some(content) = &slot.after else { return Err(EditError::Missing { path }) };
        let text = std::str::from_utf8(&content.bytes).map(Arc::from);
        text.map_err(|_| EditError::NotText { path })
    }

    /// Whether there is a file after the changes so far.
    pub fn exists(&mut self, path: &Path) -> Result<bool, EditError> {
        let path = self.admit(path)?;
        Ok(self.slot(&path)?.after.is_some())
    }

    /// Changes parts of a file. Ranges count in its text after the changes so far; line ends become the file's own.
    pub fn edit(&mut self, path: &Path, edits: Vec<TextEdit>) -> Result<(), EditError> {
        let path = self.admit(path)?;
        let slot = self.slot(&path)?;
        let Some(content) = &mut slot.after else { return Err(EditError::Missing { path }) };
        let Ok(text) = std::str::from_utf8(&content.bytes) else { return Err(EditError::NotText { path }) };
        let ends = LineEnds::of(text);
        let mut edits =
            text::normalise(text, edits).map_err(|unfit| EditError::Unfit { path: path.clone(), unfit })?;
        for edit in &mut edits {
            edit.new_text = ends.fit(&edit.new_text);
        }
        edits.retain(|edit| text.get(edit.range.clone()) != Some(edit.new_text.as_str()));
        if edits.is_empty() {
            return Ok(());
        }
        let after = text::apply(text, &edits).into_bytes();
        let added = after.len();
        content.edits += edits.len();
        content.bytes = after.into();
        self.weigh(added)
    }

    pub fn create(&mut self, path: &Path, text: &str, existing: Existing) -> Result<(), EditError> {
        let path = self.admit(path)?;
        if self.is_folder(&path) {
            return Err(EditError::Exists { path });
        }
        below_folders(&path)?;
        let slot = self.slot(&path)?;
        match (&slot.after, existing) {
            (Some(_), Existing::Refuse) => return Err(EditError::Exists { path }),
            (Some(_), Existing::Keep) => return Ok(()),
            _ => {}
        }
        let origin = slot.before.is_some().then(|| path.clone());
        slot.after = Some(Content { bytes: text.as_bytes().into(), origin, edits: 0 });
        self.operations.push(Operation::Create { path });
        self.weigh(text.len())
    }

    /// Moves a file, or a folder with everything in it.
    pub fn rename(&mut self, from: &Path, to: &Path, existing: Existing) -> Result<(), EditError> {
        let (from, to) = (self.admit(from)?, self.admit(to)?);
        if from == to {
            return Ok(());
        }
        if self.is_folder(&from) {
            return self.rename_folder(from, to);
        }
        if self.is_folder(&to) {
            return Err(EditError::Exists { path: to });
        }
        match (self.slot(&to)?.after.is_some(), existing) {
            (true, Existing::Refuse) => return Err(EditError::Exists { path: to }),
            (true, Existing::Keep) => return Ok(()),
            _ => {}
        }
        self.relocate(&from, &to)?;
        self.operations.push(Operation::Rename { from, to });
        Ok(())
    }

    fn rename_folder(&mut self, from: PathBuf, to: PathBuf) -> Result<(), EditError> {
        if to.starts_with(&from) || to.exists() || self.holds_files(&to) {
            return Err(EditError::Exists { path: to });
        }
        for path in self.files_below(&from)? {
            let Ok(relative) = path.strip_prefix(&from) else { continue };
            let target = to.join(relative);
            self.relocate(&path, &target)?;
        }
        self.operations.push(Operation::Rename { from, to });
        Ok(())
    }

    fn relocate(&mut self, from: &Path, to: &Path) -> Result<(), EditError> {
        below_folders(to)?;
        let content = self.slot(from)?.after.take().ok_or(EditError::Missing { path: from.to_path_buf() })?;
        self.slot(to)?.after = Some(content);
        Ok(())
    }

    /// Deletes a file, or with `recursive` a folder with everything in it.
    pub fn delete(&mut self, path: &Path, recursive: bool, ignore_missing: bool) -> Result<(), EditError> {
        let path = self.admit(path)?;
        if self.is_folder(&path) {
            let below = self.files_below(&path)?;
            if !recursive && !below.is_empty() {
                return Err(EditError::Exists { path });
            }
            for file in below {
                self.slot(&file)?.after = None;
            }
        } else if self.slot(&path)?.after.take().is_none() {
            return if ignore_missing { Ok(()) } else { Err(EditError::Missing { path }) };
        }
        self.operations.push(Operation::Delete { path });
        Ok(())
    }

    /// What came of it, with a preview of each file that is not as it was.
    pub fn finish(self) -> Plan {
        let roots = self.roots;
        let mut plan = Plan { operations: self.operations, ..Plan::default() };
        // A file that was moved is shown once, with both of its places.
        let mut moved: BTreeMap<PathBuf, PathBuf> = BTreeMap::new();
        for (path, slot) in &self.files {
            if let Some(origin) = slot.after.as_ref().and_then(|content| content.origin.as_ref())
                && origin != path
            {
                moved.insert(origin.clone(), path.clone());
            }
        }
        for (path, slot) in &self.files {
            let before = slot.before.as_ref().map(|(_, digest)| *digest);
            let after = slot.after.as_ref().map(|content| After {
                content: content.bytes.clone(),
                digest: digest(&content.bytes),
                like: content.origin.clone().filter(|origin| origin != path),
            });
            if before != after.as_ref().map(|after| after.digest) {
                plan.changes.push(Change { path: path.clone(), before, after });
            } else if after.is_some() && self.emptied.iter().any(|folder| path.starts_with(folder)) {
                plan.kept.push(path.clone());
            }
        }
        for (path, slot) in &self.files {
            let goes_to = moved.get(path);
            let came_from = slot.after.as_ref().and_then(|content| content.origin.as_ref());
            if came_from.is_some_and(|origin| origin != path) && slot.before.is_none() {
                continue;
            }
            let shown = goes_to.unwrap_or(path);
            let after = self.files.get(shown).and_then(|slot| slot.after.as_ref());
            let (old, new) = (slot.before.as_ref(), after.map(|content| &content.bytes));
            if old.map(|(bytes, _)| bytes) == new && goes_to.is_none() {
                continue;
            }
            let from = old.map(|_| roots.show(path));
            let to = new.map(|_| roots.show(shown));
            let (was, will) = (old.map_or(&b""[..], |(bytes, _)| bytes), new.map_or(&b""[..], |bytes| bytes));
            plan.previews.push(Preview {
                path: path.clone(),
                new_path: goes_to.cloned(),
                before: old.map(|(_, digest)| *digest),
                edits: after.map_or(0, |content| content.edits),
                diff: diff::unified(from.as_deref(), to.as_deref(), was, will),
            });
        }
        plan.emptied = self.emptied;
        plan.emptied.sort_by_key(|folder| std::cmp::Reverse(folder.components().count()));
        plan.emptied.dedup();
        plan
    }

    fn weigh(&mut self, added: usize) -> Result<(), EditError> {
        self.bytes += added;
        if self.bytes > MOST_BYTES {
            return Err(EditError::TooLarge { what: format!("more than {} MiB of text", MOST_BYTES >> 20) });
        }
        if self.files.len() > MOST_FILES {
            return Err(EditError::TooLarge { what: format!("more than {MOST_FILES} files") });
        }
        Ok(())
    }

    /// The canonical path of what is named: inside the roots, and none of version control's.
    fn admit(&self, path: &Path) -> Result<PathBuf, EditError> {
        let outside = || EditError::Outside { path: path.to_path_buf() };
        if !path.is_absolute() || path.components().any(|part| matches!(part, Component::ParentDir)) {
            return Err(outside());
        }
        // The nearest folder that exists, and what is to be below it.
        let mut existing = path;
        let canonical = loop {
            match std::fs::canonicalize(existing) {
                Ok(canonical) => break canonical,
                // A link that leads nowhere would be written through.
                Err(_) if existing.is_symlink() => {
                    return Err(EditError::Special { path: path.to_path_buf() });
                }
                Err(_) => existing = existing.parent().ok_or_else(outside)?,
            }
        };
        let canonical = match path.strip_prefix(existing) {
            Ok(rest) if !rest.as_os_str().is_empty() => canonical.join(rest),
            _ => canonical,
        };
        if !self.roots.contains(&canonical) {
            return Err(outside());
        }
        if canonical.components().any(|part| part.as_os_str() == ".git") {
            return Err(EditError::Protected { path: canonical });
        }
        Ok(canonical)
    }

    fn slot(&mut self, path: &Path) -> Result<&mut Slot, EditError> {
        if !self.files.contains_key(path) {
            let before = read(path, &self.roots)?;
            self.weigh(before.as_ref().map_or(0, |(bytes, _)| bytes.len()))?;
            let after = before.as_ref().map(|(bytes, _)| Content {
                bytes: bytes.clone(),
                origin: Some(path.to_path_buf()),
                edits: 0,
            });
            self.files.insert(path.to_path_buf(), Slot { before, after });
        }
        self.files.get_mut(path).ok_or_else(|| EditError::Missing { path: path.to_path_buf() })
    }

    fn is_folder(&self, path: &Path) -> bool {
        path.is_dir()
    }

    fn holds_files(&self, folder: &Path) -> bool {
        self.files.iter().any(|(path, slot)| path.starts_with(folder) && slot.after.is_some())
    }

    /// Every file below a folder after the changes so far; its folders are empty then.
    fn files_below(&mut self, folder: &Path) -> Result<Vec<PathBuf>, EditError> {
        let mut found = Vec::new();
        let mut folders = vec![folder.to_path_buf()];
        while let Some(next) = folders.pop() {
            let failed = |error| EditError::io(&next, "reading", error);
            for entry in std::fs::read_dir(&next).map_err(failed)? {
                let entry = entry.map_err(failed)?;
                // Another folder may have been listed in its place.
                let kind = look_exactly(&entry.path()).map_err(failed)?.file_type();
                if entry.file_name() == ".git" {
                    return Err(EditError::Protected { path: entry.path() });
                }
                if kind.is_dir() {
                    folders.push(entry.path());
                } else if kind.is_file() {
                    found.push(entry.path());
                } else {
                    return Err(EditError::Special { path: entry.path() });
                }
                if found.len() + folders.len() > MOST_FILES {
                    return Err(EditError::TooLarge { what: format!("more than {MOST_FILES} files") });
                }
            }
            self.emptied.push(next);
        }
        let known = self.files.keys().filter(|path| path.starts_with(folder)).cloned();
        found.extend(known.collect::<Vec<_>>());
        found.sort();
        found.dedup();
        let mut there = Vec::new();
        for path in found {
            if self.slot(&path)?.after.is_some() {
                there.push(path);
            }
        }
        Ok(there)
    }
}

/// Nothing can be made below a file, also not below one that goes in the same change.
fn below_folders(path: &Path) -> Result<(), EditError> {
    match path.ancestors().skip(1).find(|above| above.is_file()) {
        Some(file) => Err(EditError::Exists { path: file.to_path_buf() }),
        None => Ok(()),
    }
}

pub(crate) fn digest(bytes: &[u8]) -> Digest {
    let mut sha = Sha256::new();
    sha.update(bytes);
    sha.finish()
}

/// What is in a file; `None` when there is none.
fn read(path: &Path, roots: &Roots) -> Result<Option<OnDisk>, EditError> {
    let failed = |error| EditError::io(path, "reading", error);
    let metadata = match std::fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    if !metadata.is_file() {
        return Err(EditError::Special { path: path.to_path_buf() });
    }
    if metadata.len() > LARGEST {
        let what = format!("`{}` is larger than {} MiB", roots.show(path), LARGEST >> 20);
        return Err(EditError::TooLarge { what });
    }
    let mut file = roots.open(path).map_err(|error| {
        if leads_elsewhere(&error) { EditError::Outside { path: path.to_path_buf() } } else { failed(error) }
    })?;
    let mut bytes = Vec::new();
    file.by_ref().take(LARGEST + 1).read_to_end(&mut bytes).map_err(failed)?;
    let seen = digest(&bytes);
    Ok(Some((bytes.into(), seen)))
}
