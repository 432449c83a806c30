//! How is a ranked place told?

use std::ops::Range;

use orienteer_base::{ColumnUnit, LineIndex};

use super::error::FindError;
use super::innermost;
use super::known::Files;
use super::matches::{Matches, looked_at};
use super::means::Now;
use super::rank::Ranked;
use super::snippet::Source;
use super::unit::Unit;
use super::words::Words;
use super::{Hit, HitSymbol, SnippetLine};
use crate::store::{FileFlags, Mode, Symbol};

/// Makes answers of what was ranked.
pub(super) struct Teller<'q> {
    pub(super) words: &'q Words,
    pub(super) explain: bool,
    pub(super) full: bool,
    /// A function inside an answer may be told instead: nothing is asked of definitions.
    pub(super) innermost: bool,
}

impl Teller<'_> {
    pub(super) fn tell(&self, files: &Files<'_>, ranked: Ranked) -> Result<Hit, FindError> {
        let Ranked { mut unit, score } = ranked;
        let known = unit.known.clone();
        let now = files.now(&known);
        let mut matches = None;
        if let Some(now) = &now
            && unit.mode != Mode::Comments
        {
            let seen = Matches::of(&now.text, &unit.looked_at(), self.words);
            let narrowed = self.innermost && innermost::narrow(files, self.words, &mut unit, now, &seen)?;
            matches = (!narrowed).then_some(seen);
        }
        let mut why = if self.explain { score.parts } else { Vec::new() };
        why.sort_by(|one, other| other.1.abs().total_cmp(&one.1.abs()));
        let mut hit = Hit {
            mode: unit.mode,
            path: known.file.path.clone(),
            language: known.file.language,
            symbol: unit.symbol.as_ref().map(told),
            lines: lines(&unit, score.named),
            line: 1,
            column: 1,
            snippet: Vec::new(),
            score: score.total,
            why,
            stale: unit.stale,
            blame: None,
        };
        hit.line = hit.lines.0;
        let Some(now) = now else {
            // What has no text is found by its name, and that is what was indexed.
            hit.stale |= !known.file.flags.has(FileFlags::BINARY);
            return Ok(hit);
        };
        let text: &str = &now.text;
        let index = known.lines(text);
        if !now.same || unit.placed {
            hit.lines = line_range(text, index, &unit.part());
        }
        let extent = match unit.mode {
            Mode::Comments => comments(files, &unit, &now)?,
            _ => unit.extent.clone(),
        };
        let matches = matches.unwrap_or_else(|| Matches::of(text, &looked_at(&extent), self.words));
        // Who asks for comments is not shown the name of what they stand in.
        let named = unit.symbol.as_ref().filter(|_| unit.mode != Mode::Comments);
        let name = named.map(|symbol| symbol.name_range.start);
        let source = Source {
            text,
            lines: index,
            extent: &extent,
            words: self.words,
            matches: &matches,
            exact: &unit.exact,
            name,
        };
        let (snippet, first) = source.lines(self.full);
        hit.snippet = snippet;
        if let Some(symbol) = unit.symbol.as_ref().filter(|_| now.same) {
            hit.lines.1 = end_of(symbol, &hit);
        }
        let begins = extent.first().map_or_else(|| unit.start(), |range| range.start);
        let at = name.filter(|_| score.named || first.is_none()).or(first).unwrap_or(begins);
        let (line, column) = index.locate(text, at, ColumnUnit::Utf32);
        (hit.line, hit.column) = (number(line + 1), number(column + 1));
        Ok(hit)
    }
}

fn told(symbol: &Symbol) -> HitSymbol {
    HitSymbol {
        name: symbol.name.clone(),
        name_path: symbol.name_path.clone(),
        nth: symbol.nth + 1,
        kind: symbol.kind,
        signature: symbol.signature.clone(),
        doc: symbol.doc.clone(),
    }
}

/// The bytes of an answer that are comments.
fn comments(files: &Files<'_>, unit: &Unit, now: &Now) -> Result<Vec<Range<usize>>, FindError> {
    let all = files.comments(&unit.known, now)?;
    let own = |comment: &Range<usize>| {
        unit.extent.iter().any(|range| comment.start < range.end && range.start < comment.end)
    };
    let found: Vec<Range<usize>> = all.iter().filter(|comment| own(comment)).cloned().collect();
    // A string that documents is no comment to a grammar.
    Ok(if found.is_empty() { unit.extent.clone() } else { found })
}

/// First and last line, from 1, as the index has them. Of a definition with others inside it, the stretch of its own
/// that fits best: what is inside answers for itself.
fn lines(unit: &Unit, named: bool) -> (u32, u32) {
    let part = unit.part();
    if let Some(symbol) = unit.symbol.as_ref()
        && (part == symbol.range
            || (named && part.start <= symbol.range.start && symbol.range.end <= part.end))
    {
        return (symbol.lines.start + 1, symbol.lines.end.max(symbol.lines.start + 1));
    }
    let own = |range: &Range<usize>| part.start < range.end && range.start < part.end;
    let mut pieces = unit.known.pieces.iter().filter(|piece| own(&piece.range)).peekable();
    let first = pieces.peek().map_or(0, |piece| piece.lines.start);
    let last = pieces.last().map_or(0, |piece| piece.lines.end);
    (first + 1, last.max(first + 1))
}

/// The last line of an answer, from 1. The last piece of a definition has the blank lines behind it, too, and at times a
/// short rest of what is around it, which counts where it matches.
fn end_of(symbol: &Symbol, hit: &Hit) -> u32 {
    let (first, last) = hit.lines;
    let own = |line: &&SnippetLine| line.matched && line.number <= last;
    let matched = hit.snippet.iter().filter(own).map(|line| line.number).max().unwrap_or(first);
    last.min(symbol.lines.end).max(matched).max(first)
}

/// First and last line, from 1, as the text is now.
fn line_range(text: &str, index: &LineIndex, part: &Range<usize>) -> (u32, u32) {
    let line = |offset: usize| number(index.locate(text, offset, ColumnUnit::Utf8).0 + 1);
    (line(part.start), line(part.end.saturating_sub(1).max(part.start)))
}

fn number(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
