//! Private keys between `BEGIN` and `END` lines.
//!
//! A key is the only secret that spans lines, so it is found by walking lines instead of by an
//! expression.  Each line of the body is replaced on its own and the line feeds stay.

mod body;

use std::ops::Range;

use crate::span::Span;
use body::Body;

/// Both `PRIVATE KEY-----` and the `PRIVATE KEY BLOCK-----` of PGP contain it.
pub(crate) const KEYWORD: &str = "private key";

const DASHES: &str = "-----";

const PRIVATE_KEY: &str = "private-key";
const PGP_KEY: &str = "pgp-private-key";

pub(crate) const KINDS: &[(&str, &str)] =
    &[(PRIVATE_KEY, "Body of a PEM or OpenSSH private key"), (PGP_KEY, "Body of a PGP private key block")];

/// No key is longer; a walk that goes on and on has lost its way.
const MAX_LINES: usize = 400;

#[derive(Debug)]
struct Fence {
    /// The whole `-----BEGIN … PRIVATE KEY-----`.
    range: Range<usize>,
    begins: bool,
    kind: &'static str,
}

/// Finds key bodies around the places where the keyword stands.
pub(crate) fn scan(text: &str, places: &[usize]) -> Vec<Span> {
    let fences: Vec<Fence> = places.iter().filter_map(|at| fence(text, *at)).collect();
    let mut spans = Vec::new();
    let mut closed_until = 0;
    for (index, fence) in fences.iter().enumerate() {
        let next = fences.get(index + 1);
        let found = if fence.begins {
            let end = next.filter(|next| !next.begins).map(|next| next.range.start);
            let limit = end.or(next.map(|next| next.range.start)).unwrap_or(text.len());
            forward(text, fence.range.end..limit.max(fence.range.end), end.is_some())
        } else if index == 0 || !fences[index - 1].begins {
            backward(text, closed_until.min(fence.range.start)..fence.range.start)
        } else {
            Vec::new()
        };
        closed_until = fence.range.end;
        for (nth, range) in found.into_iter().enumerate() {
            spans.push(Span { range, kind: fence.kind, rank: 0, counted: nth == 0 });
        }
    }
    spans
}

/// Looks only at the surroundings of `at`: many fences on one long line must not cost more than that.
fn fence(text: &str, at: usize) -> Option<Fence> {
    let tail = text.get(at..)?.strip_prefix("PRIVATE KEY")?;
    let pgp = tail.starts_with(" BLOCK");
    let tail = tail.strip_prefix(" BLOCK").unwrap_or(tail);
    if !tail.starts_with(DASHES) {
        return None;
    }
    let end = text.len() - tail.len() + DASHES.len();
    // The longest algorithm name is short, so the nearest dashes open the fence or nothing does.
    let mut from = at.saturating_sub(48);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let open = from + text[from..at].rfind(DASHES)?;
    let label = &text[open + DASHES.len()..at];
    let begins = label.starts_with("BEGIN ");
    if label.contains('\n') || !(begins || label.starts_with("END ")) {
        return None;
    }
    let kind = if pgp { PGP_KEY } else { PRIVATE_KEY };
    Some(Fence { range: open..end, begins, kind })
}

/// Walks from `BEGIN` over body lines up to the end of `range` or the first line that is none.
fn forward(text: &str, range: Range<usize>, closed: bool) -> Vec<Range<usize>> {
    let mut body = Body::default();
    let mut at = range.start;
    for line in text[range.clone()].split_inclusive('\n').take(MAX_LINES) {
        let here = at..at + line.len();
        at = here.end;
        let last = at >= range.end;
        if !body.take(line, here.start, last && closed) {
            break;
        }
    }
    let found = body.finish(closed && at >= range.end);
    if !found.is_empty() || !closed || text[range.clone()].matches('\n').nth(MAX_LINES).is_some() {
        return found;
    }
    let start = range.start;
    body::scattered(&text[range]).into_iter().map(|piece| start + piece.start..start + piece.end).collect()
}

/// Walks back from an `END` whose beginning was cut off.
fn backward(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let mut body = Body::default();
    let mut end = range.end;
    for (nth, line) in text[range.clone()].split_inclusive('\n').rev().take(MAX_LINES).enumerate() {
        let start = end - line.len();
        end = start;
        if !body.take(line, start, nth <= 1) {
            break;
        }
    }
    body.finish(true)
}
