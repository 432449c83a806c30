//! What can go wrong, and what is told about it?

use std::path::{Path, PathBuf};

use orienteer_base::{ErrorKind, Problem, Stopped};

use crate::input::InputError;

#[derive(Debug, thiserror::Error)]
pub enum TriageError {
    #[error("the call was cancelled; what was written before stays, and the same call goes on from there")]
    Stopped,
    #[error("{} could not be {doing}: {error}", path.display())]
    Disk { path: PathBuf, doing: &'static str, error: std::io::Error },
    #[error("another process has been writing to the records for a while")]
    Busy,
    #[error(transparent)]
    Input(InputError),
    #[error("no finding has the id `{id}`{}", hint(candidates))]
    NoSuchFinding { id: String, candidates: Vec<String> },
    #[error("`{id}` fits {} findings", candidates.len())]
    Ambiguous { id: String, candidates: Vec<String> },
    #[error("{message}")]
    Illegal { field: &'static str, detail: &'static str, message: String, legal: Vec<String> },
    #[error(
        "none of {items} items is written as a source that is known; name the source, or use the generic shape: {first}"
    )]
    Unrecognised { items: usize, first: String, legal: Vec<String> },
}

fn hint(candidates: &[String]) -> String {
    if candidates.is_empty() { String::new() } else { format!("; the nearest are {}", candidates.join(", ")) }
}

impl From<Stopped> for TriageError {
    fn from(_: Stopped) -> Self {
        Self::Stopped
    }
}

impl From<InputError> for TriageError {
    fn from(error: InputError) -> Self {
        match error {
            InputError::Stopped(_) => Self::Stopped,
            other => Self::Input(other),
        }
    }
}

impl TriageError {
    /// For use with `map_err`.
    pub(crate) fn disk(path: &Path, doing: &'static str) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_path_buf();
        move |error| Self::Disk { path, doing, error }
    }
}

impl From<TriageError> for Problem {
    fn from(error: TriageError) -> Self {
        let message = error.to_string();
        match error {
            TriageError::Stopped => Self::new(ErrorKind::Cancelled, message),
            TriageError::Disk { error, .. } => {
                let detail = match error.kind() {
                    std::io::ErrorKind::StorageFull => "no_room",
                    std::io::ErrorKind::PermissionDenied => "permission_denied",
                    _ => "triage_store",
                };
                Self::new(ErrorKind::InternalError, message).detail(detail)
            }
            TriageError::Busy => {
                Self::new(ErrorKind::Overloaded, message).detail("triage_busy").retry_after_ms(2_000)
            }
            TriageError::Input(InputError::TooLarge { .. }) => {
                Self::new(ErrorKind::TooLarge, message).field("input_path").detail("input_too_large")
            }
            TriageError::Input(InputError::Empty) => Self::invalid("input_path", "empty_input", message),
            TriageError::Input(_) => Self::new(ErrorKind::InternalError, message).detail("unreadable_input"),
            TriageError::NoSuchFinding { candidates, .. } => Self::new(ErrorKind::NotFound, message)
                .field("finding")
                .detail("no_such_finding")
                .candidates(candidates),
            TriageError::Ambiguous { candidates, .. } => Self::new(ErrorKind::Ambiguous, message)
                .field("finding")
                .detail("several_findings")
                .candidates(candidates),
            TriageError::Illegal { field, detail, legal, .. } => {
                Self::invalid(field, detail, message).candidates(legal)
            }
            TriageError::Unrecognised { legal, .. } => {
                Self::invalid("source", "unrecognised_source", message).candidates(legal)
            }
        }
    }
}
