//! What does a server want to change?
//!
//! A `WorkspaceEdit` is read into an overlay in its own order: each place counts in the text as it is after what came
//! before. What cannot be read is a reason to do nothing at all: the rest of an edit is not the edit.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use orienteer_base::{ColumnUnit, Roots};
use orienteer_edit::{EditError, Existing, Overlay, Plan, TextEdit, Unfit};
use serde_json::Value;

use crate::live::InStep;
use crate::message::{Extent, Point};
use crate::text::Text;
use crate::uri;

/// Labels that are told.
const MOST_NOTES: usize = 20;

/// What a server proposes.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposed {
    pub plan: Plan,
    /// What it wants a person to confirm, in its own words, and what of its proposal was left out.
    pub notes: Vec<String>,
}

/// Why an edit is not used.
#[derive(Debug)]
pub(crate) enum Unusable {
    Edit(EditError),
    /// It cannot be read, in words.
    Odd(String),
}

impl From<EditError> for Unusable {
    fn from(error: EditError) -> Self {
        Self::Edit(error)
    }
}

fn odd<T>(what: &str, value: &Value) -> Result<T, Unusable> {
    let shown: String = value.to_string().chars().take(200).collect();
    Err(Unusable::Odd(format!("{what}: {shown}")))
}

/// Edits that are read, and what they were read against.
#[derive(Debug)]
pub(crate) struct Gathering {
    overlay: Overlay,
    unit: ColumnUnit,
    notes: Vec<String>,
    /// The texts of changed files as they were on disk.
    texts: HashMap<PathBuf, Arc<str>>,
    /// The versions of documents that the server speaks about.
    versions: Vec<(PathBuf, i64)>,
}

impl Gathering {
    pub(crate) fn new(roots: &Roots, unit: ColumnUnit) -> Self {
        Self {
            overlay: Overlay::new(roots.clone()),
            unit,
            notes: Vec::new(),
            texts: HashMap::new(),
            versions: Vec::new(),
        }
    }

    pub(crate) fn finish(self) -> Proposed {
        Proposed { plan: self.overlay.finish(), notes: self.notes }
    }

    pub(crate) fn note(&mut self, note: &str) {
        let note: String = note.chars().take(200).collect();
        if self.notes.len() < MOST_NOTES && !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Whether all of it is about the texts that the server was told and that are on disk.
    pub(crate) fn is_about(&self, state: &InStep) -> bool {
        let open = |path: &Path| state.documents.get(path);
        let same = |(path, text): (&PathBuf, &Arc<str>)| {
            open(path).is_none_or(|open| open.text.text.as_str() == text.as_ref())
        };
        let of_version =
            |(path, version): &(PathBuf, i64)| open(path).is_none_or(|open| open.version == *version);
        self.texts.iter().all(same) && self.versions.iter().all(of_version)
    }

    /// Adds a whole `WorkspaceEdit`; `null` is one without changes.
    pub(crate) fn workspace_edit(&mut self, edit: &Value) -> Result<(), Unusable> {
        if edit.is_null() {
            return Ok(());
        }
        if !edit.is_object() {
            return odd("its edit is no object", edit);
        }
        let annotations = &edit["changeAnnotations"];
        let changes = match &edit["documentChanges"] {
            // Nothing here and something there is better read than lost.
            Value::Array(none) if none.is_empty() && edit["changes"].is_object() => &Value::Null,
            changes => changes,
        };
        match (changes, &edit["changes"]) {
            (Value::Array(changes), _) => {
                changes.iter().try_for_each(|change| self.document_change(change, annotations))
            }
            (Value::Null, Value::Object(files)) => files.iter().try_for_each(|(uri, edits)| {
                let path = file(uri)?;
                self.edits_of(&path, edits, annotations)
            }),
            (Value::Null, Value::Null) => Ok(()),
            (Value::Null, changes) => odd("its `changes` are no object", changes),
            (changes, _) => odd("its `documentChanges` are no list", changes),
        }
    }

    fn document_change(&mut self, change: &Value, annotations: &Value) -> Result<(), Unusable> {
        self.annotated(change, annotations);
        let path = |name: &str| match change[name].as_str() {
            Some(uri) => file(uri),
            None => odd("an operation without a file", change),
        };
        let options = &change["options"];
        let has = |name: &str| options[name].as_bool().unwrap_or(false);
        let existing = match (has("overwrite"), has("ignoreIfExists")) {
            (true, _) => Existing::Overwrite,
            (_, true) => Existing::Keep,
            _ => Existing::Refuse,
        };
        match change.get("kind").and_then(Value::as_str) {
            Some("create") => {
                let path = path("uri")?;
                self.remember(&path)?;
                self.overlay.create(&path, "", existing)?;
            }
            Some("rename") => {
                let (from, to) = (path("oldUri")?, path("newUri")?);
                self.remember(&from)?;
                self.remember(&to)?;
                self.overlay.rename(&from, &to, existing)?;
            }
            Some("delete") => {
                let path = path("uri")?;
                self.remember(&path)?;
                self.overlay.delete(&path, has("recursive"), has("ignoreIfNotExists"))?;
            }
            Some(_) => return odd("an operation that nobody here knows", change),
            None => return self.text_document_edit(change, annotations),
        }
        Ok(())
    }

    fn text_document_edit(&mut self, change: &Value, annotations: &Value) -> Result<(), Unusable> {
        let Some(uri) = change["textDocument"]["uri"].as_str() else {
            return odd("an edit without a file", change);
        };
        let path = file(uri)?;
        if let Some(version) = change["textDocument"]["version"].as_i64() {
            let real = std::fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
            self.versions.push((real, version));
        }
        self.edits_of(&path, &change["edits"], annotations)
    }

    fn edits_of(&mut self, path: &Path, edits: &Value, annotations: &Value) -> Result<(), Unusable> {
        let Value::Array(edits) = edits else { return odd("edits that are no list", edits) };
        for edit in edits {
            self.annotated(edit, annotations);
        }
        self.text_edits(path, edits)
    }

    /// Adds edits of one file that all count in its text as it is now.
    pub(crate) fn text_edits(&mut self, path: &Path, edits: &[Value]) -> Result<(), Unusable> {
        if edits.is_empty() {
            return Ok(());
        }
        self.remember(path)?;
        let text = Text::new(self.overlay.text(path)?.as_ref().to_owned());
        let convert = |edit: &Value| -> Result<TextEdit, Unusable> {
            let Some(extent) = Extent::read(&edit["range"]) else {
                return odd("an edit without a range", edit);
            };
            // Snippets were not asked for: `$0` would end up in the file.
            let is_snippet = edit["snippet"].is_object() || edit["insertTextFormat"] == 2;
            let Some(new_text) = edit["newText"].as_str().filter(|_| !is_snippet) else {
                return odd("an edit without a plain text", edit);
            };
            let range = bytes(&text, extent, self.unit)
                .map_err(|unfit| EditError::Unfit { path: path.to_path_buf(), unfit })?;
            Ok(TextEdit::new(range, new_text))
        };
        let edits = edits.iter().map(convert).collect::<Result<Vec<_>, _>>()?;
        Ok(self.overlay.edit(path, edits)?)
    }

    /// Keeps what a file is before the first change of it.
    fn remember(&mut self, path: &Path) -> Result<(), Unusable> {
        let real = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        if real.is_file() && !self.texts.contains_key(&real) && self.overlay.exists(path)? {
            // What is no text has no places; whoever moves it does not need them.
            if let Ok(text) = self.overlay.text(path) {
                self.texts.insert(real, text);
            }
        }
        Ok(())
    }

    fn annotated(&mut self, item: &Value, annotations: &Value) {
        let Some(id) = item["annotationId"].as_str() else { return };
        let annotation = &annotations[id];
        if annotation["needsConfirmation"].as_bool() == Some(true) {
            let label = annotation["label"].as_str().unwrap_or(id).to_owned();
            self.note(&label);
        }
    }
}

/// The path of a URI that is to be changed.
fn file(uri: &str) -> Result<PathBuf, Unusable> {
    let outside = || EditError::Outside { path: PathBuf::from(uri) };
    Ok(uri::to_path(uri).ok_or_else(outside)?)
}

/// The bytes of a range. A column past the end of a line is its end, as the protocol has it. A line past the last is
/// refused, because the server has seen another text then, but for two ways to say the end: one line past the last,
/// and any line past it when all before is replaced too.
fn bytes(text: &Text, extent: Extent, unit: ColumnUnit) -> Result<std::ops::Range<usize>, Unfit> {
    let start = byte(text, extent.start, unit)?;
    let end = byte(text, extent.end, unit)?;
    let length = text.text.len();
    let lines = text.lines.line_count() as u64;
    let whole = extent.start.line == 0 && extent.start.character == 0;
    let one_past = extent.end.line == lines && extent.end.character == 0;
    match (start, end) {
        (Some(start), Some(end)) => Ok(start..end),
        (Some(start), None) if whole || one_past => Ok(start..length),
        (start, _) => {
            let start = start.unwrap_or(length + 1);
            Err(Unfit::OutOfRange { start, end: length + 1, length })
        }
    }
}

fn byte(text: &Text, point: Point, unit: ColumnUnit) -> Result<Option<usize>, Unfit> {
    let line = usize::try_from(point.line).unwrap_or(usize::MAX);
    let column = usize::try_from(point.character).unwrap_or(usize::MAX);
    let Some(offset) = text.lines.offset(&text.text, line, column, unit) else { return Ok(None) };
    // A column inside a character was counted in another unit, or in another text.
    let (_, reached) = text.lines.locate(&text.text, offset, unit);
    let line_end = text.lines.line_text(&text.text, line).map_or(0, str::len);
    let at_end = text.lines.line_bytes(line).is_some_and(|bytes| offset >= bytes.start + line_end);
    if reached < column && !at_end {
        return Err(Unfit::InsideCharacter { at: offset + 1 });
    }
    Ok(Some(offset))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
