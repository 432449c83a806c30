//! What does every question need to know about all files?
//!
//! How long each piece is, which file it belongs to, and what is gone. It is kept in memory for the version it was read
//! at. Numbers only grow, so that a newer version is what was known plus the rows behind it, unless the stamp of a known
//! file changed.

use std::ops::Range;
use std::sync::Arc;

use orienteer_base::Language;
use orienteer_base::language::LANGUAGES;
use rusqlite::Connection;

use super::bytes::unseal;
use super::dead::Dead;
use super::fault::Fault;
use super::kept::Kept;
use super::meta::{self, Next};
use super::record::{FileFlags, Mode, mode_of};
use super::row::{FileId, RelativePath};

const DAMAGED: Fault = Fault::Damage("row of a file");

/// A file, as far as questions about many need it.
#[derive(Debug, Clone)]
pub(super) struct Slot {
    pub(super) pieces: Range<u32>,
    /// The first stands for the file itself.
    pub(super) symbols: Range<u32>,
    pub(super) mode: Mode,
    pub(super) flags: FileFlags,
    pub(super) language: Option<&'static Language>,
    pub(super) modified: i64,
    /// The number that the trigram file of the generation has it under.
    pub(super) trigrams: Option<u32>,
    pub(super) path: Arc<[u8]>,
}

impl Slot {
    pub(super) fn id(&self) -> FileId {
        FileId(i64::from(self.pieces.start))
    }

    pub(super) fn path(&self) -> RelativePath {
        RelativePath::of_bytes(self.path.to_vec())
    }
}

/// One version of a generation.
#[derive(Debug)]
pub(super) struct Snapshot {
    pub(super) version: u64,
    /// Live files, in order of their pieces.
    pub(super) slots: Vec<Slot>,
    /// By piece; those of dead ones mean nothing.
    lengths: Vec<u16>,
    dead: Dead,
    /// Numbers from here on are not given yet.
    pub(super) next: Next,
    /// Pieces below this number are those of the build.
    pub(super) built: u32,
    /// Live pieces.
    pub(super) pieces: u32,
    pub(super) average: f32,
    pub(super) kept: Kept,
}

impl Snapshot {
    /// Reads what is newer than `older`.
    pub(super) fn read(connection: &Connection, version: u64, older: Option<&Self>) -> Result<Self, Fault> {
        let next = meta::next(connection)?;
        let mut dead = older.map_or_else(Dead::default, |older| older.dead.clone());
        dead.read(connection, next.piece, next.symbol)?;
        // Rows that were changed stand among those that are known.
        let restamped = meta::restamped(connection)?;
        let kept = older.filter(|older| older.version >= restamped);
        let mut slots: Vec<Slot> = kept.map_or_else(Vec::new, |kept| {
            let alive = |slot: &&Slot| !dead.has_piece(slot.pieces.start);
            kept.slots.iter().filter(alive).cloned().collect()
        });
        read_slots(connection, kept.map_or(0, |kept| kept.next.piece), next, &mut slots)?;
        let from = older.map_or(0, |older| older.next.piece);
        let mut lengths = older.map_or_else(Vec::new, |older| older.lengths.clone());
        read_lengths(connection, from, next, &mut lengths)?;
        let words: u64 = slots
            .iter()
            .filter_map(|slot| lengths.get(slot.pieces.start as usize..slot.pieces.end as usize))
            .flatten()
            .map(|length| u64::from(*length))
            .sum();
        let pieces: u32 = slots.iter().map(|slot| slot.pieces.end - slot.pieces.start).sum();
        let average = (words as f64 / f64::from(pieces.max(1))).max(1.0) as f32;
        let built = meta::built(connection)?;
        let kept = Kept::default();
        Ok(Self { version, slots, lengths, dead, next, built, pieces, average, kept })
    }

    #[inline]
    pub(super) fn length(&self, piece: u32) -> f32 {
        self.lengths.get(piece as usize).map_or(1.0, |length| f32::from(*length))
    }

    #[inline]
    pub(super) fn has_piece(&self, piece: u32) -> bool {
        piece < self.next.piece && !self.dead.has_piece(piece)
    }

    pub(super) fn has_symbol(&self, symbol: u32) -> bool {
        symbol < self.next.symbol && !self.dead.has_symbol(symbol)
    }

    /// Pieces of files that are gone.
    pub(super) fn dead_pieces(&self) -> usize {
        self.dead.count()
    }

    /// The file that a piece belongs to.
    pub(super) fn slot_of_piece(&self, piece: u32) -> Option<&Slot> {
        let after = self.slots.partition_point(|slot| slot.pieces.start <= piece);
        self.slots.get(after.checked_sub(1)?).filter(|slot| slot.pieces.contains(&piece))
    }

    /// The file that a symbol belongs to. Symbols grow with pieces.
    pub(super) fn slot_of_symbol(&self, symbol: u32) -> Option<&Slot> {
        let after = self.slots.partition_point(|slot| slot.symbols.start <= symbol);
        self.slots.get(after.checked_sub(1)?).filter(|slot| slot.symbols.contains(&symbol))
    }

    pub(super) fn slot(&self, file: FileId) -> Option<&Slot> {
        u32::try_from(file.0)
            .ok()
            .and_then(|piece| self.slot_of_piece(piece))
            .filter(|slot| slot.id() == file)
    }
}

fn read_slots(connection: &Connection, from: u32, next: Next, slots: &mut Vec<Slot>) -> Result<(), Fault> {
    let mut statement = connection.prepare_cached(
        "SELECT id, pieces, symbol, symbols, mode, flags, language, modified, trigrams, path FROM files WHERE id >= ?1
         ORDER BY id",
    )?;
    let mut rows = statement.query([from])?;
    let range = |first: u32, count: u32, end: u32| {
        first.checked_add(count).filter(|last| *last <= end).map(|last| first..last).ok_or(DAMAGED)
    };
    while let Some(row) = rows.next()? {
        slots.push(Slot {
            pieces: range(row.get(0)?, row.get(1)?, next.piece)?,
            symbols: range(row.get(2)?, row.get(3)?, next.symbol)?,
            mode: mode_of(row.get(4)?),
            flags: FileFlags::of_bits(row.get(5)?),
            language: row.get_ref(6)?.as_str_or_null()?.and_then(language),
            modified: row.get(7)?,
            trigrams: row.get(8)?,
            path: row.get_ref(9)?.as_blob()?.into(),
        });
    }
    Ok(())
}

/// By its id alone, which is quicker than by any of its words.
pub(super) fn language(id: &str) -> Option<&'static Language> {
    LANGUAGES.binary_search_by(|language| language.id.cmp(id)).ok().and_then(|at| LANGUAGES.get(at))
}

fn read_lengths(connection: &Connection, from: u32, next: Next, lengths: &mut Vec<u16>) -> Result<(), Fault> {
    let mut statement =
        connection.prepare_cached("SELECT first, data FROM lengths WHERE first >= ?1 ORDER BY first")?;
    let mut rows = statement.query([from])?;
    while let Some(row) = rows.next()? {
        let first: u32 = row.get(0)?;
        let data = unseal(row.get_ref(1)?.as_blob()?).ok_or(DAMAGED)?;
        if first as usize + data.len() / 2 > next.piece as usize {
            return Err(DAMAGED);
        }
        lengths.resize(first as usize, 0);
        lengths.extend(data.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])));
    }
    lengths.resize(next.piece as usize, 0);
    Ok(())
}
