//! The lines between the fences of a private key.

use std::ops::Range;

use crate::judge::entropy;
use crate::marker;

/// A body holds at least this much; the smallest common key, Ed25519, has 64 characters.
const LEAST_TOTAL: usize = 40;

/// A full line; anything shorter can only be the last one.
const LEAST_LINE: usize = 16;

const HEADERS: &[&str] =
    &["proc-type:", "dek-info:", "version:", "comment:", "hash:", "charset:", "messageid:"];

/// Body lines collected so far.
#[derive(Debug, Default)]
pub(super) struct Body {
    full: Vec<Range<usize>>,
    /// Short lines count only when the fence that closes the body was seen.
    short: Vec<Range<usize>>,
    total: usize,
    varied: bool,
}

impl Body {
    /// Takes one line that stands at `offset`; `false` where the body cannot go on.
    pub(super) fn take(&mut self, line: &str, offset: usize, near_end: bool) -> bool {
        if marker::present(line) {
            return false;
        }
        let Some(core) = core(line) else {
            let folded = folded(line);
            let any = !folded.is_empty();
            folded.into_iter().for_each(|piece| self.keep(&line[piece.clone()], offset + piece.start));
            return any || near_end || is_filler(line);
        };
        self.keep(&line[core.clone()], offset + core.start);
        true
    }

    fn keep(&mut self, text: &str, start: usize) {
        let range = start..start + text.len();
        self.total += text.len();
        if text.len() >= LEAST_LINE {
            self.varied |= entropy(text) >= 3.0;
            self.full.push(range);
        } else {
            self.short.push(range);
        }
    }

    /// The ranges to replace, or none where this was no key after all.
    pub(super) fn finish(self, closed: bool) -> Vec<Range<usize>> {
        if self.total < LEAST_TOTAL || !self.varied || self.full.is_empty() {
            return Vec::new();
        }
        let mut found = self.full;
        if closed {
            found.extend(self.short);
        }
        found.sort_by_key(|range| range.start);
        found
    }
}

/// Blank lines, headers and lone quotes stand between the fences without being part of the key.
fn is_filler(line: &str) -> bool {
    let bare = line.trim_matches(|sign: char| sign.is_whitespace() || "\"'`+,;\\#>|*".contains(sign));
    let lower = bare.to_ascii_lowercase();
    bare.is_empty() || bare == "n" || HEADERS.iter().any(|header| lower.contains(header))
}

/// The base64 part of a line, once the dress of the language around it is taken off.
fn core(line: &str) -> Option<Range<usize>> {
    let lower = line.to_ascii_lowercase();
    if HEADERS.iter().any(|header| lower.contains(header)) {
        return None;
    }
    let mut rest = line;
    loop {
        let before = rest.len();
        rest = rest.trim_start_matches(|sign: char| sign.is_whitespace() || "\"'`#>|*".contains(sign));
        for dress in ["\\\\n", "\\n", "\\\\r", "\\r", "+ ", "// ", "- ", "b'", "b\""] {
            rest = rest.strip_prefix(dress).unwrap_or(rest);
        }
        rest = strip_number(rest);
        if rest.len() == before {
            break;
        }
    }
    let start = line.len() - rest.len();
    loop {
        let before = rest.len();
        rest = rest.trim_end_matches(|sign: char| sign.is_whitespace() || "\"'`,;)|*".contains(sign));
        for dress in ["\\\\n", "\\n", "\\\\r", "\\r", " +", " .", " \\", "\\"] {
            rest = rest.strip_suffix(dress).unwrap_or(rest);
        }
        if rest.len() == before {
            break;
        }
    }
    let joined = rest.replace("\\\\n", "").replace("\\n", "").replace("\\r", "");
    let plain = joined.bytes().all(|byte| is_base64(byte) || (byte == b' ' && joined.len() > 60));
    (!rest.is_empty() && plain).then(|| start..start + rest.len())
}

/// The pieces of a key on a line that holds several, with quotes and signs between them: an array of lines that was
/// folded into one. None where anything else stands on the line.
fn folded(line: &str) -> Vec<Range<usize>> {
    let runs: Vec<Range<usize>> = runs(line).collect();
    let mut pieces: Vec<Range<usize>> = Vec::new();
    for (at, run) in runs.iter().enumerate() {
        let is_last = at + 1 == runs.len();
        match run.len() {
            LEAST_LINE.. => pieces.push(run.clone()),
            // The last line of a key is short, and so is what was cut.
            4.. if is_last || at == 0 => pieces.push(run.clone()),
            4.. => return Vec::new(),
            // `b"…"`, `\n` and other dress of the language.
            _ => {}
        }
    }
    let is_key = |piece: &Range<usize>| is_varied(&line[piece.clone()]);
    if pieces.iter().any(is_key) { pieces } else { Vec::new() }
}

/// What stands between two fences and looks like the lines of a key, whatever else stands there: names of the entries of an
/// object, calls that join lines.
pub(super) fn scattered(text: &str) -> Vec<Range<usize>> {
    let pieces: Vec<Range<usize>> =
        runs(text).filter(|run| run.len() >= LEAST_LINE && is_varied(&text[run.clone()])).collect();
    let total: usize = pieces.iter().map(Range::len).sum();
    if total < LEAST_TOTAL || marker::present(text) { Vec::new() } else { pieces }
}

/// Letters of both kinds and digits, as many different ones as a key has.
fn is_varied(text: &str) -> bool {
    let has = |fits: fn(&u8) -> bool| text.as_bytes().iter().any(fits);
    let kinds = has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_digit);
    kinds && entropy(text) >= 3.0
}

/// Runs of the signs that Base64 is written in. The `n` of `\n` is none of them.
fn runs(text: &str) -> impl Iterator<Item = Range<usize>> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + bytes.get(at..)?.iter().position(|byte| is_base64(*byte))?;
        let length = bytes[start..].iter().take_while(|byte| is_base64(**byte)).count();
        at = start + length;
        let escaped = start > 0 && bytes[start - 1] == b'\\' && matches!(bytes[start], b'n' | b'r' | b't');
        Some(start + usize::from(escaped)..at)
    })
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// A line number as search tools print it: digits, then a colon, a bar, a dash or a tab.
fn strip_number(text: &str) -> &str {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let sign = text.as_bytes().get(digits);
    match sign {
        Some(b':' | b'|' | b'-' | b'\t') if digits > 0 => &text[digits + 1..],
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores() {
        assert_eq!(core("  \"QUJD\\n\" +\n"), Some(3..7));
        assert_eq!(core("12:QUJD\r\n"), Some(3..7));
        assert_eq!(core("Proc-Type: 4,ENCRYPTED\n"), None);
        assert_eq!(core("let key = read();\n"), None);
        assert_eq!(core("\n"), None);
    }
}
