//! Does a question find the function that it is about? Real packages, questions that were fixed beforehand, and three
//! others that are asked the same.

mod corpus;
mod definitions;
mod documentation;
mod fetch;
mod fts;
mod judge;
mod make;
mod ours;
mod packages;
mod probe;
mod queries;
mod ripgrep;
mod sentence;
mod tables;
mod tree;

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use anyhow::{Context, bail};

use super::percentile;
use super::report::Report;
use crate::install::Tools;
use corpus::Corpus;
use definitions::Definition;
use judge::{Rank, rank};
use packages::{Package, Set};
use probe::Way;
use queries::Query;
use tables::{Measured, System};

/// So many results are asked for: enough to see ten files.
const RESULTS: usize = 50;

/// What is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Task {
    Measure,
    /// Everybody but us.
    Baselines,
    /// The peer's answers anew.
    Peer,
    /// The questions, or whether they still are what the rules make.
    Queries,
}

pub(crate) struct Wanted {
    task: Task,
    sets: Vec<Set>,
}

impl Wanted {
    pub(crate) fn everything() -> Self {
        Self { task: Task::Measure, sets: Set::ALL.to_vec() }
    }

    pub(crate) fn parse(words: &[&str]) -> anyhow::Result<Self> {
        let mut wanted = Self { task: Task::Measure, sets: Vec::new() };
        for word in words {
            match *word {
                "baselines" => wanted.task = Task::Baselines,
                "peer" => wanted.task = Task::Peer,
                "queries" => wanted.task = Task::Queries,
                other => match Set::ALL.into_iter().find(|set| set.id() == other) {
                    Some(set) => wanted.sets.push(set),
                    None => bail!("`{other}` is none of baselines, peer, queries, tuning, held-out"),
                },
            }
        }
        if wanted.sets.is_empty() {
            wanted.sets = Set::ALL.to_vec();
        }
        Ok(wanted)
    }

    pub(crate) fn is_everything(&self) -> bool {
        self.task == Task::Measure && self.sets.len() == Set::ALL.len()
    }

    /// Whether our own program is asked.
    pub(crate) fn needs_ours(&self) -> bool {
        self.task == Task::Measure
    }
}

pub(crate) fn measure(
    orienteer: Option<&Path>,
    tools: &Tools,
    wanted: &Wanted,
    report: &mut Report,
) -> anyhow::Result<()> {
    let begun = Instant::now();
    let told = |what: &str| println!("   {:>4.0} s: {what}", begun.elapsed().as_secs_f64());
    println!("── retrieval");
    let packages = packages::all()?;
    let unpacked = fetch::all(tools, &packages)?;
    told("the packages are there");
    let mut all = Vec::new();
    for &set in &wanted.sets {
        let corpus = Corpus::make(set, &packages, &unpacked)?;
        told(&format!("{}: {} files, tree {}", set.id(), corpus.files.len(), corpus.digest));
        match wanted.task {
            Task::Queries => {
                queries::fix(set, &make::all(&corpus)?)?;
                told("the questions are fixed");
            }
            Task::Peer => {
                let queries = queries::read(set)?;
                for way in Way::ALL {
                    probe::anew(&peer(&packages, &unpacked)?, &corpus, way, &queries, &folder(tools)?)?;
                    told(&format!("{} has answered", way.name()));
                }
            }
            Task::Measure | Task::Baselines => {
                let queries = queries::read(set)?;
                let mut systems = Vec::new();
                let mut times = None;
                if let Some(orienteer) = orienteer {
                    let found = ours::all(orienteer, &corpus, &queries, None)?;
                    times = Some(spent(&found));
                    details(tools, set, &queries, &found.ranks)?;
                    systems.push(System { name: "ours", ranks: found.ranks, functions: true, rival: false });
                    told("ours has answered");
                    let model = tools.folder.join("wordllama/wordllama");
                    let found = ours::all(orienteer, &corpus, &queries, Some(&model))?;
                    let name = "ours with a model";
                    systems.push(System { name, ranks: found.ranks, functions: true, rival: false });
                    told("ours has answered with a model");
                }
                others(tools, &corpus, &queries, &peer(&packages, &unpacked)?, &mut systems, &told)?;
                all.push(Measured { corpus, queries, systems, ours: orienteer.is_some(), times });
            }
        }
    }
    // The figures that count stand first.
    all.reverse();
    tables::write(&all, &packages, report);
    told("done");
    Ok(())
}

fn peer(packages: &[Package], unpacked: &[PathBuf]) -> anyhow::Result<PathBuf> {
    let at = packages.iter().position(|package| package.set.is_none()).context("no peer is pinned")?;
    probe::program(&unpacked[at])
}

fn others(
    tools: &Tools,
    corpus: &Corpus,
    queries: &[Query],
    peer: &Path,
    systems: &mut Vec<System>,
    told: &dyn Fn(&str),
) -> anyhow::Result<()> {
    let (definitions, _) = definitions::all(corpus)?;
    let mut of_file: HashMap<&str, Vec<&Definition>> = HashMap::new();
    for definition in &definitions {
        of_file.entry(&corpus.files[definition.file].path).or_default().push(definition);
    }
    let program = tools.folder.join("cargo/bin/rg");
    let ranks = side_by_side(queries, |query| {
        Ok(rank(query, &ripgrep::ask(&program, corpus, &of_file, &query.text)?))
    })?;
    systems.push(System { name: "ripgrep", ranks, functions: true, rival: true });
    told("ripgrep has answered");
    for (name, unit) in [("FTS5 on files", fts::Unit::File), ("FTS5 on definitions", fts::Unit::Definition)] {
        let table = fts::Table::fill(corpus, &definitions, unit)?;
        let ranks = queries.iter().map(|query| Ok(rank(query, &table.ask(&query.text)?)));
        systems.push(System {
            name,
            ranks: ranks.collect::<anyhow::Result<_>>()?,
            functions: unit == fts::Unit::Definition,
            rival: unit == fts::Unit::File,
        });
    }
    told("FTS5 has answered");
    for way in Way::ALL {
        let ranks = probe::ranks(peer, corpus, way, queries)?;
        systems.push(System { name: way.name(), ranks, functions: true, rival: true });
    }
    told("the peer has answered");
    Ok(())
}

/// Where ours had each answer, for whoever works on the ranking; of the held-out set nobody shall see it.
fn details(tools: &Tools, set: Set, queries: &[Query], ranks: &[Rank]) -> anyhow::Result<()> {
    if set == Set::HeldOut {
        return Ok(());
    }
    let mut text = String::from("class\tfunction\tfile\tquestion\tname\tplace\n");
    for (query, rank) in queries.iter().zip(ranks) {
        let shown = |rank: Option<usize>| rank.map_or("-".to_owned(), |rank| rank.to_string());
        text += &format!(
            "{}\t{}\t{}\t{}\t{}\t{}:{}\n",
            query.class.id(),
            shown(rank.function),
            shown(rank.file),
            query.text,
            query.name,
            query.file,
            query.line
        );
    }
    fs::write(folder(tools)?.join("ours-tuning.tsv"), text)?;
    Ok(())
}

fn spent(found: &ours::Found) -> String {
    format!(
        "Ours built its index in {:.0} ms and answered in {:.1} ms (p50) and {:.1} ms (p95).",
        found.build_ms,
        percentile(&found.ask_ms, 0.5),
        percentile(&found.ask_ms, 0.95)
    )
}

/// Questions as people ask them, for whoever measures something else with them.
pub(crate) fn sentences() -> anyhow::Result<Vec<String>> {
    Ok(queries::read(Set::Tuning)?.into_iter().map(|query| query.text).collect())
}

/// The same for every question, two at a time, in their order.
fn side_by_side<T: Send>(
    queries: &[Query],
    ask: impl Fn(&Query) -> anyhow::Result<T> + Sync,
) -> anyhow::Result<Vec<T>> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(query) = queries.get(at) else { return done };
            done.push((at, ask(query)));
        }
    };
    let mut all = std::thread::scope(|scope| {
        let both = [scope.spawn(work), scope.spawn(work)];
        both.into_iter().flat_map(|thread| thread.join().unwrap_or_default()).collect::<Vec<_>>()
    });
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, answer)| answer).collect()
}

/// Where downloads and lists are.
pub(crate) fn folder(tools: &Tools) -> anyhow::Result<PathBuf> {
    let folder = tools.folder.with_file_name("bench-retrieval");
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// Where the trees are. Not in the target folder: git ignores that, and so would every search.
fn trees() -> anyhow::Result<PathBuf> {
    let folder = std::env::temp_dir().join("orienteer-bench").join("retrieval");
    fs::create_dir_all(&folder)?;
    Ok(folder.canonicalize()?)
}
