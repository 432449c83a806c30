//! `report_artifacts`: what is kept on disk, and where.

use std::path::Path;

use orienteer_base::Problem;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::super::repo::Repo;
use super::super::work;
use crate::dialect::DialectTool;
use crate::tool::Ctx;

pub(super) struct ReportArtifacts;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Args {
    /// Repository; default: that of the current folder.
    repo_path: Option<String>,
    /// Also the indexes of all other repositories.
    #[serde(default)]
    all: bool,
}

impl DialectTool for ReportArtifacts {
    const NAME: &'static str = "report_artifacts";
    const TITLE: &'static str = "Report artifacts";
    const DESCRIPTION: &'static str = "Files that indexes, models and other fetched data take on disk.";
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Map<String, Value>, Problem> {
        let repo = Repo::of(&ctx, args.repo_path.as_deref()).await?;
        let session = &repo.ctx.session;
        let mut work = session.report_artifacts(&ctx.cancel).await?;
        let own = session.index_status(false, &ctx.cancel).await?.folder;
        if !args.all {
            let data = &repo.config().data_folder;
            let is_own = |path: &str| {
                let path = Path::new(path);
                path.starts_with(&own) || path.starts_with(data)
            };
            work.artifacts.retain(|artifact| is_own(&artifact.path));
            work.counts = vec![("files", work.artifacts.len() as u64)];
            work.bytes_after = Some(work.artifacts.iter().map(|artifact| artifact.bytes).sum());
        }
        let mut payload = work::payload(&repo.shown(), &work, &[]);
        payload.insert("all".to_owned(), json!(args.all));
        payload.insert("indexPath".to_owned(), json!(own));
        Ok(payload)
    }
}
