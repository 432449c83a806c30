//! JSON with a schema.

/// A configuration that names a schema in the same folder.
///
/// - `"name"` config.json 3:3, its hover has the schema's description, escaped for Markdown: "The name of the
///   service\."
/// - `"replicas"` config.json 4:3, an integer by the schema
/// - `"port"` config.json 6:5, inside `"server"`
///
/// The file is free of errors. [`JSON_BROKEN`] is a text for it with one.
pub const JSON: &str = r#"//- /service.schema.json
{
  "$schema": "http://json-schema.org/draft-07/schema#",
  "title": "Service",
  "type": "object",
  "properties": {
    "$schema": { "type": "string" },
    "name": { "type": "string", "description": "The name of the service." },
    "replicas": { "type": "integer", "description": "How many run at once.", "minimum": 1 },
    "server": { "type": "object" }
  },
  "required": ["name"],
  "additionalProperties": false
}
//- /config.json
{
  "$schema": "./service.schema.json",
  "name": "shapes",
  "replicas": 2,
  "server": {
    "port": 8080
  }
}
"#;

/// A text for config.json with one error that needs no schema: 516, a value expected, at 3:1.
pub const JSON_BROKEN: &str = r#"{
  "name":
}
"#;
