//! Questions that are a name, a part of it or what is left of it.

use std::collections::HashMap;

use super::super::corpus::hash;
use super::pieces::{initials, pieces, shortened};
use super::{Candidate, Ground, SEED};

/// Shorter names are found by chance.
const LEAST_NAME: usize = 5;
const LEAST_PART: usize = 6;

/// Definitions whose name, without case, nothing else in the tree has.
fn unique(ground: &Ground<'_>) -> Vec<usize> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for definition in ground.definitions.iter().filter(|definition| !definition.announced) {
        *counts.entry(definition.name.to_lowercase()).or_default() += 1;
    }
    let fits = |at: &usize| {
        let definition = &ground.definitions[*at];
        definition.is_sought()
            && definition.name.len() >= LEAST_NAME
            && definition.name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && counts.get(&definition.name.to_lowercase()) == Some(&1)
    };
    (0..ground.definitions.len()).filter(fits).collect()
}

/// Plain names that are unique, and qualified ones that are unique only so.
pub(super) fn identifiers(ground: &Ground<'_>) -> Vec<Candidate> {
    let mut all: Vec<Candidate> = unique(ground)
        .into_iter()
        // Half of them: the others would leave no room for qualified ones.
        .filter(|&at| chance(ground, at, "plain").is_multiple_of(2))
        .map(|answer| Candidate { text: ground.definitions[answer].name.clone(), answer })
        .collect();
    let mut names: HashMap<&str, usize> = HashMap::new();
    let mut tails: HashMap<&str, usize> = HashMap::new();
    for definition in &ground.definitions {
        *names.entry(&definition.name).or_default() += 1;
        *tails.entry(tail(&definition.name_path)).or_default() += 1;
    }
    for (answer, definition) in ground.definitions.iter().enumerate() {
        let tail = tail(&definition.name_path);
        let several = names.get(definition.name.as_str()).is_some_and(|count| *count > 1);
        let fits = definition.is_function() && definition.is_sought() && definition.name.len() > 2;
        if fits && several && tail.contains('/') && tails.get(tail) == Some(&1) {
            let between = if ground.file_of(answer).ends_with(".rs") { "::" } else { "." };
            all.push(Candidate { text: tail.replace('/', between), answer });
        }
    }
    all
}

/// The last two names of a path.
fn tail(path: &str) -> &str {
    let mut cuts = path.rmatch_indices('/').map(|(at, _)| at);
    cuts.next();
    cuts.next().map_or(path, |at| &path[at + 1..])
}

/// Initials of four and more pieces, and names with every piece cut short, where only one definition has them.
pub(super) fn acronyms(ground: &Ground<'_>) -> Vec<Candidate> {
    let mut first: HashMap<String, usize> = HashMap::new();
    let mut short: HashMap<String, usize> = HashMap::new();
    for definition in ground.definitions.iter().filter(|definition| !definition.announced) {
        *first.entry(initials(&definition.name)).or_default() += 1;
        *short.entry(shortened(&definition.name).to_lowercase()).or_default() += 1;
    }
    let mut all = Vec::new();
    for answer in unique(ground) {
        let name = &ground.definitions[answer].name;
        let count = pieces(name).len();
        if chance(ground, answer, "acronym").is_multiple_of(2) {
            let letters = initials(name);
            if count >= 4 && first.get(&letters) == Some(&1) {
                // As people type them: capitals for types, small letters for the rest.
                let is_type = !ground.definitions[answer].is_function();
                let text = if is_type { letters.to_uppercase() } else { letters };
                all.push(Candidate { text, answer });
            }
        } else {
            let text = shortened(name);
            // A third of the letters or more must be gone, or it is the name itself.
            let letters = pieces(name).concat().len();
            if count >= 2 && text.len() * 3 <= letters * 2 && short.get(&text.to_lowercase()) == Some(&1) {
                all.push(Candidate { text, answer });
            }
        }
    }
    all
}

/// A stretch out of the middle of a name that cuts through at least one of its pieces and that no other name has.
pub(super) fn substrings(ground: &Ground<'_>) -> Vec<Candidate> {
    let names: Vec<String> =
        ground.definitions.iter().map(|definition| definition.name.to_lowercase()).collect();
    let together = names.join("\n");
    let mut all = Vec::new();
    for answer in unique(ground) {
        let name = &ground.definitions[answer].name;
        if name.len() < LEAST_PART + 4 {
            continue;
        }
        let dice = chance(ground, answer, "substring");
        let below = |shift: u32, limit: usize| usize::try_from(dice >> shift).unwrap_or_default() % limit;
        let length = LEAST_PART + below(8, (name.len() - LEAST_PART - 2).min(8));
        let begin = 1 + below(24, name.len() - length - 1);
        let text = &name[begin..begin + length];
        let cuts = pieces(name).iter().all(|piece| {
            let at = piece.as_ptr() as usize - name.as_ptr() as usize;
            at != begin
        }) || pieces(name).iter().all(|piece| {
            let at = piece.as_ptr() as usize - name.as_ptr() as usize;
            at + piece.len() != begin + length
        });
        let seen = together.matches(&text.to_lowercase()).count();
        if cuts && seen == 1 && !text.starts_with('_') && !text.ends_with('_') {
            all.push(Candidate { text: text.to_owned(), answer });
        }
    }
    all
}

/// A number that belongs to a definition.
fn chance(ground: &Ground<'_>, at: usize, what: &str) -> u64 {
    hash(&[SEED, what, ground.file_of(at), &ground.definitions[at].line.to_string()])
}
