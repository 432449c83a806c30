//! What do the `PYRIGHT_MCP_*` variables say?

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use orienteer_base::nearest::nearest;
use orienteer_engine::{ServerSpec, catalog};

use crate::config::Given;
use crate::config::layers::ConfigError;
use crate::config::places::Variables;
use crate::dialect::Foreign;
use crate::logging::LogShape;

/// What only this dialect understands.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Settings {
    /// Every path when `None`.
    pub(super) allowed: Option<Vec<PathBuf>>,
    /// For one run of the command line.
    pub(super) cli_timeout: Duration,
    /// As the variable has it; whole seconds count.
    pub(super) lsp_timeout: f64,
    pub(super) lsp_command: Vec<String>,
    pub(super) metrics: bool,
    pub(super) transport: &'static str,
    /// The user's home folder, which is no project.
    pub(super) home: Option<PathBuf>,
}

/// Language servers that live at the same time, each in a workspace of its own.
const POOL: usize = 3;
/// Where HTTP is served, as the servers that FastMCP makes do.
const HTTP: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 8000);
const LONGEST: f64 = 86_400.0;
const PREFIX: &str = "PYRIGHT_MCP_";
const NAMES: [&str; 10] = [
    "PYRIGHT_MCP_ALLOWED_PATHS",
    "PYRIGHT_MCP_CLI_TIMEOUT",
    "PYRIGHT_MCP_ENABLE_HEALTH_CHECK",
    "PYRIGHT_MCP_LOG_LEVEL",
    "PYRIGHT_MCP_LOG_MODE",
    "PYRIGHT_MCP_LSP_COMMAND",
    "PYRIGHT_MCP_LSP_POOL_SIZE",
    "PYRIGHT_MCP_LSP_TIMEOUT",
    "PYRIGHT_MCP_METRICS_ENABLED",
    "PYRIGHT_MCP_TRANSPORT",
];

pub(super) fn read(given: &Given, _root: &Path) -> Result<Foreign, ConfigError> {
    let variables = &given.variables;
    misspelled(variables)?;
    let cli_timeout = seconds(variables, "PYRIGHT_MCP_CLI_TIMEOUT", 30.0)?;
    let lsp_timeout = seconds(variables, "PYRIGHT_MCP_LSP_TIMEOUT", 300.0)?;
    let transport = transport(variables)?;
    let home = home(variables);
    let mut foreign = Foreign {
        pool: Some(pool(variables)?),
        http: (transport == "http").then_some(HTTP),
        log_shape: LogShape::Python { program: "pyright-mcp" },
        ..Foreign::default()
    };
    if !on(variables, "PYRIGHT_MCP_ENABLE_HEALTH_CHECK") {
        foreign.hidden.push("health_check");
    }
    let mut set = |key: &'static str, value: String, from: &str| {
        foreign.values.push((key, value, from.to_owned()));
    };
    let whole = lsp_timeout.ceil().max(1.0);
    set("lsp.idle_timeout_seconds", format!("{whole:.0}"), "PYRIGHT_MCP_LSP_TIMEOUT");
    // Room for the language server where there is no command line.
    let most = (cli_timeout * 2.0 + 15.0) * 1000.0;
    set("mcp.tool_timeouts", format!("check_types={most:.0}"), "PYRIGHT_MCP_CLI_TIMEOUT");
    if let Some(mode) = variables.get("PYRIGHT_MCP_LOG_MODE") {
        set("log.mode", mode.to_ascii_lowercase(), "PYRIGHT_MCP_LOG_MODE");
    }
    if let Some(level) = level(variables)? {
        set("log.level", level.to_owned(), "PYRIGHT_MCP_LOG_LEVEL");
    }
    if let Some(folder) =
        home.as_deref().and_then(|home| log_folder(home, cfg!(windows)).to_str().map(str::to_owned))
    {
        set("log.folder", folder, "PYRIGHT_MCP_LOG_MODE");
    }
    let lsp_command = command(variables);
    let id = server_id(&lsp_command)?;
    let others: Vec<String> =
        built_in()?.into_iter().map(|definition| definition.id).filter(|other| *other != id).collect();
    set("lsp.disabled", others.join(","), "PYRIGHT_MCP_LSP_COMMAND");
    if variables.get("PYRIGHT_MCP_LSP_COMMAND").is_some()
        && let Some((program, args)) = lsp_command.split_first()
    {
        let spec = ServerSpec { id, command: program.clone(), args: args.to_vec(), ..ServerSpec::default() };
        foreign.servers.push((spec, "PYRIGHT_MCP_LSP_COMMAND".to_owned()));
    }
    foreign.own = Some(Arc::new(Settings {
        allowed: allowed(variables, &given.current_folder)?,
        cli_timeout: Duration::from_secs_f64(cli_timeout),
        lsp_timeout,
        lsp_command,
        metrics: on(variables, "PYRIGHT_MCP_METRICS_ENABLED"),
        transport,
        home: home.map(|home| std::fs::canonicalize(&home).unwrap_or(home)),
    }));
    Ok(foreign)
}

/// A restriction that is misspelled would be none. What looks like no variable of ours at all is somebody else's.
fn misspelled(variables: &Variables) -> Result<(), ConfigError> {
    let ours = variables.iter().map(|(name, _)| name).filter(|name| name.starts_with(PREFIX));
    for name in ours.filter(|name| !NAMES.contains(name)) {
        let known = NAMES.iter().filter_map(|known| known.strip_prefix(PREFIX));
        if let Some(close) = nearest(name.trim_start_matches(PREFIX), known, 1).first() {
            let message = format!("{name} is not a variable of pyright-mcp; did you mean {PREFIX}{close}?");
            return Err(ConfigError::new(message));
        }
    }
    Ok(())
}

fn home(variables: &Variables) -> Option<PathBuf> {
    let name = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
    variables.get(name).map(PathBuf::from).filter(|home| home.is_absolute())
}

fn log_folder(home: &Path, windows: bool) -> PathBuf {
    let below = if windows { "AppData/Local/pyright-mcp/logs" } else { ".pyright-mcp/logs" };
    home.join(below)
}

fn seconds(variables: &Variables, name: &str, usual: f64) -> Result<f64, ConfigError> {
    let Some(text) = variables.get(name) else { return Ok(usual) };
    let number = text.trim().parse::<f64>().ok().filter(|number| *number > 0.0 && *number <= LONGEST);
    number
        .ok_or_else(|| wrong(name, &format!("must be a number of seconds above 0, at most {LONGEST}"), text))
}

fn pool(variables: &Variables) -> Result<usize, ConfigError> {
    let name = "PYRIGHT_MCP_LSP_POOL_SIZE";
    let Some(text) = variables.get(name) else { return Ok(POOL) };
    let number = text.trim().parse::<usize>().ok().filter(|number| (1..=64).contains(number));
    number.ok_or_else(|| wrong(name, "must be a whole number from 1 to 64", text))
}

/// On unless something else is written than a word for it.
fn on(variables: &Variables, name: &str) -> bool {
    let words = ["true", "1", "yes", "on"];
    variables.get(name).is_none_or(|text| words.contains(&text.trim().to_ascii_lowercase().as_str()))
}

fn level(variables: &Variables) -> Result<Option<&'static str>, ConfigError> {
    let name = "PYRIGHT_MCP_LOG_LEVEL";
    let Some(text) = variables.get(name) else { return Ok(None) };
    Ok(Some(match text.to_ascii_uppercase().as_str() {
        "DEBUG" => "debug",
        "INFO" => "info",
        "WARNING" => "warn",
        "ERROR" => "error",
        _ => return Err(wrong(name, "must be DEBUG, INFO, WARNING or ERROR", text)),
    }))
}

fn transport(variables: &Variables) -> Result<&'static str, ConfigError> {
    let name = "PYRIGHT_MCP_TRANSPORT";
    match variables.get(name) {
        None | Some("stdio") => Ok("stdio"),
        Some("http") => Ok("http"),
        Some("sse") => Err(ConfigError::new(format!(
            "{name} is sse, a transport that MCP has given up; use http, which streams over the same address"
        ))),
        Some(text) => Err(wrong(name, "must be stdio or http", text)),
    }
}

/// The folders that may be read. One that does not exist yet counts as soon as it does.
fn allowed(variables: &Variables, current: &Path) -> Result<Option<Vec<PathBuf>>, ConfigError> {
    let name = "PYRIGHT_MCP_ALLOWED_PATHS";
    let Some(text) = variables.get(name) else { return Ok(None) };
    let folders: Vec<PathBuf> = std::env::split_paths(text)
        .filter(|path| !path.as_os_str().is_empty())
        .map(|path| current.join(path))
        .map(|path| std::fs::canonicalize(&path).unwrap_or(path))
        .collect();
    // Nothing at all would look like no restriction to whoever wrote it.
    if folders.is_empty() {
        return Err(wrong(name, "must name at least one folder, or not be set", text));
    }
    Ok(Some(folders))
}

/// The words of the command; one without arguments speaks over pipes as the usual one does.
fn command(variables: &Variables) -> Vec<String> {
    let text = variables.get("PYRIGHT_MCP_LSP_COMMAND").unwrap_or_default();
    let mut words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    if words.is_empty() {
        words.push("pyright-langserver".to_owned());
    }
    if words.len() == 1 {
        words.push("--stdio".to_owned());
    }
    words
}

fn built_in() -> Result<Vec<orienteer_engine::servers::Definition>, ConfigError> {
    catalog::built_in().map_err(|error| ConfigError::new(error.to_string()))
}

/// Which of the servers we know the command is, so that it is waited for as it needs; pyright otherwise.
fn server_id(command: &[String]) -> Result<String, ConfigError> {
    let stem = |word: &str| {
        Path::new(word).file_stem().map(|stem| stem.to_string_lossy().to_lowercase()).unwrap_or_default()
    };
    let known = built_in()?.into_iter().find(|definition| {
        let programs = definition.candidates.iter().map(|candidate| stem(&candidate.program));
        let mut programs = programs.filter(|program| command.iter().any(|word| stem(word) == *program));
        definition.language == "Python" && programs.next().is_some()
    });
    Ok(known.map_or_else(|| "pyright".to_owned(), |definition| definition.id))
}

fn wrong(name: &str, must: &str, text: &str) -> ConfigError {
    ConfigError::new(format!("{name} {must}, not `{}`", orienteer_base::error::cut(text)))
}

#[cfg(test)]
mod tests;
