//! The first sentences of the documentation that was taken out.

use std::collections::{BTreeSet, HashMap};

use super::super::sentence::{first, words};
use super::{Candidate, Ground};

/// Two sentences with this share of their words in common are the same question.
const ALIKE: f64 = 0.7;

pub(super) fn candidates(ground: &Ground<'_>) -> Vec<Candidate> {
    let mut all = Vec::new();
    let mut askable = Vec::new();
    for (number, file) in ground.corpus.files.iter().enumerate() {
        for documented in &file.documented {
            let (begin, end) = documented.lines;
            let answer = ground.of_file[number].clone().find(|&at| {
                let definition = &ground.definitions[at];
                definition.is_function() && (begin..=end).contains(&definition.line)
            });
            let Some(answer) = answer else { continue };
            let definition = &ground.definitions[answer];
            if let Some(text) = first(&documented.text, &definition.name) {
                all.push(Candidate { text, answer });
                askable.push(documented.has_body && definition.is_sought());
            }
        }
    }
    // Among all that is documented, the announced and the tested too: what stands at two places has no one answer.
    let alone = alone(&all);
    all.into_iter()
        .zip(alone)
        .zip(askable)
        .filter(|((_, alone), askable)| *alone && *askable)
        .map(|((one, _), _)| one)
        .collect()
}

/// Which sentences have no near duplicate.
fn alone(all: &[Candidate]) -> Vec<bool> {
    let sets: Vec<BTreeSet<String>> = all.iter().map(|one| words(&one.text).collect()).collect();
    let mut having: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, set) in sets.iter().enumerate() {
        for word in set {
            having.entry(word).or_default().push(at);
        }
    }
    let mut alone = vec![true; all.len()];
    for (at, set) in sets.iter().enumerate() {
        let mut common: HashMap<usize, usize> = HashMap::new();
        for other in set.iter().filter_map(|word| having.get(word.as_str())).flatten() {
            *common.entry(*other).or_default() += 1;
        }
        alone[at] = !common.into_iter().any(|(other, count)| {
            let together = set.len() + sets[other].len() - count;
            other != at && count as f64 / together as f64 >= ALIKE
        });
    }
    alone
}

/// Whether a sentence is still to be read somewhere in the tree.
pub(super) fn is_repeated(ground: &Ground<'_>, sentence: &str) -> bool {
    let wanted: Vec<String> = words(sentence).collect();
    ground.corpus.files.iter().any(|file| {
        // Most files do not have the rarest word; only the others are looked at word by word.
        let longest = wanted.iter().max_by_key(|word| word.len());
        longest.is_some_and(|word| contains(&file.text, word)) && {
            let all: Vec<String> = words(&file.text).collect();
            all.windows(wanted.len()).any(|run| run == wanted)
        }
    })
}

fn contains(text: &str, word: &str) -> bool {
    let (text, word) = (text.as_bytes(), word.as_bytes());
    text.windows(word.len()).any(|run| run.eq_ignore_ascii_case(word))
}
