//! What was read for one question and is still true for the next?
//!
//! Questions come in runs about one workspace: they ask for the same words, and the same files are among the best
//! answers. All of this belongs to one version of the store and goes with it, so nothing here can be out of date.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use super::opened::Opened;
use super::row::{File, FileId, Piece};
use super::scores::Scores;

/// Bytes of each sort that are kept.
const MOST_OF_FILES: usize = 1 << 20;
const MOST_OF_PIECES: usize = 4 << 20;
const MOST_OF_SYMBOLS: usize = 6 << 20;
const MOST_OF_BLOCKS: usize = 4 << 20;

/// What is kept of one version.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) files: Shelf<FileId, Arc<File>>,
    pub(super) pieces: Shelf<FileId, Arc<[Piece]>>,
    pub(super) symbols: Shelf<FileId, Arc<Opened>>,
    /// Blocks of terms and long lists, by their numbers, which another version may give to others.
    pub(super) blocks: Shelf<i64, Arc<[u8]>>,
    pub(super) scores: Scratch,
}

impl Default for Kept {
    fn default() -> Self {
        Self {
            files: Shelf::new(MOST_OF_FILES),
            pieces: Shelf::new(MOST_OF_PIECES),
            symbols: Shelf::new(MOST_OF_SYMBOLS),
            blocks: Shelf::new(MOST_OF_BLOCKS),
            scores: Scratch::default(),
        }
    }
}

/// Room for numbers for each piece, which would be large enough to be asked for and given back at each question.
#[derive(Debug, Default)]
pub(super) struct Scratch(Mutex<Scores>);

/// More is not kept.
const MOST_OF_SCRATCH: usize = 6 << 20;

impl Scratch {
    /// So many noughts.
    pub(super) fn take(&self, length: usize) -> Scores {
        let mut scores = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        scores.reset(length);
        scores
    }

    pub(super) fn give_back(&self, scores: Scores) {
        if scores.bytes() <= MOST_OF_SCRATCH {
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = scores;
        }
    }
}

/// How much memory something takes.
pub(super) trait Weigh {
    fn bytes(&self) -> usize;
}

impl Weigh for Arc<File> {
    fn bytes(&self) -> usize {
        size_of::<File>() + self.path.as_bytes().len()
    }
}

impl Weigh for Arc<[Piece]> {
    fn bytes(&self) -> usize {
        size_of_val::<[Piece]>(self)
    }
}

impl Weigh for Arc<Opened> {
    fn bytes(&self) -> usize {
        Opened::bytes(self)
    }
}

impl Weigh for Arc<[u8]> {
    fn bytes(&self) -> usize {
        self.len()
    }
}

/// What was asked for lately. When one half is full, the other is forgotten; what is asked for again stays.
#[derive(Debug)]
pub(super) struct Shelf<K, V> {
    halves: Mutex<Halves<K, V>>,
    most_of_half: usize,
}

#[derive(Debug)]
struct Halves<K, V> {
    newer: HashMap<K, V>,
    older: HashMap<K, V>,
    /// Of the newer half.
    bytes: usize,
}

impl<K: Copy + Eq + Hash, V: Clone + Weigh> Shelf<K, V> {
    pub(super) fn new(most: usize) -> Self {
        let halves = Halves { newer: HashMap::new(), older: HashMap::new(), bytes: 0 };
        Self { halves: Mutex::new(halves), most_of_half: most / 2 }
    }

    pub(super) fn get(&self, key: K) -> Option<V> {
        let mut halves = self.halves.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = halves.newer.get(&key) {
            return Some(known.clone());
        }
        let known = halves.older.remove(&key)?;
        halves.put(key, known.clone(), self.most_of_half);
        Some(known)
    }

    pub(super) fn put(&self, key: K, value: V) {
        let mut halves = self.halves.lock().unwrap_or_else(PoisonError::into_inner);
        halves.put(key, value, self.most_of_half);
    }
}

/// Each entry of a map takes about as much besides what it holds.
const ENTRY: usize = 64;

impl<K: Copy + Eq + Hash, V: Clone + Weigh> Halves<K, V> {
    fn put(&mut self, key: K, value: V, most: usize) {
        let bytes = value.bytes() + ENTRY;
        if bytes > most {
            return;
        }
        if self.bytes + bytes > most {
            self.older = std::mem::take(&mut self.newer);
            self.bytes = 0;
        }
        if self.newer.insert(key, value).is_none() {
            self.bytes += bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shelf(most: usize) -> Shelf<i64, Arc<[u8]>> {
        Shelf::new(most)
    }

    fn thing(length: usize) -> Arc<[u8]> {
        vec![7; length].into()
    }

    #[test]
    fn what_is_asked_for_again_stays_and_the_rest_goes() {
        let shelf = shelf(2 * 10 * (100 + ENTRY));
        for key in 0..1_000 {
            shelf.put(key, thing(100));
            assert!(shelf.get(0).is_some(), "{key}");
        }
        assert!(shelf.get(1).is_none());
        assert!(shelf.get(999).is_some());
    }

    #[test]
    fn no_more_is_kept_than_there_is_room_for() {
        let most = 4_000;
        let shelf = shelf(most);
        for key in 0..500 {
            shelf.put(key, thing(1 + key as usize % 300));
            let halves = shelf.halves.lock().unwrap();
            let held = halves.newer.values().chain(halves.older.values());
            let bytes: usize = held.map(|value| value.len() + ENTRY).sum();
            assert!(bytes <= most, "{key}: {bytes}");
        }
    }

    #[test]
    fn what_is_too_large_is_not_kept_and_pushes_nothing_out() {
        let shelf = shelf(2_000);
        shelf.put(1, thing(10));
        shelf.put(2, thing(5_000));
        assert!(shelf.get(1).is_some());
        assert!(shelf.get(2).is_none());
    }
}
