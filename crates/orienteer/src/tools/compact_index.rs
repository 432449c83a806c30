//! `compact_index`: what changes have left behind, put together.

use orienteer_base::Problem;
use schemars::JsonSchema;
use serde::Deserialize;

use super::work;
use crate::render::Reply;
use crate::tool::{Ctx, Effect, Tool, Toolset};

pub(super) struct CompactIndex;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// Only say what it would save.
    #[serde(default)]
    dry_run: bool,
}

impl Tool for CompactIndex {
    const NAME: &'static str = "compact_index";
    const TITLE: &'static str = "Compact the index";
    const DESCRIPTION: &'static str = "Make the index smaller and faster after many changes.";
    const TOOLSET: Toolset = Toolset::Index;
    const EFFECT: Effect = Effect::Control;
    const OUTPUT: &'static [(&'static str, &'static str)] = work::OUTPUT;
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Reply, Problem> {
        let done = ctx.session.compact_index(args.dry_run, &ctx.cancel).await?;
        Ok(work::reply(&done))
    }
}
