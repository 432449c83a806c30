//! How does a file of vectors come to be?

use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::super::error::VectorsError;
use super::super::model::Identity;
use super::super::vector::Vector;
use super::format::{BLOCK_ROWS, Block, HEADER, Header, row_bytes};

/// Writes beside the place where the file will be and puts it there when it is whole: nobody ever sees half of it, and
/// whoever has the old one open goes on reading that. Dropped before the end, it leaves nothing.
#[derive(Debug)]
pub struct VectorWriter {
    file: BufWriter<NamedTempFile>,
    path: PathBuf,
    dims: usize,
    model: Identity,
    count: u64,
    last: Option<u64>,
    ids: Vec<u8>,
    scales: Vec<u8>,
    codes: Vec<u8>,
    first: u64,
    blocks: Vec<Block>,
}

impl VectorWriter {
    pub fn create(path: &Path, model: Identity, dims: usize) -> Result<Self, VectorsError> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        // A name that says whose it is, for whoever sweeps up after a process that was killed.
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let named = tempfile::Builder::new().prefix(&format!("{stem}.")).suffix(".new").tempfile_in(folder);
        let file = named.map_err(VectorsError::unusable(path))?;
        let mut file = BufWriter::with_capacity(1 << 18, file);
        file.write_all(&[0; HEADER]).map_err(VectorsError::unusable(path))?;
        Ok(Self {
            file,
            path: path.to_path_buf(),
            dims,
            model,
            count: 0,
            last: None,
            ids: Vec::new(),
            scales: Vec::new(),
            codes: Vec::with_capacity(BLOCK_ROWS * row_bytes(dims)),
            first: 0,
            blocks: Vec::new(),
        })
    }

    /// Adds a vector under a number higher than all before.
    pub fn push(&mut self, id: u64, vector: &Vector) -> Result<(), VectorsError> {
        if vector.dims() != self.dims {
            return Err(VectorsError::Dimensions { found: vector.dims(), expected: self.dims });
        }
        if let Some(last) = self.last.filter(|last| *last >= id) {
            return Err(VectorsError::OutOfOrder { id, last });
        }
        self.last = Some(id);
        if self.ids.is_empty() {
            self.first = id;
        }
        self.ids.extend(id.to_le_bytes());
        self.scales.extend(vector.scale().to_le_bytes());
        self.codes.extend_from_slice(vector.codes());
        self.count += 1;
        if self.ids.len() == BLOCK_ROWS * 8 { self.end_block() } else { Ok(()) }
    }

    fn end_block(&mut self) -> Result<(), VectorsError> {
        if self.ids.is_empty() {
            return Ok(());
        }
        let mut sum = blake3::Hasher::new();
        for part in [&mut self.ids, &mut self.scales, &mut self.codes] {
            sum.update(part);
            self.file.write_all(part).map_err(VectorsError::unusable(&self.path))?;
            part.clear();
        }
        self.blocks.push(Block { first: self.first, sum: *sum.finalize().as_bytes() });
        Ok(())
    }

    /// Puts the file in its place.
    pub fn finish(mut self) -> Result<(), VectorsError> {
        self.end_block()?;
        let table: Vec<u8> = self.blocks.iter().flat_map(Block::bytes).collect();
        let header = Header {
            dims: self.dims,
            count: self.count,
            model: self.model,
            table_sum: *blake3::hash(&table).as_bytes(),
        };
        let path = self.path;
        let mut file = self.file;
        let written = (|| {
            file.write_all(&table)?;
            file.seek(SeekFrom::Start(0))?;
            file.write_all(&header.bytes())?;
            let file = file.into_inner().map_err(std::io::IntoInnerError::into_error)?;
            file.as_file().sync_all()?;
            file.persist(&path).map_err(|error| error.error)
        })();
        written.map(drop).map_err(VectorsError::unusable(&path))
    }
}
