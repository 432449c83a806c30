//! `gc_cache`: indexes that nobody uses, removed.

use std::time::Duration;

use orienteer_base::Problem;
use orienteer_engine::index::GcQuery;
use schemars::JsonSchema;
use serde::Deserialize;

use super::work;
use crate::render::Reply;
use crate::tool::{Ctx, Effect, Tool, Toolset};

pub(super) struct GcCache;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// Only say what would go.
    #[serde(default = "yes")]
    dry_run: bool,
    /// The least recently used go until no more is left.
    max_bytes: Option<u64>,
    /// What nobody used for longer goes.
    #[schemars(range(max = 36_500))]
    max_age_days: Option<u64>,
}

fn yes() -> bool {
    true
}

impl Tool for GcCache {
    const NAME: &'static str = "gc_cache";
    const TITLE: &'static str = "Clean the cache";
    const DESCRIPTION: &'static str = "Remove indexes of other workspaces from the cache, by size and age (default: unused for 90 days). A dry run first; triage records are never touched.";
    const TOOLSET: Toolset = Toolset::Index;
    const EFFECT: Effect = Effect::Control;
    const DESTRUCTIVE: bool = true;
    const OUTPUT: &'static [(&'static str, &'static str)] = work::OUTPUT;
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Reply, Problem> {
        let day = Duration::from_secs(24 * 60 * 60);
        let days = args.max_age_days.map(|days| u32::try_from(days).unwrap_or(u32::MAX));
        let query = GcQuery {
            dry_run: args.dry_run,
            max_bytes: args.max_bytes,
            max_age: days.map(|days| day.saturating_mul(days)),
        };
        let done = ctx.session.gc_cache(query, &ctx.cancel).await?;
        Ok(work::reply(&done))
    }
}
