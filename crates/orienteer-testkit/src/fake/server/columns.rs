//! Lines and columns: the protocol counts code units, we count bytes.

use std::ops::Range;

use crate::fake::Encoding;

/// The bytes of every line without its ending: LF, CRLF or CR alone. There is always a last line.
pub(super) fn lines(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut lines = Vec::new();
    let mut start = 0;
    let mut at = 0;
    while at < bytes.len() {
        let ending = match bytes[at] {
            b'\n' => 1,
            b'\r' if bytes.get(at + 1) == Some(&b'\n') => 2,
            b'\r' => 1,
            _ => 0,
        };
        if ending > 0 {
            lines.push(start..at);
            start = at + ending;
        }
        at += ending.max(1);
    }
    lines.push(start..text.len());
    lines
}

fn units(character: char, encoding: Encoding) -> usize {
    match encoding {
        Encoding::Utf8 => character.len_utf8(),
        Encoding::Utf16 => character.len_utf16(),
        Encoding::Utf32 => 1,
    }
}

/// The column of a byte in a line.
pub(super) fn column(line: &str, byte: usize, encoding: Encoding) -> usize {
    line[..byte.min(line.len())].chars().map(|character| units(character, encoding)).sum()
}

/// The byte of a column. A column behind the end is the end, as the protocol says; one inside a character is
/// a mistake of the client.
pub(super) fn byte(line: &str, column: usize, encoding: Encoding) -> Result<usize, String> {
    let mut seen = 0;
    for (at, character) in line.char_indices() {
        if seen == column {
            return Ok(at);
        }
        if seen > column {
            return Err(format!("column {column} is inside a character of {line:?}"));
        }
        seen += units(character, encoding);
    }
    if seen > column {
        return Err(format!("column {column} is inside a character of {line:?}"));
    }
    Ok(line.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_what_the_encoding_counts() {
        let line = "ä😀x";
        for (encoding, columns) in
            [(Encoding::Utf8, [0, 2, 6]), (Encoding::Utf16, [0, 1, 3]), (Encoding::Utf32, [0, 1, 2])]
        {
            for (at, wanted) in [0, 2, 6].into_iter().zip(columns) {
                assert_eq!(column(line, at, encoding), wanted);
                assert_eq!(byte(line, wanted, encoding), Ok(at));
            }
        }
        assert!(byte(line, 2, Encoding::Utf16).is_err(), "the middle of a surrogate pair");
        assert_eq!(byte(line, 99, Encoding::Utf16), Ok(line.len()));
    }

    #[test]
    fn all_line_endings_end_lines() {
        assert_eq!(lines("a\r\nb\rc\n"), [0..1, 3..4, 5..6, 7..7]);
    }
}
