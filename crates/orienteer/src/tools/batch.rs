//! `batch`: several reading calls in one round trip.

use futures::future::join_all;
use orienteer_base::{Budget, ErrorKind, Problem};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::error::Failure;
use crate::render::{Body, Outcome, Reply, Row};
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
        // The envelope and the echo of the arguments take their part; the rest is shared equally.
        let cap = ctx.budget.max_total_chars;
        let share = (cap - cap / 8).saturating_sub(1_000) / total;
        if share < Budget::MIN_TOTAL_CHARS {
            let needed = (Budget::MIN_TOTAL_CHARS * total + 1_000) * 8 / 7 + 8;
            let message = format!(
                "{total} calls do not fit into {cap} characters; `max_total_chars` must be at least {needed}"
            );
            return Err(Problem::new(ErrorKind::TooLarge, message)
                .field("max_total_chars")
                .detail("budget_too_small"));
        }
        let share = Budget::new(share);
        let running = args.calls.into_iter().enumerate().map(|(index, call)| {
            let ctx = &ctx;
            async move {
                let outcome = ctx.router.nested(&ctx.session, &call.tool, call.arguments, share).await;
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

fn row(index: usize, tool: &str, outcome: Result<Outcome, Problem>) -> Row {
    let shown: String = tool.chars().take(80).collect();
    let heading = format!("── {}. {shown}", index + 1);
    let mut value = json!({ "index": index, "tool": shown, "ok": true });
    let text = match outcome {
        Ok(mut outcome) if outcome.is_error => {
            let mut error = outcome.structured.remove("error").unwrap_or_default();
            error["next_steps"] = outcome.structured.remove("next_steps").unwrap_or_default();
            value["ok"] = json!(false);
            value["error"] = error;
            outcome.text
        }
        Ok(outcome) => {
            value["result"] = Value::Object(outcome.structured);
            outcome.text
        }
        Err(problem) => {
            let text = problem.message.clone();
            let mut error = Failure { problem, next_steps: Vec::new() }.to_json();
            error["next_steps"] = json!([]);
            value["ok"] = json!(false);
            value["error"] = error;
            text
        }
    };
    Row::new(value, format!("{heading}\n{text}"))
}
