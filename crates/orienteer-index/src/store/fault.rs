//! What went wrong inside, before anybody knows in which folder?

use std::path::Path;

use orienteer_base::Stopped;

use super::error::StoreError;

#[derive(Debug)]
pub(super) enum Fault {
    Sql(rusqlite::Error),
    /// Bytes that we did not write.
    Damage(&'static str),
    Stopped,
}

impl Fault {
    pub(super) fn at(self, folder: &Path) -> StoreError {
        match self {
            Self::Sql(error) => StoreError::sql(folder, &error),
            Self::Damage(what) => {
                StoreError::Corrupt { folder: folder.to_owned(), detail: format!("unreadable {what}") }
            }
            Self::Stopped => StoreError::Stopped(Stopped),
        }
    }
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        // A column of another type than we wrote.
        match error {
            rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::IntegralValueOutOfRange(..) => Self::Damage("row"),
            other => Self::Sql(other),
        }
    }
}

impl From<rusqlite::types::FromSqlError> for Fault {
    fn from(_: rusqlite::types::FromSqlError) -> Self {
        Self::Damage("row")
    }
}

impl From<Stopped> for Fault {
    fn from(_: Stopped) -> Self {
        Self::Stopped
    }
}
