//! What a server sent: read as far as it takes to know whom it is for.
//!
//! A result may hold a hundred thousand places. It is kept as it came until whoever asked reads it into what they need,
//! which takes a fraction of the time and memory of a tree of values.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// One message.
#[derive(Debug, Default)]
pub(crate) struct Message {
    pub(crate) id: Option<Value>,
    pub(crate) method: Option<String>,
    pub(crate) params: Option<Box<RawValue>>,
    pub(crate) result: Raw,
    pub(crate) error: Option<Value>,
}

#[derive(Deserialize)]
struct Envelope<'m> {
    id: Option<Value>,
    #[serde(borrow)]
    method: Option<Cow<'m, str>>,
    params: Option<Box<RawValue>>,
    result: Option<Box<RawValue>>,
    error: Option<Value>,
}

impl Message {
    /// `None` for what is no JSON.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        if let Ok(envelope) = serde_json::from_slice::<Envelope<'_>>(bytes) {
            return Some(Self {
                id: envelope.id,
                method: envelope.method.map(Cow::into_owned),
                params: envelope.params,
                result: Raw(envelope.result),
                error: envelope.error,
            });
        }
        // Fields twice or of another type: as much of it as there is.
        let value: Value = serde_json::from_slice(bytes).ok()?;
        let part = |name: &str| value.get(name).cloned().filter(|part| !part.is_null());
        let raw = |name: &str| serde_json::value::to_raw_value(&part(name)?).ok();
        Some(Self {
            id: part("id"),
            method: value.get("method").and_then(Value::as_str).map(str::to_owned),
            params: raw("params"),
            result: Raw(raw("result")),
            error: part("error"),
        })
    }
}

/// A result as it came; nothing stands for `null`.
#[derive(Debug, Default)]
pub(crate) struct Raw(Option<Box<RawValue>>);

impl Raw {
    pub(crate) fn value(&self) -> Value {
        value(self.0.as_deref())
    }

    /// The entries of a list, or the one that stands alone. What is not of the expected shape is left out.
    pub(crate) fn list<'r, T: Deserialize<'r>>(&'r self) -> Vec<T> {
        let Some(text) = self.0.as_deref().map(RawValue::get) else { return Vec::new() };
        if let Ok(all) = serde_json::from_str(text) {
            return all;
        }
        match serde_json::from_str::<Vec<&RawValue>>(text) {
            Ok(each) => each.iter().filter_map(|one| serde_json::from_str(one.get()).ok()).collect(),
            Err(_) => serde_json::from_str(text).into_iter().collect(),
        }
    }
}

pub(crate) fn value(raw: Option<&RawValue>) -> Value {
    raw.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
}

/// A place in the server's counting.
#[derive(Debug, Clone, Copy, Deserialize)]
pub(crate) struct Point {
    pub(crate) line: u64,
    pub(crate) character: u64,
}

/// A range in the server's counting.
#[derive(Debug, Clone, Copy, Deserialize)]
pub(crate) struct Extent {
    pub(crate) start: Point,
    pub(crate) end: Point,
}

impl Extent {
    pub(crate) fn read(value: &Value) -> Option<Self> {
        Self::deserialize(value).ok()
    }
}

/// A location, or a link to one.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Location<'r> {
    #[serde(borrow)]
    pub(crate) uri: Option<Cow<'r, str>>,
    #[serde(borrow)]
    pub(crate) target_uri: Option<Cow<'r, str>>,
    pub(crate) range: Option<Extent>,
    pub(crate) target_range: Option<Extent>,
    pub(crate) target_selection_range: Option<Extent>,
}

impl<'r> Location<'r> {
    pub(crate) fn read(value: &'r Value) -> Option<Self> {
        Self::deserialize(value).ok()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(message: &Value) -> Message {
        Message::read(message.to_string().as_bytes()).unwrap()
    }

    #[test]
    fn parts_are_told_apart() {
        let message = read(&json!({ "jsonrpc": "2.0", "id": "7", "result": [1, 2], "error": null }));
        assert_eq!((message.id, message.method, message.error), (Some(json!("7")), None, None));
        assert_eq!(message.result.value(), json!([1, 2]));
        let message = read(&json!({ "method": "x", "params": { "a": null } }));
        assert_eq!((message.id, message.method.as_deref()), (None, Some("x")));
        assert_eq!(value(message.params.as_deref()), json!({ "a": null }));
        assert_eq!(read(&json!({ "id": 1, "result": null })).result.value(), Value::Null);
        assert!(Message::read(b"{\"id\": 1").is_none());
    }

    #[test]
    fn odd_messages_are_read_as_far_as_they_go() {
        let twice = Message::read(b"{\"id\":1,\"id\":2,\"result\":3}").unwrap();
        assert_eq!((twice.id, twice.result.value()), (Some(json!(2)), json!(3)));
        let named = Message::read(b"{\"method\":5,\"id\":1}").unwrap();
        assert_eq!((named.method, named.id), (None, Some(json!(1))));
        assert_eq!(Message::read(b"[]").unwrap().id, None);
    }

    #[test]
    fn a_list_leaves_out_what_is_no_entry() {
        let range = json!({ "start": { "line": 1, "character": 2 }, "end": { "line": 1, "character": 3 } });
        let good = json!({ "uri": "file:///a", "range": range });
        let uris = |result: Value| {
            let message = read(&json!({ "id": 1, "result": result }));
            let places = message.result.list::<Location<'_>>();
            places.iter().filter_map(|place| place.uri.as_deref().map(str::to_owned)).collect::<Vec<_>>()
        };
        assert_eq!(uris(json!([good, { "uri": 5 }, "x", good])), ["file:///a", "file:///a"]);
        assert_eq!(uris(good.clone()), ["file:///a"]);
        assert_eq!(uris(json!("no place")), [""; 0]);
        assert_eq!(uris(Value::Null), [""; 0]);
    }
}
