//! Bad input: each a typed error that names the field and what is legal, with next steps that run.

use std::os::unix::fs::symlink;

use orienteer_testkit::{Server, Tree, tree};
use serde_json::{Value, json};

use crate::ORIENTEER;

fn fixture() -> Tree {
    let tree = tree("//- /src/main.rs\nfn main() {}\n//- /src/lib.rs\npub fn lib() {}\n//- /data.bin\n");
    tree.write("data.bin", b"MZ\0\0\0binary");
    let outside = tree.beside("outside");
    std::fs::write(outside.join("secret.txt"), "hidden").unwrap();
    symlink(&outside, tree.root().join("escape")).unwrap();
    tree
}

/// Tool, arguments, kind, detail, a part of the message.
type Row = (&'static str, Value, &'static str, &'static str, &'static str);

fn rows() -> Vec<Row> {
    let mega = "x".repeat(1 << 20);
    vec![
        ("search_code", json!({}), "invalid_params", "missing_field", "`pattern` is required: a string"),
        (
            "search_code",
            json!({ "pattern": 5 }),
            "invalid_params",
            "wrong_type",
            "`pattern` must be a string, not 5",
        ),
        ("search", json!({ "query": " " }), "invalid_params", "empty_query", "the query is empty"),
        ("search", json!({ "query": "/ma(n/" }), "invalid_params", "invalid_regex", "not a valid expression"),
        (
            "search",
            json!({ "query": "-main" }),
            "invalid_params",
            "only_exclusions",
            "only says what to leave out",
        ),
        ("search", json!({ "query": mega }), "invalid_params", "string_too_long", "at most"),
        (
            "search",
            json!({ "query": "main", "filters": { "langg": "rust" } }),
            "invalid_params",
            "unknown_filter",
            "did you mean lang",
        ),
        (
            "search",
            json!({ "query": "main kind:functoin" }),
            "invalid_params",
            "invalid_filter",
            "did you mean function",
        ),
        (
            "search",
            json!({ "query": "main", "filters": { "visibility": "secret" } }),
            "invalid_params",
            "invalid_filter",
            "`secret` is no value for `visibility`",
        ),
        (
            "search",
            json!({ "query": "main", "modes": ["everything"] }),
            "invalid_params",
            "illegal_value",
            "prose",
        ),
        ("search", json!({ "query": "main", "max_results": 101 }), "invalid_params", "out_of_range", "100"),
        (
            "build_index",
            json!({ "path": "nowhere" }),
            "not_found",
            "no_such_path",
            "`nowhere` does not exist",
        ),
        (
            "build_index",
            json!({ "path": "src", "full": true }),
            "invalid_params",
            "contradiction",
            "give one of them",
        ),
        ("search_code", json!({ "pattern": "" }), "invalid_params", "empty_pattern", "`pattern` is empty"),
        (
            "search_code",
            json!({ "pattern": "x", "patern": 1 }),
            "invalid_params",
            "unknown_field",
            "did you mean `pattern`",
        ),
        ("search_code", json!({ "pattern": "(" }), "invalid_params", "invalid_regex", "("),
        (
            "search_code",
            json!({ "pattern": "x", "case": "upper" }),
            "invalid_params",
            "illegal_value",
            "legal values are smart, sensitive, insensitive",
        ),
        (
            "search_code",
            json!({ "pattern": "x", "context_lines": 51 }),
            "invalid_params",
            "out_of_range",
            "`context_lines` is 51; it must be from 0 to 50",
        ),
        (
            "search_code",
            json!({ "pattern": "x", "context_lines": 1.5 }),
            "invalid_params",
            "wrong_type",
            "a whole number",
        ),
        (
            "search_code",
            json!({ "pattern": "x", "context_lines": -1 }),
            "invalid_params",
            "out_of_range",
            "from 0 to 50",
        ),
        (
            "search_code",
            json!({ "pattern": "x", "file_types": ["rsut"] }),
            "invalid_params",
            "unknown_file_type",
            "rust",
        ),
        ("search_code", json!({ "pattern": "x", "include": ["[a"] }), "invalid_params", "invalid_glob", "[a"),
        (
            "search_code",
            json!({ "pattern": mega }),
            "invalid_params",
            "string_too_long",
            "`pattern` is 1048576 characters long",
        ),
        (
            "search_code",
            json!({ "pattern": "x", "path": "nowhere" }),
            "not_found",
            "no_such_path",
            "`nowhere` does not exist",
        ),
        (
            "search_code",
            json!({ "pattern": "x", "path": "/etc" }),
            "path_not_allowed",
            "outside_roots",
            "outside the allowed roots",
        ),
        (
            "search_code",
            json!({ "pattern": "x", "max_total_chars": 10 }),
            "invalid_params",
            "out_of_range",
            "`max_total_chars` is 10",
        ),
        (
            "search_code",
            json!({ "pattern": "x", "cursor": "!!" }),
            "invalid_params",
            "invalid_cursor",
            "`cursor` is not one",
        ),
        (
            "read_file",
            json!({ "file_path": "src/mian.rs" }),
            "not_found",
            "no_such_path",
            "did you mean src/main.rs?",
        ),
        ("read_file", json!({ "file_path": "src" }), "invalid_params", "is_directory", "`src` is a folder"),
        ("read_file", json!({ "file_path": "" }), "invalid_params", "empty_path", "the path is empty"),
        ("read_file", json!({ "file_path": "a\u{0}b" }), "invalid_params", "nul_byte", "NUL byte"),
        (
            "read_file",
            json!({ "file_path": "../outside/secret.txt" }),
            "path_not_allowed",
            "outside_roots",
            "outside the allowed roots",
        ),
        (
            "read_file",
            json!({ "file_path": "escape/secret.txt" }),
            "path_not_allowed",
            "symlink_escape",
            "symbolic link",
        ),
        ("read_file", json!({ "file_path": "data.bin" }), "unsupported", "binary_file", "data.bin"),
        (
            "read_file",
            json!({ "file_path": "src/main.rs", "start_line": 1 }),
            "invalid_params",
            "missing_field",
            "`start_line` needs `end_line`",
        ),
        (
            "read_file",
            json!({ "file_path": "src/main.rs", "start_line": 3, "end_line": 2 }),
            "invalid_params",
            "invalid_range",
            "the range 3-2 ends before it starts",
        ),
        (
            "read_file",
            json!({ "file_path": "src/main.rs", "start_line": 900, "end_line": 901 }),
            "invalid_params",
            "behind_end",
            "`start_line`: line 900 is behind the end; the file has 1 lines",
        ),
        (
            "read_file",
            json!({ "file_path": "src/main.rs", "start_line": 1, "end_line": 1, "match_string": "x" }),
            "invalid_params",
            "conflicting_parts",
            "only one of",
        ),
        (
            "read_file",
            json!({ "file_path": "src/main.rs", "match_string": "(", "match_is_regex": true }),
            "invalid_params",
            "invalid_regex",
            "(",
        ),
        ("list_tree", json!({ "path": "src/main.rs" }), "invalid_params", "not_a_directory", "is a file"),
        (
            "list_tree",
            json!({ "files_only": true, "directories_only": true }),
            "invalid_params",
            "contradiction",
            "together leave nothing; set at most one",
        ),
        ("list_tree", json!({ "depth": 0 }), "invalid_params", "out_of_range", "from 1 to 10"),
        ("find_files", json!({ "modified_within": "soon" }), "invalid_params", "invalid_age", "7d"),
        ("find_files", json!({ "size_greater": "big" }), "invalid_params", "invalid_size", "10M"),
        ("find_files", json!({ "permissions": "rwx" }), "invalid_params", "illegal_value", "octal"),
        (
            "find_files",
            json!({ "names": "x" }),
            "invalid_params",
            "wrong_type",
            "a list whose entries are each a string",
        ),
        (
            "find_files",
            json!({ "names": [1] }),
            "invalid_params",
            "wrong_type",
            "`names[0]` must be a string",
        ),
        (
            "find_files",
            json!({ "min_depth": 9, "max_depth": 2 }),
            "invalid_params",
            "contradiction",
            "`min_depth` (9) is greater than `max_depth` (2)",
        ),
        (
            "search_structure",
            json!({ "pattern": "x", "language": "klingon" }),
            "invalid_params",
            "unknown_language",
            "legal values are bash, c, ",
        ),
        (
            "search_structure",
            json!({ "pattern": "x", "language": "perl" }),
            "unsupported",
            "no_grammar",
            "no grammar for Perl",
        ),
        (
            "search_structure",
            json!({ "pattern": "", "language": "rust" }),
            "invalid_params",
            "invalid_pattern",
            "pattern",
        ),
        (
            "get_server_status",
            json!({ "server_id": "nobody" }),
            "not_found",
            "unknown_server",
            "no language server `nobody` is configured",
        ),
        (
            "find_definition",
            json!({}),
            "invalid_params",
            "incomplete_target",
            "nothing says which symbol is meant",
        ),
        (
            "hover",
            json!({ "file_path": "src/main.rs", "line": 1 }),
            "invalid_params",
            "incomplete_target",
            "a line alone names no symbol: add `column` or `symbol_name`",
        ),
        (
            "hover",
            json!({ "symbol_name": "f", "line": 0 }),
            "invalid_params",
            "out_of_range",
            "`line` is 0; it must be from 1",
        ),
        (
            "find_references",
            json!({ "symbol_name": "f", "symbol_kind": "klass" }),
            "invalid_params",
            "illegal_value",
            "legal values are class, constant",
        ),
        (
            "call_hierarchy",
            json!({ "symbol_nam": "f" }),
            "invalid_params",
            "unknown_field",
            "did you mean `symbol_name`",
        ),
        (
            "type_hierarchy",
            json!({ "symbol_name": "f", "wait_ms": 600_001 }),
            "invalid_params",
            "out_of_range",
            "from 0 to 600000",
        ),
        ("find_symbol", json!({ "query": " " }), "invalid_params", "empty_query", "`query` is empty"),
        (
            "find_symbol",
            json!({ "query": "f", "language": "klingon" }),
            "invalid_params",
            "unknown_language",
            "legal values are bash, c, ",
        ),
        (
            "find_symbol",
            json!({ "query": "f", "kinds": ["klass"] }),
            "invalid_params",
            "illegal_value",
            "`kinds` is `klass`",
        ),
        (
            "signature_help",
            json!({ "file_path": "src", "line": 1, "column": 1 }),
            "invalid_params",
            "is_directory",
            "`src` is a folder",
        ),
        (
            "explore",
            json!({ "targets": [{ "symbol": "f" }] }),
            "invalid_params",
            "unknown_field",
            "`targets[0].symbol` is not an argument",
        ),
        ("explore", json!({ "targets": [] }), "invalid_params", "out_of_range", "from 1 to 5"),
        (
            "explore",
            json!({ "targets": [{}], "sections": ["head"] }),
            "invalid_params",
            "illegal_value",
            "legal values are body, hover",
        ),
        (
            "explore",
            json!({ "targets": [{}] }),
            "invalid_params",
            "incomplete_target",
            "Enough is: symbol_id; symbol_name",
        ),
        ("get_diagnostics", json!({}), "invalid_params", "missing_field", "scope `files` needs `file_paths`"),
        (
            "get_diagnostics",
            json!({ "scope": "changed", "file_paths": ["src"] }),
            "invalid_params",
            "contradiction",
            "goes with scope `files` only",
        ),
        (
            "restart_server",
            json!({ "server_id": "nobody" }),
            "not_found",
            "unknown_server",
            "no language server `nobody` is configured",
        ),
        ("batch", json!({ "calls": [] }), "invalid_params", "out_of_range", "from 1 to 10"),
        (
            "batch",
            json!({ "calls": [{ "tol": "x" }] }),
            "invalid_params",
            "unknown_field",
            "`calls[0].tol` is not an argument",
        ),
    ]
}

#[test]
fn every_bad_input_is_a_typed_error_with_steps_that_run() {
    let tree = fixture();
    let before = snapshot(&tree);
    let mut server = Server::start(ORIENTEER, tree.root(), &["--toolsets", "all", "--log-level", "error"]);
    server.initialize("2025-11-25");
    let mut executed = 0;
    for (tool, arguments, kind, detail, message) in rows() {
        let result = server.call(tool, arguments.clone());
        let shown: String = arguments.to_string().chars().take(200).collect();
        let structured = &result["structuredContent"];
        assert_eq!(result["isError"], true, "{tool} {shown}: {structured}");
        assert_eq!(structured["ok"], false, "{tool} {shown}");
        assert_eq!(structured["error"]["kind"], kind, "{tool} {shown}: {structured}");
        assert_eq!(structured["error"]["data"]["kind"], detail, "{tool} {shown}: {structured}");
        let told = structured["error"]["message"].as_str().unwrap();
        assert!(told.contains(message), "{tool} {shown}: {told}");
        assert_eq!(structured["message"], structured["error"]["message"]);
        if kind == "invalid_params" {
            assert_eq!(structured["mcp_error_code"], -32602, "{tool} {shown}");
        }
        let steps = structured["next_steps"].as_array().unwrap();
        assert!(!steps.is_empty(), "{tool} {shown}: no advice");
        for step in steps.iter().filter(|step| step["kind"] == "tool") {
            let again = server.call(step["tool"].as_str().unwrap(), step["arguments"].clone());
            assert_eq!(again["isError"], false, "{tool} {shown}: the step {step} failed: {again}");
            executed += 1;
        }
    }
    assert!(executed > 15, "only {executed} steps were run");
    assert_eq!(snapshot(&tree), before, "nothing is written");
    assert!(server.garbage().is_empty());
}

fn snapshot(tree: &Tree) -> Vec<(String, u64)> {
    let mut files: Vec<(String, u64)> = std::fs::read_dir(tree.root())
        .unwrap()
        .chain(std::fs::read_dir(tree.root().join("src")).unwrap())
        .map(|entry| entry.unwrap())
        .map(|entry| (entry.path().display().to_string(), entry.metadata().unwrap().len()))
        .collect();
    files.sort();
    files
}

#[test]
fn an_unknown_tool_is_an_error_of_the_protocol() {
    let tree = fixture();
    let mut server = Server::start(ORIENTEER, tree.root(), &["--log-level", "error"]);
    server.initialize("2025-11-25");
    let answer = server.request("tools/call", json!({ "name": "serach_code", "arguments": {} }));
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    assert_eq!(answer["error"]["message"], "there is no tool `serach_code`; did you mean search_code?");
}

#[test]
fn a_hidden_tool_says_how_to_switch_it_on() {
    let tree = fixture();
    let mut server = Server::start(ORIENTEER, tree.root(), &["--log-level", "error"]);
    server.initialize("2025-11-25");
    let result = server.call("list_tree", json!({}));
    let structured = &result["structuredContent"];
    assert_eq!(structured["error"]["kind"], "not_enabled", "{structured}");
    assert!(structured["message"].as_str().unwrap().contains("--toolsets default,local"), "{structured}");
    let step =
        &structured["next_steps"].as_array().unwrap().iter().find(|step| step["kind"] == "tool").unwrap();
    assert_eq!(step["tool"], "get_current_config");
}
