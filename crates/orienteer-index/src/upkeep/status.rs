//! How is the index of a workspace?

use orienteer_base::Cancel;

use crate::build::{Build, BuildError, Stale};
use crate::store::{Counts, FORMAT, Health, Sizes, Store};

/// Everything about one index.
#[derive(Debug, Clone, PartialEq)]
pub struct Status {
    pub generation: u64,
    pub format: u32,
    pub counts: Counts,
    pub sizes: Sizes,
    /// Seconds since 1970.
    pub built_at: Option<u64>,
    /// What it was built at, where that is known.
    pub commit: Option<String>,
    pub branch: Option<String>,
    /// Files that could not be read at the last build.
    pub skipped: u64,
    /// What differs from the disk, where somebody asked for it.
    pub stale: Option<Stale>,
    /// Where somebody asked for it: it takes as long as reading the whole index.
    pub health: Option<Health>,
    pub wants_compaction: bool,
}

/// Tells about an index. With a build the files on disk are looked at, and with `thorough` every page of the index.
pub fn status(
    store: &Store,
    build: Option<&Build>,
    thorough: bool,
    cancel: &Cancel,
) -> Result<Status, BuildError> {
    let reader = store.read()?;
    let counts = reader.counts()?;
    let number = |key: &str| Ok::<_, BuildError>(reader.meta(key)?.and_then(|value| value.parse().ok()));
    let status = Status {
        generation: reader.generation(),
        format: FORMAT,
        sizes: store.sizes()?,
        built_at: number("built_at")?,
        commit: reader.meta("commit")?,
        branch: reader.meta("branch")?,
        skipped: number("skipped")?.unwrap_or_default(),
        stale: build.map(|build| build.stale_and_new(&reader, cancel)).transpose()?,
        health: None,
        wants_compaction: counts.wants_compaction(),
        counts,
    };
    drop(reader);
    let health = if thorough { Some(store.check(cancel)?) } else { None };
    Ok(Status { health, ..status })
}
