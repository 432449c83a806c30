//! `triage_context_pack`: a finding with what the repository says about it.

use orienteer_base::Problem;
use orienteer_base::triage::{PackOutput, PackQuery};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::super::repo::Repo;
use super::super::triage;
use crate::dialect::DialectTool;
use crate::tool::{Ctx, Effect};

pub(super) struct TriageContextPack;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Args {
    /// Repository; default: that of the current folder.
    repo_path: Option<String>,
    /// Id of the finding.
    record_id: String,
    /// Write it there, too: a file or a folder of the repository.
    out_path: Option<String>,
    /// Evidence is looked for by name and meaning of code, so there is nothing to turn on.
    #[serde(default)]
    ann: bool,
}

impl DialectTool for TriageContextPack {
    const NAME: &'static str = "triage_context_pack";
    const TITLE: &'static str = "Evidence about a finding";
    const DESCRIPTION: &'static str = "One finding, its decisions, and evidence from the repository: manifest and lock \
                                       lines, imports, uses of affected symbols, tests.";
    const EFFECT: Effect = Effect::Asked;
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Map<String, Value>, Problem> {
        let repo = Repo::of(&ctx, args.repo_path.as_deref()).await?;
        let output = match args.out_path {
            Some(path) if path.trim().is_empty() || path.contains('\0') => {
                return Err(Problem::invalid("outPath", "invalid_path", "`outPath` is no path"));
            }
            Some(path) => PackOutput::Path(path),
            None => PackOutput::Nowhere,
        };
        // A server that is not ready is waited for as long as the configuration says.
        let query = PackQuery { finding: args.record_id, output, wait: None };
        let packed = repo.ctx.session.triage_context_pack(query, &ctx.cancel).await;
        let answer = packed.map_err(triage::spoken)?;
        let pack = &answer.value;
        let mut notes = Vec::new();
        if args.ann {
            notes.push("`ann`: evidence is looked for by names, imports and uses, not by similar meaning");
        }
        let told = json!({
            "repoPath": repo.shown(),
            "recordId": pack.finding.finding.id,
            "verdict": pack.verdict,
            "restsOn": pack.rests_on,
            "complete": answer.completeness.is_complete(),
            "finding": triage::finding(&pack.finding),
            "decisions": pack.history.iter().map(triage::record).collect::<Vec<_>>(),
            "evidence": pack.evidence.iter().map(triage::record).collect::<Vec<_>>(),
            "searches": pack.searches.iter().map(triage::record).collect::<Vec<_>>(),
            "missing": pack.missing,
            "written": pack.written,
            "madeAt": pack.made_at,
            "notes": notes,
            "warnings": answer.warnings,
        });
        Ok(told.as_object().cloned().unwrap_or_default())
    }
}
