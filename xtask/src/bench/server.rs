//! Start, memory and overhead of the server.

use std::path::Path;
use std::time::Instant;

use anyhow::Context;
use serde_json::json;

use super::report::Report;
use super::{MOST_OVERHEAD_MS, MOST_RSS_MB, MOST_START_MS, median};
use crate::shell::root;

const STARTS: usize = 31;
const CALLS: usize = 2_000;

pub(crate) fn measure(orienteer: &Path, report: &mut Report) -> anyhow::Result<()> {
    println!("── server");
    let mut starts = Vec::new();
    let mut nothing = Vec::new();
    for _ in 0..STARTS {
        let begun = Instant::now();
        let mut server = orienteer_testkit::Server::start(orienteer, &root(), &["--log-level", "error"]);
        server.initialize("2025-11-25");
        starts.push(begun.elapsed().as_secs_f64() * 1000.0);
        let begun = Instant::now();
        std::process::Command::new("true").status()?;
        nothing.push(begun.elapsed().as_secs_f64() * 1000.0);
    }
    let start = median(&starts);
    if start > MOST_START_MS {
        report.miss(format!("start to initialize: {start:.1} ms"));
    }
    let mut server =
        orienteer_testkit::Server::start(orienteer, &root(), &["--log-level", "error", "--toolsets", "all"]);
    server.initialize("2025-11-25");
    server.request("tools/list", json!({}));
    let idle = memory(server.pid())?;
    if idle > MOST_RSS_MB {
        report.miss(format!("idle memory: {idle:.1} MB"));
    }
    let mut rows = vec![
        format!(
            "| process start to the answer of `initialize` | {start:.1} ms ({:.1} times starting `true`) | {MOST_START_MS} ms |",
            start / median(&nothing)
        ),
        format!("| memory, idle, all tools listed | {idle:.1} MB | {MOST_RSS_MB} MB |"),
    ];
    for (tool, arguments) in [
        ("get_server_status", json!({})),
        ("read_file", json!({ "file_path": "rustfmt.toml" })),
        ("search_code", json!({ "pattern": "max_width", "path": "rustfmt.toml" })),
    ] {
        let mut times = Vec::new();
        for _ in 0..CALLS {
            let begun = Instant::now();
            server.call(tool, arguments.clone());
            times.push(begun.elapsed().as_secs_f64() * 1000.0);
        }
        let typical = median(&times);
        let limit =
            if tool == "get_server_status" { format!("{MOST_OVERHEAD_MS} ms") } else { String::new() };
        if tool == "get_server_status" && typical > MOST_OVERHEAD_MS {
            report.miss(format!("round trip of a small call: {typical:.2} ms"));
        }
        rows.push(format!(
            "| round trip of a small `{tool}`, client and pipes included | {typical:.2} ms | {limit} |"
        ));
    }
    let busy = memory(server.pid())?;
    rows.push(format!("| memory after {} calls | {busy:.1} MB | |", 3 * CALLS));
    report.section(
        "The server",
        &format!(
            "Release build over stdio. {STARTS} starts, {CALLS} calls each, medians. `get_server_status` answers from \
             memory, so its round trip is an upper bound of what transport, router and rendering cost."
        ),
        "| what | measured | target |\n| --- | --- | --- |",
        &rows,
    );
    Ok(())
}

/// Resident memory in megabytes.
pub(crate) fn memory(pid: u32) -> anyhow::Result<f64> {
    figure(pid, "VmRSS:")
}

/// The most of it that the process ever had.
pub(crate) fn peak_memory(pid: u32) -> anyhow::Result<f64> {
    figure(pid, "VmHWM:")
}

fn figure(pid: u32, name: &str) -> anyhow::Result<f64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line =
        status.lines().find_map(|line| line.strip_prefix(name)).with_context(|| format!("no {name}"))?;
    let kilobytes: f64 = line.trim().trim_end_matches("kB").trim().parse()?;
    Ok(kilobytes / 1000.0)
}
