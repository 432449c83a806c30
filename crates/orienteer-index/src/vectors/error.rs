//! Why is there no model, or no vectors?

use std::io;
use std::path::{Path, PathBuf};

use orienteer_base::Stopped;

use super::tokenizer::TokenizerError;
use orienteer_base::Digest;

/// Why a model cannot be used. Searching goes on with words alone.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    #[error("{} cannot be read: {source}", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("{} has {bytes} bytes, and no more than {limit} are read", path.display())]
    TooLarge { path: PathBuf, bytes: u64, limit: u64 },
    #[error("{} has no {wanted}, or more than one; name the files in a manifest", folder.display())]
    NotFound { folder: PathBuf, wanted: &'static str },
    #[error("the path `{path}` of a manifest leaves the model's folder")]
    Outside { path: String },
    #[error("{} has the SHA-256 {found}, and {expected} was expected: fetch it again", path.display())]
    OtherContent { path: PathBuf, expected: Digest, found: Digest },
    #[error("{} is not a usable safetensors file: {what}", path.display())]
    Weights { path: PathBuf, what: String },
    #[error("{}: {source}", path.display())]
    Tokenizer { path: PathBuf, source: TokenizerError },
    #[error("{asked} dimensions were asked for, and the model has {available}: choose 1 to {available}")]
    Dimensions { asked: usize, available: usize },
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

impl ModelError {
    pub(super) fn unreadable(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Unreadable { path: path.to_path_buf(), source }
    }

    pub(super) fn weights(path: &Path, what: impl Into<String>) -> Self {
        Self::Weights { path: path.to_path_buf(), what: what.into() }
    }
}

/// Why vectors cannot be read or written. All but [`VectorsError::Stopped`] are healed by building them again.
#[derive(Debug, thiserror::Error)]
pub enum VectorsError {
    #[error("{} cannot be used: {source}", path.display())]
    Unusable { path: PathBuf, source: io::Error },
    #[error("{} is damaged: {what}; build the index again", path.display())]
    Damaged { path: PathBuf, what: &'static str },
    #[error("{} has format {found}, and this program reads {expected}; build the index again", path.display())]
    OtherVersion { path: PathBuf, found: u32, expected: u32 },
    #[error("{} was made with another model; build the index again", path.display())]
    OtherModel { path: PathBuf },
    #[error("a vector of {found} dimensions where {expected} are used")]
    Dimensions { found: usize, expected: usize },
    #[error("vectors are written in ascending order of their numbers, and {id} came after {last}")]
    OutOfOrder { id: u64, last: u64 },
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

impl VectorsError {
    pub(super) fn unusable(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Unusable { path: path.to_path_buf(), source }
    }
}
