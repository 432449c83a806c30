//! `index_status`: what is indexed, and how true it is.

use orienteer_base::Problem;
use orienteer_base::search::Share;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::super::repo::Repo;
use crate::dialect::DialectTool;
use crate::render::text::time;
use crate::tool::Ctx;

pub(super) struct IndexStatus;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Args {
    /// Repository; default: that of the current folder.
    repo_path: Option<String>,
}

impl DialectTool for IndexStatus {
    const NAME: &'static str = "index_status";
    const TITLE: &'static str = "Index status";
    const DESCRIPTION: &'static str = "What is indexed of a repository, where, and how true it is.";
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Map<String, Value>, Problem> {
        let repo = Repo::of(&ctx, args.repo_path.as_deref()).await?;
        let status = repo.ctx.session.index_status(false, &ctx.cancel).await?;
        let told = json!({
            "repoPath": repo.shown(),
            "state": status.state.as_str(),
            "health": status.health,
            "progress": status.doing,
            "files": status.files,
            "symbols": status.symbols,
            "chunks": status.chunks,
            "languages": shares(&status.languages),
            "modes": shares(&status.modes),
            "bytes": status.bytes,
            "textBytes": status.text_bytes,
            "indexPath": status.folder,
            "generation": status.generation,
            "builtAt": status.built_at.map(time),
            "commit": status.commit,
            "branch": status.branch,
            "staleFiles": status.stale_files,
            "changedSinceCommit": status.changed_since_commit,
            "skippedCount": status.skipped,
            "model": status.model,
            "unwatchedFiles": status.unwatched_files,
        });
        Ok(told.as_object().cloned().unwrap_or_default())
    }
}

fn shares(shares: &[Share]) -> Value {
    Value::Object(shares.iter().map(|share| (share.name.clone(), json!(share))).collect())
}
