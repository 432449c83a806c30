//! `triage_ingest`: what a scanner found becomes records.

use orienteer_base::answer::Warning;
use orienteer_base::triage::{Format, IngestQuery};
use orienteer_base::{Problem, RootedPath};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::super::repo::Repo;
use super::super::{triage, work};
use super::build_index::build;
use crate::dialect::DialectTool;
use crate::tool::{Ctx, Effect};

pub(super) struct TriageIngest;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Args {
    /// Repository; default: that of the current folder.
    repo_path: Option<String>,
    source: Source,
    /// A file of the repository: JSON or JSON Lines.
    input_path: String,
    /// For all findings: service, environment, team, owner, others.
    meta: Option<Map<String, Value>>,
    /// Bring the index up to date as well; records are found without it.
    #[serde(default)]
    build_index: bool,
    /// For buildIndex: only what changed.
    #[serde(default = "yes")]
    incremental: bool,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Source {
    Dependabot,
    AwsInspector,
    Generic,
    Manual,
    Sarif,
    Osv,
    NpmAudit,
    CargoAudit,
    PipAudit,
}

impl Source {
    fn format(self) -> Format {
        match self {
            Self::Dependabot => Format::Dependabot,
            Self::AwsInspector => Format::AwsInspector,
            // What people write by hand has the generic shape.
            Self::Generic | Self::Manual => Format::Generic,
            Self::Sarif => Format::Sarif,
            Self::Osv => Format::Osv,
            Self::NpmAudit => Format::NpmAudit,
            Self::CargoAudit => Format::CargoAudit,
            Self::PipAudit => Format::PipAudit,
        }
    }
}

fn yes() -> bool {
    true
}

impl DialectTool for TriageIngest {
    const NAME: &'static str = "triage_ingest";
    const TITLE: &'static str = "Take in findings";
    const DESCRIPTION: &'static str = "Read a report of a scanner into triage records. Good items are kept, bad ones \
                                       named with their index; decisions stay.";
    const EFFECT: Effect = Effect::Control;
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Map<String, Value>, Problem> {
        let repo = Repo::of(&ctx, args.repo_path.as_deref()).await?;
        let session = &repo.ctx.session;
        let file = session.resolve(&args.input_path).and_then(RootedPath::require_file);
        let ingest = IngestQuery {
            file: file.map_err(|error| Problem::from(error).field("inputPath"))?,
            source: Some(args.source.format()),
            meta: triage::meta(args.meta)?,
            keep_raw: false,
            dry_run: false,
        };
        let done = session.triage_ingest(ingest, &ctx.cancel).await.map_err(triage::spoken)?;
        let mut warnings = Vec::new();
        let index = if args.build_index {
            match build(!args.incremental, session, &ctx).await {
                Ok(built) => json!(work::payload(&repo.shown(), &built, &[])),
                // The findings are taken in, whatever becomes of the index; records are found without it.
                Err(problem) => {
                    warnings.push(Warning::new("index_not_built", problem.message.clone()));
                    let goes_on = problem.detail == Some("goes_on");
                    let status = if goes_on { "building" } else { "failed" };
                    json!({ "status": status, "message": problem.message })
                }
            }
        } else {
            Value::Null
        };
        let details: Vec<Value> =
            done.details.iter().map(|one| json!({ "index": one.index, "reason": one.reason })).collect();
        let told = json!({
            "repoPath": repo.shown(),
            "total": done.total,
            "written": done.written,
            "updated": done.updated,
            "unchanged": done.unchanged,
            "duplicates": done.duplicates,
            "errors": done.errors,
            "details": details,
            "recordIds": done.ids,
            "recordsPath": done.folder,
            "notes": done.notes,
            "index": index,
            "warnings": warnings,
        });
        Ok(told.as_object().cloned().unwrap_or_default())
    }
}
