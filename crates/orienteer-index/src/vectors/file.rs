//! Where are the vectors of a generation, and which are nearest?
//!
//! One file, written once and then only read: a header, blocks of rows, and a table with the checksum of each block. A
//! block has the numbers of its rows, then their scales, then their codes, so that one read brings everything that is
//! needed to rank it. What changes after the file was written is kept elsewhere: whoever asks leaves replaced rows out
//! with `keep` and adds the new ones with [`super::rank`] and [`super::merge`].

mod format;
mod scan;
mod writer;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use super::error::VectorsError;
use super::model::Identity;
use super::vector::Vector;
use crate::positioned::read_at;
use format::{Block, HEADER, Header, TABLE_ROW};

pub use writer::VectorWriter;

/// A checked file of vectors.
#[derive(Debug)]
pub struct VectorFile {
    file: File,
    path: PathBuf,
    header: Header,
    blocks: Vec<Block>,
    /// Blocks whose checksum was right when they were first read. Checking costs more than ranking, so it is done once.
    checked: Vec<AtomicBool>,
}

impl VectorFile {
    /// Opens a file that was made with this model. Header and table are checked now, each block when it is first read.
    pub fn open(path: &Path, model: Identity) -> Result<Self, VectorsError> {
        let damaged = |what| VectorsError::Damaged { path: path.to_path_buf(), what };
        let file = File::open(path).map_err(VectorsError::unusable(path))?;
        let length = file.metadata().map_err(VectorsError::unusable(path))?.len();
        let mut bytes = [0; HEADER];
        if length < HEADER as u64 {
            return Err(damaged("it is shorter than its header"));
        }
        read_at(&file, &mut bytes, 0).map_err(VectorsError::unusable(path))?;
        let header = Header::parse(&bytes, path)?;
        if header.length() != Some(length) {
            return Err(damaged("its length is not what its header says"));
        }
        if header.model != model {
            return Err(VectorsError::OtherModel { path: path.to_path_buf() });
        }
        // Bounded by the length of the file, which was just compared.
        let mut table = vec![0; header.blocks() * TABLE_ROW];
        read_at(&file, &mut table, header.table_place()).map_err(VectorsError::unusable(path))?;
        if *blake3::hash(&table).as_bytes() != header.table_sum {
            return Err(damaged("the checksum of its table is wrong"));
        }
        let blocks: Vec<Block> = table.as_chunks::<TABLE_ROW>().0.iter().map(Block::parse).collect();
        let checked = blocks.iter().map(|_| AtomicBool::new(false)).collect();
        Ok(Self { file, path: path.to_path_buf(), header, blocks, checked })
    }

    /// How many vectors there are.
    pub fn len(&self) -> usize {
        self.header.count as usize
    }

    pub fn is_empty(&self) -> bool {
        self.header.count == 0
    }

    pub fn dims(&self) -> usize {
        self.header.dims
    }

    /// The vector with this number.
    pub fn get(&self, id: u64) -> Result<Option<Vector>, VectorsError> {
        let after = self.blocks.partition_point(|block| block.first <= id);
        let Some(at) = after.checked_sub(1) else { return Ok(None) };
        let mut buffer = Vec::new();
        let rows = self.read(at, &mut buffer)?;
        Ok(rows.iter().find(|row| row.id == id).and_then(|row| row.vector()))
    }

    /// Reads a block into the buffer; the first time its checksum is compared.
    fn read<'b>(&self, at: usize, buffer: &'b mut Vec<u8>) -> Result<format::Rows<'b>, VectorsError> {
        let damaged = |what| VectorsError::Damaged { path: self.path.clone(), what };
        let (Some(block), Some(checked)) = (self.blocks.get(at), self.checked.get(at)) else {
            return Err(damaged("it has no such block"));
        };
        let (place, rows) = self.header.place(at);
        buffer.resize(rows * self.header.row_bytes(), 0);
        read_at(&self.file, buffer, place).map_err(VectorsError::unusable(&self.path))?;
        if !checked.load(Ordering::Relaxed) {
            if *blake3::hash(buffer).as_bytes() != block.sum {
                return Err(damaged("the checksum of a block is wrong"));
            }
            checked.store(true, Ordering::Relaxed);
        }
        Ok(format::Rows::new(buffer, rows, self.header.dims))
    }
}

#[cfg(test)]
mod tests;
