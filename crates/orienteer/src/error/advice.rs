//! What to do about a problem: one table from kind and detail to steps.

use orienteer_base::{ErrorKind, Problem};
use serde_json::{Map, Value, json};

use super::{NextStep, edit, index, remote, servers, triage};

/// The advice for a problem of `tool` called with `arguments`. Steps name tools that may be switched off;
/// the router keeps those that can run.
pub fn advise(problem: &Problem, tool: &'static str, arguments: &Map<String, Value>) -> Vec<NextStep> {
    let mut steps = steps(problem, tool, arguments);
    edit::make_safe(&mut steps);
    steps
}

fn steps(problem: &Problem, tool: &'static str, arguments: &Map<String, Value>) -> Vec<NextStep> {
    let argument = |name: &str| arguments.get(name).and_then(Value::as_str);
    let path = || argument("file_path").or_else(|| argument("path")).unwrap_or(".");
    let mut steps = Vec::new();
    let is_known = remote::advise(problem, tool, arguments, &mut steps)
        || triage::advise(problem, tool, arguments, &mut steps)
        || index::advise(problem, tool, arguments, &mut steps)
        || edit::advise(problem, tool, arguments, &mut steps)
        || servers::advise(problem, tool, arguments, &mut steps);
    if is_known {
        return steps;
    }
    match (problem.kind, problem.detail) {
        (ErrorKind::NotFound, Some("no_such_path")) => {
            for candidate in problem.candidates.iter().take(2) {
                let mut again = arguments.clone();
                again.remove("cursor");
                if put_path(&mut again, candidate) {
                    steps.push(NextStep::tool(tool, Value::Object(again), format!("Try `{candidate}`.")));
                }
            }
            let name = path().rsplit('/').next().unwrap_or_default();
            if !name.is_empty() && name.len() < 200 && !name.contains(['{', '[', '*', '?', '\\']) {
                let message = format!("Look for files called `{name}`.");
                steps.push(NextStep::tool("find_files", json!({ "names": [name], "case_sensitive": false }), message));
            }
            steps.push(NextStep::tool("list_tree", json!({}), "See what the workspace root holds."));
        }
        (ErrorKind::PathNotAllowed, _) => {
            steps.push(NextStep::tool("get_current_config", json!({}), "See which roots may be read."));
            steps.push(NextStep::config(
                "Add the folder to `workspace.allowed_roots`, or start with `--workspace-root DIR`.",
            ));
        }
        (ErrorKind::InvalidParams, Some("invalid_regex")) => {
            let mut literal = arguments.clone();
            literal.remove("cursor");
            let pattern = argument("pattern").or_else(|| argument("match_string")).unwrap_or_default();
            if tool == "search_code" && (pattern.contains('\n') || pattern.contains("\\n")) {
                literal.insert("multiline".to_owned(), json!(true));
                let message = "Search over several lines.";
                steps.push(NextStep::tool(tool, Value::Object(literal), message));
                return steps;
            }
            if pattern.contains('\0') {
                steps.push(NextStep::Doc { message: "Leave the NUL byte out; text files have none.".to_owned() });
                return steps;
            }
            if tool == "search_code" {
                literal.insert("fixed_string".to_owned(), json!(true));
            } else {
                literal.insert("match_is_regex".to_owned(), json!(false));
            }
            steps.push(NextStep::tool(tool, Value::Object(literal), "Search for the same text literally."));
        }
        (ErrorKind::InvalidParams, Some("is_directory")) => {
            steps.push(NextStep::tool("list_tree", json!({ "path": path() }), "List that folder."));
            steps.push(NextStep::tool(
                "search_code",
                json!({ "pattern": ".", "path": path(), "files_only": true }),
                "List the files below that folder.",
            ));
        }
        (ErrorKind::InvalidParams, Some("not_a_directory")) => {
            steps.push(NextStep::tool("read_file", json!({ "file_path": path() }), "Read that file."));
        }
        (ErrorKind::InvalidParams, Some("cursor_mismatch" | "invalid_cursor")) => {
            let mut first = arguments.clone();
            first.remove("cursor");
            steps.push(NextStep::tool(tool, Value::Object(first), "Start again at the first page."));
        }
        (ErrorKind::InvalidParams, _) => steps.push(NextStep::Doc {
            message: format!("`orienteer tools {tool}` shows every argument with its type and limits."),
        }),
        (ErrorKind::ReadOnly, _) => steps.push(NextStep::config(
            "This session is read-only. A person can start it with `--mode refactor` or set `mcp.read_only = false`.",
        )),
        (ErrorKind::NotEnabled, Some("needs_trust")) => {
            steps.push(NextStep::command(
                "Run `orienteer trust`: it shows what would run and asks; only a person should answer.",
            ));
            if arguments.contains_key("mode") {
                let mut server = arguments.clone();
                server.insert("mode".to_owned(), json!("server"));
                let message = "Ask the language server, which runs nothing of the project.";
                steps.push(NextStep::tool(tool, Value::Object(server), message));
            }
        }
        (ErrorKind::NotEnabled, _) => steps.push(NextStep::config(problem.message.clone())),
        (ErrorKind::Timeout, _) => {
            steps.push(NextStep::Doc {
                message: "Narrow the question: a smaller `path`, a file type, a rarer pattern.".to_owned(),
            });
            steps.push(NextStep::config(format!("Raise `mcp.tool_timeouts.{tool}` (milliseconds).")));
        }
        (ErrorKind::TooLarge, Some("line_too_long")) => {
            let arguments = json!({ "file_path": path(), "char_offset": 0, "char_length": 5000 });
            steps.push(NextStep::tool("read_file", arguments, "Read the file by characters."));
        }
        (ErrorKind::TooLarge, Some("beyond_network")) => steps.push(NextStep::Doc {
            message: "Clone the repository and read the file there.".to_owned(),
        }),
        (ErrorKind::TooLarge, Some("reply_too_large")) => steps.push(NextStep::Doc {
            message: "Ask for less at a time: a smaller `limit`, a narrower path, no details.".to_owned(),
        }),
        (ErrorKind::TooLarge, _) => steps.push(NextStep::Doc {
            message: "Ask for a part: `start_line` and `end_line`, or `match_string`.".to_owned(),
        }),
        (ErrorKind::Unsupported, Some("binary_file")) => {
            let name = path().rsplit('/').next().unwrap_or_default();
            if !name.contains(['{', '[', '*', '?', '\\']) {
                let message = "See the size and age of that file; its bytes are not text.";
                let arguments = json!({ "names": [name], "hidden": true, "no_ignore": true });
                steps.push(NextStep::tool("find_files", arguments, message));
            }
            steps.push(NextStep::Doc { message: "Read the text it was made from instead.".to_owned() });
        }
        (ErrorKind::Unsupported, Some("not_a_file")) => steps.push(NextStep::Doc {
            message: "Pipes, sockets and devices are not read; name a regular file.".to_owned(),
        }),
        (ErrorKind::Unsupported, _) => steps.push(NextStep::Doc {
            message: "Use search_code, which needs no grammar, or one of the legal values.".to_owned(),
        }),
        (ErrorKind::InternalError, _) => {
            steps.push(NextStep::tool("health_check", json!({}), "See whether other calls fail too."));
            steps.push(NextStep::Command { message: "Run `orienteer doctor` and report its output.".to_owned() });
        }
        _ => {}
    }
    if steps.iter().all(|step| !matches!(step, NextStep::Tool { .. }))
        && matches!(problem.kind, ErrorKind::ReadOnly | ErrorKind::NotEnabled | ErrorKind::NotFound)
    {
        let message = "Confirm the effective configuration (roots, read-only, tools, caps).";
        steps.push(NextStep::tool("get_current_config", json!({}), message));
    }
    steps
}

/// Puts another path in the place of the one that was not found; says whether there was one.
fn put_path(arguments: &mut Map<String, Value>, path: &str) -> bool {
    if let Some(Value::Array(paths)) = arguments.get_mut("file_paths") {
        *paths = vec![json!(path)];
        return true;
    }
    let first = arguments.get_mut("targets").and_then(Value::as_array_mut).and_then(|list| list.first_mut());
    let object = match first {
        Some(Value::Object(target)) => target,
        _ => arguments,
    };
    let field = ["file_path", "path"].into_iter().find(|field| object.contains_key(*field));
    if let Some(field) = field {
        object.insert(field.to_owned(), json!(path));
    }
    field.is_some()
}
