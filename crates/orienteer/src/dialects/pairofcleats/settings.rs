//! What do PairOfCleats' variables and its file say, in our words?
//!
//! From the file of a repository only limits are taken, and those that are higher than what holds without it only when the
//! user trusts the file; and the folder of the cache when the user trusts it: whoever wrote the repository must not choose
//! where on the disk is written. Nothing in it names a command, and nothing that is wrong with it stops the start. Its other
//! settings are about parts that are not here; which of them were found is told by `config_status`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use orienteer_base::answer::Warning;
use orienteer_engine::check::parse_lenient;
use serde_json::{Map, Value};

use super::repo::around;
use super::tools::TOOLS;
use crate::config::Given;
use crate::config::layers::{self, ConfigError, is_within, read_optional};
use crate::config::limits::Limit;
use crate::config::trust::TrustStore;
use crate::dialect::Foreign;

/// In the folder of a repository. JSON, comments allowed.
pub(in crate::dialects) const FILE: &str = ".pairofcleats.json";

/// Keys of the file that are limits, and ours.
const KEYS: &[(&str, &str)] = &[
    ("mcp.maxBufferBytes", "mcp.max_buffer_bytes"),
    ("mcp.queueMax", "mcp.queue_max"),
    ("mcp.toolTimeoutMs", "mcp.tool_timeout_ms"),
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
}

pub(super) fn read(given: &Given, root: &Path) -> Result<Foreign, ConfigError> {
    let mut foreign = Foreign::default();
    // A root that somebody named is taken as it is.
    let found = if given.root_named { None } else { around(root) };
    if let Some(found) = &found {
        let place = "the repository of the current folder".to_owned();
        foreign.values.push(("workspace.root", found.display().to_string(), place));
    }
    let root = found.as_deref().unwrap_or(root);
    let mut own = Settings { file: root.join(FILE), ..Settings::default() };
    let trusts = TrustStore::load(given.variables.trust_file())?;
    match read_optional(&own.file) {
        Ok(None) => {}
        Ok(Some(text)) if !trusts.is_trusted(&own.file, &text) && !is_within(&own.file, root) => {
            foreign.warnings.push(layers::outside(&own.file));
            own.present = true;
        }
        Ok(Some(text)) => {
            let trusted = trusts.is_trusted(&own.file, &text);
            Taking { root, trusted, foreign: &mut foreign, own: &mut own }.file(&text);
            own.present = true;
        }
        Err(error) => {
            foreign.warnings.push(Warning::new("invalid_setting", error.message));
            own.present = true;
        }
    }
    for (variable, key) in VARIABLES {
        if let Some(value) = given.variables.get(variable) {
            foreign.values.push((key, value.to_owned(), (*variable).to_owned()));
        }
    }
    if let Some(folder) = given.variables.get(CACHE_ROOT) {
        own.cache_root = Some(given.current_folder.join(folder));
        // It is said anyway.
        foreign.withheld.clear();
    }
    for place in &foreign.withheld {
        let message = format!("{place} counts only after `orienteer trust`: it says where is written");
        foreign.warnings.push(Warning::new("untrusted_setting", message));
    }
    let known = |name: &str| name == CACHE_ROOT || VARIABLES.iter().any(|(variable, _)| *variable == name);
    let others =
        given.variables.iter().map(|(name, _)| name).filter(|name| name.starts_with("PAIROFCLEATS_"));
    own.ignored.extend(others.filter(|name| !known(name)).map(str::to_owned));
    // A folder of ours in it: what PairOfCleats itself keeps there is not touched.
    foreign.cache_folder = own.cache_root.as_ref().map(|root| root.join("orienteer"));
    foreign.own = Some(Arc::new(own));
    Ok(foreign)
}

/// Takes what counts out of the file.
struct Taking<'t> {
    root: &'t Path,
    trusted: bool,
    foreign: &'t mut Foreign,
    own: &'t mut Settings,
}

impl Taking<'_> {
    fn file(&mut self, text: &str) {
        let Some(Value::Object(file)) = parse_lenient(text) else {
            return self.wrong("", "is not a JSON object; comments and commas before brackets are allowed");
        };
        for (section, value) in &file {
            let Value::Object(entries) = value else {
                self.own.ignored.push(section.clone());
                continue;
            };
            for (name, value) in entries {
                self.entry(&format!("{section}.{name}"), value);
            }
        }
    }

    fn entry(&mut self, name: &str, value: &Value) {
        match (name, value) {
            ("mcp.toolTimeouts", Value::Object(times)) => self.times(times),
            ("mcp.toolTimeouts", _) => self.wrong(name, "must be an object of tools and milliseconds"),
            ("cache.root", Value::String(folder)) if self.trusted => {
                self.own.cache_root = Some(self.root.join(folder));
            }
            ("cache.root", Value::String(_)) => self.foreign.withheld.push(self.place(name)),
            ("cache.root", _) => self.wrong(name, "must be a path"),
            _ => match KEYS.iter().find(|(known, _)| *known == name) {
                Some((_, ours)) => self.limit(name, ours, number(value)),
                None => self.own.ignored.push(name.to_owned()),
            },
        }
    }

    /// Each tool by itself, so that a wrong time is that of one.
    fn times(&mut self, times: &Map<String, Value>) {
        for (tool, time) in times {
            let name = format!("mcp.toolTimeouts.{tool}");
            if TOOLS.iter().any(|entry| entry.name == tool) {
                self.limit(&name, "mcp.tool_timeouts", format!("{tool}={}", number(time)));
            } else {
                self.own.ignored.push(name);
            }
        }
    }

    fn limit(&mut self, name: &str, key: &'static str, text: String) {
        let limit = Limit { key, text, place: self.place(name), trusted: self.trusted };
        self.foreign.limits.push(limit);
    }

    fn wrong(&mut self, name: &str, what: &str) {
        let message = format!("{} {what}; it is passed over", self.place(name));
        self.foreign.warnings.push(Warning::new("invalid_setting", message));
    }

    /// The file, and the key in it.
    fn place(&self, name: &str) -> String {
        format!("{} {name}", self.own.file.display()).trim_end().to_owned()
    }
}

/// As the table of keys reads it; what is no number is passed over there, with what is legal.
fn number(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests;
