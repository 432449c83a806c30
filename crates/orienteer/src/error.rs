//! The error funnel: every failure of a tool becomes one shape, written as advice.

use orienteer_base::{ErrorKind, Problem};
use serde_json::{Map, Value, json};

/// What the caller can do next. A `tool` step is safe and runs as given.
#[derive(Debug, Clone, PartialEq)]
pub enum NextStep {
    Tool { message: String, tool: &'static str, arguments: Value },
    Config { message: String },
    Command { message: String },
    Doc { message: String },
}

impl NextStep {
    pub fn tool(tool: &'static str, arguments: Value, message: impl Into<String>) -> Self {
        Self::Tool { message: message.into(), tool, arguments }
    }

    pub fn config(message: impl Into<String>) -> Self {
        Self::Config { message: message.into() }
    }

    pub fn message(&self) -> &str {
        match self {
            Self::Tool { message, .. }
            | Self::Config { message }
            | Self::Command { message }
            | Self::Doc { message } => message,
        }
    }

    pub fn to_json(&self) -> Value {
        match self {
            Self::Tool { message, tool, arguments } => {
                json!({ "kind": "tool", "message": message, "tool": tool, "arguments": arguments })
            }
            Self::Config { message } => json!({ "kind": "config", "message": message }),
            Self::Command { message } => json!({ "kind": "command", "message": message }),
            Self::Doc { message } => json!({ "kind": "doc", "message": message }),
        }
    }
}

/// A failed call: what happened and what to do about it.
#[derive(Debug, Clone)]
pub struct Failure {
    pub problem: Problem,
    pub next_steps: Vec<NextStep>,
    pub retry_after_ms: Option<u64>,
}

impl Failure {
    /// The code of JSON-RPC that fits, where one does.
    pub fn code(&self) -> Option<i64> {
        match self.problem.kind {
            ErrorKind::InvalidParams => Some(-32602),
            ErrorKind::InternalError => Some(-32603),
            ErrorKind::Overloaded => Some(-32001),
            _ => None,
        }
    }

    /// The `error` object.
    pub fn to_json(&self) -> Value {
        let mut error = Map::new();
        error.insert("kind".to_owned(), json!(self.problem.kind));
        error.insert("message".to_owned(), json!(self.problem.message));
        if let Some(code) = self.code() {
            error.insert("code".to_owned(), json!(code));
        }
        let mut data = Map::new();
        if let Some(detail) = self.problem.detail {
            data.insert("kind".to_owned(), json!(detail));
        }
        if let Some(field) = self.problem.field {
            data.insert("field".to_owned(), json!(field));
        }
        if !self.problem.candidates.is_empty() {
            data.insert("candidates".to_owned(), json!(self.problem.candidates));
        }
        if !data.is_empty() {
            error.insert("data".to_owned(), Value::Object(data));
        }
        error.insert("retryable".to_owned(), json!(self.problem.kind.retryable()));
        if let Some(wait) = self.retry_after_ms {
            error.insert("retry_after_ms".to_owned(), json!(wait));
        }
        Value::Object(error)
    }
}

/// The advice for a problem of `tool` called with `arguments`. Steps name tools that may be switched off;
/// the router keeps those that can run.
pub fn advise(problem: &Problem, tool: &'static str, arguments: &Map<String, Value>) -> Vec<NextStep> {
    let argument = |name: &str| arguments.get(name).and_then(Value::as_str);
    let path = || argument("file_path").or_else(|| argument("path")).unwrap_or(".");
    let mut steps = Vec::new();
    match (problem.kind, problem.detail) {
        (ErrorKind::NotFound, Some("no_such_path")) => {
            for candidate in problem.candidates.iter().take(2) {
                let mut again = arguments.clone();
                again.remove("cursor");
                let field = if arguments.contains_key("file_path") { "file_path" } else { "path" };
                again.insert(field.to_owned(), json!(candidate));
                steps.push(NextStep::tool(tool, Value::Object(again), format!("Try `{candidate}`.")));
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
