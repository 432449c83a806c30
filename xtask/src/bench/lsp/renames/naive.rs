//! A server's proposal applied by the plainest code there is, so that a mistake of ours is not repeated here.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use orienteer_testkit::uri::uri_path;
use serde_json::Value;

/// Files by path.
pub(super) type Files = BTreeMap<PathBuf, Vec<u8>>;

/// What the files would be. A proposal that reaches beyond the project is an error: no client would do it.
pub(super) fn apply(before: &Files, edit: &Value, encoding: &str, root: &Path) -> Result<Files, String> {
    let mut files = before.clone();
    if let Some(changes) = edit["documentChanges"].as_array() {
        for change in changes {
            match change["kind"].as_str() {
                None => edits(&mut files, &change["textDocument"]["uri"], &change["edits"], encoding, root)?,
                Some("rename") => rename(&mut files, &path(&change["oldUri"])?, &path(&change["newUri"])?),
                Some(kind) => return Err(format!("{kind} is not expected in a rename")),
            }
        }
    } else if let Some(changes) = edit["changes"].as_object() {
        for (uri, list) in changes {
            edits(&mut files, &Value::String(uri.clone()), list, encoding, root)?;
        }
    } else {
        return Err("it changes nothing".to_owned());
    }
    Ok(files)
}

fn path(uri: &Value) -> Result<PathBuf, String> {
    uri.as_str().and_then(uri_path).ok_or_else(|| format!("{uri} is no file"))
}

fn rename(files: &mut Files, from: &Path, to: &Path) {
    let moved: Vec<PathBuf> = files.keys().filter(|path| path.starts_with(from)).cloned().collect();
    for old in moved {
        if let (Some(bytes), Ok(rest)) = (files.remove(&old), old.strip_prefix(from)) {
            let new = if rest.as_os_str().is_empty() { to.to_path_buf() } else { to.join(rest) };
            files.insert(new, bytes);
        }
    }
}

fn edits(files: &mut Files, uri: &Value, list: &Value, encoding: &str, root: &Path) -> Result<(), String> {
    let path = path(uri)?;
    if !path.starts_with(root) {
        return Err(format!("{} is outside the project", path.display()));
    }
    let bytes = files.get_mut(&path).ok_or_else(|| format!("{} is not there", path.display()))?;
    let mut text = String::from_utf8(std::mem::take(bytes)).map_err(|error| error.to_string())?;
    let mut parts = Vec::new();
    for edit in list.as_array().into_iter().flatten() {
        let start = offset(&text, &edit["range"]["start"], encoding);
        let end = offset(&text, &edit["range"]["end"], encoding);
        parts.push((start, end, edit["newText"].as_str().unwrap_or_default().to_owned()));
    }
    parts.sort();
    parts.dedup();
    for (start, end, new) in parts.into_iter().rev() {
        text.replace_range(start..end, &new);
    }
    *bytes = text.into_bytes();
    Ok(())
}

/// The byte of a position, by walking over the text.
fn offset(text: &str, position: &Value, encoding: &str) -> usize {
    let mut lines = position["line"].as_u64().unwrap_or_default();
    let mut units = position["character"].as_u64().unwrap_or_default();
    for (at, character) in text.char_indices() {
        if lines > 0 {
            lines -= u64::from(character == '\n');
            continue;
        }
        let size = match encoding {
            "utf-8" => character.len_utf8(),
            "utf-32" => 1,
            _ => character.len_utf16(),
        } as u64;
        if units < size || character == '\n' {
            return at;
        }
        units -= size;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn edits_and_moved_files_are_applied() {
        let before = Files::from([
            ("/w/src/old.rs".into(), "fn 😀a() { a }\n".into()),
            ("/w/src/lib.rs".into(), "mod old;\n".into()),
        ]);
        let at = |line: u64, start: u64, end: u64| json!({ "start": { "line": line, "character": start }, "end": { "line": line, "character": end } });
        let edit = json!({ "documentChanges": [
            { "textDocument": { "uri": "file:///w/src/old.rs" }, "edits": [
                { "range": at(0, 5, 6), "newText": "bb" },
                { "range": at(0, 11, 12), "newText": "bb" },
            ] },
            { "textDocument": { "uri": "file:///w/src/lib.rs" }, "edits": [{ "range": at(0, 4, 7), "newText": "new" }] },
            { "kind": "rename", "oldUri": "file:///w/src/old.rs", "newUri": "file:///w/src/new.rs" },
        ] });
        let after = apply(&before, &edit, "utf-16", Path::new("/w")).unwrap();
        let expected = Files::from([
            ("/w/src/new.rs".into(), "fn 😀bb() { bb }\n".into()),
            ("/w/src/lib.rs".into(), "mod new;\n".into()),
        ]);
        assert_eq!(after, expected);
        let outside = json!({ "changes": { "file:///x/a.rs": [] } });
        assert!(apply(&before, &outside, "utf-8", Path::new("/w")).is_err());
    }
}
