//! Which matches of one file are kept, and how are they shown?

use std::fs::File;
use std::io::{self, Read};
use std::ops::{ControlFlow, Range};

use orienteer_base::listing::Match;
use orienteer_base::{Cancel, Conceal};
use orienteer_syntax::{Limits, StructureMatch};

use crate::stoppable::{Pace, StoppableRead};
use crate::text::MOST_CONTEXT;
use crate::window;

/// The text of a file that is small enough to parse; `None` for a binary one.
pub(super) fn read(file: File, limits: &Limits, cancel: &Cancel) -> io::Result<Option<String>> {
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    let limit = limits.max_bytes as u64;
    let mut bytes = Vec::new();
    let pace = Pace::default();
    let file = StoppableRead::new(file, cancel, &pace);
    file.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(io::Error::other(format!("larger than the {limit} bytes that are parsed")));
    }
    if let Some((encoding, length)) = encoding_rs::Encoding::for_bom(&bytes) {
        return Ok(Some(encoding.decode_without_bom_handling(&bytes[length..]).0.into_owned()));
    }
    if bytes.contains(&0) {
        return Ok(None);
    }
    Ok(Some(match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    }))
}

/// Counts the matches of a file and keeps those numbered `wanted`.
pub(super) struct Collect<'t> {
    text: &'t str,
    /// Where every line starts.
    starts: Vec<usize>,
    wanted: Range<u64>,
    context: usize,
    conceal: &'t Conceal,
    pub(super) count: u64,
    pub(super) kept: Vec<Match>,
}

impl<'t> Collect<'t> {
    pub(super) fn new(text: &'t str, wanted: Range<u64>, context: usize, conceal: &'t Conceal) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        let starts = std::iter::once(0).chain(ends).collect();
        let context = context.min(MOST_CONTEXT);
        Self { text, starts, wanted, context, conceal, count: 0, kept: Vec::new() }
    }

    pub(super) fn add(&mut self, found: StructureMatch) -> ControlFlow<()> {
        if self.wanted.contains(&self.count) {
            let shown = self.show(found);
            self.kept.push(shown);
        }
        self.count += 1;
        ControlFlow::Continue(())
    }

    /// The lines that the match stands on, whole.
    fn show(&self, found: StructureMatch) -> Match {
        let first = self.line_of(found.range.start);
        // A match that takes its line end along does not reach into the next line.
        let last = self.line_of(found.range.end.saturating_sub(1).max(found.range.start));
        let block = &self.text[self.starts[first]..self.line_end(last)];
        let shown = window::show(
            window::strip_line_end(block.as_bytes()),
            found.range.start - self.starts[first],
            self.conceal,
        );
        let mut shortened = shown.shortened;
        let mut line = |number: usize| {
            let line = &self.text.as_bytes()[self.starts[number]..self.line_end(number)];
            let (text, cut) = window::context(line, self.conceal);
            shortened |= cut;
            text
        };
        let before = (first.saturating_sub(self.context)..first).map(&mut line).collect();
        let after_end = (last + 1 + self.context).min(self.line_count());
        let after = (last + 1..after_end.max(last + 1)).map(&mut line).collect();
        let captures = found
            .captures
            .into_iter()
            .map(|(name, text)| {
                let (shown, cut) = window::window(&text, 0, self.conceal);
                shortened |= cut;
                (name, shown)
            })
            .collect();
        Match {
            line: first as u64 + 1,
            column: shown.column,
            end_line: last as u64 + 1,
            content: shown.content,
            shortened,
            before,
            after,
            captures,
        }
    }

    fn line_of(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start <= at) - 1
    }

    fn line_end(&self, line: usize) -> usize {
        self.starts.get(line + 1).copied().unwrap_or(self.text.len())
    }

    /// A final line end does not begin another line.
    fn line_count(&self) -> usize {
        self.starts.len() - usize::from(self.starts.last() == Some(&self.text.len()))
    }
}
