//! How is a new generation made?

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use orienteer_base::{Cancel, private};
use rusqlite::{Connection, OpenFlags};

use super::dead::Dead;
use super::error::StoreError;
use super::fault::Fault;
use super::generation::{self, BuildLock};
use super::insert::Insert;
use super::merge;
use super::meta::{self, Next};
use super::record::FileRecord;
use super::row::FileId;
use super::schema;
use super::segment::segments;

/// Terms that wait are moved to a scratch file when they take so much memory.
const MEMORY: usize = 128 << 20;

/// A generation that nobody sees yet. Dropped before it is promoted, it leaves nothing behind.
#[derive(Debug)]
pub struct Fresh {
    folder: PathBuf,
    generation: u64,
    connection: Option<Connection>,
    /// Sorted terms that did not fit the memory.
    scratch: Option<Connection>,
    insert: Insert,
    /// Nothing waits to be written.
    filled: bool,
    promoted: bool,
    _lock: Arc<BuildLock>,
}

impl Fresh {
    /// Begins one. What earlier builds have left is removed.
    pub fn begin(folder: &Path, lock: BuildLock) -> Result<Self, StoreError> {
        Self::begin_under(folder, Arc::new(lock))
    }

    /// The same for whoever may have to begin again.
    pub(super) fn begin_under(folder: &Path, lock: Arc<BuildLock>) -> Result<Self, StoreError> {
        generation::sweep(folder, generation::current(folder).ok());
        let number = generation::next(folder);
        let mut fresh = Self {
            folder: folder.to_owned(),
            generation: number,
            connection: None,
            scratch: None,
            insert: Insert::new(Next::default()),
            filled: false,
            promoted: false,
            _lock: lock,
        };
        let connection = open(&generation::database(folder, number)).map_err(|fault| fault.at(folder))?;
        fresh.connection = Some(connection);
        fresh.run(|connection, _| {
            meta::set_version(connection, 1)?;
            meta::set_next(connection, Next::default())
        })?;
        Ok(fresh)
    }

    pub fn generation(&self) -> u64 {
        self.generation
    }

    fn run<T>(
        &mut self,
        work: impl FnOnce(&Connection, &mut Insert) -> Result<T, Fault>,
    ) -> Result<T, StoreError> {
        let Some(connection) = &self.connection else {
            return Err(StoreError::Statement { detail: "the build has ended".to_owned() });
        };
        work(connection, &mut self.insert).map_err(|fault| fault.at(&self.folder))
    }

    /// Fills it in another way than file by file.
    pub(super) fn fill(
        &mut self,
        work: impl FnOnce(&Connection) -> Result<(), Fault>,
    ) -> Result<(), StoreError> {
        self.filled = true;
        self.run(|connection, _| work(connection))
    }

    /// Puts a file in. Each path once.
    pub fn put(&mut self, record: &FileRecord, cancel: &Cancel) -> Result<FileId, StoreError> {
        let id = self.run(|connection, insert| insert.put(connection, record))?;
        if self.insert.waiting() > MEMORY {
            self.spill(cancel).map_err(|fault| fault.at(&self.folder))?;
        }
        Ok(id)
    }

    fn spill(&mut self, cancel: &Cancel) -> Result<(), Fault> {
        let scratch = match &self.scratch {
            Some(scratch) => scratch,
            None => self.scratch.insert(open(&generation::scratch(&self.folder, self.generation))?),
        };
        self.insert.write_segment(scratch, false, cancel)
    }

    pub fn set_meta(&mut self, key: &str, value: &str) -> Result<(), StoreError> {
        self.run(|connection, _| meta::set(connection, key, value))
    }

    /// Writes what waits to the disk. Only after this has it survived whatever happens.
    pub fn finish(&mut self, cancel: &Cancel) -> Result<(), StoreError> {
        if self.scratch.is_some() {
            self.spill(cancel).map_err(|fault| fault.at(&self.folder))?;
        }
        let scratch = self.scratch.take();
        let filled = self.filled;
        self.run(|connection, insert| {
            match &scratch {
                _ if filled => {}
                Some(scratch) => {
                    let all = segments(scratch)?;
                    merge::copy(scratch, connection, &all, &Dead::default(), cancel)?;
                }
                None => insert.write_segment(connection, true, cancel)?,
            }
            if !filled {
                insert.finish(connection)?;
                meta::set_built(connection, insert.next_piece())?;
            }
            connection.execute_batch("COMMIT; PRAGMA locking_mode = NORMAL; PRAGMA journal_mode = WAL;")?;
            Ok(())
        })?;
        drop(scratch);
        let _ = fs::remove_file(generation::scratch(&self.folder, self.generation));
        let failed = |error: &std::io::Error| StoreError::io(&self.folder, error);
        if let Some(connection) = self.connection.take() {
            connection.close().map_err(|(_, error)| StoreError::sql(&self.folder, &error))?;
        }
        let database = File::options()
            .read(true)
            .write(true)
            .open(generation::database(&self.folder, self.generation))
            .map_err(|error| failed(&error))?;
        database.sync_all().map_err(|error| failed(&error))
    }

    /// Puts it in the place of the one that counted, and removes that.
    pub fn promote(mut self) -> Result<u64, StoreError> {
        generation::promote(&self.folder, self.generation)?;
        self.promoted = true;
        generation::sweep(&self.folder, Some(self.generation));
        Ok(self.generation)
    }
}

impl Drop for Fresh {
    fn drop(&mut self) {
        if self.promoted {
            return;
        }
        self.connection = None;
        self.scratch = None;
        for (path, number) in generation::files(&self.folder) {
            if number == self.generation {
                let _ = fs::remove_file(path);
            }
        }
    }
}

/// A file that only we see, so that nothing in it has to last before it is complete.
fn open(path: &Path) -> Result<Connection, Fault> {
    let flags = OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_PRIVATE_CACHE;
    // SQLite gives what it makes beside a database the database's mode.
    let _ = private::open(path, fs::OpenOptions::new().append(true).create(true));
    let connection = Connection::open_with_flags(path, flags)?;
    connection.execute_batch(&format!(
        "PRAGMA page_size = {}; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;
         PRAGMA cache_size = -32768; PRAGMA temp_store = MEMORY;",
        schema::PAGE
    ))?;
    // Written at once, so that what a killed build leaves can be told from files of others.
    schema::create(&connection)?;
    connection.execute_batch("BEGIN EXCLUSIVE")?;
    Ok(connection)
}
