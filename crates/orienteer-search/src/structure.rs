//! Where does code of a shape stand?
//!
//! Every file of the language is read, but only those that contain the pattern's longest fixed word are
//! parsed. Totals are exact, and a page holds the first matches by path and place.

mod file;
mod page;

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use ignore::WalkState;
use orienteer_base::answer::Warning;
use orienteer_base::listing::{FileMatches, Matches, SearchStats};
use orienteer_base::question::StructureQuery;
use orienteer_base::{Answer, Cancel, ErrorKind, Language, PathError, Problem, Roots, Source};
use orienteer_syntax::{Limits, ParseError, Pattern, PatternError};

use crate::selection::{self, Globs};
use crate::stoppable;
use crate::walk::{self, Skips, Walk};
use page::MatchPage;

/// Searches a file or the files of one language below a folder.
///
/// `remaining` counts matches after this page; the next one starts inside or behind its last file.
pub fn search_structure(
    roots: &Roots,
    query: &StructureQuery,
    cancel: &Cancel,
) -> Result<Answer<Matches>, Problem> {
    let (roots, query, flag) = (roots.clone(), query.clone(), cancel.clone());
    stoppable::run(cancel, move || search(&roots, &query, &flag))
}

fn search(roots: &Roots, query: &StructureQuery, cancel: &Cancel) -> Result<Answer<Matches>, Problem> {
    let started = Instant::now();
    let pattern = Pattern::compile(&query.pattern, query.language, query.strictness).map_err(explain)?;
    let search = Search {
        roots,
        query,
        cancel,
        literal: pattern.literals(),
        pattern,
        limits: Limits::default(),
        skips: Skips::default(),
        page: Mutex::new(MatchPage::new(query.max_results, &query.after)),
        files_searched: AtomicU64::new(0),
        files_matched: AtomicU64::new(0),
        total_matches: AtomicU64::new(0),
    };
    if query.scope.absolute().is_dir() {
        let same = walk::enter(&query.scope)?;
        search.folder()?;
        search.skips.leave(roots, &query.scope, &same);
    } else {
        // A file that was named is searched whatever its name says.
        let file = roots.open_path(&query.scope).and_then(|file| search.file(query.scope.absolute(), file));
        file.map_err(|error| PathError::unopened(query.scope.shown(), error))?;
    }
    cancel.check()?;
    let mut answer = search.finish();
    answer.value.stats.elapsed = started.elapsed();
    Ok(answer)
}

fn explain(error: PatternError) -> Problem {
    let message = error.to_string();
    match error {
        PatternError::Unsupported { supported, .. } => Problem::new(ErrorKind::Unsupported, message)
            .field("language")
            .detail("no_patterns")
            .candidates(supported.into_iter().map(str::to_owned).collect()),
        PatternError::TooLarge => Problem::invalid("pattern", "pattern_too_large", message),
        _ => Problem::invalid("pattern", "invalid_pattern", message),
    }
}

struct Search<'a> {
    roots: &'a Roots,
    query: &'a StructureQuery,
    cancel: &'a Cancel,
    pattern: Pattern,
    literal: Option<String>,
    limits: Limits,
    skips: Skips,
    page: Mutex<MatchPage>,
    files_searched: AtomicU64,
    files_matched: AtomicU64,
    total_matches: AtomicU64,
}

impl Search<'_> {
    fn folder(&self) -> Result<(), Problem> {
        let selection = &self.query.selection;
        let globs = Globs::new(self.roots, &self.query.scope, selection)?;
        let walk = Walk {
            hidden: selection.hidden,
            no_ignore: selection.no_ignore,
            max_depth: None,
            types: selection::types(&selection.file_types)?,
        };
        walk.run(self.query.scope.absolute(), self.roots, &self.skips, self.cancel, || {
            |entry| {
                let kind = entry.file_type();
                if kind.is_some_and(|kind| kind.is_dir()) {
                    return if globs.prunes(entry.path()) { WalkState::Skip } else { WalkState::Continue };
                }
                if kind.is_some_and(|kind| kind.is_file())
                    && is_of(self.query.language, entry.path())
                    && globs.takes(entry.path())
                    && let Err(error) =
                        self.roots.open(entry.path()).and_then(|file| self.file(entry.path(), file))
                {
                    self.skips.add_walked(self.roots, entry.path(), &error);
                }
                WalkState::Continue
            }
        });
        Ok(())
    }

    /// An error where it cannot be looked at.
    fn file(&self, path: &Path, file: File) -> io::Result<()> {
        let shown = self.roots.show(path);
        let modified = file.metadata()?.modified().ok();
        let text = match file::read(file, &self.limits, self.cancel) {
            Ok(Some(text)) => text,
            Ok(None) => return Ok(()),
            Err(error) => {
                self.skips.add_io(self.roots, path, &error);
                return Ok(());
            }
        };
        self.files_searched.fetch_add(1, Ordering::Relaxed);
        self.cancel.advance(1);
        if self.literal.as_ref().is_some_and(|literal| !text.contains(literal.as_str())) {
            return Ok(());
        }
        let wanted = self.page().wanted(&shown);
        let mut collect = file::Collect::new(&text, wanted, self.query.context_lines, &self.query.conceal);
        let result = self.pattern.find(&text, &self.limits, self.cancel, &mut |found| collect.add(found));
        match result {
            Ok(()) => {}
            Err(ParseError::Stopped(_)) => return Ok(()),
            Err(error) => self.skips.add(shown.clone(), error.to_string()),
        }
        if collect.count == 0 {
            return Ok(());
        }
        self.files_matched.fetch_add(1, Ordering::Relaxed);
        self.total_matches.fetch_add(collect.count, Ordering::Relaxed);
        let found = FileMatches {
            file_path: shown,
            match_count: collect.count,
            matches: collect.kept,
            modified,
            binary: false,
        };
        self.page().add(found);
        Ok(())
    }

    fn page(&self) -> std::sync::MutexGuard<'_, MatchPage> {
        self.page.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn finish(self) -> Answer<Matches> {
        let (files, remaining) = self.page.into_inner().unwrap_or_else(PoisonError::into_inner).finish();
        let (skipped, skipped_count) = self.skips.finish();
        let (completeness, warning) = walk::judge(remaining > 0, &skipped, skipped_count);
        let stats = SearchStats {
            files_searched: self.files_searched.into_inner(),
            files_matched: self.files_matched.into_inner(),
            total_matches: self.total_matches.into_inner(),
            ..SearchStats::default()
        };
        let value = Matches { files, stats, remaining, skipped, skipped_count };
        let mut answer = Answer::new(value, completeness, Source::Text);
        answer.warnings.extend(warning);
        // Grammars often call a fragment broken that matches perfectly well.
        if self.pattern.has_errors() && answer.value.stats.total_matches == 0 {
            let message = format!(
                "parts of the pattern are not valid {}; it may match less than was meant",
                self.query.language.name
            );
            answer = answer.warn(Warning::new("pattern_has_errors", message));
        }
        answer
    }
}

/// Whether a file is written in a language, by its name. Headers are C by name but C++ as often.
fn is_of(language: &Language, path: &Path) -> bool {
    Language::by_path(path).is_some_and(|found| found.id == language.id)
        || (language.id == "cpp" && path.extension().is_some_and(|extension| extension == "h"))
}
