//! What stands in a field, however loosely it was written?
//!
//! Sources differ between versions and so do the tools that pass their output on. A field of the wrong kind is noted and
//! passed over: it must not cost the rest of the finding.

use serde_json::Value;

/// Texts that people write are cut behind this many characters.
pub(super) const LONG: usize = 16_000;
pub(super) const SHORT: usize = 500;
/// Entries of a list.
const MOST: usize = 200;
/// What is worth keeping about one finding.
const MOST_NOTES: usize = 20;

/// What could not be read.
#[derive(Debug, Default)]
pub(super) struct Notes(pub(super) Vec<String>);

impl Notes {
    pub(super) fn add(&mut self, note: impl Into<String>) {
        let note = note.into();
        if self.0.len() < MOST_NOTES && !self.0.contains(&note) {
            self.0.push(note);
        }
    }
}

/// The value at a path such as `a.b.c`; nothing where it is missing or null.
pub(super) fn get<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    let found = path.split('.').try_fold(value, |value, name| value.get(name))?;
    (!found.is_null()).then_some(found)
}

/// The first of several paths that has anything.
pub(super) fn first<'v>(value: &'v Value, paths: &[&str]) -> Option<&'v Value> {
    paths.iter().find_map(|path| get(value, path))
}

/// A text or a number as text, without blanks around it; `None` when there is nothing in it.
pub(super) fn plain(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        Value::Bool(flag) => flag.to_string(),
        _ => return None,
    };
    (!text.is_empty()).then_some(text)
}

/// The text at the first of several paths that has anything.
pub(super) fn text(value: &Value, paths: &[&str], notes: &mut Notes) -> Option<String> {
    long_text(value, paths, SHORT, notes)
}

pub(super) fn long_text(value: &Value, paths: &[&str], most: usize, notes: &mut Notes) -> Option<String> {
    let (path, found) = paths.iter().find_map(|path| get(value, path).map(|found| (path, found)))?;
    if matches!(found, Value::Array(_) | Value::Object(_)) {
        notes.add(format!("`{path}` is no text"));
        return None;
    }
    let text = plain(found)?;
    Some(match text.char_indices().nth(most) {
        Some((at, _)) => {
            notes.add(format!("`{path}` has more than {most} characters and was cut"));
            format!("{}…", text.get(..at).unwrap_or_default())
        }
        None => text,
    })
}

/// A number, also where it was written as text.
pub(super) fn number(value: &Value, paths: &[&str], notes: &mut Notes) -> Option<f64> {
    let (path, found) = paths.iter().find_map(|path| get(value, path).map(|found| (path, found)))?;
    let read = match found {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    let read = read.filter(|number: &f64| number.is_finite());
    if read.is_none() {
        notes.add(format!("`{path}` is no number"));
    }
    read
}

pub(super) fn line(value: &Value, paths: &[&str]) -> Option<u32> {
    first(value, paths)?.as_u64().and_then(|line| u32::try_from(line).ok()).filter(|line| *line > 0)
}

/// Yes or no, also as the words that sources use.
pub(super) fn flag(value: &Value, paths: &[&str]) -> Option<bool> {
    match first(value, paths)? {
        Value::Bool(flag) => Some(*flag),
        Value::String(word) => match word.trim().to_ascii_lowercase().as_str() {
            "yes" | "true" | "1" => Some(true),
            "no" | "false" | "0" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

/// The texts of a list, each once; a single text is a list of one. `of` says where in an entry that is an object the text
/// stands.
pub(super) fn texts(value: &Value, paths: &[&str], of: &[&str], notes: &mut Notes) -> Vec<String> {
    let Some((path, found)) = paths.iter().find_map(|path| get(value, path).map(|found| (path, found)))
    else {
        return Vec::new();
    };
    let entries = match found {
        Value::Array(entries) => entries.as_slice(),
        one => std::slice::from_ref(one),
    };
    if entries.len() > MOST {
        notes.add(format!("`{path}` has {} entries; the first {MOST} are kept", entries.len()));
    }
    let mut texts: Vec<String> = Vec::new();
    for entry in entries.iter().take(MOST) {
        let read = if entry.is_object() { first(entry, of).and_then(plain) } else { plain(entry) };
        match read {
            Some(text) if texts.contains(&text) => {}
            Some(text) => texts.push(text.chars().take(2_000).collect()),
            None if entry.is_null() => {}
            None => notes.add(format!("`{path}` has an entry that is no text")),
        }
    }
    texts
}

/// The entries of a list of objects.
pub(super) fn list<'v>(value: &'v Value, path: &str, notes: &mut Notes) -> &'v [Value] {
    match get(value, path) {
        None => &[],
        Some(Value::Array(entries)) => entries,
        Some(_) => {
            notes.add(format!("`{path}` is no list"));
            &[]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn fields_of_the_wrong_kind_are_noted_and_passed_over() {
        let mut notes = Notes::default();
        let value = json!({ "a": { "b": [1] }, "n": "7.5", "x": "seven", "l": ["p", null, 3, {"url": "u"}, {}, "p"] });
        assert_eq!(text(&value, &["a.b"], &mut notes), None);
        assert_eq!(number(&value, &["n"], &mut notes), Some(7.5));
        assert_eq!(number(&value, &["x"], &mut notes), None);
        assert_eq!(texts(&value, &["l"], &["url"], &mut notes), ["p", "3", "u"]);
        assert_eq!(notes.0, ["`a.b` is no text", "`x` is no number", "`l` has an entry that is no text"]);
    }

    #[test]
    fn long_texts_are_cut_and_that_is_said() {
        let mut notes = Notes::default();
        let value = json!({ "t": "ä".repeat(600) });
        let cut = text(&value, &["t"], &mut notes).unwrap();
        assert_eq!(cut.chars().count(), 501);
        assert_eq!(notes.0.len(), 1);
    }
}
