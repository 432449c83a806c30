//! `batch`: several reading calls in one round trip.

use futures::future::join_all;
use orienteer_base::{Budget, Problem};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::render::{Body, Reply, Row};
use crate::tool::{Ctx, Tool, Toolset};

pub(super) struct Batch;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    #[schemars(length(min = 1, max = 10))]
    calls: Vec<One>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct One {
    tool: String,
    #[serde(default)]
    arguments: Map<String, Value>,
}

impl Tool for Batch {
    const NAME: &'static str = "batch";
    const TITLE: &'static str = "Several calls at once";
    const DESCRIPTION: &'static str = "Run 1-10 reading tools side by side in one round trip; each row succeeds or fails alone and gets an equal share of max_total_chars.";
    const TOOLSET: Toolset = Toolset::Ops;
    const DEFAULT: bool = true;
    const OUTPUT: &'static [(&'static str, &'static str)] = &[("results", "array")];
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Reply, Problem> {
        let total = args.calls.len();
        // Some room is for the envelope; each row repeats its own.
        let share = Budget::new(
            (ctx.budget.max_total_chars.saturating_sub(1_500) / total).max(Budget::MIN_TOTAL_CHARS),
        );
        let running = args.calls.into_iter().enumerate().map(|(index, call)| {
            let ctx = &ctx;
            async move {
                let outcome =
                    ctx.router.nested(&ctx.session, &call.tool, call.arguments, &ctx.cancel, share).await;
                row(index, &call.tool, outcome)
            }
        });
        let rows = join_all(running).await;
        let failed = rows.iter().filter(|row| row.value.get("ok") == Some(&json!(false))).count();
        // The rows were redacted when they were made.
        let mut reply = Reply::about_ourselves();
        reply.head.push(format!("{total} calls, {failed} failed"));
        reply.total = Some(total as u64);
        reply.body = Body::Rows { field: "results", rows };
        Ok(reply)
    }
}

fn row(index: usize, tool: &str, outcome: Result<crate::render::Outcome, Problem>) -> Row {
    let shown: String = tool.chars().take(80).collect();
    let heading = format!("── {}. {shown}", index + 1);
    match outcome {
        Ok(outcome) => {
            let key = if outcome.is_error { "error" } else { "result" };
            let mut value = json!({ "index": index, "tool": shown, "ok": !outcome.is_error });
            value[key] = Value::Object(outcome.structured);
            Row::new(value, format!("{heading}\n{}", outcome.text))
        }
        Err(problem) => {
            let error = json!({ "kind": problem.kind, "message": problem.message, "data": { "kind": problem.detail, "candidates": problem.candidates } });
            let line = format!("{heading}\n{}", problem.message);
            Row::new(json!({ "index": index, "tool": shown, "ok": false, "error": error }), line)
        }
    }
}
