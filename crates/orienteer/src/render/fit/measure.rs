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

pub(super) fn chars_of(value: &impl serde::Serialize) -> usize {
    serde_json::to_string(value).map_or(usize::MAX / 4, |text| text.chars().count())
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

/// Cuts every string inside to `limit` characters and every list to as many entries. Paths are left alone: a
/// shortened path is another path.
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
                if !(value.is_string() && (name == "file_path" || name == "path")) {
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
