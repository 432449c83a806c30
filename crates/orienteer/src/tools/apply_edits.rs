//! `apply_edits`: writes exactly what a plan showed, or tells what checkers would say.

use orienteer_base::Problem;
use orienteer_base::edit::ApplyQuery;
use schemars::JsonSchema;
use serde::Deserialize;

use super::plan;
use crate::render::Reply;
use crate::tool::{Ctx, Effect, Tool, Toolset};

pub(super) struct ApplyEdits;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    plan_id: String,
    /// Check without writing.
    #[serde(default)]
    simulate: bool,
    /// Return findings that came or went.
    #[serde(default)]
    diagnostics: bool,
    #[schemars(range(max = 600_000))]
    wait_ms: Option<u64>,
}

impl Tool for ApplyEdits {
    const NAME: &'static str = "apply_edits";
    const TITLE: &'static str = "Apply a plan";
    const DESCRIPTION: &'static str =
        "Write a plan exactly as it was shown: all of it, or nothing when a file has changed since.";
    const TOOLSET: Toolset = Toolset::Edit;
    const DEFAULT: bool = true;
    const EFFECT: Effect = Effect::Write;
    const OUTPUT: &'static [(&'static str, &'static str)] = plan::APPLIED;
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Reply, Problem> {
        let query = ApplyQuery {
            plan_id: args.plan_id,
            simulate: args.simulate,
            diagnostics: args.diagnostics,
            wait: ctx.wait(args.wait_ms),
        };
        let answer = ctx.session.apply(query, &ctx.cancel).await?;
        Ok(plan::applied(&answer))
    }
}
