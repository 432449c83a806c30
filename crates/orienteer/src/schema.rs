//! Input schemas: generated from the argument structs, then slimmed, since every client pays for every
//! token of them in every conversation.

pub mod validate;

use orienteer_base::Budget;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// The arguments that the router itself takes.
#[derive(Debug, Clone, Copy, Default)]
pub struct General {
    pub cursor: bool,
    pub max_results: bool,
    /// The tool's own default of `max_total_chars`.
    pub usual_chars: Option<usize>,
}

/// The slim input schema of `T`, with the arguments that the router itself takes.
pub fn input<T: JsonSchema>(general: General) -> Map<String, Value> {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let mut value = schema.to_value();
    slim(&mut value);
    let Value::Object(mut object) = value else { return Map::new() };
    // The description of the struct would repeat the tool's own.
    object.remove("description");
    let properties = object.entry("properties").or_insert_with(|| json!({}));
    if let Value::Object(properties) = properties {
        let most = Budget::MAX_TOTAL_CHARS;
        let mut chars = json!({ "type": "integer", "minimum": 2000, "maximum": most });
        if let Some(usual) = general.usual_chars {
            chars["default"] = json!(usual);
        }
        properties.insert("max_total_chars".to_owned(), chars);
        if general.max_results {
            properties.insert("max_results".to_owned(), json!({ "type": "integer", "minimum": 1 }));
        }
        if general.cursor {
            properties.insert("cursor".to_owned(), json!({ "type": "string" }));
        }
    }
    object.insert("additionalProperties".to_owned(), json!(false));
    object
}

/// The slim schema of `T` and nothing besides: for dialects, whose schemas are other people's contracts.
pub fn plain<T: JsonSchema>() -> Map<String, Value> {
    let mut object = input::<T>(General::default());
    if let Some(Value::Object(properties)) = object.get_mut("properties") {
        properties.remove("max_total_chars");
    }
    object
}

/// The output schema: names and types of the fields a tool adds. Deliberately shallow; `docs/tools.md` and
/// the contract describe rows in full.
pub fn output(fields: &[(&str, &str)]) -> Map<String, Value> {
    let mut properties = Map::new();
    properties.insert("ok".to_owned(), json!({ "type": "boolean" }));
    for (name, kind) in fields {
        properties.insert((*name).to_owned(), json!({ "type": kind }));
    }
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), Value::Object(properties));
    schema.insert("required".to_owned(), json!(["ok"]));
    schema
}

/// Removes what no client needs: generator notes, number formats, null unions.
fn slim(value: &mut Value) {
    match value {
        Value::Object(object) => {
            for noise in ["$schema", "title", "format"] {
                // A property may be called so: only a string is the keyword.
                if object.get(noise).is_some_and(Value::is_string) {
                    object.remove(noise);
                }
            }
            if object.get("default").is_some_and(Value::is_null) {
                object.remove("default");
            }
            if object.get("minimum").and_then(Value::as_f64) == Some(0.0) {
                object.remove("minimum");
            }
            if let Some(Value::Array(types)) = object.get_mut("type") {
                types.retain(|kind| kind != "null");
                if types.len() == 1 {
                    let only = types.remove(0);
                    object.insert("type".to_owned(), only);
                }
            }
            if let Some(Value::Array(options)) = object.get_mut("enum") {
                options.retain(|option| !option.is_null());
            }
            if let Some(Value::Array(options)) = object.get_mut("anyOf") {
                options.retain(|option| option.get("type") != Some(&json!("null")));
                if options.len() == 1
                    && let Value::Object(only) = options.remove(0)
                {
                    object.remove("anyOf");
                    for (name, value) in only {
                        object.entry(name).or_insert(value);
                    }
                }
            }
            object.values_mut().for_each(slim);
        }
        Value::Array(items) => items.iter_mut().for_each(slim),
        _ => {}
    }
}
