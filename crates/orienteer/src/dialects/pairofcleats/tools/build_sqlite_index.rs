//! `build_sqlite_index`: the same index, which is SQLite already, and made smaller where that is wanted.

use orienteer_base::{ErrorKind, Problem};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::super::repo::Repo;
use super::super::work;
use super::build_index::{Mode, build};
use crate::dialect::DialectTool;
use crate::tool::{Ctx, Effect};

pub(super) struct BuildSqliteIndex;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Args {
    /// Repository; default: that of the current folder.
    repo_path: Option<String>,
    /// One index holds all of them, so each brings in all.
    #[serde(default)]
    #[allow(dead_code, reason = "all values mean the same")]
    mode: Mode,
    /// Only what changed; false makes everything anew.
    #[serde(default = "yes")]
    incremental: bool,
    /// Make it smaller afterwards.
    #[serde(default)]
    compact: bool,
    /// Refused: the index is built from the files.
    code_dir: Option<String>,
    /// Refused: the index is built from the files.
    prose_dir: Option<String>,
    /// Refused: the index stands in the cache.
    out: Option<String>,
}

fn yes() -> bool {
    true
}

impl DialectTool for BuildSqliteIndex {
    const NAME: &'static str = "build_sqlite_index";
    const TITLE: &'static str = "Build the SQLite index";
    const DESCRIPTION: &'static str =
        "Build or update the index, which is kept in SQLite, and compact it where that is wanted.";
    const EFFECT: Effect = Effect::Control;
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Map<String, Value>, Problem> {
        let places = [("codeDir", args.code_dir), ("proseDir", args.prose_dir), ("out", args.out)];
        if let Some((field, _)) = places.into_iter().find(|(_, place)| place.is_some()) {
            let message = format!(
                "`{field}`: the index is built from the files of the repository and stands in the cache, where \
                 `index_status` says; PAIROFCLEATS_CACHE_ROOT moves it"
            );
            return Err(Problem::new(ErrorKind::Unsupported, message).field(field).detail("fixed_place"));
        }
        let repo = Repo::of(&ctx, args.repo_path.as_deref()).await?;
        let session = &repo.ctx.session;
        let built = build(!args.incremental, session, &ctx).await?;
        let mut payload = work::payload(&repo.shown(), &built, &[]);
        if args.compact {
            let compacted = session.compact_index(false, &ctx.cancel).await?;
            let told = work::payload(&repo.shown(), &compacted, &[]);
            payload.insert("compacted".to_owned(), json!(told));
        }
        Ok(payload)
    }
}
