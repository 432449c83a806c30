//! Answers that say whether they are complete and where they came from.
//!
//! The rule above all others: an empty or partial answer must never look like a definitive one. An engine
//! answer is therefore never a bare list; it is a list inside an [`Answer`].

use serde::Serialize;

/// Why an answer is not the whole truth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    ServerIndexing,
    ServerStarting,
    ServerUnavailable,
    ServerCrashed,
    Timeout,
    /// A limit of ours cut the answer; a cursor or a larger limit gets the rest.
    Capped,
    /// Found by text or grammar, not by something that understands the program.
    Heuristic,
    /// Some files or folders could not be read.
    Unreadable,
}

/// Whether more would have been found by an unlimited, fully ready system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Completeness {
    Complete,
    Partial {
        reason: Reason,
        #[serde(skip_serializing_if = "Option::is_none")]
        retry_after_ms: Option<u64>,
    },
}

impl Completeness {
    /// A partial answer for `reason` that a retry would not improve by itself.
    pub fn partial(reason: Reason) -> Self {
        Self::Partial { reason, retry_after_ms: None }
    }

    pub fn is_complete(self) -> bool {
        matches!(self, Self::Complete)
    }

    /// The weaker of the two: one partial part makes the whole partial.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        if self.is_complete() { other } else { self }
    }
}

/// What produced a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    Lsp,
    Index,
    Text,
}

/// Something worth knowing that did not prevent the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Warning {
    /// A stable word to branch on.
    pub kind: &'static str,
    pub message: String,
}

impl Warning {
    pub fn new(kind: &'static str, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }
}

/// A value together with how far it can be trusted.
#[derive(Debug, Clone)]
pub struct Answer<T> {
    pub value: T,
    pub completeness: Completeness,
    pub source: Source,
    pub warnings: Vec<Warning>,
}

impl<T> Answer<T> {
    pub fn new(value: T, completeness: Completeness, source: Source) -> Self {
        Self { value, completeness, source, warnings: Vec::new() }
    }

    #[must_use]
    pub fn warn(mut self, warning: Warning) -> Self {
        self.warnings.push(warning);
        self
    }

    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Answer<U> {
        Answer {
            value: f(self.value),
            completeness: self.completeness,
            source: self.source,
            warnings: self.warnings,
        }
    }
}
