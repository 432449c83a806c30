//! Where in the blob of a file does each of its symbols stand?
//!
//! Symbols are packed one behind the other, each as what it adds to the one before. Whoever asks for one of them would
//! have to read all in front of it; here that is done once for all that are asked for.

use std::collections::HashMap;
use std::sync::Arc;

use rusqlite::Connection;

use super::bytes::Bytes;
use super::error::StoreError;
use super::fault::Fault;
use super::outline::{Before, DAMAGED, Entry, name_path, open_symbols, read_entry, skip_entry, symbol_id};
use super::read::Reader;
use super::row::{File, FileId, Symbol, SymbolId};
use super::snapshot::Slot;

/// The symbols of one file, ready to be read one by one.
#[derive(Debug)]
pub(super) struct Opened {
    content: Box<[u8]>,
    marks: Box<[Mark]>,
}

/// What has to be known to read one symbol.
#[derive(Debug, Clone, Copy)]
struct Mark {
    /// The byte at which it begins.
    at: u32,
    before: Before,
    /// Of its name, so that most others need not be read to see that they are called otherwise.
    name: u32,
}

impl Opened {
    /// Reads a blob as it stands in the table.
    pub(super) fn new(blob: &[u8]) -> Result<Self, Fault> {
        let content = open_symbols(blob)?;
        let mut bytes = Bytes::new(content);
        let mut marks: Vec<Mark> = Vec::new();
        let mut before = Before::default();
        while !bytes.is_empty() {
            let at = u32::try_from(content.len() - bytes.rest.len()).map_err(|_| DAMAGED)?;
            let (behind, name) = skip_entry(&mut bytes, before).ok_or(DAMAGED)?;
            marks.push(Mark { at, before, name: sum(name) });
            before = behind;
        }
        Ok(Self { content: content.into(), marks: marks.into() })
    }

    pub(super) fn bytes(&self) -> usize {
        self.content.len() + size_of_val::<[Mark]>(&self.marks)
    }

    pub(super) fn len(&self) -> usize {
        self.marks.len()
    }

    pub(super) fn entry(&self, index: usize) -> Option<Entry<'_>> {
        let mark = self.marks.get(index)?;
        read_entry(&mut Bytes::new(self.content.get(mark.at as usize..)?), mark.before)
    }

    /// The names from the outermost container to a symbol.
    pub(super) fn name_path(&self, index: usize) -> String {
        name_path(&|at| self.entry(at), self.len(), index)
    }

    /// Which of those with its path a symbol is.
    pub(super) fn nth(&self, index: usize, name: &str, path: &str) -> usize {
        let sum = sum(name.as_bytes());
        let same = |(at, mark): &(usize, &Mark)| {
            mark.name == sum
                && self.entry(*at).is_some_and(|other| other.name == name)
                && self.name_path(*at) == path
        };
        self.marks.iter().take(index).enumerate().filter(same).count()
    }
}

/// The same for the same names.
fn sum(name: &[u8]) -> u32 {
    name.iter().fold(0x811C_9DC5, |sum, byte| (sum ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

impl Reader<'_> {
    /// The symbols of a file.
    fn opened(&self, connection: &Connection, file: FileId) -> Result<Arc<Opened>, Fault> {
        if let Some((last, known)) = &*self.last.borrow()
            && *last == file
        {
            return Ok(known.clone());
        }
        let opened = match self.kept().symbols.get(file) {
            Some(known) => known,
            None => self.open(connection, file)?,
        };
        *self.last.borrow_mut() = Some((file, opened.clone()));
        Ok(opened)
    }

    fn open(&self, connection: &Connection, file: FileId) -> Result<Arc<Opened>, Fault> {
        let mut statement = connection.prepare_cached("SELECT symbols FROM outlines WHERE file = ?1")?;
        let mut rows = statement.query([file.0])?;
        let row = rows.next()?.ok_or(DAMAGED)?;
        let opened = Arc::new(Opened::new(row.get_ref(0)?.as_blob()?)?);
        self.kept().symbols.put(file, opened.clone());
        Ok(opened)
    }

    pub fn symbol(&self, id: SymbolId) -> Result<Option<Symbol>, StoreError> {
        self.ask(|connection| self.load_symbol(connection, id))
    }

    pub(super) fn load_symbol(&self, connection: &Connection, id: SymbolId) -> Result<Option<Symbol>, Fault> {
        let number = u32::try_from(id.0).ok().filter(|number| self.snapshot.has_symbol(*number));
        let Some(slot) = number.and_then(|number| self.snapshot.slot_of_symbol(number)) else {
            return Ok(None);
        };
        let Some(index) = number.and_then(|number| (number - slot.symbols.start).checked_sub(1)) else {
            return Ok(None);
        };
        let opened = self.opened(connection, slot.id())?;
        let index = index as usize;
        if index >= opened.len() {
            return Ok(None);
        }
        let entry = opened.entry(index).ok_or(DAMAGED)?;
        let name_path = opened.name_path(index);
        let nth = opened.nth(index, entry.name, &name_path);
        Ok(Some(symbol(slot, index, &entry, name_path, nth)))
    }

    /// In document order.
    pub fn symbols_of(&self, file: &File) -> Result<Vec<Symbol>, StoreError> {
        let Some(slot) = self.snapshot.slot(file.id) else { return Ok(Vec::new()) };
        self.ask(|connection| {
            let opened = self.opened(connection, slot.id())?;
            let mut seen: HashMap<String, usize> = HashMap::new();
            let mut symbols = Vec::with_capacity(opened.len());
            for index in 0..opened.len() {
                let entry = opened.entry(index).ok_or(DAMAGED)?;
                let name_path = opened.name_path(index);
                let nth = seen.entry(name_path.clone()).or_default();
                symbols.push(symbol(slot, index, &entry, name_path, *nth));
                *nth += 1;
            }
            Ok(symbols)
        })
    }

    /// The symbol that a stable id names: a file, a path of names, and which of those with the same path.
    pub fn symbol_at(&self, file: &File, name_path: &str, nth: u32) -> Result<Option<Symbol>, StoreError> {
        let all = self.symbols_of(file)?;
        Ok(all.into_iter().find(|symbol| symbol.name_path == name_path && symbol.nth == nth))
    }

    /// The innermost symbol around a byte.
    pub fn symbol_around(&self, file: &File, offset: usize) -> Result<Option<Symbol>, StoreError> {
        let all = self.symbols_of(file)?;
        Ok(all
            .into_iter()
            .filter(|symbol| symbol.range.contains(&offset))
            .min_by_key(|symbol| symbol.range.len()))
    }
}

fn symbol(slot: &Slot, index: usize, entry: &Entry<'_>, name_path: String, nth: usize) -> Symbol {
    let id = |index: u32| symbol_id(slot.symbols.start, index);
    let signature = entry.signature();
    Symbol {
        id: id(index as u32),
        file: slot.id(),
        parent: entry.parent.map(id),
        name: entry.name.to_owned(),
        name_path,
        nth: nth as u32,
        kind: entry.kind,
        range: entry.range.clone(),
        name_range: entry.name_range.clone(),
        lines: entry.lines.clone(),
        doc: entry.doc.to_owned(),
        return_type: entry.return_type(&signature),
        signature,
        visibility: entry.visibility,
        flags: entry.flags,
        branches: entry.branches,
        loops: entry.loops,
    }
}
