//! What a server sent: read as far as it takes to know whom it is for.
//!
//! A result may hold a hundred thousand places. It is kept as it came until whoever asked reads it into what they need,
//! which takes a fraction of the time and memory of a tree of values.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// The code of an answer that was too long; the protocol keeps those from here on down for clients.
pub(crate) const TOO_LONG: i64 = -32_899;

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
    /// What takes the place of an answer that is too long to be read, as far as its beginning and its end say whose it is.
    pub(crate) fn too_long(begin: &[u8], end: &[u8], length: usize) -> Self {
        let id = |part: &[u8]| {
            let text = String::from_utf8_lossy(part);
            let (_, behind) = text.rsplit_once("\"id\":").filter(|_| !text.contains("\"method\":"))?;
            let word = behind.trim_start().split([',', '}']).next()?;
            serde_json::from_str(word.trim()).ok()
        };
        // In the beginning it is the first of its kind: what stands deeper is somebody else's.
        let head = String::from_utf8_lossy(begin);
        let own = head.split("\"result\":").next().unwrap_or_default();
        let message = format!("its answer of {} MiB is longer than anybody reads", length >> 20);
        Self {
            id: id(own.as_bytes()).or_else(|| id(end)),
            error: Some(json!({ "code": TOO_LONG, "message": message })),
            ..Self::default()
        }
    }

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
    /// As a tree; answers to questions are read by a `Reading`.
    pub(crate) fn value(&self) -> Value {
        value(self.0.as_deref())
    }

    pub(crate) fn text(&self) -> Option<&str> {
        self.0.as_deref().map(RawValue::get)
    }
}

/// A tree takes ten times the memory of its text: nothing that is longer is made one.
const LARGEST_TREE: usize = 16 << 20;

pub(crate) fn value(raw: Option<&RawValue>) -> Value {
    let short = raw.filter(|raw| raw.get().len() <= LARGEST_TREE);
    short.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
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
    fn whose_an_answer_is_that_is_too_long() {
        let id = |begin: &str, end: &str| Message::too_long(begin.as_bytes(), end.as_bytes(), 99 << 20).id;
        assert_eq!(id("{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":[{\"id\":9", "}]}"), Some(json!(7)));
        assert_eq!(
            id("{\"jsonrpc\":\"2.0\",\"result\":[{\"id\":9", "{\"id\":9}], \"id\": \"8\" }"),
            Some(json!("8"))
        );
        assert_eq!(id("{\"method\":\"textDocument/publishDiagnostics\",\"params\":{", "}]}}"), None);
    }
}
