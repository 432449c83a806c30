//! Which pieces and symbols stand in lists although their file is gone?
//!
//! Rows are only ever added: what one version knew of the dead is true in every later one.

use rusqlite::Connection;

use super::bits::Bits;
use super::fault::Fault;

#[derive(Debug, Clone, Default)]
pub(super) struct Dead {
    last: i64,
    pieces: Bits,
    symbols: Bits,
}

impl Dead {
    /// Reads what is newer than `self`. No number may lie beyond the ends.
    pub(super) fn read(&mut self, connection: &Connection, pieces: u32, symbols: u32) -> Result<(), Fault> {
        self.pieces.grow(pieces);
        self.symbols.grow(symbols);
        let mut statement = connection.prepare_cached(
            "SELECT id, piece, piece_end, symbol, symbol_end FROM dead WHERE id > ?1 ORDER BY id",
        )?;
        let mut rows = statement.query([self.last])?;
        while let Some(row) = rows.next()? {
            let (piece, piece_end, symbol, symbol_end) = (row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?);
            if piece_end > pieces || symbol_end > symbols {
                return Err(Fault::Damage("row of a deleted file"));
            }
            self.pieces.insert_range(piece..piece_end);
            self.symbols.insert_range(symbol..symbol_end);
            self.last = row.get(0)?;
        }
        Ok(())
    }

    #[inline]
    pub(super) fn has_piece(&self, number: u32) -> bool {
        self.pieces.has(number)
    }

    pub(super) fn has_symbol(&self, number: u32) -> bool {
        self.symbols.has(number)
    }

    /// How many pieces.
    pub(super) fn count(&self) -> usize {
        self.pieces.count()
    }
}
