//! What to do about findings that were not taken in, found or decided about.

use orienteer_base::{ErrorKind, Problem};
use serde_json::{Map, Value, json};

use super::NextStep;

/// Adds the steps for a problem of a triage tool; says whether it was one.
pub(super) fn advise(
    problem: &Problem,
    tool: &'static str,
    arguments: &Map<String, Value>,
    steps: &mut Vec<NextStep>,
) -> bool {
    if !tool.starts_with("triage_") {
        return false;
    }
    match (problem.kind, problem.detail) {
        (ErrorKind::NotFound | ErrorKind::Ambiguous, Some("no_such_finding" | "several_findings")) => {
            // Deciding is never offered as it is: a person says about which one.
            for candidate in problem.candidates.iter().take(2).filter(|_| tool != "triage_decide") {
                let mut again = arguments.clone();
                again.insert("finding".to_owned(), json!(candidate));
                steps.push(NextStep::tool(tool, Value::Object(again), format!("Take `{candidate}`.")));
            }
            steps.push(NextStep::tool(
                "triage_list",
                json!({ "state": "all" }),
                "See the ids of all findings.",
            ));
        }
        (ErrorKind::InvalidParams, Some("unrecognised_source" | "empty_input" | "unreadable_input")) => {
            if let Some(path) = arguments.get("input_path").and_then(Value::as_str) {
                let look = json!({ "file_path": path, "char_offset": 0, "char_length": 1000 });
                steps.push(NextStep::tool("read_file", look, "See how the file begins."));
            }
            steps.push(NextStep::doc(format!(
                "Name the `source` ({}), or write the findings in the generic shape of docs/triage.md.",
                problem.candidates.join(", ")
            )));
        }
        (ErrorKind::InvalidParams, Some("unknown_code" | "missing_code" | "codes_without_reason")) => {
            steps.push(NextStep::doc(
                "`codes` belong to not_affected (and may stand with false_positive); docs/triage.md says what each means.",
            ));
        }
        (ErrorKind::InvalidParams, Some("invalid_date" | "date_in_the_past")) => {
            steps.push(NextStep::doc(
                "Write a day in the future, such as 2030-12-31, or leave `expires` out.",
            ));
        }
        (ErrorKind::TooLarge, Some("input_too_large")) => {
            steps.push(NextStep::command(
                "Write one finding on each line: `jq -c '.findings[]' report.json > report.jsonl`.",
            ));
        }
        (ErrorKind::Overloaded, Some("triage_busy")) => {
            steps.push(NextStep::doc("Another process takes findings in; ask again when it is done."));
        }
        (ErrorKind::NotEnabled, Some("no_triage_folder")) => {
            steps.push(NextStep::config(
                "Set HOME or XDG_DATA_HOME to a folder of the user, where records are kept.",
            ));
        }
        (ErrorKind::InternalError, Some("no_room" | "permission_denied" | "triage_store")) => {
            steps.push(NextStep::doc(
                "No record is half written. Free some space or allow writing to the data folder, then do the same again.",
            ));
        }
        _ => return false,
    }
    true
}
