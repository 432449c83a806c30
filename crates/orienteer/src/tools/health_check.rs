//! `health_check`: is this process well?

use std::time::Duration;

use orienteer_base::Problem;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::render::Reply;
use crate::tool::{Ctx, Tool, Toolset};

pub(super) struct HealthCheck;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {}

impl Tool for HealthCheck {
    const NAME: &'static str = "health_check";
    const TITLE: &'static str = "Health check";
    const DESCRIPTION: &'static str =
        "Version, uptime, calls, errors and latencies per tool, queue, configuration.";
    const TOOLSET: Toolset = Toolset::Ops;
    const INSTANT: bool = true;
    const OUTPUT: &'static [(&'static str, &'static str)] = &[
        ("version", "string"),
        ("uptime_seconds", "number"),
        ("requests", "integer"),
        ("errors", "integer"),
        ("error_rate", "number"),
        ("tools", "object"),
        ("pool", "object"),
        ("index", "object"),
        ("config", "object"),
    ];
    type Args = Args;

    async fn run(_: Args, ctx: Ctx) -> Result<Reply, Problem> {
        let metrics = ctx.router.metrics();
        let (requests, errors) = metrics.totals();
        let mut reply = Reply::about_ourselves();
        let mut tools = Map::new();
        reply.head.push(format!(
            "orienteer {} up {} s: {requests} calls, {errors} errors",
            env!("CARGO_PKG_VERSION"),
            metrics.uptime().as_secs()
        ));
        for figures in metrics.figures() {
            let row = json!({
                "count": figures.count,
                "errors": figures.errors,
                "mean_ms": millis(figures.mean),
                "min_ms": millis(figures.min),
                "p50_ms": millis(figures.p50),
                "p95_ms": millis(figures.p95),
                "max_ms": millis(figures.max),
            });
            reply.head.push(format!(
                "{}: {} calls, {} errors, p50 {} ms, p95 {} ms",
                figures.tool,
                figures.count,
                figures.errors,
                millis(figures.p50),
                millis(figures.p95)
            ));
            tools.insert(figures.tool.to_owned(), row);
        }
        let config: Map<String, Value> =
            ctx.config().layers.shown().map(|(key, value, _)| (key.name.to_owned(), json!(value))).collect();
        #[allow(clippy::cast_precision_loss, reason = "a rate")]
        let rate = if requests == 0 { 0.0 } else { errors as f64 / requests as f64 };
        reply.field("version", env!("CARGO_PKG_VERSION"));
        reply.field("uptime_seconds", metrics.uptime().as_secs_f64());
        reply.field("requests", requests).field("errors", errors).field("error_rate", rate);
        reply.field("tools", Value::Object(tools));
        reply.field("pool", json!({ "live_servers": ctx.session.server_states().len(), "queued_calls": ctx.router.queue().waiting() }));
        reply.field("index", index(&ctx));
        reply.field("config", Value::Object(config));
        Ok(reply)
    }
}

/// What is known about the index without looking at the disk for long.
fn index(ctx: &Ctx) -> Value {
    let Some((state, doing)) = ctx.session.index_brief() else { return json!({ "state": "disabled" }) };
    let mut index = Map::from_iter([("state".to_owned(), json!(state.as_str()))]);
    if let Some(doing) = doing {
        index.insert("progress".to_owned(), json!(doing));
    }
    Value::Object(index)
}

/// Milliseconds with three decimals.
fn millis(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1_000_000.0).round() / 1_000.0
}
