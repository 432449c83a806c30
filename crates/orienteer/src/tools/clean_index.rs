//! `clean_index`: the index of this workspace removed.

use orienteer_base::Problem;
use schemars::JsonSchema;
use serde::Deserialize;

use super::work;
use crate::render::Reply;
use crate::tool::{Ctx, Effect, Tool, Toolset};

pub(super) struct CleanIndex;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// Only say what would go.
    #[serde(default)]
    dry_run: bool,
}

impl Tool for CleanIndex {
    const NAME: &'static str = "clean_index";
    const TITLE: &'static str = "Remove the index";
    const DESCRIPTION: &'static str =
        "Remove the index of this workspace from the cache; the next search builds it again.";
    const TOOLSET: Toolset = Toolset::Index;
    const EFFECT: Effect = Effect::Control;
    const DESTRUCTIVE: bool = true;
    const OUTPUT: &'static [(&'static str, &'static str)] = work::OUTPUT;
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Reply, Problem> {
        let done = ctx.session.clean_index(args.dry_run, &ctx.cancel).await?;
        Ok(work::reply(&done))
    }
}
