//! Which connection answers this thread?

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use orienteer_base::private;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::error::StoreError;
use super::fault::Fault;
use super::generation::{self, database};
use super::meta;
use super::schema::{self, FORMAT};
use super::snapshot::Snapshot;

/// More than this are closed again.
const IDLE: usize = 8;
/// Pages that a connection keeps, in KiB.
const CACHE_KIB: i64 = 8 << 10;
/// Statements that a connection keeps.
const STATEMENTS: usize = 64;
/// The log is cut to this when it was folded in, in bytes.
const LOG: i64 = 16 << 20;

/// Connections to one generation.
#[derive(Debug)]
pub(super) struct Pool {
    folder: PathBuf,
    pub(super) generation: u64,
    idle: Mutex<Vec<Connection>>,
    snapshot: Mutex<Option<Arc<Snapshot>>>,
    /// Keeps away whoever collects what nobody uses.
    _held: Option<File>,
}

impl Pool {
    /// Opens a generation and looks whether it is one of ours and complete.
    pub(super) fn open(folder: &Path, generation: u64) -> Result<Self, StoreError> {
        private::repair(folder);
        let pool = Self {
            folder: folder.to_owned(),
            generation,
            idle: Mutex::new(Vec::new()),
            snapshot: Mutex::new(None),
            _held: generation::hold(folder),
        };
        let connection = pool.connect()?;
        let found = schema::format(&connection).map_err(|fault| fault.at(folder))?;
        if found != Some(FORMAT) {
            let found = found.map_or_else(|| "that is not ours".to_owned(), |format| format.to_string());
            return Err(StoreError::Format { folder: folder.to_owned(), found, wanted: FORMAT });
        }
        pool.look(&connection).map_err(|fault| fault.at(folder))?;
        pool.give_back(connection);
        Ok(pool)
    }

    /// Touches each table and compares the sizes that the file should and does have.
    fn look(&self, connection: &Connection) -> Result<(), Fault> {
        meta::version(connection)?;
        for table in ["files", "outlines", "lengths", "segments", "directory", "blocks", "dead"] {
            connection.query_row(
                &format!("SELECT COUNT(*) FROM (SELECT 1 FROM {table} LIMIT 1)"),
                [],
                |_| Ok(()),
            )?;
        }
        let pages: u64 =
            connection.query_row("PRAGMA page_count", [], |row| row.get::<_, i64>(0))?.cast_unsigned();
        let size: u64 =
            connection.query_row("PRAGMA page_size", [], |row| row.get::<_, i64>(0))?.cast_unsigned();
        let path = database(&self.folder, self.generation);
        let log = log_length(&path);
        let whole = std::fs::metadata(&path).map_or(0, |metadata| metadata.len());
        // Pages may still stand in the log alone.
        if log == 0 && whole < pages * size {
            return Err(Fault::Damage("end of the file"));
        }
        Ok(())
    }

    pub(super) fn take(&self) -> Result<Connection, StoreError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        idle.map_or_else(|| self.connect(), Ok)
    }

    pub(super) fn give_back(&self, connection: Connection) {
        // One that could not be opened for writing may have been opened as a file that never changes. It answers once.
        if connection.is_readonly(rusqlite::MAIN_DB).unwrap_or(true) {
            return;
        }
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < IDLE && connection.is_autocommit() {
            idle.push(connection);
        }
    }

    fn connect(&self) -> Result<Connection, StoreError> {
        let path = database(&self.folder, self.generation);
        if !path.exists() {
            return Err(StoreError::Corrupt {
                folder: self.folder.clone(),
                detail: format!("generation {} is missing", self.generation),
            });
        }
        let flags = OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_PRIVATE_CACHE;
        let open = |flags: OpenFlags| {
            let connection = Connection::open_with_flags(&path, flags)?;
            prepare(&connection)?;
            Ok::<_, rusqlite::Error>(connection)
        };
        let error = match open(flags | OpenFlags::SQLITE_OPEN_READ_WRITE) {
            Ok(connection) => return Ok(connection),
            Err(error) => error,
        };
        let failed = |error: &rusqlite::Error| Err(StoreError::sql(&self.folder, error));
        // Beside a database that is changed there are other files, which cannot be made where nothing can be written.
        if error.sqlite_error_code() != Some(ErrorCode::CannotOpen) {
            return failed(&error);
        }
        if let Ok(connection) = open(flags | OpenFlags::SQLITE_OPEN_READ_ONLY) {
            return Ok(connection);
        }
        // Only a file whose log is empty is true without it, and only where nothing can be written does it stay so.
        if log_length(&path) > 0 || !self.is_unwritable() {
            return failed(&error);
        }
        self.connect_unchanging(&path, flags).or_else(|_| failed(&error))
    }

    fn is_unwritable(&self) -> bool {
        let refused = |error: io::Error| {
            matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
        };
        tempfile::tempfile_in(&self.folder).err().is_some_and(refused)
    }

    fn connect_unchanging(&self, path: &Path, flags: OpenFlags) -> rusqlite::Result<Connection> {
        let mut uri = "file:".to_owned();
        for byte in path.to_string_lossy().bytes() {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => {
                    uri.push(char::from(byte))
                }
                _ => uri.push_str(&format!("%{byte:02X}")),
            }
        }
        uri.push_str("?immutable=1");
        let flags = flags | OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        let connection = Connection::open_with_flags(uri, flags)?;
        prepare(&connection)?;
        Ok(connection)
    }

    /// What is true at the version that the connection sees.
    pub(super) fn snapshot(&self, connection: &Connection) -> Result<Arc<Snapshot>, Fault> {
        let version = meta::version(connection)?;
        let known = self.snapshot.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(known) = known.as_ref().filter(|known| known.version == version) {
            return Ok(known.clone());
        }
        // A connection may still see an older version than another thread has read meanwhile.
        let older = known.as_deref().filter(|known| known.version < version);
        let fresh = Arc::new(Snapshot::read(connection, version, older)?);
        let mut kept = self.snapshot.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.as_ref().is_none_or(|kept| kept.version < version) {
            *kept = Some(fresh.clone());
        }
        Ok(fresh)
    }
}

fn log_length(database: &Path) -> u64 {
    std::fs::metadata(database.with_extension("db-wal")).map_or(0, |metadata| metadata.len())
}

fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(Duration::from_millis(50))?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    // Otherwise a statement is prepared again for every value that is bound to it.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.execute_batch(&format!(
        "PRAGMA cache_size = -{CACHE_KIB}; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY;
         PRAGMA journal_size_limit = {LOG};"
    ))?;
    // Opening alone reads nothing.
    connection.query_row("SELECT COUNT(*) FROM sqlite_schema", [], |_| Ok(()))
}
