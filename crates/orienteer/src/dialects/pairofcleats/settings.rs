//! What do PairOfCleats' variables and its file say, in our words?
//!
//! From the file of a repository only limits are taken, and the folder of the cache when the user trusts the file:
//! whoever wrote the repository must not choose where on the disk is written. Nothing in it names a command. Its other
//! settings are about parts that are not here; which of them were found is told by `config_status`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use orienteer_engine::check::parse_lenient;
use serde_json::{Map, Value};

use super::repo::around;
use super::tools::TOOLS;
use crate::config::Given;
use crate::config::layers::{ConfigError, read_optional};
use crate::config::trust::TrustStore;
use crate::dialect::Foreign;

/// In the folder of a repository. JSON, comments allowed.
pub(in crate::dialects) const FILE: &str = ".pairofcleats.json";

/// Keys of the file that are limits, and ours.
const KEYS: &[(&str, &str)] = &[
    ("maxBufferBytes", "mcp.max_buffer_bytes"),
    ("queueMax", "mcp.queue_max"),
    ("toolTimeoutMs", "mcp.tool_timeout_ms"),
];

const VARIABLES: &[(&str, &str)] = &[
    ("PAIROFCLEATS_MCP_MAX_BUFFER_BYTES", "mcp.max_buffer_bytes"),
    ("PAIROFCLEATS_MCP_QUEUE_MAX", "mcp.queue_max"),
    ("PAIROFCLEATS_MCP_TOOL_TIMEOUT_MS", "mcp.tool_timeout_ms"),
];

const CACHE_ROOT: &str = "PAIROFCLEATS_CACHE_ROOT";

/// What `config_status` tells besides what is in force.
#[derive(Debug, Clone, Default)]
pub(super) struct Settings {
    pub(super) file: PathBuf,
    pub(super) present: bool,
    pub(super) cache_root: Option<PathBuf>,
    /// Settings that nothing here depends on.
    pub(super) ignored: Vec<String>,
    /// What counts only when the user trusts the file.
    pub(super) withheld: Vec<String>,
}

pub(super) fn read(given: &Given, root: &Path) -> Result<Foreign, ConfigError> {
    let mut foreign = Foreign::default();
    // A root that somebody named is taken as it is.
    let found = if root == given.current_folder { around(root) } else { None };
    if let Some(found) = &found {
        let place = "the repository of the current folder".to_owned();
        foreign.values.push(("workspace.root", found.display().to_string(), place));
    }
    let root = found.as_deref().unwrap_or(root);
    let mut own = Settings { file: root.join(FILE), ..Settings::default() };
    if let Some(text) = read_optional(&own.file)? {
        own.present = true;
        let trusted = TrustStore::load(given.variables.trust_file())?.is_trusted(&own.file, &text);
        take(&text, root, trusted, &mut foreign, &mut own)?;
    }
    for (variable, key) in VARIABLES {
        if let Some(value) = given.variables.get(variable) {
            foreign.values.push((key, value.to_owned(), (*variable).to_owned()));
        }
    }
    if let Some(folder) = given.variables.get(CACHE_ROOT) {
        own.cache_root = Some(given.current_folder.join(folder));
        own.withheld.retain(|key| key != "cache.root");
    }
    let known = |name: &str| name == CACHE_ROOT || VARIABLES.iter().any(|(variable, _)| *variable == name);
    let others =
        given.variables.iter().map(|(name, _)| name).filter(|name| name.starts_with("PAIROFCLEATS_"));
    own.ignored.extend(others.filter(|name| !known(name)).map(str::to_owned));
    // A folder of ours in it: what PairOfCleats itself keeps there is not touched.
    foreign.cache_folder = own.cache_root.as_ref().map(|root| root.join("orienteer"));
    foreign.withheld = own.withheld.iter().map(|key| format!("{FILE} {key}")).collect();
    foreign.own = Some(Arc::new(own));
    Ok(foreign)
}

/// Takes what counts out of the file.
fn take(
    text: &str,
    root: &Path,
    trusted: bool,
    foreign: &mut Foreign,
    own: &mut Settings,
) -> Result<(), ConfigError> {
    let place = own.file.display().to_string();
    let wrong = |what: &str| ConfigError::new(format!("{place}: {what}"));
    let Some(Value::Object(file)) = parse_lenient(text) else {
        return Err(wrong("this is not a JSON object; comments and commas before brackets are allowed"));
    };
    for (section, value) in &file {
        let Value::Object(entries) = value else {
            own.ignored.push(section.clone());
            continue;
        };
        for (name, value) in entries {
            let full = format!("{section}.{name}");
            let limit = KEYS.iter().find(|(known, _)| section == "mcp" && known == name);
            match (limit, full.as_str(), value) {
                (Some((_, ours)), _, value) => {
                    foreign.values.push((ours, number(value), format!("{place} {full}")));
                }
                (_, "mcp.toolTimeouts", Value::Object(times)) => {
                    let text = timeouts(times, own);
                    foreign.values.push(("mcp.tool_timeouts", text, format!("{place} {full}")));
                }
                (_, "mcp.toolTimeouts", _) => {
                    return Err(wrong("`mcp.toolTimeouts` must be an object of tools and milliseconds"));
                }
                (_, "cache.root", Value::String(folder)) if trusted => {
                    own.cache_root = Some(root.join(folder));
                }
                (_, "cache.root", Value::String(_)) => own.withheld.push(full),
                (_, "cache.root", _) => return Err(wrong("`cache.root` must be a path")),
                _ => own.ignored.push(full),
            }
        }
    }
    Ok(())
}

/// As the table of keys reads it; what is no number is refused there, with what is legal.
fn number(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// `tool=ms,tool=ms` of the tools that there are.
fn timeouts(times: &Map<String, Value>, own: &mut Settings) -> String {
    let mut kept = Vec::new();
    for (tool, time) in times {
        if TOOLS.iter().any(|entry| entry.name == tool) {
            kept.push(format!("{tool}={}", number(time)));
        } else {
            own.ignored.push(format!("mcp.toolTimeouts.{tool}"));
        }
    }
    kept.join(",")
}

#[cfg(test)]
mod tests;
