//! A union that is told apart by `status`: the fields of an answer, or `error_code` and `message`.

use std::path::Path;
use std::time::Duration;

use orienteer_base::error::cut;
use orienteer_base::{Budget, ErrorKind, Fact, Problem};
use serde_json::{Map, Value, json};

use crate::dialect::{Envelope, Rendering, written};
use crate::error::Failure;
use crate::render::{Outcome, Reply};
use crate::router::Refused;
use crate::tool::Entry;

pub(super) struct Union;

/// What the log keeps of the arguments of a call.
const LOGGED_CHARS: usize = 500;

/// The word for a failure.
pub(super) fn code(problem: &Problem) -> &'static str {
    use ErrorKind as K;
    match (problem.kind, problem.detail) {
        (K::NotFound, Some("no_such_path")) => "file_not_found",
        (K::NotFound, Some("unreadable")) => "invalid_path",
        (K::ServerUnavailable | K::PrerequisiteMissing | K::NotFound, _) => "not_found",
        (K::Timeout, _) => "timeout",
        (K::InternalError, Some("checker_output")) => "parse_error",
        (
            K::InvalidParams,
            Some(
                "relative_path"
                | "empty_path"
                | "nul_byte"
                | "path_too_long"
                | "is_directory"
                | "not_a_directory"
                | "not_python"
                | "no_server_for_extension"
                | "unusable_root",
            ),
        ) => "invalid_path",
        (K::InvalidParams | K::Ambiguous | K::TooLarge, _) => "validation_error",
        (K::ServerCrashed, _) => "lsp_crash",
        (K::ServerStartFailed | K::Unsupported, _) | (K::InternalError, Some("server_error")) => "lsp_error",
        (K::NotReady | K::NotIndexed | K::NoProjectRoot, _) => "lsp_not_ready",
        (K::PathNotAllowed, _) => "path_not_allowed",
        (K::Cancelled, _) => "cancelled",
        // Whatever else goes wrong went wrong while the call ran.
        _ => "execution_error",
    }
}

/// What the client can do about it, where the message alone does not say so.
fn advice(problem: &Problem) -> Option<&'static str> {
    match problem.detail? {
        "checker_timeout" => Some("raise PYRIGHT_MCP_CLI_TIMEOUT (seconds), or check a smaller path"),
        "checker_output" | "checker_failed" => Some(
            "run that command by hand, or set PYRIGHT_MCP_LOG_LEVEL=DEBUG and look at the log, to see all that it says",
        ),
        _ => None,
    }
}

/// The message in the client's words: its own name for the argument, and the path as it wrote it.
fn spoken(problem: &Problem, arguments: &Map<String, Value>) -> Problem {
    let mut problem = problem.clone();
    let named = ["file", "path"].into_iter().find_map(|name| Some((name, arguments.get(name)?.as_str()?)));
    let Some((name, written)) = named else { return problem };
    if problem.field == Some("file_path") {
        problem.field = Some(name);
        problem.message = problem.message.replacen("`file_path`", &format!("`{name}`"), 1);
    }
    if problem.detail == Some("unreadable") {
        // The path in the message is relative to a project that the client knows nothing of.
        let parted = ["` cannot be read: ", "` could not be opened: ", "` cannot be opened: "];
        let parts = parted.iter().find_map(|between| problem.message.split_once(between));
        let subject = |before: &str| before.rsplit('`').next().unwrap_or_default().to_owned();
        if let Some((before, reason)) = parts
            && Path::new(written).ends_with(subject(before))
        {
            problem.message = format!("`{name}`: {} cannot be read: {reason}", cut(written));
        }
    }
    problem
}

fn error(problem: &Problem) -> Outcome {
    let mut message = problem.message.clone();
    if let Some(advice) = advice(problem) {
        message.push_str(&format!("; {advice}"));
    }
    for name in ["install_hint", "suggestion"] {
        let fact = problem.facts.iter().find(|(known, _)| *known == name);
        if let Some((_, Fact::Text(hint))) = fact.filter(|_| code(problem) == "not_found") {
            message.push_str(&format!("; install it: {hint}"));
        }
    }
    let fields = [("status", "error"), ("error_code", code(problem)), ("message", message.as_str())];
    written(fields.map(|(name, value)| (name.to_owned(), json!(value))).into_iter().collect(), true)
}

impl Envelope for Union {
    fn success(&self, _entry: &Entry, reply: Reply, _with: &Rendering<'_>) -> Outcome {
        let mut fields = Map::from_iter([("status".to_owned(), json!("success"))]);
        fields.extend(reply.fields);
        if !reply.warnings.is_empty() {
            let more = reply.warnings.into_iter().map(|warning| json!(warning.message));
            match fields.entry("warnings").or_insert_with(|| json!([])) {
                Value::Array(warnings) => warnings.extend(more),
                _ => tracing::error!("warnings are no list"),
            }
        }
        written(fields, false)
    }

    fn failure(&self, _: &Entry, arguments: &Map<String, Value>, failure: &Failure, _: Budget) -> Outcome {
        error(&spoken(&failure.problem, arguments))
    }

    fn log_begin(&self, tool: &str, arguments: &Map<String, Value>) {
        let parameters: String = json!(arguments).to_string().chars().take(LOGGED_CHARS).collect();
        tracing::info!(tool_name = tool, parameters, "Tool called");
    }

    fn log_end(&self, took: Duration, result: &Result<Outcome, Refused>) {
        let duration = took.as_secs_f64();
        match result {
            Ok(outcome) if outcome.is_error => {
                let text =
                    |name: &str| outcome.structured.get(name).and_then(Value::as_str).unwrap_or_default();
                tracing::error!(duration, error_type = text("error_code"), "{}", text("message"));
            }
            Ok(_) => tracing::info!(duration, "Tool completed"),
            Err(refused) => tracing::error!(duration, error_type = "refused", "{refused:?}"),
        }
    }

    fn cancelled(&self) -> Option<Outcome> {
        Some(error(&Problem::from(orienteer_base::Stopped)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_failure_has_a_documented_code() {
        let documented = [
            "file_not_found",
            "not_found",
            "timeout",
            "parse_error",
            "invalid_path",
            "execution_error",
            "lsp_crash",
            "lsp_error",
            "lsp_not_ready",
            "validation_error",
            "path_not_allowed",
            "cancelled",
        ];
        use ErrorKind as K;
        let kinds = [
            K::InvalidParams,
            K::NotFound,
            K::Ambiguous,
            K::ServerUnavailable,
            K::PrerequisiteMissing,
            K::ServerStartFailed,
            K::ServerCrashed,
            K::NotReady,
            K::NotIndexed,
            K::NoProjectRoot,
            K::Unsupported,
            K::TooLarge,
            K::ReadOnly,
            K::NotEnabled,
            K::PathNotAllowed,
            K::StalePlan,
            K::Timeout,
            K::Cancelled,
            K::RateLimited,
            K::AuthRequired,
            K::Network,
            K::Overloaded,
            K::InternalError,
        ];
        for kind in kinds {
            assert!(documented.contains(&code(&Problem::new(kind, "x"))), "{kind:?}");
        }
    }

    #[test]
    fn a_file_that_cannot_be_read_is_told_by_the_clients_own_words() {
        let below = "`file_path`: `src/a.py` cannot be read: Permission denied (os error 13)";
        let problem = Problem::new(ErrorKind::NotFound, below).detail("unreadable").field("file_path");
        let told = |name: &str, problem: &Problem| {
            let arguments = Map::from_iter([(name.to_owned(), json!("/p/src/a.py"))]);
            error(&spoken(problem, &arguments)).structured
        };
        for name in ["file", "path"] {
            let told = told(name, &problem);
            assert_eq!(told["error_code"], "invalid_path");
            let message = format!("`{name}`: /p/src/a.py cannot be read: Permission denied (os error 13)");
            assert_eq!(told["message"], message);
        }
        let opening =
            Problem::new(ErrorKind::NotFound, "`/p/src/a.py` could not be opened: Input/output error")
                .detail("unreadable");
        assert_eq!(
            told("path", &opening)["message"],
            "`path`: /p/src/a.py cannot be read: Input/output error"
        );
        let elsewhere =
            Problem::new(ErrorKind::NotFound, "`/p/lib` cannot be opened: it is gone").detail("unreadable");
        assert_eq!(told("file", &elsewhere)["message"], elsewhere.message, "it is about another one");
        let other = Problem::invalid("file_path", "not_python", "`file_path`: `a.rs` is not Python");
        assert_eq!(told("file", &other)["message"], "`file`: `a.rs` is not Python");
    }

    #[test]
    fn an_error_of_the_command_line_says_how_to_look_further() {
        let told = |kind: ErrorKind, detail: &'static str| {
            let outcome = error(&Problem::new(kind, "`pyright` failed").detail(detail));
            outcome.structured["message"].as_str().unwrap().to_owned()
        };
        assert!(told(ErrorKind::Timeout, "checker_timeout").contains("; raise PYRIGHT_MCP_CLI_TIMEOUT"));
        for detail in ["checker_output", "checker_failed"] {
            let message = told(ErrorKind::InternalError, detail);
            assert!(
                message.contains("; run that command by hand")
                    && message.contains("PYRIGHT_MCP_LOG_LEVEL=DEBUG"),
                "{message}"
            );
        }
        assert_eq!(told(ErrorKind::Timeout, "other"), "`pyright` failed");
    }

    #[test]
    fn an_error_says_how_to_install_what_is_missing() {
        let missing =
            Problem::new(ErrorKind::ServerUnavailable, "no pyright").fact("install_hint", "npm i pyright");
        let outcome = error(&missing);
        assert_eq!(
            outcome.text,
            r#"{"status":"error","error_code":"not_found","message":"no pyright; install it: npm i pyright"}"#
        );
        assert!(outcome.is_error);
    }
}
