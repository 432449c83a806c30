//! `orienteer doctor`: what is in force on this machine, what is wrong, and what to do about it.

use std::process::ExitCode;

use orienteer_engine::process::Environment;
use orienteer_engine::{Engine, SessionSpec};
use serde_json::{Value, json};

use super::{Settings, out};
use crate::config::Config;
use crate::router::Router;
use crate::tools::TOOLS;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Print a report for programs
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    settings: Settings,
}

/// One thing that was looked at.
struct Check {
    name: &'static str,
    ok: bool,
    message: String,
    advice: Option<String>,
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let given = args.settings.given();
    let mut checks = Vec::new();
    let mut details = json!({});
    match Config::load(&given) {
        Err(error) => checks.push(Check {
            name: "configuration",
            ok: false,
            message: error.to_string(),
            advice: Some("correct the setting that is named, then run `orienteer doctor` again".to_owned()),
        }),
        Ok(config) => {
            checks.push(configuration(&config));
            checks.push(trust(&config));
            checks.push(logs(&config));
            let environment = Environment::from_pairs(given.variables.iter());
            checks.extend(servers(&config, environment));
            checks.push(tools(&config));
            details = describe(&config);
        }
    }
    let ok = checks.iter().all(|check| check.ok);
    if args.json {
        let checks: Vec<Value> = checks
            .iter()
            .map(|check| json!({ "name": check.name, "ok": check.ok, "message": check.message, "advice": check.advice }))
            .collect();
        let report = json!({ "ok": ok, "version": env!("CARGO_PKG_VERSION"), "platform": platform(), "checks": checks, "config": details });
        out::line(&serde_json::to_string_pretty(&report)?)?;
    } else {
        out::line(&format!("orienteer {} on {}", env!("CARGO_PKG_VERSION"), platform()))?;
        for check in &checks {
            out::line(&format!("{} {:<14} {}", if check.ok { "✓" } else { "✗" }, check.name, check.message))?;
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
    Check { name: "configuration", ok: true, message, advice: None }
}

fn trust(config: &Config) -> Check {
    let withheld = &config.layers.withheld;
    if withheld.is_empty() {
        return Check { name: "trust", ok: true, message: "nothing is withheld".to_owned(), advice: None };
    }
    Check {
        name: "trust",
        ok: true,
        message: format!("the project's configuration is not trusted; ignored: {}", withheld.join(", ")),
        advice: Some("read .orienteer/config.toml; if you agree with it, run `orienteer trust`".to_owned()),
    }
}

fn logs(config: &Config) -> Check {
    let folder =
        config.log_folder.as_ref().map_or_else(|| "none".to_owned(), |folder| folder.display().to_string());
    Check {
        name: "logs",
        ok: true,
        message: format!("mode {:?}, level {}, folder {folder}", config.log_mode, config.log_level),
        advice: None,
    }
}

fn servers(config: &Config, environment: Environment) -> Vec<Check> {
    let specs = config.layers.servers.iter().map(|(spec, _)| spec.clone()).collect();
    let session = Engine::new(specs, environment)
        .session(SessionSpec { roots: config.roots.clone(), read_only: config.read_only });
    let listed = session.list_servers();
    if listed.is_empty() {
        let message = "no language servers are configured".to_owned();
        return vec![Check { name: "servers", ok: true, message, advice: None }];
    }
    listed
        .iter()
        .map(|server| match &server.program {
            Some(program) => Check {
                name: "server",
                ok: true,
                message: format!("{}: {}", server.spec.id, program.display()),
                advice: None,
            },
            None => Check {
                name: "server",
                ok: false,
                message: format!("{}: `{}` was not found in PATH", server.spec.id, server.spec.command),
                advice: server.spec.install_hint.clone().or_else(|| {
                    Some(format!("install `{}` or give its full path as `command`", server.spec.command))
                }),
            },
        })
        .collect()
}

fn tools(config: &Config) -> Check {
    match Router::new(config.clone(), TOOLS) {
        Ok(router) => {
            let names: Vec<&str> = router.offered().map(|(entry, _)| entry.name).collect();
            Check { name: "tools", ok: true, message: names.join(", "), advice: None }
        }
        Err(error) => Check {
            name: "tools",
            ok: false,
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
