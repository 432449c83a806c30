//! Which lines match a pattern?
//!
//! The engine and the rules are those of ripgrep. Every file is searched, because totals are exact, but only
//! the files of the page are kept, and a file's lines are collected only while it could still be on the page.

mod judge;
mod listed;
mod matcher;
pub mod narrow;
mod sink;
mod tree;

use std::sync::Arc;
use std::time::Instant;

use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use orienteer_base::listing::{FileMatches, Matches, SearchStats};
use orienteer_base::question::{Detail, TextQuery};
use orienteer_base::{Answer, Cancel, ErrorKind, PathError, Problem, Roots, Source};

use crate::stoppable::{self, Pace, StoppableRead};
use crate::walk;
pub(crate) use matcher::{check_length, tail};
use narrow::Narrow;
use sink::Lines;

/// The most lines of context around a match.
pub const MOST_CONTEXT: usize = 50;
/// The longest line, and for patterns over several lines the largest file, that is searched. What needs more
/// is reported as skipped.
const MOST_MEMORY: usize = 64 << 20;

/// Searches a file or the files below a folder.
pub fn search_text(roots: &Roots, query: &TextQuery, cancel: &Cancel) -> Result<Answer<Matches>, Problem> {
    search_text_narrowed(roots, query, None, cancel)
}

/// The same, without opening the files of a folder that `narrow` knows cannot match. The answer differs in
/// nothing but the time it took and [`SearchStats::used_index`].
pub fn search_text_narrowed(
    roots: &Roots,
    query: &TextQuery,
    narrow: Option<Arc<dyn Narrow>>,
    cancel: &Cancel,
) -> Result<Answer<Matches>, Problem> {
    let (roots, query, flag) = (roots.clone(), query.clone(), cancel.clone());
    stoppable::run(cancel, move || {
        let started = Instant::now();
        let matcher = matcher::compile(&query)?;
        let metadata =
            std::fs::metadata(query.scope.absolute()).map_err(|error| unreadable(&query, &error))?;
        let mut answer = if metadata.is_dir() {
            tree::search(&roots, &query, &matcher, narrow.as_deref(), &flag)?
        } else if metadata.is_file() {
            search_one(&roots, &query, &matcher, &flag)?
        } else {
            let message = format!("`{}` is neither a file nor a folder", query.scope.shown());
            return Err(Problem::new(ErrorKind::Unsupported, message).detail("not_a_file"));
        };
        flag.check()?;
        answer.value.stats.elapsed = started.elapsed();
        Ok(answer)
    })
}

fn unreadable(query: &TextQuery, error: &std::io::Error) -> Problem {
    let message = format!("`{}` could not be read: {}", query.scope.shown(), walk::reason(error));
    Problem::new(ErrorKind::NotFound, message).detail("unreadable")
}

/// One searcher, to be used for many files in turn.
fn searcher(query: &TextQuery, binary: BinaryDetection) -> Searcher {
    let context = if query.detail == Detail::Matches { query.context_lines.min(MOST_CONTEXT) } else { 0 };
    SearcherBuilder::new()
        .line_number(query.detail == Detail::Matches)
        .multi_line(query.multiline)
        .before_context(context)
        .after_context(context)
        .binary_detection(binary)
        .bom_sniffing(true)
        .heap_limit(Some(MOST_MEMORY))
        .build()
}

/// Pages over the matches of a file that was named, NUL bytes or not.
fn search_one(
    roots: &Roots,
    query: &TextQuery,
    matcher: &RegexMatcher,
    cancel: &Cancel,
) -> Result<Answer<Matches>, Problem> {
    let shown = query.scope.shown();
    let file = roots.open_path(&query.scope).map_err(|error| PathError::unopened(shown, error))?;
    let modified = file.metadata().and_then(|metadata| metadata.modified()).ok();
    let mut admit = || query.detail == Detail::Matches;
    let mut lines = Lines::new(matcher, query, cancel, &mut admit);
    lines.skip = query.after.matches;
    let pace = Pace::default();
    let reader = StoppableRead::new(file, cancel, &pace);
    searcher(query, BinaryDetection::convert(0)).search_reader(matcher, reader, &mut lines).map_err(
        |error| {
            if cancel.is_cancelled() { orienteer_base::Stopped.into() } else { unreadable(query, &error) }
        },
    )?;
    let (count, binary, matches) = lines.finish();
    let seen = query.after.matches.min(count) + matches.len() as u64;
    let remaining = if query.detail == Detail::Matches { count.saturating_sub(seen) } else { 0 };
    let files = (count > 0).then(|| FileMatches {
        file_path: query.scope.shown().to_owned(),
        match_count: count,
        matches,
        modified,
        binary,
    });
    let stats = SearchStats {
        files_searched: 1,
        files_matched: u64::from(count > 0),
        total_matches: count,
        ..SearchStats::default()
    };
    let (completeness, _) = walk::judge(remaining > 0, &[], 0);
    let value = Matches { files: files.into_iter().collect(), stats, remaining, ..Matches::default() };
    Ok(Answer::new(value, completeness, Source::Text))
}
