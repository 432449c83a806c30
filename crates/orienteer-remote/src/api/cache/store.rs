//! How are answers written to disk, bounded, and read again?

use std::path::{Path, PathBuf};
use std::time::Duration;

use orienteer_base::private;
use rusqlite::{Connection, ErrorCode, OptionalExtension, params};

use super::{CacheLimits, Kept, now};

/// Raised when the table changes: an older file is made again.
const VERSION: i64 = 1;
const TABLE: &str = "
    CREATE TABLE IF NOT EXISTS answer (
        key BLOB NOT NULL PRIMARY KEY,
        headers TEXT NOT NULL,
        moved TEXT,
        confirmed INTEGER NOT NULL,
        used INTEGER NOT NULL,
        bytes INTEGER NOT NULL,
        body BLOB NOT NULL
    );
    CREATE INDEX IF NOT EXISTS by_use ON answer (used, bytes);
";
/// Reading does not become writing each time.
const USED_AGAIN_MS: i64 = 3_600_000;
/// What a row takes beside its body.
const ROW: u64 = 400;

#[derive(Debug)]
pub(super) struct Store {
    /// `None`: in memory.
    path: Option<PathBuf>,
    limits: CacheLimits,
    connection: Option<Connection>,
    /// Bytes as far as we know; other processes write, too.
    bytes: u64,
}

impl Store {
    pub(super) fn open(path: Option<PathBuf>, limits: CacheLimits) -> Self {
        let mut store = Self { path, limits, connection: None, bytes: 0 };
        store.connect();
        store
    }

    fn connect(&mut self) {
        self.connection = match self.attempt() {
            Ok(connection) => Some(connection),
            // What is in it can be asked for again.
            Err(error) if is_spoiled(&error) => {
                self.remove();
                self.attempt().ok()
            }
            // Busy, or a place that cannot be written: another process may be well with it.
            Err(_) => None,
        };
        self.bytes = self.size().1;
        self.shrink();
    }

    fn attempt(&self) -> rusqlite::Result<Connection> {
        let connection = match &self.path {
            Some(path) => {
                prepare(path);
                Connection::open(path)?
            }
            None => Connection::open_in_memory()?,
        };
        connection.busy_timeout(Duration::from_secs(2))?;
        let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
        if version == 0 {
            // Only a file without tables can be told to give room back.
            connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
        } else if version != VERSION {
            return Err(rusqlite::Error::InvalidQuery);
        }
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        connection.execute_batch(TABLE)?;
        connection.pragma_update(None, "user_version", VERSION)?;
        Ok(connection)
    }

    fn remove(&self) {
        if let Some(path) = &self.path {
            for suffix in ["", "-wal", "-shm"] {
                let mut name = path.as_os_str().to_owned();
                name.push(suffix);
                // It may not be there, or not be ours; the next attempt shows.
                let _ = std::fs::remove_file(name);
            }
        }
    }

    /// Runs something. Damage that shows now is repaired by beginning again.
    fn with<T>(&mut self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Option<T> {
        match work(self.connection.as_ref()?) {
            Ok(value) => Some(value),
            Err(error) => {
                if is_spoiled(&error) {
                    self.connection = None;
                    self.remove();
                    self.connect();
                }
                None
            }
        }
    }

    pub(super) fn find(&mut self, key: &[u8; 32]) -> Option<Kept> {
        let oldest = now().saturating_sub(millis(self.limits.age));
        self.with(|connection| {
            let mut find = connection.prepare_cached(
                "SELECT headers, moved, confirmed, used, body FROM answer WHERE key = ?1 AND confirmed > ?2",
            )?;
            let found = find
                .query_row(params![key, oldest], |row| {
                    let headers = serde_json::from_str(&row.get::<_, String>(0)?).unwrap_or_default();
                    let (moved, confirmed) = (row.get(1)?, row.get(2)?);
                    let body = std::sync::Arc::new(row.get(4)?);
                    Ok((Kept { headers, body, moved, confirmed }, row.get::<_, i64>(3)?))
                })
                .optional()?;
            let Some((kept, used)) = found else { return Ok(None) };
            if (now() - used).abs() > USED_AGAIN_MS {
                connection.execute("UPDATE answer SET used = ?2 WHERE key = ?1", params![key, now()])?;
            }
            Ok(Some(kept))
        })
        .flatten()
    }

    pub(super) fn keep(&mut self, key: &[u8; 32], kept: &Kept) {
        let bytes = kept.body.len() as u64 + ROW;
        // One answer must not push out all others.
        if bytes > self.limits.bytes / 4 {
            return;
        }
        let headers = serde_json::to_string(&kept.headers).unwrap_or_default();
        self.with(|connection| {
            let mut keep = connection.prepare_cached(
                "INSERT OR REPLACE INTO answer (key, headers, moved, confirmed, used, bytes, body)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            )?;
            let size = i64::try_from(bytes).unwrap_or(i64::MAX);
            keep.execute(params![key, headers, kept.moved, kept.confirmed, now(), size, kept.body.as_slice()])
        });
        self.bytes = self.bytes.saturating_add(bytes);
        self.shrink();
    }

    pub(super) fn confirm(&mut self, key: &[u8; 32]) {
        self.with(|connection| {
            connection
                .execute("UPDATE answer SET confirmed = ?2, used = ?2 WHERE key = ?1", params![key, now()])
        });
    }

    pub(super) fn size(&mut self) -> (u64, u64) {
        let size = self.with(|connection| {
            connection.query_row("SELECT count(*), coalesce(sum(bytes), 0) FROM answer", [], |row| {
                Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?))
            })
        });
        let (rows, bytes) = size.unwrap_or_default();
        (u64::try_from(rows).unwrap_or(0), u64::try_from(bytes).unwrap_or(0))
    }

    /// When it is too large, lets go of what is too old, then of what was not used for longest.
    fn shrink(&mut self) {
        if self.bytes <= self.limits.bytes {
            return;
        }
        let oldest = now().saturating_sub(millis(self.limits.age));
        self.with(|connection| connection.execute("DELETE FROM answer WHERE confirmed <= ?1", [oldest]));
        self.bytes = self.size().1;
        // Some room below the limit, so that the next answer does not begin this again.
        let goal = self.limits.bytes / 10 * 9;
        let excess = i64::try_from(self.bytes.saturating_sub(goal)).unwrap_or(i64::MAX);
        if excess > 0 {
            self.with(|connection| {
                connection.execute(
                    "DELETE FROM answer WHERE rowid IN (
                        SELECT rowid FROM (
                            SELECT rowid, sum(bytes) OVER (ORDER BY used, rowid) - bytes AS before FROM answer
                        ) WHERE before < ?1)",
                    [excess],
                )
            });
            self.bytes = self.size().1;
        }
        self.with(|connection| connection.execute_batch("PRAGMA incremental_vacuum"));
    }
}

/// Damaged, or of another version.
fn is_spoiled(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error_code();
    matches!(code, Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
        || matches!(error, rusqlite::Error::InvalidQuery)
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

/// Only the owner may look: answers may come from private repositories. SQLite gives the files beside it the same mode.
fn prepare(path: &Path) {
    let Some(folder) = path.parent() else { return };
    // Whatever is wrong shows when the file is opened.
    let _ = private::folder(folder);
    private::close(folder);
    let _ = private::open(path, std::fs::OpenOptions::new().append(true).create(true));
}
