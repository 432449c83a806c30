//! The table of words on a real tree: `bench_words FOLDER [EXTENSION…]` tells how long it takes to build, what a file
//! costs and how long a look-up takes, against reading every file for each word.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use orienteer_search::words::{WordLimits, WordTable, occurrences};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, extensions @ ..] = arguments.as_slice() else {
        return Err("usage: bench_words FOLDER [EXTENSION…]".into());
    };
    let mut files = Vec::new();
    files_below(Path::new(folder), &mut files);
    let wanted = |path: &PathBuf| {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        extensions.is_empty() || extensions.iter().any(|wanted| wanted == extension)
    };
    files.retain(wanted);
    let size: u64 = files.iter().filter_map(|path| path.metadata().ok()).map(|data| data.len()).sum();

    // Once to warm the disk's cache, once to measure.
    let mut table = WordTable::new(WordLimits::default());
    table.update(files.iter().map(PathBuf::as_path));
    let mut table = WordTable::new(WordLimits::default());
    let started = Instant::now();
    table.update(files.iter().map(PathBuf::as_path));
    let built = started.elapsed();
    println!(
        "{} files of {} kB in {built:?}; {} unknown; {} kB, {} bytes a file",
        table.len(),
        size >> 10,
        table.unknown().count(),
        table.bytes() >> 10,
        table.bytes() / table.len().max(1),
    );

    // Words as they come in the files themselves: common and rare ones.
    let mut words = Vec::new();
    for file in files.iter().step_by((files.len() / 300).max(1)) {
        let text = String::from_utf8_lossy(&std::fs::read(file)?).into_owned();
        let mut names = text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| word.len() > 3);
        words.extend(names.nth(text.len() % 97).map(str::to_owned));
    }
    let mut times: Vec<(Duration, usize)> = Vec::new();
    for word in &words {
        let started = Instant::now();
        let found = table.files_with(word).map_or(0, |found| found.len());
        times.push((started.elapsed(), found));
    }
    times.sort_unstable();
    let at = |percent: usize| times[(times.len() - 1) * percent / 100];
    println!(
        "{} words: p50 {:?}, p95 {:?}, longest {:?} (time, files)",
        words.len(),
        at(50),
        at(95),
        at(100)
    );

    let word = words.first().map_or("self", String::as_str);
    let started = Instant::now();
    let read = |path: &&PathBuf| {
        std::fs::read(path)
            .is_ok_and(|bytes| occurrences(&String::from_utf8_lossy(&bytes), word).next().is_some())
    };
    let found = files.iter().filter(read).count();
    let named = table.files_with(word).map_or(0, |found| found.len());
    println!(
        "reading them all for `{word}`: {:?}, {found} files; the table names {named}",
        started.elapsed()
    );
    let started = Instant::now();
    table.update(files.iter().take(1).map(PathBuf::as_path));
    println!("one changed file: {:?}", started.elapsed());
    Ok(())
}

fn files_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => files_below(&entry.path(), found),
            Ok(kind) if kind.is_file() => found.push(entry.path()),
            _ => {}
        }
    }
}
