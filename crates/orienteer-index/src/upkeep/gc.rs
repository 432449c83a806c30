//! Which of many indexes are too old or too much?

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use orienteer_base::{Cancel, Stopped};

use super::artifacts::{indexes, of_index};
use crate::store::{BuildLock, FileKind, USED, is_held, remove_generation};

/// How much may stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GcLimits {
    /// Bytes of all indexes together.
    pub bytes: u64,
    /// One that nobody has used for longer goes.
    pub age: Duration,
}

/// Why an index goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    Old,
    /// All together are too much, and this one was not used for longest.
    TooMuch,
}

/// One index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    pub folder: PathBuf,
    pub bytes: u64,
    pub used: Option<SystemTime>,
    pub why: Why,
}

/// What was removed, or would be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collected {
    /// In the order in which they go.
    pub gone: Vec<Item>,
    pub bytes: u64,
    /// What stays, in number and bytes.
    pub kept: usize,
    pub kept_bytes: u64,
    /// Indexes that should go and are being built or in use, or could not be removed.
    pub busy: Vec<PathBuf>,
    /// It was only asked for.
    pub dry_run: bool,
}

/// Removes indexes from a cache that holds those of many workspaces. `in_use` are never removed.
pub fn gc(
    cache: &Path,
    limits: &GcLimits,
    in_use: &[PathBuf],
    now: SystemTime,
    dry_run: bool,
    cancel: &Cancel,
) -> Result<Collected, Stopped> {
    let mut known = Vec::new();
    for folder in indexes(cache) {
        cancel.check()?;
        known.push(measure(folder));
    }
    let mut total: u64 = known.iter().map(|known| known.bytes).sum();
    // Those that nobody has used for longest come first; one that tells no time is the oldest.
    known.sort_by(|one, other| (one.used, &one.folder).cmp(&(other.used, &other.folder)));
    let mut collected =
        Collected { gone: Vec::new(), bytes: 0, kept: 0, kept_bytes: 0, busy: Vec::new(), dry_run };
    for known in known {
        cancel.check()?;
        let age = known.used.and_then(|used| now.duration_since(used).ok());
        let old = known.used.is_none() || age.is_some_and(|age| age > limits.age);
        let why = match (old, total > limits.bytes) {
            (true, _) => Some(Why::Old),
            (false, true) => Some(Why::TooMuch),
            (false, false) => None,
        };
        let spared = in_use.contains(&known.folder);
        let Some(why) = why.filter(|_| !spared) else {
            collected.kept += 1;
            collected.kept_bytes += known.bytes;
            continue;
        };
        if !dry_run && !remove(&known.folder, cancel) {
            collected.busy.push(known.folder);
            continue;
        }
        total = total.saturating_sub(known.bytes);
        collected.bytes += known.bytes;
        collected.gone.push(Item { folder: known.folder, bytes: known.bytes, used: known.used, why });
    }
    Ok(collected)
}

struct Known {
    folder: PathBuf,
    bytes: u64,
    used: Option<SystemTime>,
}

fn measure(folder: PathBuf) -> Known {
    let artifacts = of_index(&folder);
    let times = |used: bool| {
        let wanted = artifacts.iter().filter(move |artifact| !used || artifact.path.ends_with(USED));
        wanted
            .filter(|artifact| used || artifact.kind != FileKind::Marks)
            .filter_map(|artifact| artifact.modified)
            .max()
    };
    let used = times(true).max(times(false));
    Known { folder, bytes: artifacts.iter().map(|artifact| artifact.bytes).sum(), used }
}

/// Whether it is gone. One that is being built stays, and one that some process has open, however long ago it asked.
fn remove(folder: &Path, cancel: &Cancel) -> bool {
    BuildLock::take(folder, Duration::ZERO, cancel)
        .is_ok_and(|lock| !is_held(folder) && remove_generation(folder, &lock).is_ok())
}
