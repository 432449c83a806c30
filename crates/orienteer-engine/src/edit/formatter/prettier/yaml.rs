//! A YAML file as plain data; what is more than that is not read.

use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Value};

/// Deeper files are no settings.
const DEEPEST: usize = 32;

enum Open {
    List(Vec<Value>),
    /// The key that waits for its value comes last.
    Map(Map<String, Value>, Option<String>),
}

/// The one document of a file; `null` for an empty one.
pub(super) fn read(text: &str) -> Result<Value, String> {
    let mut open: Vec<Open> = Vec::new();
    let mut root = None;
    for event in Parser::new_from_str(text) {
        let (event, _) = event.map_err(|error| format!("it is not YAML: {}", error.info()))?;
        let done = match event {
            Event::Alias(_) => return Err("it has an alias".to_owned()),
            Event::Scalar(_, _, anchor, tag) if anchor != 0 || tag.is_some() => {
                return Err("it has an anchor or a tag".to_owned());
            }
            Event::SequenceStart(anchor, tag) | Event::MappingStart(anchor, tag)
                if anchor != 0 || tag.is_some() || open.len() >= DEEPEST =>
            {
                return Err("it has an anchor or a tag, or is nested too deep".to_owned());
            }
            Event::Scalar(text, style, _, _) => scalar(&text, style),
            Event::SequenceStart(..) => {
                open.push(Open::List(Vec::new()));
                continue;
            }
            Event::MappingStart(..) => {
                open.push(Open::Map(Map::new(), None));
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(Open::List(items)) => Value::Array(items),
                Some(Open::Map(entries, None)) => Value::Object(entries),
                _ => return Err("a key of it has no value".to_owned()),
            },
            _ => continue,
        };
        match open.last_mut() {
            Some(Open::List(items)) => items.push(done),
            Some(Open::Map(entries, waiting)) => match waiting.take() {
                Some(key) => {
                    if entries.insert(key, done).is_some() {
                        return Err("it has a key twice".to_owned());
                    }
                }
                // `<<` takes over what another mapping has.
                None => match done {
                    Value::String(key) if key != "<<" => *waiting = Some(key),
                    _ => return Err("a key of it is no text".to_owned()),
                },
            },
            None if root.is_some() => return Err("it has more than one document".to_owned()),
            None => root = Some(done),
        }
    }
    Ok(root.unwrap_or(Value::Null))
}

fn scalar(text: &str, style: ScalarStyle) -> Value {
    let is_number = text.len() < 10
        && text.bytes().all(|byte| byte.is_ascii_digit())
        && (text == "0" || !text.starts_with('0'));
    match text {
        _ if style != ScalarStyle::Plain => Value::from(text),
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ if is_number => text.parse::<u64>().map_or(Value::Null, Value::from),
        _ => Value::from(text),
    }
}
