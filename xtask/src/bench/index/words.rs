//! Asking: `search` with sentences and with names.

use std::fs;
use std::path::Path;

use anyhow::ensure;
use orienteer_testkit::Server;
use serde_json::json;

use super::change::Changed;
use crate::bench::ask::ask;
use crate::bench::report::Report;
use crate::bench::{MOST_CHANGE_MS, MOST_SEARCH_MS, percentile, retrieval};

/// Milliseconds of questions of one sort.
pub(super) struct Asked {
    what: &'static str,
    times: Vec<f64>,
}

pub(super) fn measure(server: &mut Server, tree: &Path, report: &mut Report) -> anyhow::Result<Vec<Asked>> {
    let sentences = retrieval::sentences()?;
    let names = names(tree)?;
    ensure!(names.len() >= 200, "{} has hardly any names", tree.display());
    let quoted: Vec<String> = names.iter().take(200).map(|name| format!("\"{name}\"")).collect();
    let mut all = Vec::new();
    for (what, questions) in [
        ("questions of the retrieval benchmark", sentences),
        ("names of functions", names),
        ("the same as phrases", quoted),
    ] {
        let mut times = Vec::new();
        for question in &questions {
            times.push(ask(server, "search", &json!({ "query": question }))?.1);
        }
        let (p50, p95) = (percentile(&times, 0.5), percentile(&times, 0.95));
        println!("   search, {what}: {p50:.1} ms, {p95:.1} ms");
        if p50 > MOST_SEARCH_MS.0 || p95 > MOST_SEARCH_MS.1 {
            report.miss(format!("search, {what}: {p50:.1} ms (p50), {p95:.1} ms (p95)"));
        }
        all.push(Asked { what, times });
    }
    Ok(all)
}

pub(super) fn tell(asked: &[Asked], changed: &Changed, report: &mut Report) {
    let row = |what: &str, times: &[f64], target: &str| {
        let most = times.iter().copied().fold(0.0, f64::max);
        format!(
            "| {what} | {} | **{:.1} ms** | **{:.1} ms** | {most:.1} ms | {target} |",
            times.len(),
            percentile(times, 0.5),
            percentile(times, 0.95)
        )
    };
    let target = format!("{:.0} ms, {:.0} ms", MOST_SEARCH_MS.0, MOST_SEARCH_MS.1);
    let mut rows: Vec<String> = asked.iter().map(|asked| row(asked.what, &asked.times, &target)).collect();
    rows.push(row(
        "from writing a file to an answer with what is in it",
        &changed.times,
        &format!("{MOST_CHANGE_MS:.0} ms, always"),
    ));
    report.section(
        "Asking the index",
        "`search` over stdio, client and pipes included, on the 60 MB tree, one question after the other. A change is a file \
         that another program writes; the question is asked at once and has to find what was written, every time.",
        "| what | times | p50 | p95 | most | target |\n| --- | --- | --- | --- | --- | --- |",
        &rows,
    );
}

/// Names of functions all over the tree, every so many.
fn names(tree: &Path) -> anyhow::Result<Vec<String>> {
    let mut files = Vec::new();
    let mut folders = vec![tree.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)?.flatten() {
            if entry.file_type()?.is_dir() {
                folders.push(entry.path());
            } else {
                files.push(entry.path());
            }
        }
    }
    files.sort();
    let mut names = Vec::new();
    for file in files {
        let Ok(text) = fs::read_to_string(&file) else { continue };
        let of_line = |line: &str| {
            let rest = ["def ", "export const ", "static int ", "static void "]
                .iter()
                .find_map(|start| line.trim_start().strip_prefix(start))?;
            let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_')?;
            (end > 5).then(|| rest[..end].to_owned())
        };
        names.extend(text.lines().filter_map(of_line).next());
    }
    let every = (names.len() / 500).max(1);
    Ok(names.into_iter().step_by(every).collect())
}
