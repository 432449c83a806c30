//! What does the file say, and is it whole?
//!
//! Nothing is mapped into memory: header, directory and the table of files are read once, everything else by
//! position when it is asked for. So threads share one reader, and a file that is replaced meanwhile stays as it was
//! for whoever has it open.

use std::fs::File;
use std::path::{Path, PathBuf};

use orienteer_base::Cancel;

use super::format::{self, BlockRef, Entries, Entry, FILE_LENGTH, Header, List, NoHeader};
use super::gather::Reading;
use super::{Content, TrigramError, rice};
use crate::positioned::read_at;

/// A file that the trigram file knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Indexed {
    /// The number it was added under.
    pub id: u32,
    pub content: Content,
    pub reading: Reading,
}

/// An open trigram file.
#[derive(Debug)]
pub struct Trigrams {
    file: File,
    path: PathBuf,
    header: Header,
    blocks: Vec<BlockRef>,
    files: Vec<u8>,
    /// For each piece the place of its file.
    owners: Vec<u32>,
    /// Places of files that are always candidates.
    always: Vec<u32>,
}

impl Trigrams {
    /// Opens a file and checks what is needed for every question.
    pub fn open(path: &Path) -> Result<Self, TrigramError> {
        let reading = || TrigramError::reading(path);
        let damaged = |what| TrigramError::Damaged { path: path.to_owned(), what };
        let file = File::open(path).map_err(reading())?;
        let length = file.metadata().map_err(reading())?.len();
        let mut bytes = [0; Header::LENGTH];
        if length < bytes.len() as u64 {
            return Err(damaged("it is too short for a header"));
        }
        read_at(&file, &mut bytes, 0).map_err(reading())?;
        let header = Header::decode(&bytes).map_err(|error| match error {
            NoHeader::Damaged(what) => damaged(what),
            NoHeader::Version(found) => TrigramError::Version { path: path.to_owned(), found },
        })?;
        if header.total() != length {
            return Err(damaged("it has not the length it says"));
        }
        if header.files_length != u64::from(header.files) * FILE_LENGTH as u64 {
            return Err(damaged("its table of files has another length"));
        }
        let mut directory = vec![0; header.directory_length as usize];
        read_at(&file, &mut directory, header.after_table()).map_err(reading())?;
        let mut files = vec![0; header.files_length as usize];
        read_at(&file, &mut files, header.after_table() + header.directory_length).map_err(reading())?;
        if format::checksum(&directory) != header.directory {
            return Err(damaged("its directory has another checksum"));
        }
        if format::checksum(&files) != header.files_checksum {
            return Err(damaged("its table of files has another checksum"));
        }
        let blocks = directory.chunks_exact(BlockRef::LENGTH).filter_map(BlockRef::decode).collect();
        let (mut owners, mut always) = (Vec::with_capacity(header.pieces as usize), Vec::new());
        for (place, (file, pieces)) in (0..).zip(rows(&files)) {
            owners.extend(std::iter::repeat_n(place, pieces as usize));
            if file.reading == Reading::Always {
                always.push(place);
            }
        }
        if owners.len() != header.pieces as usize {
            return Err(damaged("its files have another number of pieces"));
        }
        Ok(Self { file, path: path.to_owned(), header, blocks, files, owners, always })
    }

    /// How many files it knows.
    pub fn len(&self) -> usize {
        self.header.files as usize
    }

    pub fn is_empty(&self) -> bool {
        self.header.files == 0
    }

    /// The size of the file.
    pub fn bytes(&self) -> u64 {
        self.header.total()
    }

    /// The files in order of their numbers. Candidates are places in this order.
    pub fn files(&self) -> impl ExactSizeIterator<Item = Indexed> {
        rows(&self.files).map(|(file, _)| file)
    }

    pub fn file(&self, place: u32) -> Option<Indexed> {
        let start = (place as usize).checked_mul(FILE_LENGTH)?;
        format::decode_file(self.files.get(start..start + FILE_LENGTH)?).map(|(file, _)| file)
    }

    /// Reads everything and checks it.
    pub fn verify(&self, cancel: &Cancel) -> Result<(), TrigramError> {
        let (mut trigrams, mut postings, mut lists) = (0_u64, 0_u64, 0_u64);
        let mut last = None;
        for at in 0..self.blocks.len() {
            cancel.check()?;
            for entry in self.block(at)? {
                if Some(entry.trigram) <= last {
                    return Err(self.damaged("its trigrams are not in order"));
                }
                last = Some(entry.trigram);
                trigrams += 1;
                postings += self.pieces(&entry)?.len() as u64;
                if let List::There { length, .. } = entry.list {
                    lists += u64::from(length);
                }
            }
        }
        if (trigrams, postings, lists)
            != (u64::from(self.header.trigrams), self.header.postings, self.header.lists_length)
        {
            return Err(self.damaged("it has not as many trigrams as it says"));
        }
        Ok(())
    }

    pub(super) fn always(&self) -> &[u32] {
        &self.always
    }

    /// The entries of sorted trigrams, without those that no file has.
    pub(super) fn entries(&self, trigrams: &[u32], cancel: &Cancel) -> Result<Vec<Entry>, TrigramError> {
        let mut found = Vec::new();
        let mut rest = trigrams;
        while let Some(first) = rest.first() {
            cancel.check()?;
            let at = self.blocks.partition_point(|block| block.first <= *first);
            let end = self.blocks.get(at).map_or(u32::MAX, |next| next.first);
            let (here, after) = rest.split_at(rest.partition_point(|trigram| *trigram < end));
            rest = after;
            // Before the first block there is nothing.
            let Some(at) = at.checked_sub(1) else { continue };
            found.extend(
                self.block(at)?.into_iter().filter(|entry| here.binary_search(&entry.trigram).is_ok()),
            );
        }
        Ok(found)
    }

    /// How many pieces all files have together.
    pub(super) fn piece_count(&self) -> u32 {
        self.header.pieces
    }

    /// Turns sorted pieces into the sorted places of their files.
    pub(super) fn owners(&self, pieces: &mut Vec<u32>) {
        // Where every file is one piece, they are the same.
        if self.header.pieces != self.header.files {
            pieces
                .iter_mut()
                .for_each(|piece| *piece = self.owners.get(*piece as usize).copied().unwrap_or(0));
            pieces.dedup();
        }
    }

    /// The pieces of an entry.
    pub(super) fn pieces(&self, entry: &Entry) -> Result<Vec<u32>, TrigramError> {
        let (start, length, k, checksum) = match &entry.list {
            List::Here(pieces) => return Ok(pieces.clone()),
            List::There { start, length, k, checksum } => (*start, *length, *k, *checksum),
        };
        if start.checked_add(u64::from(length)).is_none_or(|end| end > self.header.lists_length) {
            return Err(self.damaged("a list lies outside of it"));
        }
        let mut bytes = vec![0; length as usize];
        read_at(&self.file, &mut bytes, Header::LENGTH as u64 + start)
            .map_err(TrigramError::reading(&self.path))?;
        if format::list_checksum(&bytes) != checksum {
            return Err(self.damaged("a list has another checksum"));
        }
        rice::decode(&bytes, k, entry.count, self.header.pieces)
            .ok_or_else(|| self.damaged("a list cannot be read"))
    }

    fn block(&self, at: usize) -> Result<Vec<Entry>, TrigramError> {
        let outside = || self.damaged("a block of its table lies outside of it");
        let block = self.blocks.get(at).ok_or_else(outside)?;
        let end = self.blocks.get(at + 1).map_or(self.header.table_length, |next| u64::from(next.start));
        let length = end.checked_sub(u64::from(block.start)).filter(|_| end <= self.header.table_length);
        let mut bytes = vec![0; length.ok_or_else(outside)? as usize];
        read_at(&self.file, &mut bytes, self.header.table() + u64::from(block.start))
            .map_err(TrigramError::reading(&self.path))?;
        if format::block_checksum(&bytes) != block.checksum {
            return Err(self.damaged("a block of its table has another checksum"));
        }
        Ok(Entries::new(block, &bytes, self.header.pieces).collect())
    }

    fn damaged(&self, what: &'static str) -> TrigramError {
        TrigramError::Damaged { path: self.path.clone(), what }
    }
}

/// The files of a table, each with how many pieces it has.
fn rows(table: &[u8]) -> impl ExactSizeIterator<Item = (Indexed, u32)> {
    // A row that is none cannot be: they are as long as they are. It would be a file to open in any case.
    let nobody = Indexed { id: 0, content: Content { size: 0, hash: [0; 16] }, reading: Reading::Always };
    table.chunks_exact(FILE_LENGTH).map(move |row| format::decode_file(row).unwrap_or((nobody, 0)))
}
