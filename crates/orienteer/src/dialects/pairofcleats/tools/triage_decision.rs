//! `triage_decision`: what somebody decided about a finding.

use orienteer_base::Problem;
use orienteer_base::triage::{DecideQuery, Status};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::super::repo::Repo;
use super::super::triage;
use crate::dialect::DialectTool;
use crate::tool::{Ctx, Effect};

pub(super) struct TriageDecision;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Args {
    /// Repository; default: that of the current folder.
    repo_path: Option<String>,
    /// Id of the record.
    finding: String,
    status: StatusWord,
    justification: Option<String>,
    reviewer: Option<String>,
    /// 2030-12-31, or with a time; then it is open again.
    expires: Option<String>,
    meta: Option<Map<String, Value>>,
    /// Why it is not affected, in the words of VEX.
    #[serde(default)]
    codes: Vec<String>,
    /// Links, paths, ids.
    #[serde(default)]
    evidence: Vec<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum StatusWord {
    Fix,
    Accept,
    Defer,
    FalsePositive,
    NotAffected,
}

impl StatusWord {
    fn status(self) -> Status {
        match self {
            Self::Fix => Status::Fix,
            Self::Accept => Status::Accept,
            Self::Defer => Status::Defer,
            Self::FalsePositive => Status::FalsePositive,
            Self::NotAffected => Status::NotAffected,
        }
    }
}

impl DialectTool for TriageDecision {
    const NAME: &'static str = "triage_decision";
    const TITLE: &'static str = "Decide about a finding";
    const DESCRIPTION: &'static str =
        "Record a decision about a finding. It supersedes the last one; the history is kept.";
    const EFFECT: Effect = Effect::Control;
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Map<String, Value>, Problem> {
        let repo = Repo::of(&ctx, args.repo_path.as_deref()).await?;
        let query = DecideQuery {
            finding: args.finding,
            status: args.status.status(),
            codes: args.codes,
            justification: args.justification,
            reviewer: args.reviewer,
            expires: args.expires,
            evidence: args.evidence,
            meta: triage::meta(args.meta)?,
        };
        let done = repo.ctx.session.triage_decide(query, &ctx.cancel).await?;
        let told = json!({
            "repoPath": repo.shown(),
            "recordId": done.decision.id,
            "decision": triage::record(&done.decision),
            "finding": triage::finding(&done.finding),
            "history": done.history,
            "path": done.file_path,
            "notes": done.notes,
        });
        Ok(told.as_object().cloned().unwrap_or_default())
    }
}
