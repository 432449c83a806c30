//! How does a file get into the tables?
//!
//! The same for one file of a running index and for all files of a new one.

use orienteer_base::Cancel;
use rusqlite::{Connection, OptionalExtension};

use super::bytes::seal;
use super::fault::Fault;
use super::gather::{Base, Gather};
use super::meta::{self, Next};
use super::outline::{pack_shape, pack_symbols};
use super::record::FileRecord;
use super::row::FileId;
use super::segment::SegmentWriter;

/// Lengths of so many pieces make a row.
const LENGTHS: usize = 32 << 10;

/// Files that are being put in.
#[derive(Debug)]
pub(super) struct Insert {
    gather: Gather,
    next: Next,
    /// The first piece whose terms are not written.
    unwritten: u32,
    lengths_first: u32,
    lengths: Vec<u8>,
}

impl Insert {
    pub(super) fn new(next: Next) -> Self {
        Self {
            gather: Gather::new(),
            next,
            unwritten: next.piece,
            lengths_first: next.piece,
            lengths: Vec::new(),
        }
    }

    /// Bytes of memory that wait to be written.
    pub(super) fn waiting(&self) -> usize {
        self.gather.bytes()
    }

    /// Puts a file in whose path is not there.
    pub(super) fn put(&mut self, connection: &Connection, record: &FileRecord) -> Result<FileId, Fault> {
        let pieces = u32::try_from(record.pieces.len()).unwrap_or(u32::MAX).max(1);
        let symbols = u32::try_from(record.symbols.len()).unwrap_or(u32::MAX).saturating_add(1);
        let base = Base { piece: self.next.piece, symbol: self.next.symbol };
        let full = Fault::Damage("number of pieces: the index has run out of them");
        let (Some(piece), Some(symbol)) = (base.piece.checked_add(pieces), base.symbol.checked_add(symbols))
        else {
            return Err(full);
        };
        connection
            .prepare_cached(
                "INSERT INTO files (id, pieces, symbol, symbols, mode, flags, size, modified, mark, lines, trigrams,
                 language, hash, path) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
            )?
            .execute((
                base.piece,
                pieces,
                base.symbol,
                symbols,
                record.mode as i64,
                record.flags.bits(),
                record.stamp.size.cast_signed(),
                record.stamp.modified,
                record.stamp.mark.cast_signed(),
                record.lines,
                record.trigrams,
                record.language.map(|language| language.id),
                record.hash.as_slice(),
                record.path.as_bytes(),
            ))?;
        connection
            .prepare_cached("INSERT INTO outlines (file, shape, symbols) VALUES (?1, ?2, ?3)")?
            .execute((base.piece, pack_shape(record), pack_symbols(&record.symbols)))?;
        self.gather.add(&record.terms, base);
        for at in 0..pieces as usize {
            let length = record.terms.lengths.get(at).copied().unwrap_or_default();
            self.lengths.extend_from_slice(&length.to_le_bytes());
        }
        self.next = Next { piece, symbol };
        if self.lengths.len() >= 2 * LENGTHS {
            self.write_lengths(connection)?;
        }
        Ok(FileId(i64::from(base.piece)))
    }

    fn write_lengths(&mut self, connection: &Connection) -> Result<(), Fault> {
        if !self.lengths.is_empty() {
            seal(&mut self.lengths);
            connection
                .prepare_cached("INSERT INTO lengths (first, data) VALUES (?1, ?2)")?
                .execute((self.lengths_first, self.lengths.as_slice()))?;
            self.lengths.clear();
        }
        self.lengths_first = self.next.piece;
        Ok(())
    }

    /// Writes the terms that wait as a segment.
    pub(super) fn write_segment(
        &mut self,
        connection: &Connection,
        base: bool,
        cancel: &Cancel,
    ) -> Result<(), Fault> {
        if self.gather.is_empty() {
            return Ok(());
        }
        let mut writer = SegmentWriter::new(connection)?;
        let mut terms = 0u64;
        self.gather.each(|term, count, list| {
            terms += 1;
            if terms.is_multiple_of(1 << 12) {
                cancel.check()?;
            }
            writer.push(term, count, list)
        })?;
        writer.finish(base, self.unwritten, self.next.piece)?;
        self.unwritten = self.next.piece;
        self.gather = Gather::new();
        Ok(())
    }

    /// The number of the next piece.
    pub(super) fn next_piece(&self) -> u32 {
        self.next.piece
    }

    /// Writes everything that waits but the terms.
    pub(super) fn finish(&mut self, connection: &Connection) -> Result<(), Fault> {
        self.write_lengths(connection)?;
        meta::set_next(connection, self.next)
    }
}

/// Takes a file out; its numbers stay in the lists and count as dead.
pub(super) fn delete(connection: &Connection, id: i64) -> Result<(), Fault> {
    connection
        .prepare_cached(
            "INSERT INTO dead (piece, piece_end, symbol, symbol_end)
             SELECT id, id + pieces, symbol, symbol + symbols FROM files WHERE id = ?1",
        )?
        .execute([id])?;
    connection.prepare_cached("DELETE FROM outlines WHERE file = ?1")?.execute([id])?;
    connection.prepare_cached("DELETE FROM files WHERE id = ?1")?.execute([id])?;
    Ok(())
}

/// The number of the file with this path.
pub(super) fn find(connection: &Connection, path: &[u8]) -> Result<Option<i64>, Fault> {
    let mut statement = connection.prepare_cached("SELECT id FROM files WHERE path = ?1")?;
    Ok(statement.query_row([path], |row| row.get(0)).optional()?)
}

/// The files below a folder; an empty path is the root.
pub(super) fn find_below(connection: &Connection, folder: &[u8]) -> Result<Vec<i64>, Fault> {
    let (first, end) = if folder.is_empty() {
        (Vec::new(), vec![0xff; 8])
    } else {
        // `0` follows `/`.
        ([folder, b"/"].concat(), [folder, b"0"].concat())
    };
    let mut statement = connection.prepare_cached("SELECT id FROM files WHERE path >= ?1 AND path < ?2")?;
    let rows = statement.query_map((first, end), |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}
