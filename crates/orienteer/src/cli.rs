//! The command line.

mod ask;
mod call;
mod data;
mod demo;
mod doctor;
mod index;
mod mcp;
pub mod out;
mod search;
mod tools;
mod triage;
mod trust;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use clap::{Args, CommandFactory, Parser, Subcommand};
use orienteer_base::{Conceal, private};
use orienteer_engine::catalog::{self, CatalogOptions};
use orienteer_engine::process::{Environment, Launcher, ReaperCommand};
use orienteer_engine::{Engine, EngineSpec, Session, SessionSpec};

use crate::config::places::Variables;
use crate::config::{Config, Given};
use crate::dialect::Dialect;
use crate::dialects::{self, DIALECTS, NATIVE};
use crate::elsewhere::{self, Elsewhere, Room};
use crate::logging::{self, LogOptions};
use crate::render::Hider;
use crate::router::Router;

/// Find your way in code: an MCP server for coding agents, and the same on the command line.
#[derive(Debug, Parser)]
#[command(name = "orienteer", version, about, arg_required_else_help = true)]
#[command(after_help = "Start with `orienteer demo`, then `orienteer doctor`. Settings: docs/config.md.")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve MCP on stdin and stdout, or over HTTP.
    Mcp(mcp::Args),
    /// Call one tool and print its answer.
    Call(call::Args),
    /// Show the tools that are offered.
    Tools(tools::Args),
    /// Search the workspace by words, names and filters.
    Search(search::Args),
    /// Build, look at and clean up the index that `search` uses.
    Index(ask::Args<index::Command>),
    /// Take in security findings, decide about them, and back decisions with evidence from the code.
    Triage(ask::Args<triage::Command>),
    /// Look around, build the index, and say what is missing; nothing of the repository is run.
    Bootstrap(data::BootstrapArgs),
    /// Fetch and verify data files such as models.
    Data(data::Args),
    /// Check the configuration and the machine, and say what to do.
    Doctor(doctor::Args),
    /// Let run what a project names: its build scripts and macros, its own programs, commands of its configuration.
    ///
    /// Without it, nothing of a project runs: language servers for Rust leave build scripts and procedural macros out,
    /// servers and formatters that would run its configuration are not started, compilers are not asked. Shows what would
    /// run, then asks.
    Trust(trust::Args),
    /// Print a completion script for a shell.
    Completions { shell: clap_complete::Shell },
    /// Run a real session against a folder and show what an agent sees.
    Demo(demo::Args),
    /// Kills process groups when its standard input closes; started by orienteer itself.
    #[command(name = "__reaper", hide = true)]
    Reaper,
}

/// Settings that every command takes.
#[derive(Debug, Clone, Default, Args)]
pub struct Settings {
    /// Folder that relative paths start from [default: the current folder]
    #[arg(long, value_name = "DIR", global = true)]
    workspace_root: Option<PathBuf>,
    /// Hide and refuse every tool that writes or controls
    #[arg(long, global = true)]
    read_only: bool,
    /// Toolsets to offer: navigate, diagnose, edit, local, index, triage, remote, ops, default, all
    #[arg(long, value_name = "A,B", global = true)]
    toolsets: Option<String>,
    /// Defaults for a kind of client: codex, navigation, full
    #[arg(long, global = true)]
    context: Option<String>,
    /// Shorthand: navigation (read-only) or refactor (read-write with edit tools)
    #[arg(long, global = true)]
    mode: Option<String>,
    /// Most characters of one answer
    #[arg(long, value_name = "N", global = true)]
    max_total_chars: Option<u64>,
    /// Start the language servers of the workspace's languages at once
    #[arg(long, global = true)]
    warmup: bool,
    /// Show secrets in answers instead of hiding their values
    #[arg(long, global = true)]
    no_redact: bool,
    /// Where logs go: stderr, file, both
    #[arg(long, global = true)]
    log_mode: Option<String>,
    /// How much is logged: error, warn, info, debug, trace
    #[arg(long, global = true)]
    log_level: Option<String>,
    /// A person waits as long as it takes.
    #[arg(skip)]
    patient: bool,
    /// Set by the commands that take `--dialect`.
    #[arg(skip)]
    dialect: Option<&'static Dialect>,
}

/// Whose contract is spoken.
#[derive(Debug, Clone, Default, Args)]
struct Spoken {
    /// Speak the contract of another system: octocode, pairofcleats, pyright, swissarmyhammer [default: native]
    #[arg(long, value_name = "NAME", value_parser = dialect)]
    dialect: Option<&'static Dialect>,
}

fn dialect(name: &str) -> Result<&'static Dialect, String> {
    dialects::find(name).ok_or_else(|| {
        let names: Vec<_> = DIALECTS.iter().map(|dialect| dialect.name).collect();
        format!("there are {}", names.join(", "))
    })
}

impl Settings {
    fn speaking(mut self, spoken: &Spoken) -> Self {
        self.dialect = spoken.dialect;
        self
    }

    /// A person at a terminal may call any tool; what a configuration or a flag chose still counts.
    fn or_all_tools(mut self) -> anyhow::Result<Self> {
        let layers = Config::load(&self.given())?.layers;
        let chosen = ["mcp.toolsets", "mcp.mode", "tools.allow"].iter().any(|key| layers.explicit(key));
        if !chosen {
            self.toolsets = Some("all".to_owned());
        }
        Ok(self)
    }

    /// No call is stopped because it takes long.
    fn patient(mut self) -> Self {
        self.patient = true;
        self
    }

    /// The flags as configuration.
    #[allow(clippy::disallowed_methods, reason = "the entry of the program hands the current folder down")]
    fn given(&self) -> Given {
        let mut flags = Vec::new();
        let mut flag = |name: &'static str, key: &'static str, value: Option<String>| {
            if let Some(value) = value {
                flags.push((name, key, value));
            }
        };
        flag(
            "--workspace-root",
            "workspace.root",
            self.workspace_root.as_ref().map(|path| path.display().to_string()),
        );
        flag("--read-only", "mcp.read_only", self.read_only.then(|| "true".to_owned()));
        flag("--toolsets", "mcp.toolsets", self.toolsets.clone());
        flag("--context", "mcp.context", self.context.clone());
        flag("--mode", "mcp.mode", self.mode.clone());
        flag("--max-total-chars", "mcp.max_total_chars", self.max_total_chars.map(|chars| chars.to_string()));
        flag("--warmup", "lsp.warmup", self.warmup.then(|| "true".to_owned()));
        flag("--no-redact", "output.redact_secrets", self.no_redact.then(|| "false".to_owned()));
        flag("the command", "mcp.tool_timeout_ms", self.patient.then(|| "86400000".to_owned()));
        flag("--log-mode", "log.mode", self.log_mode.clone());
        flag("--log-level", "log.level", self.log_level.clone());
        Given {
            variables: Variables::of_process(),
            current_folder: std::env::current_dir().unwrap_or_else(|_| PathBuf::from(".")),
            temporary_folder: std::env::temp_dir(),
            flags,
            dialect: self.dialect,
            root_named: false,
        }
    }
}

/// A loaded configuration with everything built on it.
#[derive(Debug)]
struct House {
    router: Arc<Router>,
    session: Session,
}

impl House {
    fn build(settings: &Settings, quiet: bool) -> anyhow::Result<Self> {
        let given = settings.given();
        let config = Config::load(&given)?;
        let default_level =
            if quiet && !config.layers.explicit("log.level") { "error" } else { &config.log_level };
        logging::start(&LogOptions {
            mode: config.log_mode,
            level: default_level.to_owned(),
            filter: given.variables.get("RUST_LOG").map(str::to_owned),
            folder: config.log_folder.clone(),
            shape: config.log_shape,
        });
        warn_of(&config);
        close(&config);
        let environment = Environment::from_pairs(given.variables.iter());
        let session = session(&config, environment)?;
        let usual =
            if config.layers.explicit("lsp.max_servers") { config.lsp.max_servers } else { elsewhere::USUAL };
        let most = config.pool.unwrap_or(usual);
        let elsewhere = Elsewhere::new(Box::new(move |root| at(&given, root)), most);
        let router = Router::speaking(config, settings.dialect.unwrap_or(&NATIVE), elsewhere)?;
        Ok(Self { router, session })
    }
}

/// What an earlier version left open to others.
fn close(config: &Config) {
    let kept = [&config.journal_folder, &config.triage_folder].into_iter().flatten();
    for inside in kept.chain([&config.data_folder]) {
        inside.parent().into_iter().for_each(private::repair);
    }
    private::repair(&config.state_folder);
}

/// A session in another folder: as if the program had been started there.
fn at(given: &Given, root: &Path) -> Result<Room, String> {
    let mut given = given.clone();
    given.flags.push(("the call", "workspace.root", root.display().to_string()));
    let config = Config::load(&given).map_err(|error| error.to_string())?;
    warn_of(&config);
    let session = session(&config, Environment::from_pairs(given.variables.iter()));
    Ok(Room { session: session.map_err(|error| format!("{error:#}"))?, config })
}

/// A client of a dialect has no other way to learn of it.
fn warn_of(config: &Config) {
    let root = config.roots.workspace().display().to_string();
    for warning in &config.warnings {
        tracing::warn!(root, kind = warning.kind, "{}", warning.message);
    }
    if !config.layers.withheld.is_empty() {
        let withheld = config.layers.withheld.join(", ");
        tracing::warn!(root, withheld, "the project's configuration is not trusted; see `orienteer trust`");
    }
}

/// The engine that a configuration describes, and its one session.
fn session(config: &Config, environment: Environment) -> anyhow::Result<Session> {
    let user: Vec<_> = config.layers.servers.iter().map(|(spec, _)| spec.clone()).collect();
    let options =
        CatalogOptions { disabled: config.lsp.disabled.clone(), paths: config.lsp.server_paths.clone() };
    let engine = Engine::new(EngineSpec {
        catalog: catalog::merge(catalog::built_in()?, &user, &options),
        trusts_project: config.trusts_project,
        wait: config.lsp.wait,
        idle_timeout: config.lsp.idle_timeout,
        max_servers: config.lsp.max_servers,
        memory_budget_bytes: config.lsp.memory_budget_bytes,
        index: config.index.clone(),
        data_folder: Some(config.data_folder.clone()),
        journal_folder: config.journal_folder.clone(),
        triage_folder: config.triage_folder.clone(),
        remote: config.remote.clone(),
        conceal: if config.redact_secrets {
            let hider = Hider::new();
            Conceal::with(move |text| hider.plain(text))
        } else {
            Conceal::default()
        },
        ..EngineSpec::new(
            config.roots.clone(),
            environment.searching(&config.path_folders),
            Launcher::new(ReaperCommand::new(this_program()?).arg("__reaper")),
            config.state_folder.clone(),
        )
    });
    Ok(engine.session(SessionSpec { roots: config.roots.clone(), read_only: config.read_only }))
}

/// Started again to watch over what we start.
#[allow(clippy::disallowed_methods, reason = "the reaper and the demonstration are this very program")]
fn this_program() -> anyhow::Result<PathBuf> {
    std::env::current_exe().context("the path of this program is not known")
}

/// Runs a future on a runtime that does not wait for work nobody waits for.
fn block_on<T>(future: impl Future<Output = T>) -> anyhow::Result<T> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let result = runtime.block_on(future);
    runtime.shutdown_background();
    Ok(result)
}

/// The program.
pub fn main() -> ExitCode {
    let cli = Cli::parse_from(search::with_exclusions(std::env::args_os().collect()));
    let result = match cli.command {
        Command::Mcp(args) => mcp::run(&args),
        Command::Call(args) => call::run(args),
        Command::Tools(args) => tools::run(&args),
        Command::Search(args) => search::run(args),
        Command::Index(args) => index::run(args),
        Command::Triage(args) => triage::run(args),
        Command::Bootstrap(args) => data::bootstrap(args),
        Command::Data(args) => data::run(args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Trust(args) => trust::run(&args),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "orienteer", &mut script);
            out::bytes(&script).map(|()| ExitCode::SUCCESS)
        }
        Command::Demo(args) => demo::run(&args),
        Command::Reaper => Ok(orienteer_engine::process::reaper_main()),
    };
    result.unwrap_or_else(|error| {
        out::error(&format!("error: {error:#}"));
        ExitCode::from(2)
    })
}
