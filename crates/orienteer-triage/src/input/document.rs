//! Which pieces does one JSON document have?

use std::fmt;

use orienteer_base::{Cancel, Stopped};
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, de};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::{Each, Found, InputError, MOST_ITEM_BYTES, explain};
use crate::source;

/// Lists that are read entry by entry.
const STREAMED: &[&str] =
    &["findings", "alerts", "vulnerabilities", "items", "records", "runs", "dependencies"];
/// Lists that are looked for when the whole is nothing that is known.
const WRAPPED: &[&str] = &["results", "vulns", "nodes", "data", "issues", "advisories", "Findings"];

/// Gives the pieces of a document; the reason when it breaks off.
pub(super) fn read(
    bytes: &[u8],
    cancel: &Cancel,
    each: &mut Each<'_>,
) -> Result<Result<(), String>, InputError> {
    let mut walk = Walk { each, cancel, stopped: false };
    let mut parser = serde_json::Deserializer::from_slice(bytes);
    let outcome = Top(&mut walk).deserialize(&mut parser);
    if walk.stopped {
        return Err(Stopped.into());
    }
    Ok(match outcome {
        Ok(()) => Ok(()),
        Err(error) => Err(explain(&error)),
    })
}

/// The pieces of a value that was read whole.
pub(super) fn unwrap(value: Value, each: &mut Each<'_>) -> Result<(), Stopped> {
    let nothing = Value::Null;
    if source::recognise(&value).is_some() {
        return each(Found::Piece(value, &nothing));
    }
    let Value::Object(mut fields) = value else { return each(Found::Piece(value, &nothing)) };
    let wrapped =
        STREAMED.iter().chain(WRAPPED).find(|name| matches!(fields.get(**name), Some(Value::Array(_))));
    match wrapped.and_then(|name| fields.remove(*name)) {
        Some(Value::Array(entries)) => {
            let around = Value::Object(fields);
            entries.into_iter().try_for_each(|entry| each(Found::Piece(entry, &around)))?;
            each(Found::Around(&around))
        }
        _ => each(Found::Piece(Value::Object(fields), &nothing)),
    }
}

struct Walk<'w, 'e> {
    each: &'w mut Each<'e>,
    cancel: &'w Cancel,
    stopped: bool,
}

impl Walk<'_, '_> {
    fn give<E: de::Error>(&mut self, found: Found<'_>) -> Result<(), E> {
        let stopped = self.cancel.check().and_then(|()| (self.each)(found));
        stopped.map_err(|Stopped| {
            self.stopped = true;
            E::custom("stopped")
        })
    }

    fn entries<'de, A: SeqAccess<'de>>(&mut self, mut entries: A, around: &Value) -> Result<(), A::Error> {
        while let Some(raw) = entries.next_element::<&'de RawValue>()? {
            let text = raw.get();
            if text.len() > MOST_ITEM_BYTES {
                let reason = format!("it has {} bytes, and at most {MOST_ITEM_BYTES} are read", text.len());
                self.give(Found::Bad(reason))?;
                continue;
            }
            match serde_json::from_str::<Value>(text) {
                Ok(value) => self.give(Found::Piece(value, around))?,
                Err(error) => self.give(Found::Bad(explain(&error)))?,
            }
        }
        Ok(())
    }
}

/// A document.
struct Top<'t, 'w, 'e>(&'t mut Walk<'w, 'e>);

impl<'de> DeserializeSeed<'de> for Top<'_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Top<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list or an object")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, entries: A) -> Result<(), A::Error> {
        self.0.entries(entries, &Value::Null)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut around = Value::Object(Map::new());
        let mut streamed = false;
        while let Some(name) = map.next_key::<String>()? {
            let value = if STREAMED.contains(&name.as_str()) {
                let entries = map.next_value_seed(Entries { walk: self.0, around: &around })?;
                streamed |= entries.is_none();
                entries
            } else {
                Some(map.next_value::<Value>()?)
            };
            if let (Some(value), Value::Object(fields)) = (value, &mut around) {
                fields.insert(name, value);
            }
        }
        if streamed {
            return self.0.give(Found::Around(&around));
        }
        let walk = self.0;
        unwrap(around, &mut |found| (walk.each)(found)).map_err(|Stopped| {
            walk.stopped = true;
            de::Error::custom("stopped")
        })
    }
}

/// A value that is read entry by entry when it is a list, and kept when it is anything else.
struct Entries<'t, 'w, 'e> {
    walk: &'t mut Walk<'w, 'e>,
    around: &'t Value,
}

impl<'de> DeserializeSeed<'de> for Entries<'_, '_, '_> {
    type Value = Option<Value>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Entries<'_, '_, '_> {
    type Value = Option<Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, entries: A) -> Result<Self::Value, A::Error> {
        self.walk.entries(entries, self.around)?;
        Ok(None)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        Value::deserialize(MapAccessDeserializer::new(map)).map(Some)
    }

    fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
        Ok(Some(Value::Null))
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Some(value.into()))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Self::Value, E> {
        Ok(Some(value.into()))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Self::Value, E> {
        Ok(Some(value.into()))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Self::Value, E> {
        Ok(Some(value.into()))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Self::Value, E> {
        Ok(Some(value.into()))
    }
}
