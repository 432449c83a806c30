//! What to do about changes that were not made.

use orienteer_base::{ErrorKind, Fact, Problem};
use serde_json::{Map, Value, json};

use super::{NextStep, fact};
use crate::tool::{Effect, Toolset};
use crate::tools::{TOOLS, target};

type Arguments = Map<String, Value>;

/// Adds the steps for a problem of this kind; says whether it was one.
pub(super) fn advise(
    problem: &Problem,
    tool: &'static str,
    arguments: &Arguments,
    steps: &mut Vec<NextStep>,
) -> bool {
    match (problem.kind, problem.detail) {
        (ErrorKind::StalePlan, Some("already_applied")) => {
            if let Some(id) = fact(problem, "journal_id") {
                steps.push(NextStep::doc(format!("It is done; undo_edits with journal_id {id} takes it back.")));
            } else {
                steps.push(NextStep::doc("Wait for the other call: it tells what came of it."));
            }
        }
        (ErrorKind::StalePlan, Some("stale_action")) => {
            again(tool, arguments, &["action_id"], steps, "See what is offered now.");
            steps.push(NextStep::doc("Ask code_actions about the place again; its answer has new ids."));
        }
        // What was done is not planned again: somebody has worked on the files since.
        (ErrorKind::StalePlan, _) if tool == "undo_edits" => {
            if let Some(file) = first(problem, "files") {
                let message = format!("See what `{file}` is now.");
                steps.push(NextStep::tool("read_file", json!({ "file_path": file }), message));
            }
            steps.push(NextStep::doc(
                "The files were changed after the edit, so taking it back would lose that. Undo the later change first, or change the places by hand.",
            ));
        }
        (ErrorKind::StalePlan, _) => {
            again(tool, arguments, &["expected_before_sha256"], steps, "Plan it anew with the files as they are now.");
            if let Some(file) = first(problem, "files") {
                let message = format!("See what `{file}` is now.");
                steps.push(NextStep::tool("read_file", json!({ "file_path": file }), message));
            }
            steps.push(NextStep::doc("Make the plan again with the tool that made it: it was about other files."));
        }
        (ErrorKind::Unsupported, Some("renames_others")) => steps.push(NextStep::doc(
            "Rename the other name where it is given (the alias of an export or import) by itself, or change the alias first.",
        )),
        (_, Some("still_used")) => {
            look(arguments, steps);
            steps.push(NextStep::doc("Change those places first, or delete it with force=true."));
        }
        (ErrorKind::InvalidParams, Some("fewer_to_undo")) => {
            steps.push(NextStep::doc("Ask for fewer; without `count` the last change is taken back."));
        }
        (ErrorKind::InvalidParams, Some("redacted_content")) => steps.push(NextStep::doc(
            "Use replace_body or insert_before/insert_after on another definition, so that the hidden value stays.",
        )),
        (ErrorKind::NotFound, Some("no_such_plan")) => {
            steps.push(NextStep::doc(
                "Make the plan again: rename_symbol, code_actions, format_code and edit_symbol return a plan_id.",
            ));
        }
        (ErrorKind::NotFound, Some("no_such_action")) => {
            again(tool, arguments, &["action_id"], steps, "See what is offered there.");
            steps.push(NextStep::doc("Ask code_actions about a place first; its answer has the ids."));
        }
        (ErrorKind::NotFound, Some("nothing_to_undo")) => steps.push(NextStep::doc(
            "Only what apply_edits and its siblings wrote can be taken back; for the rest there is version control.",
        )),
        (ErrorKind::NotFound, Some("no_such_entry")) => {
            let known = problem.candidates.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
            let known = if known.is_empty() { "It has none.".to_owned() } else { format!("It has {known}.") };
            steps.push(NextStep::doc(format!("{known} Without journal_id the last change is taken back.")));
        }
        (ErrorKind::InvalidParams, Some("already_undone")) => {
            steps.push(NextStep::doc("Nothing is left to do. What was undone can be made again as a new plan."));
        }
        (ErrorKind::InvalidParams, Some("illegal_name" | "same_name")) => {
            steps.push(NextStep::doc("Give a new_name that is one identifier of the language and not the old one."));
        }
        (ErrorKind::TooLarge, Some("too_many_projects")) => {
            look(arguments, steps);
            steps.push(NextStep::config("Start with `--workspace-root` at a folder of fewer projects."));
        }
        (ErrorKind::TooLarge, Some("plan_too_large")) => {
            steps.push(NextStep::doc("Change fewer files at one time."));
        }
        (ErrorKind::Unsupported, Some("action_disabled" | "action_without_edit")) => {
            again(tool, arguments, &["action_id"], steps, "See what else is offered.");
            steps.push(NextStep::doc("Choose another action, or make the change with edit_symbol."));
        }
        (ErrorKind::Unsupported, Some("not_utf8" | "hard_linked")) => {
            look(arguments, steps);
            steps.push(NextStep::doc("That file has to be changed by other means."));
        }
        (ErrorKind::Unsupported, Some("method_unsupported")) if writes(tool) => {
            look(arguments, steps);
            steps.push(NextStep::doc("This server cannot do that; change the places that find_references lists."));
        }
        (ErrorKind::PathNotAllowed, Some("protected")) => {
            steps.push(NextStep::doc("Files of version control are changed by its own commands only."));
        }
        (ErrorKind::NotEnabled, Some("needs_trust")) => {
            // One above the roots is not for the tools to read.
            let inside = |file: &&str| std::path::Path::new(file).is_relative();
            if let Some(file) = fact(problem, "configuration").filter(inside) {
                let message = "Read what the project configures.";
                steps.push(NextStep::tool("read_file", json!({ "file_path": file }), message));
            }
            steps.push(NextStep::command("If you trust the project, run `orienteer trust` in it, and ask again."));
        }
        (ErrorKind::NotEnabled, Some("no_journal")) => {
            steps.push(NextStep::config("Set HOME or XDG_DATA_HOME to a folder of the user, where the journal is kept."));
        }
        (ErrorKind::Overloaded, None) if writes(tool) => {
            steps.push(NextStep::doc("Ask again when the other process is done."));
        }
        (ErrorKind::InternalError, Some("no_room" | "permission_denied" | "write_failed")) => {
            steps.push(NextStep::doc(
                "Nothing is half done. Free some space or allow writing to the file and its folder, then try again.",
            ));
        }
        (ErrorKind::InternalError, Some("not_restored" | "journal_damaged")) => {
            steps.push(NextStep::doc("A person should look: compare the files with version control and the journal."));
            steps.push(NextStep::command("Run `git status` and `git diff` in the workspace."));
        }
        (ErrorKind::InternalError, Some("overlapping_edits" | "edit_out_of_range")) => {
            steps.push(NextStep::tool("restart_server", json!({}), "The server proposed nonsense: start it afresh."));
            look(arguments, steps);
            steps.push(NextStep::doc("Ask again, or change the places by hand."));
        }
        _ => return false,
    }
    true
}

/// Steps are safe to run as they are given: those that could write only show, and those that can only write are words.
pub(super) fn make_safe(steps: &mut Vec<NextStep>) {
    steps.retain_mut(|step| {
        let NextStep::Tool { tool, arguments, .. } = step else { return true };
        if !writes(tool) {
            return true;
        }
        let shows = TOOLS.iter().any(|entry| {
            entry.name == *tool && (entry.input_schema)()["properties"].get("dry_run").is_some()
        });
        if let (true, Value::Object(arguments)) = (shows, arguments) {
            arguments.insert("dry_run".to_owned(), json!(true));
        }
        shows
    });
}

fn writes(tool: &str) -> bool {
    TOOLS
        .iter()
        .any(|entry| entry.name == tool && entry.toolset == Toolset::Edit && entry.effect == Effect::Write)
}

/// The same call without some of its arguments, where it still says enough.
fn again(
    tool: &'static str,
    arguments: &Arguments,
    without: &[&str],
    steps: &mut Vec<NextStep>,
    message: &str,
) {
    let mut again = arguments.clone();
    again.retain(|name, _| !without.contains(&name.as_str()));
    let points = target::FIELDS.iter().any(|field| again.contains_key(*field));
    if points && writes(tool) {
        steps.push(NextStep::tool(tool, Value::Object(again), message));
    }
}

/// Where the symbol is used, which changes nothing.
fn look(arguments: &Arguments, steps: &mut Vec<NextStep>) {
    let pointing = arguments.iter().filter(|(name, _)| target::FIELDS.contains(&name.as_str()));
    let target: Arguments = pointing.map(|(name, value)| (name.clone(), value.clone())).collect();
    if ["symbol_name", "symbol_id", "column"].iter().any(|field| target.contains_key(*field)) {
        steps.push(NextStep::tool("find_references", Value::Object(target), "See every use."));
    }
}

fn first<'p>(problem: &'p Problem, name: &str) -> Option<&'p str> {
    problem.facts.iter().find_map(|(known, fact)| match fact {
        Fact::List(list) if *known == name => list.first().map(String::as_str),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::advise as advise_all;
    use super::*;
    use crate::schema::validate;

    /// Problems as the rooms below report them.
    fn problems() -> Vec<Problem> {
        let new = |kind, detail| Problem::new(kind, "it failed").detail(detail);
        vec![
            Problem::new(ErrorKind::StalePlan, "x").fact("files", vec!["src/a.rs".to_owned()]),
            new(ErrorKind::StalePlan, "already_applied").fact("journal_id", "17"),
            new(ErrorKind::StalePlan, "unlisted_files").fact("files", vec!["src/a.rs".to_owned()]),
            new(ErrorKind::StalePlan, "stale_action"),
            new(ErrorKind::NotFound, "no_such_plan"),
            new(ErrorKind::NotFound, "no_such_action"),
            new(ErrorKind::NotFound, "nothing_to_undo"),
            new(ErrorKind::NotFound, "no_such_entry").candidates(vec!["17".to_owned()]),
            new(ErrorKind::NotFound, "inexact_target"),
            new(ErrorKind::NotFound, "not_renameable"),
            new(ErrorKind::InvalidParams, "illegal_name"),
            new(ErrorKind::InvalidParams, "already_undone"),
            new(ErrorKind::NotReady, "server_degraded").retry_after_ms(100),
            new(ErrorKind::TooLarge, "too_many_projects"),
            new(ErrorKind::TooLarge, "plan_too_large"),
            new(ErrorKind::Unsupported, "action_disabled"),
            new(ErrorKind::Unsupported, "hard_linked"),
            new(ErrorKind::Unsupported, "method_unsupported"),
            new(ErrorKind::PathNotAllowed, "protected"),
            new(ErrorKind::NotEnabled, "no_journal"),
            new(ErrorKind::NotEnabled, "needs_trust").fact("configuration", ".prettierrc.js"),
            Problem::new(ErrorKind::Overloaded, "busy").retry_after_ms(100),
            Problem::new(ErrorKind::ReadOnly, "read-only"),
            Problem::new(ErrorKind::Ambiguous, "x").candidates(vec!["a#x".to_owned(), "b#x".to_owned()]),
            Problem::new(ErrorKind::Timeout, "late"),
            new(ErrorKind::InternalError, "no_room"),
            new(ErrorKind::InternalError, "not_restored"),
            new(ErrorKind::InternalError, "overlapping_edits"),
        ]
    }

    fn calls() -> Vec<(&'static str, Value)> {
        vec![
            (
                "rename_symbol",
                json!({ "file_path": "src/a.rs", "line": 3, "symbol_name": "run", "new_name": "go", "dry_run": false, "expected_before_sha256": { "src/a.rs": "x" } }),
            ),
            ("rename_symbol", json!({ "symbol_id": "src/a.rs#run", "new_name": "go" })),
            (
                "code_actions",
                json!({ "file_path": "src/a.rs", "start_line": 3, "action_id": "action-1", "dry_run": false }),
            ),
            ("code_actions", json!({ "action_id": "action-1" })),
            ("apply_edits", json!({ "plan_id": "plan-1", "diagnostics": true })),
            ("undo_edits", json!({ "journal_id": "17" })),
        ]
    }

    #[test]
    fn every_problem_has_advice_and_no_step_writes() {
        let mut checked = 0;
        for problem in problems() {
            for (tool, given) in calls() {
                let given = given.as_object().cloned().unwrap();
                let steps = advise_all(&problem, tool, &given);
                // Only what points at symbols can point at several.
                let points = target::FIELDS.iter().any(|field| given.contains_key(*field));
                let about_targets = problem.kind == ErrorKind::Ambiguous
                    || matches!(
                        problem.detail,
                        Some("inexact_target" | "not_renameable" | "method_unsupported")
                    );
                if points || !about_targets {
                    assert!(!steps.is_empty(), "{:?} {:?} of {tool}", problem.kind, problem.detail);
                }
                for step in steps {
                    let NextStep::Tool { tool: next, arguments, .. } = step else { continue };
                    let entry = TOOLS.iter().find(|entry| entry.name == next).unwrap();
                    let mut arguments = arguments.as_object().cloned().unwrap();
                    let told =
                        format!("{:?} {:?} of {tool}: {next} {arguments:?}", problem.kind, problem.detail);
                    validate::check(&(entry.input_schema)(), &mut arguments)
                        .unwrap_or_else(|error| panic!("{told}: {error}"));
                    assert!(entry.effect != Effect::Write || arguments["dry_run"] == json!(true), "{told}");
                    checked += 1;
                }
            }
        }
        assert!(checked > 40, "{checked}");
    }

    #[test]
    fn taking_back_what_was_changed_since_is_not_planned_again() {
        let problem = Problem::new(ErrorKind::StalePlan, "x").fact("files", vec!["src/a.rs".to_owned()]);
        let steps = advise_all(&problem, "undo_edits", &Map::new());
        let steps: Vec<Value> = steps.iter().map(NextStep::to_json).collect();
        assert_eq!(steps[0]["tool"], "read_file");
        assert!(!json!(steps).to_string().contains("plan again"), "{steps:?}");
    }

    #[test]
    fn a_refused_deletion_leads_to_the_uses() {
        let problem = Problem::new(ErrorKind::InvalidParams, "x").detail("still_used");
        let given = json!({ "symbol_name": "run", "operation": "delete" });
        let steps = advise_all(&problem, "edit_symbol", &given.as_object().cloned().unwrap());
        let first = steps[0].to_json();
        assert_eq!(
            (&first["tool"], &first["arguments"]),
            (&json!("find_references"), &json!({ "symbol_name": "run" }))
        );
    }

    #[test]
    fn a_stale_rename_is_planned_anew_without_what_was_expected() {
        let problem = Problem::new(ErrorKind::StalePlan, "x").fact("files", vec!["src/a.rs".to_owned()]);
        let given = json!({ "symbol_name": "run", "new_name": "go", "dry_run": false, "expected_before_sha256": { "a": "b" } });
        let steps = advise_all(&problem, "rename_symbol", &given.as_object().cloned().unwrap());
        let first = steps[0].to_json();
        assert_eq!(first["arguments"], json!({ "symbol_name": "run", "new_name": "go", "dry_run": true }));
        assert_eq!(steps[1].to_json()["arguments"], json!({ "file_path": "src/a.rs" }));
    }
}
