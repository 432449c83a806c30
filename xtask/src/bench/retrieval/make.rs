//! Making the questions: by rules, from a seed, once. What they were made into is committed and stays.
//!
//! Every candidate has a number that depends on the seed, its class and its place alone; the smallest of every
//! package are taken in turn, so that no package and no language outweighs the others.

mod doc;
mod error;
mod names;
mod path;
mod pieces;

use std::collections::{BTreeMap, HashSet};

use super::corpus::{Corpus, hash};
use super::definitions::{self, Definition};
use super::queries::{Class, Query};
pub(super) use pieces::pieces;

/// With the same seed and the same packages the same questions are asked.
pub(super) const SEED: &str = "20261115";

/// A tree with all that the rules look at.
struct Ground<'c> {
    corpus: &'c Corpus,
    definitions: Vec<Definition>,
    /// The definitions of each file.
    of_file: Vec<std::ops::Range<usize>>,
}

/// A question that may be asked.
#[derive(Debug, Clone)]
struct Candidate {
    text: String,
    /// The definition that is the answer.
    answer: usize,
}

impl Ground<'_> {
    fn file_of(&self, definition: usize) -> &str {
        &self.corpus.files[self.definitions[definition].file].path
    }

    fn query(&self, class: Class, candidate: Candidate) -> Query {
        let definition = &self.definitions[candidate.answer];
        Query {
            class,
            text: candidate.text,
            file: self.file_of(candidate.answer).to_owned(),
            name: definition.name.clone(),
            line: definition.line,
            lines: (definition.start_line, definition.end_line),
        }
    }

    /// The candidates in the order in which they are taken: one of each package in turn.
    fn in_turn(&self, class: Class, candidates: Vec<Candidate>) -> Vec<Candidate> {
        let mut packages: BTreeMap<String, Vec<(u64, Candidate)>> = BTreeMap::new();
        for candidate in candidates {
            let file = self.file_of(candidate.answer);
            let line = self.definitions[candidate.answer].line.to_string();
            let number = hash(&[SEED, class.id(), file, &line, &candidate.text]);
            let package = file.split('/').next().unwrap_or_default().to_owned();
            packages.entry(package).or_default().push((number, candidate));
        }
        let mut lists: Vec<_> = packages.into_values().collect();
        for list in &mut lists {
            // The last is taken first.
            list.sort_by(|a, b| (b.0, &b.1.text).cmp(&(a.0, &a.1.text)));
        }
        let mut order = Vec::new();
        while lists.iter().any(|list| !list.is_empty()) {
            order.extend(lists.iter_mut().filter_map(Vec::pop).map(|(_, candidate)| candidate));
        }
        order
    }
}

/// All questions about a tree.
pub(super) fn all(corpus: &Corpus) -> anyhow::Result<Vec<Query>> {
    let (definitions, of_file) = definitions::all(corpus)?;
    let ground = Ground { corpus, definitions, of_file };
    let mut asked = HashSet::new();
    let mut queries = Vec::new();
    for class in Class::ALL {
        let candidates = match class {
            Class::Doc => doc::candidates(&ground),
            Class::Identifier => names::identifiers(&ground),
            Class::Acronym => names::acronyms(&ground),
            Class::Substring => names::substrings(&ground),
            Class::Path => path::candidates(&ground),
            Class::Error => error::candidates(&ground)?,
        };
        let found = candidates.len();
        let taken: Vec<Candidate> = ground
            .in_turn(class, candidates)
            .into_iter()
            .filter(|candidate| class != Class::Doc || !doc::is_repeated(&ground, &candidate.text))
            .filter(|candidate| portable(&candidate.text) && asked.insert(candidate.text.to_lowercase()))
            .take(class.wanted())
            .collect();
        println!("   {}: {} of {found} {} questions", corpus.set.id(), taken.len(), class.id());
        queries.extend(taken.into_iter().map(|candidate| ground.query(class, candidate)));
    }
    Ok(queries)
}

/// Paths of machines are not for this repository, in whatever package they stand.
fn portable(text: &str) -> bool {
    !["/home", "/root", "/work", "http://", "https://"].iter().any(|word| text.contains(word))
}
