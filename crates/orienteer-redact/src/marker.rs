//! The text that stands where a secret was, and recognising it again.

use std::ops::Range;

const OPEN: &str = "[REDACTED:";

/// Writes the marker of `kind` at the end of `out`.
pub(crate) fn push(out: &mut String, kind: &str) {
    out.push_str(OPEN);
    out.push_str(kind);
    out.push(']');
}

/// Where complete markers stand in `text`.
///
/// A rule must never take a marker, or a piece of one, for a secret: otherwise redacting twice would
/// give another text than redacting once.
pub(crate) fn ranges(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find(OPEN)) {
        let start = from + at;
        let body = start + OPEN.len();
        let kind = text.as_bytes()[body..]
            .iter()
            .take_while(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || **byte == b'-')
            .count();
        let end = body + kind;
        if kind > 0 && text.as_bytes().get(end) == Some(&b']') {
            found.push(start..end + 1);
        }
        from = end;
    }
    found
}

/// Whether `text` holds the beginning of a marker.
pub(crate) fn present(text: &str) -> bool {
    text.contains(OPEN)
}

/// Whether `span` shares a byte with one of the sorted `ranges`.
pub(crate) fn touches(ranges: &[Range<usize>], span: &Range<usize>) -> bool {
    let first = ranges.partition_point(|range| range.end <= span.start);
    ranges.get(first).is_some_and(|range| range.start < span.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complete_markers_only() {
        let text = "a [REDACTED:jwt] b [REDACTED:] c [REDACTED:x";
        assert_eq!(ranges(text), vec![2..16]);
        assert!(touches(&ranges(text), &(15..20)));
        assert!(!touches(&ranges(text), &(16..20)));
    }
}
