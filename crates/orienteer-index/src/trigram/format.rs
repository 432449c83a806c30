//! What stands where in the file?
//!
//! ```text
//! header      fixed size: what this is, how many of what, where the parts are, their checksums, its own checksum
//! postings    the lists of pieces, one after the other, in the order of their trigrams
//! table       in blocks of up to 128 trigrams: for each its distance to the one before, how many pieces have it, and
//!             the list itself where that is short, else how it is coded, its length and its checksum
//! directory   for each block its first trigram, where it begins, where its postings begin, its checksum
//! files       for each file, in order of number: number, how many pieces, size, hash, what a search makes of it
//! ```
//!
//! Numbers are little-endian. Pieces are counted through all files, in the order of the last part. Every byte is
//! under a checksum: header, directory and files are checked when the file is opened, blocks and lists whenever one
//! is read.

use super::gather::Reading;
use super::varint;
use super::{Content, Indexed};

pub(super) const VERSION: u32 = 1;
const MAGIC: [u8; 8] = *b"OR3GRAMS";

/// Trigrams in a block of the table.
pub(super) const BLOCK: usize = 128;
/// A list that takes no more bytes than this stands in the table.
pub(super) const SHORT: usize = 8;

pub(super) type Checksum = [u8; 16];

pub(super) fn checksum(bytes: &[u8]) -> Checksum {
    let mut beginning = [0; 16];
    beginning.copy_from_slice(&blake3::hash(bytes).as_bytes()[..16]);
    beginning
}

/// Of one block of the table.
pub(super) fn block_checksum(bytes: &[u8]) -> u64 {
    let [a, b, c, d, e, f, g, h, ..] = checksum(bytes);
    u64::from_le_bytes([a, b, c, d, e, f, g, h])
}

/// Of one list. There are many of them, so it is a short one.
pub(super) fn list_checksum(bytes: &[u8]) -> u32 {
    block_checksum(bytes) as u32
}

/// The beginning of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) files: u32,
    pub(super) pieces: u32,
    pub(super) trigrams: u32,
    pub(super) postings: u64,
    /// Lengths of the parts in bytes; they follow each other.
    pub(super) lists_length: u64,
    pub(super) table_length: u64,
    pub(super) directory_length: u64,
    pub(super) files_length: u64,
    pub(super) directory: Checksum,
    pub(super) files_checksum: Checksum,
}

/// What is wrong with a header.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NoHeader {
    Damaged(&'static str),
    Version(u32),
}

impl Header {
    pub(super) const LENGTH: usize = 8 + 4 * 4 + 8 * 5 + 16 * 3;

    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        for number in [VERSION, self.files, self.pieces, self.trigrams] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        let lengths = [self.lists_length, self.table_length, self.directory_length, self.files_length];
        for number in std::iter::once(self.postings).chain(lengths) {
            out.extend_from_slice(&number.to_le_bytes());
        }
        out.extend_from_slice(&self.directory);
        out.extend_from_slice(&self.files_checksum);
        let own = checksum(&out);
        out.extend_from_slice(&own);
        out
    }

    pub(super) fn decode(bytes: &[u8; Self::LENGTH]) -> Result<Self, NoHeader> {
        let mut rest = Reader(bytes);
        if rest.take::<8>() != Some(MAGIC) {
            return Err(NoHeader::Damaged("it does not begin as a trigram file does"));
        }
        let version = rest.u32().unwrap_or(0);
        if version != VERSION {
            return Err(NoHeader::Version(version));
        }
        let (body, own) = bytes.split_at(Self::LENGTH - 16);
        if own != checksum(body) {
            return Err(NoHeader::Damaged("its header has another checksum"));
        }
        let mut read = || {
            Some(Self {
                files: rest.u32()?,
                pieces: rest.u32()?,
                trigrams: rest.u32()?,
                postings: rest.u64()?,
                lists_length: rest.u64()?,
                table_length: rest.u64()?,
                directory_length: rest.u64()?,
                files_length: rest.u64()?,
                directory: rest.take()?,
                files_checksum: rest.take()?,
            })
        };
        read().ok_or(NoHeader::Damaged("its header is too short"))
    }

    pub(super) fn table(&self) -> u64 {
        (Self::LENGTH as u64).saturating_add(self.lists_length)
    }

    pub(super) fn after_table(&self) -> u64 {
        self.table().saturating_add(self.table_length)
    }

    pub(super) fn total(&self) -> u64 {
        self.after_table().saturating_add(self.directory_length).saturating_add(self.files_length)
    }
}

/// Where a block of the table is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BlockRef {
    pub(super) first: u32,
    /// From the beginning of the table.
    pub(super) start: u32,
    /// From the beginning of the lists.
    pub(super) lists: u64,
    pub(super) checksum: u64,
}

impl BlockRef {
    pub(super) const LENGTH: usize = 24;

    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.first.to_le_bytes());
        out.extend_from_slice(&self.start.to_le_bytes());
        out.extend_from_slice(&self.lists.to_le_bytes());
        out.extend_from_slice(&self.checksum.to_le_bytes());
    }

    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut rest = Reader(bytes);
        Some(Self { first: rest.u32()?, start: rest.u32()?, lists: rest.u64()?, checksum: rest.u64()? })
    }
}

/// The row of one file.
pub(super) const FILE_LENGTH: usize = 4 + 4 + 8 + 16 + 1;

pub(super) fn encode_file(file: &Indexed, pieces: u32, out: &mut Vec<u8>) {
    out.extend_from_slice(&file.id.to_le_bytes());
    out.extend_from_slice(&pieces.to_le_bytes());
    out.extend_from_slice(&file.content.size.to_le_bytes());
    out.extend_from_slice(&file.content.hash);
    out.push(match file.reading {
        Reading::Text => 0,
        Reading::Binary => 1,
        Reading::Always => 2,
    });
}

/// A file, and how many pieces it has.
pub(super) fn decode_file(bytes: &[u8]) -> Option<(Indexed, u32)> {
    let mut rest = Reader(bytes);
    let (id, pieces, size, hash) = (rest.u32()?, rest.u32()?, rest.u64()?, rest.take()?);
    let reading = match rest.take()? {
        [0] => Reading::Text,
        [1] => Reading::Binary,
        // Whatever this is, opening the file is never wrong.
        [_] => Reading::Always,
    };
    Some((Indexed { id, content: Content { size, hash }, reading }, pieces))
}

/// One trigram of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) trigram: u32,
    /// How many pieces have it.
    pub(super) count: u32,
    pub(super) list: List,
}

/// Where the pieces that have a trigram stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum List {
    Here(Vec<u32>),
    There {
        /// From the beginning of the lists.
        start: u64,
        length: u32,
        k: u8,
        checksum: u32,
    },
}

/// How an entry says where its list is.
const HERE: u8 = 0xff;

/// Appends an entry whose list stands in it.
pub(super) fn encode_here(step: u32, list: &[u8], count: usize, out: &mut Vec<u8>) {
    varint::put(out, u64::from(step));
    varint::put(out, count as u64);
    out.push(HERE);
    out.extend_from_slice(list);
}

/// Appends an entry whose list stands among the others.
pub(super) fn encode_there(step: u32, list: &[u8], count: usize, k: u8, out: &mut Vec<u8>) {
    varint::put(out, u64::from(step));
    varint::put(out, count as u64);
    out.push(k);
    varint::put(out, list.len() as u64);
    out.extend_from_slice(&list_checksum(list).to_le_bytes());
}

/// A list as it stands in an entry.
pub(super) fn encode_short(list: &[u32], out: &mut Vec<u8>) {
    let mut next = 0;
    for piece in list {
        varint::put(out, u64::from(piece - next));
        next = piece + 1;
    }
}

/// Reads the entries of a block one by one. Ends early where the block makes no sense, which its checksum rules out.
pub(super) struct Entries<'b> {
    rest: &'b [u8],
    trigram: u32,
    lists: u64,
    pieces: u32,
}

impl<'b> Entries<'b> {
    pub(super) fn new(block: &BlockRef, bytes: &'b [u8], pieces: u32) -> Self {
        Self { rest: bytes, trigram: block.first, lists: block.lists, pieces }
    }

    fn read(&mut self) -> Option<Entry> {
        let rest = &mut self.rest;
        self.trigram = self.trigram.checked_add(varint::take_u32(rest)?)?;
        let count = varint::take_u32(rest).filter(|count| *count <= self.pieces)?;
        let (&k, after) = rest.split_first()?;
        *rest = after;
        let list = if k == HERE {
            let mut next = 0_u32;
            let mut pieces = Vec::with_capacity((count as usize).min(SHORT));
            for _ in 0..count {
                let piece = next.checked_add(varint::take_u32(rest)?).filter(|piece| *piece < self.pieces)?;
                pieces.push(piece);
                next = piece + 1;
            }
            List::Here(pieces)
        } else {
            let length = varint::take_u32(rest)?;
            let (sum, after) = rest.split_first_chunk::<4>()?;
            *rest = after;
            let start = self.lists;
            self.lists = self.lists.checked_add(u64::from(length))?;
            List::There { start, length, k, checksum: u32::from_le_bytes(*sum) }
        };
        Some(Entry { trigram: self.trigram, count, list })
    }
}

impl Iterator for Entries<'_> {
    type Item = Entry;

    fn next(&mut self) -> Option<Entry> {
        if self.rest.is_empty() { None } else { self.read() }
    }
}

/// Numbers off the front of bytes.
struct Reader<'b>(&'b [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*taken)
    }

    fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }
}
