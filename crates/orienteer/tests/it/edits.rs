//! Changes where no language server is needed to see what happens: sessions that may not write, and what was cut short.

use std::path::Path;

use orienteer_testkit::{Framing, Server, Tree, tree};
use serde_json::{Value, json};

use crate::ORIENTEER;

const TOOLS: &[&str] = &[
    "rename_symbol",
    "code_actions",
    "format_code",
    "edit_symbol",
    "apply_edits",
    "undo_edits",
    "restart_server",
    "stop_server",
];

fn fixture() -> Tree {
    let tree = tree("//- /src/lib.rs\npub fn old() {}\n//- /notes.txt\nold\n");
    tree.beside("home");
    tree
}

/// A session that finds no program but the system's own.
fn start(root: &Path, args: &[&str]) -> Server {
    let args = [&["--toolsets", "all", "--log-level", "error"], args].concat();
    let mut server = Server::start_with(ORIENTEER, root, &args, &[("PATH", "/nowhere")], Framing::Lines);
    server.initialize("2025-11-25");
    server
}

fn ask(server: &mut Server, tool: &str, arguments: Value) -> Value {
    server.call(tool, arguments)["structuredContent"].clone()
}

fn arguments(tool: &str) -> Value {
    match tool {
        "rename_symbol" => json!({ "file_path": "src/lib.rs", "line": 1, "column": 8, "new_name": "new" }),
        "code_actions" | "format_code" => json!({ "file_path": "src/lib.rs" }),
        "edit_symbol" => {
            json!({ "file_path": "src/lib.rs", "symbol_name": "old", "operation": "replace", "content": "" })
        }
        "apply_edits" => json!({ "plan_id": "plan-0000000000000000" }),
        _ => json!({}),
    }
}

#[test]
fn a_read_only_session_hides_and_refuses_every_change_with_what_to_do() {
    let tree = fixture();
    for args in [["--read-only"].as_slice(), &["--context", "codex"], &["--mode", "navigation"]] {
        let mut server = start(tree.root(), args);
        let listed = server.request("tools/list", json!({}))["result"]["tools"].clone();
        let listed: Vec<&str> =
            listed.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        for tool in TOOLS {
            assert!(!listed.contains(tool), "{args:?}: {tool} is offered");
            // Showing a plan is refused, too.
            let refused = ask(&mut server, tool, arguments(tool));
            assert_eq!(refused["error"]["kind"], "read_only", "{args:?} {tool}: {refused:#}");
            let steps = refused["next_steps"].as_array().unwrap();
            assert!(steps.iter().any(|step| step["kind"] == "config"), "{refused:#}");
        }
    }
    let mut server = start(tree.root(), &["--mode", "refactor"]);
    let listed = server.request("tools/list", json!({}))["result"]["tools"].to_string();
    assert!(TOOLS.iter().all(|tool| listed.contains(&format!("\"{tool}\""))), "{listed}");
}

#[test]
fn without_a_server_nothing_is_renamed_by_text() {
    let tree = fixture();
    let mut server = start(tree.root(), &[]);
    let refused = ask(&mut server, "rename_symbol", arguments("rename_symbol"));
    assert_eq!(refused["error"]["kind"], "prerequisite_missing", "{refused:#}");
    let refused = ask(
        &mut server,
        "rename_symbol",
        json!({ "file_path": "notes.txt", "line": 1, "column": 1, "new_name": "new" }),
    );
    assert_eq!(refused["error"]["data"]["kind"], "no_server_for_extension", "{refused:#}");
    let refused = ask(&mut server, "code_actions", json!({ "file_path": "src/lib.rs" }));
    assert_eq!(refused["error"]["kind"], "prerequisite_missing", "{refused:#}");
    assert_eq!(std::fs::read_to_string(tree.root().join("src/lib.rs")).unwrap(), "pub fn old() {}\n");
}

#[test]
fn what_cannot_be_applied_or_undone_says_why() {
    let tree = fixture();
    let mut server = start(tree.root(), &[]);
    for (tool, given, kind, detail) in [
        ("apply_edits", json!({ "plan_id": "plan-1" }), "not_found", "no_such_plan"),
        ("apply_edits", json!({ "plan_id": "" }), "not_found", "no_such_plan"),
        ("apply_edits", json!({ "plan_id": "plan-1", "simulate": true }), "not_found", "no_such_plan"),
        ("apply_edits", json!({}), "invalid_params", "missing_field"),
        ("undo_edits", json!({}), "not_found", "nothing_to_undo"),
        ("undo_edits", json!({ "count": 3 }), "not_found", "nothing_to_undo"),
        ("undo_edits", json!({ "journal_id": "17" }), "not_found", "no_such_entry"),
        ("undo_edits", json!({ "journal_id": "../../x" }), "not_found", "no_such_entry"),
        ("undo_edits", json!({ "journal_id": "17", "count": 2 }), "invalid_params", "contradiction"),
        ("undo_edits", json!({ "count": 0 }), "invalid_params", "out_of_range"),
        ("code_actions", json!({ "action_id": "action-1" }), "not_found", "no_such_action"),
    ] {
        let refused = ask(&mut server, tool, given.clone());
        let error = &refused["error"];
        assert_eq!(
            (&error["kind"], &error["data"]["kind"]),
            (&json!(kind), &json!(detail)),
            "{given}: {refused:#}"
        );
        assert!(!refused["next_steps"].as_array().unwrap().is_empty(), "{given}: {refused:#}");
    }
}

#[test]
fn without_a_home_there_is_no_way_back_and_nothing_is_changed() {
    let tree = fixture();
    let args = ["--toolsets", "all", "--log-level", "error"];
    let variables = [("PATH", "/nowhere"), ("HOME", "")];
    let mut server = Server::start_with(ORIENTEER, tree.root(), &args, &variables, Framing::Lines);
    server.initialize("2025-11-25");
    let refused = ask(&mut server, "rename_symbol", arguments("rename_symbol"));
    assert_eq!(refused["error"]["data"]["kind"], "no_journal", "{refused:#}");
    let read = ask(&mut server, "read_file", json!({ "file_path": "notes.txt" }));
    assert_eq!(read["content"], "old\n");
}

#[test]
fn what_a_killed_process_left_beside_a_file_is_swept_at_the_next_start() {
    let tree = fixture();
    let mut server = start(tree.root(), &[]);
    let replaced = json!({
        "file_path": "src/lib.rs", "symbol_name": "old", "operation": "replace", "content": "pub fn new() {}\n", "dry_run": false,
    });
    let applied = ask(&mut server, "edit_symbol", replaced);
    assert_eq!(applied["applied"], true, "{applied:#}");
    let id = applied["journal_id"].as_str().unwrap().to_owned();
    let beside = |name: &str| tree.root().join("src").join(name);
    let names = |id: &str| [format!(".orienteer-{id}-0"), format!(".orienteer-{id}-0-new")];
    let of_ours = names(&id);
    let mine = names("1700000000000");
    std::fs::write(beside(&of_ours[0]), "pub fn old() {}\n").unwrap();
    std::fs::write(beside(&of_ours[1]), "pub fn ne").unwrap();
    for name in &mine {
        std::fs::write(beside(name), "mine").unwrap();
    }
    // Killed, as it is when it is dropped.
    drop(server);
    let mut server = start(tree.root(), &[]);
    ask(&mut server, "read_file", json!({ "file_path": "src/lib.rs" }));
    let until = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while of_ours.iter().any(|name| beside(name).exists()) {
        assert!(std::time::Instant::now() < until, "they are still there");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert!(mine.iter().all(|name| beside(name).exists()), "nobody knows whose they are");
    assert_eq!(std::fs::read_to_string(beside("lib.rs")).unwrap(), "pub fn new() {}\n");
}
