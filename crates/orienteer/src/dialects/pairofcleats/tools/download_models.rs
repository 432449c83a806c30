//! `download_models`: a model of meaning, fetched by address.

use orienteer_base::{ErrorKind, Problem};
use orienteer_engine::data::Kind;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::super::data;
use super::super::repo::Repo;
use crate::dialect::DialectTool;
use crate::tool::{Ctx, Effect};

pub(super) struct DownloadModels;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Args {
    /// Repository; default: that of the current folder.
    repo_path: Option<String>,
    /// What it is called from now on.
    model: Option<String>,
    /// Refused: models are kept in the cache.
    cache_dir: Option<String>,
    /// Where it is: https://…/model.tar.gz, with #sha256=… behind it.
    url: Option<String>,
    /// The SHA-256 that it must have, where the address does not say.
    sha256: Option<String>,
}

/// Search works without one.
const NOTHING: &str = "search needs no model; to compare meanings too, give `url` and `sha256` of a static embedding \
                       model and name its folder in `index.model`";

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
        let session = &repo.ctx.session;
        let named = args.model.as_deref().map(data::file_name);
        let mut wishes = data::wishes(args.url.as_deref().unwrap_or_default(), args.sha256.as_deref())?;
        if wishes.is_empty() {
            let mut held = data::held(session, Kind::Model, &ctx.cancel).await?;
            if let Some(named) = &named {
                held.retain(|one| one["name"] == named.as_str());
                if held.is_empty() {
                    let message = format!(
                        "the model `{named}` is not here, and models are fetched by address: give `url` and `sha256`"
                    );
                    return Err(Problem::new(ErrorKind::NotFound, message)
                        .field("model")
                        .detail("no_such_model"));
                }
            }
            return Ok(data::payload(&repo, "models", held, Some(NOTHING)));
        }
        let mut fetched = Vec::new();
        let several = wishes.len() > 1;
        for wish in wishes.drain(..) {
            let own = wish.name.as_deref().map(data::file_name);
            let name = if several { own } else { own.or_else(|| named.clone()) };
            let Some(name) = name else {
                let message = "a model needs a name: give `model`, or write `name=https://…`";
                return Err(Problem::invalid("model", "missing_field", message));
            };
            fetched.push(data::fetch(session, Kind::Model, name, wish, &ctx.cancel).await?);
        }
        Ok(data::payload(&repo, "models", fetched, None))
    }
}
