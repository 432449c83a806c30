//! `[[servers]]` blocks.

use std::collections::BTreeMap;

use orienteer_base::nearest::nearest;
use orienteer_engine::ServerSpec;
use orienteer_engine::servers::Hidden;

use super::layers::ConfigError;

/// As written; unknown fields are refused before this is read.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Block {
    id: String,
    kind: Option<String>,
    command: String,
    #[serde(default)]
    args: Vec<String>,
    extensions: Vec<String>,
    language_id: Option<String>,
    #[serde(default)]
    root_markers: Vec<String>,
    root_dir: Option<String>,
    cwd: Option<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    #[serde(default)]
    workspace_folders: Vec<String>,
    adapter: Option<String>,
    initialize_timeout_ms: Option<u64>,
    request_timeout_ms: Option<u64>,
    #[serde(default)]
    request_timeout_overrides_ms: BTreeMap<String, u64>,
    idle_timeout_seconds: Option<u64>,
    initialization_options: Option<toml::Value>,
    settings: Option<toml::Value>,
    install_hint: Option<String>,
    #[serde(default)]
    requires: Vec<String>,
}

/// What a field holds.
#[derive(Clone, Copy)]
enum Shape {
    Text,
    Texts,
    TextTable,
    Number,
    NumberTable,
    Any,
}

const FIELDS: &[(&str, Shape)] = &[
    ("id", Shape::Text),
    ("kind", Shape::Text),
    ("command", Shape::Text),
    ("args", Shape::Texts),
    ("extensions", Shape::Texts),
    ("language_id", Shape::Text),
    ("root_markers", Shape::Texts),
    ("root_dir", Shape::Text),
    ("cwd", Shape::Text),
    ("env", Shape::TextTable),
    ("workspace_folders", Shape::Texts),
    ("adapter", Shape::Text),
    ("initialize_timeout_ms", Shape::Number),
    ("request_timeout_ms", Shape::Number),
    ("request_timeout_overrides_ms", Shape::NumberTable),
    ("idle_timeout_seconds", Shape::Number),
    ("initialization_options", Shape::Any),
    ("settings", Shape::Any),
    ("install_hint", Shape::Text),
    ("requires", Shape::Texts),
];

impl Shape {
    fn fits(self, value: &toml::Value) -> bool {
        let number = |value: &toml::Value| value.as_integer().is_some_and(|number| number >= 0);
        match self {
            Self::Text => value.is_str(),
            Self::Texts => value.as_array().is_some_and(|items| items.iter().all(toml::Value::is_str)),
            Self::TextTable => value.as_table().is_some_and(|table| table.values().all(toml::Value::is_str)),
            Self::Number => number(value),
            Self::NumberTable => value.as_table().is_some_and(|table| table.values().all(number)),
            Self::Any => true,
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Text => "a string",
            Self::Texts => "a list of strings",
            Self::TextTable => "a table of strings",
            Self::Number => "a whole number",
            Self::NumberTable => "a table of whole numbers",
            Self::Any => "anything",
        }
    }
}

/// Reads `[[servers]]`. Values are never quoted in errors: `env` holds credentials.
pub fn parse(value: &toml::Value, place: &str) -> Result<Vec<ServerSpec>, ConfigError> {
    let Some(blocks) = value.as_array() else {
        return Err(ConfigError::new(format!("{place}: `servers` must be written as [[servers]] blocks")));
    };
    blocks
        .iter()
        .enumerate()
        .map(|(at, block)| one(block, &format!("{place}: servers block {}", at + 1)))
        .collect()
}

fn one(block: &toml::Value, place: &str) -> Result<ServerSpec, ConfigError> {
    let table = block.as_table().ok_or_else(|| ConfigError::new(format!("{place} must be a table")))?;
    let names = || FIELDS.iter().map(|(name, _)| *name);
    for (name, value) in table {
        let Some((_, shape)) = FIELDS.iter().find(|(field, _)| field == name) else {
            let hint = nearest(name, names(), 1).first().map_or_else(
                || format!("legal fields are {}", names().collect::<Vec<_>>().join(", ")),
                |close| format!("did you mean `{close}`?"),
            );
            return Err(ConfigError::new(format!("{place}: `{name}` is not a field; {hint}")));
        };
        if !shape.fits(value) {
            return Err(ConfigError::new(format!("{place}: `{name}` must be {}", shape.words())));
        }
    }
    for name in ["id", "command", "extensions"] {
        if !table.contains_key(name) {
            return Err(ConfigError::new(format!("{place}: `{name}` is required")));
        }
    }
    let json =
        |value: &Option<toml::Value>| value.as_ref().and_then(|value| serde_json::to_string(value).ok());
    let block: Block = block
        .clone()
        .try_into()
        .map_err(|_: toml::de::Error| ConfigError::new(format!("{place} cannot be understood")))?;
    if block.id.is_empty() || block.command.is_empty() {
        return Err(ConfigError::new(format!("{place}: `id` and `command` must not be empty")));
    }
    Ok(ServerSpec {
        initialization_options: json(&block.initialization_options),
        settings: json(&block.settings),
        id: block.id,
        kind: block.kind,
        command: block.command,
        args: block.args,
        extensions: block
            .extensions
            .iter()
            .map(|extension| extension.trim_start_matches('.').to_owned())
            .collect(),
        language_id: block.language_id,
        root_markers: block.root_markers,
        root_dir: block.root_dir,
        cwd: block.cwd,
        env: block.env.into_iter().map(|(name, value)| (name, Hidden(value))).collect(),
        workspace_folders: block.workspace_folders,
        adapter: block.adapter,
        initialize_timeout_ms: block.initialize_timeout_ms,
        request_timeout_ms: block.request_timeout_ms,
        request_timeout_overrides_ms: block.request_timeout_overrides_ms,
        idle_timeout_seconds: block.idle_timeout_seconds,
        install_hint: block.install_hint,
        requires: block.requires,
    })
}
