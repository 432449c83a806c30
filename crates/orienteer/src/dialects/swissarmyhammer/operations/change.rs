//! How a change of files is shown: what would be written, or what was.

use orienteer_base::answer::Warning;
use orienteer_base::edit::{ApplyQuery, Carry, Planned, PlannedOperation};
use orienteer_base::{Answer, Problem};
use serde_json::{Value, json};

use super::Answered;
use crate::dialects::swissarmyhammer::answer::{is_told, payload};
use crate::dialects::swissarmyhammer::lsp::Args;
use crate::dialects::swissarmyhammer::place::Paths;
use crate::dialects::swissarmyhammer::project::Project;
use crate::tools::keys;

pub(super) fn carry(args: &Args) -> Carry {
    if args.apply { Carry::Apply } else { Carry::Preview }
}

/// Writes an earlier preview as it is, where the call names one.
pub(super) async fn earlier(args: &Args, project: &Project) -> Option<Answered> {
    let plan_id = args.plan_id.clone()?;
    Some(write(plan_id, project).await)
}

async fn write(plan_id: String, project: &Project) -> Answered {
    // Before it is carried out: what was shown is what is told, and afterwards the plan is gone.
    let shown = project.session().kept_plan(&plan_id)?;
    let query = ApplyQuery { plan_id, simulate: false, diagnostics: false, wait: None };
    let answer = project.session().apply(query, &project.ctx.cancel).await?;
    let written = answer.map(|done| Planned { applied: done.applied, journal_id: done.journal_id, ..shown });
    show(written, project).await
}

/// A plan, or what came of it.
pub(super) async fn show(
    answer: Answer<Planned>,
    project: &Project,
) -> Result<serde_json::Map<String, Value>, Problem> {
    let mut planned = answer.value;
    project.session().note_plan(&planned);
    let hidden = match keys::hide_in_diffs(&project.ctx, &mut planned.files).await {
        // What was done is told, whatever else goes wrong.
        Err(problem) if planned.applied => {
            planned.files.iter_mut().for_each(|file| file.diff.clear());
            Some(Warning::new("diffs_cut", format!("the diffs are not shown: {}", problem.message)))
        }
        other => other?,
    };
    let all = answer.warnings.into_iter().chain(planned.warnings).chain(hidden);
    let mut warnings: Vec<String> = all.filter(is_told).map(|warning| warning.message).collect();
    if let Some(left @ 1..) = planned.unconfirmed_total {
        warnings
            .push(format!("the old name stays as text in {left} places: comments, strings, documentation"));
    }
    let mut paths = Paths::new(project.session());
    let mut changes = Vec::new();
    for file in &planned.files {
        let mut change = json!({
            "file_path": paths.absolute(&file.file_path),
            "edits": file.edits,
            "diff": file.diff,
        });
        if let Some(new_path) = &file.new_path {
            change["new_path"] = json!(paths.absolute(new_path));
        }
        changes.push(change);
    }
    let operations: Vec<Value> =
        planned.operations.iter().map(|operation| whole_file(operation, &mut paths)).collect();
    let fields = [
        ("applied", json!(planned.applied)),
        ("title", json!(planned.title)),
        ("changes", Value::Array(changes)),
        ("operations", Value::Array(operations)),
        ("plan_id", json!(planned.plan_id)),
        ("journal_id", json!(planned.journal_id)),
    ];
    Ok(payload(fields, warnings))
}

fn whole_file(operation: &PlannedOperation, paths: &mut Paths<'_>) -> Value {
    match operation {
        PlannedOperation::Create { file_path } => {
            json!({ "kind": "create", "file_path": paths.absolute(file_path) })
        }
        PlannedOperation::Rename { file_path, new_path } => json!({
            "kind": "rename",
            "file_path": paths.absolute(file_path),
            "new_path": paths.absolute(new_path),
        }),
        PlannedOperation::Delete { file_path } => {
            json!({ "kind": "delete", "file_path": paths.absolute(file_path) })
        }
    }
}
