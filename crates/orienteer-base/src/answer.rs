//! Answers that say whether they are complete and where they came from.
//!
//! The rule above all others: an empty or partial answer must never look like a definitive one. An engine
//! answer is therefore never a bare list; it is a list inside an [`Answer`].

use serde::Serialize;

use crate::Problem;

/// Why an answer is not the whole truth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    ServerIndexing,
    ServerStarting,
    ServerUnavailable,
    ServerCrashed,
    /// The server runs but says that something it needs is missing.
    ServerDegraded,
    /// The server does not take the file for a part of the project.
    NotIndexed,
    Timeout,
    /// A limit of ours cut the answer; a cursor or a larger limit gets the rest.
    Capped,
    /// Found by text or grammar, not by something that understands the program.
    Heuristic,
    /// Some of what was asked about could not be checked.
    NotChecked,
    /// Some files or folders could not be read.
    Unreadable,
    /// Something would have to run that belongs to a project which the user does not trust.
    NeedsTrust,
    /// Parts of what a server answered could not be read, or name places that no file has.
    UnreadableAnswer,
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

/// Which state of the files an answer saw.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Freshness {
    /// How often the server that answered had been started; 0 when no server was asked.
    pub generation: u64,
    /// Changes on disk that the server was told of before it answered.
    pub synced_files: u64,
    /// How long the call waited for the server to be ready.
    pub waited_ms: u64,
}

impl Freshness {
    /// Of an answer made of two: the newest server, everything that was told, the longest wait.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            generation: self.generation.max(other.generation),
            synced_files: self.synced_files + other.synced_files,
            waited_ms: self.waited_ms.max(other.waited_ms),
        }
    }
}

/// A value together with how far it can be trusted.
#[derive(Debug, Clone)]
pub struct Answer<T> {
    pub value: T,
    pub completeness: Completeness,
    pub source: Source,
    pub warnings: Vec<Warning>,
    /// Text is read from disk during the call itself: without a server there is no copy that could be stale.
    pub freshness: Freshness,
    /// The server that answered.
    pub server_id: Option<String>,
    /// Why no server did, where text or grammar took its place: for callers who want nobody else's word.
    pub instead_of: Option<Box<Problem>>,
}

impl<T> Answer<T> {
    pub fn new(value: T, completeness: Completeness, source: Source) -> Self {
        Self {
            value,
            completeness,
            source,
            warnings: Vec::new(),
            freshness: Freshness::default(),
            server_id: None,
            instead_of: None,
        }
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
            freshness: self.freshness,
            server_id: self.server_id,
            instead_of: self.instead_of,
        }
    }
}
