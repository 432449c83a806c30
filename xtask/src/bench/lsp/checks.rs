//! Diagnostics: one file, a folder, everything.

use std::time::Duration;

use serde_json::json;

use super::ours::{Answer, Ours};
use super::sample::{Random, files};
use super::server::Subject;

#[derive(Default)]
pub(super) struct Checks {
    /// Files that were checked one by one, and those whose state was `clean` or `issues`.
    pub(super) files: usize,
    pub(super) decided: usize,
    pub(super) undecided: Vec<String>,
    pub(super) milliseconds: Vec<f64>,
    pub(super) folder: Check,
    pub(super) workspace: Check,
    pub(super) compiler: Check,
}

/// One check of many files.
#[derive(Default)]
pub(super) struct Check {
    pub(super) state: String,
    pub(super) seconds: f64,
    pub(super) files: u64,
    pub(super) found: u64,
}

impl std::fmt::Display for Check {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.state.is_empty() {
            return write!(f, "–");
        }
        write!(f, "{:.1} s ({}, {} files, {} findings)", self.seconds, self.state, self.files, self.found)
    }
}

/// How long a check of many files may take before it is told as it is.
const LONGEST: Duration = Duration::from_secs(20);
const LONGEST_COMPILER: Duration = Duration::from_secs(60);

pub(super) fn measure(
    ours: &mut Ours,
    subject: &Subject,
    count: usize,
    random: &mut Random,
) -> anyhow::Result<Checks> {
    let mut checks = Checks::default();
    let mut all = files(subject)?;
    random.shuffle(&mut all);
    for path in all.iter().take(count) {
        let shown = path.strip_prefix(&subject.root)?.to_string_lossy().into_owned();
        let (answer, took) = ours.ask("get_diagnostics", &json!({ "file_paths": [shown] }))?;
        let state = answer.0["state"].as_str().unwrap_or_default();
        checks.files += 1;
        checks.milliseconds.push(took);
        if ["clean", "issues"].contains(&state) && is_whole(&answer) {
            checks.decided += 1;
        } else {
            checks.undecided.push(format!("{shown}: {state}, {}", answer.state()));
        }
    }
    checks.folder = many(ours, json!({ "file_paths": [subject.small_folder] }), LONGEST)?;
    println!("   check of {}: {}", subject.small_folder, checks.folder);
    checks.workspace = many(ours, json!({ "scope": "workspace" }), LONGEST)?;
    println!("   check of everything by the server: {}", checks.workspace);
    // The compiler is the same for both servers of TypeScript.
    if subject.id != "typescript-language-server" {
        let question = json!({ "scope": "workspace", "mode": "compiler" });
        checks.compiler = many(ours, question, LONGEST_COMPILER)?;
        println!("   check of everything by the compiler: {}", checks.compiler);
    }
    Ok(checks)
}

/// A page that does not show all findings is still one about all files.
fn is_whole(answer: &Answer) -> bool {
    ["complete", "partial: capped"].contains(&answer.state().as_str())
}

fn many(ours: &mut Ours, mut question: serde_json::Value, longest: Duration) -> anyhow::Result<Check> {
    question["wait_ms"] = json!(longest.as_millis() as u64);
    let (answer, took) = ours.ask("get_diagnostics", &question)?;
    let state = match answer.0["state"].as_str() {
        Some(state) if is_whole(&answer) => state.to_owned(),
        Some(state) => format!("{state}, {}", answer.state()),
        None => answer.state(),
    };
    let summary = answer.0["summary"].as_object();
    Ok(Check {
        state,
        seconds: took / 1000.0,
        files: answer.0["files_checked"].as_u64().unwrap_or_default(),
        found: summary.map_or(0, |summary| summary.values().filter_map(serde_json::Value::as_u64).sum()),
    })
}
