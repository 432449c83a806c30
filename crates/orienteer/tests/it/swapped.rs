//! Folders and roots that are swapped for links which lead elsewhere, while questions are asked.

use std::collections::BTreeMap;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use orienteer_testkit::Framing;
use orienteer_testkit::{Server, Tree, tree};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::{Value, json};

use crate::ORIENTEER;

/// Stands in names, contents and symbols outside, and nowhere inside. Questions write it as an expression.
const MARK: &str = "leaked";

fn start(tree: &Tree) -> Server {
    // No language servers: what is read here is read by us.
    let arguments = ["--toolsets", "all", "--log-level", "error"];
    let variables = [("PATH", "/usr/bin:/bin")];
    let mut server = Server::start_with(ORIENTEER, tree.root(), &arguments, &variables, Framing::Lines);
    server.initialize("2025-11-25");
    server
}

fn program(word: &str, file: usize) -> String {
    let functions = (0..5).map(|at| format!("fn {word}_{file}_{at}() {{ call(\"{word}\"); }}\n"));
    functions.collect()
}

/// The same files in both; outside has some more, in folders of its own.
fn fill(folder: &Path, word: &str) {
    std::fs::create_dir_all(folder.join("deep")).unwrap();
    for file in 0..12 {
        std::fs::write(folder.join(format!("f{file}.rs")), program(word, file)).unwrap();
        std::fs::write(folder.join(format!("deep/g{file}.rs")), program(word, file)).unwrap();
        std::fs::write(folder.join(format!("{word}{file}.rs")), program(word, file)).unwrap();
    }
    std::fs::create_dir_all(folder.join(format!("{word}_folder"))).unwrap();
    std::fs::write(folder.join(format!("{word}_folder/{word}.rs")), program(word, 0)).unwrap();
}

fn questions(round: usize) -> Vec<(&'static str, Value)> {
    let file = format!("x/f{}.rs", round % 12);
    vec![
        ("read_file", json!({ "file_path": file })),
        ("document_symbols", json!({ "file_path": file })),
        ("document_symbols", json!({ "file_path": "x", "depth": 3 })),
        ("find_symbol", json!({ "query": format!("ed_{}", round % 12), "max_results": 100 })),
        ("search_code", json!({ "pattern": "call" })),
        ("search_code", json!({ "pattern": "call", "path": file })),
        ("search_structure", json!({ "pattern": "call($X)", "language": "rust" })),
        ("list_tree", json!({ "depth": 4 })),
        ("list_tree", json!({ "path": "x", "depth": 2 })),
        ("find_files", json!({ "names": ["*.rs"] })),
        ("search", json!({ "query": "call", "max_results": 50 })),
        ("find_references", json!({ "file_path": file, "symbol_name": "call" })),
        ("explore", json!({ "targets": [{ "file_path": file, "line": 1, "column": 4 }] })),
        ("hover", json!({ "file_path": file, "line": 1, "column": 4 })),
        ("index_status", json!({})),
    ]
}

#[test]
fn a_folder_swapped_for_a_link_shows_nothing_of_what_it_leads_to() {
    let tree = tree("//- /other/main.rs\nfn main() { call(\"safe\"); }\n");
    let (inside, link) = (tree.root().join("x"), tree.beside("aside").join("link"));
    let outside = tree.beside("outside");
    fill(&inside, "guarded");
    fill(&outside, MARK);
    symlink(&outside, &link).unwrap();
    let swap = || renameat_with(CWD, &inside, CWD, &link, RenameFlags::EXCHANGE).unwrap();
    let mut server = start(&tree);
    let full = std::env::var_os("ORIENTEER_TEST_FULL").is_some();
    let seconds = if full { 60 } else { 3 };
    let stop = AtomicBool::new(false);
    let (mut calls, mut from_inside) = (0, 0);
    let mut leaks: BTreeMap<&str, (usize, String)> = BTreeMap::new();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut wait = 1;
            while !stop.load(Ordering::Relaxed) {
                // Now for a moment, now long enough that a whole question is asked meanwhile.
                wait = wait * 7 % 1_009;
                swap();
                std::thread::sleep(Duration::from_micros(wait * 4));
                swap();
                std::thread::sleep(Duration::from_micros(wait * 6));
            }
        });
        let until = Instant::now() + Duration::from_secs(seconds);
        let mut round = 0;
        while Instant::now() < until {
            if round % 5 == 0 {
                server.call("build_index", json!({ "full": round % 10 == 0 }));
            }
            for (tool, arguments) in questions(round) {
                let told = server.call(tool, arguments).to_string();
                calls += 1;
                from_inside += usize::from(told.contains("guarded"));
                if told.contains(MARK) {
                    let known = leaks.entry(tool).or_insert((0, told));
                    known.0 += 1;
                }
            }
            round += 1;
        }
        stop.store(true, Ordering::Relaxed);
    });
    // What was kept shows when nothing is swapped any more.
    for (tool, arguments) in questions(0) {
        let told = server.call(tool, arguments).to_string();
        if told.contains(MARK) {
            leaks.entry(tool).or_insert((0, told)).0 += 1;
        }
    }
    eprintln!("{calls} calls, {from_inside} told of the inside");
    for (tool, (times, first)) in &leaks {
        eprintln!("{tool} leaked {times} times: {}", first.chars().take(1500).collect::<String>());
    }
    let told: usize = leaks.values().map(|(times, _)| times).sum();
    assert_eq!(told, 0, "of {calls} calls, by {:?}", leaks.keys().collect::<Vec<_>>());
    assert!(from_inside > 10, "only {from_inside} of {calls} answers came from inside: the race was not run");
}

/// Whether an answer says that there is nothing, and that this is all.
fn is_complete_and_empty(told: &Value) -> bool {
    let structured = &told["structuredContent"];
    let rows = ["files", "entries", "symbols", "results", "references"];
    let empty = rows.iter().filter_map(|field| structured[*field].as_array()).all(Vec::is_empty);
    told["isError"] != true && structured["completeness"]["state"] == "complete" && empty
}

#[test]
fn a_root_that_was_swapped_away_is_not_empty() {
    let tree = tree("//- /src/main.rs\nfn main() { call(\"safe\"); }\n");
    let outside = tree.beside("outside");
    fill(&outside, MARK);
    let aside = tree.beside("aside").join("root");
    let mut server = start(&tree);
    server.call("build_index", json!({}));
    let questions = [
        ("search_code", json!({ "pattern": "call" })),
        ("search_code", json!({ "pattern": "nowhere_at_all" })),
        ("search_structure", json!({ "pattern": "call($X)", "language": "rust" })),
        ("list_tree", json!({})),
        ("find_files", json!({ "names": ["*.rs"] })),
        ("search", json!({ "query": "call" })),
        ("search", json!({ "query": "nowhere_at_all" })),
        ("find_symbol", json!({ "query": "main" })),
        ("document_symbols", json!({ "file_path": "." })),
    ];
    for (tool, arguments) in &questions {
        assert_ne!(server.call(tool, arguments.clone())["isError"], true, "{tool} {arguments}");
    }
    std::fs::rename(tree.root(), &aside).unwrap();
    let mut empty = Vec::new();
    for state in ["gone", "a link"] {
        if state == "a link" {
            symlink(&outside, tree.root()).unwrap();
        }
        for _ in 0..2 {
            for (tool, arguments) in &questions {
                let told = server.call(tool, arguments.clone());
                assert!(!told.to_string().contains(MARK), "{state}: {tool} {arguments}: {told}");
                if is_complete_and_empty(&told) {
                    empty.push(format!("{state}: {tool} {arguments}: {told}"));
                }
            }
            server.call("build_index", json!({}));
        }
    }
    assert!(empty.is_empty(), "{}", empty.join("\n"));
    std::fs::remove_file(tree.root()).unwrap();
    std::fs::rename(&aside, tree.root()).unwrap();
    // Nothing was forgotten when it is back.
    for (tool, arguments) in [
        ("search_code", json!({ "pattern": "call" })),
        ("search", json!({ "query": "call" })),
        ("find_symbol", json!({ "query": "main" })),
    ] {
        let told = server.call(tool, arguments);
        assert!(told.to_string().contains("src/main.rs"), "{tool}: {told}");
    }
}
