//! Which structural matches belong to this page?

use std::collections::BTreeMap;
use std::ops::Range;

use orienteer_base::listing::FileMatches;
use orienteer_base::question::After;

use crate::page::PathKey;

/// The first `limit` matches after a place, over files in order of path.
#[derive(Debug)]
pub(super) struct MatchPage {
    limit: u64,
    after: Option<(PathKey, u64)>,
    files: BTreeMap<PathKey, FileMatches>,
    kept: u64,
    eligible: u64,
}

impl MatchPage {
    pub(super) fn new(limit: usize, after: &After) -> Self {
        let after = after.path.clone().map(|path| (PathKey(path), after.matches));
        Self { limit: limit as u64, after, files: BTreeMap::new(), kept: 0, eligible: 0 }
    }

    /// The numbers of the matches of a file that could be on the page, counted from 0.
    pub(super) fn wanted(&self, shown: &str) -> Range<u64> {
        let key = PathKey(shown.to_owned());
        let first = self.first(&key);
        let full = self.kept >= self.limit && self.files.last_key_value().is_none_or(|(last, _)| key > *last);
        if full { first..first } else { first..first.saturating_add(self.limit) }
    }

    /// How many matches of a file earlier pages showed.
    fn first(&self, key: &PathKey) -> u64 {
        match &self.after {
            Some((path, _)) if key < path => u64::MAX,
            Some((path, seen)) if key == path => *seen,
            _ => 0,
        }
    }

    pub(super) fn add(&mut self, file: FileMatches) {
        let key = PathKey(file.file_path.clone());
        self.eligible += file.match_count.saturating_sub(self.first(&key));
        if file.matches.is_empty() {
            return;
        }
        self.kept += file.matches.len() as u64;
        self.files.insert(key, file);
        while self.kept > self.limit
            && let Some(mut last) = self.files.last_entry()
        {
            let excess = self.kept - self.limit;
            let matches = &mut last.get_mut().matches;
            let left = (matches.len() as u64).saturating_sub(excess);
            self.kept -= matches.len() as u64 - left;
            matches.truncate(left as usize);
            if left == 0 {
                last.remove();
            }
        }
    }

    /// The files in order, and how many matches come after them.
    pub(super) fn finish(self) -> (Vec<FileMatches>, u64) {
        (self.files.into_values().collect(), self.eligible.saturating_sub(self.kept))
    }
}
