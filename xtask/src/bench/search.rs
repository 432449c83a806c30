//! `search_code` against ripgrep: the same matches, and how long both take.

use std::path::Path;
use std::process::Stdio;
use std::time::Instant;

use anyhow::{Context, bail, ensure};
use serde_json::{Value, json};

use super::report::Report;
use super::{Corpus, MOST_CANCEL_MS, MOST_RATIO, matches, median};
use crate::shell::{command, output};

/// Runs of each side, one after the other.
const ROUNDS: usize = 11;

/// Patterns with more matching lines are compared by their totals only.
const MOST_COMPARED: u64 = 30_000;

/// A name, ours, ripgrep's flags.
fn patterns() -> Vec<(&'static str, Value, Vec<&'static str>)> {
    vec![
        ("rare literal", json!({ "pattern": "PM_RESUME" }), vec!["PM_RESUME"]),
        ("frequent literal", json!({ "pattern": "return" }), vec!["return"]),
        ("no match", json!({ "pattern": "zqxjkvb_nowhere" }), vec!["zqxjkvb_nowhere"]),
        ("regex", json!({ "pattern": r"[A-Z]+_SUSPEND\b" }), vec![r"[A-Z]+_SUSPEND\b"]),
        ("regex without literal", json!({ "pattern": r"\w+_lock\(" }), vec![r"\w+_lock\("]),
        ("smart case, whole word", json!({ "pattern": "mutex", "whole_word": true }), vec!["-w", "mutex"]),
        ("literal text", json!({ "pattern": "->lock(", "fixed_string": true }), vec!["-F", "-e", "->lock("]),
        ("one file type", json!({ "pattern": "unsafe", "file_types": ["rust"] }), vec!["-trust", "unsafe"]),
        ("context", json!({ "pattern": "deprecated", "context_lines": 3 }), vec!["-C3", "deprecated"]),
    ]
}

pub(crate) fn measure(
    orienteer: &Path,
    ripgrep: &Path,
    corpus: &Corpus,
    report: &mut Report,
) -> anyhow::Result<()> {
    println!("── search: {}", corpus.name);
    let mut rows = Vec::new();
    let mut compared = 0;
    let mut server = orienteer_testkit::Server::start(orienteer, &corpus.folder, &["--log-level", "error"]);
    server.initialize("2025-11-25");
    for (name, ours, theirs) in patterns() {
        let ours_totals = totals(orienteer, corpus, &ours)?;
        let theirs_totals = rg_totals(ripgrep, corpus, &theirs)?;
        ensure!(
            ours_totals == theirs_totals,
            "{name}: {ours_totals:?} lines and files, ripgrep {theirs_totals:?}"
        );
        if ours_totals.0 <= MOST_COMPARED {
            compared += matches::same(&mut server, ripgrep, corpus, &ours, &theirs).context(name)?;
        }
        let mut a = Vec::new();
        let mut b = Vec::new();
        for _ in 0..ROUNDS {
            a.push(time(orienteer, &["call", "search_code", &ours.to_string()], corpus)?);
            let mut flags =
                vec!["--smart-case", "--line-number", "--column", "--no-heading", "--no-messages"];
            flags.extend(&theirs);
            flags.push(".");
            b.push(time(ripgrep, &flags, corpus)?);
        }
        let ratio = median(&a) / median(&b);
        println!("   {name}: {ratio:.2}");
        if ratio > MOST_RATIO {
            report.miss(format!("search_code, {}, {name}: {ratio:.2} times ripgrep", corpus.name));
        }
        rows.push(format!(
            "| {name} | {} | {} | {:.0} ms | {:.0} ms | **{ratio:.2}** |",
            ours_totals.0,
            ours_totals.1,
            median(&a),
            median(&b)
        ));
    }
    report.section(
        &format!("`search_code` on {}", corpus.name),
        &format!(
            "Whole processes, `orienteer call search_code` against `rg` with the same options, {ROUNDS} interleaved \
             runs, medians. Matching lines and files are equal, and {compared} matches were compared one by one (file, line, \
             column) in the same run. Target: at most {MOST_RATIO}."
        ),
        "| pattern | lines | files | ours | rg | ratio |\n| --- | --- | --- | --- | --- | --- |",
        &rows,
    );
    cancel(orienteer, corpus, report)
}

/// Matching lines and files of ours.
fn totals(orienteer: &Path, corpus: &Corpus, arguments: &Value) -> anyhow::Result<(u64, u64)> {
    let text = arguments.to_string();
    let mut command = command(orienteer, &["call", "search_code", &text, "--json"]);
    let result: Value = serde_json::from_str(&output(command.current_dir(&corpus.folder))?)?;
    let stats = &result["stats"];
    ensure!(stats["files_searched"].as_u64() > Some(20), "{} has hardly any files: {stats}", corpus.name);
    match (stats["total_matches"].as_u64(), stats["files_matched"].as_u64()) {
        (Some(lines), Some(files)) => Ok((lines, files)),
        _ => bail!("no totals in {stats}"),
    }
}

/// Matching lines and files of ripgrep, from its JSON: `--count` leaves out files that turn out to be binary
/// behind their matches, which its search itself reports.
fn rg_totals(ripgrep: &Path, corpus: &Corpus, flags: &[&str]) -> anyhow::Result<(u64, u64)> {
    let mut command = command(ripgrep, &["--smart-case", "--json", "--no-messages"]);
    let output = command.args(flags).arg(".").current_dir(&corpus.folder).output()?;
    let count = |start: &[u8]| {
        output.stdout.split(|byte| *byte == b'\n').filter(|line| line.starts_with(start)).count()
    };
    Ok((count(b"{\"type\":\"match\"") as u64, count(b"{\"type\":\"begin\"") as u64))
}

/// Milliseconds of a whole process whose output goes to a pipe that is read and thrown away.
fn time(program: &Path, arguments: &[&str], corpus: &Corpus) -> anyhow::Result<f64> {
    let begun = Instant::now();
    let mut child = command(program, arguments)
        .current_dir(&corpus.folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    if let Some(mut stdout) = child.stdout.take() {
        std::io::copy(&mut stdout, &mut std::io::sink())?;
    }
    child.wait()?;
    Ok(begun.elapsed().as_secs_f64() * 1000.0)
}

/// From a cancel to the moment the only slot is free again, seen from outside: an upper bound.
fn cancel(orienteer: &Path, corpus: &Corpus, report: &mut Report) -> anyhow::Result<()> {
    let one_slot = [("ORIENTEER_MCP_MAX_CONCURRENT_CALLS", "1"), ("ORIENTEER_LOG_LEVEL", "error")];
    let framing = orienteer_testkit::Framing::Lines;
    let mut server = orienteer_testkit::Server::start_with(
        orienteer,
        &corpus.folder,
        &["--toolsets", "all"],
        &one_slot,
        framing,
    );
    server.initialize("2025-11-25");
    let mut waits = Vec::new();
    for _ in 0..ROUNDS {
        let slow = json!({ "name": "search_code", "arguments": { "pattern": r"(\w+\s+){6,}zqxjkvb" } });
        let running = server.begin("tools/call", slow);
        std::thread::sleep(std::time::Duration::from_millis(150));
        let next = server.begin("tools/call", json!({ "name": "list_tree", "arguments": {} }));
        let begun = Instant::now();
        server.notify("notifications/cancelled", json!({ "requestId": running }));
        server.answer(next);
        waits.push(begun.elapsed().as_secs_f64() * 1000.0);
    }
    let worst = waits.iter().copied().fold(0.0, f64::max);
    if worst > MOST_CANCEL_MS {
        report.miss(format!("cancel on {}: {worst:.0} ms", corpus.name));
    }
    report.section(
        &format!("Cancelling a search on {}", corpus.name),
        &format!(
            "From `notifications/cancelled` to the answer of a `list_tree` that waited for the only slot, {ROUNDS} times. \
             Target: {MOST_CANCEL_MS} ms."
        ),
        "| median | worst |\n| --- | --- |",
        &[format!("| {:.1} ms | **{worst:.1} ms** |", median(&waits))],
    );
    Ok(())
}
