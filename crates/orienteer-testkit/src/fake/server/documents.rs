//! The texts that the server holds. Disk is read when the client says so, and at no other time.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::columns::{byte, lines};
use crate::fake::Encoding;
use crate::uri::uri_path;

#[derive(Debug)]
pub(super) struct Open {
    pub(super) version: i64,
    pub(super) text: String,
}

#[derive(Debug)]
pub(super) struct Documents {
    extensions: Vec<String>,
    roots: Vec<PathBuf>,
    disk: BTreeMap<PathBuf, String>,
    pub(super) open: BTreeMap<PathBuf, Open>,
}

impl Documents {
    pub(super) fn new(extensions: &[String]) -> Self {
        let mut extensions = extensions.to_vec();
        if extensions.is_empty() {
            extensions.push("fake".to_owned());
        }
        Self { extensions, roots: Vec::new(), disk: BTreeMap::new(), open: BTreeMap::new() }
    }

    /// Reads a whole root.
    pub(super) fn add_root(&mut self, root: PathBuf) {
        if !self.roots.contains(&root) {
            self.disk.extend(self.walk(&root));
            self.roots.push(root);
        }
    }

    pub(super) fn remove_root(&mut self, root: &Path) {
        self.roots.retain(|known| known != root);
        self.disk.retain(|path, _| !path.starts_with(root));
    }

    fn walk(&self, folder: &Path) -> Vec<(PathBuf, String)> {
        let mut found = Vec::new();
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && !hidden => found.extend(self.walk(&path)),
                Ok(kind) if kind.is_file() && self.is_ours(&path) => {
                    if let Some(text) = read(&path) {
                        found.push((path, text));
                    }
                }
                _ => {}
            }
        }
        found
    }

    fn is_ours(&self, path: &Path) -> bool {
        path.extension()
            .is_some_and(|extension| self.extensions.iter().any(|ours| extension == ours.as_str()))
    }

    /// Every file with the text that counts: an open document wins over the disk.
    pub(super) fn held(&self) -> BTreeMap<&Path, &str> {
        let mut held: BTreeMap<&Path, &str> =
            self.disk.iter().map(|(path, text)| (path.as_path(), text.as_str())).collect();
        held.extend(self.open.iter().map(|(path, open)| (path.as_path(), open.text.as_str())));
        held
    }

    /// Files whose text differs from the disk now, for the record alone.
    pub(super) fn stale(&self) -> Vec<PathBuf> {
        let mut now: BTreeMap<PathBuf, String> = self.roots.iter().flat_map(|root| self.walk(root)).collect();
        let mut stale = Vec::new();
        for (path, text) in self.held() {
            let outside = !now.contains_key(path);
            let on_disk = now.remove(path).or_else(|| outside.then(|| read(path)).flatten());
            if on_disk.as_deref() != Some(text) {
                stale.push(path.to_owned());
            }
        }
        stale.extend(now.into_keys());
        stale
    }

    /// Learns what the disk says about one file.
    pub(super) fn refresh(&mut self, path: &Path) {
        match read(path).filter(|_| self.is_ours(path)) {
            Some(text) => self.disk.insert(path.to_owned(), text),
            None => self.disk.remove(path),
        };
    }

    /// A file, or a folder with all that is in it, is gone.
    pub(super) fn forget(&mut self, path: &Path) {
        self.disk.retain(|known, _| !known.starts_with(path));
    }

    pub(super) fn did_open(&mut self, params: &Value) -> Result<PathBuf, String> {
        let document = &params["textDocument"];
        let path = path_of(document)?;
        let text = document["text"].as_str().ok_or("didOpen without a text")?.to_owned();
        let version = document["version"].as_i64().ok_or("didOpen without a version")?;
        if self.open.insert(path.clone(), Open { version, text }).is_some() {
            return Err(format!("didOpen of {}, which is open", path.display()));
        }
        Ok(path)
    }

    pub(super) fn did_change(&mut self, params: &Value, encoding: Encoding) -> Result<PathBuf, String> {
        let path = path_of(&params["textDocument"])?;
        let name = path.display();
        let open =
            self.open.get_mut(&path).ok_or_else(|| format!("didChange of {name}, which is not open"))?;
        let version = params["textDocument"]["version"].as_i64().ok_or("didChange without a version")?;
        for change in params["contentChanges"].as_array().into_iter().flatten() {
            apply(&mut open.text, change, encoding)
                .map_err(|wrong| format!("didChange of {name}: {wrong}"))?;
        }
        let before = std::mem::replace(&mut open.version, version);
        if version <= before {
            return Err(format!("didChange of {name} to version {version} after {before}"));
        }
        Ok(path)
    }

    /// The disk counts again, as it is now.
    pub(super) fn did_close(&mut self, params: &Value) -> Result<PathBuf, String> {
        let path = path_of(&params["textDocument"])?;
        if self.open.remove(&path).is_none() {
            return Err(format!("didClose of {}, which is not open", path.display()));
        }
        self.refresh(&path);
        Ok(path)
    }
}

pub(super) fn path_of(document: &Value) -> Result<PathBuf, String> {
    let uri = document["uri"].as_str().unwrap_or_default();
    uri_path(uri).ok_or_else(|| format!("{uri:?} is no file URI"))
}

fn read(path: &Path) -> Option<String> {
    std::fs::read(path).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

fn apply(text: &mut String, change: &Value, encoding: Encoding) -> Result<(), String> {
    let new = change["text"].as_str().ok_or("a change without a text")?;
    let Some(range) = change.get("range").filter(|range| !range.is_null()) else {
        new.clone_into(text);
        return Ok(());
    };
    let (start, end) = (offset(text, &range["start"], encoding)?, offset(text, &range["end"], encoding)?);
    if start > end {
        return Err(format!("the range {range} ends before it starts"));
    }
    text.replace_range(start..end, new);
    Ok(())
}

/// The byte of a position in a text. A line behind the end is the end.
fn offset(text: &str, position: &Value, encoding: Encoding) -> Result<usize, String> {
    let (line, column) = line_and_column(position)?;
    let Some(range) = lines(text).get(line).cloned() else { return Ok(text.len()) };
    Ok(range.start + byte(&text[range], column, encoding)?)
}

pub(super) fn line_and_column(position: &Value) -> Result<(usize, usize), String> {
    let number = |key: &str| position[key].as_u64().and_then(|number| usize::try_from(number).ok());
    number("line").zip(number("character")).ok_or_else(|| format!("{position} is no position"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn ranged_changes_count_in_the_encoding() {
        let range = json!({ "start": { "line": 1, "character": 3 }, "end": { "line": 2, "character": 0 } });
        let mut text = "a\r\n😀xy\r\nb".to_owned();
        apply(&mut text, &json!({ "range": range, "text": "-" }), Encoding::Utf16).unwrap();
        assert_eq!(text, "a\r\n😀x-b");
        apply(&mut text, &json!({ "text": "whole" }), Encoding::Utf16).unwrap();
        assert_eq!(text, "whole");
    }
}
