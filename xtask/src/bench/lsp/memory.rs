//! Resident memory: of every server, and of ours with three of them alive.

use std::path::Path;

use anyhow::Context;

use super::fetch;
use super::ours::Ours;
use super::sample::{Random, files};
use super::server::Subject;
use crate::bench::server::{memory, peak_memory};

/// Questions to each server before anything is weighed.
const QUESTIONS: usize = 20;

/// Megabytes of a process with all that it started.
pub(super) fn with_children(pid: u32) -> f64 {
    let mut total = memory(pid).unwrap_or_default();
    let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    for child in children.split_whitespace().filter_map(|child| child.parse().ok()) {
        total += with_children(child);
    }
    total
}

pub(super) struct Weight {
    /// Our own process, in megabytes.
    pub(super) ours: f64,
    pub(super) peak: f64,
    pub(super) servers: Vec<(String, f64)>,
    pub(super) files: usize,
}

/// One process of ours with all subjects' projects below its root.
pub(super) fn measure(binary: &Path, subjects: &[&Subject]) -> anyhow::Result<Weight> {
    let root = fetch::projects()?;
    // The TypeScript that comes first in PATH is the one that is weighed.
    let native = subjects.iter().find(|subject| subject.id == "typescript-native");
    let mut ours = Ours::start(binary, &root, &native.context("no TypeScript")?.variables);
    let mut random = Random::new();
    for subject in subjects {
        let mut all = files(subject)?;
        random.shuffle(&mut all);
        for path in all.iter().take(QUESTIONS) {
            let file = path.strip_prefix(&root)?.to_string_lossy().into_owned();
            ours.ask("document_symbols", &serde_json::json!({ "file_path": file }))?;
            let question = serde_json::json!({ "file_path": file, "line": 1, "column": 1 });
            ours.ask("hover", &question)?;
        }
        ours.ready(subject.id)?;
    }
    let mut servers = Vec::new();
    for subject in subjects {
        servers.push((subject.id.to_owned(), with_children(ours.ready(subject.id)?)));
    }
    Ok(Weight { ours: memory(ours.pid())?, peak: peak_memory(ours.pid())?, servers, files: count(&root) })
}

/// Files below a folder.
pub(super) fn count(folder: &Path) -> usize {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
    let entries = entries.flatten().filter(|entry| entry.file_name() != "target");
    entries.map(|entry| if entry.path().is_dir() { count(&entry.path()) } else { 1 }).sum()
}
