//! Which files need a search for text not open?
//!
//! The trigram file of the index says which files may match, the watcher says which of them are still what was indexed
//! and which files there are. What neither knows is opened. The answer is that of a scan, always.

use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use orienteer_base::question::TextQuery;
use orienteer_base::{Cancel, Stopped};
use orienteer_index::store::{File, RelativePath, trigrams_path};
use orienteer_index::trigram::{Content, Coverage, Plan, TrigramError, Trigrams};
use orienteer_search::text::narrow::{FileList, Narrow, Narrowed};
use orienteer_watch::{Cursor, Watch};

use super::Index;
use super::folders::Folders;
use super::fresh::Look;
use crate::Session;

/// An index that nobody searched yet is opened at this search: before, opening it would take longer than it saves.
const WORTH_OPENING: u64 = 2;

/// Files of the disk and which of them the trigram file speaks of.
#[derive(Debug)]
pub(super) struct Covered {
    generation: u64,
    trigrams: Arc<Trigrams>,
    list: Arc<FileList>,
    coverage: Coverage,
    /// What changed since.
    cursor: Cursor,
    folders: Folders,
}

/// Narrows one search.
#[derive(Debug)]
struct Narrower {
    index: Arc<Index>,
    watch: Arc<Watch>,
}

impl Narrow for Narrower {
    fn narrow(&self, query: &TextQuery, cancel: &Cancel) -> Option<Narrowed> {
        let plan = Plan::of(query);
        if plan.is_everything() {
            return None;
        }
        self.index.narrow(&self.watch, &plan, cancel).ok().flatten()
    }
}

impl Session {
    /// What lets a search of the workspace leave files unopened, if anything does. Blocks.
    pub(crate) fn narrower(&self, query: &TextQuery) -> Option<Arc<dyn Narrow>> {
        let root = self.roots().workspace();
        let selection = &query.selection;
        if selection.no_ignore || selection.hidden || !query.scope.absolute().starts_with(root) {
            return None;
        }
        let index = self.engine().index(root)?;
        if !index.is_open() {
            let often = index.wished.fetch_add(1, Ordering::Relaxed) + 1 >= WORTH_OPENING;
            if often && index.is_built() {
                let watch = self.watch();
                index.begin_unasked(&watch, false);
            }
            return None;
        }
        let watch = self.watch();
        Some(Arc::new(Narrower { index, watch }))
    }
}

impl Index {
    pub(super) fn is_open(&self) -> bool {
        self.lock().open.is_some()
    }

    /// Whether somebody has built one, this process or another.
    pub(super) fn is_built(&self) -> bool {
        self.build.folder.join("CURRENT").is_file()
    }

    /// What must be opened where only what satisfies a plan can match; `None` when nothing can be said.
    pub(super) fn narrow(
        self: &Arc<Self>,
        watch: &Arc<Watch>,
        plan: &Plan,
        cancel: &Cancel,
    ) -> Result<Option<Narrowed>, Stopped> {
        let generation = self.lock().open.as_ref().map(|open| open.generation);
        let mut held = self.covered.lock().unwrap_or_else(PoisonError::into_inner);
        let known = held.take().filter(|covered| Some(covered.generation) == generation);
        let kept = match known {
            Some(covered) => covered.kept(watch, cancel)?,
            None => None,
        };
        *held = match kept {
            Some(covered) => Some(covered),
            None => self.cover(watch, cancel)?,
        };
        let Some(covered) = held.as_ref() else { return Ok(None) };
        match covered.trigrams.candidates(plan, cancel) {
            Ok(candidates) => Ok(covered.coverage.narrow(&candidates).map(|narrowing| Narrowed {
                list: covered.list.clone(),
                open: narrowing.open,
                binary: narrowing.binary,
            })),
            Err(TrigramError::Stopped(stopped)) => Err(stopped),
            Err(error) => {
                *held = None;
                self.heal(watch, &error);
                Ok(None)
            }
        }
    }

    /// Ties the trigram file to the files there are; `None` when the index does not know all of them as they are.
    fn cover(self: &Arc<Self>, watch: &Arc<Watch>, cancel: &Cancel) -> Result<Option<Covered>, Stopped> {
        if !self.is_open() {
            return Ok(None);
        }
        // Whatever changes from here on is told to this cursor, whether or not the index saw it.
        let mut cursor = watch.cursor();
        let view = match self.look(watch, cancel) {
            // What lies apart is searched anyway, so that it need not be seen.
            Ok(Look::Ready(view)) if view.stale == 0 && view.complete => view,
            _ => return Ok(None),
        };
        let path = trigrams_path(&self.build.folder, view.generation);
        let trigrams = match Trigrams::open(&path) {
            Ok(trigrams) => Arc::new(trigrams),
            Err(TrigramError::Stopped(stopped)) => return Err(stopped),
            Err(error) => {
                self.heal(watch, &error);
                return Ok(None);
            }
        };
        let Some(known) = view.store.read().ok().filter(|reader| reader.generation() == view.generation)
        else {
            return Ok(None);
        };
        let Ok(known) = known.files() else { return Ok(None) };
        let root = &self.build.root;
        let folders = Folders::of(root, &watch.files(), cancel)?;
        let list = FileList::with_apart(root, watch.files(), folders.apart());
        let coverage = Coverage::new(&trigrams, contents(root, &list, &known));
        tracing::debug!(files = list.files().len(), covered = coverage.covered(), "searches are narrowed");
        let changes = watch.changes(&mut cursor);
        if !changes.complete || !changes.created.is_empty() || !changes.deleted.is_empty() {
            return Ok(None);
        }
        let generation = view.generation;
        let mut covered = Covered { generation, trigrams, list: Arc::new(list), coverage, cursor, folders };
        covered.uncover(&changes.changed);
        Ok(Some(covered))
    }

    /// A damaged trigram file is made again with the rest, once nobody waits for it.
    fn heal(self: &Arc<Self>, watch: &Arc<Watch>, error: &TrigramError) {
        tracing::warn!(%error, "the index is built again");
        self.begin_unasked(watch, true);
    }
}

impl Covered {
    /// Itself as long as the same files are there; those that changed are opened from now on.
    fn kept(mut self, watch: &Watch, cancel: &Cancel) -> Result<Option<Self>, Stopped> {
        let changes = watch.changes(&mut self.cursor);
        let same = changes.complete && changes.created.is_empty() && changes.deleted.is_empty();
        if !same || self.folders.look(cancel)? {
            return Ok(None);
        }
        self.uncover(&changes.changed);
        Ok(Some(self))
    }

    fn uncover(&mut self, changed: &[std::path::PathBuf]) {
        for path in changed {
            if let Some(place) = self.list.place(path) {
                self.coverage.uncover(place);
            }
        }
    }
}

/// For each file of the list, in its order, what the trigram file should know of it.
fn contents<'f>(
    root: &'f Path,
    list: &'f FileList,
    known: &'f [File],
) -> impl Iterator<Item = Option<(u32, Content)>> + 'f {
    // Both are in the order of their bytes.
    let mut left = known.iter().peekable();
    list.files().iter().map(move |path| {
        let path = RelativePath::below(root, path)?;
        while left.next_if(|file| file.path < path).is_some() {}
        let file = left.next_if(|file| file.path == path)?;
        Some((file.trigrams?, Content { size: file.stamp.size, hash: file.hash }))
    })
}
