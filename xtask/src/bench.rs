//! `cargo xtask bench`: against the peer or the limit, in the same run, written to docs/benchmarks.md.
//!
//! Absolute times are worth nothing on a shared machine; ratios of interleaved medians are worth something.

mod ask;
mod corpus;
mod index;
mod lsp;
mod matches;
mod pyright;
mod remote;
mod report;
mod retrieval;
mod search;
mod secrets;
mod server;

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::install;
use crate::shell::{cargo, command, metadata, step};
use report::Report;

/// What was asked for.
pub(crate) const MOST_RATIO: f64 = 1.15;
pub(crate) const MOST_CANCEL_MS: f64 = 100.0;
pub(crate) const MOST_START_MS: f64 = 30.0;
pub(crate) const MOST_RSS_MB: f64 = 25.0;
pub(crate) const MOST_OVERHEAD_MS: f64 = 1.0;
pub(crate) const LEAST_BUILD_MB_S: f64 = 15.0;
pub(crate) const MOST_INDEX_SIZE: f64 = 0.7;
pub(crate) const MOST_SEARCH_MS: (f64, f64) = (10.0, 40.0);
pub(crate) const MOST_CHANGE_MS: f64 = 50.0;
pub(crate) const LEAST_REGEX_RATIO: f64 = 10.0;
pub(crate) const MOST_BATCH_RATIO: f64 = 1.5;
pub(crate) const MOST_REPEATED_MS: f64 = 2.0;

pub(crate) fn run() -> anyhow::Result<()> {
    if optimised(&["bench"])? {
        return Ok(());
    }
    let (tools, orienteer) = prepare()?;
    let ripgrep = tools.folder.join("cargo/bin/rg");
    let mut report = Report::new();
    for corpus in corpus::all()? {
        search::measure(&orienteer, &ripgrep, &corpus, &mut report)?;
    }
    server::measure(&orienteer, &mut report)?;
    remote::measure(&orienteer, &mut report)?;
    secrets::measure(&tools.folder, &mut report)?;
    index::measure(&orienteer, &tools, &mut report)?;
    retrieval::measure(Some(&orienteer), &tools, &retrieval::Wanted::everything(), &mut report)?;
    lsp::measure(&orienteer, &tools, &lsp::Wanted::everything(), &mut report)?;
    pyright::measure(&orienteer, &tools, &mut report)?;
    lsp::renames(&orienteer, &tools, false, &mut report)?;
    report.write(&page())?;
    judge(&report)
}

/// `cargo xtask bench lsp`: only the language servers. The words are `quick` and names of servers; a page of some
/// of them, or of few symbols, is for the eye only.
pub(crate) fn language_servers(words: &[&str]) -> anyhow::Result<()> {
    let wanted = lsp::Wanted::parse(words)?;
    if optimised(&[&["bench", "lsp"], words].concat())? {
        return Ok(());
    }
    let (tools, orienteer) = prepare()?;
    let mut report = Report::new();
    lsp::measure(&orienteer, &tools, &wanted, &mut report)?;
    if wanted.is_everything() {
        report.write_into(&page())?;
    } else {
        let page = lsp::folder(&tools)?.join("quick.md");
        report.write(&page)?;
        println!("{}", std::fs::read_to_string(page)?);
    }
    judge(&report)
}

/// `cargo xtask bench index`: only building, changing and asking the index.
pub(crate) fn the_index() -> anyhow::Result<()> {
    if optimised(&["bench", "index"])? {
        return Ok(());
    }
    let (tools, orienteer) = prepare()?;
    let mut report = Report::new();
    index::measure(&orienteer, &tools, &mut report)?;
    report.write_into(&page())?;
    judge(&report)
}

/// `cargo xtask bench remote`: only questions about code that is elsewhere.
pub(crate) fn remote_code() -> anyhow::Result<()> {
    if optimised(&["bench", "remote"])? {
        return Ok(());
    }
    let (_, orienteer) = prepare()?;
    let mut report = Report::new();
    remote::measure(&orienteer, &mut report)?;
    report.write_into(&page())?;
    judge(&report)
}

/// `cargo xtask bench pyright`: only the times that pyright-mcp's document asks for.
pub(crate) fn pyright_dialect() -> anyhow::Result<()> {
    if optimised(&["bench", "pyright"])? {
        return Ok(());
    }
    let (tools, orienteer) = prepare()?;
    let mut report = Report::new();
    pyright::measure(&orienteer, &tools, &mut report)?;
    report.write_into(&page())?;
    judge(&report)
}

/// `cargo xtask bench renames`: only renames. With `quick` few of them, for the eye only.
pub(crate) fn renames(words: &[&str]) -> anyhow::Result<()> {
    let quick = match words {
        [] => false,
        ["quick"] => true,
        _ => bail!("`bench renames` takes `quick` or nothing"),
    };
    if optimised(&[&["bench", "renames"], words].concat())? {
        return Ok(());
    }
    let (tools, orienteer) = prepare()?;
    let mut report = Report::new();
    lsp::renames(&orienteer, &tools, quick, &mut report)?;
    if !quick {
        report.write_into(&page())?;
    }
    judge(&report)
}

/// `cargo xtask bench retrieval`: only whether questions find the functions they are about.
pub(crate) fn questions(words: &[&str]) -> anyhow::Result<()> {
    let wanted = retrieval::Wanted::parse(words)?;
    if optimised(&[&["bench", "retrieval"], words].concat())? {
        return Ok(());
    }
    let (tools, orienteer) = if wanted.needs_ours() {
        let (tools, orienteer) = prepare()?;
        (tools, Some(orienteer))
    } else {
        (install::run()?, None)
    };
    let mut report = Report::new();
    retrieval::measure(orienteer.as_deref(), &tools, &wanted, &mut report)?;
    if wanted.is_everything() {
        report.write_into(&page())?;
    } else {
        let page = retrieval::folder(&tools)?.join("shown.md");
        report.write(&page)?;
        println!("{}", std::fs::read_to_string(page)?);
    }
    judge(&report)
}

/// Runs the same again with an optimised client, unless this is one: the time in which a client reads an answer is
/// part of what is measured, and it should be little.
fn optimised(words: &[&str]) -> anyhow::Result<bool> {
    if !cfg!(debug_assertions) {
        return Ok(false);
    }
    step(
        "build the client",
        &mut cargo(&["build", "--release", "--package", "xtask", "--locked", "--quiet"]),
    )?;
    let program = target()?.join("release").join(format!("xtask{}", std::env::consts::EXE_SUFFIX));
    step(&words.join(" "), &mut command(program, words))?;
    Ok(true)
}

fn target() -> anyhow::Result<PathBuf> {
    metadata(false)?["target_directory"].as_str().map(PathBuf::from).context("no target folder")
}

fn page() -> PathBuf {
    crate::shell::root().join("docs/benchmarks.md")
}

/// The programs of others, and ours as users have it.
fn prepare() -> anyhow::Result<(install::Tools, PathBuf)> {
    let tools = install::run()?;
    // For a build of another day, or one that must not be made again.
    if let Some(binary) = std::env::var_os("ORIENTEER_BENCH_BINARY") {
        return Ok((tools, binary.into()));
    }
    step("build", &mut cargo(&["build", "--release", "--package", "orienteer", "--locked"]))?;
    Ok((tools, target()?.join("release").join("orienteer")))
}

fn judge(report: &Report) -> anyhow::Result<()> {
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

/// The value below which this part of some measurements lies.
pub(crate) fn percentile(values: &[f64], part: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = (sorted.len() as f64 * part).ceil() as usize;
    sorted.get(at.saturating_sub(1)).copied().unwrap_or_default()
}
