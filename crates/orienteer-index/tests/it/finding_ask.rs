//! Short ways to ask `find` about a small tree.

use orienteer_base::Cancel;
use orienteer_index::find::{Ask, Found, Hit, Means, find};
use orienteer_index::query::Query;
use orienteer_index::store::{Mode, Modes, Store, trigrams_path};
use orienteer_index::trigram::Trigrams;

use crate::support::Place;

/// A tree with its index.
pub(crate) struct Tree {
    pub(crate) place: Place,
    pub(crate) store: Store,
}

/// What is looked at unless records are asked for.
pub(crate) const USUAL: &[Mode] = &[Mode::Code, Mode::Prose, Mode::Comments, Mode::Config];

impl Tree {
    pub(crate) fn of(place: Place) -> Self {
        let store = place.built();
        Self { place, store }
    }

    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        Self::of(Place::with(files))
    }

    pub(crate) fn find(&self, question: &str) -> Found {
        self.page(question, 0, 1_000, Modes::of(USUAL), Means::default())
    }

    pub(crate) fn page(
        &self,
        question: &str,
        skip: usize,
        limit: usize,
        modes: Modes,
        means: Means<'_>,
    ) -> Found {
        let query = Query::parse(question).unwrap();
        let reader = self.store.read().unwrap();
        let trigrams = Trigrams::open(&trigrams_path(self.store.folder(), reader.generation())).unwrap();
        let root = self.place.root();
        let ask = Ask { query: &query, modes, root: &root, skip, limit, explain: false, full: false };
        let means = Means { trigrams: Some(&trigrams), ..means };
        find(&reader, &ask, &means, &Cancel::new()).unwrap()
    }

    /// Names of what answers, in order of path and place; the path for what has no name.
    pub(crate) fn names(&self, question: &str) -> Vec<String> {
        let mut hits = self.find(question).hits;
        hits.sort_by(|one, other| (&one.path, one.lines).cmp(&(&other.path, other.lines)));
        hits.iter().map(name).collect()
    }
}

pub(crate) fn name(hit: &Hit) -> String {
    hit.symbol.as_ref().map_or_else(|| hit.path.shown(), |symbol| symbol.name_path.clone())
}

pub(crate) fn note<'f>(found: &'f Found, kind: &str) -> Option<&'f str> {
    found.notes.iter().find(|note| note.kind == kind).map(|note| note.message.as_str())
}

pub(crate) fn unchecked(found: &Found) -> Vec<(&'static str, Option<&'static str>, usize)> {
    found.unchecked.iter().map(|one| (one.kind, one.filter, one.files)).collect()
}
