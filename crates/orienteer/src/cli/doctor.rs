//! `orienteer doctor`: what is in force on this machine, what is wrong, and what to do about it.

mod remote;
mod security;

use std::process::ExitCode;

use orienteer_base::search::IndexState;
use orienteer_base::{Cancel, Fact};
use orienteer_engine::process::Environment;
use serde_json::{Value, json};

use super::{Settings, block_on, out};
use crate::config::Config;
use crate::render::text::count;
use crate::router::Router;
use crate::tools::{TOOLS, index_status};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Print a report for programs
    #[arg(long)]
    json: bool,
    /// Only what would run in this folder
    #[arg(long)]
    security: bool,
    #[command(flatten)]
    settings: Settings,
}

/// One thing that was looked at.
struct Check {
    name: &'static str,
    state: State,
    message: String,
    advice: Option<String>,
}

/// How it stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Fine,
    /// Not there, which need not be wrong: somebody may have another server for the same files.
    Absent,
    Wrong,
}

impl State {
    fn of(fine: bool) -> Self {
        if fine { Self::Fine } else { Self::Wrong }
    }

    fn sign(self) -> char {
        match self {
            Self::Fine => '✓',
            Self::Absent => '–',
            Self::Wrong => '✗',
        }
    }
}

impl Check {
    fn is_ok(&self) -> bool {
        self.state != State::Wrong
    }
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let given = args.settings.given();
    let mut checks = Vec::new();
    let mut details = json!({});
    match Config::load(&given) {
        Ok(config) if args.security => {
            let environment = Environment::from_pairs(given.variables.iter());
            checks.extend(security::checks(&config, environment)?);
        }
        Err(error) => checks.push(Check {
            name: "configuration",
            state: State::Wrong,
            message: error.to_string(),
            advice: Some("correct the setting that is named, then run `orienteer doctor` again".to_owned()),
        }),
        Ok(config) => {
            checks.push(configuration(&config));
            let environment = Environment::from_pairs(given.variables.iter());
            checks.push(trust(&config, environment.clone())?);
            checks.push(logs(&config));
            checks.push(index(&config, environment.clone())?);
            checks.extend(servers(&config, environment)?);
            checks.extend(remote::checks(&config, &given.variables));
            checks.push(tools(&config));
            details = describe(&config);
        }
    }
    let ok = checks.iter().all(Check::is_ok);
    if args.json {
        let checks: Vec<Value> = checks
            .iter()
            .map(|check| json!({ "name": check.name, "ok": check.is_ok(), "absent": check.state == State::Absent, "message": check.message, "advice": check.advice }))
            .collect();
        let report = json!({ "ok": ok, "version": env!("CARGO_PKG_VERSION"), "platform": platform(), "checks": checks, "config": details });
        out::line(&serde_json::to_string_pretty(&report)?)?;
    } else {
        out::line(&format!("orienteer {} on {}", env!("CARGO_PKG_VERSION"), platform()))?;
        for check in &checks {
            out::line(&format!("{} {:<14} {}", check.state.sign(), check.name, check.message))?;
            if let Some(advice) = &check.advice {
                out::line(&format!("  {:<14} → {advice}", ""))?;
            }
        }
    }
    Ok(if ok { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn platform() -> String {
    format!("{} {}", std::env::consts::OS, std::env::consts::ARCH)
}

fn configuration(config: &Config) -> Check {
    let files: Vec<String> = config
        .files
        .iter()
        .map(|(path, there)| format!("{}{}", path.display(), if *there { "" } else { " (absent)" }))
        .collect();
    let message = format!("root {}; files: {}", config.roots.workspace().display(), files.join(", "));
    // What of another system's file does not count is nothing that is broken here.
    let passed_over: Vec<&str> = config.warnings.iter().map(|warning| warning.message.as_str()).collect();
    let advice = (!passed_over.is_empty()).then(|| passed_over.join("; "));
    Check { name: "configuration", state: State::Fine, message, advice }
}

/// What of the project does not count or run for want of trust.
fn trust(config: &Config, environment: Environment) -> anyhow::Result<Check> {
    let check = |message, advice| Check { name: "trust", state: State::Fine, message, advice };
    if config.trusts_project {
        return Ok(check("the project is trusted: what it names may run".to_owned(), None));
    }
    let withheld = &config.layers.withheld;
    let session = super::session(config, environment)?;
    let exposures = block_on(async { session.exposures(&Cancel::new()).await })??;
    if withheld.is_empty() && exposures.is_empty() {
        return Ok(check("nothing is withheld".to_owned(), None));
    }
    let mut message = "the project is not trusted".to_owned();
    if !withheld.is_empty() {
        message.push_str(&format!("; of its configuration is ignored: {}", withheld.join(", ")));
    }
    if !exposures.is_empty() {
        let runs: Vec<String> =
            exposures.iter().map(|one| format!("{} ({})", one.runs, one.files.join(", "))).collect();
        message.push_str(&format!("; not run: {}", runs.join("; ")));
    }
    let advice = "`orienteer doctor --security` shows all of it; if you agree with it, run `orienteer trust`";
    Ok(check(message, Some(advice.to_owned())))
}

fn logs(config: &Config) -> Check {
    let folder =
        config.log_folder.as_ref().map_or_else(|| "none".to_owned(), |folder| folder.display().to_string());
    Check {
        name: "logs",
        state: State::Fine,
        message: format!("mode {:?}, level {}, folder {folder}", config.log_mode, config.log_level),
        advice: None,
    }
}

/// The index of the workspace: whether there is one, how old it is, and where.
fn index(config: &Config, environment: Environment) -> anyhow::Result<Check> {
    let check = |fine, message, advice| Check { name: "index", state: State::of(fine), message, advice };
    let Some(spec) = &config.index else {
        return Ok(check(true, "turned off by index.enabled".to_owned(), None));
    };
    let session = super::session(config, environment)?;
    let status = block_on(async { session.index_status(false, &Cancel::new()).await })?;
    Ok(match status {
        Ok(status) if status.state == IndexState::Damaged => {
            let advice = "run `orienteer index build`; the next search does it too".to_owned();
            check(false, status.health, Some(advice))
        }
        Ok(status) => check(true, index_status::lines(&status).join("; "), None),
        Err(problem) => {
            let advice = format!("see whether {} can be read and written", spec.folder.display());
            check(false, problem.message, Some(advice))
        }
    })
}

/// Every server of the catalog: those that are installed, and of the others those that the workspace has files for.
fn servers(config: &Config, environment: Environment) -> anyhow::Result<Vec<Check>> {
    let session = super::session(config, environment)?;
    let (listed, wanted) = block_on(async {
        let listed = session.probe_servers().await;
        (listed, session.languages_here(&Cancel::new()).await.unwrap_or_default())
    })?;
    let mut checks = Vec::new();
    let (mut others, mut untrusted) = (Vec::new(), Vec::new());
    for server in listed {
        let definition = &server.definition;
        let files: usize = definition.extensions.keys().filter_map(|extension| wanted.get(extension)).sum();
        let mut here =
            if files > 0 { format!(", {} here", count(files as u64, "file")) } else { String::new() };
        if definition.optional && !definition.from_user {
            here.push_str(", asked only when a [[servers]] block names it");
        }
        match server.program {
            Ok(program) => {
                let version = server.version.map(|version| format!(" ({version})")).unwrap_or_default();
                let tested = if definition.live_tested { "" } else { ", untested" };
                let origin = server.origin.map(|origin| format!("; {origin}")).unwrap_or_default();
                let message =
                    format!("{}: {}{version}{here}{tested}{origin}", definition.id, program.display());
                checks.push(Check { name: "server", state: State::Fine, message, advice: None });
            }
            // Only trust is missing, and nobody needs it here.
            Err(problem) if files == 0 && !definition.from_user && problem.detail == Some("not_trusted") => {
                untrusted.push(definition.id.clone());
            }
            Err(problem) if files > 0 || definition.from_user => {
                let message = format!("{}: {}{here}", definition.id, problem.message);
                let told = |name: &str| {
                    problem.facts.iter().find_map(|(fact, value)| match value {
                        Fact::Text(text) if *fact == name => Some(text.clone()),
                        _ => None,
                    })
                };
                let unnamed = definition.optional && !definition.from_user;
                let name =
                    || format!("name it in your configuration: [[servers]] with id = \"{}\"", definition.id);
                let advice = unnamed
                    .then(name)
                    .or_else(|| told("install_hint"))
                    .or_else(|| told("suggestion"))
                    .or_else(|| {
                        let command = told("command")?;
                        Some(format!("install `{command}` or give its full path as `command`"))
                    });
                let state = if definition.from_user { State::Wrong } else { State::Absent };
                checks.push(Check { name: "server", state, message, advice });
            }
            Err(_) => others.push(definition.id.clone()),
        }
    }
    if !untrusted.is_empty() {
        let message = format!("started only in a project that you trust: {}", untrusted.join(", "));
        checks.push(Check { name: "servers", state: State::Fine, message, advice: None });
    }
    if !others.is_empty() {
        let message = format!("not installed, and no files for them here: {}", others.join(", "));
        checks.push(Check { name: "servers", state: State::Absent, message, advice: None });
    }
    Ok(checks)
}

fn tools(config: &Config) -> Check {
    match Router::new(config.clone(), TOOLS) {
        Ok(router) => {
            let names: Vec<&str> = router.offered().map(|(entry, _)| entry.name).collect();
            Check { name: "tools", state: State::Fine, message: names.join(", "), advice: None }
        }
        Err(error) => Check {
            name: "tools",
            state: State::Wrong,
            message: error.to_string(),
            advice: Some("correct the name in the configuration or the flag".to_owned()),
        },
    }
}

fn describe(config: &Config) -> Value {
    let settings: Vec<Value> = config
        .layers
        .shown()
        .map(|(key, value, origin)| json!({ "key": key.name, "value": value, "origin": origin.to_string() }))
        .collect();
    json!({
        "workspace_root": config.roots.workspace().display().to_string(),
        "allowed_roots": config.roots.all().map(|root| root.display().to_string()).collect::<Vec<_>>(),
        "read_only": config.read_only,
        "settings": settings,
        "withheld": config.layers.withheld,
    })
}
