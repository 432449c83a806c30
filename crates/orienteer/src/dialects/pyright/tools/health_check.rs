//! `health_check`: is everything there, what is configured, and how fast is it?

use std::path::Path;
use std::time::Duration;

use orienteer_base::{ErrorKind, Problem};
use orienteer_engine::servers::Life;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::super::settings::Settings;
use super::super::shapes::payload;
use super::super::workspace;
use crate::config::Config;
use crate::dialect::DialectTool;
use crate::elsewhere::Elsewhere;
use crate::router::metrics::Figures;
use crate::tool::Ctx;

/// For `pyright --version`.
const PATIENCE: Duration = Duration::from_secs(15);

pub(crate) struct HealthCheck;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {}

impl DialectTool for HealthCheck {
    const NAME: &'static str = "health_check";
    const TITLE: &'static str = "Health check";
    const DESCRIPTION: &'static str =
        "Whether Pyright is available, the state of its language servers, configuration and metrics.";
    const INSTANT: bool = true;
    type Args = Args;

    async fn run(_: Args, ctx: Ctx) -> Result<Map<String, Value>, Problem> {
        let settings = workspace::settings(&ctx)?;
        let mut warnings = Vec::new();
        let version = match ctx.session.pyright_version(PATIENCE, &ctx.cancel).await {
            Ok(version) => Some(version),
            Err(problem) if problem.kind == ErrorKind::Cancelled => return Err(problem),
            Err(problem) => {
                warnings.push(json!(problem.message));
                None
            }
        };
        let metrics = ctx.router.metrics();
        let elsewhere = ctx.router.elsewhere();
        let mut fields = json!({
            "pyright_version": version,
            "pyright_available": version.is_some(),
            "lsp_status": elsewhere.map_or("not_initialized", lsp_status),
            "config": config(ctx.config(), &settings),
            "uptime_seconds": round(metrics.uptime().as_secs_f64()),
            "request_count": ctx.router.answered(),
        });
        fields["lsp_pool"] = elsewhere.map_or(Value::Null, pool);
        if settings.metrics {
            let figures = metrics.figures();
            let rows = figures.iter().map(|figures| (figures.tool.to_owned(), operation(figures)));
            fields["metrics"] = Value::Object(rows.collect());
        }
        Ok(payload(fields, warnings))
    }
}

/// Of all workspaces together: one that runs counts more than one that crashed.
fn lsp_status(elsewhere: &Elsewhere) -> &'static str {
    let lives: Vec<Life> = elsewhere
        .held()
        .iter()
        .flat_map(|(_, session)| session.server_states())
        .map(|state| state.life)
        .collect();
    let any = |wanted: &[Life]| lives.iter().any(|life| wanted.contains(life));
    if any(&[Life::Running, Life::Starting]) {
        "running"
    } else if any(&[Life::Crashed, Life::Broken]) {
        "crashed"
    } else {
        "not_initialized"
    }
}

fn pool(elsewhere: &Elsewhere) -> Value {
    let held = elsewhere.held();
    json!({
        "active_instances": held.len(),
        "max_instances": elsewhere.most(),
        "eviction_count": elsewhere.gone(),
        "workspaces": held.iter().map(|(root, _)| root.display().to_string()).collect::<Vec<_>>(),
    })
}

/// What is in force. The command of the language server is named without its folder and its arguments, which may hold
/// anything.
fn config(config: &Config, settings: &Settings) -> Value {
    let program = settings.lsp_command.first().map(Path::new).and_then(Path::file_name);
    let allowed = settings.allowed.as_ref();
    let allowed =
        allowed.map(|paths| paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>());
    json!({
        "allowed_paths": allowed,
        "cli_timeout": settings.cli_timeout.as_secs_f64(),
        "lsp_timeout": settings.lsp_timeout,
        "lsp_command": program.map(|program| program.to_string_lossy()),
        "lsp_pool_size": config.pool,
        "log_mode": config.log_mode.as_str(),
        "log_level": match config.log_level.as_str() {
            "error" => "ERROR",
            "warn" => "WARNING",
            "info" => "INFO",
            _ => "DEBUG",
        },
        "enable_health_check": !config.hidden_tools.contains(&HealthCheck::NAME),
        "metrics_enabled": settings.metrics,
        "transport": settings.transport,
    })
}

fn operation(figures: &Figures) -> Value {
    let ms = |time: Duration| round(time.as_secs_f64() * 1000.0);
    #[allow(clippy::cast_precision_loss, reason = "counts of calls")]
    let error_rate = figures.errors as f64 / figures.count.max(1) as f64;
    json!({
        "count": figures.count,
        "avg_ms": ms(figures.mean),
        "min_ms": ms(figures.min),
        "max_ms": ms(figures.max),
        "errors": figures.errors,
        "error_rate": round(error_rate),
    })
}

fn round(number: f64) -> f64 {
    (number * 1000.0).round() / 1000.0
}
