//! How answers, errors and progress go out: a JSON payload as the text of the answer.

use std::time::{Duration, SystemTime};

use orienteer_base::{Budget, ErrorKind, Fact, Problem};
use serde_json::{Map, Value, json};

use super::hint;
use crate::dialect::{Envelope, Rendering, written};
use crate::error::Failure;
use crate::render::text::time;
use crate::render::{Outcome, Reply};
use crate::router::{Phase, Progress};
use crate::tool::Entry;
use crate::transport::framing::Framing;

pub(super) struct PairOfCleats;

/// Tools that build or fetch. They say when they begin and end, and get more time.
const LONG: &[&str] = &[
    "build_index",
    "build_sqlite_index",
    "compact_sqlite_index",
    "triage_ingest",
    "triage_context_pack",
    "download_models",
    "download_dictionaries",
    "download_extensions",
    "bootstrap",
];

const LONG_PATIENCE: Duration = Duration::from_secs(600);

/// More of what a program wrote helps nobody.
const MOST_OUTPUT: usize = 8_000;

impl Envelope for PairOfCleats {
    fn success(&self, _entry: &Entry, mut reply: Reply, _with: &Rendering<'_>) -> Outcome {
        let said = reply.warnings.iter().map(|warning| json!(warning));
        if let Value::Array(warnings) = reply.fields.entry("warnings").or_insert_with(|| json!([])) {
            warnings.extend(said);
        }
        written(reply.fields, false)
    }

    fn failure(
        &self,
        entry: &Entry,
        _arguments: &Map<String, Value>,
        failure: &Failure,
        _budget: Budget,
    ) -> Outcome {
        let problem = &failure.problem;
        let mut payload = Map::new();
        payload.insert("message".to_owned(), json!(problem.message));
        payload.insert("code".to_owned(), json!(code(problem.kind)));
        for stream in ["stdout", "stderr"] {
            if let Some(text) = text(problem, stream) {
                payload.insert(stream.to_owned(), json!(tail(text)));
            }
        }
        if let Some(hint) = hint::hint(entry.name, failure) {
            payload.insert("hint".to_owned(), json!(hint));
        }
        let limit = problem.facts.iter().find_map(|(name, fact)| match fact {
            Fact::Number(limit) if *name == "timeout_ms" => Some(*limit),
            _ => None,
        });
        if let Some(limit) = limit {
            payload.insert("timeoutMs".to_owned(), json!(limit));
        }
        written(payload, true)
    }

    fn patience(&self, tool: &str) -> Option<Duration> {
        LONG.contains(&tool).then_some(LONG_PATIENCE)
    }

    fn framing(&self) -> Framing {
        Framing::ContentLength
    }

    fn progress(&self, request: &Value, tool: &str, progress: &Progress) -> Option<Map<String, Value>> {
        let (phase, message) = match progress.phase {
            Phase::UnderWay => {
                let counted = || format!("{} files", progress.done);
                ("progress", progress.note.clone().unwrap_or_else(counted))
            }
            Phase::Begun | Phase::Finished if !LONG.contains(&tool) => return None,
            Phase::Begun => ("start", format!("{tool} started")),
            Phase::Finished => ("done", format!("{tool} finished")),
        };
        let told = json!({
            "id": request,
            "tool": tool,
            "message": message,
            "stream": "info",
            "phase": phase,
            "ts": to_the_millisecond(SystemTime::now()),
        });
        told.as_object().cloned()
    }
}

/// The one table of codes.
fn code(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::InvalidParams => "INVALID_REQUEST",
        ErrorKind::NotFound => "NOT_FOUND",
        ErrorKind::Ambiguous => "AMBIGUOUS",
        ErrorKind::ServerUnavailable => "SERVER_UNAVAILABLE",
        ErrorKind::PrerequisiteMissing => "PREREQUISITE_MISSING",
        ErrorKind::ServerStartFailed => "SERVER_START_FAILED",
        ErrorKind::ServerCrashed => "SERVER_CRASHED",
        ErrorKind::NotReady => "NOT_READY",
        ErrorKind::NotIndexed => "NO_INDEX",
        ErrorKind::NoProjectRoot => "NO_REPO",
        ErrorKind::Unsupported => "UNSUPPORTED",
        ErrorKind::TooLarge => "TOO_LARGE",
        ErrorKind::ReadOnly => "READ_ONLY",
        ErrorKind::NotEnabled => "NOT_ENABLED",
        ErrorKind::PathNotAllowed => "FORBIDDEN",
        ErrorKind::StalePlan => "STALE",
        ErrorKind::Timeout => "TOOL_TIMEOUT",
        ErrorKind::Cancelled => "CANCELLED",
        ErrorKind::RateLimited => "RATE_LIMITED",
        ErrorKind::AuthRequired => "UNAUTHORIZED",
        ErrorKind::Network => "NETWORK",
        ErrorKind::Overloaded => "BUSY",
        ErrorKind::InternalError => "INTERNAL",
    }
}

fn text<'p>(problem: &'p Problem, name: &str) -> Option<&'p str> {
    problem.facts.iter().find_map(|(known, fact)| match fact {
        Fact::Text(text) if *known == name => Some(text.trim()).filter(|text| !text.is_empty()),
        _ => None,
    })
}

/// The end says what went wrong.
fn tail(text: &str) -> &str {
    let from = text.char_indices().rev().nth(MOST_OUTPUT - 1).map_or(0, |(at, _)| at);
    &text[from..]
}

/// `2026-01-31T12:00:00.250Z`
fn to_the_millisecond(now: SystemTime) -> String {
    let millis = now.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.subsec_millis());
    format!("{}.{millis:03}Z", time(now).trim_end_matches('Z'))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::error::NextStep;

    fn failed(problem: Problem, next_steps: Vec<NextStep>) -> Value {
        let entry = &super::super::tools::TOOLS[0];
        let failure = Failure { problem, next_steps };
        let outcome = PairOfCleats.failure(entry, &Map::new(), &failure, Budget::default());
        assert!(outcome.is_error);
        serde_json::from_str(&outcome.text).unwrap()
    }

    #[test]
    fn an_error_has_what_is_known_and_nothing_else() {
        let bare = failed(Problem::new(ErrorKind::NotFound, "gone"), Vec::new());
        assert_eq!(bare, json!({ "message": "gone", "code": "NOT_FOUND" }));
        let problem = Problem::new(ErrorKind::Timeout, "too slow")
            .fact("timeout_ms", 250)
            .fact("stdout", "")
            .fact("stderr", format!("{}the cause\n", "é".repeat(20_000)));
        let whole = failed(problem, Vec::new());
        assert!(whole["hint"].as_str().unwrap().contains("mcp.toolTimeouts.index_status"), "{whole}");
        assert_eq!((&whole["code"], &whole["timeoutMs"]), (&json!("TOOL_TIMEOUT"), &json!(250)));
        assert!(whole.get("stdout").is_none(), "{whole}");
        let stderr = whole["stderr"].as_str().unwrap();
        assert!(stderr.ends_with("the cause") && stderr.chars().count() == MOST_OUTPUT);
    }

    #[test]
    fn every_code_stands_on_the_page_and_no_other() {
        use ErrorKind::*;
        let kinds = [
            InvalidParams,
            NotFound,
            Ambiguous,
            ServerUnavailable,
            PrerequisiteMissing,
            ServerStartFailed,
            ServerCrashed,
            NotReady,
            NotIndexed,
            NoProjectRoot,
            Unsupported,
            TooLarge,
            ReadOnly,
            NotEnabled,
            PathNotAllowed,
            StalePlan,
            Timeout,
            Cancelled,
            RateLimited,
            AuthRequired,
            Network,
            Overloaded,
            InternalError,
        ];
        let page = include_str!("../../../../../docs/dialects/pairofcleats.md");
        let listed = page.split("## Error codes").nth(1).unwrap();
        let listed: BTreeSet<&str> =
            listed.split('`').skip(1).step_by(2).filter(|word| *word != "timeoutMs").collect();
        assert_eq!(listed, kinds.into_iter().map(code).collect());
    }

    #[test]
    fn advice_about_settings_is_passed_on_and_that_about_other_tools_is_not() {
        let steps =
            vec![NextStep::config("Set it."), NextStep::doc("See there."), NextStep::command("Run it.")];
        let told = failed(Problem::new(ErrorKind::NotEnabled, "off"), steps);
        assert_eq!(told["hint"], "Set it. Run it.");
    }

    #[test]
    fn progress_names_the_request_and_id_0_is_one() {
        let at = |phase| Progress { phase, done: 3, note: None };
        let told = PairOfCleats.progress(&json!(0), "build_index", &at(Phase::UnderWay)).unwrap();
        let names: Vec<&str> = told.keys().map(String::as_str).collect();
        assert_eq!(names, ["id", "tool", "message", "stream", "phase", "ts"]);
        assert_eq!((&told["id"], &told["message"]), (&json!(0), &json!("3 files")));
        let phase = |tool: &str, phase| {
            PairOfCleats.progress(&json!("a"), tool, &at(phase)).map(|told| told["phase"].clone())
        };
        assert_eq!(phase("build_index", Phase::Begun), Some(json!("start")));
        assert_eq!(phase("build_index", Phase::Finished), Some(json!("done")));
        assert_eq!(phase("search", Phase::Begun), None, "what is quick does not say that it begins");
        assert_eq!(phase("search", Phase::UnderWay), Some(json!("progress")));
    }

    #[test]
    fn times_are_those_of_javascript() {
        let at = |millis| SystemTime::UNIX_EPOCH + Duration::from_millis(millis);
        assert_eq!(to_the_millisecond(at(951_782_400_007)), "2000-02-29T00:00:00.007Z");
        assert_eq!(to_the_millisecond(at(0)), "1970-01-01T00:00:00.000Z");
    }
}
