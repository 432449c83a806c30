//! `cargo xtask bench`: against the peer or the limit, in the same run, written to docs/benchmarks.md.
//!
//! Absolute times are worth nothing on a shared machine; ratios of interleaved medians are worth something.

mod corpus;
mod matches;
mod report;
mod search;
mod secrets;
mod server;

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::install;
use crate::shell::{cargo, metadata, step};
use report::Report;

/// What was asked for.
pub(crate) const MOST_RATIO: f64 = 1.15;
pub(crate) const MOST_CANCEL_MS: f64 = 100.0;
pub(crate) const MOST_START_MS: f64 = 30.0;
pub(crate) const MOST_RSS_MB: f64 = 25.0;
pub(crate) const MOST_OVERHEAD_MS: f64 = 1.0;

pub(crate) fn run() -> anyhow::Result<()> {
    let tools = install::run()?;
    step("build", &mut cargo(&["build", "--release", "--package", "orienteer", "--locked"]))?;
    let target =
        metadata(false)?["target_directory"].as_str().map(PathBuf::from).context("no target folder")?;
    let orienteer = target.join("release").join("orienteer");
    let ripgrep = tools.folder.join("cargo/bin/rg");
    let mut report = Report::new();
    for corpus in corpus::all()? {
        search::measure(&orienteer, &ripgrep, &corpus, &mut report)?;
    }
    server::measure(&orienteer, &mut report)?;
    secrets::measure(&tools.folder, &mut report)?;
    report.write(&crate::shell::root().join("docs/benchmarks.md"))?;
    match report.missed() {
        [] => Ok(()),
        missed => bail!("targets missed:\n  {}", missed.join("\n  ")),
    }
}

/// A tree to search.
pub(crate) struct Corpus {
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
}

impl Corpus {
    fn new(name: &str, folder: &Path) -> Self {
        Self { name: name.to_owned(), folder: folder.to_owned() }
    }
}

/// The middle of some measurements.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}
