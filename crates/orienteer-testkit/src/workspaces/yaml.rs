//! YAML with a schema.

/// A configuration whose first line names a schema in the same folder.
///
/// - `name` config.yaml 2:1, its hover has the schema's description "The name of the service."
/// - `replicas` config.yaml 3:1, an integer by the schema
/// - `defaults` config.yaml 4:12, an anchor
/// - `port` config.yaml 5:3, where the definition of the alias leads: the value of the anchor
/// - `defaults` config.yaml 8:8, an alias of it
///
/// The file is free of errors. [`YAML_BROKEN`] is a text for it with one.
pub const YAML: &str = r#"//- /service.schema.json
{
  "$schema": "http://json-schema.org/draft-07/schema#",
  "title": "Service",
  "type": "object",
  "properties": {
    "name": { "type": "string", "description": "The name of the service." },
    "replicas": { "type": "integer", "description": "How many run at once.", "minimum": 1 },
    "defaults": { "type": "object" },
    "server": { "type": "object" }
  },
  "required": ["name"],
  "additionalProperties": false
}
//- /config.yaml
# yaml-language-server: $schema=./service.schema.json
name: shapes
replicas: 2
defaults: &defaults
  port: 8080
  host: localhost
server:
  <<: *defaults
  host: example.org
"#;

/// A text for config.yaml with one error: a text where the schema wants an integer, at 3:11.
pub const YAML_BROKEN: &str = r#"# yaml-language-server: $schema=./service.schema.json
name: shapes
replicas: many
"#;
