//! `get_diagnostics`: what checkers find, and what changed since a baseline.

use orienteer_base::ask::{CheckMode, CheckScope, DiagnosticsQuery};
use orienteer_base::code::{CheckState, Delta, Diagnostic, Diagnostics, Severity};
use orienteer_base::{Completeness, Problem, Reason, RootedPath};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{page, place};
use crate::render::text::{count, visible};
use crate::render::{Body, List, Reply, Row};
use crate::tool::{Ctx, Tool, Toolset};

/// More places that explain one finding, or more fixes of it, help nobody.
const MOST_DETAILS: usize = 10;

pub(super) struct GetDiagnostics;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// changed: by version control.
    #[serde(default)]
    scope: ScopeArg,
    /// Files or folders.
    #[serde(default)]
    file_paths: Vec<String>,
    /// A minimum.
    #[serde(default)]
    severity_filter: SeverityArg,
    #[serde(default)]
    mode: ModeArg,
    /// Keep the findings under this name.
    save_baseline: Option<String>,
    /// Compare with that name.
    baseline: Option<String>,
    #[serde(default = "hundred")]
    #[schemars(range(min = 1, max = 5000))]
    max_results: usize,
    #[serde(default = "fifteen_seconds")]
    #[schemars(range(max = 600_000))]
    wait_ms: u64,
}

fn hundred() -> usize {
    100
}

fn fifteen_seconds() -> u64 {
    15_000
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ScopeArg {
    #[default]
    Files,
    Changed,
    Workspace,
}

#[derive(Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum SeverityArg {
    Error,
    Warning,
    Info,
    Hint,
    #[default]
    All,
}

#[derive(Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ModeArg {
    #[default]
    Server,
    Compiler,
}

impl Tool for GetDiagnostics {
    const NAME: &'static str = "get_diagnostics";
    const TITLE: &'static str = "Errors and warnings";
    const DESCRIPTION: &'static str = "Errors and warnings of files, changed files or the workspace, as they are on disk now. save_baseline before an edit, baseline after it: what got worse or better. state pending: not checked yet, not clean.";
    const TOOLSET: Toolset = Toolset::Diagnose;
    const DEFAULT: bool = true;
    const PAGED: bool = true;
    const OWN_MAX_RESULTS: bool = true;
    const OUTPUT: &'static [(&'static str, &'static str)] = &[
        ("state", "string"),
        ("diagnostics", "array"),
        ("summary", "object"),
        ("new", "array"),
        ("fixed", "array"),
        ("unchanged_count", "integer"),
    ];
    type Args = Args;

    async fn run(args: Args, ctx: Ctx) -> Result<Reply, Problem> {
        let window = page::window(&ctx, args.max_results)?;
        args.check()?;
        let query = DiagnosticsQuery {
            scope: args.scope(&ctx)?,
            mode: match args.mode {
                ModeArg::Server => CheckMode::Server,
                ModeArg::Compiler => CheckMode::Compiler,
            },
            minimum: match args.severity_filter {
                SeverityArg::Error => Severity::Error,
                SeverityArg::Warning => Severity::Warning,
                SeverityArg::Info => Severity::Info,
                SeverityArg::Hint | SeverityArg::All => Severity::Hint,
            },
            save_baseline: args.save_baseline,
            baseline: args.baseline,
            window,
            wait: ctx.wait(Some(args.wait_ms)),
        };
        let answer = ctx.session.diagnostics(query, &ctx.cancel).await?;
        let mut reply = Reply::of(&answer);
        let partial = Completeness::partial(Reason::NeedsTrust);
        fill(&mut reply, &answer.value, answer.completeness == partial);
        page::resume(&mut reply, window, answer.value.rows.len(), Some(answer.value.total));
        Ok(reply)
    }
}

impl Args {
    /// The rules that the schema cannot say.
    fn check(&self) -> Result<(), Problem> {
        if self.scope == ScopeArg::Files && self.file_paths.is_empty() {
            let message = "scope `files` needs `file_paths`; or ask for scope `changed` or `workspace`";
            return Err(Problem::invalid("file_paths", "missing_field", message));
        }
        if self.scope != ScopeArg::Files && !self.file_paths.is_empty() {
            let message = "`file_paths` goes with scope `files` only; leave one of the two out";
            return Err(Problem::invalid("file_paths", "contradiction", message));
        }
        for (field, name) in [("save_baseline", &self.save_baseline), ("baseline", &self.baseline)] {
            if name.as_ref().is_some_and(|name| name.trim().is_empty() || name.chars().count() > 100) {
                let message = format!("`{field}` is a name of 1 to 100 characters");
                return Err(Problem::invalid(field, "illegal_value", message));
            }
        }
        Ok(())
    }

    fn scope(&self, ctx: &Ctx) -> Result<CheckScope, Problem> {
        let resolve = |path: &String| {
            ctx.session.resolve(path).map_err(|error| Problem::from(error).field("file_paths"))
        };
        Ok(match self.scope {
            ScopeArg::Files => CheckScope::Files(
                self.file_paths.iter().map(resolve).collect::<Result<Vec<RootedPath>, _>>()?,
            ),
            ScopeArg::Changed => CheckScope::Changed,
            ScopeArg::Workspace => CheckScope::Workspace,
        })
    }
}

fn fill(reply: &mut Reply, found: &Diagnostics, needs_trust: bool) {
    reply.head.push(headline(found, needs_trust));
    reply.field("state", json!(found.state)).field("summary", json!(found.summary));
    reply.field("files_checked", found.files_checked);
    if !found.pending_files.is_empty() {
        let items =
            found.pending_files.iter().map(|path| (json!(path), visible(path).into_owned())).collect();
        // The first of them: how many there are is not told.
        let title = "Not checked yet, among others:".to_owned();
        reply.lists.push(List { field: "pending_files", title, items, part: 16 });
    }
    // With a baseline the text tells what changed; what did not is only in the structure.
    let shown =
        |diagnostic: &Diagnostic| if found.delta.is_some() { String::new() } else { text(diagnostic) };
    let rows = found.rows.iter().map(|diagnostic| Row::new(value(diagnostic), shown(diagnostic)));
    reply.body = Body::Rows { field: "diagnostics", rows: rows.collect() };
    if let Some(delta) = &found.delta {
        compare(reply, delta);
    }
}

fn compare(reply: &mut Reply, delta: &Delta) {
    reply.head.push(format!(
        "Since the baseline: {} new, {} fixed, {} unchanged",
        delta.new.len(),
        delta.fixed.len(),
        delta.unchanged_count
    ));
    reply.field("unchanged_count", delta.unchanged_count);
    reply.field("new_count", delta.new.len()).field("fixed_count", delta.fixed.len());
    let list = |field, title: &str, rows: &[Diagnostic], part| List {
        field,
        title: title.to_owned(),
        items: rows.iter().map(|diagnostic| (value(diagnostic), text(diagnostic))).collect(),
        part,
    };
    reply.lists.push(list("new", "New:", &delta.new, 3));
    reply.lists.push(list("fixed", "Fixed:", &delta.fixed, 6));
}

fn headline(found: &Diagnostics, needs_trust: bool) -> String {
    let files = count(found.files_checked as u64, "file");
    let summary = found.summary;
    let words: Vec<String> = [
        (summary.errors, "error"),
        (summary.warnings, "warning"),
        (summary.info, "info"),
        (summary.hints, "hint"),
    ]
    .into_iter()
    .filter(|(number, _)| *number > 0)
    .map(|(number, noun)| if noun == "info" { format!("{number} info") } else { count(number as u64, noun) })
    .collect();
    let words = if words.is_empty() { "nothing found".to_owned() } else { words.join(", ") };
    match found.state {
        CheckState::Clean => format!("Clean: nothing found in {files}."),
        CheckState::Issues => format!("{words} in {files}"),
        CheckState::Pending if needs_trust => {
            format!("Not checked as a compiler does, for want of trust; so far {words} in {files}")
        }
        CheckState::Pending => {
            format!(
                "Pending: checkers have not finished, so this means nothing yet; so far {words} in {files}"
            )
        }
    }
}

pub(super) fn value(diagnostic: &Diagnostic) -> Value {
    let mut value = serde_json::Map::from_iter([("file_path".to_owned(), json!(diagnostic.file_path))]);
    value.extend(place::range(diagnostic.range));
    value.insert("severity".to_owned(), json!(diagnostic.severity));
    value.insert("code".to_owned(), json!(diagnostic.code));
    value.insert("message".to_owned(), json!(diagnostic.message));
    value.insert("source".to_owned(), json!(diagnostic.source));
    let related: Vec<_> = diagnostic.related.iter().take(MOST_DETAILS).collect();
    value.insert("related".to_owned(), json!(related));
    let fixes: Vec<_> = diagnostic.fixes.iter().take(MOST_DETAILS).collect();
    value.insert("fixes".to_owned(), json!(fixes));
    Value::Object(value)
}

/// `path:line:column severity code message`, on one line; below it what explains it.
pub(super) fn text(diagnostic: &Diagnostic) -> String {
    let one_line = |text: &str| visible(&text.split_whitespace().collect::<Vec<_>>().join(" ")).into_owned();
    let severity = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "info",
        Severity::Hint => "hint",
    };
    let mut line = format!("{} {severity} ", place::point(&diagnostic.file_path, diagnostic.range));
    if let Some(code) = diagnostic.code.as_deref().filter(|code| !code.is_empty()) {
        line.push_str(&format!("{} ", visible(code)));
    }
    line.push_str(&one_line(&diagnostic.message));
    for related in diagnostic.related.iter().take(MOST_DETAILS) {
        let path = visible(&related.file_path);
        line.push_str(&format!(
            "\n  {path}:{}:{} {}",
            related.line,
            related.column,
            one_line(&related.message)
        ));
    }
    for fix in diagnostic.fixes.iter().take(MOST_DETAILS) {
        line.push_str(&format!("\n  fix: {}", one_line(fix)));
    }
    line
}

#[cfg(test)]
mod tests;
