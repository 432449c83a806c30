//! `build_index`: the index made true, now.

use orienteer_base::search::IndexWork;
use orienteer_base::{ErrorKind, Problem};
use orienteer_engine::Session;
use orienteer_engine::index::BuildQuery;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::super::repo::Repo;
use super::super::work;
use crate::dialect::DialectTool;
use crate::tool::{Ctx, Effect};

pub(super) struct BuildIndex;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Args {
    /// Repository; default: that of the current folder.
    repo_path: Option<String>,
    /// One index holds all of them, so each brings in all.
    #[serde(default)]
    mode: Mode,
    /// The index is SQLite already.
    #[serde(default)]
    #[allow(dead_code, reason = "both values mean the same")]
    sqlite: bool,
    /// Only what changed; false makes everything anew.
    #[serde(default = "yes")]
    incremental: bool,
    /// Without a model of meaning there is nothing to stub.
    #[serde(default)]
    stub_embeddings: bool,
    /// Indexes made elsewhere are not taken over; it is built from the files.
    #[serde(default)]
    use_artifacts: bool,
    /// Not read; see useArtifacts.
    artifacts_dir: Option<String>,
}

#[derive(Clone, Copy, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Mode {
    #[default]
    All,
    Code,
    Prose,
    ExtractedProse,
    Records,
}

fn yes() -> bool {
    true
}

impl DialectTool for BuildIndex {
    const NAME: &'static str = "build_index";
    const TITLE: &'static str = "Build the index";
    const DESCRIPTION: &'static str = "Build or update the index of a repository. search does it by itself.";
    const EFFECT: Effect = Effect::Control;
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Map<String, Value>, Problem> {
        let repo = Repo::of(&ctx, args.repo_path.as_deref()).await?;
        let work = build(!args.incremental, &repo.ctx.session, &ctx).await?;
        let mut notes = Vec::new();
        if args.mode != Mode::All {
            notes.push(
                "one index holds code, prose, comments and records: all of them are up to date".to_owned(),
            );
        }
        if args.use_artifacts || args.artifacts_dir.is_some() {
            notes.push(
                "artifacts from elsewhere were not read: the index was built from the files".to_owned(),
            );
        }
        if args.stub_embeddings {
            notes.push("nothing was stubbed: without a configured model no embeddings are made".to_owned());
        }
        Ok(work::payload(&repo.shown(), &work, &notes))
    }
}

/// Builds, or says what became of a build that took longer than the call may. It is not thrown away: what was begun goes on.
pub(super) async fn build(full: bool, session: &Session, ctx: &Ctx) -> Result<IndexWork, Problem> {
    let query = BuildQuery { path: None, full, wait: ctx.patience() };
    session.build_index(query, &ctx.cancel).await.map_err(|problem| {
        // The engine says this of builds that go on, and of no others.
        if problem.detail != Some("index_building") {
            return problem;
        }
        let limit = i64::try_from(ctx.limit.as_millis()).unwrap_or(i64::MAX);
        let message = format!(
            "the index was not built within {limit} ms; the build goes on, and `index_status` says how far it is ({})",
            problem.message
        );
        Problem::new(ErrorKind::Timeout, message).detail("goes_on").fact("timeout_ms", limit)
    })
}
