//! Words of a path with a name that many files have.

use std::collections::HashMap;

use super::super::corpus::hash;
use super::{Candidate, Ground, SEED};

/// Folders and files that say nothing.
const DULL: [&str; 14] = [
    "src",
    "lib",
    "internal",
    "index",
    "mod",
    "main",
    "java",
    "com",
    "org",
    "apache",
    "__init__",
    "framework",
    "android",
    "curl",
];

/// A name that more files than this have is no name to look for.
const MOST: usize = 60;

pub(super) fn candidates(ground: &Ground<'_>) -> Vec<Candidate> {
    let mut having: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, definition) in ground.definitions.iter().enumerate() {
        if !definition.announced {
            having.entry(&definition.name).or_default().push(at);
        }
    }
    let mut all = Vec::new();
    for (answer, definition) in ground.definitions.iter().enumerate() {
        let same = having.get(definition.name.as_str()).map(Vec::as_slice).unwrap_or_default();
        if !definition.is_sought() || definition.name.len() < 3 || !(2..=MOST).contains(&same.len()) {
            continue;
        }
        let path = ground.file_of(answer);
        let Some(words) = words(path) else { continue };
        let holds = |other: &&usize| {
            let path = ground.file_of(**other).to_lowercase();
            words.iter().all(|word| path.contains(&word.to_lowercase()))
        };
        if same.iter().filter(holds).count() == 1 {
            // Half as a piece of a path, half as words.
            let typed = hash(&[SEED, "path", path, &definition.name]).is_multiple_of(2);
            let text = match (&words[..], typed) {
                ([folder, file], true) if path.contains(&format!("/{folder}/{file}.")) => {
                    format!("{folder}/{file} {}", definition.name)
                }
                _ => format!("{} {}", words.join(" "), definition.name),
            };
            all.push(Candidate { text, answer });
        }
    }
    all
}

/// The last two words of a path that say something: a folder and the file.
fn words(path: &str) -> Option<[&str; 2]> {
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    let mut telling = stem.split('/').rev().filter(|part| !DULL.contains(part));
    let last = telling.next()?;
    Some([telling.next()?, last])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dull_words_are_passed_over() {
        assert_eq!(words("clap/src/parser/mod.rs"), Some(["clap", "parser"]));
        assert_eq!(words("h2/src/frame/data.rs"), Some(["frame", "data"]));
        assert_eq!(words("h2/src/lib.rs"), None);
    }
}
