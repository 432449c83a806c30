//! `triage_decide`: what somebody decided about a finding.

use std::collections::BTreeMap;

use orienteer_base::triage::{DecideQuery, Status, VexCode};
use orienteer_base::{Problem, answer::Warning};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::triage::{self, Word};
use crate::render::Reply;
use crate::tool::{Ctx, Effect, Tool, Toolset};

pub(super) struct TriageDecide;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// Its id.
    finding: String,
    status: Word<Status>,
    /// Why it is not affected: a justification of VEX.
    #[serde(default)]
    codes: Vec<Word<VexCode>>,
    justification: Option<String>,
    reviewer: Option<String>,
    /// 2030-12-31, or with a time; then it is open again.
    expires: Option<String>,
    /// Links, paths, ids.
    #[serde(default)]
    evidence: Vec<String>,
    #[serde(default)]
    meta: BTreeMap<String, String>,
}

impl Tool for TriageDecide {
    const NAME: &'static str = "triage_decide";
    const TITLE: &'static str = "Decide about a finding";
    const DESCRIPTION: &'static str = "Record a decision about a finding: fix, accept, defer, false_positive, or not_affected with a VEX code. It supersedes the last one; the history is kept. A person decides: propose, do not presume.";
    const TOOLSET: Toolset = Toolset::Triage;
    const EFFECT: Effect = Effect::Control;
    const OUTPUT: &'static [(&'static str, &'static str)] =
        &[("decision", "object"), ("finding", "object"), ("history", "integer"), ("path", "string")];
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Reply, Problem> {
        let query = DecideQuery {
            finding: args.finding,
            status: args.status.0,
            codes: args.codes.iter().map(|code| code.0.as_str().to_owned()).collect(),
            justification: args.justification,
            reviewer: args.reviewer,
            expires: args.expires,
            evidence: args.evidence,
            meta: args.meta,
        };
        let done = ctx.session.triage_decide(query, &ctx.cancel).await?;
        let mut reply = Reply::default();
        // What was written by whoever calls is not said back at length.
        let mut decision = done.decision.clone();
        decision.justification = decision.justification.map(|text| text.chars().take(200).collect());
        decision.evidence.truncate(5);
        decision.meta.clear();
        reply.field("decision", triage::decision(&decision));
        reply.field("finding", Value::Object(triage::summary(&done.finding)));
        reply.field("history", done.history).field("path", done.file_path.as_str());
        reply.warnings.extend(done.notes.iter().map(|note| Warning::new("decision", note.clone())));
        reply.head.push(triage::decision_line(&done.decision));
        if let Some(before) = &done.decision.supersedes {
            reply.head.push(format!("takes the place of {before}"));
        }
        reply.head.push(triage::line(&done.finding));
        Ok(reply)
    }
}
