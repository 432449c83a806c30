//! How are rows read?

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use orienteer_base::Cancel;
use rusqlite::{Connection, Row};

use super::error::StoreError;
use super::fault::Fault;
use super::generation;
use super::kept::Kept;
use super::meta;
use super::opened::Opened;
use super::outline::{self, Shape};
use super::pool::Pool;
use super::record::{FileFlags, Stamp, mode_of};
use super::row::{File, FileId, Piece, PieceId, RelativePath, Sketch, SymbolId};
use super::segment::{List, Place, Segment, segments};
use super::snapshot::{Slot, Snapshot, language};
use super::write::{self, Writer};

/// How long a question or a change waits for another process: one that recovers the log, folds it in, or writes.
pub(super) const WAIT: Duration = Duration::from_secs(5);
/// How long between two tries.
const PAUSE: Duration = Duration::from_millis(5);
/// How often it is noted that the index is in use.
const MARK_AGAIN: Duration = Duration::from_secs(1800);

/// The index of one workspace. Shared by threads; each question takes a [`Reader`].
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    /// `None` after the index was removed.
    pool: Mutex<Option<Arc<Pool>>>,
    marked: Mutex<Instant>,
}

impl Store {
    /// Opens the generation that `CURRENT` names, after a cheap check.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        Self::open_unless(folder, &Cancel::new())
    }

    /// The same for whoever may not want to wait for another process.
    pub fn open_unless(folder: &Path, cancel: &Cancel) -> Result<Self, StoreError> {
        generation::current(folder)?;
        let store =
            Self { folder: folder.to_owned(), pool: Mutex::new(None), marked: Mutex::new(Instant::now()) };
        store.current(cancel, |_| Ok(())).map_err(|error| match error {
            // It was not in use yet.
            StoreError::Vanished { folder } => StoreError::Missing { folder },
            other => other,
        })?;
        generation::mark_used(folder);
        Ok(store)
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Connections to the generation that counts now, which another process may have replaced.
    pub(super) fn pool(&self) -> Result<Arc<Pool>, StoreError> {
        let current = generation::current(&self.folder);
        let mut pool = self.pool.lock().unwrap_or_else(PoisonError::into_inner);
        let current = current.map_err(|error| match error {
            StoreError::Missing { folder } => {
                // Its files are gone, and nobody may be answered from what is left of them.
                *pool = None;
                StoreError::Vanished { folder }
            }
            other => other,
        })?;
        match &*pool {
            Some(pool) if pool.generation == current => Ok(pool.clone()),
            _ => {
                let opened = Arc::new(Pool::open(&self.folder, current)?);
                *pool = Some(opened.clone());
                Ok(opened)
            }
        }
    }

    /// A consistent view of the newest promoted generation, until it is dropped. Never waits for a writer. Keep it
    /// for one question, not longer: while it lives, the log of changes cannot be folded in.
    pub fn read(&self) -> Result<Reader<'_>, StoreError> {
        self.read_unless(&Cancel::new())
    }

    /// The same for whoever may not want to wait: a process that opens an index after another one was killed repairs
    /// it first, and the last one that closes it folds the log in.
    pub fn read_unless(&self, cancel: &Cancel) -> Result<Reader<'_>, StoreError> {
        self.mark_used();
        self.current(cancel, |pool| Reader::begin(self, pool))
    }

    /// An index that is only asked is in use as well.
    fn mark_used(&self) {
        let mut marked = self.marked.lock().unwrap_or_else(PoisonError::into_inner);
        if marked.elapsed() >= MARK_AGAIN {
            *marked = Instant::now();
            generation::mark_used(&self.folder);
        }
    }

    /// Works with the generation that counts, and with the next one if that was just replaced: its files may be gone.
    /// What another process keeps for a moment is tried again.
    fn current<T>(
        &self,
        cancel: &Cancel,
        work: impl Fn(Arc<Pool>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let start = Instant::now();
        let mut tries = 0;
        loop {
            let pool = self.pool();
            let generation = pool.as_ref().map_or(0, |pool| pool.generation);
            match pool.and_then(&work) {
                Err(StoreError::Stopped(stopped)) => return Err(stopped.into()),
                Err(StoreError::Busy { .. }) if start.elapsed() < WAIT => {
                    cancel.check()?;
                    std::thread::sleep(PAUSE);
                }
                Err(_)
                    if tries < 3 && generation::current(&self.folder).is_ok_and(|now| now != generation) =>
                {
                    tries += 1;
                }
                done => return done,
            }
        }
    }

    /// What a fault means. Damage is remembered, so that the next build replaces what it was met in.
    pub(super) fn failed(&self, generation: u64, fault: Fault) -> StoreError {
        let error = fault.at(&self.folder);
        if let StoreError::Corrupt { detail, .. } = &error {
            generation::mark_damaged(&self.folder, generation, detail);
        }
        error
    }

    /// Says that a file of a generation is damaged, for whoever reads one that the store does not: the next build
    /// replaces the generation.
    pub fn report_damage(&self, generation: u64, detail: &str) {
        generation::mark_damaged(&self.folder, generation, detail);
    }

    /// What somebody found to be wrong with the generation that counts.
    pub(crate) fn known_damage(&self) -> Result<Option<String>, StoreError> {
        Ok(generation::damage(&self.folder, generation::current(&self.folder)?))
    }

    /// Starts a change. One at a time over all processes; waits a little for another one to end.
    pub fn write(&self, cancel: &Cancel) -> Result<Writer<'_>, StoreError> {
        self.current(cancel, |pool| Writer::begin(self, pool, cancel))
    }

    /// Puts together what many small changes have left. To be called after them, when nobody waits.
    pub fn tidy(&self, cancel: &Cancel) -> Result<(), StoreError> {
        write::tidy(self, self.pool()?, cancel)
    }
}

/// One consistent view. Belongs to one thread at a time.
#[derive(Debug)]
pub struct Reader<'s> {
    store: &'s Store,
    pool: Arc<Pool>,
    /// Always there until the view is dropped.
    connection: Option<Connection>,
    pub(super) snapshot: Arc<Snapshot>,
    pub(super) segments: Vec<Segment>,
    /// The symbols that were looked at last: questions come in runs about one file, which may be too large to be kept.
    pub(super) last: RefCell<Option<(FileId, Arc<Opened>)>>,
    /// Where the lists of words stand, and the lists that were read: a question asks for most of them twice.
    pub(super) places: RefCell<HashMap<String, Rc<[Place]>>>,
    pub(super) lists: RefCell<HashMap<String, Rc<[List]>>>,
}

impl<'s> Reader<'s> {
    fn begin(store: &'s Store, pool: Arc<Pool>) -> Result<Self, StoreError> {
        let connection = pool.take()?;
        let start = || {
            connection.execute_batch("BEGIN")?;
            Ok::<_, Fault>((pool.snapshot(&connection)?, segments(&connection)?))
        };
        let (snapshot, segments) = start().map_err(|fault| store.failed(pool.generation, fault))?;
        Ok(Self {
            store,
            pool,
            connection: Some(connection),
            snapshot,
            segments,
            last: RefCell::default(),
            places: RefCell::default(),
            lists: RefCell::default(),
        })
    }

    /// Runs a question on the connection, and says in which folder it failed.
    pub(super) fn ask<T>(&self, work: impl FnOnce(&Connection) -> Result<T, Fault>) -> Result<T, StoreError> {
        match &self.connection {
            Some(connection) => {
                work(connection).map_err(|fault| self.store.failed(self.pool.generation, fault))
            }
            None => Err(StoreError::Statement { detail: "the view has ended".to_owned() }),
        }
    }

    /// What earlier questions have read of the same version.
    pub(super) fn kept(&self) -> &Kept {
        &self.snapshot.kept
    }

    /// The number of the generation, as in the names of its files.
    pub fn generation(&self) -> u64 {
        self.pool.generation
    }

    /// Grows with every change of this generation: what was computed from one version holds for that one only.
    pub fn version(&self) -> u64 {
        self.snapshot.version
    }

    /// A value that a build has left: `commit`, `branch`, `built_at`, …
    pub fn meta(&self, key: &str) -> Result<Option<String>, StoreError> {
        self.ask(|connection| meta::get(connection, key))
    }

    /// Every file, by path.
    pub fn files(&self) -> Result<Vec<File>, StoreError> {
        self.ask(|connection| {
            let mut statement = connection.prepare_cached(&format!("{FILES} ORDER BY path"))?;
            let mut rows = statement.query([])?;
            let mut files = Vec::with_capacity(self.snapshot.slots.len());
            while let Some(row) = rows.next()? {
                files.push(file(row)?);
            }
            Ok(files)
        })
    }

    /// What is known about every file without reading anything, in no order that means something.
    pub fn sketches(&self) -> impl Iterator<Item = Sketch<'_>> {
        self.snapshot.slots.iter().map(|slot| Sketch {
            id: slot.id(),
            path: &slot.path,
            mode: slot.mode,
            flags: slot.flags,
            trigrams: slot.trigrams,
        })
    }

    /// Files that were put in after the generation was built, whose trigrams and vectors are not in its files.
    pub fn files_since_build(&self) -> Vec<FileId> {
        let built = self.snapshot.built;
        self.snapshot.slots.iter().filter(|slot| slot.pieces.start >= built).map(Slot::id).collect()
    }

    /// Files that the trigram file of the generation does not know: put in later, or too large for it.
    pub fn files_without_trigrams(&self) -> Vec<FileId> {
        self.snapshot.slots.iter().filter(|slot| slot.trigrams.is_none()).map(Slot::id).collect()
    }

    pub fn file(&self, id: FileId) -> Result<Option<Arc<File>>, StoreError> {
        if let Some(known) = self.kept().files.get(id) {
            return Ok(Some(known));
        }
        let found = self.ask(|connection| {
            let mut statement = connection.prepare_cached(&format!("{FILES} WHERE id = ?1"))?;
            let mut rows = statement.query([id.0])?;
            rows.next()?.map(file).transpose()
        })?;
        let found = found.map(Arc::new);
        if let Some(found) = &found {
            self.kept().files.put(id, found.clone());
        }
        Ok(found)
    }

    pub fn file_at(&self, path: &RelativePath) -> Result<Option<File>, StoreError> {
        self.ask(|connection| file_at(connection, path))
    }

    /// Paths of files that are one of these or lie below one, in order.
    pub fn paths_in(&self, folders: &[RelativePath]) -> Vec<RelativePath> {
        let wanted: HashSet<&[u8]> = folders.iter().map(RelativePath::as_bytes).collect();
        let mut paths: Vec<RelativePath> = self
            .snapshot
            .slots
            .iter()
            .filter(|slot| is_within(&slot.path, &wanted))
            .map(Slot::path)
            .collect();
        paths.sort_unstable();
        paths
    }

    /// The path of a file, without reading anything.
    pub fn path(&self, id: FileId) -> Option<RelativePath> {
        self.snapshot.slot(id).map(Slot::path)
    }

    pub(super) fn shape(&self, connection: &Connection, file: FileId) -> Result<Shape, Fault> {
        let mut statement = connection.prepare_cached("SELECT shape FROM outlines WHERE file = ?1")?;
        let mut rows = statement.query([file.0])?;
        let row = rows.next()?.ok_or(Fault::Damage("outline of a file"))?;
        outline::read_shape(row.get_ref(0)?.as_blob()?)
    }

    pub fn piece(&self, id: PieceId) -> Result<Option<Piece>, StoreError> {
        let number = u32::try_from(id.0).ok();
        let Some(slot) = number.and_then(|number| self.snapshot.slot_of_piece(number)) else {
            return Ok(None);
        };
        let pieces = self.ask(|connection| self.pieces_of_slot(connection, slot))?;
        Ok(pieces.iter().find(|piece| piece.id == id).cloned())
    }

    /// In document order.
    pub fn pieces_of(&self, file: &File) -> Result<Arc<[Piece]>, StoreError> {
        let Some(slot) = self.snapshot.slot(file.id) else { return Ok(Arc::default()) };
        self.ask(|connection| self.pieces_of_slot(connection, slot))
    }

    pub(super) fn pieces_of_slot(&self, connection: &Connection, slot: &Slot) -> Result<Arc<[Piece]>, Fault> {
        if let Some(known) = self.kept().pieces.get(slot.id()) {
            return Ok(known);
        }
        let shape = self.shape(connection, slot.id())?;
        let pieces = shape.pieces.into_iter().zip(slot.pieces.clone());
        let pieces: Arc<[Piece]> = pieces
            .map(|(piece, number)| Piece {
                id: PieceId(i64::from(number)),
                file: slot.id(),
                symbol: (piece.symbol > 0).then(|| SymbolId(i64::from(slot.symbols.start + piece.symbol))),
                range: piece.range,
                lines: piece.lines,
                mode: slot.mode,
            })
            .collect();
        self.kept().pieces.put(slot.id(), pieces.clone());
        Ok(pieces)
    }

    /// The piece that holds a byte.
    pub fn piece_at(&self, file: &File, offset: usize) -> Result<Option<Piece>, StoreError> {
        Ok(self.pieces_of(file)?.iter().find(|piece| piece.range.contains(&offset)).cloned())
    }

    /// Where the comments of a file stand, in order, as bytes of its text.
    pub fn comments_of(&self, file: &File) -> Result<Vec<Range<usize>>, StoreError> {
        self.ask(|connection| Ok(self.shape(connection, file.id)?.comments))
    }
}

impl Drop for Reader<'_> {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take()
            && connection.execute_batch("ROLLBACK").is_ok()
        {
            self.pool.give_back(connection);
        }
    }
}

/// Whether a path is one of these or lies below one.
fn is_within(path: &[u8], wanted: &HashSet<&[u8]>) -> bool {
    let ends = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
    wanted.contains(path)
        || wanted.contains(&path[..0])
        || ends.into_iter().any(|at| wanted.contains(&path[..at]))
}

const FILES: &str =
    "SELECT id, pieces, symbol, symbols, mode, flags, size, modified, mark, lines, trigrams, language, hash,
     path FROM files";

pub(super) fn file_at(connection: &Connection, path: &RelativePath) -> Result<Option<File>, Fault> {
    let mut statement = connection.prepare_cached(&format!("{FILES} WHERE path = ?1"))?;
    let mut rows = statement.query([path.as_bytes()])?;
    rows.next()?.map(file).transpose()
}

fn file(row: &Row<'_>) -> Result<File, Fault> {
    let (first, pieces, symbol, symbols): (i64, i64, i64, i64) =
        (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
    Ok(File {
        id: FileId(first),
        path: RelativePath::of_bytes(row.get(13)?),
        language: row.get_ref(11)?.as_str_or_null()?.and_then(language),
        mode: mode_of(row.get(4)?),
        flags: FileFlags::of_bits(row.get(5)?),
        stamp: Stamp {
            size: row.get::<_, i64>(6)?.cast_unsigned(),
            modified: row.get(7)?,
            mark: row.get::<_, i64>(8)?.cast_unsigned(),
        },
        hash: row.get(12)?,
        lines: row.get(9)?,
        trigrams: row.get(10)?,
        pieces: first..first.saturating_add(pieces),
        symbols: symbol.saturating_add(1)..symbol.saturating_add(symbols),
    })
}
