//! Checking arguments against a slim schema, with errors that name the field, what it holds and what is
//! legal. Deserialising alone would say less.

use orienteer_base::nearest::nearest;
use orienteer_base::{ErrorKind, Problem};
use serde_json::{Map, Value};

/// No argument of ours needs a longer string; a megabyte is a mistake.
const MAX_STRING_CHARS: usize = 100_000;

/// Checks `arguments` and drops nulls, which many clients send for "not given".
pub fn check(schema: &Map<String, Value>, arguments: &mut Map<String, Value>) -> Result<(), Problem> {
    arguments.retain(|_, value| !value.is_null());
    object(schema, arguments, "")
}

fn object(schema: &Map<String, Value>, arguments: &mut Map<String, Value>, at: &str) -> Result<(), Problem> {
    let empty = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    let closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
    if closed && let Some(unknown) = arguments.keys().find(|name| !properties.contains_key(*name)) {
        return Err(unknown_field(unknown, properties, at));
    }
    if let Some(required) = schema.get("required").and_then(Value::as_array) {
        for name in required.iter().filter_map(Value::as_str) {
            if !arguments.contains_key(name) {
                let expected = properties.get(name).map(describe).unwrap_or_default();
                let message = format!("`{at}{name}` is required: {expected}");
                return Err(problem("missing_field", message, vec![format!("{at}{name}")]));
            }
        }
    }
    for (name, value) in arguments.iter_mut() {
        if let Some(schema) = properties.get(name).and_then(Value::as_object) {
            one(schema, value, &format!("{at}{name}"))?;
        }
    }
    Ok(())
}

fn one(schema: &Map<String, Value>, value: &mut Value, at: &str) -> Result<(), Problem> {
    if let Some(legal) = schema.get("enum").and_then(Value::as_array) {
        if !legal.contains(value) {
            let legal: Vec<String> = legal.iter().filter_map(Value::as_str).map(str::to_owned).collect();
            let message = format!("`{at}` is {}; legal values are {}", shown(value), legal.join(", "));
            return Err(problem("illegal_value", message, legal));
        }
        return Ok(());
    }
    if let Some(options) = schema.get("anyOf").and_then(Value::as_array) {
        let mut fits =
            |option: &Value| option.as_object().is_none_or(|option| one(option, value, at).is_ok());
        return if options.iter().any(&mut fits) {
            Ok(())
        } else {
            let legal: Vec<String> = options.iter().map(describe).collect();
            let message = format!("`{at}` must be {}, not {}", legal.join(", or "), shown(value));
            Err(problem("wrong_type", message, Vec::new()))
        };
    }
    let Some(kind) = schema.get("type").and_then(Value::as_str) else { return Ok(()) };
    let wrong = |value: &Value| {
        let message = format!("`{at}` must be {}, not {}", describe_map(schema), shown(value));
        problem("wrong_type", message, Vec::new())
    };
    match (kind, &mut *value) {
        ("string", Value::String(text)) => {
            let limit = schema.get("maxLength").and_then(Value::as_u64);
            let limit = limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(MAX_STRING_CHARS);
            let chars = text.chars().count();
            if chars > limit {
                let message = format!("`{at}` is {chars} characters long; at most {limit} are accepted");
                return Err(problem("string_too_long", message, Vec::new()));
            }
            let least = schema.get("minLength").and_then(Value::as_u64).unwrap_or(0);
            if (chars as u64) < least {
                let message = format!("`{at}` is {chars} characters long; at least {least} are needed");
                return Err(problem("string_too_short", message, Vec::new()));
            }
            Ok(())
        }
        ("boolean", Value::Bool(_)) => Ok(()),
        ("integer", Value::Number(number)) => {
            let Some(whole) = whole(number) else { return Err(wrong(value)) };
            let bound = |name: &str| schema.get(name).and_then(Value::as_f64);
            let min = bound("minimum").unwrap_or(0.0);
            let max = bound("maximum").unwrap_or(f64::from(u32::MAX));
            if whole < min || whole > max {
                let message = format!("`{at}` is {number}; it must be from {min} to {max}");
                return Err(problem("out_of_range", message, Vec::new()));
            }
            // `10.0` is a whole number to every JSON writer that has only floats.
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked above")]
            let exact = whole as u64;
            *value = Value::from(exact);
            Ok(())
        }
        ("number", Value::Number(number)) => {
            let bound = |name: &str| schema.get(name).and_then(Value::as_f64);
            let (min, max) = (bound("minimum").unwrap_or(0.0), bound("maximum").unwrap_or(f64::MAX));
            if number.as_f64().is_some_and(|number| (min..=max).contains(&number)) {
                return Ok(());
            }
            let message = format!("`{at}` is {number}; it must be from {min} to {max}");
            Err(problem("out_of_range", message, Vec::new()))
        }
        ("array", Value::Array(items)) => {
            let bound = |name: &str| schema.get(name).and_then(Value::as_u64);
            let count = items.len() as u64;
            let (min, max) = (bound("minItems").unwrap_or(0), bound("maxItems").unwrap_or(1_000));
            if count < min || count > max {
                let message = format!("`{at}` has {count} entries; it must have from {min} to {max}");
                return Err(problem("out_of_range", message, Vec::new()));
            }
            if let Some(schema) = schema.get("items").and_then(Value::as_object) {
                for (index, item) in items.iter_mut().enumerate() {
                    one(schema, item, &format!("{at}[{index}]"))?;
                }
            }
            Ok(())
        }
        ("object", Value::Object(entries)) => {
            entries.retain(|_, value| !value.is_null());
            object(schema, entries, &format!("{at}."))
        }
        _ => Err(wrong(value)),
    }
}

fn whole(number: &serde_json::Number) -> Option<f64> {
    number.as_f64().filter(|number| number.fract() == 0.0 && number.is_finite())
}

fn unknown_field(unknown: &str, properties: &Map<String, Value>, at: &str) -> Problem {
    let legal: Vec<&str> = properties.keys().map(String::as_str).collect();
    let close = nearest(unknown, legal.iter().copied(), 2);
    let hint =
        if close.is_empty() { String::new() } else { format!("did you mean `{}`? ", close.join("` or `")) };
    let message =
        format!("`{at}{}` is not an argument; {hint}legal ones are {}", clip(unknown), legal.join(", "));
    problem("unknown_field", message, legal.into_iter().map(str::to_owned).collect())
}

fn problem(detail: &'static str, message: String, candidates: Vec<String>) -> Problem {
    Problem::new(ErrorKind::InvalidParams, message).detail(detail).candidates(candidates)
}

fn describe(schema: &Value) -> String {
    schema.as_object().map(describe_map).unwrap_or_default()
}

/// What a schema accepts, in words.
fn describe_map(schema: &Map<String, Value>) -> String {
    if let Some(legal) = schema.get("enum").and_then(Value::as_array) {
        return format!("one of {}", legal.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", "));
    }
    let bound = |name: &str| schema.get(name).and_then(Value::as_u64);
    match schema.get("type").and_then(Value::as_str) {
        Some("string") => "a string".to_owned(),
        Some("boolean") => "true or false".to_owned(),
        Some("integer") => match (bound("minimum").unwrap_or(0), bound("maximum")) {
            (min, Some(max)) => format!("a whole number from {min} to {max}"),
            (min, None) => format!("a whole number from {min}"),
        },
        Some("number") => "a number".to_owned(),
        Some("array") => match schema.get("items") {
            Some(items) => format!("a list whose entries are each {}", describe(items)),
            None => "a list".to_owned(),
        },
        _ => "an object".to_owned(),
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => format!("the string `{}`", clip(text)),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        other => other.to_string(),
    }
}

fn clip(text: &str) -> String {
    let clipped: String = text.chars().take(80).collect();
    if clipped.len() < text.len() { format!("{clipped}…") } else { clipped }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn told(value: Value) -> Result<(), String> {
        let schema = json!({ "properties": {
            "name": { "type": "string", "minLength": 2 },
            "label": { "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }] },
        } });
        let (Value::Object(schema), Value::Object(mut value)) = (schema, value) else { panic!("objects") };
        check(&schema, &mut value).map_err(|problem| problem.message)
    }

    #[test]
    fn strings_may_have_a_least_length() {
        assert_eq!(told(json!({ "name": "größe" })), Ok(()));
        let short = "`name` is 1 characters long; at least 2 are needed".to_owned();
        assert_eq!(told(json!({ "name": "ü" })), Err(short));
    }

    #[test]
    fn one_of_several_types_is_enough() {
        assert_eq!(told(json!({ "label": "a" })), Ok(()));
        assert_eq!(told(json!({ "label": ["a", "b"] })), Ok(()));
        for wrong in [json!(5), json!([5]), json!({})] {
            let message = told(json!({ "label": wrong })).unwrap_err();
            assert!(
                message
                    .starts_with("`label` must be a string, or a list whose entries are each a string, not"),
                "{message}"
            );
        }
    }
}
