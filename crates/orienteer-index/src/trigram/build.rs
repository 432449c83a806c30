//! How are the trigrams of many files collected, by several threads?

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use orienteer_base::Cancel;

use super::gather::{Gather, Reading};
use super::run::{self, Run};
use super::{Content, TrigramError, write};

/// So many pairs of trigram and piece does a collector hold before it writes them down: 16 MB, and as much again for
/// sorting.
const PAIRS: usize = 2 << 20;
/// So much of what was written down is kept in memory, over all collectors.
const KEPT: usize = 48 << 20;

/// One file as it was added.
#[derive(Debug, Clone, Copy)]
pub(super) struct Added {
    /// The numbers its pieces are written down under until all files are known: this one and those that follow.
    pub(super) sequence: u32,
    pub(super) pieces: u32,
    pub(super) id: u32,
    pub(super) content: Content,
    pub(super) reading: Reading,
}

/// What was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Summary {
    pub files: u64,
    /// Different ones.
    pub trigrams: u64,
    /// Pairs of trigram and piece of a file.
    pub postings: u64,
    /// The size of the file.
    pub bytes: u64,
}

/// Builds one trigram file.
#[derive(Debug)]
pub struct Builder {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    folder: PathBuf,
    pairs: usize,
    kept: usize,
    next: AtomicU32,
    done: Mutex<Done>,
}

#[derive(Debug, Default)]
struct Done {
    runs: Vec<Run>,
    files: Vec<Added>,
    kept: usize,
}

impl Builder {
    /// What does not fit into memory goes to files without names in `folder`, which must exist.
    pub fn new(folder: &Path) -> Self {
        Self::with_limits(folder, PAIRS, KEPT)
    }

    pub(super) fn with_limits(folder: &Path, pairs: usize, kept: usize) -> Self {
        let shared = Shared {
            folder: folder.to_owned(),
            pairs,
            kept,
            next: AtomicU32::new(0),
            done: Mutex::default(),
        };
        Self { shared: Arc::new(shared) }
    }

    /// One for each thread.
    pub fn collector(&self) -> Collector {
        Collector {
            shared: self.shared.clone(),
            gather: Gather::new(),
            pairs: Vec::new(),
            spare: Vec::new(),
            files: Vec::new(),
        }
    }

    /// Writes the file, so that there is either all of it under this name or what was there before. Files of
    /// collectors that have not finished are not in it.
    pub fn finish(self, path: &Path, cancel: &Cancel) -> Result<Summary, TrigramError> {
        let done = std::mem::take(&mut *self.shared.done.lock().unwrap_or_else(PoisonError::into_inner));
        write::write(done.runs, done.files, path, cancel)
    }
}

/// Collects the files of one thread.
#[derive(Debug)]
#[must_use = "files count only after `finish`"]
pub struct Collector {
    shared: Arc<Shared>,
    gather: Gather,
    pairs: Vec<u64>,
    spare: Vec<u64>,
    files: Vec<Added>,
}

impl Collector {
    /// Adds a file under a number of the caller's that no other file has.
    pub fn add(&mut self, id: u32, bytes: &[u8]) -> Result<(), TrigramError> {
        self.add_hashed(id, bytes, blake3::hash(bytes).as_bytes())
    }

    /// The same for whoever has the BLAKE3 hash of the bytes already.
    pub fn add_hashed(&mut self, id: u32, bytes: &[u8], hash: &[u8; 32]) -> Result<(), TrigramError> {
        let known = self.gather.read(bytes);
        let pieces = known.count();
        let reserve = |next: u32| next.checked_add(pieces);
        let sequence = self
            .shared
            .next
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, reserve)
            .map_err(|_| TrigramError::TooMany)?;
        if !self.pairs.is_empty() && self.pairs.len() + known.len() > self.shared.pairs {
            hand_over(&self.shared, &mut self.pairs, &mut self.spare, &mut self.files)?;
        }
        for (piece, trigrams) in (sequence..).zip(known.pieces()) {
            self.pairs.extend(trigrams.iter().map(|trigram| run::pair(*trigram, piece)));
        }
        let content = Content::hashed(bytes.len() as u64, hash);
        self.files.push(Added { sequence, pieces, id, content, reading: known.reading });
        Ok(())
    }

    /// Hands over what was collected. Without it the files count as never added.
    pub fn finish(mut self) -> Result<(), TrigramError> {
        hand_over(&self.shared, &mut self.pairs, &mut self.spare, &mut self.files)
    }
}

/// Files and their postings go together: a file that is listed has all its postings.
fn hand_over(
    shared: &Shared,
    pairs: &mut Vec<u64>,
    spare: &mut Vec<u64>,
    files: &mut Vec<Added>,
) -> Result<(), TrigramError> {
    run::sort(pairs, spare);
    let mut run = Run::new(pairs);
    pairs.clear();
    let lock = || shared.done.lock().unwrap_or_else(PoisonError::into_inner);
    let size = run.memory();
    let fits = {
        let mut done = lock();
        let fits = done.kept + size <= shared.kept;
        done.kept += if fits { size } else { 0 };
        fits
    };
    if !fits {
        run.spill(&shared.folder).map_err(TrigramError::writing(&shared.folder))?;
    }
    let mut done = lock();
    done.runs.push(run);
    done.files.append(files);
    Ok(())
}
