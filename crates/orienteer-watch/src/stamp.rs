//! Is this still the file that was read?

use std::fs::Metadata;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Kernels take a file's time from a clock that ticks every 1 to 10 ms. Within this time after a change a second
/// change may leave the same stamp.
const TICK: Duration = Duration::from_millis(20);
/// The same for file systems that keep whole seconds (FAT: even ones), told by times without a fraction.
const COARSE_TICK: Duration = Duration::from_secs(2);

/// What the file system says of a file without reading it. Two equal stamps mean the same content, unless the
/// file was changed twice within one tick of the file system's clock.
///
/// The time of the last change of the inode cannot be set by programs, so a replacement that keeps size and
/// modification time is still seen. Outside Unix that field holds the time of creation and there is no inode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Stamp {
    modified: i64,
    changed: i64,
    size: u64,
    inode: u64,
}

impl Stamp {
    #[cfg(unix)]
    pub fn of(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        let nanoseconds =
            |seconds: i64, rest: i64| seconds.saturating_mul(1_000_000_000).saturating_add(rest);
        Self {
            modified: nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
            changed: nanoseconds(metadata.ctime(), metadata.ctime_nsec()),
            size: metadata.size(),
            inode: metadata.ino(),
        }
    }

    #[cfg(not(unix))]
    pub fn of(metadata: &Metadata) -> Self {
        let nanoseconds = |time: std::io::Result<SystemTime>| time.map_or(0, since_epoch);
        Self {
            modified: nanoseconds(metadata.modified()),
            changed: nanoseconds(metadata.created()),
            size: metadata.len(),
            inode: 0,
        }
    }

    /// Bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Whether the file changed so shortly ago that another change could leave this very stamp.
    pub fn is_recent(&self) -> bool {
        self.is_racy(SystemTime::now())
    }

    /// Whether the file changed so shortly before `now` that another change could leave this very stamp. A time
    /// in the future counts: a clock that was set back proves nothing.
    pub(crate) fn is_racy(&self, now: SystemTime) -> bool {
        let last = if cfg!(unix) { self.changed } else { self.modified };
        let tick = if last % 1_000_000_000 == 0 { COARSE_TICK } else { TICK };
        i128::from(since_epoch(now)) - i128::from(last) < tick.as_nanos() as i128
    }
}

fn since_epoch(time: SystemTime) -> i64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| i64::try_from(since.as_nanos()).unwrap_or(i64::MAX))
}

/// The stamp of the file that reading `path` would read; `None` when there is no regular file.
pub fn stamp(path: &Path) -> Option<Stamp> {
    let metadata = std::fs::metadata(path).ok()?;
    metadata.is_file().then(|| Stamp::of(&metadata))
}

/// A stamp and whether it was too young to be trusted when it was taken.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Look {
    pub(crate) stamp: Stamp,
    pub(crate) racy: bool,
}

impl Look {
    pub(crate) fn at(metadata: &Metadata) -> Self {
        let stamp = Stamp::of(metadata);
        Self { stamp, racy: stamp.is_racy(SystemTime::now()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp_at(changed: i64) -> Stamp {
        Stamp { modified: changed, changed, size: 1, inode: 1 }
    }

    fn at(nanoseconds: u64) -> SystemTime {
        UNIX_EPOCH + Duration::from_nanos(nanoseconds)
    }

    #[test]
    fn young_stamps_are_racy_and_old_ones_are_not() {
        let stamp = stamp_at(5_000_000_001);
        assert!(stamp.is_racy(at(5_000_000_001)));
        assert!(stamp.is_racy(at(5_019_000_000)));
        assert!(!stamp.is_racy(at(5_020_000_001)));
    }

    #[test]
    fn a_time_in_the_future_is_racy() {
        assert!(stamp_at(9_000_000_001).is_racy(at(5_000_000_000)));
        assert!(stamp_at(i64::MAX).is_racy(at(5_000_000_000)));
        assert!(!stamp_at(i64::MIN).is_racy(at(5_000_000_000)));
    }

    #[test]
    fn whole_seconds_have_a_longer_tick() {
        assert!(stamp_at(5_000_000_000).is_racy(at(6_900_000_000)));
        assert!(!stamp_at(5_000_000_000).is_racy(at(7_000_000_000)));
    }

    #[test]
    fn a_stamp_tells_size_inode_and_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        assert_eq!(stamp(&path), None);
        assert_eq!(stamp(folder.path()), None);
        std::fs::write(&path, "one").unwrap();
        let first = stamp(&path).unwrap();
        assert_eq!(stamp(&path), Some(first));
        std::fs::write(folder.path().join("b"), "two").unwrap();
        std::fs::rename(folder.path().join("b"), &path).unwrap();
        assert_ne!(stamp(&path), Some(first));
    }
}
