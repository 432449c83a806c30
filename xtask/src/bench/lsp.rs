//! Language servers: the raw server against ours in the same run, on real projects.
//!
//! Every server runs twice, once under `orienteer mcp` and once under a client that has no code of ours, with the same
//! program, arguments and environment, and with the same projects known. What the raw one says is the truth that ours is
//! compared with.

mod checks;
mod edits;
mod fetch;
mod locations;
mod memory;
mod ours;
mod overhead;
mod places;
mod quiet;
mod raw;
mod renames;
mod sample;
mod server;
mod tables;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, bail};
use serde_json::json;

use super::report::Report;
use crate::install::Tools;
use ours::Ours;
use raw::Raw;
use sample::Random;
use server::Subject;

const SERVERS: [&str; 4] = ["rust-analyzer", "typescript-native", "typescript-language-server", "pyright"];

/// How much is measured.
pub(crate) struct Wanted {
    quick: bool,
    servers: Vec<String>,
}

impl Wanted {
    pub(crate) fn everything() -> Self {
        Self { quick: false, servers: Vec::new() }
    }

    pub(crate) fn parse(words: &[&str]) -> anyhow::Result<Self> {
        let mut wanted = Self::everything();
        for word in words {
            match *word {
                "quick" => wanted.quick = true,
                other => match SERVERS.iter().find(|server| server.starts_with(other)) {
                    Some(server) => wanted.servers.push((*server).to_owned()),
                    None => bail!("`{other}` is neither `quick` nor the beginning of {}", SERVERS.join(", ")),
                },
            }
        }
        Ok(wanted)
    }

    pub(crate) fn is_everything(&self) -> bool {
        !self.quick && self.servers.is_empty()
    }

    fn symbols(&self, subject: &Subject) -> usize {
        if self.quick { 20 } else { subject.symbols }
    }

    fn tries(&self, subject: &Subject) -> usize {
        if self.quick { 30 } else { subject.tries }
    }

    fn files(&self) -> usize {
        if self.quick { 5 } else { 20 }
    }
}

/// What was found out about one server.
struct Measured {
    subject: Subject,
    files: usize,
    kinds: String,
    elsewhere: usize,
    warm: locations::Verdict,
    cold: locations::Cold,
    times: Vec<(overhead::Operation, overhead::Times)>,
    checks: checks::Checks,
    edits: edits::Tries,
    /// Megabytes of the raw server and of the one that ours runs.
    raw_mb: f64,
    server_mb: f64,
    ours_mb: f64,
}

pub(crate) fn measure(
    orienteer: &Path,
    tools: &Tools,
    wanted: &Wanted,
    report: &mut Report,
) -> anyhow::Result<()> {
    let folder = folder(tools)?;
    let begun = Instant::now();
    // Two runs would edit the same trees and take each other's edits for wrong answers.
    let alone = fs::File::create(fetch::projects()?.with_file_name("lock"))?;
    alone.try_lock().context("another `cargo xtask bench` is measuring language servers")?;
    let mut all = Vec::new();
    for subject in server::all(tools, &folder, &wanted.servers)? {
        let started = Instant::now();
        println!("── {} on {} (load {})", subject.id, subject.project, load());
        let id = subject.id;
        let measured = one(orienteer, subject, wanted, &folder).context(id)?;
        println!("── {id}: {:.0} s", started.elapsed().as_secs_f64());
        all.push(measured);
    }
    let three: Vec<&Subject> = all
        .iter()
        .map(|measured| &measured.subject)
        .filter(|subject| subject.id != "typescript-language-server")
        .collect();
    let weight = if three.len() == 3 { Some(memory::measure(orienteer, &three)?) } else { None };
    tables::write(&all, weight.as_ref(), report);
    println!("── language servers: {:.0} s (load {})", begun.elapsed().as_secs_f64(), load());
    Ok(())
}

/// Renames, each compiled and taken back.
pub(crate) fn renames(
    orienteer: &Path,
    tools: &Tools,
    quick: bool,
    report: &mut Report,
) -> anyhow::Result<()> {
    let folder = folder(tools)?;
    // Two runs would edit the same trees.
    let alone = fs::File::create(fetch::projects()?.with_file_name("lock"))?;
    alone.try_lock().context("another `cargo xtask bench` is measuring language servers")?;
    renames::measure(orienteer, tools, &folder, quick, report)
}

/// The sources of two of the projects, for whoever measures something else with them.
pub(crate) fn sources(tools: &Tools) -> anyhow::Result<(PathBuf, PathBuf)> {
    let downloads = folder(tools)?;
    Ok((fetch::effect(&downloads)?, fetch::django(&downloads, tools)?))
}

/// A Python project that its compiler looks at in seconds.
pub(crate) fn small_python(tools: &Tools) -> anyhow::Result<PathBuf> {
    fetch::werkzeug(&folder(tools)?, tools)
}

/// Where downloads and lists of differences are.
pub(crate) fn folder(tools: &Tools) -> anyhow::Result<PathBuf> {
    let folder = tools.folder.with_file_name("bench-lsp");
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

fn one(orienteer: &Path, subject: Subject, wanted: &Wanted, folder: &Path) -> anyhow::Result<Measured> {
    edits::mend(&subject)?;
    let mut random = Random::new();
    let clock = Instant::now();
    let told = |what: &str| println!("   {:>4.0} s: {what}", clock.elapsed().as_secs_f64());
    let mut ours = Ours::start(orienteer, &subject.root, &subject.variables);
    ours.ask("document_symbols", &json!({ "file_path": subject.first_file }))?;
    let pid = ours.ready(subject.id)?;
    told("ours is ready");
    let mut raw = Raw::like(pid, &subject, &subject.root)?;
    told("the raw server is ready");
    // What the raw server says about one symbol is compared while it is asked about the next.
    let (symbols, warm) = std::thread::scope(|scope| {
        let (sender, chosen) = std::sync::mpsc::channel();
        let (ours, raw, random) = (&mut ours, &mut raw, &mut random);
        let comparing = scope.spawn(move || locations::warm(ours, chosen));
        let tell = |symbol: &Arc<sample::Symbol>| drop(sender.send(symbol.clone()));
        let symbols = sample::symbols(raw, &subject, wanted.symbols(&subject), random, tell);
        drop(sender);
        told("symbols are chosen");
        let warm = comparing.join().unwrap_or_else(|_| bail!("the comparison panicked"));
        anyhow::Ok((symbols?, warm?))
    })?;
    told(&format!("warm places: {} of {} the same, {} complete", warm.equal, warm.answers, warm.complete));
    // Written at once and again at the end: a run that is stopped shall not take them with it.
    let path = folder.join(format!("differences-{}.txt", subject.id));
    let list = |all: &[&Vec<String>]| {
        fs::write(&path, all.iter().copied().flatten().map(|text| format!("{text}\n")).collect::<String>())
    };
    list(&[&warm.differences])?;
    quiet::wait(&[pid, raw.pid()]);
    told("both servers are idle");
    let mut second = Raw::like(pid, &subject, &subject.root)?;
    told("the second raw server is ready");
    let times = overhead::measure((&mut raw, &mut second), &mut ours, &symbols, pid)?;
    drop(second);
    told("times are taken");
    let (raw_mb, server_mb) = (memory::with_children(raw.pid()), memory::with_children(pid));
    drop(raw);
    let edits = edits::measure(&mut ours, &subject, &symbols, wanted.tries(&subject), &mut random)?;
    told(&format!("edits: {} tries, {} wrong", edits.tries, edits.wrong.len()));
    let checks = checks::measure(&mut ours, &subject, wanted.files(), &mut random)?;
    told(&format!("checks: {} of {} files decided", checks.decided, checks.files));
    let ours_mb = super::server::memory(ours.pid())?;
    drop(ours);
    let cold = locations::cold(orienteer, &subject, &symbols)?;
    told(&format!(
        "cold places: {} of {} the same, {} complete",
        cold.verdict.equal, cold.verdict.answers, cold.verdict.complete
    ));
    list(&[&warm.differences, &cold.verdict.differences, &edits.wrong, &checks.undecided])?;
    Ok(Measured {
        files: memory::count(&subject.root),
        kinds: tables::kinds(&symbols),
        elsewhere: symbols.iter().filter(|symbol| symbol.used_elsewhere).count(),
        subject,
        warm,
        cold,
        times,
        checks,
        edits,
        raw_mb,
        server_mb,
        ours_mb,
    })
}

/// How busy the machine is.
fn load() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().unwrap_or_default().to_owned()
}
