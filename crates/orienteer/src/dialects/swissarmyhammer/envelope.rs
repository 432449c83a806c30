//! How answers and errors go out: plain JSON, and `{error: {code, message, details}}`.

use orienteer_base::{Budget, ErrorKind, Problem};
use serde_json::{Map, Value, json};

use super::{answer, details};
use crate::dialect::{Envelope, Rendering, written};
use crate::error::Failure;
use crate::render::{Outcome, Reply};
use crate::tool::Entry;

pub(super) struct Plain;

impl Envelope for Plain {
    fn success(&self, _entry: &Entry, mut reply: Reply, _with: &Rendering<'_>) -> Outcome {
        let told = reply.warnings.iter().filter(|warning| answer::is_told(warning));
        let more: Vec<Value> = told.map(|warning| json!(warning.message)).collect();
        if !more.is_empty() {
            let warnings = reply.fields.entry("warnings").or_insert_with(|| json!([]));
            if let Value::Array(warnings) = warnings {
                warnings.extend(more);
            }
        }
        written(reply.fields, false)
    }

    fn failure(
        &self,
        _entry: &Entry,
        arguments: &Map<String, Value>,
        failure: &Failure,
        _budget: Budget,
    ) -> Outcome {
        let problem = &failure.problem;
        let code = code(problem);
        let (message, details) = details::of(code, problem, arguments);
        tracing::warn!(code, message, reason = problem.message, "answered with an error");
        let error = json!({ "code": code, "message": message, "details": details });
        written(Map::from_iter([("error".to_owned(), error)]), true)
    }
}

/// The document's seven codes; what it has no word for has one of ours, without the prefix.
fn code(problem: &Problem) -> &'static str {
    match problem.kind {
        ErrorKind::PrerequisiteMissing => "LSP_PREREQUISITE_MISSING",
        ErrorKind::ServerUnavailable => "LSP_SERVER_UNAVAILABLE",
        ErrorKind::ServerStartFailed => "LSP_SERVER_START_FAILED",
        ErrorKind::ServerCrashed => "LSP_SERVER_CRASHED",
        ErrorKind::NoProjectRoot => "LSP_NO_PROJECT_ROOT",
        ErrorKind::NotReady | ErrorKind::NotIndexed => "LSP_FILE_NOT_INDEXED",
        ErrorKind::InvalidParams if problem.detail == Some("no_server_for_extension") => {
            "LSP_UNSUPPORTED_FILE"
        }
        ErrorKind::InvalidParams => "INVALID_PARAMS",
        ErrorKind::NotFound => "NOT_FOUND",
        ErrorKind::Ambiguous => "AMBIGUOUS",
        ErrorKind::Unsupported => "UNSUPPORTED_OPERATION",
        ErrorKind::TooLarge => "TOO_LARGE",
        ErrorKind::ReadOnly => "READ_ONLY",
        ErrorKind::NotEnabled => "NOT_ENABLED",
        ErrorKind::PathNotAllowed => "PATH_NOT_ALLOWED",
        ErrorKind::StalePlan => "STALE_PLAN",
        ErrorKind::Timeout => "TIMEOUT",
        ErrorKind::Cancelled => "CANCELLED",
        ErrorKind::RateLimited => "RATE_LIMITED",
        ErrorKind::AuthRequired => "AUTH_REQUIRED",
        ErrorKind::Network => "NETWORK",
        ErrorKind::Overloaded => "OVERLOADED",
        ErrorKind::InternalError => "INTERNAL_ERROR",
    }
}
