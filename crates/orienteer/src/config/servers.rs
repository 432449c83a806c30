//! `[[servers]]` blocks.

use std::collections::BTreeMap;

use orienteer_engine::ServerSpec;
use orienteer_engine::servers::Hidden;

use super::blocks::{self, Shape};
use super::layers::ConfigError;

/// As written; unknown fields are refused before this is read.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Block {
    id: String,
    kind: Option<String>,
    command: Option<String>,
    #[serde(default)]
    args: Vec<String>,
    extensions: Option<Vec<String>>,
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

/// Reads `[[servers]]`. Values are never quoted in errors: `env` holds credentials.
pub fn parse(value: &toml::Value, place: &str) -> Result<Vec<ServerSpec>, ConfigError> {
    blocks::read(value, "servers", FIELDS, &["id"], place, one)
}

fn one(block: &toml::Value, place: &str) -> Result<ServerSpec, ConfigError> {
    let json =
        |value: &Option<toml::Value>| value.as_ref().and_then(|value| serde_json::to_string(value).ok());
    let block: Block = block
        .clone()
        .try_into()
        .map_err(|_: toml::de::Error| ConfigError::new(format!("{place} cannot be understood")))?;
    if block.id.is_empty() || block.command.as_ref().is_some_and(String::is_empty) {
        return Err(ConfigError::new(format!("{place}: `id` and `command` must not be empty")));
    }
    let lacks = match (&block.command, &block.extensions) {
        (None, _) => Some("command"),
        (_, None) => Some("extensions"),
        _ => None,
    };
    let spec = ServerSpec {
        initialization_options: json(&block.initialization_options),
        settings: json(&block.settings),
        id: block.id,
        kind: block.kind,
        command: block.command.unwrap_or_default(),
        args: block.args,
        extensions: block
            .extensions
            .iter()
            .flatten()
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
    };
    let id = spec.id.clone();
    // What comes with us says how it is started.
    let lacks = lacks.filter(|_| !orienteer_engine::servers::is_built_in(&spec));
    lacks.map_or(Ok(spec), |lacks| {
        let message = format!("{place}: `{lacks}` is required: the `id` is that of no built-in server");
        let close = orienteer_engine::servers::nearest_built_in(&id);
        let hint = close.map(|close| format!("; did you mean `{close}`?")).unwrap_or_default();
        Err(ConfigError::new(format!("{message}{hint}")))
    })
}
