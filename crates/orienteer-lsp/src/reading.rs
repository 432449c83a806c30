//! An answer of a server on its way into our vocabulary.
//!
//! What surrounds an answer is given out only together with what was read of it, and whatever is read goes through a
//! [`Reading`], which counts what it had to leave out. So nobody can pass over something odd without its being told.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use orienteer_base::Range;
use serde::Deserialize;
use serde::de::{DeserializeSeed, IgnoredAny, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::lease::{Heard, Spot};
use crate::live::{Live, Seen};
use crate::message::{Extent, Location, Raw};
use crate::order::own_first;
use crate::position;
use crate::text::Text;
use crate::uri;

/// Entries of one list that are kept.
pub(crate) const MOST_ENTRIES: usize = 50_000;

/// Why an entry is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LeftOut {
    /// It is not what the protocol has there, or a place that no text has.
    Unreadable,
    /// It is about something that is no file, which is told by its address.
    NoFile,
    /// It is about a file that is gone: an index may still know it, and nothing is in it any more.
    Gone,
}

/// An entry, or why there is none.
pub(crate) type Entry<T> = Result<T, LeftOut>;

/// What must be there to be an entry.
pub(crate) fn needed<T>(part: Option<T>) -> Entry<T> {
    part.ok_or(LeftOut::Unreadable)
}

/// Whether an answer tells of nothing at all: that may be for many reasons, of which "there is none" is only one.
pub(crate) trait Content {
    fn is_nothing(&self) -> bool;
}

impl Content for () {
    fn is_nothing(&self) -> bool {
        false
    }
}

impl<T> Content for Vec<T> {
    fn is_nothing(&self) -> bool {
        self.is_empty()
    }
}

impl<T> Content for Option<T> {
    fn is_nothing(&self) -> bool {
        self.is_none()
    }
}

/// A file by its path, with its text where it can be read.
type NamedFile = (PathBuf, Option<Arc<Text>>);

/// See the module.
#[derive(Debug)]
pub(crate) struct Reading {
    seen: Seen,
    /// Files that the answer names: each is resolved and read once.
    files: HashMap<String, Entry<NamedFile>>,
}

impl Reading {
    pub(crate) fn new(seen: Seen) -> Self {
        Self { seen, files: HashMap::new() }
    }

    /// What was read, with what surrounds it. A server that found nothing while it is at work has not looked everywhere,
    /// however it usually shows that it is ready.
    pub(crate) fn finish<T: Content>(mut self, live: &Live, value: T) -> Heard<T> {
        let missing = self.files.iter().filter(|(_, file)| matches!(file, Err(LeftOut::NoFile)));
        self.seen.not_files.extend(missing.map(|(uri, _)| uri.clone()));
        self.seen.not_files.sort_unstable();
        if self.seen.unreadable > 0 {
            let (server, count) = (&live.definition.id, self.seen.unreadable);
            tracing::warn!(server, count, "parts of an answer could not be read");
        }
        if value.is_nothing()
            && let Some(doing) = live.ready.activity()
        {
            self.seen.ready = false;
            self.seen.busy_with = Some(doing.to_string());
        }
        Heard { value, seen: self.seen }
    }

    /// Something could not be read.
    pub(crate) fn unreadable(&mut self, count: usize) {
        self.seen.unreadable += count;
    }

    /// More than is kept.
    pub(crate) fn cut(&mut self, count: usize) {
        self.seen.cut += count;
    }

    /// What it names that is no file.
    pub(crate) fn not_a_file(&mut self, uri: &str) {
        self.seen.not_files.push(uri.to_owned());
    }

    pub(crate) fn keep<T>(&mut self, entry: Entry<T>) -> Option<T> {
        match entry {
            Ok(entry) => Some(entry),
            Err(LeftOut::Unreadable) => {
                self.unreadable(1);
                None
            }
            Err(LeftOut::NoFile | LeftOut::Gone) => None,
        }
    }

    /// What could not be read and what was left out.
    pub(crate) fn counts(&self) -> (usize, usize) {
        (self.seen.unreadable, self.seen.cut)
    }

    /// An answer as a tree of values.
    pub(crate) fn value(&mut self, raw: &Raw) -> Value {
        let value = raw.value();
        // Too long, or nested deeper than anybody reads.
        self.unreadable(usize::from(value.is_null() && raw.text().is_some()));
        value
    }

    /// The entries of a list in a tree of values. `null` has none; anything else that is no list is one odd entry.
    pub(crate) fn each<R>(
        &mut self,
        value: &Value,
        mut read: impl FnMut(&Value, &mut Self) -> Entry<R>,
    ) -> Vec<R> {
        match value {
            Value::Null => Vec::new(),
            Value::Array(items) => {
                self.cut(items.len().saturating_sub(MOST_ENTRIES));
                let read = items.iter().take(MOST_ENTRIES).filter_map(|item| {
                    let entry = read(item, self);
                    self.keep(entry)
                });
                read.collect()
            }
            _ => {
                self.unreadable(1);
                Vec::new()
            }
        }
    }

    /// The entries of a list, or the one that stands alone, without a tree of values. More than `most` are counted as cut.
    pub(crate) fn list<'r, T: Deserialize<'r>, R>(
        &mut self,
        raw: &'r Raw,
        most: usize,
        read: impl FnMut(T, &mut Self) -> Entry<R>,
    ) -> Vec<R> {
        raw.text().map_or_else(Vec::new, |text| self.entries(text, most, read))
    }

    /// The same of a part of an answer.
    pub(crate) fn entries<'r, T: Deserialize<'r>, R>(
        &mut self,
        text: &'r str,
        most: usize,
        mut read: impl FnMut(T, &mut Self) -> Entry<R>,
    ) -> Vec<R> {
        let before = (self.seen.unreadable, self.seen.cut);
        let list = List { reading: &mut *self, most, read: &mut read, entry: std::marker::PhantomData };
        if let Ok(all) = list.deserialize(&mut serde_json::Deserializer::from_str(text)) {
            return all;
        }
        (self.seen.unreadable, self.seen.cut) = before;
        // Something in it is odd: one by one.
        let one = |text: &'r str, reading: &mut Self, read: &mut dyn FnMut(T, &mut Self) -> Entry<R>| {
            let entry = needed(serde_json::from_str(text).ok()).and_then(|entry| read(entry, reading));
            reading.keep(entry)
        };
        match serde_json::from_str::<Vec<&RawValue>>(text) {
            Ok(each) => {
                self.cut(each.len().saturating_sub(most));
                each.iter().take(most).filter_map(|item| one(item.get(), self, &mut read)).collect()
            }
            Err(_) => one(text, self, &mut read).into_iter().collect(),
        }
    }

    /// A location or a link as a place of ours.
    pub(crate) fn spot(&mut self, live: &Live, location: &Location<'_>) -> Entry<Spot> {
        let uri = needed(location.uri.as_deref().or(location.target_uri.as_deref()))?;
        let range = needed(location.target_selection_range.or(location.target_range).or(location.range))?;
        self.spot_at(live, uri, range, location.target_range)
    }

    pub(crate) fn spot_at(
        &mut self,
        live: &Live,
        uri: &str,
        range: Extent,
        whole: Option<Extent>,
    ) -> Entry<Spot> {
        let (path, text) = self.file(live, uri)?;
        let (range, whole) = match text {
            Some(text) => (
                position::from_server(text, range, live.unit),
                whole.and_then(|whole| position::of_whole(text, whole, live.unit)),
            ),
            None => (position::without_text(range), whole.and_then(position::without_text)),
        };
        Ok(Spot { range: needed(range)?, whole, path: path.clone(), unread: text.is_none() })
    }

    fn file(&mut self, live: &Live, uri: &str) -> Entry<&NamedFile> {
        if !self.files.contains_key(uri) {
            let file = resolve(live, uri).map(|path| {
                let text = live.imagined(&path).or_else(|| live.texts.read(&path).ok());
                (path, text)
            });
            self.files.insert(uri.to_owned(), file);
        }
        match self.files.get(uri) {
            Some(Ok(file)) => Ok(file),
            Some(Err(why)) => Err(*why),
            None => Err(LeftOut::Unreadable),
        }
    }

    /// A place of something that is worth telling wherever it is: what is beyond the end stands at the end, and is counted.
    pub(crate) fn near(&mut self, live: &Live, uri: &str, range: Extent) -> Entry<Spot> {
        let Ok((path, Some(text))) = self.file(live, uri) else {
            return self.spot_at(live, uri, range, None);
        };
        let (path, end) = (path.clone(), position::end(text));
        let found = position::of_whole(text, range, live.unit);
        // One line past the last is a way to say the end.
        let beyond = found.is_none() && range.start.line != text.lines.line_count() as u64;
        self.unreadable(usize::from(beyond));
        Ok(Spot { path, range: found.unwrap_or(Range { start: end, end }), whole: None, unread: false })
    }

    /// Null, one location, several, or links: in order, each once.
    pub(crate) fn spots(&mut self, live: &Live, raw: &Raw) -> Vec<Spot> {
        let read = |location: Location<'_>, reading: &mut Self| reading.spot(live, &location);
        let mut spots: Vec<Spot> = self.list(raw, MOST_ENTRIES, read);
        own_first(&live.root, &mut spots, |spot| spot);
        spots.dedup_by(|left, right| left.path == right.path && left.range == right.range);
        spots
    }
}

/// The file that a URI names.
pub(crate) fn resolve(live: &Live, uri: &str) -> Entry<PathBuf> {
    let path = uri::to_path(uri).ok_or(LeftOut::NoFile)?;
    // What the watcher knows was reached without links: it is canonical, and it is there.
    if live.watch.contains(&path) || live.imagined(&path).is_some() {
        return Ok(path);
    }
    std::fs::canonicalize(&path)
        .map_err(|_| if live.deleted.has(&path) { LeftOut::Gone } else { LeftOut::Unreadable })
}

/// A list that is read entry by entry, so that it is never in memory as a whole.
struct List<'l, T, F> {
    reading: &'l mut Reading,
    most: usize,
    read: &'l mut F,
    entry: std::marker::PhantomData<T>,
}

impl<'r, T, R, F> DeserializeSeed<'r> for List<'_, T, F>
where
    T: Deserialize<'r>,
    F: FnMut(T, &mut Reading) -> Entry<R>,
{
    type Value = Vec<R>;

    fn deserialize<D: serde::Deserializer<'r>>(self, deserializer: D) -> Result<Vec<R>, D::Error> {
        struct Entries<'l, T, F>(List<'l, T, F>);
        impl<'r, T, R, F> Visitor<'r> for Entries<'_, T, F>
        where
            T: Deserialize<'r>,
            F: FnMut(T, &mut Reading) -> Entry<R>,
        {
            type Value = Vec<R>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a list")
            }

            fn visit_seq<A: SeqAccess<'r>>(self, mut items: A) -> Result<Vec<R>, A::Error> {
                let List { reading, most, read, .. } = self.0;
                let mut kept = Vec::new();
                for _ in 0..most {
                    let Some(item) = items.next_element::<T>()? else { return Ok(kept) };
                    let entry = read(item, reading);
                    kept.extend(reading.keep(entry));
                }
                while items.next_element::<IgnoredAny>()?.is_some() {
                    reading.cut(1);
                }
                Ok(kept)
            }
        }
        deserializer.deserialize_seq(Entries(self))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::message::Message;

    fn read(result: &Value, most: usize) -> (Vec<u64>, usize, usize) {
        let message = json!({ "id": 1, "result": result }).to_string();
        let raw = Message::read(message.as_bytes()).unwrap_or_default().result;
        let mut reading = Reading::new(Seen::default());
        let even = |number: u64, _: &mut Reading| needed(number.is_multiple_of(2).then_some(number));
        (reading.list(&raw, most, even), reading.seen.unreadable, reading.seen.cut)
    }

    #[test]
    fn what_cannot_be_read_and_what_is_cut_is_counted() {
        assert_eq!(read(&Value::Null, 9), (vec![], 0, 0));
        assert_eq!(read(&json!([]), 9), (vec![], 0, 0));
        assert_eq!(read(&json!([2, 3, 4]), 9), (vec![2, 4], 1, 0));
        assert_eq!(read(&json!([2, "x", 4, {}]), 9), (vec![2, 4], 2, 0));
        assert_eq!(read(&json!([2, 4, 6, 8]), 3), (vec![2, 4, 6], 0, 1));
        assert_eq!(read(&json!([null, 4, 6, 8]), 3), (vec![4, 6], 1, 1));
        assert_eq!(read(&json!(2), 9), (vec![2], 0, 0), "one that stands alone");
        for odd in [json!("x"), json!({ "items": [] }), json!(3), json!(true)] {
            assert_eq!(read(&odd, 9), (vec![], 1, 0), "{odd}");
        }
    }

    #[test]
    fn a_tree_of_values_is_counted_as_well() {
        let mut reading = Reading::new(Seen::default());
        let word = |item: &Value, _: &mut Reading| needed(item.as_str().map(str::to_owned));
        assert_eq!(reading.each(&Value::Null, word), [""; 0]);
        assert_eq!(reading.each(&json!(["a", 5, "b"]), word), ["a", "b"]);
        assert_eq!(reading.each(&json!({ "a": 1 }), word), [""; 0]);
        assert_eq!(reading.seen.unreadable, 2);
    }
}
