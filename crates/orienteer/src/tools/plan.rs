//! How a plan, and what came of one, is sent and shown.

use std::time::{Duration, SystemTime};

use orienteer_base::answer::Warning;
use orienteer_base::edit::{AppliedEdits, Carry, DiagnosticsDelta, Planned, PlannedFile, PlannedOperation};
use orienteer_base::{Answer, Problem};
use serde_json::{Map, Value, json};

use super::{get_diagnostics, keys, place};
use crate::render::text::{count, time, visible};
use crate::render::{Body, List, Reply, Row};
use crate::tool::Ctx;

/// The fields of every answer that is a plan.
pub(super) const OUTPUT: &[(&str, &str)] = &[("plan", "object"), ("applied", "boolean")];

/// The fields of an answer that tells what was done.
pub(super) const APPLIED: &[(&str, &str)] =
    &[("applied", "boolean"), ("journal_id", "string"), ("files", "array"), ("diagnostics_delta", "object")];

/// What `dry_run` means.
pub(super) fn carry(dry_run: bool) -> Carry {
    if dry_run { Carry::Preview } else { Carry::Apply }
}

/// The reply for a plan.
pub(super) async fn reply(ctx: &Ctx, mut answer: Answer<Planned>) -> Result<Reply, Problem> {
    let hidden = match keys::hide_in_diffs(ctx, &mut answer.value.files).await {
        // What was done is told, whatever else goes wrong.
        Err(problem) if answer.value.applied => {
            answer.value.files.iter_mut().for_each(|file| file.diff.clear());
            Some(Warning::new("diffs_cut", format!("the diffs are not shown: {}", problem.message)))
        }
        other => other?,
    };
    let places = answer.value.unconfirmed.iter_mut().collect();
    let also = keys::hide_in_places(ctx, places).await.unwrap_or_else(|problem| {
        answer.value.unconfirmed.clear();
        Some(Warning::new("list_cut", format!("the places are not shown: {}", problem.message)))
    });
    let mut reply = Reply::of(&answer);
    reply.warnings.extend(hidden.into_iter().chain(also));
    reply.warnings.append(&mut answer.value.warnings);
    fill(&mut reply, &answer.value);
    Ok(reply)
}

fn fill(reply: &mut Reply, planned: &Planned) {
    reply.head.push(headline(planned));
    reply.head.extend(planned.operations.iter().map(operation));
    let expires = planned.expires_at_ms.map(|at| time(SystemTime::UNIX_EPOCH + Duration::from_millis(at)));
    let mut plan = Map::new();
    plan.insert("plan_id".to_owned(), json!(planned.plan_id));
    plan.insert("expires_at".to_owned(), json!(expires));
    plan.insert("title".to_owned(), json!(planned.title));
    plan.insert("file_count".to_owned(), json!(planned.files.len()));
    // Absent when nobody looked: none would be a finding.
    if let Some(total) = planned.unconfirmed_total {
        plan.insert("unconfirmed_count".to_owned(), json!(total));
    }
    reply.field("plan", Value::Object(plan)).field("applied", planned.applied);
    if let Some(id) = &planned.journal_id {
        reply.field("journal_id", id.clone());
    }
    reply.total = Some(planned.files.len() as u64);
    let rows = planned.files.iter().map(row).collect();
    reply.body = Body::Texts { field: "plan.files", text: "diff", rows, shown: hunks };
    let operations = planned.operations.iter().map(|operation| (json!(operation), String::new())).collect();
    reply.lists.push(List { field: "plan.operations", title: String::new(), items: operations, part: 8 });
    let places = planned.unconfirmed.iter();
    let title = match planned.unconfirmed_total {
        Some(total) => {
            format!("Unconfirmed: {} where the old name stays as text", count(total as u64, "place"))
        }
        None => String::new(),
    };
    let items = places.map(|place| (Value::Object(place::location(place)), place::line(place))).collect();
    reply.lists.push(List { field: "plan.unconfirmed", title, items, part: 6 });
}

fn headline(planned: &Planned) -> String {
    let title = visible(&planned.title).into_owned();
    let edits: usize = planned.files.iter().map(|file| file.edits).sum();
    let size = format!("{} in {}", count(edits as u64, "edit"), count(planned.files.len() as u64, "file"));
    match (&planned.plan_id, &planned.journal_id) {
        (Some(id), _) => format!("{title}: {size}. Nothing is written yet: apply_edits {id}"),
        (None, Some(id)) => format!("{title}: {size}. Done; undo_edits {id} takes it back"),
        (None, None) => format!("{title}: nothing to change."),
    }
}

fn operation(operation: &PlannedOperation) -> String {
    match operation {
        PlannedOperation::Create { file_path } => format!("new file {}", visible(file_path)),
        PlannedOperation::Rename { file_path, new_path } => {
            format!("{} becomes {}", visible(file_path), visible(new_path))
        }
        PlannedOperation::Delete { file_path } => format!("{} is deleted", visible(file_path)),
    }
}

fn row(file: &PlannedFile) -> Row {
    let mut value = Map::new();
    value.insert("file_path".to_owned(), json!(file.file_path));
    if let Some(path) = &file.new_path {
        value.insert("new_path".to_owned(), json!(path));
    }
    value.insert("before_sha256".to_owned(), json!(file.before_sha256));
    value.insert("edits".to_owned(), json!(file.edits));
    value.insert("diff".to_owned(), json!(file.diff));
    let path = visible(&file.file_path);
    let line = match &file.new_path {
        Some(new) => format!("{path} → {}", visible(new)),
        None => path.into_owned(),
    };
    Row::new(Value::Object(value), line)
}

/// A diff without its first lines: the row says which file it is.
fn hunks(diff: &str) -> &str {
    match diff.strip_prefix("---") {
        Some(_) => diff.find("\n@@").map_or("", |at| &diff[at + 1..]),
        None => diff,
    }
}

/// The reply for what was done, undone or tried.
pub(super) fn applied(answer: &Answer<AppliedEdits>) -> Reply {
    let mut reply = Reply::of(answer);
    let value = &answer.value;
    let files = count(value.files.len() as u64, "file");
    let undone = value.undone.iter().map(|id| visible(id)).collect::<Vec<_>>().join(", ");
    reply.head.push(match (&value.journal_id, value.applied) {
        (_, false) => format!("Nothing is written. {files} would change."),
        (Some(id), true) if value.undone.is_empty() => {
            format!("{files} changed; undo_edits {} takes it back", visible(id))
        }
        (_, true) => format!("{undone} undone: {files} changed"),
    });
    reply.field("applied", value.applied);
    if let Some(id) = &value.journal_id {
        reply.field("journal_id", id.clone());
    }
    if !value.undone.is_empty() {
        reply.field("undone", json!(value.undone));
    }
    reply.field("file_count", value.files.len());
    reply.lists.push(names("files", "Files:", &value.files, 4));
    if let Some(delta) = &value.diagnostics_delta {
        compare(&mut reply, delta);
    }
    reply
}

fn compare(reply: &mut Reply, found: &DiagnosticsDelta) {
    let delta = &found.delta;
    let told = format!(
        "Checkers: {} new, {} fixed, {} unchanged",
        delta.new.len(),
        delta.fixed.len(),
        delta.unchanged_count
    );
    let silent = !found.pending_files.is_empty() || !found.not_covered.is_empty();
    reply.head.push(if silent { format!("{told}; not all of them have spoken") } else { told });
    let counts = json!({
        "new_count": delta.new.len(),
        "fixed_count": delta.fixed.len(),
        "unchanged_count": delta.unchanged_count,
    });
    reply.field("diagnostics_delta", counts);
    let findings = |field, title: &str, rows: &[orienteer_base::code::Diagnostic], part| List {
        field,
        title: title.to_owned(),
        items: rows.iter().map(|row| (get_diagnostics::value(row), get_diagnostics::text(row))).collect(),
        part,
    };
    reply.lists.push(findings("diagnostics_delta.new", "New:", &delta.new, 4));
    reply.lists.push(findings("diagnostics_delta.fixed", "Fixed:", &delta.fixed, 8));
    reply.lists.push(names("diagnostics_delta.pending_files", "Not checked yet:", &found.pending_files, 12));
    reply.lists.push(names("diagnostics_delta.not_covered", "Not covered:", &found.not_covered, 12));
}

fn names(field: &'static str, title: &str, names: &[String], part: usize) -> List {
    let items = names.iter().map(|name| (json!(name), visible(name).into_owned())).collect();
    List { field, title: title.to_owned(), items, part }
}

#[cfg(test)]
mod tests;
