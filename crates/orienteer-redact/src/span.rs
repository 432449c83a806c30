//! Pieces of text to replace, and replacing them.

use std::ops::Range;

use crate::marker;
use crate::redactor::Finding;

/// One piece of text that a rule takes for a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) range: Range<usize>,
    pub(crate) kind: &'static str,
    /// The smaller rank names the result where spans overlap: a vendor's format says more than a
    /// variable called `token`.
    pub(crate) rank: u16,
    /// Later lines of one private key are replaced but not counted again.
    pub(crate) counted: bool,
}

/// Sorts the spans and joins those that overlap, so that no part of either value stays visible.
pub(crate) fn merge(mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort_by_key(|span| (span.range.start, span.range.end, span.rank));
    let mut merged: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans {
        match merged.last_mut() {
            Some(last) if span.range.start < last.range.end => {
                last.range.end = last.range.end.max(span.range.end);
                if span.rank < last.rank {
                    last.kind = span.kind;
                    last.rank = span.rank;
                    last.counted = span.counted;
                }
            }
            _ => merged.push(span),
        }
    }
    merged
}

/// Replaces merged spans in `text` and notes each counted one with its line, counted from `first_line`.
pub(crate) fn apply(text: &str, spans: &[Span], first_line: u32, findings: &mut Vec<Finding>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    let mut line = first_line;
    for span in spans {
        let before = &text[done..span.range.start];
        line = line.saturating_add(newlines(before));
        out.push_str(before);
        marker::push(&mut out, span.kind);
        if span.counted {
            note(findings, span.kind, line);
        }
        done = span.range.end;
    }
    out.push_str(&text[done..]);
    out
}

fn newlines(text: &str) -> u32 {
    let count = text.bytes().filter(|byte| *byte == b'\n').count();
    u32::try_from(count).unwrap_or(u32::MAX)
}

fn note(findings: &mut Vec<Finding>, kind: &'static str, line: u32) {
    match findings.iter_mut().rev().find(|found| found.line == line && found.kind == kind) {
        Some(found) => found.count = found.count.saturating_add(1),
        None => findings.push(Finding { kind, line, count: 1 }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(range: Range<usize>, kind: &'static str, rank: u16) -> Span {
        Span { range, kind, rank, counted: true }
    }

    #[test]
    fn overlapping_spans_become_one_with_the_better_name() {
        let merged = merge(vec![span(4..9, "generic", 9), span(0..5, "vendor", 1), span(9..12, "other", 2)]);
        assert_eq!(merged, vec![span(0..9, "vendor", 1), span(9..12, "other", 2)]);
    }

    #[test]
    fn lines_are_counted_from_the_first() {
        let mut findings = Vec::new();
        let text = "a\nbcd\nef";
        let out = apply(text, &[span(2..5, "k", 1), span(6..7, "k", 1)], 10, &mut findings);
        assert_eq!(out, "a\n[REDACTED:k]\n[REDACTED:k]f");
        assert_eq!(findings.iter().map(|found| found.line).collect::<Vec<_>>(), [11, 12]);
    }
}
