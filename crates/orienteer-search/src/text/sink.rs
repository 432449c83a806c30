//! What is kept of the lines of one file?

use std::collections::VecDeque;
use std::io;

use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink, SinkContext, SinkContextKind, SinkFinish, SinkMatch};
use orienteer_base::listing::Match;
use orienteer_base::question::{Detail, TextQuery};
use orienteer_base::{Cancel, Conceal};

use crate::window;

/// How far past a match over several lines its pattern may look, as ripgrep has it.
const LOOK_AHEAD: usize = 128;

/// Counts the matches of one file, and keeps some of them where its page wants them.
pub(super) struct Lines<'a> {
    matcher: &'a RegexMatcher,
    cancel: &'a Cancel,
    /// Asked once, at the first match: are the contents of this file wanted?
    admit: &'a mut dyn FnMut() -> bool,
    wanted: Option<bool>,
    first_only: bool,
    context: usize,
    conceal: &'a Conceal,
    /// How many matches earlier pages showed.
    pub(super) skip: u64,
    limit: usize,
    count: u64,
    binary: bool,
    kept: Vec<Match>,
    /// The last lines seen, without a gap up to here.
    recent: VecDeque<(String, bool)>,
    /// The first kept match that the next line may belong to as context.
    open: usize,
}

impl<'a> Lines<'a> {
    pub(super) fn new(
        matcher: &'a RegexMatcher,
        query: &'a TextQuery,
        cancel: &'a Cancel,
        admit: &'a mut dyn FnMut() -> bool,
    ) -> Self {
        Self {
            matcher,
            cancel,
            admit,
            wanted: None,
            first_only: query.detail == Detail::FilesOnly,
            context: query.context_lines.min(super::MOST_CONTEXT),
            conceal: &query.conceal,
            skip: 0,
            limit: query.matches_per_file,
            count: 0,
            binary: false,
            kept: Vec::new(),
            recent: VecDeque::new(),
            open: 0,
        }
    }

    /// Matches that earlier pages showed are counted, not kept, and use up the limit of the file.
    pub(super) fn pass_over(&mut self, seen: u64) {
        self.skip = seen;
        self.limit = self.limit.saturating_sub(usize::try_from(seen).unwrap_or(usize::MAX));
    }

    /// How many matches there are, whether the file has NUL bytes, and the matches kept.
    pub(super) fn finish(self) -> (u64, bool, Vec<Match>) {
        (self.count, self.binary, self.kept)
    }

    /// A line that stands before or after matches.
    fn neighbour(&mut self, line: &[u8]) {
        if self.context == 0 || (self.kept.len() >= self.limit && self.open >= self.kept.len()) {
            return;
        }
        let (text, cut) = window::context(line, self.conceal);
        for open in &mut self.kept[self.open..] {
            open.after.push(text.clone());
            open.shortened |= cut;
        }
        while self.kept.get(self.open).is_some_and(|open| open.after.len() >= self.context) {
            self.open += 1;
        }
        if self.recent.len() == self.context {
            self.recent.pop_front();
        }
        self.recent.push_back((text, cut));
    }

    fn keep(&mut self, searcher: &Searcher, found: &SinkMatch<'_>) {
        let (line, at) = self.first_match(searcher, found);
        let shown = window::show(line, at, self.conceal);
        let first = found.line_number().unwrap_or(1);
        let lines = found.lines().count() as u64;
        self.kept.push(Match {
            line: first,
            column: shown.column,
            end_line: first + lines.saturating_sub(1),
            content: shown.content,
            shortened: shown.shortened || self.recent.iter().any(|(_, cut)| *cut),
            before: self.recent.iter().map(|(text, _)| text.clone()).collect(),
            after: Vec::new(),
            captures: Vec::new(),
        });
    }

    /// The line without its end, and the byte in it where the first match starts.
    fn first_match<'b>(&self, searcher: &Searcher, found: &SinkMatch<'b>) -> (&'b [u8], usize) {
        let range = found.bytes_range_in_buffer();
        let buffer = found.buffer();
        let line = window::strip_line_end(found.bytes());
        // What surrounds the line is part of the haystack, so that the pattern can look around.
        let end = if searcher.multi_line_with_matcher(self.matcher) {
            (range.end + LOOK_AHEAD).min(buffer.len())
        } else {
            range.end - usize::from(found.bytes().ends_with(b"\n"))
        };
        let start = match self.matcher.find_at(&buffer[..end], range.start) {
            Ok(Some(first)) => first.start().saturating_sub(range.start),
            _ => 0,
        };
        // The line end itself is where an empty line's match may be.
        (line, start.min(line.len()))
    }
}

impl Sink for Lines<'_> {
    type Error = io::Error;

    fn matched(&mut self, searcher: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        if self.cancel.is_cancelled() {
            return Ok(false);
        }
        self.count += 1;
        let wanted = match self.wanted {
            Some(wanted) => wanted,
            None => *self.wanted.insert((self.admit)()),
        };
        if self.first_only {
            return Ok(false);
        }
        if wanted {
            let new = self.count > self.skip && self.kept.len() < self.limit;
            if new {
                self.keep(searcher, found);
            }
            // A match is context for those around it, but not for itself.
            let own = if new { self.kept.pop() } else { None };
            for line in found.lines() {
                self.neighbour(line);
            }
            self.kept.extend(own);
        }
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> Result<bool, io::Error> {
        if self.cancel.is_cancelled() {
            return Ok(false);
        }
        debug_assert!(!matches!(context.kind(), SinkContextKind::Other));
        if self.wanted != Some(false) {
            self.neighbour(context.bytes());
        }
        Ok(true)
    }

    fn context_break(&mut self, _: &Searcher) -> Result<bool, io::Error> {
        self.recent.clear();
        self.open = self.kept.len();
        Ok(true)
    }

    fn finish(&mut self, _: &Searcher, finish: &SinkFinish) -> Result<(), io::Error> {
        self.binary = finish.binary_byte_offset().is_some();
        Ok(())
    }
}
