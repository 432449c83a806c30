//! Which entries does a listing hold, in which order?

use std::fs::Metadata;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use ignore::{DirEntry, WalkState};
use orienteer_base::answer::Warning;
use orienteer_base::listing::{Entry, Listing};
use orienteer_base::path::look_exactly;
use orienteer_base::question::{EntryOrder, EntryType};
use orienteer_base::{Answer, Cancel, Problem, RootedPath, Roots, Source};

use crate::page::{Page, PathKey, modified_ns};
use crate::walk::{self, Skips, Walk};

/// A page of everything below a folder that passes.
#[derive(Debug)]
pub(crate) struct Gather<'a> {
    pub(crate) roots: &'a Roots,
    pub(crate) folder: &'a RootedPath,
    pub(crate) walk: Walk,
    pub(crate) order: EntryOrder,
    pub(crate) details: bool,
    pub(crate) skip: usize,
    pub(crate) per_page: usize,
    /// Folders at this depth are not entered although the question did not ask for that in so many words; and what to
    /// do about it.
    pub(crate) deepest: Option<(usize, &'static str)>,
}

struct State {
    page: Page<EntryKey, Entry>,
    listing: Listing,
}

impl Gather<'_> {
    /// `prunes` says which folders are not entered, `takes` which entries are listed.
    pub(crate) fn run(
        self,
        cancel: &Cancel,
        prunes: impl Fn(&DirEntry) -> bool + Sync,
        takes: impl Fn(&DirEntry, EntryType, &Metadata) -> bool + Sync,
    ) -> Result<Answer<Listing>, Problem> {
        let same = walk::enter(self.folder)?;
        let limit = self.skip.saturating_add(self.per_page);
        let state = Mutex::new(State { page: Page::new(limit, None), listing: Listing::default() });
        let skips = Skips::default();
        let not_entered = AtomicU64::new(0);
        self.walk.run(self.folder.absolute(), self.roots, &skips, cancel, || {
            |found: DirEntry| {
                let metadata = match found.metadata() {
                    Ok(metadata) => metadata,
                    Err(error) => {
                        if let Some(io) = error.io_error() {
                            skips.add_walked(self.roots, found.path(), io);
                        }
                        return WalkState::Skip;
                    }
                };
                let Some(kind) = kind(&metadata) else { return WalkState::Continue };
                let pruned = kind == EntryType::Directory && prunes(&found);
                let is_deepest = self.deepest.is_some_and(|(depth, _)| depth == found.depth());
                if kind == EntryType::Directory && !pruned && is_deepest {
                    not_entered.fetch_add(1, Ordering::Relaxed);
                }
                if !pruned && takes(&found, kind, &metadata) {
                    // Another folder may have been listed under its name: what is told of is looked at by itself.
                    match look_exactly(found.path()) {
                        Ok(now) if now.file_type() == metadata.file_type() => {
                            self.add(&state, &found, kind, &now);
                        }
                        Ok(_) => {}
                        Err(error) => skips.add_walked(self.roots, found.path(), &error),
                    }
                }
                if pruned { WalkState::Skip } else { WalkState::Continue }
            }
        });
        cancel.check()?;
        skips.leave(self.roots, self.folder, &same);
        let State { page, mut listing } = state.into_inner().unwrap_or_else(PoisonError::into_inner);
        let (entries, remaining) = page.finish();
        listing.entries = entries.into_iter().skip(self.skip).collect();
        (listing.skipped, listing.skipped_count) = skips.finish();
        let not_entered = not_entered.into_inner();
        let capped = remaining > 0 || not_entered > 0;
        let (completeness, warning) = walk::judge(capped, &listing.skipped, listing.skipped_count);
        let mut answer = Answer::new(listing, completeness, Source::Text);
        answer.warnings.extend(warning);
        if let (1.., Some((_, advice))) = (not_entered, self.deepest) {
            let message = format!("{not_entered} folders at the depth limit were not entered; {advice}");
            answer.warnings.push(Warning::new("depth_limit", message));
        }
        Ok(answer)
    }

    fn add(&self, state: &Mutex<State>, found: &DirEntry, kind: EntryType, metadata: &Metadata) {
        let size = if kind == EntryType::File { metadata.len() } else { 0 };
        let modified = metadata.modified().ok();
        let path = self.roots.show(found.path());
        let key = EntryKey::new(self.order, found.path(), path, size, modified.map_or(0, modified_ns));
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        state.listing.total_count += 1;
        state.listing.bytes += size;
        match kind {
            EntryType::File => state.listing.files += 1,
            EntryType::Directory => state.listing.directories += 1,
            EntryType::Symlink => {}
        }
        state.page.count(&key);
        if state.page.admits(&key) {
            let entry = Entry {
                path: key.path.0.clone(),
                entry_type: kind,
                size,
                modified,
                permissions: if self.details { mode(metadata) } else { None },
            };
            state.page.keep(key, entry);
        }
    }
}

/// What an entry is; `None` for pipes, sockets and devices, which are neither read nor listed.
fn kind(metadata: &Metadata) -> Option<EntryType> {
    let kind = metadata.file_type();
    if kind.is_symlink() {
        Some(EntryType::Symlink)
    } else if kind.is_dir() {
        Some(EntryType::Directory)
    } else {
        kind.is_file().then_some(EntryType::File)
    }
}

/// The permission bits, where the system has such bits.
#[cfg(unix)]
pub(crate) fn mode(metadata: &Metadata) -> Option<u32> {
    use std::os::unix::fs::MetadataExt;
    Some(metadata.mode() & 0o7777)
}

#[cfg(not(unix))]
pub(crate) fn mode(_: &Metadata) -> Option<u32> {
    None
}

/// Smallest first; what should come first in descending order is stored as its complement.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct EntryKey {
    number: u64,
    extension: String,
    path: PathKey,
}

impl EntryKey {
    fn new(order: EntryOrder, name: &Path, path: String, size: u64, modified: u64) -> Self {
        let number = match order {
            EntryOrder::Name | EntryOrder::Extension => 0,
            EntryOrder::Size => u64::MAX - size,
            EntryOrder::Time => u64::MAX - modified,
        };
        let extension = if order == EntryOrder::Extension { extension(name) } else { String::new() };
        Self { number, extension, path: PathKey(path) }
    }
}

/// In lower case, empty where there is none.
pub(crate) fn extension(path: &Path) -> String {
    path.extension().map_or_else(String::new, |extension| extension.to_string_lossy().to_lowercase())
}
