//! Redacts every readable text file under the given folders; prints the rate and what was found.
//!
//! `speed FOLDER...`: on ordinary source almost every finding is a false positive, so the list is
//! what to look at when a rule changes.

#![allow(clippy::print_stdout)]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use orienteer_redact::Redactor;

fn main() {
    let mut texts = Vec::new();
    for folder in std::env::args_os().skip(1).map(PathBuf::from) {
        collect(&folder, &mut texts);
    }
    let start = Instant::now();
    let redactor = Redactor::default();
    let _first = redactor.redact("key = value; token and password");
    let first = start.elapsed();
    let (mut bytes, mut spent, mut found) = (0, Duration::ZERO, 0);
    for (path, text) in &texts {
        let start = Instant::now();
        let output = redactor.redact(text);
        spent += start.elapsed();
        bytes += text.len();
        found += output.total();
        for finding in &output.findings {
            let line = text.lines().nth(finding.line as usize - 1).unwrap_or_default();
            let shown: String = line.trim().chars().take(160).collect();
            println!("{}:{}: {}: {shown}", path.display(), finding.line, finding.kind);
        }
    }
    let rate = bytes as f64 / 1e6 / spent.as_secs_f64().max(1e-9);
    let each = spent.as_nanos() as f64 / bytes.max(1) as f64;
    println!(
        "first use {first:?}; {} files, {bytes} bytes, {rate:.0} MB/s, {each:.2} ns/byte, {found} values",
        texts.len()
    );
}

fn collect(path: &Path, texts: &mut Vec<(PathBuf, String)>) {
    if path.is_dir() {
        let Ok(entries) = std::fs::read_dir(path) else { return };
        entries.flatten().for_each(|entry| collect(&entry.path(), texts));
    } else if let Ok(text) = std::fs::read_to_string(path) {
        texts.push((path.to_path_buf(), text));
    }
}
