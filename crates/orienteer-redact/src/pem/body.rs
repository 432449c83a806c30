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
        let Some(core) = core(line) else { return near_end || is_filler(line) };
        let text = &line[core.clone()];
        let range = offset + core.start..offset + core.end;
        self.total += text.len();
        if text.len() >= LEAST_LINE {
            self.varied |= entropy(text) >= 3.0;
            self.full.push(range);
        } else {
            self.short.push(range);
        }
        true
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
    let base64 = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let plain = joined.bytes().all(|byte| base64(byte) || (byte == b' ' && joined.len() > 60));
    (!rest.is_empty() && plain).then(|| start..start + rest.len())
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
