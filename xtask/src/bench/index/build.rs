//! Building: megabytes a second, bytes a byte, memory.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use serde_json::json;

use super::{bare, serve};
use crate::bench::ask::ask;
use crate::bench::report::Report;
use crate::bench::server::peak_memory;
use crate::bench::{LEAST_BUILD_MB_S, MOST_INDEX_SIZE, median};

const PATIENCE: Duration = Duration::from_secs(900);
/// Megabytes of memory that a build may take, by the megabytes of the text.
const MEMORY: [(f64, f64); 2] = [(200.0, 500.0), (f64::INFINITY, 1_500.0)];

/// What a build was like.
pub(super) struct Built {
    name: &'static str,
    files: u64,
    symbols: u64,
    megabytes: f64,
    seconds: f64,
    /// Of SQLite's full text search over the same files, whole, in the same run.
    fts_seconds: f64,
    /// Of the grammars alone, in the same run; `None` where the texts would not fit into memory.
    bare: Option<bare::Bare>,
    size: f64,
    peak: f64,
}

pub(super) fn measure(
    orienteer: &Path,
    name: &'static str,
    tree: &Path,
    rounds: usize,
    report: &mut Report,
) -> anyhow::Result<Built> {
    let mut seconds = Vec::new();
    let (mut fts_seconds, mut bares) = (Vec::new(), Vec::new());
    let mut last = None;
    for _ in 0..rounds {
        fs::remove_dir_all(tree.with_file_name("home")).ok();
        let mut server = serve(orienteer, tree);
        let begun = Instant::now();
        let mut answer = ask(&mut server, "build_index", &json!({})).map(|(answer, _)| answer);
        // A build that takes longer than a call may goes on by itself.
        while answer.is_err() && begun.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(100));
            let (status, _) = ask(&mut server, "index_status", &json!({}))?;
            if status["state"] == "ready" && status["doing"].is_null() {
                answer = Ok(status);
            }
        }
        answer?;
        seconds.push(begun.elapsed().as_secs_f64());
        let peak = peak_memory(server.pid())?;
        let (status, _) = ask(&mut server, "index_status", &json!({}))?;
        last = Some((status, peak));
        fts_seconds.push(fts(tree)?);
        if rounds > 1 {
            bares.push(bare::measure(tree)?);
        }
    }
    let (status, peak) = last.context("nothing was built")?;
    let number = |name: &str| status[name].as_u64().with_context(|| format!("no {name} in {status}"));
    let megabytes = number("text_bytes")? as f64 / 1e6;
    let built = Built {
        name,
        files: number("files")?,
        symbols: number("symbols")?,
        megabytes,
        seconds: median(&seconds),
        fts_seconds: median(&fts_seconds),
        bare: (!bares.is_empty()).then(|| {
            let of = |seconds: fn(&bare::Bare) -> f64| median(&bares.iter().map(seconds).collect::<Vec<_>>());
            bare::Bare { ours: of(|bare| bare.ours), published: of(|bare| bare.published) }
        }),
        size: number("bytes")? as f64 / 1e6 / megabytes,
        peak,
    };
    ensure!(built.symbols > built.files, "{name} has hardly any symbols");
    println!(
        "   {name}: {:.1} MB in {:.2} s, {:.1} MB/s, {:.2} of the text, {:.0} MB of memory",
        built.megabytes,
        built.seconds,
        built.megabytes / built.seconds,
        built.size,
        built.peak
    );
    judge(&built, report);
    Ok(built)
}

fn memory_limit(megabytes: f64) -> f64 {
    MEMORY.iter().find(|(text, _)| megabytes < *text).map_or(f64::INFINITY, |(_, limit)| *limit)
}

fn judge(built: &Built, report: &mut Report) {
    let rate = built.megabytes / built.seconds;
    if rate < LEAST_BUILD_MB_S {
        report.miss(format!("index of {}: {rate:.1} MB/s", built.name));
    }
    if built.size > MOST_INDEX_SIZE {
        report.miss(format!("index of {}: {:.2} of the text", built.name, built.size));
    }
    if built.peak > memory_limit(built.megabytes) {
        report.miss(format!("index of {}: {:.0} MB of memory", built.name, built.peak));
    }
}

pub(super) fn tell(all: &[Built], report: &mut Report) {
    let rows: Vec<String> = all
        .iter()
        .map(|built| {
            let times = |bare: f64| format!("{:.2} ({:.1} MB/s)", built.seconds / bare, built.megabytes / bare);
            let [ours, published] = match built.bare {
                Some(bare) => [bare.ours, bare.published].map(times),
                None => ["–"; 2].map(str::to_owned),
            };
            format!(
                "| {} | {} | {} | {:.0} MB | {:.2} s | **{:.1} MB/s** | {ours} | {published} | {:.2} | **{:.2}** | \
                 **{:.0} MB** (at most {:.0}) |",
                built.name,
                built.files,
                built.symbols,
                built.megabytes,
                built.seconds,
                built.megabytes / built.seconds,
                built.seconds / built.fts_seconds,
                built.size,
                built.peak,
                memory_limit(built.megabytes)
            )
        })
        .collect();
    report.section(
        "Building the index",
        &format!(
            "`build_index` of an empty cache by the server, two threads, from the call to the answer. The peer in the same \
             run is SQLite's FTS5 with whole files in one table on disk, which knows neither symbols nor substrings. The \
             limit, also in the same run, are the grammars alone: two threads parse the same texts out of memory and throw \
             the trees away, as the index does it and with the parser as it is published. Targets: at least \
             {LEAST_BUILD_MB_S} MB/s, at most {MOST_INDEX_SIZE} of the text."
        ),
        "| tree | files | symbols | text | time | rate | time / grammars alone | time / published parser alone | time / FTS5 \
         | size / text | peak memory of the server |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
        &rows,
    );
}

/// Seconds that FTS5 takes to index the same files.
fn fts(tree: &Path) -> anyhow::Result<f64> {
    let path = tree.with_file_name("fts.db");
    fs::remove_file(&path).ok();
    let begun = Instant::now();
    let mut connection = rusqlite::Connection::open(&path)?;
    connection.execute_batch(
        "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
         CREATE VIRTUAL TABLE texts USING fts5(path, body, content = '', tokenize = 'unicode61')",
    )?;
    let transaction = connection.transaction()?;
    {
        let mut insert = transaction.prepare("INSERT INTO texts (path, body) VALUES (?, ?)")?;
        let mut folders = vec![tree.to_path_buf()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder)?.flatten() {
                let kind = entry.file_type()?;
                if kind.is_dir() {
                    folders.push(entry.path());
                } else if kind.is_file()
                    && let Ok(text) = fs::read_to_string(entry.path())
                {
                    insert.execute((entry.path().to_string_lossy(), text))?;
                }
            }
        }
    }
    transaction.commit()?;
    drop(connection);
    let took = begun.elapsed().as_secs_f64();
    fs::remove_file(&path)?;
    Ok(took)
}
