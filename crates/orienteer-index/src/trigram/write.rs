//! How is the file written, so that there is all of it or nothing?

use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::Path;

use orienteer_base::Cancel;
use tempfile::NamedTempFile;

use super::build::{Added, Summary};
use super::format::{self, BLOCK, BlockRef, Header, SHORT};
use super::run::{Merge, Run};
use super::{Indexed, TrigramError, rice};

/// So many trigrams are written between two looks at whether to stop.
const POLL: u32 = 1 << 10;

pub(super) fn write(
    runs: Vec<Run>,
    mut files: Vec<Added>,
    path: &Path,
    cancel: &Cancel,
) -> Result<Summary, TrigramError> {
    // Numbers mostly follow paths, and files that lie together have much in common: in this order gaps are small.
    files.sort_unstable_by_key(|file| file.id);
    if let Some(pair) = files.windows(2).find(|pair| pair[0].id == pair[1].id) {
        return Err(TrigramError::Duplicate(pair[0].id));
    }
    let places = Places::new(&files);
    let folder = path.parent().unwrap_or(Path::new("."));
    let failed = |error| TrigramError::writing(path)(error);
    let temporary = beside(path, folder).map_err(failed)?;
    let mut out = BufWriter::with_capacity(1 << 20, temporary);
    out.write_all(&[0; Header::LENGTH]).map_err(failed)?;

    let mut merge = Merge::new(runs).map_err(failed)?;
    let mut table = Table::default();
    let mut list = Vec::new();
    while let Some(trigram) = merge.next(&mut list).map_err(failed)? {
        if table.trigrams % POLL == 0 {
            cancel.check()?;
        }
        places.apply(&mut list).ok_or_else(|| failed(io::ErrorKind::InvalidData.into()))?;
        let bytes = table.add(trigram, &list);
        out.write_all(bytes).map_err(failed)?;
        list.clear();
    }
    table.close_block();

    let mut rows = Vec::with_capacity(files.len() * format::FILE_LENGTH);
    for file in &files {
        let pieces = file.pieces;
        let file = Indexed { id: file.id, content: file.content, reading: file.reading };
        format::encode_file(&file, pieces, &mut rows);
    }
    let header = Header {
        files: files.len() as u32,
        pieces: places.count,
        trigrams: table.trigrams,
        postings: table.postings,
        lists_length: table.lists_length,
        table_length: table.bytes.len() as u64,
        directory_length: table.directory.len() as u64,
        files_length: rows.len() as u64,
        directory: format::checksum(&table.directory),
        files_checksum: format::checksum(&rows),
    };
    let finish = || -> io::Result<()> {
        out.write_all(&table.bytes)?;
        out.write_all(&table.directory)?;
        out.write_all(&rows)?;
        out.seek(SeekFrom::Start(0))?;
        out.write_all(&header.encode())?;
        let temporary = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        cancel.check().map_err(io::Error::other)?;
        temporary.as_file().sync_all()?;
        temporary.persist(path)?;
        sync_folder(folder)
    };
    finish().map_err(
        |error| if cancel.is_cancelled() { orienteer_base::Stopped.into() } else { failed(error) },
    )?;
    Ok(Summary {
        files: u64::from(header.files),
        trigrams: u64::from(header.trigrams),
        postings: header.postings,
        bytes: header.total(),
    })
}

/// A name that says whose it is, for whoever sweeps up after a process that was killed.
fn beside(path: &Path, folder: &Path) -> io::Result<NamedTempFile> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    tempfile::Builder::new().prefix(&format!("{stem}.")).suffix(".new").tempfile_in(folder)
}

/// A new name is only safe once its folder is.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    std::fs::File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Where each piece stands among all, by the number it was collected under.
struct Places {
    by_sequence: Vec<u32>,
    count: u32,
}

/// No piece was collected under this number.
const NOWHERE: u32 = u32::MAX;

impl Places {
    fn new(files: &[Added]) -> Self {
        let after = |file: &Added| file.sequence as usize + file.pieces as usize;
        let mut by_sequence = vec![NOWHERE; files.iter().map(after).max().unwrap_or(0)];
        let mut count = 0;
        for file in files {
            for place in &mut by_sequence[file.sequence as usize..after(file)] {
                *place = count;
                count += 1;
            }
        }
        Self { by_sequence, count }
    }

    /// Turns the numbers of a list into places, in order.
    fn apply(&self, list: &mut [u32]) -> Option<()> {
        let mut before = None;
        let mut sorted = true;
        for number in list.iter_mut() {
            let place = self.by_sequence.get(*number as usize).copied().filter(|place| *place != NOWHERE)?;
            sorted &= before < Some(place);
            before = Some(place);
            *number = place;
        }
        if !sorted {
            // Several sorted lists one behind the other, which the stable sort is made for.
            list.sort();
        }
        Some(())
    }
}

/// The table as it grows.
#[derive(Default)]
struct Table {
    bytes: Vec<u8>,
    directory: Vec<u8>,
    trigrams: u32,
    postings: u64,
    lists_length: u64,
    /// The block that is being filled, and how many trigrams it has.
    block: Option<(BlockRef, usize)>,
    last: u32,
    list: Vec<u8>,
}

impl Table {
    /// Takes the next trigram, and gives what is to be written among the lists.
    fn add(&mut self, trigram: u32, list: &[u32]) -> &[u8] {
        if self.block.is_some_and(|(_, count)| count == BLOCK) {
            self.close_block();
        }
        let (start, lists) = (self.bytes.len() as u32, self.lists_length);
        let (block, count) =
            self.block.get_or_insert((BlockRef { first: trigram, start, lists, checksum: 0 }, 0));
        let step = trigram - if *count == 0 { block.first } else { self.last };
        *count += 1;
        self.last = trigram;
        self.trigrams += 1;
        self.postings += list.len() as u64;
        self.list.clear();
        if list.len() <= SHORT {
            format::encode_short(list, &mut self.list);
        }
        if (1..=SHORT).contains(&self.list.len()) {
            format::encode_here(step, &self.list, list.len(), &mut self.bytes);
            return &[];
        }
        self.list.clear();
        let k = rice::best(list);
        rice::encode(list, k, &mut self.list);
        format::encode_there(step, &self.list, list.len(), k, &mut self.bytes);
        self.lists_length += self.list.len() as u64;
        &self.list
    }

    fn close_block(&mut self) {
        if let Some((mut block, _)) = self.block.take() {
            let bytes = self.bytes.get(block.start as usize..).unwrap_or_default();
            block.checksum = format::block_checksum(bytes);
            block.encode(&mut self.directory);
        }
    }
}
