//! How is a file of vectors laid out? All numbers are little-endian.
//!
//! | bytes | what |
//! | --- | --- |
//! | 8 | `ORIENVEC` |
//! | 4 | version |
//! | 4 | dimensions |
//! | 8 | rows |
//! | 32 | identity of the model |
//! | 32 | BLAKE3 of the table |
//! | 32 | BLAKE3 of all of the above |
//! | … | blocks of 1024 rows, the last one shorter: numbers (8 each), scales (4 each), codes (one per dimension) |
//! | … | the table: for each block its first number (8) and its BLAKE3 (32) |

use std::path::Path;

use super::super::error::VectorsError;
use super::super::model::Identity;
use super::super::vector::Vector;

const MAGIC: &[u8; 8] = b"ORIENVEC";
const VERSION: u32 = 1;

pub(super) const HEADER: usize = 120;
pub(super) const TABLE_ROW: usize = 40;

/// With 256 dimensions a block has 268 kB, which stays in a core's own cache while it is ranked.
pub(super) const BLOCK_ROWS: usize = 1024;

const MOST_DIMS: usize = 4096;
const MOST_ROWS: u64 = 1 << 32;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) dims: usize,
    pub(super) count: u64,
    pub(super) model: Identity,
    pub(super) table_sum: [u8; 32],
}

/// A row of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) first: u64,
    pub(super) sum: [u8; 32],
}

impl Header {
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((self.dims as u32).to_le_bytes());
        bytes.extend(self.count.to_le_bytes());
        bytes.extend(self.model.0);
        bytes.extend(self.table_sum);
        bytes.extend(blake3::hash(&bytes).as_bytes());
        bytes
    }

    pub(super) fn parse(bytes: &[u8; HEADER], path: &Path) -> Result<Self, VectorsError> {
        let damaged = |what| VectorsError::Damaged { path: path.to_path_buf(), what };
        let mut reader = Reader(bytes);
        if reader.take() != *MAGIC {
            return Err(damaged("it does not begin as a file of vectors"));
        }
        // Before the checksum: another version may have its own elsewhere.
        let version = u32::from_le_bytes(reader.take());
        if version != VERSION {
            return Err(VectorsError::OtherVersion {
                path: path.to_path_buf(),
                found: version,
                expected: VERSION,
            });
        }
        let header = Self {
            dims: u32::from_le_bytes(reader.take()) as usize,
            count: u64::from_le_bytes(reader.take()),
            model: Identity(reader.take()),
            table_sum: reader.take(),
        };
        let sum: [u8; 32] = reader.take();
        if *blake3::hash(&bytes[..HEADER - sum.len()]).as_bytes() != sum {
            return Err(damaged("the checksum of its header is wrong"));
        }
        if header.dims == 0 || header.dims > MOST_DIMS || header.count > MOST_ROWS {
            return Err(damaged("its header says more than there can be"));
        }
        Ok(header)
    }

    pub(super) fn row_bytes(&self) -> usize {
        row_bytes(self.dims)
    }

    pub(super) fn blocks(&self) -> usize {
        self.count.div_ceil(BLOCK_ROWS as u64) as usize
    }

    pub(super) fn table_place(&self) -> u64 {
        HEADER as u64 + self.count * self.row_bytes() as u64
    }

    /// Of the whole file.
    pub(super) fn length(&self) -> Option<u64> {
        let table = (self.blocks() as u64).checked_mul(TABLE_ROW as u64)?;
        self.table_place().checked_add(table)
    }

    /// Where a block begins, and how many rows it has.
    pub(super) fn place(&self, block: usize) -> (u64, usize) {
        let before = block as u64 * BLOCK_ROWS as u64;
        let rows = self.count.saturating_sub(before).min(BLOCK_ROWS as u64);
        (HEADER as u64 + before * self.row_bytes() as u64, rows as usize)
    }
}

pub(super) fn row_bytes(dims: usize) -> usize {
    8 + 4 + dims
}

impl Block {
    pub(super) fn bytes(&self) -> [u8; TABLE_ROW] {
        let mut bytes = [0; TABLE_ROW];
        let (first, sum) = bytes.split_at_mut(8);
        first.copy_from_slice(&self.first.to_le_bytes());
        sum.copy_from_slice(&self.sum);
        bytes
    }

    pub(super) fn parse(bytes: &[u8; TABLE_ROW]) -> Self {
        let mut reader = Reader(bytes);
        Self { first: u64::from_le_bytes(reader.take()), sum: reader.take() }
    }
}

/// Takes arrays off the front; zeros where there is nothing left.
struct Reader<'b>(&'b [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        match self.0.split_first_chunk::<N>() {
            Some((first, rest)) => {
                self.0 = rest;
                *first
            }
            None => [0; N],
        }
    }
}

/// The rows of a block that was read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rows<'b> {
    ids: &'b [u8],
    scales: &'b [u8],
    codes: &'b [u8],
    dims: usize,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Row<'b> {
    pub(super) id: u64,
    pub(super) scale: f32,
    pub(super) codes: &'b [u8],
}

impl<'b> Rows<'b> {
    pub(super) fn new(bytes: &'b [u8], count: usize, dims: usize) -> Self {
        let (ids, rest) = bytes.split_at_checked(count * 8).unwrap_or_default();
        let (scales, codes) = rest.split_at_checked(count * 4).unwrap_or_default();
        Self { ids, scales, codes, dims }
    }

    pub(super) fn iter(self) -> impl Iterator<Item = Row<'b>> {
        let ids = self.ids.as_chunks::<8>().0.iter().map(|id| u64::from_le_bytes(*id));
        let scales = self.scales.as_chunks::<4>().0.iter().map(|scale| f32::from_le_bytes(*scale));
        let codes = self.codes.chunks_exact(self.dims.max(1));
        ids.zip(scales).zip(codes).map(|((id, scale), codes)| Row { id, scale, codes })
    }
}

impl Row<'_> {
    pub(super) fn vector(&self) -> Option<Vector> {
        Vector::from_bytes(&[&self.scale.to_le_bytes(), self.codes].concat(), self.codes.len())
    }
}
