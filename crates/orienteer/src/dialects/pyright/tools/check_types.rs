//! `check_types`: what pyright finds in a file or folder.

use orienteer_base::Problem;
use orienteer_base::code::{Diagnostic, Severity};
use orienteer_engine::{Session, TypesQuery};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::super::shapes::{absolute, cut_short, payload, vouched};
use super::super::workspace::{self, Opened};
use crate::dialect::DialectTool;
use crate::render::text::count;
use crate::tool::Ctx;

/// Findings that are told; all are counted.
const MOST: usize = 1_000;

pub(crate) struct CheckTypes;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Absolute path to the file or directory to check.
    path: String,
    /// Python version to check against, such as "3.11"; detected from the project when not given.
    python_version: Option<String>,
}

impl DialectTool for CheckTypes {
    const NAME: &'static str = "check_types";
    const TITLE: &'static str = "Check types";
    const DESCRIPTION: &'static str =
        "Run Pyright type checking on a Python file or directory: summary, counts and diagnostics.";
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Map<String, Value>, Problem> {
        if let Some(version) = &args.python_version {
            check_version(version)?;
        }
        let timeout = workspace::settings(&ctx)?.cli_timeout;
        let Opened { session, path } = workspace::open(&ctx, &args.path, "Path").await?;
        let query = TypesQuery { path, python_version: args.python_version, timeout, limit: MOST };
        let (found, mut warnings) = vouched(session.check_types(query, &ctx.cancel).await?)?;
        warnings.extend(cut_short(found.rows.len(), found.total, "diagnostics"));
        let warned = match found.summary.warnings {
            0 => String::new(),
            warnings => format!(", {warnings} warning(s)"),
        };
        let fields = json!({
            "summary": format!(
                "Analyzed {} in {:.2}s. Found {} error(s){warned}.",
                count(found.files_analyzed as u64, "file"),
                found.time.as_secs_f64(),
                found.summary.errors,
            ),
            "error_count": found.summary.errors,
            "warning_count": found.summary.warnings,
            "diagnostics": found.rows.iter().map(|row| diagnostic(&session, row)).collect::<Vec<_>>(),
        });
        Ok(payload(fields, warnings))
    }
}

fn diagnostic(session: &Session, found: &Diagnostic) -> Value {
    let start = found.range.start;
    json!({
        "file": absolute(session, &found.file_path),
        "location": format!("{}:{}", start.line, start.column),
        "severity": match found.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info | Severity::Hint => "information",
        },
        "message": found.message,
        "rule": found.code,
    })
}

/// `3.11`: two whole numbers with a dot between.
fn check_version(version: &str) -> Result<(), Problem> {
    let number =
        |text: &str| !text.is_empty() && text.len() <= 4 && text.bytes().all(|byte| byte.is_ascii_digit());
    if version.split_once('.').is_some_and(|(major, minor)| number(major) && number(minor)) {
        return Ok(());
    }
    let shown = orienteer_base::error::cut(version);
    let message = format!(
        "Invalid Python version format for python_version: {shown}. Expected format: '3.10', '3.11', etc."
    );
    Err(Problem::invalid("python_version", "not_a_version", message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_two_numbers() {
        for good in ["3.8", "3.11", "3.14"] {
            assert!(check_version(good).is_ok(), "{good}");
        }
        for bad in ["", "3", "3.11.2", "py3.11", "3.x", "3.", ".11", " 3.11", "3.11\n", "٣.٩"] {
            assert_eq!(check_version(bad).unwrap_err().field, Some("python_version"), "{bad}");
        }
    }
}
