//! The kinds of failure a client may branch on.

use serde::Serialize;

/// Fixed words: clients depend on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
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
}

impl ErrorKind {
    /// Whether the same call may succeed later without anybody changing anything.
    pub fn retryable(self) -> bool {
        matches!(
            self,
            Self::ServerCrashed
                | Self::NotReady
                | Self::Timeout
                | Self::RateLimited
                | Self::Network
                | Self::Overloaded
        )
    }
}

/// A fact about a failure that a client may act on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Fact {
    Text(String),
    Number(i64),
    List(Vec<String>),
}

impl From<String> for Fact {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Fact {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<i64> for Fact {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<Vec<String>> for Fact {
    fn from(list: Vec<String>) -> Self {
        Self::List(list)
    }
}

/// What was written, as far as a message has room for it: echoing a megabyte back helps nobody.
pub fn cut(written: &str) -> String {
    match written.char_indices().nth(200) {
        Some((at, _)) => format!("{}…", &written[..at]),
        None => written.to_owned(),
    }
}

/// A failure as every crate below the binary reports it: what happened, to which value, and facts for the
/// client to act on. Advice on what to do next is added where the tools are known, in the binary.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Problem {
    pub kind: ErrorKind,
    pub message: String,
    /// A finer word inside the kind, such as `invalid_regex`.
    pub detail: Option<&'static str>,
    /// Which argument is to blame, where one is.
    pub field: Option<&'static str>,
    /// Legal values or existing neighbours, nearest first.
    pub candidates: Vec<String>,
    /// More of what is known, by name: `install_hint`, `stderr`, `exit_code`, …
    pub facts: Vec<(&'static str, Fact)>,
    /// When the same call may succeed.
    pub retry_after_ms: Option<u64>,
}

impl Problem {
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            detail: None,
            field: None,
            candidates: Vec::new(),
            facts: Vec::new(),
            retry_after_ms: None,
        }
    }

    pub fn invalid(field: &'static str, detail: &'static str, message: impl Into<String>) -> Self {
        Self { field: Some(field), detail: Some(detail), ..Self::new(ErrorKind::InvalidParams, message) }
    }

    #[must_use]
    pub fn field(mut self, field: &'static str) -> Self {
        self.field = Some(field);
        self
    }

    #[must_use]
    pub fn detail(mut self, detail: &'static str) -> Self {
        self.detail = Some(detail);
        self
    }

    #[must_use]
    pub fn fact(mut self, name: &'static str, fact: impl Into<Fact>) -> Self {
        self.facts.push((name, fact.into()));
        self
    }

    #[must_use]
    pub fn retry_after_ms(mut self, wait: u64) -> Self {
        self.retry_after_ms = Some(wait);
        self
    }

    #[must_use]
    pub fn candidates(mut self, candidates: Vec<String>) -> Self {
        self.candidates = candidates;
        self
    }
}

impl From<crate::Stopped> for Problem {
    fn from(_: crate::Stopped) -> Self {
        Self::new(ErrorKind::Cancelled, "the call was cancelled before it finished")
    }
}

/// What a panic said, for errors that name their cause.
pub fn panic_message(cause: &(dyn std::any::Any + Send)) -> String {
    cause
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| cause.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "unknown cause".to_owned())
}
