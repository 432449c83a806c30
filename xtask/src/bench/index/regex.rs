//! Selective patterns through the trigrams, against ripgrep, which reads everything.

use std::path::Path;
use std::process::Stdio;
use std::time::Instant;

use anyhow::ensure;
use serde_json::{Value, json};

use super::serve;
use crate::bench::ask::ask;
use crate::bench::report::Report;
use crate::bench::{LEAST_REGEX_RATIO, median};
use crate::shell::command;

const ROUNDS: usize = 7;

const PATTERNS: [(&str, &str); 7] = [
    ("a name", "ext4_mb_regular_allocator"),
    ("a name that is not there", "zqxjkvb_nowhere"),
    ("a call with arguments", r#"kmem_cache_create\("[a-z_]+_inode_cache"#),
    ("one of two names", "tcp_v4_do_rcv|udp_queue_rcv_one_skb"),
    ("words on one line", r"mutex_lock.*rtnl_mutex"),
    ("without case", "(?i)hibernation_snapshot"),
    ("a macro with a number", r"PCI_DEVICE_ID_INTEL_8259[0-9]"),
];

pub(super) fn measure(
    orienteer: &Path,
    ripgrep: &Path,
    tree: &Path,
    report: &mut Report,
) -> anyhow::Result<()> {
    let mut server = serve(orienteer, tree);
    // Opens the index, as any first question does.
    ask(&mut server, "search", &json!({ "query": "kernel" }))?;
    let mut rows = Vec::new();
    for (name, pattern) in PATTERNS {
        let arguments = json!({ "pattern": pattern });
        let (answer, _) = ask(&mut server, "search_code", &arguments)?;
        ensure!(
            answer["stats"]["used_index"] == true,
            "{pattern}: the index was not used: {}",
            answer["stats"]
        );
        let lines = answer["stats"]["total_matches"].as_u64();
        let (theirs, _) = run(ripgrep, pattern, tree)?;
        ensure!(lines == Some(theirs), "{pattern}: {lines:?} lines, ripgrep {theirs}");
        let mut ours_ms = Vec::new();
        let mut theirs_ms = Vec::new();
        for _ in 0..ROUNDS {
            ours_ms.push(ask(&mut server, "search_code", &arguments)?.1);
            theirs_ms.push(run(ripgrep, pattern, tree)?.1);
        }
        let ratio = median(&theirs_ms) / median(&ours_ms);
        println!("   {name}: {ratio:.0} times faster than ripgrep");
        if ratio < LEAST_REGEX_RATIO {
            report.miss(format!("search_code with the index, {name}: only {ratio:.1} times faster"));
        }
        rows.push(format!(
            "| {name} | `{}` | {theirs} | {:.1} ms | {:.0} ms | **{ratio:.0}** |",
            pattern.replace('|', "\\|"),
            median(&ours_ms),
            median(&theirs_ms)
        ));
    }
    report.section(
        "`search_code` with the index",
        &format!(
            "A running server with an index of the Linux sources against `rg` with the same pattern, {ROUNDS} interleaved \
             runs, medians. Ours includes client and pipes, ripgrep's the start of its process (some milliseconds). The numbers \
             of matching lines are equal. Target: {LEAST_REGEX_RATIO} times faster."
        ),
        "| pattern | | lines | ours | rg | times faster |\n| --- | --- | --- | --- | --- | --- |",
        &rows,
    );
    Ok(())
}

/// Matching lines and milliseconds of a whole run.
fn run(ripgrep: &Path, pattern: &str, tree: &Path) -> anyhow::Result<(u64, f64)> {
    let begun = Instant::now();
    let output = command(ripgrep, &["--smart-case", "--json", "--no-messages", pattern, "."])
        .current_dir(tree)
        .stdin(Stdio::null())
        .output()?;
    let took = begun.elapsed().as_secs_f64() * 1000.0;
    let lines = output.stdout.split(|byte| *byte == b'\n');
    let is_match = |line: &&[u8]| {
        line.starts_with(b"{")
            && serde_json::from_slice::<Value>(line).is_ok_and(|row| row["type"] == "match")
    };
    Ok((lines.filter(is_match).count() as u64, took))
}
