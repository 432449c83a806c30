//! Which files of a folder match?

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, Searcher};
use ignore::WalkState;
use orienteer_base::listing::{FileMatches, Matches, SearchStats};
use orienteer_base::question::{Detail, TextQuery};
use orienteer_base::{Answer, Cancel, Problem, Roots, Source};

use super::listed;
use super::narrow::Narrow;
use super::sink::Lines;
use crate::page::{FileKey, Page};
use crate::selection::{self, Globs};
use crate::stoppable::{Pace, StoppableRead};
use crate::walk::{self, Skips, Walk};

pub(super) fn search(
    roots: &Roots,
    query: &TextQuery,
    matcher: &RegexMatcher,
    narrow: Option<&dyn Narrow>,
    cancel: &Cancel,
) -> Result<Answer<Matches>, Problem> {
    let globs = Globs::new(roots, &query.scope, &query.selection)?;
    let walk = Walk {
        hidden: query.selection.hidden,
        no_ignore: query.selection.no_ignore,
        max_depth: None,
        types: selection::types(&query.selection.file_types)?,
    };
    let after = FileKey::of_after(query.order, &query.after);
    let search = TreeSearch {
        roots,
        query,
        cancel,
        skips: Skips::default(),
        page: Mutex::new(Page::new(query.files_per_page, after).including(query.after.matches > 0)),
        files_searched: AtomicU64::new(0),
        binary_files: AtomicU64::new(0),
        pace: Pace::default(),
        files_matched: AtomicU64::new(0),
        total_matches: AtomicU64::new(0),
        used_index: AtomicBool::new(false),
    };
    let same = walk::enter(&query.scope)?;
    let scope = query.scope.absolute();
    let narrowed = narrow
        .and_then(|narrow| narrow.narrow(query, cancel))
        .filter(|narrowed| listed::serves(&narrowed.list, scope, &query.selection));
    match narrowed {
        Some(narrowed) => listed::search(&search, narrowed, matcher, &walk, &globs),
        None => search.walk_part(scope, matcher, &walk, &globs),
    }
    cancel.check()?;
    search.skips.leave(roots, &query.scope, &same);
    Ok(search.finish())
}

/// One search of a folder, shared by its threads.
pub(super) struct TreeSearch<'a> {
    pub(super) roots: &'a Roots,
    pub(super) query: &'a TextQuery,
    pub(super) cancel: &'a Cancel,
    pub(super) skips: Skips,
    page: Mutex<Page<FileKey, FileMatches>>,
    pub(super) files_searched: AtomicU64,
    pub(super) binary_files: AtomicU64,
    pace: Pace,
    files_matched: AtomicU64,
    total_matches: AtomicU64,
    pub(super) used_index: AtomicBool,
}

impl TreeSearch<'_> {
    /// Searches what a walk of the scope comes by in `part`, which is the scope itself or a folder in it.
    pub(super) fn walk_part(&self, part: &Path, matcher: &RegexMatcher, walk: &Walk, globs: &Globs) {
        let scope = self.query.scope.absolute();
        walk.run_part(scope, part, self.roots, &self.skips, self.cancel, || {
            // The matcher's scratch memory must not be shared between threads that use it all the time.
            let matcher = matcher.clone();
            let mut searcher = self.searcher();
            move |entry| {
                let kind = entry.file_type();
                if kind.is_some_and(|kind| kind.is_dir()) {
                    return if globs.prunes(entry.path()) { WalkState::Skip } else { WalkState::Continue };
                }
                if kind.is_some_and(|kind| kind.is_file())
                    && globs.takes(entry.path())
                    && let Err(error) = self.file(entry.path(), &matcher, &mut searcher)
                {
                    self.skips.add_walked(self.roots, entry.path(), &error);
                }
                WalkState::Continue
            }
        });
    }

    /// One searcher for many files, which stops at a file's first NUL byte.
    pub(super) fn searcher(&self) -> Searcher {
        super::searcher(self.query, BinaryDetection::quit(0))
    }

    /// An error where it cannot be opened.
    pub(super) fn file(
        &self,
        path: &Path,
        matcher: &RegexMatcher,
        searcher: &mut Searcher,
    ) -> io::Result<()> {
        let file = self.roots.open(path)?;
        // Its path is written out only for a file that matches.
        let mut identity: Option<(FileKey, Option<SystemTime>)> = None;
        let mut admit = || {
            let modified = file.metadata().and_then(|metadata| metadata.modified()).ok();
            let key = FileKey::new(self.query.order, self.roots.show(path), modified);
            let admitted = self.page().admits(&key);
            identity = Some((key, modified));
            admitted && self.query.detail == Detail::Matches
        };
        let mut lines = Lines::new(matcher, self.query, self.cancel, &mut admit);
        lines.pass_over(self.seen(self.roots, path));
        let reader = StoppableRead::new(&file, self.cancel, &self.pace);
        let result = searcher.search_reader(matcher, reader, &mut lines);
        if self.cancel.is_cancelled() {
            return Ok(());
        }
        let (count, binary, matches) = lines.finish();
        if binary {
            self.binary_files.fetch_add(1, Ordering::Relaxed);
        }
        match result {
            Ok(()) => {
                self.files_searched.fetch_add(1, Ordering::Relaxed);
                self.cancel.advance(1);
            }
            Err(error) => self.skips.add_io(self.roots, path, &error),
        }
        if let Some((key, modified)) = identity {
            self.files_matched.fetch_add(1, Ordering::Relaxed);
            self.total_matches.fetch_add(count, Ordering::Relaxed);
            let mut page = self.page();
            page.count(&key);
            if page.admits(&key) {
                let file_path = key.path().to_owned();
                page.keep(key, FileMatches { file_path, match_count: count, matches, modified, binary });
            }
        }
        Ok(())
    }

    /// How many matches of a file the previous page showed.
    fn seen(&self, roots: &Roots, path: &Path) -> u64 {
        let after = &self.query.after;
        let resumed = after.matches > 0 && after.path.as_deref() == Some(roots.show(path).as_str());
        if resumed { after.matches } else { 0 }
    }

    fn page(&self) -> MutexGuard<'_, Page<FileKey, FileMatches>> {
        self.page.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn finish(self) -> Answer<Matches> {
        let (files, remaining) = self.page.into_inner().unwrap_or_else(PoisonError::into_inner).finish();
        let (skipped, skipped_count) = self.skips.finish();
        let after = &self.query.after;
        let listed = |file: &FileMatches| {
            let resumed = after.matches > 0 && after.path.as_deref() == Some(file.file_path.as_str());
            file.matches.len() as u64 + if resumed { after.matches } else { 0 }
        };
        let capped = remaining > 0
            || (self.query.detail == Detail::Matches
                && files.iter().any(|file| listed(file) < file.match_count));
        let (completeness, warning) = walk::judge(capped, &skipped, skipped_count);
        let stats = SearchStats {
            files_searched: self.files_searched.into_inner(),
            files_matched: self.files_matched.into_inner(),
            total_matches: self.total_matches.into_inner(),
            binary_files: self.binary_files.into_inner(),
            used_index: self.used_index.into_inner(),
            ..SearchStats::default()
        };
        let mut answer = Answer::new(
            Matches { files, stats, remaining, skipped, skipped_count },
            completeness,
            Source::Text,
        );
        answer.warnings.extend(warning);
        answer
    }
}
