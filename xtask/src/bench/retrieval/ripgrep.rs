//! ripgrep on all words of the question, as far as a list of lines can be ranked.
//!
//! A unit is the innermost definition around a line, or the line itself where there is none; the units with the
//! most different words come first, then those with the most matches, then the shorter. ripgrep knows no
//! definitions: that they are ours makes it better than it is. A word that is in the path counts for every unit of
//! the file.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context, ensure};

use super::corpus::Corpus;
use super::definitions::Definition;
use super::judge::{Answer, Hit};
use crate::shell::command;

/// Nobody searches for these; with them every function of some length would match.
pub(super) const IDLE: [&str; 40] = [
    "a", "an", "and", "any", "are", "as", "at", "be", "been", "by", "can", "do", "for", "from", "has",
    "have", "if", "in", "into", "is", "it", "its", "may", "not", "of", "on", "or", "should", "so", "that",
    "the", "this", "to", "was", "when", "where", "which", "will", "with", "you",
];

/// The words of a question, in lower case, without idle ones where others are left.
pub(super) fn words(question: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for word in question.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()) {
        let word = word.to_lowercase();
        if !all.contains(&word) {
            all.push(word);
        }
    }
    let telling: Vec<String> = all.iter().filter(|word| !IDLE.contains(&word.as_str())).cloned().collect();
    if telling.is_empty() { all } else { telling }
}

/// How often each word was seen in one unit.
struct Seen {
    counts: Vec<usize>,
    lines: (usize, usize),
}

pub(super) fn ask(
    program: &Path,
    corpus: &Corpus,
    definitions: &HashMap<&str, Vec<&Definition>>,
    question: &str,
) -> anyhow::Result<Answer> {
    let words = words(question);
    let mut run = command(program, &["--no-config", "-j1", "-n", "-0", "--no-heading", "-i", "-F"]);
    for word in &words {
        run.args(["-e", word]);
    }
    run.args(["--", "."]).current_dir(&corpus.root);
    let output = run.output().context("ripgrep could not be started")?;
    // 1 is no match.
    ensure!(
        output.status.code().is_some_and(|code| code <= 1),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let mut units: HashMap<(&str, usize, usize), Seen> = HashMap::new();
    let mut files: HashMap<&str, Vec<usize>> = HashMap::new();
    let text = String::from_utf8_lossy(&output.stdout);
    for row in text.lines() {
        let Some((path, rest)) = row.split_once('\0') else { continue };
        let Some((number, line)) = rest.split_once(':') else { continue };
        let path = path.strip_prefix("./").unwrap_or(path);
        let number: usize = number.parse()?;
        let lower = line.to_lowercase();
        let found: Vec<usize> = words.iter().map(|word| lower.matches(word.as_str()).count()).collect();
        let around = definitions.get(path).map(Vec::as_slice).unwrap_or_default();
        let unit = around.iter().rev().find(|one| (one.start_line..=one.end_line).contains(&number));
        let lines = unit.map_or((number, number), |one| (one.start_line, one.end_line));
        let seen = units
            .entry((path, lines.0, lines.1))
            .or_insert_with(|| Seen { counts: vec![0; words.len()], lines });
        let of_file = files.entry(path).or_insert_with(|| vec![0; words.len()]);
        for (at, count) in found.into_iter().enumerate() {
            seen.counts[at] += count;
            of_file[at] += count;
        }
    }
    let key = |path: &str, counts: &[usize], length: usize| {
        let lower = path.to_lowercase();
        let different = counts
            .iter()
            .zip(&words)
            .filter(|(count, word)| **count > 0 || lower.contains(word.as_str()))
            .count();
        (usize::MAX - different, usize::MAX - counts.iter().sum::<usize>(), length)
    };
    let mut ranked: Vec<_> = units
        .into_iter()
        .map(|((path, ..), seen)| (key(path, &seen.counts, seen.lines.1 - seen.lines.0), path, seen.lines))
        .collect();
    ranked.sort_unstable();
    let hits = ranked
        .into_iter()
        .take(super::RESULTS)
        .map(|(_, file, lines)| Hit { file: file.to_owned(), name: None, lines })
        .collect();
    let mut ranked: Vec<_> = files.into_iter().map(|(path, counts)| (key(path, &counts, 0), path)).collect();
    ranked.sort_unstable();
    let files = ranked.into_iter().take(super::RESULTS).map(|(_, file)| file.to_owned()).collect();
    Ok(Answer { hits, files })
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn idle_words_are_left_out_unless_there_are_no_others() {
        assert_eq!(words("Open the file, and open-it"), ["open", "file"]);
        assert_eq!(words("Arg::new_with"), ["arg", "new_with"]);
        assert_eq!(words("to be or not"), ["to", "be", "or", "not"]);
    }
}
