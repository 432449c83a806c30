//! `download_dictionaries`: lists of words, fetched by address.

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

pub(super) struct DownloadDictionaries;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Args {
    /// Repository; default: that of the current folder.
    repo_path: Option<String>,
    /// What they are called: en, or en,de, one for each address.
    lang: Option<String>,
    /// Refused: dictionaries are kept in the cache.
    dir: Option<String>,
    /// Where they are: en=https://…/en.txt#sha256=…, several separated by commas.
    url: Option<String>,
    /// What is there with another content is always replaced; the same content is never fetched twice.
    #[serde(default)]
    #[allow(dead_code, reason = "both values mean the same")]
    update: bool,
    /// What is there is read and compared each time, and fetched again when it is damaged.
    #[serde(default)]
    #[allow(dead_code, reason = "both values mean the same")]
    force: bool,
    /// The SHA-256 of one file, where its address does not say.
    sha256: Option<String>,
}

static SORT: Sort = Sort {
    kind: Kind::Dictionary,
    what: "dictionary",
    field: "lang",
    nothing: "search needs no dictionaries: names are split by their spelling; to keep one in the cache, give \
                       `url` and `sha256`",
};

impl DialectTool for DownloadDictionaries {
    const NAME: &'static str = "download_dictionaries";
    const TITLE: &'static str = "Download dictionaries";
    const DESCRIPTION: &'static str =
        "Fetch word lists into the cache by address and SHA-256, or say which are there.";
    const EFFECT: Effect = Effect::Control;
    const OPEN_WORLD: bool = true;
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Map<String, Value>, Problem> {
        data::no_other_place("dir", args.dir.as_deref())?;
        let repo = Repo::of(&ctx, args.repo_path.as_deref()).await?;
        let langs = args.lang.iter().flat_map(|langs| langs.split(','));
        let names = langs.map(data::file_name).filter(|lang| !lang.is_empty()).collect();
        downloads::serve(SORT.asked(names, args.url, args.sha256), &repo, &ctx).await
    }
}
