//! Trees made to trip a reader: pipes, names that forge lines, binary files.

use std::os::unix::fs::symlink;
use std::process::Command;
use std::time::{Duration, Instant};

use orienteer_testkit::{Server, Tree, tree};
use serde_json::json;

use crate::ORIENTEER;
use crate::support::run_in;

fn start(tree: &Tree) -> Server {
    let mut server = Server::start(ORIENTEER, tree.root(), &["--toolsets", "all", "--log-level", "error"]);
    server.initialize("2025-11-25");
    server
}

#[test]
fn pipes_are_not_opened() {
    let tree = tree("//- /src/main.rs\nfn main() {}\n");
    assert!(Command::new("mkfifo").arg(tree.root().join("pipe.rs")).status().unwrap().success());
    let mut server = start(&tree);
    let begun = Instant::now();
    for (tool, arguments) in [
        ("read_file", json!({ "file_path": "pipe.rs" })),
        ("search_code", json!({ "pattern": "fn", "path": "pipe.rs" })),
        ("search_code", json!({ "pattern": "fn" })),
        ("search_structure", json!({ "pattern": "$X", "language": "rust", "path": "pipe.rs" })),
        ("search_structure", json!({ "pattern": "fn main() {}", "language": "rust" })),
        ("find_files", json!({ "names": ["*.rs"] })),
    ] {
        server.call(tool, arguments);
    }
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
}

#[test]
fn names_cannot_forge_lines_of_an_answer() {
    let tree = Tree::empty();
    tree.write("a\nb.txt", "needle\n");
    let mut server = start(&tree);
    let found = server.call("search_code", json!({ "pattern": "needle" }));
    let text = found["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("a\\u{a}b.txt:1:1  needle"), "{text}");
    let path = &found["structuredContent"]["files"][0]["file_path"];
    assert_eq!(path, "a\nb.txt", "the structured name is the name");
    let read = server.call("read_file", json!({ "file_path": path }));
    assert_eq!(read["structuredContent"]["content"], "needle\n");
}

#[test]
fn binary_files_are_counted_and_named() {
    let tree = Tree::empty();
    tree.write("early.bin", b"\0needle\n");
    let mut late = b"needle\n".repeat(40_000);
    late.push(0);
    late.extend(b"needle\n".repeat(10));
    tree.write("late.txt", late);
    let mut server = start(&tree);
    let found = server.call("search_code", json!({ "pattern": "needle" }));
    let structured = &found["structuredContent"];
    assert_eq!(structured["stats"]["binary_files"], 2, "{structured}");
    assert!(structured["warnings"].to_string().contains("late.txt"), "{structured}");
    assert!(found["content"][0]["text"].as_str().unwrap().contains("2 of them binary"), "{found}");
}

#[test]
fn trust_can_be_taken_back_when_the_file_is_gone() {
    let tree = tree("//- /.orienteer/config.toml\n[workspace]\nallowed_roots = []\n");
    let home = tree.beside("home").display().to_string();
    let orienteer = |arguments: &[&str]| run_in(ORIENTEER, arguments, tree.root(), &[("HOME", &home)]).stdout;
    orienteer(&["trust", "--yes"]);
    std::fs::remove_file(tree.root().join(".orienteer/config.toml")).unwrap();
    assert!(orienteer(&["trust", "--revoke"]).contains("no longer trusted"));
    assert_eq!(orienteer(&["trust", "--list"]), "");
}

#[test]
fn what_is_shown_before_the_question_shows_everything_and_nothing_else() {
    let tree = tree("//- /.orienteer/config.toml\n# hi\n//- /src/main.rs\nfn main() {}\n");
    let home = tree.beside("home").display().to_string();
    let orienteer = |arguments: &[&str]| run_in(ORIENTEER, arguments, tree.root(), &[("HOME", &home)]);
    tree.write(".orienteer/config.toml", "# hi \u{1b}[2J\u{202e} evil\n");
    let asked = orienteer(&["trust"]);
    assert!(asked.stdout.contains("hi \\u{1b}[2J\\u{202e} evil"), "{}", asked.stdout);
    assert!(asked.stdout.contains("nothing was changed") && asked.code == Some(2), "{}", asked.stdout);
    assert!(
        !asked.stdout.contains("--yes"),
        "an agent is not taught to agree for somebody: {}",
        asked.stdout
    );
    assert_eq!(orienteer(&["trust", "--list"]).stdout, "");

    let outside = tree.beside("outside").join("secret.txt");
    std::fs::write(&outside, "password = 'hunter2'\n").unwrap();
    std::fs::remove_file(tree.root().join(".orienteer/config.toml")).unwrap();
    symlink(&outside, tree.root().join(".orienteer/config.toml")).unwrap();
    let linked = orienteer(&["trust", "--yes"]);
    assert!(linked.stdout.contains("leads out of the project"), "{}", linked.stdout);
    assert!(!linked.stdout.contains("hunter2"), "{}", linked.stdout);
}
