//! Why can the store not answer?

use std::io;
use std::path::{Path, PathBuf};

use orienteer_base::{ErrorKind, Problem, Stopped};

/// What went wrong with the files of an index. [`StoreError::needs_rebuild`] tells which of them a build heals.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("there is no index in {}; build one", folder.display())]
    Missing { folder: PathBuf },
    #[error("the index in {} has format {found}, and this program writes {wanted}; build it again", folder.display())]
    Format { folder: PathBuf, found: String, wanted: u32 },
    #[error("the index in {} is damaged ({detail}); build it again", folder.display())]
    Corrupt { folder: PathBuf, detail: String },
    #[error("the index in {} was removed while it was in use; build it again", folder.display())]
    Vanished { folder: PathBuf },
    #[error("the disk that holds the index in {} is full; free some space or move the cache", folder.display())]
    Full { folder: PathBuf },
    #[error("the index in {} cannot be written: {detail}", folder.display())]
    ReadOnly { folder: PathBuf, detail: String },
    #[error("a new index took the place of the one in {} while it was changed; change it again", folder.display())]
    Superseded { folder: PathBuf },
    #[error("another process is changing the index in {}; try again shortly", folder.display())]
    Busy { folder: PathBuf },
    #[error("the index in {} could not be used: {detail}", folder.display())]
    Io { folder: PathBuf, detail: String },
    #[error("the store refused a statement: {detail}")]
    Statement { detail: String },
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

impl StoreError {
    /// Whether building the index anew makes this go away.
    pub fn needs_rebuild(&self) -> bool {
        matches!(
            self,
            Self::Missing { .. } | Self::Format { .. } | Self::Corrupt { .. } | Self::Vanished { .. }
        )
    }

    pub(crate) fn io(folder: &Path, error: &io::Error) -> Self {
        let folder = folder.to_owned();
        match error.kind() {
            io::ErrorKind::NotFound => Self::Missing { folder },
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::Full { folder },
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                Self::ReadOnly { folder, detail: error.to_string() }
            }
            _ => Self::Io { folder, detail: error.to_string() },
        }
    }

    pub(crate) fn sql(folder: &Path, error: &rusqlite::Error) -> Self {
        use rusqlite::ErrorCode as Code;
        let detail = error.to_string();
        let folder = folder.to_owned();
        match error.sqlite_error_code() {
            Some(Code::DatabaseCorrupt | Code::NotADatabase) => Self::Corrupt { folder, detail },
            Some(Code::CannotOpen) if !folder.exists() => Self::Vanished { folder },
            Some(Code::CannotOpen) => Self::Io { folder, detail },
            Some(Code::DiskFull) => Self::Full { folder },
            Some(Code::ReadOnly | Code::PermissionDenied) => Self::ReadOnly { folder, detail },
            Some(Code::DatabaseBusy | Code::DatabaseLocked | Code::FileLockingProtocolFailed) => {
                Self::Busy { folder }
            }
            Some(Code::OperationInterrupted) => Self::Stopped(Stopped),
            Some(Code::SystemIoFailure) if !folder.exists() => Self::Vanished { folder },
            Some(Code::SystemIoFailure) => Self::Io { folder, detail },
            _ => Self::Statement { detail },
        }
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        let message = error.to_string();
        match error {
            StoreError::Missing { .. } => Problem::new(ErrorKind::NotIndexed, message).detail("no_index"),
            StoreError::Format { .. } => Problem::new(ErrorKind::NotIndexed, message).detail("index_format"),
            StoreError::Corrupt { .. } => {
                Problem::new(ErrorKind::NotIndexed, message).detail("index_damaged")
            }
            StoreError::Vanished { .. } => {
                Problem::new(ErrorKind::NotIndexed, message).detail("index_removed")
            }
            StoreError::Full { .. } => Problem::new(ErrorKind::InternalError, message).detail("disk_full"),
            StoreError::ReadOnly { .. } => {
                Problem::new(ErrorKind::ReadOnly, message).detail("index_read_only")
            }
            StoreError::Superseded { .. } => {
                Problem::new(ErrorKind::Overloaded, message).detail("index_superseded").retry_after_ms(10)
            }
            StoreError::Busy { .. } => {
                Problem::new(ErrorKind::Overloaded, message).detail("index_busy").retry_after_ms(200)
            }
            StoreError::Io { .. } => Problem::new(ErrorKind::InternalError, message).detail("index_io"),
            StoreError::Statement { .. } => {
                Problem::new(ErrorKind::InternalError, message).detail("index_statement")
            }
            StoreError::Stopped(stopped) => stopped.into(),
        }
    }
}
