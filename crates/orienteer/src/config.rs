//! Configuration: validated facts, made once at the start.
//!
//! Built-in defaults, then the user's file, then the project's `.orienteer/config.toml` (what could do harm
//! only when trusted), then `ORIENTEER_*`, then flags. Nothing after this module reads files or the
//! environment to find out how to behave.

mod blocks;
pub mod hosts;
pub mod keys;
pub mod layers;
pub mod limits;
pub mod places;
mod remote;
pub mod servers;
pub mod trust;
pub mod value;

use std::any::Any;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use orienteer_base::answer::Warning;
use orienteer_base::{Budget, Roots};
use orienteer_engine::IndexSpec;
use orienteer_engine::remote::RemoteSetup;

use crate::dialect::{Dialect, Foreign};
use crate::logging::LogShape;

use layers::{ConfigError, Layers, Origin};
use places::Variables;

/// Where a log goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogMode {
    Stderr,
    File,
    Both,
}

impl LogMode {
    /// As it is written in the configuration.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stderr => "stderr",
            Self::File => "file",
            Self::Both => "both",
        }
    }
}

/// Everything the program was told, checked.
#[derive(Debug, Clone)]
pub struct Config {
    pub roots: Roots,
    /// Somebody said which folders may be read. Where a dialect's clients name a folder in each call, it is one of these.
    pub restricted: bool,
    pub toolsets: Vec<String>,
    pub allow: Vec<String>,
    pub exclude: Vec<String>,
    pub read_only: bool,
    pub budget: Budget,
    pub queue_max: usize,
    pub max_concurrent_calls: usize,
    pub max_buffer_bytes: usize,
    tool_timeout: Duration,
    tool_timeouts: BTreeMap<String, Duration>,
    pub http_token: Option<value::Secret>,
    pub http_allowed_hosts: Vec<String>,
    pub http_allowed_origins: Vec<String>,
    pub redact_secrets: bool,
    pub lsp: Lsp,
    /// `None` when it is turned off.
    pub index: Option<IndexSpec>,
    /// `None` when it is turned off.
    pub remote: Option<RemoteSetup>,
    /// The user trusts the project's configuration, and with it the project.
    pub trusts_project: bool,
    /// Holds data files that the user fetches.
    pub data_folder: PathBuf,
    /// Holds what changes can be taken back with; `None` where no folder is the user's own.
    pub journal_folder: Option<PathBuf>,
    /// Holds findings and decisions.
    pub triage_folder: Option<PathBuf>,
    /// A folder of ours, outside every project.
    pub state_folder: PathBuf,
    pub log_mode: LogMode,
    pub log_level: String,
    pub log_folder: Option<PathBuf>,
    pub log_shape: LogShape,
    /// Searched for programs after the folders of `PATH`.
    pub path_folders: Vec<PathBuf>,
    /// What only the dialect itself understands.
    pub dialect_settings: Option<Arc<dyn Any + Send + Sync>>,
    /// Serve HTTP there unless a flag says otherwise.
    pub http_address: Option<SocketAddr>,
    /// How many other folders a dialect works in at the same time, where it says so.
    pub pool: Option<usize>,
    /// Tools of the dialect that are not offered.
    pub hidden_tools: Vec<&'static str>,
    /// Kept for answers about the configuration itself.
    pub layers: Layers,
    /// Files that were looked for, and whether they were there.
    pub files: Vec<(PathBuf, bool)>,
    /// What of another system's files does not count, and why.
    pub warnings: Vec<Warning>,
}

/// How language servers are chosen and kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lsp {
    pub wait: Duration,
    pub idle_timeout: Duration,
    pub max_servers: usize,
    pub memory_budget_bytes: u64,
    pub disabled: Vec<String>,
    pub server_paths: BTreeMap<String, String>,
    pub warmup: bool,
}

impl Lsp {
    fn of(layers: &Layers) -> Self {
        let int = |name: &str, default: u64| layers.int(name).unwrap_or(default);
        Self {
            wait: Duration::from_millis(int("lsp.wait_ms", 30_000)),
            idle_timeout: Duration::from_secs(int("lsp.idle_timeout_seconds", 300)),
            max_servers: usize::try_from(int("lsp.max_servers", 8)).unwrap_or(8),
            memory_budget_bytes: int("lsp.memory_budget_mb", 8_192) << 20,
            disabled: layers.list("lsp.disabled").to_vec(),
            server_paths: match layers.get("lsp.server_paths") {
                Some(value::Value::Paths(paths)) => paths.clone(),
                _ => BTreeMap::new(),
            },
            warmup: layers.bool("lsp.warmup").unwrap_or(false),
        }
    }
}

/// What can be made or fetched again.
fn cache_folder(given: &Given, foreign: &Foreign) -> PathBuf {
    let usual = || given.variables.cache_folder().unwrap_or_else(|| given.temporary_folder.join("orienteer"));
    foreign.cache_folder.clone().unwrap_or_else(usual)
}

/// Where indexes are kept and what they are made with. Paths are relative to the root.
fn index(layers: &Layers, workspace: &Path, cache: &Path) -> Option<IndexSpec> {
    if layers.bool("index.enabled") == Some(false) {
        return None;
    }
    let path =
        |name: &str| layers.text(name).filter(|path| !path.is_empty()).map(|path| workspace.join(path));
    Some(IndexSpec {
        folder: path("index.folder").unwrap_or_else(|| cache.join("index")),
        model: path("index.model"),
        rules: path("index.rules"),
        threads: layers.int("index.threads").and_then(|threads| usize::try_from(threads).ok()).unwrap_or(2),
    })
}

/// What the entry of the program knows: the environment, the current folder and the flags.
#[derive(Debug, Clone, Default)]
pub struct Given {
    pub variables: Variables,
    pub current_folder: PathBuf,
    /// Where temporary files may be put.
    pub temporary_folder: PathBuf,
    /// Flag, key, text.
    pub flags: Vec<(&'static str, &'static str, String)>,
    /// Whose contract is spoken; the native one unless it says otherwise.
    pub dialect: Option<&'static Dialect>,
    /// Somebody named the root, wherever that is; told to dialects by [`Config::load`].
    pub root_named: bool,
}

impl Config {
    pub fn load(given: &Given) -> Result<Self, ConfigError> {
        let mut layers = Layers::built_in()?;
        let mut files = Vec::new();
        if let Some(path) = given.variables.user_file() {
            let text = layers::read_optional(&path)?;
            if text.is_none() && given.variables.get("ORIENTEER_CONFIG").is_some() {
                return Err(ConfigError::new(format!(
                    "ORIENTEER_CONFIG names {}, which does not exist",
                    path.display()
                )));
            }
            files.push((path.clone(), text.is_some()));
            if let Some(text) = text {
                layers.file(&text, &Origin::UserFile(path))?;
            }
        }
        // The project's file is found from the root, so the root is settled without it.
        let mut outside = layers.clone();
        Self::overlay(&mut outside, given)?;
        let foreign = match given.dialect {
            Some(dialect) => {
                // A root that was named may well be the current folder.
                let root_named = outside.explicit("workspace.root");
                let given = Given { root_named, ..given.clone() };
                (dialect.settings)(&given, &root_folder(&outside, &given))?
            }
            None => Foreign::default(),
        };
        outside = layers.clone();
        outside.foreign(&foreign)?;
        Self::overlay(&mut outside, given)?;
        let workspace = root_folder(&outside, given);
        let project = places::project_file(&workspace);
        let mut wrong = Vec::new();
        let mut text = layers::read_optional(&project).unwrap_or_else(|error| {
            wrong.push(layers::left_out(&error.message));
            None
        });
        files.push((project.clone(), text.is_some() || !wrong.is_empty()));
        let trusts = trust::TrustStore::load(given.variables.trust_file());
        let damaged = trusts.as_ref().err().filter(|_| text.is_none()).map(ToString::to_string);
        // A damaged list stops nobody who has no configuration that it could speak about.
        let trusts = if damaged.is_some() { trust::TrustStore::default() } else { trusts? };
        let trusted = trusts.is_trusted(&project, text.as_deref().unwrap_or_default());
        if !trusted && text.is_some() && !layers::is_within(&project, &workspace) {
            wrong.push(layers::outside(&project));
            text = None;
        }
        if let Some(text) = text {
            let without = (!trusted).then_some(&outside);
            wrong.extend(layers.project_file(&text, &project, without));
            wrong.extend(missing_roots(&mut layers, &workspace));
        }
        layers.foreign(&foreign)?;
        Self::overlay(&mut layers, given)?;
        let patience = |tool: &str| given.dialect.and_then(|dialect| dialect.envelope.patience(tool));
        let raised = limits::lay(&mut layers, &foreign.limits, &patience);
        let cache = cache_folder(given, &foreign);
        let mut config = Self::settle(layers, files, &workspace, &cache, given)?;
        config.trusts_project = trusted;
        config.warnings = wrong;
        config.warnings.extend(foreign.warnings);
        config.warnings.extend(damaged.map(|message| Warning::new("trust_unknown", message)));
        config.warnings.extend(raised);
        config.dialect_settings = foreign.own;
        config.http_address = foreign.http;
        config.pool = foreign.pool;
        config.hidden_tools = foreign.hidden;
        config.log_shape = foreign.log_shape;
        config.path_folders = foreign.path_folders;
        Ok(config)
    }

    fn overlay(layers: &mut Layers, given: &Given) -> Result<(), ConfigError> {
        let ours = given
            .variables
            .iter()
            .filter(|(name, _)| name.starts_with("ORIENTEER_") && *name != "ORIENTEER_CONFIG");
        layers.environment(ours)?;
        for (flag, key, text) in &given.flags {
            layers.flag(flag, key, text)?;
        }
        Ok(())
    }

    fn settle(
        layers: Layers,
        files: Vec<(PathBuf, bool)>,
        workspace: &Path,
        cache: &Path,
        given: &Given,
    ) -> Result<Self, ConfigError> {
        let relative_to_root = |path: &String| workspace.join(path);
        let others: Vec<PathBuf> =
            layers.list("workspace.allowed_roots").iter().map(relative_to_root).collect();
        let roots = Roots::new(workspace, &others)
            .map_err(|error| ConfigError::new(format!("a root cannot be used: {error}")))?;
        let preset = Preset::of(&layers);
        let number = |name: &str| layers.int(name).and_then(|number| usize::try_from(number).ok());
        let millis = |name: &str| Duration::from_millis(layers.int(name).unwrap_or(120_000));
        let tool_timeouts = match layers.get("mcp.tool_timeouts") {
            Some(value::Value::Millis(table)) => {
                table.iter().map(|(tool, ms)| (tool.clone(), Duration::from_millis(*ms))).collect()
            }
            _ => BTreeMap::new(),
        };
        let toolsets = if layers.explicit("mcp.toolsets") {
            layers.list("mcp.toolsets").to_vec()
        } else {
            preset.toolsets.iter().map(|name| (*name).to_owned()).collect()
        };
        Ok(Self {
            restricted: layers.explicit("workspace.allowed_roots"),
            roots,
            toolsets,
            allow: layers.list("tools.allow").to_vec(),
            exclude: layers.list("tools.exclude").to_vec(),
            read_only: layers.bool("mcp.read_only").unwrap_or(preset.read_only),
            budget: Budget::new(number("mcp.max_total_chars").unwrap_or(preset.max_total_chars)),
            queue_max: number("mcp.queue_max").unwrap_or(64),
            max_concurrent_calls: number("mcp.max_concurrent_calls").unwrap_or(8),
            max_buffer_bytes: number("mcp.max_buffer_bytes").unwrap_or(8 << 20),
            tool_timeout: millis("mcp.tool_timeout_ms"),
            tool_timeouts,
            http_token: layers.text("http.token").map(|token| value::Secret(token.to_owned())),
            http_allowed_hosts: layers.list("http.allowed_hosts").to_vec(),
            http_allowed_origins: layers.list("http.allowed_origins").to_vec(),
            redact_secrets: layers.bool("output.redact_secrets").unwrap_or(true),
            lsp: Lsp::of(&layers),
            index: index(&layers, workspace, cache),
            remote: remote::setup(&layers, &given.variables, cache.join("remote")),
            trusts_project: false,
            dialect_settings: None,
            http_address: None,
            pool: None,
            hidden_tools: Vec::new(),
            log_shape: LogShape::default(),
            path_folders: Vec::new(),
            data_folder: cache.join("data"),
            journal_folder: given.variables.journal_folder(),
            triage_folder: given.variables.triage_folder(),
            state_folder: given
                .variables
                .state_folder()
                .unwrap_or_else(|| given.temporary_folder.join("orienteer")),
            log_mode: match layers.text("log.mode") {
                Some("file") => LogMode::File,
                Some("both") => LogMode::Both,
                _ => LogMode::Stderr,
            },
            log_level: layers.text("log.level").unwrap_or("info").to_owned(),
            log_folder: layers
                .text("log.folder")
                .map(|folder| workspace.join(folder))
                .or_else(|| given.variables.log_folder()),
            layers,
            files,
            warnings: Vec::new(),
        })
    }

    pub fn timeout(&self, tool: &str) -> Duration {
        self.timeout_or(tool, None)
    }

    /// How long a call of a tool may take. What a dialect gives a tool counts where nobody set a time.
    pub fn timeout_or(&self, tool: &str, patience: Option<Duration>) -> Duration {
        let patience = patience.filter(|_| !self.layers.explicit("mcp.tool_timeout_ms"));
        let named = self.tool_timeouts.get(tool).copied().or(patience);
        if named.is_none() && tool == "batch" {
            // Its calls have limits of their own, and one slow call must not fail the others.
            let longest = self.tool_timeouts.values().copied().max().unwrap_or_default();
            return longest.max(self.tool_timeout) + Duration::from_secs(2);
        }
        named.unwrap_or(self.tool_timeout)
    }
}

/// Leaves roots out that a project's file names and that are not there.
fn missing_roots(layers: &mut Layers, workspace: &Path) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for root in layers.list("workspace.allowed_roots").to_vec() {
        if let Err(error) = Roots::new(workspace, &[workspace.join(&root)])
            && layers.leave_out("workspace.allowed_roots", &root)
        {
            warnings.push(layers::left_out(&format!("the project's `workspace.allowed_roots`: {error}")));
        }
    }
    warnings
}

fn root_folder(layers: &Layers, given: &Given) -> PathBuf {
    match layers.text("workspace.root") {
        Some(root) => given.current_folder.join(root),
        None => given.current_folder.clone(),
    }
}

/// What a context or mode gives to settings that nobody made. Precedence: explicit > mode > context >
/// built-in.
struct Preset {
    read_only: bool,
    max_total_chars: usize,
    toolsets: &'static [&'static str],
}

impl Preset {
    fn of(layers: &Layers) -> Self {
        let context = |name: Option<&str>| match name {
            Some("codex") => Self { read_only: true, max_total_chars: 80_000, toolsets: &[] },
            Some("navigation") => Self { read_only: true, max_total_chars: 60_000, toolsets: &[] },
            _ => Self { read_only: false, max_total_chars: Budget::DEFAULT_TOTAL_CHARS, toolsets: &[] },
        };
        match layers.text("mcp.mode") {
            Some("navigation") => context(Some("navigation")),
            Some("refactor") => Self {
                read_only: false,
                toolsets: &["default", "edit"],
                ..context(layers.text("mcp.context"))
            },
            _ => context(layers.text("mcp.context")),
        }
    }
}

#[cfg(test)]
mod tests;
