//! What do places and answers look like?

use orienteer_base::ask::Window;
use orienteer_base::code::Place;
use orienteer_base::{Answer, Completeness, ErrorKind, Problem, Reason, Target};
use orienteer_engine::Session;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::workspace::{self, Opened};
use crate::tool::Ctx;

/// Where in a file.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct At {
    /// Absolute path to the Python file.
    pub(super) file: String,
    /// Line number, starting at 1.
    #[schemars(range(min = 1))]
    pub(super) line: u32,
    /// Column number, starting at 1.
    #[schemars(range(min = 1))]
    pub(super) column: u32,
}

impl At {
    pub(super) async fn open(&self, ctx: &Ctx) -> Result<Opened, Problem> {
        workspace::file(ctx, &self.file).await
    }

    pub(super) fn target(&self, opened: &Opened) -> Target {
        Target {
            file: Some(opened.path.clone()),
            line: Some(self.line),
            column: Some(self.column),
            ..Target::default()
        }
    }
}

/// The first so many of a list.
pub(super) fn first(limit: usize) -> Window {
    Window { skip: 0, limit }
}

/// A path as it was shown, absolute.
pub(super) fn absolute(session: &Session, shown: &str) -> String {
    session.roots().workspace().join(shown).display().to_string()
}

/// A location.
pub(super) fn location(session: &Session, place: &Place) -> Value {
    let start = place.range.start;
    json!({ "file": absolute(session, &place.file_path), "line": start.line, "column": start.column })
}

/// An answer of the language server, and what has to be said beside it.
///
/// # Errors
///
/// When it is not the server's answer, or not its last word: the contract has no way to say so in a list.
pub(super) fn vouched<T>(answer: Answer<T>) -> Result<(T, Vec<Value>), Problem> {
    if let Some(problem) = answer.instead_of {
        return Err(*problem);
    }
    // Going on with defaults where nothing shows a project is what the contract asks for.
    let told = answer.warnings.iter().filter(|warning| warning.kind != "no_project_root");
    let told: Vec<Value> = told.map(|warning| json!(warning.message)).collect();
    match answer.completeness {
        Completeness::Partial {
            reason: Reason::ServerIndexing | Reason::ServerStarting | Reason::NotIndexed | Reason::Timeout,
            retry_after_ms,
        } => {
            let message = told.last().and_then(Value::as_str).unwrap_or("the language server is not ready");
            let problem = Problem::new(ErrorKind::NotReady, message);
            Err(problem.retry_after_ms(retry_after_ms.unwrap_or(2_000)))
        }
        Completeness::Partial { .. } if told.is_empty() => {
            Ok((answer.value, vec![json!("the answer is not complete: there may be more")]))
        }
        _ => Ok((answer.value, told)),
    }
}

/// The fields of a payload; `warnings` only where there are some.
pub(super) fn payload(fields: Value, warnings: Vec<Value>) -> Map<String, Value> {
    let mut payload = match fields {
        Value::Object(fields) => fields,
        other => Map::from_iter([("value".to_owned(), other)]),
    };
    if !warnings.is_empty() {
        payload.insert("warnings".to_owned(), Value::Array(warnings));
    }
    payload
}

/// What is said where a list ends before its end.
pub(super) fn cut_short(shown: usize, total: usize, what: &str) -> Option<Value> {
    (shown < total).then(|| json!(format!("the first {shown} of {total} {what} are shown")))
}
