//! `[[servers]]` blocks.

use std::collections::BTreeMap;

use orienteer_base::nearest::nearest;
use orienteer_engine::ServerSpec;

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

const FIELDS: &[&str] = &[
    "id",
    "kind",
    "command",
    "args",
    "extensions",
    "language_id",
    "root_markers",
    "root_dir",
    "cwd",
    "env",
    "workspace_folders",
    "adapter",
    "initialize_timeout_ms",
    "request_timeout_ms",
    "request_timeout_overrides_ms",
    "idle_timeout_seconds",
    "initialization_options",
    "settings",
    "install_hint",
    "requires",
];

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
    if let Some(unknown) = table.keys().find(|name| !FIELDS.contains(&name.as_str())) {
        let close = nearest(unknown, FIELDS.iter().copied(), 1);
        let hint = close.first().map_or_else(
            || format!("legal fields are {}", FIELDS.join(", ")),
            |close| format!("did you mean `{close}`?"),
        );
        return Err(ConfigError::new(format!("{place}: `{unknown}` is not a field; {hint}")));
    }
    let json =
        |value: &Option<toml::Value>| value.as_ref().and_then(|value| serde_json::to_string(value).ok());
    let block: Block = block
        .clone()
        .try_into()
        .map_err(|error: toml::de::Error| ConfigError::new(format!("{place}: {}", error.message())))?;
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
        env: block.env,
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
