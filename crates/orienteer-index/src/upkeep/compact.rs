//! What would compacting give back?

use std::time::Duration;

use orienteer_base::Cancel;

use crate::store::{BuildLock, Store, StoreError};

/// What a compaction did, or would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compacted {
    /// `None` when it was only asked for.
    pub generation: Option<u64>,
    pub bytes_before: u64,
    /// Guessed when it was only asked for.
    pub bytes_after: u64,
    /// Of files that have changed or gone.
    pub dead_pieces: u64,
    pub segments: u64,
}

/// Writes the index anew without what is gone. Only tells what that would give when `dry_run`.
pub fn compact(
    store: &Store,
    dry_run: bool,
    patience: Duration,
    cancel: &Cancel,
) -> Result<Compacted, StoreError> {
    let counts = store.read()?.counts()?;
    let before = store.sizes()?;
    let all = (counts.pieces + counts.dead_pieces).max(1);
    let alive = u128::from(before.database) * u128::from(counts.pieces) / u128::from(all);
    let mut compacted = Compacted {
        generation: None,
        bytes_before: before.total(),
        bytes_after: u64::try_from(alive).unwrap_or(u64::MAX) + before.trigrams + before.vectors,
        dead_pieces: counts.dead_pieces,
        segments: counts.segments,
    };
    if !dry_run {
        let lock = BuildLock::take(store.folder(), patience, cancel)?;
        compacted.generation = Some(store.compact(lock, cancel)?);
        compacted.bytes_after = store.sizes()?.total();
    }
    Ok(compacted)
}
