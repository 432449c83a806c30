//! Where does the list of a term stand?
//!
//! A segment is all terms of some files in order, cut into blocks. Within a block a term is what it adds to the one
//! before it. A long list has a row of its own, so that looking for its neighbours does not read it.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use rusqlite::{Connection, OptionalExtension};

use super::bytes::{Bytes, put, put_bytes, seal, unseal};
use super::fault::Fault;
use super::merge::{BASE, level};

/// A block is closed when it is longer than this: small enough to be looked through for each word of a question, large
/// enough that what a row costs does not show.
const BLOCK: usize = 16 << 10;
/// A longer list has its own row.
const LONG: usize = 2 << 10;

const DAMAGED: Fault = Fault::Damage("block of terms");

/// Is told a term and what the segment has of it; says whether to go on.
type Each<'e> = &'e mut dyn FnMut(&[u8], &Entry<'_>) -> Result<bool, Fault>;

/// A segment, as the table has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) id: i64,
    pub(super) level: u32,
    pub(super) piece: u32,
    pub(super) piece_end: u32,
    block: i64,
    block_end: i64,
    pub(super) bytes: u64,
}

/// In order of the pieces they hold.
pub(super) fn segments(connection: &Connection) -> Result<Vec<Segment>, Fault> {
    let mut statement = connection.prepare_cached(
        "SELECT id, level, piece, piece_end, block, block_end, bytes FROM segments ORDER BY piece, id",
    )?;
    let rows = statement.query_map([], |row| {
        Ok(Segment {
            id: row.get(0)?,
            level: row.get(1)?,
            piece: row.get(2)?,
            piece_end: row.get(3)?,
            block: row.get(4)?,
            block_end: row.get(5)?,
            bytes: row.get::<_, i64>(6)?.cast_unsigned(),
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Writes one segment. Terms come in order.
#[derive(Debug)]
pub(super) struct SegmentWriter<'c> {
    connection: &'c Connection,
    id: i64,
    first_block: i64,
    next_block: i64,
    block: Vec<u8>,
    block_first: Vec<u8>,
    last: Vec<u8>,
    bytes: u64,
}

impl<'c> SegmentWriter<'c> {
    pub(super) fn new(connection: &'c Connection) -> Result<Self, Fault> {
        let next = |table: &str| {
            connection
                .query_row(&format!("SELECT COALESCE(MAX(id), 0) + 1 FROM {table}"), [], |row| row.get(0))
        };
        let block = next("blocks")?;
        Ok(Self {
            connection,
            id: next("segments")?,
            first_block: block,
            next_block: block,
            block: Vec::with_capacity(BLOCK + LONG),
            block_first: Vec::new(),
            last: Vec::new(),
            bytes: 0,
        })
    }

    pub(super) fn push(&mut self, term: &[u8], count: u32, list: &[u8]) -> Result<(), Fault> {
        if self.block.is_empty() {
            self.block_first = term.to_vec();
            self.last.clear();
        }
        let shared = term.iter().zip(&self.last).take_while(|(one, other)| one == other).count();
        put(&mut self.block, shared as u64);
        put_bytes(&mut self.block, &term[shared..]);
        put(&mut self.block, u64::from(count));
        if list.len() > LONG {
            let mut sealed = list.to_vec();
            let id = self.row(&mut sealed)?;
            put(&mut self.block, id.cast_unsigned() << 1 | 1);
        } else {
            put(&mut self.block, (list.len() as u64) << 1);
            self.block.extend_from_slice(list);
        }
        self.last.truncate(shared);
        self.last.extend_from_slice(&term[shared..]);
        if self.block.len() >= BLOCK { self.close_block() } else { Ok(()) }
    }

    fn row(&mut self, content: &mut Vec<u8>) -> Result<i64, Fault> {
        let id = self.next_block;
        self.next_block += 1;
        seal(content);
        self.bytes += content.len() as u64;
        self.connection
            .prepare_cached("INSERT INTO blocks (id, data) VALUES (?1, ?2)")?
            .execute((id, content.as_slice()))?;
        Ok(id)
    }

    fn close_block(&mut self) -> Result<(), Fault> {
        if self.block.is_empty() {
            return Ok(());
        }
        let mut block = std::mem::take(&mut self.block);
        let id = self.row(&mut block)?;
        block.clear();
        self.block = block;
        self.connection
            .prepare_cached("INSERT INTO directory (segment, first, block) VALUES (?1, ?2, ?3)")?
            .execute((self.id, self.block_first.as_slice(), id))?;
        Ok(())
    }

    /// Ends the segment, which holds these pieces.
    pub(super) fn finish(mut self, base: bool, piece: u32, piece_end: u32) -> Result<(), Fault> {
        self.close_block()?;
        let level = if base { BASE } else { level(self.bytes) };
        self.connection
            .prepare_cached(
                "INSERT INTO segments (id, level, piece, piece_end, block, block_end, bytes)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            )?
            .execute((
                self.id,
                level,
                piece,
                piece_end,
                self.first_block,
                self.next_block,
                self.bytes.cast_signed(),
            ))?;
        Ok(())
    }
}

/// A list as it was found.
#[derive(Debug, Clone)]
pub(super) struct List {
    pub(super) count: u32,
    pub(super) postings: Vec<u8>,
}

/// An entry of a block; its list may stand elsewhere.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry<'b> {
    pub(super) count: u32,
    inline: &'b [u8],
    elsewhere: Option<i64>,
}

impl Entry<'_> {
    pub(super) fn list(&self, connection: &Connection) -> Result<List, Fault> {
        let postings = match self.elsewhere {
            None => self.inline.to_vec(),
            Some(id) => {
                let mut statement = connection.prepare_cached("SELECT data FROM blocks WHERE id = ?1")?;
                let mut rows = statement.query([id])?;
                let row = rows.next()?.ok_or(DAMAGED)?;
                unseal(row.get_ref(0)?.as_blob()?).ok_or(DAMAGED)?.to_vec()
            }
        };
        Ok(List { count: self.count, postings })
    }
}

/// Blocks that were read for one view of the store: forms of a word stand in the same one, and are asked for together.
#[derive(Debug, Default)]
pub(super) struct Blocks(RefCell<HashMap<i64, Rc<[u8]>>>);

/// Room for every word of a long question.
const MOST_BLOCKS: usize = 256;

impl Blocks {
    fn get(&self, connection: &Connection, id: i64) -> Result<Rc<[u8]>, Fault> {
        if let Some(known) = self.0.borrow().get(&id) {
            return Ok(known.clone());
        }
        let mut statement = connection.prepare_cached("SELECT data FROM blocks WHERE id = ?1")?;
        let mut rows = statement.query([id])?;
        let row = rows.next()?.ok_or(DAMAGED)?;
        let data: Rc<[u8]> = unseal(row.get_ref(0)?.as_blob()?).ok_or(DAMAGED)?.into();
        let mut known = self.0.borrow_mut();
        if known.len() >= MOST_BLOCKS {
            known.clear();
        }
        known.insert(id, data.clone());
        Ok(data)
    }
}

impl Segment {
    /// The list of a term.
    pub(super) fn find(
        &self,
        connection: &Connection,
        blocks: &Blocks,
        term: &[u8],
    ) -> Result<Option<List>, Fault> {
        self.entry_of(connection, blocks, term, |entry| entry.list(connection))
    }

    /// How long the list of a term is, without reading it.
    pub(super) fn count(&self, connection: &Connection, blocks: &Blocks, term: &[u8]) -> Result<u32, Fault> {
        Ok(self.entry_of(connection, blocks, term, |entry| Ok(entry.count))?.unwrap_or(0))
    }

    /// Does something with the entry of a term. It can stand in one block only.
    fn entry_of<T>(
        &self,
        connection: &Connection,
        blocks: &Blocks,
        term: &[u8],
        work: impl FnOnce(&Entry<'_>) -> Result<T, Fault>,
    ) -> Result<Option<T>, Fault> {
        let id: Option<i64> = connection
            .prepare_cached(
                "SELECT block FROM directory WHERE segment = ?1 AND first <= ?2 ORDER BY first DESC LIMIT 1",
            )?
            .query_row((self.id, term), |row| row.get(0))
            .optional()?;
        let Some(id) = id else { return Ok(None) };
        let data = blocks.get(connection, id)?;
        let mut bytes = Bytes::new(&data);
        let mut here = Vec::new();
        while !bytes.is_empty() {
            let entry = entry(&mut bytes, &mut here).ok_or(DAMAGED)?;
            match here.as_slice().cmp(term) {
                std::cmp::Ordering::Less => {}
                std::cmp::Ordering::Equal => return work(&entry).map(Some),
                std::cmp::Ordering::Greater => break,
            }
        }
        Ok(None)
    }

    /// Every term that begins like this, in order, until `each` says that it is enough.
    pub(super) fn scan(&self, connection: &Connection, prefix: &[u8], each: Each<'_>) -> Result<(), Fault> {
        self.scan_from(connection, prefix, &mut |term, entry| {
            if term.starts_with(prefix) {
                return each(term, entry);
            }
            Ok(term < prefix)
        })
    }

    /// Every term from the beginning of the block on that may hold `from`.
    fn scan_from(&self, connection: &Connection, from: &[u8], each: Each<'_>) -> Result<(), Fault> {
        let floor: Option<Vec<u8>> = connection
            .prepare_cached(
                "SELECT first FROM directory WHERE segment = ?1 AND first <= ?2 ORDER BY first DESC LIMIT 1",
            )?
            .query_row((self.id, from), |row| row.get(0))
            .optional()?;
        let mut statement = connection.prepare_cached(
            "SELECT data FROM directory JOIN blocks ON blocks.id = directory.block
             WHERE segment = ?1 AND first >= ?2 ORDER BY first",
        )?;
        let mut rows = statement.query((self.id, floor.as_deref().unwrap_or_default()))?;
        let mut term = Vec::new();
        while let Some(row) = rows.next()? {
            let data = unseal(row.get_ref(0)?.as_blob()?).ok_or(DAMAGED)?;
            let mut bytes = Bytes::new(data);
            term.clear();
            while !bytes.is_empty() {
                let entry = entry(&mut bytes, &mut term).ok_or(DAMAGED)?;
                if !each(&term, &entry)? {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// The terms of all blocks, one block at a time.
    pub(super) fn cursor(&self) -> Cursor {
        Cursor {
            segment: self.id,
            block_first: Vec::new(),
            data: Vec::new(),
            at: 0,
            term: Vec::new(),
            entry: None,
            ended: false,
        }
    }

    pub(super) fn remove(&self, connection: &Connection) -> Result<(), Fault> {
        connection.prepare_cached("DELETE FROM segments WHERE id = ?1")?.execute([self.id])?;
        connection.prepare_cached("DELETE FROM directory WHERE segment = ?1")?.execute([self.id])?;
        connection
            .prepare_cached("DELETE FROM blocks WHERE id >= ?1 AND id < ?2")?
            .execute((self.block, self.block_end))?;
        Ok(())
    }
}

fn entry<'b>(bytes: &mut Bytes<'b>, term: &mut Vec<u8>) -> Option<Entry<'b>> {
    let shared = bytes.size()?;
    if shared > term.len() {
        return None;
    }
    term.truncate(shared);
    term.extend_from_slice(bytes.bytes()?);
    let count = bytes.small()?;
    let place = bytes.number()?;
    if place & 1 == 1 {
        return Some(Entry { count, inline: &[], elsewhere: i64::try_from(place >> 1).ok() });
    }
    let inline = bytes.take(usize::try_from(place >> 1).ok()?)?;
    Some(Entry { count, inline, elsewhere: None })
}

/// Goes through a segment term by term, holding one block in memory, so that many of them can be merged.
#[derive(Debug)]
pub(super) struct Cursor {
    segment: i64,
    block_first: Vec<u8>,
    data: Vec<u8>,
    at: usize,
    pub(super) term: Vec<u8>,
    entry: Option<(u32, std::ops::Range<usize>, Option<i64>)>,
    ended: bool,
}

impl Cursor {
    /// Moves to the next term; `false` at the end.
    pub(super) fn advance(&mut self, connection: &Connection) -> Result<bool, Fault> {
        if self.at == self.data.len() && !self.next_block(connection)? {
            self.ended = true;
            self.entry = None;
            return Ok(false);
        }
        let data = std::mem::take(&mut self.data);
        let mut bytes = Bytes::new(&data[self.at..]);
        let read = entry(&mut bytes, &mut self.term).map(|entry| {
            let end = data.len() - bytes.rest.len();
            (entry.count, end - entry.inline.len()..end, entry.elsewhere)
        });
        self.at = data.len() - bytes.rest.len();
        self.data = data;
        self.entry = Some(read.ok_or(DAMAGED)?);
        Ok(true)
    }

    fn next_block(&mut self, connection: &Connection) -> Result<bool, Fault> {
        let mut statement = connection.prepare_cached(
            "SELECT first, data FROM directory JOIN blocks ON blocks.id = directory.block
             WHERE segment = ?1 AND first > ?2 ORDER BY first LIMIT 1",
        )?;
        let mut rows = statement.query((self.segment, self.block_first.as_slice()))?;
        let Some(row) = rows.next()? else { return Ok(false) };
        self.block_first = row.get(0)?;
        self.data = unseal(row.get_ref(1)?.as_blob()?).ok_or(DAMAGED)?.to_vec();
        self.at = 0;
        self.term.clear();
        Ok(!self.data.is_empty())
    }

    pub(super) fn is_at(&self, term: &[u8]) -> bool {
        !self.ended && self.entry.is_some() && self.term == term
    }

    pub(super) fn has_ended(&self) -> bool {
        self.ended
    }

    pub(super) fn list(&self, connection: &Connection) -> Result<List, Fault> {
        let (count, inline, elsewhere) = self.entry.clone().ok_or(DAMAGED)?;
        let inline = self.data.get(inline).unwrap_or_default();
        Entry { count, inline, elsewhere }.list(connection)
    }
}
