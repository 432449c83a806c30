//! What is true of the whole index?

use rusqlite::{Connection, OptionalExtension};

use super::fault::Fault;

/// Numbers that the next file gets.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Next {
    pub(super) piece: u32,
    pub(super) symbol: u32,
}

const VERSION: &str = "version";
const NEXT_PIECE: &str = "next_piece";
const NEXT_SYMBOL: &str = "next_symbol";
const BUILT: &str = "built_pieces";
const RESTAMPED: &str = "restamped";

pub(super) fn get(connection: &Connection, key: &str) -> Result<Option<String>, Fault> {
    let mut statement = connection.prepare_cached("SELECT value FROM meta WHERE key = ?1")?;
    Ok(statement.query_row([key], |row| row.get(0)).optional()?)
}

pub(super) fn set(connection: &Connection, key: &str, value: &str) -> Result<(), Fault> {
    connection
        .prepare_cached("INSERT OR REPLACE INTO meta (key, value) VALUES (?1, ?2)")?
        .execute((key, value))?;
    Ok(())
}

fn number<T: std::str::FromStr>(connection: &Connection, key: &str) -> Result<T, Fault> {
    get(connection, key)?.and_then(|value| value.parse().ok()).ok_or(Fault::Damage("meta row"))
}

/// Grows with every change.
pub(super) fn version(connection: &Connection) -> Result<u64, Fault> {
    number(connection, VERSION)
}

pub(super) fn set_version(connection: &Connection, version: u64) -> Result<(), Fault> {
    set(connection, VERSION, &version.to_string())
}

pub(super) fn next(connection: &Connection) -> Result<Next, Fault> {
    Ok(Next { piece: number(connection, NEXT_PIECE)?, symbol: number(connection, NEXT_SYMBOL)? })
}

pub(super) fn set_next(connection: &Connection, next: Next) -> Result<(), Fault> {
    set(connection, NEXT_PIECE, &next.piece.to_string())?;
    set(connection, NEXT_SYMBOL, &next.symbol.to_string())
}

/// Pieces below this number are those of the build; a compaction leaves it as it was.
pub(super) fn built(connection: &Connection) -> Result<u32, Fault> {
    number(connection, BUILT)
}

pub(super) fn set_built(connection: &Connection, piece: u32) -> Result<(), Fault> {
    set(connection, BUILT, &piece.to_string())
}

/// The last version that changed rows of files that were there before; all other changes add rows.
pub(super) fn restamped(connection: &Connection) -> Result<u64, Fault> {
    Ok(get(connection, RESTAMPED)?.and_then(|value| value.parse().ok()).unwrap_or_default())
}

pub(super) fn set_restamped(connection: &Connection, version: u64) -> Result<(), Fault> {
    set(connection, RESTAMPED, &version.to_string())
}
