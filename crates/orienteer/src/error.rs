//! The error funnel: every failure of a tool becomes one shape, written as advice.

mod advice;
mod edit;
mod index;
mod remote;
mod servers;
mod triage;

use orienteer_base::{ErrorKind, Fact, Problem};
use serde_json::{Map, Value, json};

pub use advice::advise;

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

    pub fn command(message: impl Into<String>) -> Self {
        Self::Command { message: message.into() }
    }

    pub fn doc(message: impl Into<String>) -> Self {
        Self::Doc { message: message.into() }
    }

    pub(crate) fn message_mut(&mut self) -> &mut String {
        match self {
            Self::Tool { message, .. }
            | Self::Config { message }
            | Self::Command { message }
            | Self::Doc { message } => message,
        }
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

    /// The server that the failure is about, where it is about one.
    pub fn server_id(&self) -> Option<&str> {
        fact(&self.problem, "server_id")
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
        for (name, fact) in &self.problem.facts {
            data.entry(*name).or_insert_with(|| json!(fact));
        }
        if !data.is_empty() {
            error.insert("data".to_owned(), Value::Object(data));
        }
        error.insert("retryable".to_owned(), json!(self.problem.kind.retryable()));
        if let Some(wait) = self.problem.retry_after_ms {
            error.insert("retry_after_ms".to_owned(), json!(wait));
        }
        Value::Object(error)
    }
}

/// A fact of a problem that is text.
fn fact<'p>(problem: &'p Problem, name: &str) -> Option<&'p str> {
    problem.facts.iter().find_map(|(known, fact)| match fact {
        Fact::Text(text) if *known == name => Some(text.as_str()),
        _ => None,
    })
}

#[cfg(test)]
mod tests;
