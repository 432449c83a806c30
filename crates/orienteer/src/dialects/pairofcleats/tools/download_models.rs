//! `download_models`: a model of meaning, fetched by address.

use orienteer_base::Problem;
use orienteer_engine::data::Kind;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::super::data;
use super::super::downloads::{self, Sort};
use super::super::repo::Repo;
use crate::dialect::DialectTool;
use crate::tool::{Ctx, Effect};

pub(super) struct DownloadModels;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Args {
    /// Repository; default: that of the current folder.
    repo_path: Option<String>,
    /// What it is called from now on; the name before the address may say it instead.
    model: Option<String>,
    /// Refused: models are kept in the cache.
    cache_dir: Option<String>,
    /// Where it is: https://…/model.tar.gz, with #sha256=… behind it.
    url: Option<String>,
    /// The SHA-256 that it must have, where the address does not say.
    sha256: Option<String>,
}

static SORT: Sort = Sort {
    kind: Kind::Model,
    what: "model",
    field: "model",
    nothing: "search needs no model; to compare meanings too, give `url` and `sha256` of a static embedding \
                       model and name its folder in `index.model`",
};

impl DialectTool for DownloadModels {
    const NAME: &'static str = "download_models";
    const TITLE: &'static str = "Download models";
    const DESCRIPTION: &'static str =
        "Fetch an embedding model into the cache by address and SHA-256, or say which are there.";
    const EFFECT: Effect = Effect::Control;
    const OPEN_WORLD: bool = true;
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Map<String, Value>, Problem> {
        data::no_other_place("cacheDir", args.cache_dir.as_deref())?;
        let repo = Repo::of(&ctx, args.repo_path.as_deref()).await?;
        let names = args.model.as_deref().map(data::file_name).into_iter().collect();
        downloads::serve(SORT.asked(names, args.url, args.sha256), &repo, &ctx).await
    }
}
