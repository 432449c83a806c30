//! Secrets in answers: hidden, said so, everything else true, and switched off when asked.

use orienteer_testkit::{Server, Tree};
use serde_json::{Value, json};

use crate::ORIENTEER;

/// Put together at run time, so that the repository itself holds nothing that looks like a secret.
pub(crate) fn fake_key() -> (String, Vec<String>) {
    let line = |number: usize| -> String {
        let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        (0..64).map(|at| char::from(alphabet[(at * 37 + number * 11 + at * at) % 64])).collect()
    };
    let body: Vec<String> = (0..20).map(line).collect();
    let fence = |word: &str| format!("-----{word} RSA {} KEY-----", "PRIVATE");
    (format!("{}\n{}\n{}\n", fence("BEGIN"), body.join("\n"), fence("END")), body)
}

pub(crate) fn token() -> String {
    format!("{}_{}", "ghp", "aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA1bC2")
}

fn fixture() -> (Tree, Vec<String>) {
    let tree = Tree::empty();
    let (key, body) = fake_key();
    tree.write("deploy/key.pem", format!("# a comment\n{key}# after\n"));
    tree.write("app.env", format!("NAME=demo\nTOKEN={}\nPORT=80\n", token()));
    let many: String = (0..3_000).map(|line| format!("line {line} token={}\n", token())).collect();
    tree.write("many.txt", many);
    (tree, body)
}

fn start(tree: &Tree, more: &[&str]) -> Server {
    let arguments = [&["--toolsets", "all", "--log-level", "error"], more].concat();
    let mut server = Server::start(ORIENTEER, tree.root(), &arguments);
    server.initialize("2025-11-25");
    server
}

fn kinds(result: &Value) -> Vec<&str> {
    let warnings = result["structuredContent"]["warnings"].as_array().unwrap();
    warnings.iter().map(|warning| warning["kind"].as_str().unwrap()).collect()
}

#[test]
fn values_are_hidden_and_everything_else_stays_true() {
    let (tree, _) = fixture();
    let mut server = start(&tree, &[]);
    let read = server.call("read_file", json!({ "file_path": "app.env" }));
    assert!(!read.to_string().contains(&token()), "{read}");
    let content = read["structuredContent"]["content"].as_str().unwrap();
    let lines: Vec<&str> = content.lines().collect();
    assert_eq!((lines[0], lines[2], lines.len()), ("NAME=demo", "PORT=80", 3));
    assert!(lines[1].starts_with("TOKEN=[REDACTED:"), "{content}");
    assert_eq!(kinds(&read), ["redacted"]);
    assert!(
        read["structuredContent"]["warnings"][0]["message"].as_str().unwrap().contains("lines 2"),
        "{read}"
    );
    // The query itself is not touched: it finds what it looks for.
    let found =
        server.call("search_code", json!({ "pattern": token(), "fixed_string": true, "path": "app.env" }));
    assert_eq!(found["structuredContent"]["stats"]["total_matches"], 1);
    assert_eq!(found["structuredContent"]["files"][0]["matches"][0]["line"], 2);
    assert!(!found["content"].to_string().contains(&token()), "{found}");
    assert_eq!(kinds(&found), ["redacted"]);
}

#[test]
fn no_part_of_a_private_key_leaks_through_any_tool() {
    let (tree, body) = fixture();
    let mut server = start(&tree, &[]);
    for (tool, arguments) in [
        ("read_file", json!({ "file_path": "deploy/key.pem" })),
        ("read_file", json!({ "file_path": "deploy/key.pem", "start_line": 5, "end_line": 9 })),
        ("read_file", json!({ "file_path": "deploy/key.pem", "char_offset": 300, "char_length": 400 })),
        ("read_file", json!({ "file_path": "deploy/key.pem", "match_string": "a", "context_lines": 2 })),
        ("search_code", json!({ "pattern": "[a-z]", "path": "deploy", "matches_per_file": 100 })),
        (
            "search_code",
            json!({ "pattern": "[A-Z]", "path": "deploy/key.pem", "context_lines": 3, "matches_per_file": 100 }),
        ),
        (
            "batch",
            json!({ "calls": [{ "tool": "read_file", "arguments": { "file_path": "deploy/key.pem", "start_line": 8, "end_line": 12 } }] }),
        ),
    ] {
        let result = server.call(tool, arguments.clone());
        let text = result.to_string();
        for line in &body {
            assert!(!text.contains(line.as_str()), "{tool} {arguments}: {line} in {text}");
            assert!(!text.contains(&line[..24]), "{tool} {arguments}: a part of {line}");
        }
        assert!(text.contains("REDACTED"), "{tool} {arguments}: {text}");
    }
    let whole = server.call("read_file", json!({ "file_path": "deploy/key.pem" }));
    let content = whole["structuredContent"]["content"].as_str().unwrap();
    assert_eq!(content.lines().count(), 24, "lines stay where they are");
    assert!(content.starts_with("# a comment\n") && content.ends_with("# after\n"), "{content}");
}

#[test]
fn pages_of_a_file_with_hidden_values_neither_repeat_nor_skip() {
    let (tree, _) = fixture();
    let mut server = start(&tree, &[]);
    let mut arguments = json!({ "file_path": "many.txt", "max_total_chars": 9000 });
    let mut content = String::new();
    loop {
        let page = server.call("read_file", arguments.clone());
        content.push_str(page["structuredContent"]["content"].as_str().unwrap());
        match page["structuredContent"].get("cursor") {
            Some(cursor) => arguments["cursor"] = cursor.clone(),
            None => break,
        }
    }
    let numbers: Vec<usize> = content
        .lines()
        .map(|line| line.split(' ').nth(1).unwrap().parse().unwrap_or_else(|_| panic!("{line}")))
        .collect();
    assert_eq!(numbers, (0..3_000).collect::<Vec<_>>());
    assert!(!content.contains(&token()));
}

#[test]
fn it_can_be_switched_off() {
    let (tree, body) = fixture();
    let mut server = start(&tree, &["--no-redact"]);
    let read = server.call("read_file", json!({ "file_path": "app.env" }));
    assert!(read["structuredContent"]["content"].as_str().unwrap().contains(&token()));
    let read =
        server.call("read_file", json!({ "file_path": "deploy/key.pem", "start_line": 5, "end_line": 5 }));
    assert!(read.to_string().contains(&body[2]), "{read}");
    assert!(kinds(&read).is_empty());
}
