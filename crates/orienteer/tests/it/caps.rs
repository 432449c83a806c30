//! The cap holds for every tool in the list, whatever is asked: content, structure and echo together.

use std::time::Duration;

use orienteer::tools::TOOLS;
use orienteer_testkit::{Server, Tree};
use serde_json::{Value, json};

use crate::ORIENTEER;

fn fixture() -> Tree {
    let tree = Tree::empty();
    for number in 0..120 {
        let lines: String = (0..80)
            .map(|line| format!("pub fn f{line}() {{ let s = \"a\\tb\\\"{number}\"; }} // 😀\n"))
            .collect();
        tree.write(&format!("src/module{number:03}.rs"), lines);
    }
    tree.write("long.txt", format!("needle {}\n", "x\\\"".repeat(40_000)));
    tree.write("quotes.txt", "\"\\\"\u{1}\u{2}\n".repeat(20_000));
    tree
}

/// Calls that would return far more than any cap here, for every tool.
fn calls(tool: &str) -> Vec<Value> {
    match tool {
        "search_code" => vec![
            json!({ "pattern": "fn", "files_per_page": 1000, "matches_per_file": 1000, "context_lines": 50 }),
            json!({ "pattern": "needle", "path": "long.txt" }),
            json!({ "pattern": ".", "files_only": true, "files_per_page": 1000 }),
            json!({ "pattern": "x".repeat(90_000) }),
        ],
        "search" => vec![
            json!({ "query": "pub fn let s module", "max_results": 100, "output": "full", "explain": true }),
            json!({ "query": "needle", "max_results": 100 }),
            json!({ "query": "x ".repeat(40_000) }),
            json!({ "query": "x", "filters": { "kind": vec!["nonsense"; 900] } }),
            json!({ "query": "x", "filters": { "no_such_filter": "y".repeat(50_000) } }),
        ],
        "read_file" => vec![
            json!({ "file_path": "long.txt" }),
            json!({ "file_path": "quotes.txt" }),
            json!({ "file_path": "quotes.txt", "match_string": "\"", "context_lines": 50 }),
            json!({ "file_path": "x".repeat(90_000) }),
        ],
        "list_tree" => vec![json!({ "depth": 10, "entries_per_page": 1000, "details": true })],
        "find_files" => vec![
            json!({ "files_per_page": 1000 }),
            json!({ "names": vec!["*"; 500], "files_per_page": 1000 }),
        ],
        "search_structure" => vec![
            json!({ "pattern": "fn $F() { $$$B }", "language": "rust", "max_results": 5000, "context_lines": 50 }),
            json!({ "pattern": "fn", "language": "x".repeat(90_000) }),
        ],
        "find_definition" | "find_references" | "hover" | "call_hierarchy" | "type_hierarchy" => vec![
            json!({ "symbol_name": "f1", "wait_ms": 0 }),
            json!({ "file_path": "src/module000.rs", "line": 3, "symbol_name": "f2", "wait_ms": 0 }),
            json!({ "symbol_name": "x".repeat(90_000) }),
            json!({}),
        ],
        "find_symbol" => {
            vec![
                json!({ "query": "f", "max_results": 1000, "wait_ms": 0 }),
                json!({ "query": "x".repeat(90_000) }),
            ]
        }
        "document_symbols" => vec![
            json!({ "file_path": "src", "max_results": 5000 }),
            json!({ "file_path": "src/module000.rs", "wait_ms": 0 }),
        ],
        "signature_help" | "complete" => {
            vec![json!({ "file_path": "src/module000.rs", "line": 1, "column": 1, "wait_ms": 0 })]
        }
        "explore" => vec![
            json!({ "targets": [{ "file_path": "src/module000.rs", "symbol_name": "f1" }], "wait_ms": 0 }),
            json!({ "targets": vec![json!({ "symbol_name": "x".repeat(20_000) }); 5] }),
        ],
        "get_diagnostics" => vec![
            json!({ "file_paths": ["src"], "wait_ms": 0 }),
            json!({ "scope": "workspace", "wait_ms": 0 }),
            json!({ "file_paths": vec!["long.txt"; 900], "wait_ms": 0 }),
        ],
        "rename_symbol" => vec![
            json!({ "symbol_name": "f1", "new_name": "g", "wait_ms": 0 }),
            json!({ "file_path": "src/module000.rs", "line": 3, "column": 8, "new_name": "g", "wait_ms": 0 }),
            json!({ "symbol_name": "f1", "new_name": "x".repeat(90_000) }),
            json!({ "symbol_name": "f1", "new_name": "g", "expected_before_sha256": { "x".repeat(50_000): "y" } }),
        ],
        "code_actions" => vec![
            json!({ "file_path": "src/module000.rs", "wait_ms": 0 }),
            json!({ "file_path": "src/module000.rs", "kinds": vec!["x".repeat(100); 900], "wait_ms": 0 }),
            json!({ "action_id": "x".repeat(90_000) }),
        ],
        "apply_edits" => vec![json!({ "plan_id": "x".repeat(90_000) })],
        "undo_edits" => vec![json!({}), json!({ "journal_id": "x".repeat(90_000) })],
        "get_server_status" | "restart_server" | "stop_server" => {
            vec![json!({}), json!({ "server_id": "x".repeat(90_000) })]
        }
        "batch" => vec![json!({ "calls": (0..10).map(|_| json!({
            "tool": "search_code",
            "arguments": { "pattern": "fn", "files_per_page": 1000, "matches_per_file": 1000 },
        })).collect::<Vec<_>>() })],
        _ => vec![json!({})],
    }
}

#[test]
fn no_tool_ever_exceeds_the_cap() {
    let tree = fixture();
    let mut server = Server::start(ORIENTEER, tree.root(), &["--toolsets", "all", "--log-level", "error"]);
    server.initialize("2025-11-25");
    for entry in TOOLS {
        for arguments in calls(entry.name) {
            for cap in [2_000, 2_001, 3_000, 10_000, 50_000] {
                let mut arguments = arguments.clone();
                arguments["max_total_chars"] = json!(cap);
                let result = server.call(entry.name, arguments.clone());
                let chars = result.to_string().chars().count();
                let shown: String = arguments.to_string().chars().take(100).collect();
                assert!(chars <= cap, "{} {shown}: {chars} > {cap}", entry.name);
                let structured = &result["structuredContent"];
                for field in ["schema_version", "ok", "tool", "warnings", "truncated"] {
                    assert!(structured.get(field).is_some(), "{} {shown}: no {field}", entry.name);
                }
                assert_eq!(structured["tool"], entry.name);
            }
        }
    }
    assert!(server.receive_within(Duration::from_millis(10)).is_none());
}

/// Follows cursors to the end and returns what the pages held, in order.
fn pages(
    server: &mut Server,
    tool: &str,
    arguments: &Value,
    each: impl Fn(&Value) -> Vec<String>,
) -> Vec<String> {
    let mut arguments = arguments.clone();
    let mut all = Vec::new();
    for _ in 0..2_000 {
        let result = server.call(tool, arguments.clone());
        let structured = &result["structuredContent"];
        assert_eq!(structured["ok"], true, "{structured}");
        all.extend(each(structured));
        match structured.get("cursor") {
            None => {
                assert_eq!(structured["truncated"], false, "the last page is whole: {}", structured["input"]);
                return all;
            }
            Some(cursor) => {
                assert_eq!(structured["truncated"], true);
                arguments["cursor"] = cursor.clone();
            }
        }
    }
    panic!("{tool}: the pages do not end");
}

fn rows(field: &'static str, key: &'static str) -> impl Fn(&Value) -> Vec<String> {
    move |page| page[field].as_array().unwrap().iter().map(|row| row[key].to_string()).collect()
}

fn matches(page: &Value) -> Vec<String> {
    page["files"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|file| {
            file["matches"]
                .as_array()
                .unwrap()
                .iter()
                .map(|found| format!("{}:{}", file["file_path"], found["line"]))
        })
        .collect()
}

#[test]
fn pages_are_complete_and_without_repeats_at_any_size() {
    let tree = fixture();
    let mut server = Server::start(ORIENTEER, tree.root(), &["--toolsets", "all", "--log-level", "error"]);
    server.initialize("2025-11-25");
    let text = json!({ "pattern": "f7\\d\\(", "matches_per_file": 10 });
    let structure = json!({ "pattern": "pub fn f70() { $$$B }", "language": "rust" });
    let listing = json!({ "depth": 3 });
    for cap in [4_000, 9_000, 31_000] {
        let with = |arguments: &Value| {
            let mut arguments = arguments.clone();
            arguments["max_total_chars"] = json!(cap);
            arguments
        };
        let found = pages(&mut server, "search_code", &with(&text), matches);
        let expected: Vec<String> = (0..120)
            .flat_map(|file| (71..81).map(move |line| format!("\"src/module{file:03}.rs\":{line}")))
            .collect();
        assert_eq!(found, expected, "cap {cap}");
        let found = pages(&mut server, "search_structure", &with(&structure), matches);
        let expected: Vec<String> = (0..120).map(|file| format!("\"src/module{file:03}.rs\":71")).collect();
        assert_eq!(found, expected, "cap {cap}");
        let found = pages(&mut server, "list_tree", &with(&listing), rows("entries", "path"));
        assert_eq!(found.len(), 123, "cap {cap}");
        let found =
            pages(&mut server, "find_files", &with(&json!({ "names": ["*.rs"] })), rows("entries", "path"));
        assert_eq!(found.len(), 120, "cap {cap}");
        let one = with(&json!({ "pattern": "fn", "path": "src/module000.rs", "matches_per_file": 9 }));
        assert_eq!(pages(&mut server, "search_code", &one, matches).len(), 80, "cap {cap}");
        let content = |page: &Value| vec![page["content"].as_str().unwrap().to_owned()];
        for name in ["quotes.txt", "long.txt", "src/module001.rs"] {
            let read =
                pages(&mut server, "read_file", &with(&json!({ "file_path": name, "raw": true })), content)
                    .concat();
            assert_eq!(read, std::fs::read_to_string(tree.root().join(name)).unwrap(), "{name} cap {cap}");
        }
        let part = with(&json!({ "file_path": "quotes.txt", "start_line": 3, "end_line": 4000 }));
        let read = pages(&mut server, "read_file", &part, content).concat();
        assert_eq!(read, "\"\\\"\\u{1}\\u{2}\n".repeat(3_998), "cap {cap}");
    }
}
