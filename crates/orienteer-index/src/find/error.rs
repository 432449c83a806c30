//! What can go wrong?

use orienteer_base::Stopped;

use crate::store::StoreError;
use crate::trigram::TrigramError;
use crate::vectors::VectorsError;

/// Why there is no answer. What is only missing (a model, git, a trigram file) is a note in the answer instead.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    #[error(transparent)]
    Store(StoreError),
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

impl From<StoreError> for FindError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Stopped(stopped) => Self::Stopped(stopped),
            other => Self::Store(other),
        }
    }
}

/// What a helper that is not needed for an answer came to.
pub(super) enum Failed {
    Stopped(Stopped),
    /// Why, in words.
    Unusable(String),
}

impl From<TrigramError> for Failed {
    fn from(error: TrigramError) -> Self {
        match error {
            TrigramError::Stopped(stopped) => Self::Stopped(stopped),
            other => Self::Unusable(other.to_string()),
        }
    }
}

impl From<VectorsError> for Failed {
    fn from(error: VectorsError) -> Self {
        match error {
            VectorsError::Stopped(stopped) => Self::Stopped(stopped),
            other => Self::Unusable(other.to_string()),
        }
    }
}
