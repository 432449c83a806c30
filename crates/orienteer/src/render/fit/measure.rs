//! How long something is on the wire, and making it shorter.

use serde_json::{Map, Value};

/// A finished tool result.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    pub text: String,
    pub structured: Map<String, Value>,
    pub is_error: bool,
}

/// The envelope of a result around text and structured content.
const ENVELOPE: usize = 120;

impl Outcome {
    /// Characters on the wire, JSON escapes included.
    pub fn chars(&self) -> usize {
        ENVELOPE + written(&self.text) + chars_of(&self.structured)
    }
}

/// Characters of a value as JSON. Counted while it is written to nowhere: every row of every answer is measured.
pub(super) fn chars_of(value: &impl serde::Serialize) -> usize {
    let mut counter = Counter(0);
    serde_json::to_writer(&mut counter, value).map_or(usize::MAX / 4, |()| counter.0)
}

struct Counter(usize);

impl std::io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        // Every character has one byte that does not go on with another.
        self.0 += bytes.iter().filter(|byte| **byte & 0xC0 != 0x80).count();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Characters of a string inside JSON, without its quotes.
pub(super) fn written(text: &str) -> usize {
    text.chars().map(width).sum()
}

fn width(c: char) -> usize {
    match c {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        c if (c as u32) < 0x20 => 6,
        _ => 1,
    }
}

/// What is another thing when it is shortened.
const WHOLE: &[&str] =
    &["file_path", "new_path", "path", "symbol_id", "plan_id", "journal_id", "action_id", "before_sha256"];

/// Cuts every string inside to `limit` characters and every list to as many entries. Paths and ids are left alone: a
/// shortened one is another one.
pub(super) fn shorten(value: &mut Value, limit: usize) {
    match value {
        Value::String(text) => *text = clip(text, limit),
        Value::Array(items) => {
            items.truncate(limit);
            let each = limit / items.len().max(1);
            items.iter_mut().for_each(|item| shorten(item, each.max(8)));
        }
        Value::Object(object) => {
            for (name, value) in object {
                if !(value.is_string() && WHOLE.contains(&name.as_str())) {
                    shorten(value, limit);
                }
            }
        }
        _ => {}
    }
}

/// At most `limit` characters, the last an ellipsis where something was cut.
pub(super) fn clip(text: &str, limit: usize) -> String {
    if text.chars().count() <= limit {
        return text.to_owned();
    }
    let mut clipped: String = text.chars().take(limit.saturating_sub(1)).collect();
    clipped.push('…');
    clipped
}

/// At most `limit` characters as JSON writes them.
pub(super) fn clip_written(text: &str, limit: usize) -> String {
    if written(text) <= limit {
        return text.to_owned();
    }
    let mut size = 1;
    let mut clipped: String = text
        .chars()
        .take_while(|c| {
            size += width(*c);
            size <= limit
        })
        .collect();
    clipped.push('…');
    clipped
}
