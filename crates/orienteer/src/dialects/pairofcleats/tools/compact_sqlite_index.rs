//! `compact_sqlite_index`: what changes have left behind, put together.

use orienteer_base::Problem;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::super::repo::Repo;
use super::super::work;
use super::build_index::Mode;
use crate::dialect::DialectTool;
use crate::tool::{Ctx, Effect};

pub(super) struct CompactSqliteIndex;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Args {
    /// Repository; default: that of the current folder.
    repo_path: Option<String>,
    /// One index holds all of them.
    #[serde(default)]
    #[allow(dead_code, reason = "all values mean the same")]
    mode: Mode,
    /// Only say what it would save.
    #[serde(default)]
    dry_run: bool,
    /// The old one is never written over: it counts until the new one is whole, and goes then.
    #[serde(default)]
    keep_backup: bool,
}

impl DialectTool for CompactSqliteIndex {
    const NAME: &'static str = "compact_sqlite_index";
    const TITLE: &'static str = "Compact the SQLite index";
    const DESCRIPTION: &'static str = "Make the index smaller and faster after many changes.";
    const EFFECT: Effect = Effect::Control;
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Map<String, Value>, Problem> {
        let repo = Repo::of(&ctx, args.repo_path.as_deref()).await?;
        let work = repo.ctx.session.compact_index(args.dry_run, &ctx.cancel).await?;
        let mut notes = Vec::new();
        if args.keep_backup {
            notes.push(
                "no backup was kept: the new index replaces the old one in one step, and both are made from the files"
                    .to_owned(),
            );
        }
        Ok(work::payload(&repo.shown(), &work, &notes))
    }
}
