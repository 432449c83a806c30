//! How does an index that has seen many changes become small and quick again?
//!
//! What is left of it is written to a new generation: files as they are, lists without what is gone. Numbers stay, so that
//! vectors and trigrams, which go by them, can stay, too.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use orienteer_base::Cancel;
use rusqlite::Connection;
use rusqlite::types::Value;

use super::dead::Dead;
use super::error::StoreError;
use super::fault::Fault;
use super::fresh::Fresh;
use super::generation::{self, BuildLock};
use super::merge;
use super::meta;
use super::read::Store;
use super::segment::segments;

/// So often is a copy made without keeping changes away before one is made that keeps them.
const TRIES: usize = 2;

impl Store {
    /// Writes everything that is alive to a new generation, which takes the place of this one. Questions never wait, and
    /// changes only where they keep coming: a copy counts when nothing has changed while it was made.
    pub fn compact(&self, lock: BuildLock, cancel: &Cancel) -> Result<u64, StoreError> {
        let lock = Arc::new(lock);
        for _ in 0..TRIES {
            let reader = self.read_unless(cancel)?;
            let (generation, version) = (reader.generation(), reader.version());
            let fresh = reader.ask(|connection| Ok(self.copied(connection, generation, &lock, cancel)))??;
            drop(reader);
            let writer = self.write(cancel)?;
            if (writer.generation(), writer.version()?) == (generation, version) {
                // Whoever waits to change the old one finds out that it does not count any more.
                return fresh.promote();
            }
        }
        let writer = self.write(cancel)?;
        self.copied(writer.connection()?, writer.generation(), &lock, cancel)?.promote()
    }

    /// A whole generation with everything that is alive in another one.
    fn copied(
        &self,
        old: &Connection,
        generation: u64,
        lock: &Arc<BuildLock>,
        cancel: &Cancel,
    ) -> Result<Fresh, StoreError> {
        let mut fresh = Fresh::begin_under(self.folder(), lock.clone())?;
        copy(old, &mut fresh, cancel)?;
        for name in [generation::trigrams, generation::vectors] {
            carry(&name(self.folder(), generation), &name(self.folder(), fresh.generation()))
                .map_err(|error| StoreError::io(self.folder(), &error))?;
        }
        fresh.finish(cancel)?;
        cancel.check()?;
        Ok(fresh)
    }
}

fn copy(old: &Connection, fresh: &mut Fresh, cancel: &Cancel) -> Result<(), StoreError> {
    fresh.fill(|new| {
        for (table, columns) in [("meta", 2), ("files", 14), ("outlines", 3), ("lengths", 2)] {
            copy_table(old, new, table, columns, cancel)?;
        }
        let next = meta::next(old)?;
        let mut dead = Dead::default();
        dead.read(old, next.piece, next.symbol)?;
        merge::copy(old, new, &segments(old)?, &dead, cancel)?;
        meta::set_version(new, meta::version(old)? + 1)
    })
}

fn copy_table(
    old: &Connection,
    new: &Connection,
    table: &str,
    columns: usize,
    cancel: &Cancel,
) -> Result<(), Fault> {
    new.execute(&format!("DELETE FROM {table}"), [])?;
    let places = vec!["?"; columns].join(", ");
    let mut insert = new.prepare(&format!("INSERT INTO {table} VALUES ({places})"))?;
    let mut select = old.prepare(&format!("SELECT * FROM {table}"))?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        cancel.check()?;
        for column in 0..columns {
            let value: Value = row.get(column)?;
            insert.raw_bind_parameter(column + 1, value)?;
        }
        insert.raw_execute()?;
    }
    Ok(())
}

/// The same file under another name, without copying it where the system can.
fn carry(from: &Path, to: &Path) -> std::io::Result<()> {
    if !from.exists() {
        return Ok(());
    }
    fs::hard_link(from, to).or_else(|_| fs::copy(from, to).map(|_| ()))
}
