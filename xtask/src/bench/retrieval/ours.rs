//! Our side: the `search` tool of `orienteer mcp`, as a client has it.

use std::fs;
use std::path::Path;

use anyhow::{Context, ensure};
use orienteer_testkit::{Framing, Server};
use serde_json::{Value, json};

use super::corpus::Corpus;
use super::judge::{Answer, Hit, Rank, rank};
use super::queries::Query;
use crate::bench::ask::ask;

/// What was found, and how long it took.
pub(super) struct Found {
    pub(super) ranks: Vec<Rank>,
    pub(super) build_ms: f64,
    /// One for each question.
    pub(super) ask_ms: Vec<f64>,
}

/// With a model of meaning where one is given.
pub(super) fn all(
    binary: &Path,
    corpus: &Corpus,
    queries: &[Query],
    model: Option<&Path>,
) -> anyhow::Result<Found> {
    // The index of another day would be brought up to date instead of built.
    fs::remove_dir_all(corpus.root.with_file_name("home")).ok();
    let model = model.map(|model| model.to_string_lossy().into_owned());
    let mut variables = vec![("ORIENTEER_LOG_LEVEL", "error")];
    variables.extend(model.as_deref().map(|model| ("ORIENTEER_INDEX_MODEL", model)));
    let mut server =
        Server::start_with(binary, &corpus.root, &["--toolsets", "all"], &variables, Framing::Lines);
    server.initialize("2025-11-25");
    let listed = server.request("tools/list", json!({}));
    let tools = listed["result"]["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
    for tool in ["build_index", "search"] {
        ensure!(
            tools.iter().any(|known| known["name"] == tool),
            "`{tool}` is not in this build of orienteer; `cargo xtask bench retrieval baselines` measures the others"
        );
    }
    let (_, build_ms) = ask(&mut server, "build_index", &json!({}))?;
    let mut found = Found { ranks: Vec::new(), build_ms, ask_ms: Vec::new() };
    let mut meant = 0;
    for query in queries {
        let arguments =
            json!({ "query": query.text, "max_results": super::RESULTS, "max_total_chars": 2_000_000 });
        let (answer, took) = ask(&mut server, "search", &arguments).with_context(|| query.text.clone())?;
        meant += usize::from(answer["ranking"] == "words and meaning");
        found.ranks.push(rank(query, &Answer::of_hits(hits(&answer))));
        found.ask_ms.push(took);
    }
    ensure!(model.is_none() || meant > queries.len() / 2, "the model was used for {meant} questions only");
    Ok(found)
}

fn hits(answer: &Value) -> Vec<Hit> {
    let rows = answer["results"].as_array().into_iter().flatten();
    rows.filter_map(|row| {
        let line = |key: &str| row[key].as_u64().and_then(|line| usize::try_from(line).ok());
        let first = line("line")?;
        Some(Hit {
            file: row["file_path"].as_str()?.to_owned(),
            name: row["name"].as_str().map(str::to_owned),
            lines: (first, line("end_line").unwrap_or(first)),
        })
    })
    .collect()
}
