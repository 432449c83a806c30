//! Which files of the disk does the trigram file speak of?
//!
//! A search is given a list of the files there are. For each of them this says whether the trigram file knows its
//! content as it is now. What it does not know is opened in any case, so a change that is told is never missed.

use std::sync::Arc;

use super::{Candidates, Content, Reading, Trigrams};

/// What must be opened to answer a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Narrowing {
    /// Places in the caller's list of files that may match or are not covered, sorted.
    pub open: Vec<u32>,
    /// Places of covered files that a search finds to be binary without finding anything in them, sorted.
    pub binary: Arc<[u32]>,
}

/// Ties a trigram file to a list of files.
#[derive(Debug, Clone)]
pub struct Coverage {
    /// For each file of the trigram file its place in the list; `NOWHERE` when it is not in it, or not any more.
    places: Vec<u32>,
    /// Places in the list of files that are not covered, sorted.
    uncovered: Vec<u32>,
    binary: Arc<[u32]>,
    covered: usize,
}

const NOWHERE: u32 = u32::MAX;

impl Coverage {
    /// Takes the files of the list in its order: for each the number it was added under and its content as it is now,
    /// or `None` when that is not known.
    pub fn new(trigrams: &Trigrams, list: impl IntoIterator<Item = Option<(u32, Content)>>) -> Self {
        let indexed: Vec<_> = trigrams.files().collect();
        let mut places = vec![NOWHERE; indexed.len()];
        let (mut uncovered, mut binary) = (Vec::new(), Vec::new());
        let mut covered = 0;
        for (place, now) in (0_u32..).zip(list) {
            let known = now.and_then(|(id, content)| {
                let at = indexed.binary_search_by_key(&id, |file| file.id).ok()?;
                (indexed[at].content == content && places[at] == NOWHERE).then_some(at)
            });
            let Some(at) = known else {
                uncovered.push(place);
                continue;
            };
            places[at] = place;
            covered += 1;
            if indexed[at].reading == Reading::Binary {
                binary.push(place);
            }
        }
        Self { places, uncovered, binary: binary.into(), covered }
    }

    /// How many files of the list are covered.
    pub fn covered(&self) -> usize {
        self.covered
    }

    /// Takes a file of the list out: it was changed, and has to be opened from now on.
    pub fn uncover(&mut self, place: u32) {
        let Err(at) = self.uncovered.binary_search(&place) else { return };
        // Not every place has a file; one that has none may as well be opened.
        self.uncovered.insert(at, place);
        if let Some(known) = self.places.iter_mut().find(|known| **known == place) {
            *known = NOWHERE;
            self.covered -= 1;
        }
        if self.binary.binary_search(&place).is_ok() {
            self.binary = self.binary.iter().copied().filter(|other| *other != place).collect();
        }
    }

    /// What must be opened when these are the candidates; `None` when that is everything.
    pub fn narrow(&self, candidates: &Candidates) -> Option<Narrowing> {
        let Candidates::Files(files) = candidates else { return None };
        let mut open: Vec<u32> = files
            .iter()
            .filter_map(|file| self.places.get(*file as usize).copied())
            .filter(|place| *place != NOWHERE)
            .collect();
        open.extend_from_slice(&self.uncovered);
        open.sort_unstable();
        Some(Narrowing { open, binary: self.binary.clone() })
    }
}
