//! Reads the labelled set.
//!
//! A file holds cases.  `=== kind | file name | flags` begins one, a line `---` begins the next with
//! the same kind and file name.  Values that must be hidden stand between `⟦` and `⟧`.

use std::ops::Range;
use std::path::Path;

use super::template::{Random, expand};

/// One piece of text, as it would be shown, and where its secrets are.
#[derive(Debug)]
pub struct Case {
    pub id: String,
    pub kind: String,
    pub file: String,
    pub text: String,
    pub secrets: Vec<Range<usize>>,
}

impl Case {
    /// Whether nothing of any secret is left: neither the whole of it nor one of its lines.
    pub fn hidden_in(&self, output: &str) -> bool {
        let kept = |line: &str| !line.is_empty() && output.contains(line);
        !self.secrets.iter().any(|secret| self.text[secret.clone()].lines().any(|line| kept(line.trim())))
    }

    /// The text with every secret replaced, by which to see that nothing else was touched.
    pub fn expected(&self, marker: &str) -> String {
        let mut out = String::new();
        let mut done = 0;
        for secret in &self.secrets {
            out.push_str(&self.text[done..secret.start]);
            let lines: Vec<String> = self.text[secret.clone()]
                .split('\n')
                .map(|line| if line.ends_with('\r') { format!("{marker}\r") } else { marker.to_string() })
                .collect();
            out.push_str(&lines.join("\n"));
            done = secret.end;
        }
        out.push_str(&self.text[done..]);
        out
    }

    /// The lines, counted from one, on which a secret stands.
    pub fn secret_lines(&self) -> Vec<(u64, u64)> {
        let line = |at: usize| self.text[..at].matches('\n').count() as u64 + 1;
        self.secrets.iter().map(|secret| (line(secret.start), line(secret.end))).collect()
    }
}

/// Reads all files of one folder, in the order of their names.
pub fn load(folder: &Path, seed: u64) -> Vec<Case> {
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut cases = Vec::new();
    for file in files.iter().filter(|file| file.extension().is_some_and(|ext| ext == "txt")) {
        let stem = file.file_stem().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(file).unwrap();
        read(&stem, &text, seed, &mut cases);
    }
    cases
}

fn read(stem: &str, text: &str, seed: u64, cases: &mut Vec<Case>) {
    let mut head = vec![String::new(); 3];
    let mut body: Vec<&str> = Vec::new();
    let mut number = 0;
    for line in text.lines().chain(["==="]) {
        let begins = line.starts_with("===");
        if !begins && line != "---" {
            body.push(line);
            continue;
        }
        if body.iter().any(|line| !line.trim().is_empty()) {
            number += 1;
            let random = &mut Random::new(seed ^ (stem.len() as u64) << 32 ^ (number * 7919));
            cases.push(case(&format!("{stem}-{number:03}"), &head, &body.join("\n"), random));
        }
        body.clear();
        if begins {
            head = line.trim_start_matches('=').split('|').map(|part| part.trim().to_string()).collect();
            head.resize(3, String::new());
        }
    }
}

fn case(id: &str, head: &[String], body: &str, random: &mut Random) -> Case {
    let mut marked = expand(body, random);
    if head[2].contains("crlf") {
        marked = marked.replace('\n', "\r\n");
    }
    if !head[2].contains("bare") {
        marked.push_str(if head[2].contains("crlf") { "\r\n" } else { "\n" });
    }
    let mut text = String::new();
    let mut secrets = Vec::new();
    let mut start = 0;
    for sign in marked.chars() {
        match sign {
            '⟦' => start = text.len(),
            '⟧' => secrets.push(start..text.len()),
            other => text.push(other),
        }
    }
    Case { id: id.to_string(), kind: head[0].clone(), file: head[1].clone(), text, secrets }
}
