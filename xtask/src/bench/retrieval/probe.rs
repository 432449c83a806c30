//! The peer: `@probelabs/probe`, the program that its npm package carries.
//!
//! It is asked in its two ways: for words, which is its default, and for the question as it stands. Blocks are not
//! merged, because merged ones would seldom be one function. It reads the whole tree for every question, which takes it a second or more. So its answers are asked for
//! once (`cargo xtask bench retrieval peer`) and committed as ranks; every other run asks some of them again and
//! fails when the peer says anything else. Tree, questions and program are pinned.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use serde_json::Value;

use super::corpus::{Corpus, hash};
use super::judge::{Answer, Hit, Rank, rank};
use super::make::SEED;
use super::packages::data;
use super::queries::Query;
use crate::shell::{command, output};

const ADVICE: &str = "`cargo xtask bench retrieval peer` asks the peer anew";

/// So many are asked before what was answered is kept.
const TOGETHER: usize = 20;

/// Of each class that many are asked again in every run.
const AGAIN: usize = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    Words,
    Exact,
}

impl Way {
    pub(super) const ALL: [Self; 2] = [Self::Words, Self::Exact];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Words => "probe",
            Self::Exact => "probe --exact",
        }
    }
}

/// The program for this machine, out of the unpacked package.
pub(super) fn program(unpacked: &Path) -> anyhow::Result<PathBuf> {
    let folder = unpacked.join("bin/binaries");
    let mut names =
        fs::read_dir(&folder)?.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    let (cpu, system) = (std::env::consts::ARCH, std::env::consts::OS);
    let system = if system == "macos" { "apple-darwin" } else { system };
    let name = names
        .find(|name| name.contains(cpu) && name.contains(system))
        .with_context(|| format!("the peer has no program for {system} on {cpu}"))?;
    let program = folder.join(name.trim_end_matches(".tar.gz")).join("probe");
    if !program.exists() {
        let mut tar = command("tar", &["-xzf", &name]);
        output(tar.current_dir(&folder))?;
    }
    ensure!(program.exists(), "{} is not in {name}", program.display());
    Ok(program)
}

pub(super) fn ask(program: &Path, corpus: &Corpus, way: Way, question: &str) -> anyhow::Result<Answer> {
    let count = super::RESULTS.to_string();
    let mut run = command(program, &["search", "--format", "json", "--no-merge", "--max-results", &count]);
    if way == Way::Exact {
        run.arg("--exact");
    }
    run.args(["--", question, "."]);
    let output = run.current_dir(&corpus.root).output().context("the peer could not be started")?;
    let text = String::from_utf8_lossy(&output.stdout);
    // It says what it does before it answers, and without results it answers in words.
    let Some(begin) = text.find('{').filter(|_| output.status.success()) else {
        return Ok(Answer::default());
    };
    let found: Value = serde_json::from_str(&text[begin..]).with_context(|| format!("{question}: {text}"))?;
    let root = corpus.root.to_string_lossy();
    let mut rows: Vec<&Value> = found["results"].as_array().into_iter().flatten().collect();
    // They come in the order of their files.
    let score = |row: &Value| row["score"].as_f64().unwrap_or_default();
    rows.sort_by(|a, b| score(b).total_cmp(&score(a)));
    let hits = rows.into_iter().filter_map(|row| {
        let file = row["file"].as_str()?;
        let file = file.strip_prefix(root.as_ref()).unwrap_or(file);
        let line = |at: usize| row["lines"][at].as_u64().and_then(|line| usize::try_from(line).ok());
        Some(Hit {
            file: file.trim_start_matches(['.', '/']).to_owned(),
            name: None,
            lines: (line(0)?, line(1)?),
        })
    });
    Ok(Answer::of_hits(hits.collect()))
}

/// The ranks of the peer: committed ones, of which some are asked for again.
pub(super) fn ranks(
    program: &Path,
    corpus: &Corpus,
    way: Way,
    queries: &[Query],
) -> anyhow::Result<Vec<Rank>> {
    let committed = read(&file(corpus, way), corpus, queries)?;
    ensure!(
        committed.len() == queries.len(),
        "{} of {} answers of the peer: {ADVICE}",
        committed.len(),
        queries.len()
    );
    let mut classes: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (at, query) in queries.iter().enumerate() {
        classes.entry(query.class).or_default().push(at);
    }
    let mut again = Vec::new();
    for mut list in classes.into_values() {
        list.sort_by_key(|at| hash(&[SEED, "again", &queries[*at].text]));
        again.extend(list.into_iter().take(AGAIN));
    }
    let some: Vec<Query> = again.iter().map(|at| queries[*at].clone()).collect();
    let now = all(program, corpus, way, &some)?;
    for (at, mut now) in again.into_iter().zip(now) {
        if committed[at] != now {
            // On a busy machine it sometimes ends without an answer.
            now = rank(&queries[at], &ask(program, corpus, way, &queries[at].text)?);
        }
        ensure!(
            committed[at] == now,
            "the peer answered `{}` with {now:?}, and {:?} is committed: `cargo xtask bench retrieval peer` asks all again",
            queries[at].text,
            committed[at]
        );
    }
    Ok(committed)
}

/// Asks the peer everything.
pub(super) fn all(program: &Path, corpus: &Corpus, way: Way, queries: &[Query]) -> anyhow::Result<Vec<Rank>> {
    super::side_by_side(queries, |query| Ok(rank(query, &ask(program, corpus, way, &query.text)?)))
}

fn file(corpus: &Corpus, way: Way) -> PathBuf {
    let way = if way == Way::Exact { "-exact" } else { "" };
    data().join(format!("probe{way}-{}.tsv", corpus.set.id()))
}

/// What the ranks were found for: another tree or another question makes them worthless.
fn head(corpus: &Corpus, queries: &[Query]) -> String {
    let texts: Vec<&str> = queries.iter().map(|query| query.text.as_str()).collect();
    format!(
        "# tree {}, questions {:016x}; rank of the function, rank of the file, 0: not in ten",
        corpus.digest,
        hash(&texts)
    )
}

/// Asks the peer everything anew and commits where it had the answers. What it answered is kept as it comes, so that
/// a run that is stopped is gone on with.
pub(super) fn anew(
    program: &Path,
    corpus: &Corpus,
    way: Way,
    queries: &[Query],
    folder: &Path,
) -> anyhow::Result<()> {
    let to = file(corpus, way);
    let part = folder.join(to.file_name().context("no name")?);
    let mut ranks = read(&part, corpus, queries).unwrap_or_default();
    while ranks.len() < queries.len() {
        let next = &queries[ranks.len()..(ranks.len() + TOGETHER).min(queries.len())];
        ranks.extend(all(program, corpus, way, next)?);
        write(&part, corpus, queries, &ranks)?;
    }
    write(&to, corpus, queries, &ranks)?;
    fs::remove_file(part).ok();
    Ok(())
}

fn write(path: &Path, corpus: &Corpus, queries: &[Query], ranks: &[Rank]) -> anyhow::Result<()> {
    let mut text = format!(
        "{}
",
        head(corpus, queries)
    );
    for rank in ranks {
        text += &format!(
            "{}	{}
",
            rank.function.unwrap_or(0),
            rank.file.unwrap_or(0)
        );
    }
    fs::write(path, text)?;
    Ok(())
}

fn read(path: &Path, corpus: &Corpus, queries: &[Query]) -> anyhow::Result<Vec<Rank>> {
    let text = fs::read_to_string(path).context(ADVICE)?;
    let mut lines = text.lines();
    ensure!(
        lines.next() == Some(head(corpus, queries).as_str()),
        "the answers of the peer belong to another tree or other questions: {ADVICE}"
    );
    let number = |word: Option<&str>| {
        Ok::<_, anyhow::Error>(Some(word.context(ADVICE)?.parse()?).filter(|rank| *rank > 0))
    };
    let ranks: Vec<Rank> = lines
        .map(|line| {
            let mut words = line.split('\t');
            Ok(Rank { function: number(words.next())?, file: number(words.next())? })
        })
        .collect::<anyhow::Result<_>>()?;
    Ok(ranks)
}
