//! A handle on synchronous work: told to stop from one side, showing life from the other.
//!
//! Futures are cancelled by dropping them; loops over files cannot be. They poll this flag instead, often
//! enough that work stops within a tenth of a second, and count what they have done, so that whoever waits
//! can report progress without the work knowing anything about reporting.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Shared by every clone.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<State>);

#[derive(Debug, Default)]
struct State {
    stop: AtomicBool,
    done: AtomicU64,
    note: Mutex<Option<String>>,
}

/// The work was told to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the work was cancelled")]
pub struct Stopped;

impl Cancel {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn cancel(&self) {
        self.0.stop.store(true, Ordering::Relaxed);
    }

    pub fn is_cancelled(&self) -> bool {
        self.0.stop.load(Ordering::Relaxed)
    }

    /// For use with `?` inside loops.
    pub fn check(&self) -> Result<(), Stopped> {
        if self.is_cancelled() { Err(Stopped) } else { Ok(()) }
    }

    /// Counts finished units of work, such as files.
    pub fn advance(&self, units: u64) {
        self.0.done.fetch_add(units, Ordering::Relaxed);
    }

    /// Says in words what the work is waiting for.
    pub fn say(&self, note: impl Into<String>) {
        *self.0.note.lock().unwrap_or_else(PoisonError::into_inner) = Some(note.into());
        self.advance(1);
    }

    /// What was said last.
    pub fn note(&self) -> Option<String> {
        self.0.note.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn done(&self) -> u64 {
        self.0.done.load(Ordering::Relaxed)
    }
}
