//! Laying files, environment and flags over each other, remembering where each value came from.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use orienteer_base::answer::Warning;
use orienteer_base::nearest::nearest;
use orienteer_engine::ServerSpec;

use super::hosts::{self, HostBlock};
use super::keys::{self, KEYS, Key};
use super::limits;
use super::servers;
use super::value::Value;
use crate::dialect::Foreign;

/// Where a value came from, strongest last.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Origin {
    #[default]
    BuiltIn,
    UserFile(PathBuf),
    ProjectFile(PathBuf),
    /// A variable or a file of the system whose dialect is spoken.
    Foreign(String),
    Environment(String),
    Flag(String),
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::BuiltIn => f.write_str("built-in"),
            Self::UserFile(path) => write!(f, "user file {}", path.display()),
            Self::ProjectFile(path) => write!(f, "project file {}", path.display()),
            Self::Foreign(place) => write!(f, "{place}"),
            Self::Environment(name) => write!(f, "environment {name}"),
            Self::Flag(name) => write!(f, "flag {name}"),
        }
    }
}

/// A configuration that cannot be used, in words that say what to change.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ConfigError {
    pub message: String,
}

impl ConfigError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

/// The merged values of every key that is set.
#[derive(Clone, Default)]
pub struct Layers {
    values: BTreeMap<&'static str, (Value, Origin)>,
    pub servers: Vec<(ServerSpec, Origin)>,
    pub hosts: Vec<(HostBlock, Origin)>,
    /// Hosts that have another block: where the one was that does not count, and where the one is that does.
    pub described_twice: Vec<(String, Origin, Origin)>,
    /// What a project asked for and did not get because it is not trusted.
    pub withheld: Vec<String>,
}

/// Values may be secrets.
impl std::fmt::Debug for Layers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.shown().map(|(key, value, origin)| (key.name, (value, origin)))).finish()
    }
}

impl Layers {
    /// The built-in defaults.
    pub fn built_in() -> Result<Self, ConfigError> {
        let mut layers = Self::default();
        for key in KEYS.iter().filter(|key| !key.default.is_empty()) {
            let table = parse(&format!("v = {}", key.default), "built-in defaults")?;
            if let Some(value) = table.get("v") {
                let value = Value::from_toml(key, value).map_err(|error| bad("built-in", key, &error))?;
                layers.values.insert(key.name, (value, Origin::BuiltIn));
            }
        }
        Ok(layers)
    }

    /// Lays the user's own TOML file over what is there.
    pub fn file(&mut self, text: &str, origin: &Origin) -> Result<(), ConfigError> {
        self.lay(text, origin, None, &mut Err)
    }

    /// Lays a project's file over what is there. That of a project the user has not trusted comes with what holds `without`
    /// it: variables and flags are laid over it later, and must not be got round. What is wrong in it is left out and told:
    /// a repository must not be able to keep the program from starting.
    pub fn project_file(&mut self, text: &str, path: &Path, without: Option<&Layers>) -> Vec<Warning> {
        let mut warnings = Vec::new();
        let mut tell = |error: ConfigError| {
            warnings.push(left_out(&error.message));
            Ok(())
        };
        if let Err(error) = self.lay(text, &Origin::ProjectFile(path.to_path_buf()), without, &mut tell) {
            warnings.push(left_out(&error.message));
        }
        warnings
    }

    fn lay(
        &mut self,
        text: &str,
        origin: &Origin,
        without: Option<&Layers>,
        wrong: &mut dyn FnMut(ConfigError) -> Result<(), ConfigError>,
    ) -> Result<(), ConfigError> {
        let place = origin.to_string();
        for (section, value) in &parse(text, &place)? {
            let of_blocks = matches!(section.as_str(), "servers" | "hosts");
            match value.as_table().filter(|_| !of_blocks) {
                Some(entries) => {
                    for (name, value) in entries {
                        let name = format!("{section}.{name}");
                        self.entry(&name, value, origin, without).or_else(&mut *wrong)?;
                    }
                }
                None => self.blocks(section, value, origin, without.is_none()).or_else(&mut *wrong)?,
            }
        }
        Ok(())
    }

    /// A section that is a list of blocks.
    fn blocks(
        &mut self,
        section: &str,
        value: &toml::Value,
        origin: &Origin,
        trusted: bool,
    ) -> Result<(), ConfigError> {
        let place = origin.to_string();
        match section {
            "servers" => {
                let specs = servers::parse(value, &place)?;
                if trusted {
                    self.add_servers(specs, origin);
                } else {
                    let names: Vec<_> = specs.iter().map(|spec| spec.id.as_str()).collect();
                    self.withheld.push(format!("servers ({})", names.join(", ")));
                }
            }
            "hosts" => {
                let blocks = hosts::parse(value, &place)?;
                if trusted {
                    self.add_hosts(blocks, origin);
                } else {
                    let names: Vec<_> = blocks.iter().map(|block| block.host.as_str()).collect();
                    self.withheld.push(format!("hosts ({})", names.join(", ")));
                }
            }
            _ => return Err(unknown_key(section, &place)),
        }
        Ok(())
    }

    fn entry(
        &mut self,
        name: &str,
        value: &toml::Value,
        origin: &Origin,
        without: Option<&Layers>,
    ) -> Result<(), ConfigError> {
        let (place, trusted) = (origin.to_string(), without.is_none());
        let key = keys::find(name).ok_or_else(|| unknown_key(name, &place))?;
        let value = Value::from_toml(key, value).map_err(|error| bad(&place, key, &error))?;
        if without.is_some_and(|without| limits::lower(self, without, key, &value, origin)) {
            return Ok(());
        }
        if key.needs_trust && !trusted && !self.narrows(key.name, &value) {
            self.withheld.push(key.name.to_owned());
        } else {
            let value = if trusted { value } else { self.narrowed(key.name, value) };
            self.values.insert(key.name, (value, origin.clone()));
        }
        Ok(())
    }

    /// Takes out of a list what a project's file has in it and nobody knows; `false` where somebody else's is.
    pub(crate) fn leave_out(&mut self, name: &str, word: &str) -> bool {
        match self.values.get_mut(name) {
            Some((Value::List(words), Origin::ProjectFile(_))) => {
                words.retain(|known| known != word);
                true
            }
            _ => false,
        }
    }

    /// Whether a guarded value only takes something away: that needs nobody's trust.
    fn narrows(&self, name: &str, value: &Value) -> bool {
        matches!((name, value), ("mcp.read_only", Value::Bool(true)) | ("tools.exclude", Value::List(_)))
    }

    /// What an untrusted project excludes or turns off is so as well as, not instead of, what the user says.
    fn narrowed(&self, name: &str, value: Value) -> Value {
        match value {
            Value::List(mut items) if matches!(name, "tools.exclude" | "lsp.disabled") => {
                items.extend(self.list(name).iter().cloned());
                Value::List(items)
            }
            other => other,
        }
    }

    /// Lays `ORIENTEER_*` variables over what is there.
    pub fn environment<'e>(
        &mut self,
        variables: impl Iterator<Item = (&'e str, &'e str)>,
    ) -> Result<(), ConfigError> {
        for (name, text) in variables {
            let Some(key) = KEYS.iter().find(|key| key.variable() == name) else {
                let legal: Vec<String> = KEYS.iter().map(Key::variable).collect();
                let close = nearest(name, legal.iter().map(String::as_str), 1);
                return Err(ConfigError::new(format!(
                    "the environment variable {name} is not a setting of orienteer{}",
                    close.first().map(|close| format!("; did you mean {close}?")).unwrap_or_default(),
                )));
            };
            if text.contains(char::REPLACEMENT_CHARACTER) {
                return Err(ConfigError::new(format!("the environment variable {name} is not valid UTF-8")));
            }
            let origin = Origin::Environment(name.to_owned());
            let value = Value::from_text(key, text).map_err(|error| bad(&origin.to_string(), key, &error))?;
            self.values.insert(key.name, (value, origin));
        }
        Ok(())
    }

    /// Lays what a dialect read from the other system's variables and files over what is there.
    pub fn foreign(&mut self, foreign: &Foreign) -> Result<(), ConfigError> {
        for (key, text, place) in &foreign.values {
            let key = keys::find(key).ok_or_else(|| unknown_key(key, place))?;
            let value = Value::from_text(key, text).map_err(|error| bad(place, key, &error))?;
            self.values.insert(key.name, (value, Origin::Foreign(place.clone())));
        }
        for (spec, place) in &foreign.servers {
            self.add_servers(vec![spec.clone()], &Origin::Foreign(place.clone()));
        }
        for (spec, place) in &foreign.usual_servers {
            if !self.has_server(&spec.id) {
                self.add_servers(vec![spec.clone()], &Origin::Foreign(place.clone()));
            }
        }
        self.turn_off(foreign)?;
        self.withheld.extend(foreign.withheld.iter().cloned());
        Ok(())
    }

    fn has_server(&self, id: &str) -> bool {
        self.servers.iter().any(|(known, _)| known.id == id)
    }

    /// Adds to `lsp.disabled`: what is turned off there stays so.
    fn turn_off(&mut self, foreign: &Foreign) -> Result<(), ConfigError> {
        let passed_over = foreign.passed_over.iter().filter(|id| !self.has_server(id));
        let more: Vec<String> = passed_over.chain(&foreign.disabled).cloned().collect();
        if !more.is_empty() {
            let known = self.list("lsp.disabled").iter().filter(|word| !more.contains(word)).cloned();
            let all = known.chain(more.iter().cloned()).collect();
            let key = keys::find("lsp.disabled").ok_or_else(|| unknown_key("lsp.disabled", "the dialect"))?;
            self.values.insert(key.name, (Value::List(all), Origin::Foreign("the dialect".to_owned())));
        }
        Ok(())
    }

    /// A value that was checked, in place of what is there.
    pub(super) fn put(&mut self, name: &'static str, value: Value, origin: Origin) {
        self.values.insert(name, (value, origin));
    }

    /// Lays one command-line flag over what is there.
    pub fn flag(&mut self, flag: &str, key: &'static str, text: &str) -> Result<(), ConfigError> {
        let key = keys::find(key).ok_or_else(|| unknown_key(key, flag))?;
        let origin = Origin::Flag(flag.to_owned());
        let value = Value::from_text(key, text).map_err(|error| bad(&origin.to_string(), key, &error))?;
        self.values.insert(key.name, (value, origin));
        Ok(())
    }

    /// A block with the id of an earlier one replaces it.
    fn add_servers(&mut self, specs: Vec<ServerSpec>, origin: &Origin) {
        for spec in specs {
            self.servers.retain(|(known, _)| known.id != spec.id);
            self.servers.push((spec, origin.clone()));
        }
    }

    /// A block about the host of an earlier one replaces it.
    fn add_hosts(&mut self, blocks: Vec<HostBlock>, origin: &Origin) {
        for block in blocks {
            if let Some(at) = self.hosts.iter().position(|(known, _)| known.host == block.host) {
                let (known, before) = self.hosts.remove(at);
                self.described_twice.push((known.host, before, origin.clone()));
            }
            self.hosts.push((block, origin.clone()));
        }
    }

    pub fn get(&self, name: &str) -> Option<&Value> {
        self.values.get(name).map(|(value, _)| value)
    }

    pub fn origin(&self, name: &str) -> Option<&Origin> {
        self.values.get(name).map(|(_, origin)| origin)
    }

    /// Whether somebody other than the built-in defaults set it.
    pub fn explicit(&self, name: &str) -> bool {
        self.origin(name).is_some_and(|origin| *origin != Origin::BuiltIn)
    }

    pub fn text(&self, name: &str) -> Option<&str> {
        match self.get(name) {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        }
    }

    pub fn list(&self, name: &str) -> &[String] {
        match self.get(name) {
            Some(Value::List(items)) => items,
            _ => &[],
        }
    }

    pub fn int(&self, name: &str) -> Option<u64> {
        match self.get(name) {
            Some(Value::Int(number)) => Some(*number),
            _ => None,
        }
    }

    pub fn bool(&self, name: &str) -> Option<bool> {
        match self.get(name) {
            Some(Value::Bool(on)) => Some(*on),
            _ => None,
        }
    }

    /// Every key that is set, secrets hidden, with its origin.
    pub fn shown(&self) -> impl Iterator<Item = (&'static Key, Value, &Origin)> {
        KEYS.iter().filter_map(|key| {
            let (value, origin) = self.values.get(key.name)?;
            let value = if key.secret { Value::Text("[hidden]".to_owned()) } else { value.clone() };
            Some((key, value, origin))
        })
    }
}

/// Settings are written by hand; a larger file is something else.
const LARGEST: u64 = 1 << 20;

/// Reads a file that need not exist.
pub fn read_optional(path: &Path) -> Result<Option<String>, ConfigError> {
    let told = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => Ok(None),
        _ => Err(ConfigError::new(format!("{} could not be read: {error}", path.display()))),
    };
    // A device or a pipe in its place must neither hang us nor fill the memory, not even when it takes the place just now.
    let mut options = std::fs::OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    let file = match options.open(path) {
        Ok(file) => file,
        Err(error) => return told(error),
    };
    let is_small = |data: std::fs::Metadata| data.is_file() && data.len() <= LARGEST;
    if !file.metadata().is_ok_and(is_small) {
        return Err(ConfigError::new(format!("{} is not a regular file of at most 1 MiB", path.display())));
    }
    let mut text = String::new();
    match file.take(LARGEST).read_to_string(&mut text) {
        Ok(_) => Ok(Some(text)),
        Err(error) => told(error),
    }
}

/// Whether a file of a project lies in it. A link in a repository may lead to whatever the user can read, of which nothing is
/// to be told.
pub fn is_within(path: &Path, project: &Path) -> bool {
    match (std::fs::canonicalize(path), std::fs::canonicalize(project)) {
        (Ok(path), Ok(project)) => path.starts_with(project),
        _ => true,
    }
}

/// What is told of a part of a project's file that does not count.
pub(crate) fn left_out(what: &str) -> Warning {
    Warning::new("invalid_setting", format!("{what}; it is left out"))
}

/// What is told of one that lies elsewhere.
pub(crate) fn outside(path: &Path) -> Warning {
    left_out(&format!("{} is a link that leads out of the project", path.display()))
}

fn parse(text: &str, place: &str) -> Result<toml::Table, ConfigError> {
    // The parser's own message quotes the line, which may hold a secret: only its place and cause are kept.
    text.parse::<toml::Table>().map_err(|error| {
        let line = error.span().map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
        let line = line.map(|line| format!(" line {line}")).unwrap_or_default();
        ConfigError::new(format!("{place}{line} is not valid TOML: {}", error.message()))
    })
}

fn unknown_key(name: &str, place: &str) -> ConfigError {
    let close = nearest(name, KEYS.iter().map(|key| key.name).chain(["servers", "hosts"]), 1);
    let hint = match close.first() {
        Some(close) => format!("did you mean `{close}`?"),
        None => format!(
            "legal keys are {}, servers and hosts",
            KEYS.iter().map(|key| key.name).collect::<Vec<_>>().join(", ")
        ),
    };
    ConfigError::new(format!("{place}: `{name}` is not a setting; {hint}"))
}

fn bad(place: &str, key: &Key, error: &str) -> ConfigError {
    ConfigError::new(format!("{place}: `{}` {error}", key.name))
}
