//! Lists of names: each once, in order, no more than a bound.

use std::borrow::Cow;

use super::written::MAX_NAME;

/// Of one kind for one definition.
pub(super) const MAX_NAMES: usize = 200;
/// Candidates of which some turn out to be the function's own.
const MAX_CANDIDATES: usize = 2 * MAX_NAMES;
/// A function with more names of its own is a table made by a program.
const MAX_LOCALS: usize = 2000;

/// Names in the order in which they were met.
#[derive(Debug, Default)]
pub(super) struct Names<'t> {
    hashes: Vec<u64>,
    names: Vec<Met<'t>>,
}

#[derive(Debug)]
struct Met<'t> {
    name: Cow<'t, str>,
    /// Where it ends: an outer call is met before the inner ones it is written after.
    end: usize,
    /// Not part of a path, so that it may be the function's own.
    bare: bool,
}

impl<'t> Names<'t> {
    pub(super) fn add(&mut self, name: Cow<'t, str>, end: usize, bare: bool) {
        if name.is_empty() || self.names.len() >= MAX_CANDIDATES {
            return;
        }
        let hash = hash(name.as_bytes());
        if !self.hashes.contains(&hash) {
            self.hashes.push(hash);
            self.names.push(Met { name, end, bare });
        }
    }

    /// The names that are not among `own`, in the order of the text; what is left is ready for another definition.
    pub(super) fn take(&mut self, own: &Locals) -> Vec<String> {
        if self.names.is_empty() {
            return Vec::new();
        }
        if !self.names.is_sorted_by_key(|met| met.end) {
            self.names.sort_by_key(|met| met.end);
        }
        self.hashes.clear();
        let names = self.names.drain(..).filter(|met| !met.bare || !own.holds(&met.name));
        names.take(MAX_NAMES).map(|met| cut(met.name)).collect()
    }

    /// Gives the bare names to a function.
    pub(super) fn declare(&self, locals: &mut Locals) {
        for (met, hash) in self.names.iter().zip(&self.hashes) {
            if met.bare {
                locals.add_hash(*hash);
            }
        }
    }
}

fn cut(name: Cow<'_, str>) -> String {
    let mut name = name.into_owned();
    if name.len() > MAX_NAME
        && let Some((cut, _)) = name.char_indices().nth(MAX_NAME)
    {
        name.truncate(cut);
    }
    name
}

/// Names that a function declares itself.
#[derive(Debug, Default)]
pub(super) struct Locals {
    hashes: Vec<u64>,
    /// Names that it says are not its own.
    foreign: Vec<u64>,
}

impl Locals {
    pub(super) fn add(&mut self, name: &str) {
        self.add_hash(hash(name.as_bytes()));
    }

    fn add_hash(&mut self, hash: u64) {
        if self.hashes.len() < MAX_LOCALS && !self.hashes.contains(&hash) {
            self.hashes.push(hash);
        }
    }

    pub(super) fn disown(&mut self, name: &str) {
        if self.foreign.len() < MAX_LOCALS {
            self.foreign.push(hash(name.as_bytes()));
        }
    }

    fn holds(&self, name: &str) -> bool {
        let hash = hash(name.as_bytes());
        self.hashes.contains(&hash) && !self.foreign.contains(&hash)
    }

    pub(super) fn clear(&mut self) {
        self.hashes.clear();
        self.foreign.clear();
    }
}

/// Quick and good enough for a few hundred names.
fn hash(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut state = bytes.len() as u64;
    let mut chunks = bytes.chunks_exact(8);
    for chunk in &mut chunks {
        let mut word = [0; 8];
        word.copy_from_slice(chunk);
        state = (state ^ u64::from_le_bytes(word)).wrapping_mul(FACTOR).rotate_left(29);
    }
    let mut word = [0; 8];
    word[..chunks.remainder().len()].copy_from_slice(chunks.remainder());
    (state ^ u64::from_le_bytes(word)).wrapping_mul(FACTOR) ^ state.rotate_left(17)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_is_listed_once_in_the_order_of_the_text() {
        let mut names = Names::default();
        for (name, end) in [("c", 9), ("a.b", 3), ("c", 20), ("own", 4)] {
            names.add(name.into(), end, true);
        }
        let mut own = Locals::default();
        own.add("own");
        assert_eq!(names.take(&own), ["a.b", "c"]);
        assert!(names.take(&own).is_empty());
        names.add("c".into(), 1, true);
        assert_eq!(names.take(&own), ["c"]);
    }

    #[test]
    fn what_a_function_disowns_is_not_its_own() {
        let mut own = Locals::default();
        own.add("x");
        own.disown("x");
        let mut names = Names::default();
        names.add("x".into(), 1, true);
        assert_eq!(names.take(&own), ["x"]);
    }

    #[test]
    fn a_list_is_bounded() {
        let mut names = Names::default();
        for at in 0..10_000usize {
            names.add(at.to_string().into(), at, true);
        }
        assert_eq!(names.take(&Locals::default()).len(), MAX_NAMES);
    }
}
