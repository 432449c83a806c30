//! How is a folder searched whose files are known?
//!
//! Files that must be opened are searched as in a walk. The others are only counted: a scan would have searched
//! them and found nothing, and an answer must not depend on whether there is an index.

use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use grep_regex::RegexMatcher;
use ignore::gitignore::gitconfig_excludes_path;
use orienteer_base::question::Selection;

use super::judge::Judge;
use super::narrow::{FileList, Narrowed, within};
use super::tree::TreeSearch;
use crate::selection::Globs;
use crate::walk::{self, Walk};

/// So many files are judged at a time; judging one takes less than a microsecond.
const CHUNK: u32 = 1024;
/// A thread costs as much as opening this many files.
const FILES_PER_THREAD: u32 = 8;

/// Whether a list says what a walk of this scope with these settings would come by.
pub(super) fn serves(list: &FileList, scope: &Path, selection: &Selection) -> bool {
    // There, files are hidden by an attribute, which a list does not have.
    !cfg!(windows)
        && !selection.no_ignore
        && (!selection.hidden || list.has_all_hidden())
        && scope.starts_with(list.root())
        && !list.apart().iter().any(|folder| scope.starts_with(folder))
        // A folder that is ignored itself can be searched by naming it, and nothing in it is listed.
        && !list.below(scope).is_empty()
        && (scope == list.root() || !has_anchored_excludes())
}

/// Whether the user's own excludes mean something else in each folder that is searched: those with a slash start
/// at the scope.
fn has_anchored_excludes() -> bool {
    let Some(text) = gitconfig_excludes_path().and_then(|path| std::fs::read(path).ok()) else {
        return false;
    };
    text.split(|byte| *byte == b'\n').any(|line| {
        let rule = line.trim_ascii();
        let rule = rule.strip_suffix(b"/").unwrap_or(rule);
        !rule.starts_with(b"#") && rule.contains(&b'/')
    })
}

pub(super) fn search(
    search: &TreeSearch<'_>,
    mut narrowed: Narrowed,
    matcher: &RegexMatcher,
    walk: &Walk,
    globs: &Globs,
) {
    narrowed.open.sort_unstable();
    narrowed.open.dedup();
    let scope = search.query.scope.absolute();
    let range = narrowed.list.below(scope);
    let listed = Listed {
        search,
        scope,
        open: within(&narrowed.open, &range),
        narrowed: &narrowed,
        range,
        walk,
        globs,
    };
    walk.begin(scope, search.roots, &search.skips);
    let all = listed.search_open(matcher);
    listed.count_unopened(all);
    for folder in narrowed.list.apart() {
        if folder.starts_with(scope) && listed.judge().enters(folder) {
            search.walk_part(folder, matcher, walk, globs);
        }
    }
}

struct Listed<'a> {
    search: &'a TreeSearch<'a>,
    scope: &'a Path,
    narrowed: &'a Narrowed,
    range: Range<u32>,
    /// The places of `range` that must be opened.
    open: &'a [u32],
    walk: &'a Walk,
    globs: &'a Globs,
}

/// How many files take part.
struct Taken {
    all: u64,
    opened: u64,
}

impl<'a> Listed<'a> {
    fn judge(&self) -> Judge<'a> {
        Judge::new(self.scope, self.walk, self.globs)
    }

    fn file(&self, place: u32) -> Option<&'a Path> {
        self.narrowed.list.files().get(place as usize).map(|file| &**file)
    }

    fn takes(&self, judge: &mut Judge<'_>, place: u32) -> bool {
        self.file(place).is_some_and(|file| judge.takes(file))
    }

    /// Searches the files that must be opened, and counts who takes part.
    fn search_open(&self, matcher: &RegexMatcher) -> Taken {
        let selection = &self.search.query.selection;
        let is_plain =
            selection.file_types.is_empty() && selection.include.is_empty() && selection.exclude.is_empty();
        let list = &self.narrowed.list;
        let counted =
            if is_plain { Some(self.count_plain()) } else { list.remembered(self.scope, selection) };
        let (all, opened) = (AtomicU64::new(0), AtomicU64::new(0));
        let (next_chunk, next_open) = (AtomicU32::new(0), AtomicU32::new(0));
        let chunks = if counted.is_some() { 0 } else { (self.range.end - self.range.start).div_ceil(CHUNK) };
        let work = || {
            let mut judge = self.judge();
            while let Some(chunk) = take(&next_chunk, chunks) {
                if self.search.cancel.is_cancelled() {
                    return;
                }
                let first = self.range.start + chunk * CHUNK;
                let places = first..self.range.end.min(first.saturating_add(CHUNK));
                let taken = places.filter(|place| self.takes(&mut judge, *place)).count();
                all.fetch_add(taken as u64, Ordering::Relaxed);
            }
            let (matcher, mut searcher) = (matcher.clone(), self.search.searcher());
            while let Some(at) = take(&next_open, self.open.len() as u32) {
                if self.search.cancel.is_cancelled() {
                    return;
                }
                let Some(file) = self.open.get(at as usize).and_then(|place| self.file(*place)) else {
                    continue;
                };
                if judge.takes(file) {
                    opened.fetch_add(1, Ordering::Relaxed);
                    if let Err(error) = self.search.file(file, &matcher, &mut searcher) {
                        self.search.skips.add_io(self.search.roots, file, &error);
                    }
                }
            }
        };
        let wanted = chunks / 4 + self.open.len() as u32 / FILES_PER_THREAD;
        let others = (wanted as usize).min(walk::threads().saturating_sub(1));
        std::thread::scope(|scope| {
            for _ in 0..others {
                // What a thread that could not be started would have done, the others do.
                _ = std::thread::Builder::new().name("search".to_owned()).spawn_scoped(scope, work);
            }
            work();
        });
        let all = counted.unwrap_or_else(|| {
            let all = all.into_inner();
            if !self.search.cancel.is_cancelled() {
                list.remember(self.scope, selection, all);
            }
            all
        });
        Taken { all, opened: opened.into_inner() }
    }

    /// How many files take part where neither types nor globs are given: all but most of the hidden ones.
    fn count_plain(&self) -> u64 {
        let list = &self.narrowed.list;
        let listed = u64::from(self.range.end - self.range.start);
        if self.walk.hidden {
            return listed;
        }
        let dotted = list.dotted(&self.range);
        let find = || {
            let mut judge = self.judge();
            dotted.iter().copied().filter(|place| self.takes(&mut judge, *place)).collect::<Vec<u32>>()
        };
        let taken = if self.scope == list.root() { list.brought_back(find).len() } else { find().len() };
        listed - dotted.len() as u64 + taken as u64
    }

    fn count_unopened(&self, taken: Taken) {
        let unopened = taken.all.saturating_sub(taken.opened);
        let mut judge = self.judge();
        let binary = within(&self.narrowed.binary, &self.range)
            .iter()
            .filter(|place| self.open.binary_search(place).is_err() && self.takes(&mut judge, **place))
            .count();
        self.search.files_searched.fetch_add(unopened, Ordering::Relaxed);
        self.search.binary_files.fetch_add(binary as u64, Ordering::Relaxed);
        self.search.used_index.fetch_or(unopened > 0, Ordering::Relaxed);
        self.search.cancel.advance(unopened);
    }
}

/// The next number below `end`.
fn take(next: &AtomicU32, end: u32) -> Option<u32> {
    let taken = next.fetch_add(1, Ordering::Relaxed);
    (taken < end).then_some(taken)
}
