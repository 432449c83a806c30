//! A search for text that uses the index answers as one that does not, whatever is on disk and whatever changed since.

use std::fs;

use orienteer_testkit::{Framing, Server, Tree};
use serde_json::{Value, json};

use crate::ORIENTEER;

const ALL: &[&str] = &["--toolsets", "all", "--log-level", "error"];

fn fixture() -> Tree {
    let tree = Tree::empty();
    for number in 0..300 {
        let text =
            format!("pub fn helper_{number}() {{ call_{}(); }} // größe {number}\n", number % 7).repeat(8);
        tree.write(&format!("src/part{}/m{number}.rs", number % 10), text);
    }
    tree.write("src/needle.rs", "fn find_the_needle() {}\n");
    tree.write("README.md", "The Needle and the haystack.\n");
    tree.write(".git/HEAD", "ref: refs/heads/main\n");
    tree.write(".gitignore", "ignored/\n*.log\n");
    tree.write("ignored/needle.rs", "needle in an ignored folder\n");
    tree.write("app.log", "needle in an ignored file\n");
    tree.write(".hidden/needle.txt", "needle in a hidden folder\n");
    tree.write("node_modules/dep/index.js", "needle in a dependency that no rule ignores\n");
    tree.write("cache/CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n");
    tree.write("cache/needle.txt", "needle in a cache\n");
    tree.write("binary.bin", b"needle\0\0needle");
    tree.write("late.bin", [b"needle ".repeat(20_000), b"\0needle".to_vec()].concat());
    tree.write("utf16.txt", b"\xff\xfen\0e\0e\0d\0l\0e\0\n\0");
    tree.write("latin.txt", b"needle caf\xe9\n");
    tree.write("empty/deep/nothing/.keep", "");
    tree
}

fn start(tree: &Tree, variables: &[(&str, &str)]) -> Server {
    let variables: Vec<(&str, &str)> =
        [("PATH", "/nowhere")].into_iter().chain(variables.iter().copied()).collect();
    let mut server = Server::start_with(ORIENTEER, tree.root(), ALL, &variables, Framing::Lines);
    server.initialize("2025-11-25");
    server
}

fn questions() -> Vec<Value> {
    vec![
        json!({ "pattern": "needle" }),
        json!({ "pattern": "Needle", "case": "sensitive" }),
        json!({ "pattern": "NEEDLE", "case": "insensitive" }),
        json!({ "pattern": "n.edle" }),
        json!({ "pattern": "needle|haystack|helper_29[0-9]" }),
        json!({ "pattern": "größe 17$" }),
        json!({ "pattern": "find_the_needle", "whole_word": true }),
        json!({ "pattern": "helper_1", "whole_word": true, "files_only": true }),
        json!({ "pattern": "call_3\\(\\)", "count_only": true, "files_per_page": 1000 }),
        json!({ "pattern": "call_3\\(\\)", "sort": "modified", "matches_per_file": 1, "files_per_page": 1000 }),
        json!({ "pattern": "no_such_text_anywhere" }),
        json!({ "pattern": "needle", "path": "src" }),
        json!({ "pattern": "needle", "path": "node_modules" }),
        json!({ "pattern": "needle", "path": "ignored" }),
        json!({ "pattern": "needle", "hidden": true }),
        json!({ "pattern": "needle", "no_ignore": true }),
        json!({ "pattern": "needle", "file_types": ["rust"] }),
        json!({ "pattern": "needle", "include": ["*.md"] }),
        json!({ "pattern": "helper_2", "exclude": ["part3/**"], "files_per_page": 1000 }),
        json!({ "pattern": "the\\s+needle|needle\\(\\)\\s+\\{", "multiline": true }),
        json!({ "pattern": "x" }),
    ]
}

/// What must be the same.
fn comparable(mut answer: Value) -> Value {
    if let Some(stats) = answer["stats"].as_object_mut() {
        stats.remove("elapsed_ms");
        stats.remove("used_index");
    }
    answer
}

fn compare(indexed: &mut Server, plain: &mut Server, when: &str) -> usize {
    let mut used = 0;
    for question in questions() {
        let ours = indexed.call("search_code", question.clone())["structuredContent"].clone();
        let theirs = plain.call("search_code", question.clone())["structuredContent"].clone();
        used += usize::from(ours["stats"]["used_index"] == true);
        assert_eq!(theirs["stats"]["used_index"], false, "{theirs}");
        assert_eq!(comparable(ours), comparable(theirs), "{when}: {question}");
    }
    used
}

#[test]
fn answers_are_those_of_a_scan_before_and_after_every_change() {
    let tree = fixture();
    let mut indexed = start(&tree, &[]);
    let mut plain = start(&tree, &[("ORIENTEER_INDEX_ENABLED", "false")]);
    assert_eq!(compare(&mut indexed, &mut plain, "without an index"), 0);
    assert_eq!(indexed.call("search", json!({ "query": "needle" }))["structuredContent"]["ok"], true);
    let used = compare(&mut indexed, &mut plain, "with an index");
    assert!(used >= 12, "most questions are narrowed: {used}");
    let root = tree.root();
    let changes: &[(&str, &dyn Fn())] = &[
        ("a changed file", &|| tree.write("src/part4/m4.rs", "now there is a needle here\n")),
        ("a file that lost its match", &|| tree.write("src/needle.rs", "nothing\n")),
        ("a new file", &|| tree.write("src/new.rs", "needle\n")),
        ("a new folder", &|| tree.write("brand/new/folder/x.txt", "a needle\n")),
        ("a new folder that is not watched", &|| tree.write("brand/node_modules/x.js", "a needle\n")),
        ("a new cache", &|| {
            tree.write("src/part1/target/CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n");
            tree.write("src/part1/target/out.txt", "needle\n");
        }),
        ("a change in a cache", &|| tree.write("cache/needle.txt", "no more\n")),
        ("a deleted file", &|| fs::remove_file(root.join("latin.txt")).unwrap()),
        ("a renamed folder", &|| fs::rename(root.join("brand"), root.join("old")).unwrap()),
        ("other rules", &|| tree.write(".gitignore", "*.md\n")),
        ("a text that became binary", &|| tree.write("src/new.rs", b"needle\0")),
        ("a file replaced by a link", &|| {
            fs::remove_file(root.join("src/part4/m4.rs")).unwrap();
            std::os::unix::fs::symlink("m14.rs", root.join("src/part4/m4.rs")).unwrap();
        }),
    ];
    for (what, change) in changes {
        change();
        let used = compare(&mut indexed, &mut plain, what);
        assert!(used >= 12, "{what}: {used}");
    }
}

#[test]
fn an_index_of_an_earlier_process_is_used_from_the_second_search_on() {
    let tree = fixture();
    let mut first = start(&tree, &[]);
    first.call("search", json!({ "query": "needle" }));
    drop(first);
    tree.write("src/between.rs", "needle\n");
    let mut server = start(&tree, &[]);
    let mut used = false;
    for _ in 0..200 {
        let found = server.call("search_code", json!({ "pattern": "needle" }))["structuredContent"].clone();
        let text = found["files"].to_string();
        assert!(text.contains("src/between.rs") && text.contains("src/needle.rs"), "{found}");
        used = found["stats"]["used_index"] == true;
        if used {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert!(used, "the index was never opened");
}
