//! `clean_artifacts`: the index of a repository removed, or those of all. What people decided is not kept in the cache and
//! stays.

use std::time::Duration;

use orienteer_base::Problem;
use orienteer_engine::index::GcQuery;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::super::repo::Repo;
use super::super::work;
use crate::dialect::DialectTool;
use crate::tool::{Ctx, Effect};

pub(super) struct CleanArtifacts;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Args {
    /// Repository; default: that of the current folder.
    repo_path: Option<String>,
    /// Also those of all other repositories.
    #[serde(default)]
    all: bool,
}

impl DialectTool for CleanArtifacts {
    const NAME: &'static str = "clean_artifacts";
    const TITLE: &'static str = "Remove the index";
    const DESCRIPTION: &'static str = "Remove the index of a repository, or of all, from the cache. The next search \
                                       builds it again; triage records and decisions stay.";
    const EFFECT: Effect = Effect::Control;
    const DESTRUCTIVE: bool = true;
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Map<String, Value>, Problem> {
        let repo = Repo::of(&ctx, args.repo_path.as_deref()).await?;
        let session = &repo.ctx.session;
        let notes = ["triage records and decisions are kept".to_owned()];
        let own = session.clean_index(false, &ctx.cancel).await?;
        let mut payload = work::payload(&repo.shown(), &own, &notes);
        if args.all {
            let query = GcQuery { dry_run: false, max_bytes: Some(0), max_age: Some(Duration::ZERO) };
            let others = session.gc_cache(query, &ctx.cancel).await?;
            payload.insert("others".to_owned(), json!(work::payload(&repo.shown(), &others, &[])));
        }
        Ok(payload)
    }
}
