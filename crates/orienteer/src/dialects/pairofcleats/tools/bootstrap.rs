//! `bootstrap`: what is here, what is missing, and the index built.

use std::time::Duration;

use orienteer_base::Problem;
use orienteer_engine::bootstrap::{BootstrapQuery, ServerHere};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::super::repo::Repo;
use super::super::{data, work};
use super::build_index::build;
use crate::dialect::DialectTool;
use crate::tool::{Ctx, Effect};

pub(super) struct Bootstrap;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Args {
    /// Repository; default: that of the current folder.
    repo_path: Option<String>,
    /// Nothing is ever installed: no script of a repository is run.
    #[serde(default)]
    #[allow(dead_code, reason = "both values mean the same")]
    skip_install: bool,
    /// Do not check what was fetched.
    #[serde(default)]
    skip_dicts: bool,
    /// Do not build the index.
    #[serde(default)]
    skip_index: bool,
    /// The index is SQLite already.
    #[serde(default)]
    #[allow(dead_code, reason = "both values mean the same")]
    with_sqlite: bool,
    /// The index is always brought up to date by what changed.
    #[serde(default)]
    #[allow(dead_code, reason = "both values mean the same")]
    incremental: bool,
}

impl DialectTool for Bootstrap {
    const NAME: &'static str = "bootstrap";
    const TITLE: &'static str = "Bootstrap";
    const DESCRIPTION: &'static str = "Look around in a repository, build its index, and say what is missing and which \
                                       command brings it. Nothing is installed, and no script of the repository is run.";
    const EFFECT: Effect = Effect::Control;
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Map<String, Value>, Problem> {
        let repo = Repo::of(&ctx, args.repo_path.as_deref()).await?;
        let session = &repo.ctx.session;
        // That the index could not be built is what the call was for, and said before its time is over.
        let index = if args.skip_index {
            json!({ "status": "skipped" })
        } else {
            let work = build(false, session, &ctx).await?;
            json!(work::payload(&repo.shown(), &work, &[]))
        };
        let query = BootstrapQuery { build_index: false, wait: Duration::ZERO };
        let done = session.bootstrap(query, &ctx.cancel).await?;
        let fetched = if args.skip_dicts {
            json!({ "status": "skipped" })
        } else {
            let items: Result<Vec<Value>, Problem> =
                done.data.iter().map(|one| data::verified(session, one)).collect();
            let items = items?;
            let status = match items.iter().all(|item| item["status"] == "present") {
                _ if items.is_empty() => "nothing_to_do",
                true => "verified",
                false => "damaged",
            };
            json!({ "status": status, "items": items })
        };
        let warnings: Vec<Value> = done
            .warnings
            .iter()
            .map(|warning| json!({ "kind": warning.kind.as_str(), "message": warning.message }))
            .collect();
        let told = json!({
            "repoPath": repo.shown(),
            "install": {
                "status": "nothing_to_do",
                "message": "nothing needs to be installed to search, and no script of a repository is run",
            },
            "dictionaries": fetched,
            "index": index,
            "fileExtensions": done.extensions,
            "servers": done.servers.iter().map(server).collect::<Vec<_>>(),
            "warnings": warnings,
        });
        Ok(told.as_object().cloned().unwrap_or_default())
    }
}

fn server(server: &ServerHere) -> Value {
    let (path, hint) = match &server.program {
        Ok(path) => (Some(path), None),
        Err(hint) => (None, hint.as_ref()),
    };
    json!({
        "id": server.id,
        "language": server.language,
        "files": server.files,
        "installed": path.is_some(),
        "path": path,
        "installHint": hint,
    })
}
