//! Which pieces does a file have?
//!
//! A file holds a list, an object around a list, one object, several of these one behind the other (as pages that were
//! fetched and joined are), or one object on each line. Lists are read entry by entry, so that what stands before a mistake
//! is still read, and files of lines are never in memory as a whole.

mod document;

use std::io::{BufRead, BufReader, Read};

use orienteer_base::{Cancel, Stopped};
use serde::de::IgnoredAny;
use serde_json::Value;

/// One entry of a list, or one line.
pub(crate) const MOST_ITEM_BYTES: usize = 8 << 20;
/// A file that is not one object on each line is read as a whole.
pub(crate) const MOST_DOCUMENT_BYTES: u64 = 512 << 20;
/// A file of lines.
pub(crate) const MOST_LINES_BYTES: u64 = 8 << 30;
/// How much of a file is looked at to see how it is written.
const LOOK: usize = 1 << 20;

/// Why a file could not be read at all.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    #[error(transparent)]
    Stopped(#[from] Stopped),
    #[error("it could not be read: {0}")]
    Io(#[from] std::io::Error),
    #[error("it has more than {most} bytes; write one finding on each line (JSON Lines), or split it")]
    TooLarge { most: u64 },
    #[error("nothing stands in it")]
    Empty,
}

/// What was found.
#[derive(Debug)]
pub(crate) enum Found<'v> {
    /// A piece, with what stood before it in the object around it.
    Piece(Value, &'v Value),
    /// What is wrong with a piece.
    Bad(String),
    /// Everything that stood around the pieces of one object, now that it has been read to its end.
    Around(&'v Value),
}

/// Whoever takes pieces says whether to go on.
pub(crate) type Each<'e> = dyn FnMut(Found<'_>) -> Result<(), Stopped> + 'e;

/// Gives each piece of a file, in order. What is wrong with the file as a whole is returned as text.
pub(crate) fn pieces(
    file: impl Read,
    lines_by_name: bool,
    cancel: &Cancel,
    each: &mut Each<'_>,
) -> Result<Option<String>, InputError> {
    let mut reader = BufReader::with_capacity(LOOK, file);
    let head = fill(&mut reader)?;
    if matches!(head.get(..2), Some([0xff, 0xfe] | [0xfe, 0xff])) {
        let text = decode(&whole(reader)?);
        let text = text.as_bytes();
        return if lines_by_name || are_lines(text.get(..LOOK).unwrap_or(text)) {
            lines(text, cancel, each)
        } else {
            documents(text, cancel, each)
        };
    }
    if lines_by_name || are_lines(without_mark(head)) {
        return lines(reader, cancel, each);
    }
    let bytes = whole(reader)?;
    documents(without_mark(&bytes), cancel, each)
}

/// The beginning of a file, as far as it is given at once. A pipe may give less.
fn fill(reader: &mut BufReader<impl Read>) -> Result<&[u8], InputError> {
    loop {
        match reader.fill_buf() {
            Ok(_) => break,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(reader.buffer())
}

fn whole(reader: impl Read) -> Result<Vec<u8>, InputError> {
    let mut bytes = Vec::new();
    reader.take(MOST_DOCUMENT_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_DOCUMENT_BYTES {
        return Err(InputError::TooLarge { most: MOST_DOCUMENT_BYTES });
    }
    Ok(bytes)
}

fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(&[0xef, 0xbb, 0xbf]).unwrap_or(bytes)
}

/// UTF-16, which some shells write when output goes to a file.
fn decode(bytes: &[u8]) -> String {
    let little = bytes.first() == Some(&0xff);
    let (pairs, _) = bytes.get(2..).unwrap_or_default().as_chunks::<2>();
    let units =
        pairs.iter().map(|pair| if little { u16::from_le_bytes(*pair) } else { u16::from_be_bytes(*pair) });
    char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// Whether the beginning of a text looks like one object on each line.
fn are_lines(head: &[u8]) -> bool {
    let mut written =
        head.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    let (Some(first), Some(second)) = (written.next(), written.next()) else { return false };
    let object = |line: &[u8]| line.starts_with(b"{");
    object(first)
        && object(second)
        // A broken first line must not hide the others.
        && (serde_json::from_slice::<IgnoredAny>(first).is_ok() || (first.len() > 1 && first.ends_with(b"}")))
}

fn lines(
    mut reader: impl BufRead,
    cancel: &Cancel,
    each: &mut Each<'_>,
) -> Result<Option<String>, InputError> {
    let mut line = Vec::new();
    let (mut any, mut read) = (false, 0u64);
    loop {
        cancel.check()?;
        line.clear();
        let limit = MOST_ITEM_BYTES as u64 + 1;
        let count = reader.by_ref().take(limit).read_until(b'\n', &mut line)?;
        if count == 0 {
            return if any { Ok(None) } else { Err(InputError::Empty) };
        }
        read += count as u64;
        if read > MOST_LINES_BYTES {
            return Ok(Some(format!("only the first {MOST_LINES_BYTES} bytes were read")));
        }
        if line.len() > MOST_ITEM_BYTES && line.last() != Some(&b'\n') {
            any = true;
            skip_line(&mut reader, cancel)?;
            each(Found::Bad(format!("the line has more than {MOST_ITEM_BYTES} bytes")))?;
            continue;
        }
        let text = if any { line.trim_ascii() } else { without_mark(&line).trim_ascii() };
        if text.is_empty() {
            continue;
        }
        any = true;
        match serde_json::from_slice::<Value>(text) {
            Ok(value) => document::unwrap(value, each)?,
            Err(error) => each(Found::Bad(explain(&error)))?,
        }
    }
}

/// Passes over the rest of a line.
fn skip_line(reader: &mut impl BufRead, cancel: &Cancel) -> Result<(), InputError> {
    loop {
        cancel.check()?;
        let buffer = reader.fill_buf()?;
        if buffer.is_empty() {
            return Ok(());
        }
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let length = end.map_or(buffer.len(), |at| at + 1);
        reader.consume(length);
        if end.is_some() {
            return Ok(());
        }
    }
}

/// One document behind the other; usually one.
fn documents(bytes: &[u8], cancel: &Cancel, each: &mut Each<'_>) -> Result<Option<String>, InputError> {
    if bytes.trim_ascii().is_empty() {
        return Err(InputError::Empty);
    }
    let mut ends = serde_json::Deserializer::from_slice(bytes).into_iter::<IgnoredAny>();
    let mut start = 0;
    loop {
        cancel.check()?;
        let end = match ends.next() {
            None => return Ok(None),
            Some(Ok(_)) => ends.byte_offset(),
            // What is broken is read as far as it goes.
            Some(Err(_)) => bytes.len(),
        };
        let part = bytes.get(start..end).unwrap_or_default();
        if let Err(reason) = document::read(part, cancel, each)? {
            return Ok(Some(reason));
        }
        if end == bytes.len() {
            return Ok(None);
        }
        start = end;
    }
}

/// What a parser says, in our words.
pub(crate) fn explain(error: &serde_json::Error) -> String {
    if error.is_eof() {
        format!("the text ends in the middle (line {}, column {})", error.line(), error.column())
    } else {
        format!("it is no JSON: {error}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names of the pieces, or `!` and what is wrong.
    fn all(bytes: &[u8]) -> (Vec<String>, Option<String>) {
        let mut found = Vec::new();
        let told = pieces(bytes, false, &Cancel::new(), &mut |piece| {
            match piece {
                Found::Piece(value, _) => {
                    found.push(value["n"].as_str().map_or_else(|| value.to_string(), str::to_owned));
                }
                Found::Bad(reason) => found.push(format!("!{reason}")),
                Found::Around(_) => {}
            }
            Ok(())
        });
        (found, told.unwrap())
    }

    fn names(text: &str) -> Vec<String> {
        let (found, told) = all(text.as_bytes());
        assert_eq!(told, None, "{text}");
        found
    }

    #[test]
    fn every_way_to_write_a_list_is_read() {
        let expected = ["a", "b"];
        for text in [
            r#"[{"n":"a"},{"n":"b"}]"#,
            r#"{"findings":[{"n":"a"},{"n":"b"}]}"#,
            r#"{"alerts":[{"n":"a"},{"n":"b"}],"total":2}"#,
            "{\"n\":\"a\"}\n{\"n\":\"b\"}\n",
            "{\"n\":\"a\"}\r\n\r\n{\"n\":\"b\"}\r\n",
            "{\n \"n\":\"a\"\n}\n{\n \"n\":\"b\"\n}",
            r#"[{"n":"a"}][{"n":"b"}]"#,
            "\u{feff}[{\"n\":\"a\"},{\"n\":\"b\"}]",
            "\u{feff}{\"n\":\"a\"}\n{\"n\":\"b\"}",
        ] {
            assert_eq!(names(text), expected, "{text}");
        }
        assert_eq!(names(r#"{"n":"a"}"#), ["a"]);
        let wide: Vec<u8> = std::iter::once(0xfeff)
            .chain("[{\"n\":\"ä\"}]".encode_utf16())
            .flat_map(u16::to_le_bytes)
            .collect();
        assert_eq!(all(&wide).0, ["ä"]);
    }

    #[test]
    fn what_stands_before_a_mistake_is_read() {
        let (found, told) = all(br#"[{"n":"a"},{"n":"b"},{"n":"#);
        assert_eq!(found, ["a", "b"]);
        assert!(told.unwrap().contains("ends in the middle"));
        let (found, told) = all(br#"{"findings":[{"n":"a"},{"n":"b"},{"n"#);
        assert_eq!(found, ["a", "b"]);
        assert!(told.is_some());
        let (found, told) = all(b"{\"n\":\"a\"}\n{\"n\":\n{\"n\":\"c\"}\n");
        assert_eq!((found.len(), told), (3, None));
        assert!(found[1].starts_with('!') && found[2] == "c", "{found:?}");
        let (found, _) = all(b"{\"n\": oops}\n{\"n\":\"b\"}\n");
        assert!(found[0].starts_with('!') && found[1] == "b", "{found:?}");
        let (found, told) = all(b"[{\"n\":\"a\"},{\"n\":\"\xff\"}]");
        assert_eq!(found, ["a"]);
        assert!(told.is_some(), "bytes that are no UTF-8");
    }

    #[test]
    fn a_file_of_nothing_is_told_from_an_empty_list() {
        for nothing in ["", " \n ", "\u{feff}"] {
            let told = pieces(nothing.as_bytes(), false, &Cancel::new(), &mut |_| Ok(()));
            assert!(matches!(told, Err(InputError::Empty)), "{nothing:?}");
        }
        assert_eq!(names("[]"), [""; 0]);
        assert_eq!(names(r#"{"findings":[]}"#), [""; 0]);
    }

    #[test]
    fn an_entry_that_is_too_large_costs_only_itself() {
        let large = "x".repeat(MOST_ITEM_BYTES);
        let (found, told) = all(format!(r#"[{{"n":"a"}},{{"n":"{large}"}},{{"n":"c"}}]"#).as_bytes());
        assert_eq!((found.len(), told), (3, None));
        assert!(found[0] == "a" && found[1].starts_with("!it has") && found[2] == "c");
        let (found, _) = all(format!("{{\"n\":\"a\"}}\n{{\"n\":\"{large}\"}}\n{{\"n\":\"c\"}}\n").as_bytes());
        assert!(found[0] == "a" && found[1].starts_with("!the line") && found[2] == "c");
    }

    #[test]
    fn what_stands_behind_a_list_is_told_too() {
        for text in [
            "{\"a\":1,\"findings\":[{\"n\":\"a\"}],\"z\":2}",
            "{\"a\":1,\"issues\":[],\"z\":2}",
            "{\"a\":1,\"findings\":[],\"z\":2}\n{\"n\":\"b\"}\n",
        ] {
            let mut around = Vec::new();
            let told = pieces(text.as_bytes(), false, &Cancel::new(), &mut |found| {
                if let Found::Around(fields) = found {
                    around.push(fields.clone());
                }
                Ok(())
            });
            assert!(told.is_ok());
            assert_eq!(around, [serde_json::json!({ "a": 1, "z": 2 })], "{text}");
        }
    }

    #[test]
    fn reading_stops_when_nobody_waits() {
        let cancel = Cancel::new();
        let mut seen = 0;
        let text = format!("[{}]", vec![r#"{"n":"a"}"#; 1000].join(","));
        let told = pieces(text.as_bytes(), false, &cancel, &mut |_| {
            seen += 1;
            cancel.cancel();
            Ok(())
        });
        assert!(matches!(told, Err(InputError::Stopped(_))));
        assert!(seen <= 2, "{seen}");
    }
}
