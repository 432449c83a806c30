//! Where something stands, counted without any code of ours, so that a mistake there is not repeated here.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use orienteer_testkit::uri::uri_path;
use serde_json::Value;

/// A file, a line from 1, and a column from 1 in Unicode scalar values.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Place {
    pub(super) path: PathBuf,
    pub(super) line: u64,
    pub(super) column: u64,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.path.display(), self.line, self.column)
    }
}

pub(super) type Places = BTreeSet<Place>;

/// The same places without links in their paths.
pub(super) fn real(places: &Places) -> Places {
    let real = |place: &Place| Place {
        path: place.path.canonicalize().unwrap_or_else(|_| place.path.clone()),
        ..place.clone()
    };
    places.iter().map(real).collect()
}

/// The lines of files, read once: nobody changes them while this lives.
pub(super) struct Counter {
    encoding: String,
    files: HashMap<PathBuf, Vec<String>>,
}

impl Counter {
    pub(super) fn new(encoding: &str) -> Self {
        Self { encoding: encoding.to_owned(), files: HashMap::new() }
    }

    /// In which unit the server counts columns.
    pub(super) fn encoding(&self) -> &str {
        &self.encoding
    }

    pub(super) fn lines(&mut self, path: &Path) -> &[String] {
        self.files.entry(path.to_owned()).or_insert_with(|| {
            let bytes = std::fs::read(path).unwrap_or_default();
            lines(&String::from_utf8_lossy(&bytes))
        })
    }

    /// The place of a position of the raw server.
    pub(super) fn place(&mut self, path: &Path, position: &Value) -> Place {
        let line = position["line"].as_u64().unwrap_or_default();
        let character = position["character"].as_u64().unwrap_or_default();
        let encoding = self.encoding.clone();
        let text = usize::try_from(line).ok().and_then(|line| self.lines(path).get(line)).cloned();
        let column = column(&text.unwrap_or_default(), character, &encoding);
        Place { path: path.to_owned(), line: line + 1, column }
    }

    /// All places of an answer to a definition or references request: nothing, one, several, or links.
    pub(super) fn places(&mut self, answer: &Value) -> Vec<(Place, Value)> {
        let all = match answer {
            Value::Array(list) => list.iter().collect(),
            Value::Null => Vec::new(),
            one => vec![one],
        };
        let mut places = Vec::new();
        for one in all {
            let (uri, range) = match one.get("targetUri") {
                Some(uri) => (uri, &one["targetSelectionRange"]),
                None => (&one["uri"], &one["range"]),
            };
            let Some(path) = uri.as_str().and_then(uri_path) else { continue };
            places.push((self.place(&path, &range["start"]), range["start"].clone()));
        }
        places
    }
}

/// The lines of a text by the rules of the protocol: after `\n`, `\r\n` or `\r`.
pub(super) fn lines(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\r' if characters.peek() == Some(&'\n') => {}
            '\r' | '\n' => lines.push(String::new()),
            other => lines.last_mut().into_iter().for_each(|line| line.push(other)),
        }
    }
    lines
}

/// From units of an encoding to a column from 1 in scalar values.
fn column(line: &str, units: u64, encoding: &str) -> u64 {
    let mut left = units;
    let mut column = 1;
    for character in line.chars() {
        let size = match encoding {
            "utf-8" => character.len_utf8(),
            "utf-32" => 1,
            _ => character.len_utf16(),
        } as u64;
        if left < size {
            break;
        }
        left -= size;
        column += 1;
    }
    column
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_counted_in_scalar_values() {
        for (encoding, units) in [("utf-8", 6), ("utf-16", 4), ("utf-32", 3)] {
            assert_eq!(column("aä😀b", 0, encoding), 1);
            // `ä` has 2, 1 or 1 units, `😀` 4, 2 or 1.
            let behind = units + u64::from(encoding == "utf-8");
            assert_eq!(column("aä😀b", behind, encoding), 4, "{encoding}");
        }
        assert_eq!(lines("a\r\nb\rc\n"), ["a", "b", "c", ""]);
    }
}
