//! How are findings and decisions told?

use std::collections::BTreeMap;

use orienteer_base::triage::ListedFinding;
use orienteer_base::{Fact, Problem};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::work::camel;

/// Arguments of ours in the client's words.
const WORDS: [(&str, &str); 2] = [("input_path", "inputPath"), ("output_path", "outPath")];

/// A record with its names as the contract writes them. What people named themselves stays as it is.
pub(super) fn record(value: &impl Serialize) -> Value {
    renamed(json!(value))
}

fn renamed(value: Value) -> Value {
    match value {
        Value::Object(object) => {
            let named = |(name, value): (String, Value)| {
                let value = if name == "meta" { value } else { renamed(value) };
                (camel(&name), value)
            };
            Value::Object(object.into_iter().map(named).collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(renamed).collect()),
        other => other,
    }
}

/// A finding and where it stands.
pub(super) fn finding(listed: &ListedFinding) -> Value {
    let mut finding = record(&listed.finding);
    finding["standing"] = json!(listed.standing);
    finding["changedSinceDecision"] = json!(listed.changed_since_decision);
    finding
}

/// What a client wrote as an object, in texts.
pub(super) fn meta(written: Option<Map<String, Value>>) -> Result<BTreeMap<String, String>, Problem> {
    let text = |(name, value): (String, Value)| match value {
        Value::String(text) => Ok((name, text)),
        Value::Bool(_) | Value::Number(_) => Ok((name, value.to_string())),
        _ => {
            let message = format!("`meta.{name}` must be a text, a number, true or false");
            Err(Problem::invalid("meta", "wrong_type", message))
        }
    };
    written.unwrap_or_default().into_iter().filter(|(_, value)| !value.is_null()).map(text).collect()
}

/// A problem with the client's words for arguments.
pub(super) fn spoken(mut problem: Problem) -> Problem {
    for (ours, theirs) in WORDS {
        problem.message = problem.message.replace(&format!("`{ours}`"), &format!("`{theirs}`"));
        if problem.field == Some(ours) {
            problem.field = Some(theirs);
        }
        for (_, fact) in &mut problem.facts {
            if let Fact::Text(text) = fact {
                *text = text.replace(&format!("`{ours}`"), &format!("`{theirs}`"));
            }
        }
    }
    problem
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_records_are_camel_case_and_those_of_people_are_kept() {
        let told = record(&json!({ "made_at": 1, "codes": [{ "a_b": 2 }], "meta": { "my_team": 3 } }));
        assert_eq!(told, json!({ "madeAt": 1, "codes": [{ "aB": 2 }], "meta": { "my_team": 3 } }));
    }

    #[test]
    fn metadata_is_text() {
        let written = json!({ "service": "api", "tier": 1, "public": true, "none": null });
        let read = meta(written.as_object().cloned()).unwrap();
        assert_eq!(read.values().collect::<Vec<_>>(), ["true", "api", "1"]);
        assert!(meta(json!({ "a": [1] }).as_object().cloned()).is_err());
        assert!(meta(None).unwrap().is_empty());
    }
}
