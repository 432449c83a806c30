//! Pieces of the private keys of a file, found again in whatever was made of it.

use std::collections::{BTreeSet, HashSet};

use serde_json::{Map, Value};

use crate::render::{Body, Hider, Reply};

/// So many characters that follow each other in a key are not there by chance.
const LEAST: usize = 8;
/// Of a run that may be a piece of a key. What is shorter tells nothing about one.
const LONG: usize = 16;
/// Pieces that are remembered; a file with more keys than that is a collection of them.
const MOST: usize = 1 << 20;
const MARKER: &str = "[REDACTED:private-key]";

/// See the module.
pub(super) struct Pieces {
    known: HashSet<[u8; LEAST]>,
    /// There are more of them: every long run counts as one.
    too_many: bool,
}

impl Pieces {
    pub(super) fn of(hider: &Hider, text: &str) -> Self {
        let mut pieces = Self { known: HashSet::new(), too_many: false };
        for body in hider.private_keys(text) {
            for run in body.as_bytes().split(|byte| !is_base64(*byte)) {
                if pieces.known.len() > MOST {
                    pieces.too_many = true;
                    return pieces;
                }
                pieces.known.extend(run.array_windows::<LEAST>());
            }
        }
        pieces
    }

    /// Whether something was hidden.
    pub(super) fn hide(&self, text: &mut String) -> bool {
        let bytes = text.as_bytes();
        if self.known.is_empty() || bytes.len() < LEAST {
            return false;
        }
        let mut hidden: Vec<std::ops::Range<usize>> = Vec::new();
        for run in runs(bytes).filter(|run| run.len() >= LEAST) {
            if self.too_many && is_suspicious(&bytes[run.clone()]) {
                hidden.push(run);
                continue;
            }
            for (at, window) in bytes[run.clone()].array_windows::<LEAST>().enumerate() {
                if !self.known.contains(window) {
                    continue;
                }
                let start = run.start + at;
                match hidden.last_mut().filter(|last| last.end >= start) {
                    Some(last) => last.end = start + LEAST,
                    None => hidden.push(start..start + LEAST),
                }
            }
        }
        for range in hidden.iter().rev() {
            text.replace_range(range.clone(), MARKER);
        }
        !hidden.is_empty()
    }
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

fn runs(bytes: &[u8]) -> impl Iterator<Item = std::ops::Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + bytes.get(at..)?.iter().position(|byte| is_base64(*byte))?;
        at = start + bytes[start..].iter().take_while(|byte| is_base64(**byte)).count();
        Some(start..at)
    })
}

fn is_suspicious(run: &[u8]) -> bool {
    run.len() >= LONG && run.iter().any(u8::is_ascii_uppercase) && run.iter().any(u8::is_ascii_lowercase)
}

/// The files that are named beside texts which could hold a piece of a key.
pub(super) fn files(reply: &Reply) -> Vec<String> {
    let mut files = BTreeSet::new();
    let mut any = false;
    let mut row = |value: &Map<String, Value>, more: &mut dyn Iterator<Item = &Value>| {
        let mut inside = BTreeSet::new();
        let suspicious = gather_in(value, &mut inside);
        let suspicious = more.fold(suspicious, |all, value| gather("", value, &mut inside) || all);
        if suspicious {
            any = true;
            files.append(&mut inside);
        }
    };
    match &reply.body {
        Body::None => {}
        Body::Text { text, .. } => {
            any = runs(text.as_bytes()).any(|run| is_suspicious(&text.as_bytes()[run]))
        }
        Body::Rows { rows, .. } | Body::Shares { rows, .. } | Body::Texts { rows, .. } => {
            for one in rows {
                row(&one.value, &mut one.parts.iter().flat_map(|parts| &parts.items).map(|(value, _)| value));
            }
        }
    }
    let mut inside = BTreeSet::new();
    any |= gather_in(&reply.fields, &mut inside);
    for (value, _) in reply.lists.iter().flat_map(|list| &list.items) {
        any |= gather("", value, &mut inside);
    }
    if any {
        files.append(&mut inside);
    }
    files.into_iter().collect()
}

fn gather_in(object: &Map<String, Value>, files: &mut BTreeSet<String>) -> bool {
    object.iter().filter(|(name, value)| gather(name, value, files)).count() > 0
}

/// Whether a value holds a text that could be a piece of a key, and the files it names.
fn gather(name: &str, value: &Value, files: &mut BTreeSet<String>) -> bool {
    match value {
        Value::String(text) if is_name_of_file(name) => {
            files.insert(text.strip_prefix("file://").unwrap_or(text).to_owned());
            false
        }
        Value::String(text) => runs(text.as_bytes()).any(|run| is_suspicious(&text.as_bytes()[run])),
        // All of them are gone through: the files of each count.
        Value::Array(items) => items.iter().filter(|item| gather(name, item, files)).count() > 0,
        Value::Object(object) => gather_in(object, files),
        _ => false,
    }
}

fn is_name_of_file(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.ends_with("path") || matches!(name.as_str(), "file" | "uri" | "files")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_found_in_any_form() {
        let body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC";
        let pieces =
            Pieces { known: body.as_bytes().array_windows::<LEAST>().copied().collect(), too_many: false };
        for (text, hidden) in [
            ("x = \"MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\" + y", "x = \"[REDACTED:private-key]\" + y"),
            ("…ADANBgkqhkiG9w0…", "…[REDACTED:private-key]…"),
            ("BgkqhkiG9 someOtherIdentifierOfCode", "[REDACTED:private-key] someOtherIdentifierOfCode"),
            ("MIIEvQI and FAASC", "MIIEvQI and FAASC"),
        ] {
            let mut text = text.to_owned();
            pieces.hide(&mut text);
            assert_eq!(text, hidden);
        }
    }

    #[test]
    fn files_are_looked_at_beside_texts_that_could_hold_a_key() {
        let mut reply = Reply::default();
        let row = |file: &str, text: &str| {
            crate::render::Row::new(serde_json::json!({ "file_path": file, "signature": text }), "")
        };
        let rows =
            vec![row("src/LongNameOfAFile.rs", "fn short()"), row("b.rs", "MIIEvQIBADANBgkqhkiG9w0BAQ")];
        reply.body = Body::Rows { field: "symbols", rows };
        assert_eq!(files(&reply), ["b.rs"]);
    }
}
