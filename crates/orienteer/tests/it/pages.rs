//! Answers that were once wrong about what they had left out.

use orienteer_testkit::{Server, Tree};
use serde_json::{Value, json};

use crate::ORIENTEER;

fn start(tree: &Tree) -> Server {
    let mut server = Server::start(ORIENTEER, tree.root(), &["--toolsets", "all", "--log-level", "error"]);
    server.initialize("2025-11-25");
    server
}

fn call(server: &mut Server, tool: &str, arguments: &Value) -> Value {
    server.call(tool, arguments.clone())["structuredContent"].clone()
}

/// Follows cursors; every page must get further.
fn follow(
    server: &mut Server,
    tool: &str,
    mut arguments: Value,
    each: impl Fn(&Value) -> Vec<u64>,
) -> Vec<u64> {
    let mut all = Vec::new();
    for _ in 0..500 {
        let page = call(server, tool, &arguments);
        assert_eq!(page["ok"], true, "{page}");
        let rows = each(&page);
        assert!(!rows.is_empty(), "an empty page: {page}");
        all.extend(rows);
        match page.get("cursor") {
            Some(cursor) => arguments["cursor"] = cursor.clone(),
            None => return all,
        }
    }
    panic!("{tool} does not end");
}

#[test]
fn a_file_that_is_cut_says_where() {
    let tree = Tree::empty();
    tree.write(
        "a.txt",
        "some words in every line of this file, ninety characters or so, to make it rather long....\n"
            .repeat(1_100),
    );
    let mut server = start(&tree);
    let page = call(&mut server, "read_file", &json!({ "file_path": "a.txt" }));
    let lines = page["content"].as_str().unwrap().lines().count();
    assert!(lines < 1_100);
    assert_eq!(page["end_line"], lines);
    assert_eq!(page["total_lines"], 1_100);
    assert_eq!(page["returned_results"], lines);
    assert_eq!(page["completeness"]["reason"], "capped");
}

#[test]
fn all_places_of_a_file_can_be_reached() {
    let tree = Tree::empty();
    tree.write(
        "a.txt",
        (0..100).map(|line| format!("needle {line} {}\n", "x".repeat(300))).collect::<String>(),
    );
    tree.write("long.txt", (0..8).map(|_| format!("needle {}\n", "y".repeat(3_000))).collect::<String>());
    let mut server = start(&tree);
    let lines = |page: &Value| -> Vec<u64> {
        page["matches"].as_array().unwrap().iter().map(|found| found["line"].as_u64().unwrap()).collect()
    };
    let arguments = json!({ "file_path": "a.txt", "match_string": "needle", "max_total_chars": 8000 });
    assert_eq!(follow(&mut server, "read_file", arguments, lines), (1..=100).collect::<Vec<_>>());
    for context in [0, 5] {
        let arguments = json!({ "file_path": "long.txt", "match_string": "needle", "context_lines": context, "max_total_chars": 20000 });
        assert_eq!(follow(&mut server, "read_file", arguments, lines), (1..=8).collect::<Vec<_>>());
        let arguments = json!({ "pattern": "needle", "path": ".", "include": ["long.txt"], "context_lines": context, "max_total_chars": 9000 });
        let lines = |page: &Value| -> Vec<u64> {
            page["files"][0]["matches"]
                .as_array()
                .unwrap()
                .iter()
                .map(|found| found["line"].as_u64().unwrap())
                .collect()
        };
        assert_eq!(follow(&mut server, "search_code", arguments, lines), (1..=8).collect::<Vec<_>>());
    }
}

#[test]
fn matches_that_are_not_listed_are_not_called_complete() {
    let tree = Tree::empty();
    for name in ["a.rs", "b.rs"] {
        tree.write(name, "let x = 1;\n".repeat(15));
    }
    let mut server = start(&tree);
    let page = call(&mut server, "search_code", &json!({ "pattern": "let" }));
    assert_eq!(page["returned_results"], 20);
    assert_eq!(page["stats"]["total_matches"], 30);
    assert_eq!(page["truncated"], true);
    assert_eq!(page["completeness"]["reason"], "capped");
    let text = server.call("search_code", json!({ "pattern": "let" }))["content"][0]["text"].clone();
    assert!(
        text.as_str().unwrap().contains("a.rs: 15 lines match, 10 shown; raise matches_per_file"),
        "{text}"
    );
    for cap in (2_000..4_000).step_by(50) {
        let mut arguments = json!({ "pattern": "let", "max_total_chars": cap });
        loop {
            let page = call(&mut server, "search_code", &arguments);
            assert_eq!(page["ok"], true, "{page}");
            match page.get("cursor") {
                Some(cursor) => arguments["cursor"] = cursor.clone(),
                None => {
                    assert_eq!(
                        page["completeness"]["reason"], "capped",
                        "cap {cap}: the last page shows 10 of 15"
                    );
                    break;
                }
            }
        }
    }
}

#[test]
fn names_and_counts_say_only_what_they_know() {
    let tree = Tree::empty();
    tree.write("a.rs", "let x = 1;\n".repeat(15));
    let mut server = start(&tree);
    let names = call(&mut server, "search_code", &json!({ "pattern": "let", "files_only": true }));
    assert_eq!(names["files"], json!([{ "file_path": "a.rs" }]));
    assert_eq!(names["stats"]["total_matches"], Value::Null);
    let counts = call(
        &mut server,
        "search_code",
        &json!({ "pattern": "let", "mode": "discovery", "count_only": true }),
    );
    assert_eq!(counts["files"], json!([{ "file_path": "a.rs", "match_count": 15 }]));
}

#[test]
fn nothing_searched_and_folders_not_entered_are_told() {
    let tree = Tree::empty();
    tree.write(".ignore", "*\n");
    tree.write("a.rs", "let x = 1;\n");
    let mut server = start(&tree);
    let page = call(&mut server, "search_code", &json!({ "pattern": "let" }));
    assert_eq!(page["warnings"][0]["kind"], "nothing_searched", "{page}");
    let deep = Tree::empty();
    deep.write("1/2/3/4/5/6/7/8/9/10/11/12/deep.rs", "");
    let mut server = start(&deep);
    let page = call(&mut server, "find_files", &json!({ "names": ["deep.rs"] }));
    assert_eq!(page["entries"], json!([]));
    assert_eq!(page["completeness"]["reason"], "capped", "{page}");
    assert_eq!(page["warnings"][0]["kind"], "depth_limit");
    let page = call(&mut server, "find_files", &json!({ "names": ["deep.rs"], "max_depth": 50 }));
    assert_eq!(page["entries"].as_array().unwrap().len(), 1);
    assert_eq!(page["completeness"]["state"], "complete");
    assert!(page["entries"][0]["modified"].is_string(), "{page}");
}

#[test]
fn whole_numbers_may_be_written_as_floats() {
    let tree = Tree::empty();
    tree.write("a.txt", "word\n".repeat(20_000));
    let mut server = start(&tree);
    let result = server.call("read_file", json!({ "file_path": "a.txt", "max_total_chars": 5000.0 }));
    assert!(result.to_string().chars().count() <= 5_000);
}

#[test]
fn rows_of_a_batch_fail_alone_and_alike() {
    let tree = Tree::empty();
    tree.write("a.txt", "x\n");
    let mut server = start(&tree);
    let calls = json!({ "calls": [
        { "tool": "read_file", "arguments": { "file_path": "a.txt" } },
        { "tool": "read_file", "arguments": { "file_path": "nowhere" } },
        { "tool": "raed_file" },
        { "tool": "batch", "arguments": { "calls": [] } },
    ] });
    let page = call(&mut server, "batch", &calls);
    let rows = page["results"].as_array().unwrap();
    assert_eq!(rows[0]["result"]["content"], "x\n", "{page}");
    let kinds: Vec<&Value> = rows[1..].iter().map(|row| &row["error"]["kind"]).collect();
    assert_eq!(kinds, ["not_found", "invalid_params", "invalid_params"]);
    assert_eq!(rows[2]["error"]["data"]["candidates"][0], "read_file");
    assert!(
        rows[1..].iter().all(|row| row["ok"] == false && row["error"]["next_steps"].is_array()),
        "{page}"
    );
    let mut small = calls.clone();
    small["max_total_chars"] = json!(2000);
    let refused = call(&mut server, "batch", &small);
    assert_eq!(refused["error"]["kind"], "too_large", "{refused}");
    assert!(refused["message"].as_str().unwrap().contains("must be at least 10"), "{refused}");
}

#[test]
fn text_begins_where_the_range_begins() {
    let tree = Tree::empty();
    tree.write("a.txt", "one\n\ntwo\n");
    let mut server = start(&tree);
    let result = server.call("read_file", json!({ "file_path": "a.txt", "start_line": 2, "end_line": 3 }));
    assert_eq!(result["content"][0]["text"], "2| \n3| two\n");
}
