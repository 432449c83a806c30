//! Remote code: several lookups at once, a repeated one, and memory after many; the emulator of GitHub answers.

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, ensure};
use orienteer_testkit::emulator::{Emulator, TOKEN};
use orienteer_testkit::{Framing, Server, Tree, tree};
use serde_json::{Value, json};

use super::report::Report;
use super::server::memory;
use super::{MOST_BATCH_RATIO, MOST_REPEATED_MS, median, percentile};

const ROUNDS: usize = 15;
const LOOKUPS: usize = 5;
const REPEATED: usize = 1_000;
/// The emulator refuses after five thousand; what the other figures ask of it is asked of another one.
const QUESTIONS: usize = 4_900;
const AT_ONCE: usize = 10;
/// Megabytes by which a process may differ without having kept anything of three thousand answers.
const MOST_GROWTH_MB: f64 = 2.0;

pub(crate) fn measure(orienteer: &Path, report: &mut Report) -> anyhow::Result<()> {
    println!("── remote");
    let emulator = Emulator::start();
    for number in 0..LOOKUPS {
        let body = json!({ "message": "add", "content": "dGV4dAo=", "branch": "main" });
        emulator.send("PUT", &format!("/repos/octocat/hello-world/contents/file{number}.txt"), &body);
    }
    let (batch, slowest) = side_by_side(orienteer, &emulator)?;
    let ratio = median(&batch) / median(&slowest);
    if ratio > MOST_BATCH_RATIO {
        report.miss(format!("{LOOKUPS} lookups in a batch: {ratio:.2} times the slowest one"));
    }
    let repeated = repeated(orienteer, &emulator)?;
    let typical = median(&repeated);
    if typical > MOST_REPEATED_MS {
        report.miss(format!("a repeated lookup: {typical:.2} ms"));
    }
    drop(emulator);
    let held = many(orienteer)?;
    let (early, late) = (held[1], held[held.len() - 1]);
    if late > early + MOST_GROWTH_MB {
        report.miss(format!("memory grew from {early:.1} to {late:.1} MB"));
    }
    let held: Vec<_> = held.iter().map(|megabytes| format!("{megabytes:.1}")).collect();
    let rows = [
        format!(
            "| {LOOKUPS} lookups in one `batch` / the slowest of them asked alone | {ratio:.2} ({:.1} / {:.1} ms) | \
             {MOST_BATCH_RATIO} |",
            median(&batch),
            median(&slowest)
        ),
        format!(
            "| a repeated lookup, from what is kept, p50 (p95) | {typical:.2} ms ({:.2} ms) | {MOST_REPEATED_MS} ms |",
            percentile(&repeated, 0.95)
        ),
        format!(
            "| memory after each thousand of {QUESTIONS} questions | {} MB | no growth |",
            held.join(", ")
        ),
    ];
    report.section(
        "Remote code",
        &format!(
            "Release build over stdio, client and pipes included; `emulate` stands for GitHub on this machine. \
             {ROUNDS} rounds, medians: in each, {LOOKUPS} processes that know nothing yet ask for one file each, and \
             another asks for all of them in one call. A repeated lookup is asked {REPEATED} times. The questions are \
             searches, all different, {AT_ONCE} in a call; the emulator refuses after 5,000 requests."
        ),
        "| what | measured | target |\n| --- | --- | --- |",
        &rows,
    );
    Ok(())
}

/// A process of its own with an empty home.
struct Asking {
    server: Server,
    _tree: Tree,
}

impl Asking {
    fn start(orienteer: &Path, emulator: &Emulator) -> anyhow::Result<Self> {
        let tree = tree("//- /README.md\n# Nothing\n");
        let folder = tree.beside("home").join(".config/orienteer");
        std::fs::create_dir_all(&folder)?;
        let settings = format!(
            "[remote]\nask_programs = false\n[[hosts]]\nhost = '{}'\nprovider = 'github'\napi_url = '{}'\ntoken_variable = \
             'MINE'\n",
            emulator.name(),
            emulator.api()
        );
        std::fs::write(folder.join("config.toml"), settings)?;
        let arguments = ["--toolsets", "all", "--log-level", "error"];
        let variables = [("MINE", TOKEN)];
        let mut server = Server::start_with(orienteer, tree.root(), &arguments, &variables, Framing::Lines);
        server.initialize("2025-11-25");
        Ok(Self { server, _tree: tree })
    }

    /// Milliseconds until the whole answer is here.
    fn timed(&mut self, tool: &str, arguments: Value) -> anyhow::Result<f64> {
        let begun = Instant::now();
        let reply = self.server.request("tools/call", json!({ "name": tool, "arguments": arguments }));
        let took = begun.elapsed().as_secs_f64() * 1000.0;
        let answer = &reply["result"]["structuredContent"];
        ensure!(answer["ok"] == true, "{tool} failed: {reply}");
        if let Some(rows) = answer["results"].as_array().filter(|_| tool == "batch") {
            ensure!(rows.iter().all(|row| row["ok"] == true), "a row failed: {answer}");
        }
        Ok(took)
    }
}

fn lookup(emulator: &Emulator, number: usize) -> Value {
    json!({ "host": emulator.name(), "owner": "octocat", "repo": "hello-world", "path": format!("file{number}.txt") })
}

/// Times of whole batches, and of the slowest lookup of each round.
fn side_by_side(orienteer: &Path, emulator: &Emulator) -> anyhow::Result<(Vec<f64>, Vec<f64>)> {
    let (mut batch, mut slowest) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let mut alone = Vec::new();
        for number in 0..LOOKUPS {
            let mut asking = Asking::start(orienteer, emulator)?;
            alone.push(asking.timed("remote_read_file", lookup(emulator, number))?);
        }
        slowest.push(alone.into_iter().fold(0.0, f64::max));
        let calls: Vec<_> = (0..LOOKUPS)
            .map(|number| json!({ "tool": "remote_read_file", "arguments": lookup(emulator, number) }))
            .collect();
        batch.push(Asking::start(orienteer, emulator)?.timed("batch", json!({ "calls": calls }))?);
    }
    Ok((batch, slowest))
}

fn repeated(orienteer: &Path, emulator: &Emulator) -> anyhow::Result<Vec<f64>> {
    let mut asking = Asking::start(orienteer, emulator)?;
    asking.timed("remote_read_file", lookup(emulator, 0))?;
    (0..REPEATED).map(|_| asking.timed("remote_read_file", lookup(emulator, 0))).collect()
}

/// Megabytes after each thousand questions, and after the last.
fn many(orienteer: &Path) -> anyhow::Result<Vec<f64>> {
    let emulator = Emulator::start();
    let mut asking = Asking::start(orienteer, &emulator)?;
    let mut held = Vec::new();
    for asked in (0..QUESTIONS).step_by(AT_ONCE) {
        let calls: Vec<_> = (asked..asked + AT_ONCE)
            .map(|number| {
                let words = json!({ "host": emulator.name(), "keywords": [format!("word{number}")] });
                json!({ "tool": "remote_search_repositories", "arguments": words })
            })
            .collect();
        asking.timed("batch", json!({ "calls": calls }))?;
        let asked = asked + AT_ONCE;
        if asked.is_multiple_of(1_000) || asked == QUESTIONS {
            held.push(memory(asking.server.pid()).context("the process ended")?);
        }
    }
    Ok(held)
}
