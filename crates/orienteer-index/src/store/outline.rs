//! How are the pieces, comments and symbols of one file kept?
//!
//! Packed into two blobs per file: a row for each would cost more for being a row than for what it says, and whoever
//! asks for one of them mostly asks for its neighbours, too.

use std::ops::Range;

use memchr::memmem;
use orienteer_base::SymbolKind;
use orienteer_syntax::facts::Visibility;

use super::bytes::{Bytes, put, put_bytes, seal, unseal, zigzag};
use super::fault::Fault;
use super::record::{FileRecord, SymbolRecord};
use super::row::{SymbolFlags, SymbolId};

pub(super) const DAMAGED: Fault = Fault::Damage("outline of a file");

/// A piece within its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ShapePiece {
    pub(super) range: Range<usize>,
    pub(super) lines: Range<u32>,
    /// Its symbol's number in the file, from 1 on; 0 for the file itself.
    pub(super) symbol: u32,
}

/// What stands where in a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) pieces: Vec<ShapePiece>,
    /// For each symbol, the piece that its name stands in.
    pub(super) homes: Vec<u32>,
    pub(super) comments: Vec<Range<usize>>,
}

/// A symbol within its file, as it stands in the blob: reading one costs no memory, because most are only passed by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry<'b> {
    pub(super) kind: SymbolKind,
    pub(super) flags: SymbolFlags,
    pub(super) visibility: Option<Visibility>,
    pub(super) range: Range<usize>,
    pub(super) name_range: Range<usize>,
    pub(super) lines: Range<u32>,
    /// As an index into the file's symbols.
    pub(super) parent: Option<u32>,
    pub(super) branches: u32,
    pub(super) loops: u32,
    pub(super) name: &'b str,
    /// `None` where it follows from the parent's.
    path: Option<&'b str>,
    /// The signature before and after the name, or all of it.
    before: &'b str,
    after: Option<&'b str>,
    pub(super) doc: &'b str,
    returned: Returned<'b>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Returned<'b> {
    Nothing,
    Text(&'b str),
    /// A part of the signature.
    Part(Range<usize>),
}

impl Entry<'_> {
    pub(super) fn signature(&self) -> String {
        match self.after {
            Some(after) => [self.before, self.name, after].concat(),
            None => self.before.to_owned(),
        }
    }

    pub(super) fn return_type(&self, signature: &str) -> String {
        match &self.returned {
            Returned::Nothing => String::new(),
            Returned::Text(text) => (*text).to_owned(),
            Returned::Part(range) => signature.get(range.clone()).unwrap_or_default().to_owned(),
        }
    }
}

pub(super) fn pack_shape(record: &FileRecord) -> Vec<u8> {
    let mut out = Vec::with_capacity(record.pieces.len() * 6 + record.comments.len() * 3 + 8);
    put(&mut out, record.pieces.len() as u64);
    let (mut at, mut line, mut symbol) = (0, 0, 0);
    for piece in &record.pieces {
        // Pieces tile the text, so that where one begins says where the one before it ends; a file without text has
        // one empty piece.
        put(&mut out, u64::from(piece.range.end.saturating_sub(at)));
        put(&mut out, zigzag(i64::from(piece.lines.start) - i64::from(line)));
        put(&mut out, u64::from(piece.lines.end.saturating_sub(piece.lines.start)));
        let own = piece.symbol.map_or(0, |symbol| i64::from(symbol) + 1);
        put(&mut out, zigzag(own - symbol));
        at = piece.range.end;
        line = piece.lines.end;
        symbol = own;
    }
    put(&mut out, record.symbols.len() as u64);
    let mut home = 0;
    for symbol in &record.symbols {
        let after = record.pieces.partition_point(|piece| piece.range.start <= symbol.name_range.start);
        let own = after.saturating_sub(1) as i64;
        put(&mut out, zigzag(own - home));
        home = own;
    }
    let mut at = 0;
    for comment in &record.comments {
        put(&mut out, u64::from(comment.start.saturating_sub(at)));
        put(&mut out, u64::from(comment.end.saturating_sub(comment.start)));
        at = comment.end;
    }
    seal(&mut out);
    out
}

pub(super) fn read_shape(blob: &[u8]) -> Result<Shape, Fault> {
    let read = || {
        let mut bytes = Bytes::new(unseal(blob)?);
        let count = bytes.size()?;
        let mut shape = Shape::default();
        let (mut at, mut line, mut symbol) = (0usize, 0i64, 0i64);
        for _ in 0..count {
            let end = at.checked_add(bytes.size()?)?;
            let first = line.checked_add(bytes.signed()?)?;
            let last = first.checked_add(i64::from(bytes.small()?))?;
            symbol = symbol.checked_add(bytes.signed()?)?;
            let lines = u32::try_from(first).ok()?..u32::try_from(last).ok()?;
            shape.pieces.push(ShapePiece { range: at..end, lines, symbol: u32::try_from(symbol).ok()? });
            at = end;
            line = last;
        }
        let symbols = bytes.size()?;
        let mut home = 0i64;
        for _ in 0..symbols {
            home = home.checked_add(bytes.signed()?)?;
            shape.homes.push(u32::try_from(home).ok()?);
        }
        let mut at = 0usize;
        while !bytes.is_empty() {
            let start = at.checked_add(bytes.size()?)?;
            at = start.checked_add(bytes.size()?)?;
            shape.comments.push(start..at);
        }
        Some(shape)
    };
    read().ok_or(DAMAGED)
}

const HAS_DOC: u8 = 1;
const HAS_RETURN: u8 = 2;
/// The return type is a part of the signature.
const RETURN_INSIDE: u8 = 4;
/// The name path is that of the parent, a slash, and the name.
const PATH_FOLLOWS: u8 = 8;
/// The signature holds the name.
const NAME_INSIDE: u8 = 16;
const HAS_CONTROL: u8 = 32;
const HAS_PARENT: u8 = 64;

const IS_ASYNC: u8 = 1;
const IS_GENERATOR: u8 = 2;
const IS_EXPORTED: u8 = 4;

pub(super) fn pack_symbols(symbols: &[SymbolRecord]) -> Vec<u8> {
    let mut out = Vec::with_capacity(symbols.len() * 64);
    let (mut at, mut line) = (0, 0);
    for (index, symbol) in symbols.iter().enumerate() {
        let parent = symbol.parent.and_then(|parent| symbols.get(parent as usize));
        let name_at = memmem::find(symbol.signature.as_bytes(), symbol.name.as_bytes());
        let name_at = name_at.filter(|_| !symbol.name.is_empty());
        let returned = match symbol.return_type.as_bytes() {
            b"" => None,
            returned => memmem::rfind(symbol.signature.as_bytes(), returned),
        };
        let mut has = 0;
        let mut set = |flag: u8, holds: bool| has |= if holds { flag } else { 0 };
        set(HAS_DOC, !symbol.doc.is_empty());
        set(HAS_RETURN, !symbol.return_type.is_empty());
        set(RETURN_INSIDE, !symbol.return_type.is_empty() && returned.is_some());
        set(PATH_FOLLOWS, path_follows(symbol, parent));
        set(NAME_INSIDE, name_at.is_some());
        set(HAS_CONTROL, symbol.branches > 0 || symbol.loops > 0);
        set(HAS_PARENT, parent.is_some());
        out.push(has);
        out.push(kind_number(symbol.kind));
        out.push(
            (u8::from(symbol.is_async) * IS_ASYNC)
                | (u8::from(symbol.is_generator) * IS_GENERATOR)
                | (u8::from(symbol.is_exported) * IS_EXPORTED)
                | visibility_number(symbol.visibility) << 4,
        );
        put(&mut out, zigzag(i64::from(symbol.range.start) - i64::from(at)));
        put(&mut out, u64::from(symbol.range.end.saturating_sub(symbol.range.start)));
        put(&mut out, zigzag(i64::from(symbol.name_range.start) - i64::from(symbol.range.start)));
        put(&mut out, u64::from(symbol.name_range.end.saturating_sub(symbol.name_range.start)));
        put(&mut out, zigzag(i64::from(symbol.lines.start) - i64::from(line)));
        put(&mut out, u64::from(symbol.lines.end.saturating_sub(symbol.lines.start)));
        at = symbol.range.start;
        line = symbol.lines.start;
        if let (Some(parent), Some(_)) = (symbol.parent, parent) {
            put(&mut out, zigzag(index as i64 - i64::from(parent)));
        }
        put_bytes(&mut out, symbol.name.as_bytes());
        if has & PATH_FOLLOWS == 0 {
            put_bytes(&mut out, symbol.name_path.as_bytes());
        }
        match name_at {
            Some(name_at) => {
                put_bytes(&mut out, &symbol.signature.as_bytes()[..name_at]);
                put_bytes(&mut out, &symbol.signature.as_bytes()[name_at + symbol.name.len()..]);
            }
            None => put_bytes(&mut out, symbol.signature.as_bytes()),
        }
        if has & HAS_CONTROL != 0 {
            put(&mut out, u64::from(symbol.branches));
            put(&mut out, u64::from(symbol.loops));
        }
        if has & HAS_DOC != 0 {
            put_bytes(&mut out, symbol.doc.as_bytes());
        }
        match returned {
            _ if symbol.return_type.is_empty() => {}
            Some(start) => {
                put(&mut out, start as u64);
                put(&mut out, symbol.return_type.len() as u64);
            }
            None => put_bytes(&mut out, symbol.return_type.as_bytes()),
        }
    }
    seal(&mut out);
    out
}

fn path_follows(symbol: &SymbolRecord, parent: Option<&SymbolRecord>) -> bool {
    match parent {
        None => symbol.name_path == symbol.name,
        Some(parent) => symbol
            .name_path
            .strip_prefix(parent.name_path.as_str())
            .and_then(|rest| rest.strip_prefix('/'))
            .is_some_and(|rest| rest == symbol.name),
    }
}

/// The blob without its check.
pub(super) fn open_symbols(blob: &[u8]) -> Result<&[u8], Fault> {
    unseal(blob).ok_or(DAMAGED)
}

pub(super) fn read_symbols(content: &[u8]) -> Result<Vec<Entry<'_>>, Fault> {
    let mut bytes = Bytes::new(content);
    let mut entries = Vec::new();
    let mut before = Before::default();
    while !bytes.is_empty() {
        let entry = read_entry(&mut bytes, before).ok_or(DAMAGED)?;
        before = before.next(&entry).ok_or(DAMAGED)?;
        entries.push(entry);
    }
    Ok(entries)
}

/// The names from the outermost container to a symbol, of `count` that can be read by their index.
pub(super) fn name_path<'b>(
    entry: &dyn Fn(usize) -> Option<Entry<'b>>,
    count: usize,
    index: usize,
) -> String {
    let mut names = Vec::new();
    let mut at = Some(index);
    // A parent may stand before or behind what it holds, but there are no more of them than symbols.
    while let Some(entry) = at.and_then(entry)
        && names.len() <= count
    {
        names.push(entry.path.unwrap_or(entry.name));
        at = if entry.path.is_some() { None } else { entry.parent.map(|parent| parent as usize) };
    }
    names.reverse();
    names.join("/")
}

/// What a symbol is read with: where the one before it begins, and how many there are.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Before {
    at: u32,
    line: u32,
    count: u32,
}

impl Before {
    /// For the symbol behind this one. `None` where there are more than can be.
    pub(super) fn next(self, entry: &Entry<'_>) -> Option<Self> {
        let at = u32::try_from(entry.range.start).ok()?;
        Some(Self { at, line: entry.lines.start, count: self.count.checked_add(1)? })
    }
}

pub(super) fn read_entry<'b>(bytes: &mut Bytes<'b>, before: Before) -> Option<Entry<'b>> {
    let has = bytes.byte()?;
    let kind = *SymbolKind::ALL.get(usize::from(bytes.byte()?))?;
    let traits = bytes.byte()?;
    let start = usize::try_from(i64::from(before.at).checked_add(bytes.signed()?)?).ok()?;
    let end = start.checked_add(bytes.size()?)?;
    let name_start = usize::try_from((start as i64).checked_add(bytes.signed()?)?).ok()?;
    let name_end = name_start.checked_add(bytes.size()?)?;
    let first = u32::try_from(i64::from(before.line).checked_add(bytes.signed()?)?).ok()?;
    let last = first.checked_add(bytes.small()?)?;
    let parent = match has & HAS_PARENT {
        0 => None,
        _ => Some(u32::try_from(i64::from(before.count).checked_sub(bytes.signed()?)?).ok()?),
    };
    let name = bytes.text()?;
    let path = if has & PATH_FOLLOWS == 0 { Some(bytes.text()?) } else { None };
    let head = bytes.text()?;
    let after = if has & NAME_INSIDE != 0 { Some(bytes.text()?) } else { None };
    let (branches, loops) = if has & HAS_CONTROL != 0 { (bytes.small()?, bytes.small()?) } else { (0, 0) };
    let doc = if has & HAS_DOC != 0 { bytes.text()? } else { "" };
    let returned = match has & (HAS_RETURN | RETURN_INSIDE) {
        0 => Returned::Nothing,
        HAS_RETURN => Returned::Text(bytes.text()?),
        _ => {
            let start = bytes.size()?;
            Returned::Part(start..start.checked_add(bytes.size()?)?)
        }
    };
    Some(Entry {
        kind,
        flags: SymbolFlags {
            is_async: traits & IS_ASYNC != 0,
            is_generator: traits & IS_GENERATOR != 0,
            is_exported: traits & IS_EXPORTED != 0,
        },
        visibility: visibility_of(traits >> 4),
        range: start..end,
        name_range: name_start..name_end,
        lines: first..last,
        parent,
        branches,
        loops,
        name,
        path,
        before: head,
        after,
        doc,
        returned,
    })
}

/// Passes a symbol by: what the one behind it is read with, and its name.
pub(super) fn skip_entry<'b>(bytes: &mut Bytes<'b>, before: Before) -> Option<(Before, &'b [u8])> {
    let has = bytes.byte()?;
    bytes.take(2)?;
    let at = u32::try_from(i64::from(before.at).checked_add(bytes.signed()?)?).ok()?;
    for _ in 0..3 {
        bytes.number()?;
    }
    let line = u32::try_from(i64::from(before.line).checked_add(bytes.signed()?)?).ok()?;
    bytes.number()?;
    if has & HAS_PARENT != 0 {
        bytes.number()?;
    }
    let name = bytes.bytes()?;
    let texts = [has & PATH_FOLLOWS == 0, true, has & NAME_INSIDE != 0];
    for _ in texts.iter().filter(|there| **there) {
        bytes.bytes()?;
    }
    if has & HAS_CONTROL != 0 {
        bytes.number()?;
        bytes.number()?;
    }
    if has & HAS_DOC != 0 {
        bytes.bytes()?;
    }
    match has & (HAS_RETURN | RETURN_INSIDE) {
        0 => {}
        HAS_RETURN => {
            bytes.bytes()?;
        }
        _ => {
            bytes.number()?;
            bytes.number()?;
        }
    }
    Some((Before { at, line, count: before.count.checked_add(1)? }, name))
}

fn kind_number(kind: SymbolKind) -> u8 {
    SymbolKind::ALL.iter().position(|known| *known == kind).map_or(0, |at| at as u8)
}

fn visibility_number(visibility: Option<Visibility>) -> u8 {
    match visibility {
        None => 0,
        Some(Visibility::Public) => 1,
        Some(Visibility::Protected) => 2,
        Some(Visibility::Internal) => 3,
        Some(Visibility::Private) => 4,
    }
}

fn visibility_of(number: u8) -> Option<Visibility> {
    match number {
        1 => Some(Visibility::Public),
        2 => Some(Visibility::Protected),
        3 => Some(Visibility::Internal),
        4 => Some(Visibility::Private),
        _ => None,
    }
}

/// The number of a file's symbol, where its first number stands for the file.
pub(super) fn symbol_id(first: u32, index: u32) -> SymbolId {
    SymbolId(i64::from(first) + 1 + i64::from(index))
}
