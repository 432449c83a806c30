//! `diagnostics`: what the compiler and the language server say is wrong with a file, or with those of a folder.

use std::time::Duration;

use orienteer_base::ask::{CheckMode, CheckScope, DiagnosticsQuery, Window};
use orienteer_base::code::{CheckState, Diagnostic, Severity};
use orienteer_base::{Completeness, Reason};
use serde_json::{Map, Value, json};

use super::Answered;
use crate::dialects::swissarmyhammer::answer::{cold, payload, whole};
use crate::dialects::swissarmyhammer::lsp::{Args, SeverityFilter};
use crate::dialects::swissarmyhammer::place::Paths;
use crate::dialects::swissarmyhammer::project::Project;

/// How long findings are told again without asking, when nothing changes.
const LONGEST: Duration = Duration::from_secs(30);

pub(in super::super) async fn run(args: &Args, project: &Project) -> Answered {
    let ctx = &project.ctx;
    let query = DiagnosticsQuery {
        scope: CheckScope::Workspace,
        mode: CheckMode::Server,
        minimum: Severity::Hint,
        save_baseline: None,
        baseline: None,
        window: Window { skip: 0, limit: usize::MAX },
        wait: Some(ctx.config().lsp.wait.min(ctx.limit - ctx.limit / 8)),
    };
    let asked = project.session().recent_diagnostics(project.file.clone(), LONGEST, query, &ctx.cancel);
    let mut answer = asked.await?;
    let server = answer.server_id.clone();
    let unfinished = matches!(answer.completeness, Completeness::Partial { reason: Reason::Timeout, .. })
        || !answer.value.pending_files.is_empty();
    if answer.value.state == CheckState::Pending {
        let warnings = answer.warnings.iter().map(|warning| warning.message.clone()).collect();
        return Err(cold(warnings, Some(2_000)));
    }
    if unfinished {
        // What was found is true; that there is no more is not known.
        answer.completeness = Completeness::partial(Reason::NotChecked);
    }
    let (found, mut warnings) = whole(answer)?;
    if unfinished {
        warnings.push("a checker has not finished: there may be more; ask again".to_owned());
    }
    let minimum = match args.severity_filter {
        SeverityFilter::Error => Severity::Error,
        SeverityFilter::Warning => Severity::Warning,
        SeverityFilter::Info => Severity::Info,
        SeverityFilter::Hint | SeverityFilter::All => Severity::Hint,
    };
    let mut paths = Paths::new(project.session());
    let wanted = found.rows.iter().filter(|row| row.severity <= minimum);
    let total = wanted.clone().count();
    let rows: Vec<Value> =
        wanted.take(args.limit()).map(|row| finding(row, &mut paths, server.as_deref())).collect();
    if total > rows.len() {
        warnings.push(format!("{} of {total} diagnostics are listed; `limit` lists more", rows.len()));
    }
    Ok(payload([("diagnostics", Value::Array(rows)), ("summary", json!(found.summary))], warnings))
}

fn finding(row: &Diagnostic, paths: &mut Paths<'_>, server: Option<&str>) -> Value {
    let mut value = paths.point(&row.file_path, row.range);
    let mut put = |name: &str, field: Value| drop(value.insert(name.to_owned(), field));
    put("end_line", json!(row.range.end.line));
    put("end_column", json!(row.range.end.column));
    put("severity", json!(row.severity));
    put("code", json!(row.code));
    put("message", json!(row.message));
    put("source", json!(row.source.as_deref().or(server)));
    let related = row.related.iter().map(|related| {
        let (line, message) = (json!(related.line), json!(related.message));
        Value::Object(Map::from_iter([
            ("file_path".to_owned(), json!(paths.absolute(&related.file_path))),
            ("line".to_owned(), line),
            ("message".to_owned(), message),
        ]))
    });
    let related: Vec<Value> = related.collect();
    value.insert("related".to_owned(), Value::Array(related));
    Value::Object(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_are_told_again_for_thirty_seconds_at_most() {
        assert_eq!(LONGEST, Duration::from_secs(30));
    }
}
