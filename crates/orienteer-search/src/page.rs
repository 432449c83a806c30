//! Which rows belong to this page?
//!
//! Walker threads find rows in any order. A page keeps only the first `limit` of them by key, so that memory
//! is bounded by the page and the order does not depend on threads.

use std::cmp::{Ordering, Reverse};
use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use orienteer_base::question::{After, FileOrder};

/// The first `limit` rows after `after`, by key.
#[derive(Debug)]
pub(crate) struct Page<K, V> {
    kept: BTreeMap<K, V>,
    limit: usize,
    after: Option<K>,
    /// The row of `after` itself belongs to this page, too.
    inclusive: bool,
    eligible: u64,
}

impl<K: Ord, V> Page<K, V> {
    pub(crate) fn new(limit: usize, after: Option<K>) -> Self {
        Self { kept: BTreeMap::new(), limit, after, inclusive: false, eligible: 0 }
    }

    /// Begins with the row of `after` where the previous page ended inside it.
    pub(crate) fn including(mut self, inclusive: bool) -> Self {
        self.inclusive = inclusive;
        self
    }

    /// Whether a row with this key would be kept if it came now.
    pub(crate) fn admits(&self, key: &K) -> bool {
        self.is_after(key)
            && (self.kept.len() < self.limit
                || self.kept.last_key_value().is_some_and(|(last, _)| key < last))
    }

    fn is_after(&self, key: &K) -> bool {
        self.after.as_ref().is_none_or(|after| key > after || (self.inclusive && key == after))
    }

    /// Counts a row, whether or not it is kept.
    pub(crate) fn count(&mut self, key: &K) {
        if self.is_after(key) {
            self.eligible += 1;
        }
    }

    pub(crate) fn keep(&mut self, key: K, value: V) {
        if !self.admits(&key) {
            return;
        }
        self.kept.insert(key, value);
        if self.kept.len() > self.limit {
            self.kept.pop_last();
        }
    }

    /// The rows in order, and how many come after them.
    pub(crate) fn finish(self) -> (Vec<V>, u64) {
        let rows: Vec<V> = self.kept.into_values().collect();
        let remaining = self.eligible.saturating_sub(rows.len() as u64);
        (rows, remaining)
    }
}

/// A shown path, ordered by its components, bytewise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PathKey(pub(crate) String);

impl Ord for PathKey {
    fn cmp(&self, other: &Self) -> Ordering {
        // A name contains no NUL, so a slash that counts as one sorts a folder's contents right behind it.
        let rank = |byte: u8| if byte == b'/' { 0 } else { byte };
        self.0.bytes().map(rank).cmp(other.0.bytes().map(rank))
    }
}

impl PartialOrd for PathKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Where a matching file stands. `newest` is the same for all files when they are ordered by path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FileKey {
    newest: Reverse<u64>,
    path: PathKey,
}

impl FileKey {
    pub(crate) fn new(order: FileOrder, path: String, modified: Option<SystemTime>) -> Self {
        let newest = match order {
            FileOrder::Path => 0,
            FileOrder::Modified => modified.map_or(0, modified_ns),
        };
        Self { newest: Reverse(newest), path: PathKey(path) }
    }

    pub(crate) fn path(&self) -> &str {
        &self.path.0
    }

    pub(crate) fn of_after(order: FileOrder, after: &After) -> Option<Self> {
        let newest = match order {
            FileOrder::Path => 0,
            FileOrder::Modified => after.modified_ns?,
        };
        Some(Self { newest: Reverse(newest), path: PathKey(after.path.clone()?) })
    }
}

/// Nanoseconds since 1970; what is older counts as 1970.
pub fn modified_ns(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| u64::try_from(since.as_nanos()).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_ordered_by_component() {
        let mut paths = ["a.b/x", "a/z", "a", "a-b", "a/b/c", "B"].map(|path| PathKey(path.to_owned()));
        paths.sort();
        assert_eq!(paths.map(|path| path.0), ["B", "a", "a/b/c", "a/z", "a-b", "a.b/x"]);
    }

    #[test]
    fn a_page_keeps_the_first_rows_and_counts_the_rest() {
        let mut page = Page::new(2, Some(10));
        for key in [50, 5, 30, 20, 10, 40] {
            page.count(&key);
            page.keep(key, key);
        }
        assert_eq!(page.finish(), (vec![20, 30], 2));
        let mut empty = Page::new(0, None);
        empty.count(&1);
        empty.keep(1, ());
        assert_eq!(empty.finish(), (vec![], 1));
    }

    #[test]
    fn newest_files_come_first() {
        let at = |seconds| Some(UNIX_EPOCH + std::time::Duration::from_secs(seconds));
        let new = FileKey::new(FileOrder::Modified, "z".into(), at(9));
        let old = FileKey::new(FileOrder::Modified, "a".into(), at(1));
        assert!(new < old);
        assert!(
            FileKey::new(FileOrder::Path, "z".into(), at(9))
                > FileKey::new(FileOrder::Path, "a".into(), at(1))
        );
    }
}
