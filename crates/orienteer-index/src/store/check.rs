//! Is the whole index as it was written?

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use orienteer_base::Cancel;
use rusqlite::Connection;

use super::bytes::unseal;
use super::error::StoreError;
use super::fault::Fault;
use super::generation;
use super::outline::{open_symbols, read_shape, read_symbols};
use super::read::Store;
use super::snapshot::Snapshot;
use crate::trigram::{TrigramError, Trigrams};

/// What a check found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Health {
    Sound,
    Damaged(Vec<String>),
}

/// More complaints than this tell nothing new.
const MOST: usize = 10;

impl Store {
    /// Looks at every page and at the check of every blob. A damaged index is an answer, not an error.
    pub fn check(&self, cancel: &Cancel) -> Result<Health, StoreError> {
        // One view for all of it: what is written meanwhile must not look like damage.
        let reader = match self.read_unless(cancel) {
            Ok(reader) => reader,
            Err(StoreError::Corrupt { detail, .. }) => return Ok(Health::Damaged(vec![detail])),
            Err(error) => return Err(error),
        };
        let generation = reader.generation();
        let found = reader.ask(|connection| interruptible(connection, cancel, || look(connection, cancel)));
        drop(reader);
        let mut damage = match found {
            Ok(damage) => damage,
            Err(StoreError::Corrupt { detail, .. }) => vec![detail],
            Err(error) => return Err(error),
        };
        damage.extend(self.check_trigrams(generation, cancel)?);
        match damage.first() {
            None => Ok(Health::Sound),
            Some(first) => {
                self.report_damage(generation, first);
                Ok(Health::Damaged(damage))
            }
        }
    }

    /// What is wrong with the trigrams of a generation, if it still counts.
    fn check_trigrams(&self, generation: u64, cancel: &Cancel) -> Result<Option<String>, StoreError> {
        let opened = Trigrams::open(&generation::trigrams(self.folder(), generation));
        match opened.and_then(|trigrams| trigrams.verify(cancel)) {
            Ok(()) => Ok(None),
            Err(TrigramError::Stopped(stopped)) => Err(stopped.into()),
            Err(_) if generation::current(self.folder()).is_ok_and(|now| now != generation) => Ok(None),
            Err(TrigramError::Io { error, .. }) if error.kind() != io::ErrorKind::NotFound => {
                Err(StoreError::io(self.folder(), &error))
            }
            Err(error) => Ok(Some(error.to_string())),
        }
    }
}

/// SQLite's own check cannot be asked to look at a flag, so somebody else looks at it.
fn interruptible<T>(
    connection: &Connection,
    cancel: &Cancel,
    work: impl FnOnce() -> Result<T, Fault>,
) -> Result<T, Fault> {
    let handle = connection.get_interrupt_handle();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let watcher = std::thread::Builder::new().name("index-check".to_owned()).spawn_scoped(scope, || {
            while !done.load(Ordering::Relaxed) {
                if cancel.is_cancelled() {
                    handle.interrupt();
                }
                std::thread::park_timeout(Duration::from_millis(20));
            }
        });
        let result = work();
        done.store(true, Ordering::Relaxed);
        if let Ok(watcher) = watcher {
            watcher.thread().unpark();
        }
        result
    })
}

fn look(connection: &Connection, cancel: &Cancel) -> Result<Vec<String>, Fault> {
    let mut damage = Vec::new();
    {
        let mut statement = connection.prepare(&format!("PRAGMA quick_check({MOST})"))?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let line: String = row.get(0)?;
            if line != "ok" {
                damage.push(line);
            }
        }
    }
    if !damage.is_empty() {
        return Ok(damage);
    }
    Snapshot::read(connection, 0, None)?;
    each(
        connection,
        "SELECT data FROM blocks",
        cancel,
        |blob| unseal(blob).is_some(),
        "block of terms",
        &mut damage,
    )?;
    each(
        connection,
        "SELECT shape FROM outlines",
        cancel,
        |blob| read_shape(blob).is_ok(),
        "shape",
        &mut damage,
    )?;
    each(
        connection,
        "SELECT symbols FROM outlines",
        cancel,
        |blob| open_symbols(blob).and_then(read_symbols).is_ok(),
        "outline",
        &mut damage,
    )?;
    let missing: u64 = connection.query_row(
        "SELECT COUNT(*) FROM files LEFT JOIN outlines ON outlines.file = files.id WHERE outlines.file IS NULL",
        [],
        |row| row.get::<_, i64>(0),
    )?.cast_unsigned();
    if missing > 0 {
        damage.push(format!("{missing} files without an outline"));
    }
    Ok(damage)
}

fn each(
    connection: &Connection,
    query: &str,
    cancel: &Cancel,
    sound: impl Fn(&[u8]) -> bool,
    what: &str,
    damage: &mut Vec<String>,
) -> Result<(), Fault> {
    let mut statement = connection.prepare(query)?;
    let mut rows = statement.query([])?;
    let mut broken = 0u64;
    while let Some(row) = rows.next()? {
        cancel.check()?;
        broken += u64::from(!sound(row.get_ref(0)?.as_blob()?));
    }
    if broken > 0 {
        damage.push(format!("{broken} times an unreadable {what}"));
    }
    Ok(())
}
