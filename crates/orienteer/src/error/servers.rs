//! What to do about problems that have to do with language servers and with pointing at code.

use orienteer_base::{ErrorKind, Problem};
use serde_json::{Map, Value, json};

use super::{NextStep, fact};
use crate::tool::Toolset;
use crate::tools::{TOOLS, target};

/// A wait that lets most servers load most projects.
const LONG_WAIT_MS: u64 = 60_000;
const LONGEST_WAIT_MS: u64 = 600_000;

type Arguments = Map<String, Value>;

/// Adds the steps for a problem of this kind; says whether it was one.
pub(super) fn advise(
    problem: &Problem,
    tool: &'static str,
    arguments: &Arguments,
    steps: &mut Vec<NextStep>,
) -> bool {
    match (problem.kind, problem.detail) {
        (ErrorKind::InvalidParams, Some("no_server_for_extension")) => {
            steps.push(config_step());
            steps.push(NextStep::tool(
                "list_servers",
                json!({}),
                "See which servers there are and for which extensions.",
            ));
            steps.push(status_step(problem));
            steps.push(NextStep::config(
                "Add the extension to `servers[].extensions`, or name a file whose extension has a server.",
            ));
        }
        (ErrorKind::InvalidParams, Some("incomplete_target")) => incomplete(tool, arguments, steps),
        (ErrorKind::Ambiguous, _) => {
            for candidate in problem.candidates.iter().take(3) {
                let again = pointed(arguments, json!({ "symbol_id": candidate }));
                steps.push(NextStep::tool(tool, again, format!("Take `{candidate}`.")));
            }
            steps.push(NextStep::doc(
                "Point more exactly: file_path and line, symbol_kind, or a longer name path.",
            ));
        }
        (ErrorKind::InvalidParams, Some("no_such_line" | "no_such_column")) => {
            outline_step(arguments, steps);
            steps.push(NextStep::doc("Lines and columns are counted from 1; the file may have changed."));
        }
        (ErrorKind::InvalidParams, Some("no_such_occurrence")) => {
            let mut first = arguments.clone();
            first.remove("occurrence");
            steps.push(NextStep::tool(tool, Value::Object(first), "Take the first occurrence."));
        }
        (ErrorKind::NotFound, Some("unknown_baseline")) => {
            for known in problem.candidates.iter().take(2) {
                let mut again = arguments.clone();
                again.insert("baseline".to_owned(), json!(known));
                let message = format!("Compare with the baseline `{known}`.");
                steps.push(NextStep::tool(tool, Value::Object(again), message));
            }
            steps.push(NextStep::doc("Save one with save_baseline before the edit."));
        }
        (ErrorKind::NotFound, detail) if pointing(detail, arguments) => {
            for candidate in problem.candidates.iter().take(2) {
                let nearby = match (detail, text(pointer(arguments), "file_path")) {
                    (Some("unknown_symbol_id"), _) => json!({ "symbol_id": candidate }),
                    (_, Some(file)) => json!({ "file_path": file, "symbol_name": candidate }),
                    (_, None) if candidate.contains('#') => json!({ "symbol_id": candidate }),
                    (_, None) => json!({ "symbol_name": candidate }),
                };
                let message = format!("Try `{candidate}`.");
                steps.push(NextStep::tool(tool, pointed(arguments, nearby), message));
            }
            missing(arguments, steps);
        }
        (ErrorKind::ServerUnavailable, Some("not_trusted")) => {
            steps.push(NextStep::command(
                "Read what the project configures; if you trust it, run `orienteer trust` in it.",
            ));
            steps.push(NextStep::tool("list_servers", json!({}), "See which other servers there are."));
            text_search(arguments, steps);
        }
        (ErrorKind::ServerUnavailable | ErrorKind::PrerequisiteMissing, _) => {
            if let Some(hint) = fact(problem, "install_hint").or_else(|| fact(problem, "suggestion")) {
                steps.push(NextStep::command(format!("Install what is missing: {hint}")));
            }
            steps.push(NextStep::tool(
                "list_servers",
                json!({}),
                "See what is installed and how to install the rest.",
            ));
            text_search(arguments, steps);
        }
        (ErrorKind::ServerStartFailed, _) => {
            if let Some(suggestion) = fact(problem, "suggestion") {
                steps.push(NextStep::doc(suggestion));
            }
            steps.push(status_step(problem));
            steps.push(NextStep::command("Run `orienteer doctor`: it checks the commands of the servers."));
            text_search(arguments, steps);
        }
        (ErrorKind::ServerCrashed, _) => {
            let server = fact(problem, "server_id").map_or(json!({}), |id| json!({ "server_id": id }));
            steps.push(NextStep::tool("restart_server", server, "Start the server afresh."));
            steps.push(status_step(problem));
            steps.push(NextStep::tool(tool, Value::Object(arguments.clone()), "Ask again."));
            text_search(arguments, steps);
        }
        (ErrorKind::NotReady, _) => {
            wait_longer(tool, arguments, steps);
            steps.push(status_step(problem));
            text_search(arguments, steps);
        }
        (ErrorKind::NotIndexed, _) => {
            steps.push(NextStep::tool("build_index", json!({}), "Build the index."));
            text_search(arguments, steps);
            steps.push(NextStep::doc("search_code needs no index."));
        }
        (ErrorKind::NoProjectRoot, _) => {
            steps.push(config_step());
            steps.push(NextStep::config(
                "Set `servers[].root_dir`, or add the file that marks the project to `servers[].root_markers`.",
            ));
        }
        (ErrorKind::Timeout, _) if asks_a_server(tool) => {
            steps.push(status_step(problem));
            wait_longer(tool, arguments, steps);
            steps.push(NextStep::config(format!(
                "Raise `mcp.tool_timeouts.{tool}` or the server's `request_timeout_ms` (milliseconds)."
            )));
        }
        (ErrorKind::InternalError, Some("server_error" | "unreadable_answer")) => {
            steps.push(status_step(problem));
            text_search(arguments, steps);
        }
        (ErrorKind::Unsupported, Some("no_version_control")) => {
            let mut whole = arguments.clone();
            whole.insert("scope".to_owned(), json!("workspace"));
            steps.push(NextStep::tool(tool, Value::Object(whole), "Check the whole workspace."));
        }
        (ErrorKind::Unsupported, Some("no_compiler")) => {
            let mut server = arguments.clone();
            server.insert("mode".to_owned(), json!("server"));
            steps.push(NextStep::tool(tool, Value::Object(server), "Ask the language servers instead."));
        }
        (ErrorKind::Unsupported, Some("method_unsupported")) => {
            if !["find_references", "hover"].contains(&tool) {
                steps.extend(same_target("find_references", arguments, "Look at the references instead."));
            }
            text_search(arguments, steps);
            steps.push(NextStep::doc("This server cannot answer that; search_code needs no server."));
        }
        _ => return false,
    }
    true
}

fn config_step() -> NextStep {
    let message = "Confirm the effective configuration (roots, servers, caps).";
    NextStep::tool("get_current_config", json!({}), message)
}

fn status_step(problem: &Problem) -> NextStep {
    let about = fact(problem, "server_id").map_or(json!({}), |id| json!({ "server_id": id }));
    NextStep::tool(
        "get_server_status",
        about,
        "See whether the server runs, what it does and its last error.",
    )
}

/// Whether the tool's answers come from language servers.
fn asks_a_server(tool: &str) -> bool {
    TOOLS.iter().any(|entry| {
        entry.name == tool && matches!(entry.toolset, Toolset::Navigate | Toolset::Diagnose | Toolset::Edit)
    })
}

/// The fields of the arguments that point at code; of the first target where there are several.
fn pointer(arguments: &Arguments) -> &Arguments {
    let first = arguments.get("targets").and_then(Value::as_array).and_then(|targets| targets.first());
    first.and_then(Value::as_object).unwrap_or(arguments)
}

/// The arguments with another target in the place of theirs.
fn pointed(arguments: &Arguments, target: Value) -> Value {
    let mut again = arguments.clone();
    again.remove("cursor");
    if again.contains_key("targets") {
        again.insert("targets".to_owned(), json!([target]));
        return Value::Object(again);
    }
    again.retain(|name, _| !target::FIELDS.contains(&name.as_str()));
    if let Value::Object(target) = target {
        again.extend(target);
    }
    Value::Object(again)
}

fn text<'a>(arguments: &'a Arguments, name: &str) -> Option<&'a str> {
    arguments.get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty())
}

/// Only the fields that point, for another tool.
fn same_target(tool: &'static str, arguments: &Arguments, message: &str) -> Option<NextStep> {
    let from = pointer(arguments);
    let target: Arguments = from
        .iter()
        .filter(|(name, _)| target::FIELDS.contains(&name.as_str()))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    // A file alone does not point at anything in it.
    let enough = ["symbol_name", "symbol_id", "column"].iter().any(|field| target.contains_key(*field));
    enough.then(|| NextStep::tool(tool, Value::Object(target), message))
}

/// The last part of a name path: the word as it stands in the code.
fn word(arguments: &Arguments) -> Option<&str> {
    let pointer = pointer(arguments);
    let name = text(pointer, "symbol_name").or_else(|| text(arguments, "query"))?;
    let last = name.rsplit([':', '.', '/', '#']).find(|part| !part.trim().is_empty())?;
    (last.len() < 200 && !last.contains('\0')).then_some(last.trim())
}

/// The word as text, which needs no server.
fn text_search(arguments: &Arguments, steps: &mut Vec<NextStep>) {
    if let Some(word) = word(arguments) {
        let search = json!({ "pattern": word, "fixed_string": true, "whole_word": true });
        steps.push(NextStep::tool("search_code", search, format!("Search for `{word}` as text.")));
    }
}

fn wait_longer(tool: &'static str, arguments: &Arguments, steps: &mut Vec<NextStep>) {
    let asked = arguments.get("wait_ms").and_then(Value::as_u64).unwrap_or(0);
    let wait = (asked.saturating_mul(2)).clamp(LONG_WAIT_MS, LONGEST_WAIT_MS);
    if wait > asked {
        let mut again = arguments.clone();
        again.insert("wait_ms".to_owned(), json!(wait));
        let message = format!("Ask again and wait up to {} s for the server.", wait / 1_000);
        steps.push(NextStep::tool(tool, Value::Object(again), message));
    }
}

/// Whether what was not found is a symbol.
fn pointing(detail: Option<&str>, arguments: &Arguments) -> bool {
    let pointer = pointer(arguments);
    let about_code = ["symbol_name", "symbol_id", "line"].iter().any(|field| pointer.contains_key(*field));
    about_code
        && !matches!(detail, Some("no_such_path" | "unreadable" | "unknown_server" | "unknown_baseline"))
}

fn missing(arguments: &Arguments, steps: &mut Vec<NextStep>) {
    let pointer = pointer(arguments);
    if let Some(word) = word(arguments) {
        let query = json!({ "query": word, "match": "fuzzy" });
        steps.push(NextStep::tool("find_symbol", query, format!("Look for symbols like `{word}`.")));
    }
    text_search(arguments, steps);
    outline_step(arguments, steps);
    if text(pointer, "file_path").is_none() && word(arguments).is_none() {
        steps.push(NextStep::doc("Point with file_path, line and column, or with symbol_name."));
    }
}

/// The outline of the file that the arguments name.
fn outline_step(arguments: &Arguments, steps: &mut Vec<NextStep>) {
    if let Some(file) = text(pointer(arguments), "file_path") {
        let outline = json!({ "file_path": file });
        steps.push(NextStep::tool("document_symbols", outline, "See which symbols that file has."));
    }
}

fn incomplete(tool: &'static str, arguments: &Arguments, steps: &mut Vec<NextStep>) {
    let pointer = pointer(arguments);
    match (text(pointer, "file_path"), text(pointer, "symbol_name")) {
        (Some(_), _) => outline_step(arguments, steps),
        (None, Some(name)) => {
            let again = pointed(arguments, json!({ "symbol_name": name }));
            steps.push(NextStep::tool(tool, again, format!("Look for `{name}` in the whole workspace.")));
        }
        (None, None) => {}
    }
    steps.push(NextStep::doc(target::ENOUGH));
}
