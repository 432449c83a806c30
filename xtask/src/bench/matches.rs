//! Match by match against ripgrep on a large tree: not only as many, but the same.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, ensure};
use orienteer_testkit::Server;
use serde_json::{Value, json};

use super::Corpus;
use crate::shell::command;

/// Line and column of every matching line, by file.
type Places = BTreeMap<String, Vec<(u64, u64)>>;

/// Compares all matches of a pattern; returns how many there were. Files with more than a page of matches are
/// compared as far as the page goes.
pub(crate) fn same(
    server: &mut Server,
    ripgrep: &Path,
    corpus: &Corpus,
    ours: &Value,
    theirs: &[&str],
) -> anyhow::Result<usize> {
    let (mut expected, left_out) = ripgrep_places(ripgrep, corpus, theirs)?;
    let mut found = our_places(server, ours)?;
    found.retain(|file, _| !left_out.contains(file));
    expected.retain(|file, _| !left_out.contains(file));
    for places in expected.values_mut() {
        places.truncate(1000);
    }
    for (file, places) in &expected {
        ensure!(found.get(file) == Some(places), "{file}: {:?} is not {places:?}", found.get(file));
    }
    ensure!(found.len() == expected.len(), "{} files, ripgrep {}", found.len(), expected.len());
    Ok(found.values().map(Vec::len).sum())
}

fn our_places(server: &mut Server, arguments: &Value) -> anyhow::Result<Places> {
    let mut arguments = arguments.clone();
    for (name, value) in
        [("files_per_page", 1000), ("matches_per_file", 1000), ("max_total_chars", 2_000_000)]
    {
        arguments[name] = json!(value);
    }
    let mut places = Places::new();
    loop {
        let page = server.call("search_code", arguments.clone())["structuredContent"].clone();
        for file in page["files"].as_array().context("no files")? {
            let list = places.entry(file["file_path"].as_str().unwrap_or_default().to_owned()).or_default();
            for found in file["matches"].as_array().context("no matches")? {
                list.push((found["line"].as_u64().unwrap_or(0), found["column"].as_u64().unwrap_or(0)));
            }
        }
        match page.get("cursor") {
            Some(cursor) => arguments["cursor"] = cursor.clone(),
            None => return Ok(places),
        }
    }
}

/// What ripgrep found, and the files with lines that are not UTF-8, which its JSON writes in base64; those are
/// left to the tests of the search crate.
fn ripgrep_places(
    ripgrep: &Path,
    corpus: &Corpus,
    flags: &[&str],
) -> anyhow::Result<(Places, BTreeSet<String>)> {
    let mut command = command(ripgrep, &["--smart-case", "--json", "--no-messages"]);
    let output = command.args(flags).arg("./").current_dir(&corpus.folder).output()?;
    let mut places = Places::new();
    let mut left_out = BTreeSet::new();
    for line in
        output.stdout.split(|byte| *byte == b'\n').filter(|line| line.starts_with(b"{\"type\":\"match\""))
    {
        let message: Value = serde_json::from_slice(line)?;
        let data = &message["data"];
        let path = data["path"]["text"].as_str().context("a path that is not UTF-8")?;
        let path = path.strip_prefix("./").unwrap_or(path).to_owned();
        let Some(text) = data["lines"]["text"].as_str() else {
            left_out.insert(path);
            continue;
        };
        let start = data["submatches"][0]["start"]
            .as_u64()
            .and_then(|start| usize::try_from(start).ok())
            .unwrap_or(0);
        let column = text.get(..start).map_or(0, |before| before.chars().count()) as u64 + 1;
        places.entry(path).or_default().push((data["line_number"].as_u64().unwrap_or(0), column));
    }
    Ok((places, left_out))
}
