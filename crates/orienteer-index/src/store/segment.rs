//! Where does the list of a term stand?
//!
//! A segment is all terms of some files in order, cut into blocks. Within a block a term is what it adds to the one
//! before it. A long list has a row of its own, so that looking for its neighbours does not read it.

use std::ops::Range;
use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension};

use super::bytes::{Bytes, put, put_bytes, seal, unseal};
use super::fault::Fault;
use super::kept::Kept;
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
    data: Arc<[u8]>,
    /// Which of the data.
    own: Range<usize>,
}

impl List {
    fn whole(count: u32, data: Arc<[u8]>) -> Self {
        Self { count, own: 0..data.len(), data }
    }

    pub(super) fn postings(&self) -> &[u8] {
        self.data.get(self.own.clone()).unwrap_or_default()
    }
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
        let data = match self.elsewhere {
            None => self.inline.into(),
            Some(id) => read_row(connection, id)?,
        };
        Ok(List::whole(self.count, data))
    }
}

/// What a row of the table holds.
fn read_row(connection: &Connection, id: i64) -> Result<Arc<[u8]>, Fault> {
    let mut statement = connection.prepare_cached("SELECT data FROM blocks WHERE id = ?1")?;
    let mut rows = statement.query([id])?;
    let row = rows.next()?.ok_or(DAMAGED)?;
    Ok(unseal(row.get_ref(0)?.as_blob()?).ok_or(DAMAGED)?.into())
}

/// The same for questions, which ask for most rows again: forms of a word stand in one block.
fn kept_row(connection: &Connection, kept: &Kept, id: i64) -> Result<Arc<[u8]>, Fault> {
    if let Some(known) = kept.blocks.get(id) {
        return Ok(known);
    }
    let data = read_row(connection, id)?;
    kept.blocks.put(id, data.clone());
    Ok(data)
}

/// Where the list of a term stands.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) count: u32,
    block: Arc<[u8]>,
    inline: Range<usize>,
    elsewhere: Option<i64>,
}

impl Place {
    pub(super) fn list(&self, connection: &Connection, kept: &Kept) -> Result<List, Fault> {
        Ok(match self.elsewhere {
            None => List { count: self.count, data: self.block.clone(), own: self.inline.clone() },
            Some(id) => List::whole(self.count, kept_row(connection, kept, id)?),
        })
    }
}

impl Segment {
    /// The list of a term.
    pub(super) fn find(
        &self,
        connection: &Connection,
        kept: &Kept,
        term: &[u8],
    ) -> Result<Option<List>, Fault> {
        let place = self.place(connection, kept, term)?;
        place.map(|place| place.list(connection, kept)).transpose()
    }

    /// Where the list of a term stands, and how long it is, without reading it. It can stand in one block only.
    pub(super) fn place(
        &self,
        connection: &Connection,
        kept: &Kept,
        term: &[u8],
    ) -> Result<Option<Place>, Fault> {
        let id: Option<i64> = connection
            .prepare_cached(
                "SELECT block FROM directory WHERE segment = ?1 AND first <= ?2 ORDER BY first DESC LIMIT 1",
            )?
            .query_row((self.id, term), |row| row.get(0))
            .optional()?;
        let Some(id) = id else { return Ok(None) };
        let block = kept_row(connection, kept, id)?;
        let found = look(&block, term).ok_or(DAMAGED)?;
        Ok(found.map(|(Entry { count, inline, elsewhere }, end)| {
            let inline = end - inline.len()..end;
            Place { count, block: block.clone(), inline, elsewhere }
        }))
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

/// The entry of a term in a block, and where its list ends there. `None` is damage.
///
/// Terms stand in order, and each says how much of the one before it begins with. So nothing has to be put together: it is
/// enough to know how much of the term before this one is that of the one that is looked for.
fn look<'b>(block: &'b [u8], term: &[u8]) -> Option<Option<(Entry<'b>, usize)>> {
    let mut bytes = Bytes::new(block);
    let (mut length, mut same) = (0, 0);
    while !bytes.is_empty() {
        let (shared, rest, entry) = written(&mut bytes)?;
        if shared > length {
            return None;
        }
        length = shared + rest.len();
        if shared > same {
            continue;
        }
        if shared < same {
            break;
        }
        let wanted = term.get(same..)?;
        let common = rest.iter().zip(wanted).take_while(|(one, other)| one == other).count();
        same += common;
        match (rest.get(common), wanted.get(common)) {
            (None, None) => return Some(Some((entry, block.len() - bytes.rest.len()))),
            (Some(_), None) => break,
            (Some(here), Some(there)) if here > there => break,
            _ => {}
        }
    }
    Some(None)
}

fn entry<'b>(bytes: &mut Bytes<'b>, term: &mut Vec<u8>) -> Option<Entry<'b>> {
    let (shared, rest, entry) = written(bytes)?;
    if shared > term.len() {
        return None;
    }
    term.truncate(shared);
    term.extend_from_slice(rest);
    Some(entry)
}

/// How much of the term before it a term begins with, the rest of it, and what there is of it.
#[inline]
fn written<'b>(bytes: &mut Bytes<'b>) -> Option<(usize, &'b [u8], Entry<'b>)> {
    let shared = bytes.size()?;
    let rest = bytes.bytes()?;
    let count = bytes.small()?;
    let place = bytes.number()?;
    if place & 1 == 1 {
        let elsewhere = i64::try_from(place >> 1).ok();
        return Some((shared, rest, Entry { count, inline: &[], elsewhere }));
    }
    let inline = bytes.take(usize::try_from(place >> 1).ok()?)?;
    Some((shared, rest, Entry { count, inline, elsewhere: None }))
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// A block as it is written.
    fn block(terms: &BTreeMap<Vec<u8>, Vec<u8>>) -> Vec<u8> {
        let (mut out, mut last) = (Vec::new(), Vec::new());
        for (term, list) in terms {
            let shared = term.iter().zip(&last).take_while(|(one, other)| one == other).count();
            put(&mut out, shared as u64);
            put_bytes(&mut out, &term[shared..]);
            put(&mut out, list.len() as u64);
            put(&mut out, (list.len() as u64) << 1);
            out.extend_from_slice(list);
            last.clone_from(term);
        }
        out
    }

    proptest! {
        #[test]
        fn every_term_of_a_block_is_found_and_no_other(
            terms in prop::collection::btree_map(prop::collection::vec(97u8..100, 1..6), prop::collection::vec(any::<u8>(), 0..4), 0..60),
            others in prop::collection::vec(prop::collection::vec(97u8..100, 0..7), 0..60),
        ) {
            let block = block(&terms);
            for term in terms.keys().chain(&others) {
                let found = look(&block, term).expect("no damage");
                let list = found.map(|(entry, end)| {
                    assert_eq!(&block[end - entry.inline.len()..end], entry.inline);
                    entry.inline.to_vec()
                });
                prop_assert_eq!(list.as_ref(), terms.get(term), "{:?}", term);
            }
        }

        #[test]
        fn garbage_is_looked_through_without_panic(garbage in prop::collection::vec(any::<u8>(), 0..80), term in prop::collection::vec(any::<u8>(), 0..4)) {
            let _ = look(&garbage, &term);
        }
    }
}
