//! `cache_gc`: indexes that nobody uses, removed.

use std::time::Duration;

use orienteer_base::Problem;
use orienteer_engine::index::GcQuery;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::super::repo::Repo;
use super::super::work;
use crate::dialect::DialectTool;
use crate::tool::{Ctx, Effect};

pub(super) struct CacheGc;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Args {
    /// Repository; its own index is never removed by this.
    repo_path: Option<String>,
    /// Only say what would go.
    #[serde(default)]
    dry_run: bool,
    /// The least recently used go until no more is left.
    #[schemars(range(max = 9_007_199_254_740_991_i64))]
    max_bytes: Option<u64>,
    /// The same in gigabytes; the smaller of the two counts.
    #[schemars(range(min = 0, max = 1_000_000))]
    max_gb: Option<f64>,
    /// What nobody used for longer goes; 90 where nothing is said.
    #[schemars(range(max = 36_500))]
    max_age_days: Option<u32>,
}

impl DialectTool for CacheGc {
    const NAME: &'static str = "cache_gc";
    const TITLE: &'static str = "Clean the cache";
    const DESCRIPTION: &'static str = "Remove indexes of other repositories from the cache, by size and age. Triage records are never touched.";
    const EFFECT: Effect = Effect::Control;
    const DESTRUCTIVE: bool = true;
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Map<String, Value>, Problem> {
        let repo = Repo::of(&ctx, args.repo_path.as_deref()).await?;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast saturates")]
        let gigabytes = args.max_gb.map(|most| (most * f64::from(1 << 30)) as u64);
        let day = Duration::from_secs(24 * 60 * 60);
        let query = GcQuery {
            dry_run: args.dry_run,
            max_bytes: [args.max_bytes, gigabytes].into_iter().flatten().min(),
            max_age: args.max_age_days.map(|days| day.saturating_mul(days)),
        };
        let work = repo.ctx.session.gc_cache(query, &ctx.cancel).await?;
        Ok(work::payload(&repo.shown(), &work, &[]))
    }
}
