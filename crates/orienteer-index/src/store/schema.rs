//! Which tables are there?
//!
//! SQLite keeps pages, transactions and snapshots; what is searched are blobs of our own. FTS5 was measured for the same
//! words: its lists take twice the space (0.41 of the text against 0.2), and ranking a question in plain English took
//! 45 ms, because each row that matches is counted by a callback.

use rusqlite::Connection;

use super::fault::Fault;

/// Raised whenever an older program could not read what this one writes, or the other way round. Another number on disk
/// means that the index is built anew.
pub const FORMAT: u32 = 1;

/// Bytes of a page.
pub(super) const PAGE: u32 = 4096;

/// Tells our files from others: `ORNT`.
const APPLICATION: i32 = 0x4F52_4E54;

/// `files.id` is the number of the file's first piece, `files.symbol` that of its first symbol, which stands for the file
/// itself. Numbers grow and are never used again, so a list of them stays sorted by appending.
const TABLES: &str = "
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE files (
    id INTEGER PRIMARY KEY,
    pieces INTEGER NOT NULL,
    symbol INTEGER NOT NULL,
    symbols INTEGER NOT NULL,
    mode INTEGER NOT NULL,
    flags INTEGER NOT NULL,
    size INTEGER NOT NULL,
    modified INTEGER NOT NULL,
    mark INTEGER NOT NULL,
    lines INTEGER NOT NULL,
    trigrams INTEGER,
    language TEXT,
    hash BLOB NOT NULL,
    path BLOB NOT NULL
);
CREATE UNIQUE INDEX files_path ON files (path);
CREATE TABLE outlines (file INTEGER PRIMARY KEY, shape BLOB NOT NULL, symbols BLOB NOT NULL);
CREATE TABLE lengths (first INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE segments (
    id INTEGER PRIMARY KEY,
    level INTEGER NOT NULL,
    piece INTEGER NOT NULL,
    piece_end INTEGER NOT NULL,
    block INTEGER NOT NULL,
    block_end INTEGER NOT NULL,
    bytes INTEGER NOT NULL
);
CREATE TABLE directory (segment INTEGER, first BLOB, block INTEGER NOT NULL, PRIMARY KEY (segment, first)) WITHOUT ROWID;
CREATE TABLE blocks (id INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE dead (
    id INTEGER PRIMARY KEY,
    piece INTEGER NOT NULL,
    piece_end INTEGER NOT NULL,
    symbol INTEGER NOT NULL,
    symbol_end INTEGER NOT NULL
);
";

/// Makes the tables in an empty file.
pub(super) fn create(connection: &Connection) -> Result<(), Fault> {
    connection.execute_batch(TABLES)?;
    connection.pragma_update(None, "application_id", APPLICATION)?;
    connection.pragma_update(None, "user_version", FORMAT)?;
    Ok(())
}

/// Bytes at the beginning of a file that tell whose it is.
pub(super) const HEAD: usize = 72;

/// Whether a file that begins like this is one of ours, whatever its format.
pub(super) fn is_head(head: &[u8; HEAD]) -> bool {
    head.starts_with(b"SQLite format 3\0") && head.ends_with(&APPLICATION.to_be_bytes())
}

/// The format of a file; `None` when it is not one of ours.
pub(super) fn format(connection: &Connection) -> Result<Option<u32>, Fault> {
    let application: i32 = connection.query_row("PRAGMA application_id", [], |row| row.get(0))?;
    let format: u32 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    Ok((application == APPLICATION).then_some(format))
}
