//! Who writes now?

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::time::{Duration, Instant};

use orienteer_base::{Cancel, private};

use crate::error::TriageError;

/// A writer holds the lock for a moment, once per some findings.
const PATIENCE: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(4);

/// Held until it is dropped, or the process ends.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    pub(super) fn take(path: &Path, cancel: &Cancel) -> Result<Self, TriageError> {
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).read(true).write(true);
        let file = private::open(path, &mut options).map_err(TriageError::disk(path, "opened"))?;
        let begun = Instant::now();
        loop {
            cancel.check()?;
            match file.try_lock() {
                Ok(()) => return Ok(Self { _file: file }),
                Err(TryLockError::WouldBlock) if begun.elapsed() < PATIENCE => std::thread::sleep(PAUSE),
                Err(TryLockError::WouldBlock) => return Err(TriageError::Busy),
                Err(TryLockError::Error(error)) => return Err(TriageError::disk(path, "locked")(error)),
            }
        }
    }
}
