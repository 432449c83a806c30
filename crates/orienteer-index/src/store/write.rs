//! How is a running index changed?

use std::sync::Arc;
use std::time::Instant;

use orienteer_base::Cancel;
use rusqlite::Connection;

use super::error::StoreError;
use super::fault::Fault;
use super::generation;
use super::insert::{self, Insert};
use super::merge;
use super::meta;
use super::pool::Pool;
use super::read::{self, Store, WAIT};
use super::record::FileRecord;
use super::row::{File, FileId, RelativePath};

/// Terms that wait are written when they take so much memory.
const MEMORY: usize = 64 << 20;

/// A change under way: nothing of it is seen before [`Writer::commit`], nothing of it stays without.
#[derive(Debug)]
pub struct Writer<'s> {
    store: &'s Store,
    pool: Arc<Pool>,
    /// Always there until the change ends.
    connection: Option<Connection>,
    insert: Insert,
    /// Something is true of a file that was there before.
    restamped: bool,
    cancel: Cancel,
}

/// How much a deletion took away.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Deleted {
    pub files: u64,
}

impl<'s> Writer<'s> {
    pub(super) fn begin(store: &'s Store, pool: Arc<Pool>, cancel: &Cancel) -> Result<Self, StoreError> {
        let connection = pool.take()?;
        let start = Instant::now();
        loop {
            cancel.check()?;
            match connection.execute_batch("BEGIN IMMEDIATE") {
                Ok(()) => break,
                Err(error) => match StoreError::sql(store.folder(), &error) {
                    StoreError::Busy { .. } if start.elapsed() < WAIT => {}
                    other => return Err(other),
                },
            }
        }
        // Whoever held it may have been putting another generation in place.
        if generation::current(store.folder())? != pool.generation {
            return Err(StoreError::Superseded { folder: store.folder().to_owned() });
        }
        let next = meta::next(&connection).map_err(|fault| store.failed(pool.generation, fault))?;
        Ok(Self {
            store,
            pool,
            connection: Some(connection),
            insert: Insert::new(next),
            restamped: false,
            cancel: cancel.clone(),
        })
    }

    pub(super) fn connection(&self) -> Result<&Connection, StoreError> {
        let ended = || StoreError::Statement { detail: "the change has ended".to_owned() };
        self.connection.as_ref().ok_or_else(ended)
    }

    fn run<T>(
        &mut self,
        work: impl FnOnce(&Connection, &mut Insert) -> Result<T, Fault>,
    ) -> Result<T, StoreError> {
        let Some(connection) = &self.connection else {
            return Err(StoreError::Statement { detail: "the change has ended".to_owned() });
        };
        work(connection, &mut self.insert).map_err(|fault| self.store.failed(self.pool.generation, fault))
    }

    /// The generation that is changed.
    pub fn generation(&self) -> u64 {
        self.pool.generation
    }

    /// The version that is changed.
    pub(super) fn version(&self) -> Result<u64, StoreError> {
        meta::version(self.connection()?).map_err(|fault| self.store.failed(self.pool.generation, fault))
    }

    /// What is known about a path. Nobody else can change it before this change ends.
    pub fn file_at(&self, path: &RelativePath) -> Result<Option<File>, StoreError> {
        let found = read::file_at(self.connection()?, path);
        found.map_err(|fault| self.store.failed(self.pool.generation, fault))
    }

    /// Puts a file in, in place of what was known about its path.
    pub fn put(&mut self, record: &FileRecord) -> Result<FileId, StoreError> {
        let cancel = self.cancel.clone();
        cancel.check()?;
        self.run(|connection, insert| {
            if let Some(old) = insert::find(connection, record.path.as_bytes())? {
                insert::delete(connection, old)?;
            }
            let id = insert.put(connection, record)?;
            if insert.waiting() > MEMORY {
                insert.write_segment(connection, false, &cancel)?;
            }
            Ok(id)
        })
    }

    /// Only the stamp of a file changed, not its content.
    pub fn restamp(
        &mut self,
        id: FileId,
        stamp: super::Stamp,
        flags: super::FileFlags,
    ) -> Result<(), StoreError> {
        self.restamped = true;
        self.run(|connection, _| {
            connection
                .prepare_cached(
                    "UPDATE files SET size = ?2, modified = ?3, mark = ?4, flags = ?5 WHERE id = ?1",
                )?
                .execute((
                    id.0,
                    stamp.size.cast_signed(),
                    stamp.modified,
                    stamp.mark.cast_signed(),
                    flags.bits(),
                ))?;
            Ok(())
        })
    }

    /// Removes a file, or everything below a folder.
    pub fn delete(&mut self, path: &RelativePath) -> Result<Deleted, StoreError> {
        self.run(|connection, _| {
            let mut gone = insert::find_below(connection, path.as_bytes())?;
            gone.extend(insert::find(connection, path.as_bytes())?);
            for id in &gone {
                insert::delete(connection, *id)?;
            }
            Ok(Deleted { files: gone.len() as u64 })
        })
    }

    pub fn set_meta(&mut self, key: &str, value: &str) -> Result<(), StoreError> {
        self.run(|connection, _| meta::set(connection, key, value))
    }

    /// Ends the change; from here on every reader sees it.
    pub fn commit(mut self) -> Result<(), StoreError> {
        let (cancel, restamped) = (self.cancel.clone(), self.restamped);
        self.run(|connection, insert| {
            insert.write_segment(connection, false, &cancel)?;
            insert.finish(connection)?;
            let version = meta::version(connection)? + 1;
            meta::set_version(connection, version)?;
            if restamped {
                meta::set_restamped(connection, version)?;
            }
            cancel.check()?;
            connection.execute_batch("COMMIT")?;
            Ok(())
        })?;
        if let Some(connection) = self.connection.take() {
            self.pool.give_back(connection);
        }
        // A build may have put another generation in place meanwhile. Nobody will see this change then.
        let current = generation::current(self.store.folder())?;
        if current == self.pool.generation {
            Ok(())
        } else {
            Err(StoreError::Superseded { folder: self.store.folder().to_owned() })
        }
    }
}

impl Drop for Writer<'_> {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take()
            && connection.execute_batch("ROLLBACK").is_ok()
        {
            self.pool.give_back(connection);
        }
    }
}

/// Puts small segments together, in a change of its own: whoever waits for a changed file need not wait for this.
pub(super) fn tidy(store: &Store, pool: Arc<Pool>, cancel: &Cancel) -> Result<(), StoreError> {
    let mut more = true;
    while more {
        let mut writer = Writer::begin(store, pool.clone(), cancel)?;
        more = writer.run(|connection, _| merge::tidy(connection, cancel))?;
        if more {
            writer.commit()?;
        }
    }
    Ok(())
}
