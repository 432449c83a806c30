//! GitHub's own description of its interface, as JSON Schema.

use std::sync::OnceLock;

use serde_json::{Value, json};

use crate::tools;

/// The description, read once: it is large.
pub fn description() -> &'static Value {
    static DESCRIPTION: OnceLock<Value> = OnceLock::new();
    DESCRIPTION.get_or_init(|| {
        let path = tools::tools().join("forge/node_modules/@octokit/openapi/generated/api.github.com.json");
        let text = std::fs::read(&path).unwrap_or_else(|_| {
            panic!("@octokit/openapi is not installed: run `cargo xtask install`, which installs it")
        });
        serde_json::from_slice(&text).expect("the description is JSON")
    })
}

/// What a `$ref` refers to, or the value itself.
pub fn resolved(value: &'static Value) -> &'static Value {
    match value["$ref"].as_str() {
        Some(reference) => resolved(referred(reference)),
        None => value,
    }
}

/// A schema as JSON Schema has it: references replaced, `nullable` as a type. Schemas that hold themselves end there.
pub fn schema(value: &Value) -> Value {
    within(value, &mut Vec::new())
}

fn within(value: &Value, inside: &mut Vec<String>) -> Value {
    if let Some(reference) = value["$ref"].as_str() {
        if inside.iter().any(|known| known == reference) {
            return json!({});
        }
        inside.push(reference.to_owned());
        let found = within(referred(reference), inside);
        inside.pop();
        return found;
    }
    match value {
        Value::Object(fields) => {
            let mut out = serde_json::Map::new();
            for (name, field) in fields {
                // Words of OpenAPI that JSON Schema does not have, and examples, which may hold anything.
                if !matches!(name.as_str(), "nullable" | "discriminator" | "example" | "examples" | "format")
                {
                    out.insert(name.clone(), within(field, inside));
                }
            }
            let out = Value::Object(out);
            if fields.get("nullable") == Some(&json!(true)) {
                json!({ "anyOf": [{ "type": "null" }, out] })
            } else {
                out
            }
        }
        Value::Array(values) => values.iter().map(|value| within(value, inside)).collect(),
        other => other.clone(),
    }
}

fn referred(reference: &str) -> &'static Value {
    description().pointer(&reference[1..]).unwrap_or_else(|| panic!("the description has no {reference}"))
}
