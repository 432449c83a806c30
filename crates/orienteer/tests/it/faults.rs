//! Calls of the system that fail in the middle of a change: the tree is the old one or the new one, now or after the next
//! start, and the answer says which.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use orienteer_testkit::{Framing, Server, Tree, tree};
use serde_json::{Value, json};

use crate::ORIENTEER;

/// Calls by which a change is written, each with an error that it may give.
const CALLS: &[(&str, &str)] = &[
    ("fsync,fdatasync", "EIO"),
    ("rename,renameat,renameat2", "EXDEV"),
    ("rename,renameat,renameat2", "ENOSPC"),
    ("unlink,unlinkat", "EACCES"),
    ("ftruncate,fchmod", "EPERM"),
    ("linkat,link", "EMLINK"),
];

fn fixture() -> Tree {
    let tree = tree(
        "//- /a.py\ndef first():\n    return 1\n\n\ndef second():\n    return 2\n//- /b.txt\nuntouched\n",
    );
    tree.beside("home");
    tree
}

fn contents(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = std::fs::read_dir(root).unwrap().flatten();
    entries.map(|entry| (entry.file_name().into(), std::fs::read(entry.path()).unwrap_or_default())).collect()
}

/// The program, every so-manieth of these calls of which fails.
fn failing(tree: &Tree, calls: &str, error: &str, at: u32) -> PathBuf {
    let program = tree.beside("faults").join("orienteer");
    std::fs::write(
        &program,
        format!("#!/bin/sh\nexec strace -f -qq -o /dev/null -e trace={calls} -e inject={calls}:error={error}:when={at} '{ORIENTEER}' \"$@\"\n"),
    )
    .unwrap();
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    program
}

fn start(program: &Path, root: &Path) -> Server {
    let args = ["--toolsets", "all", "--log-level", "error"];
    let mut server = Server::start_with(program, root, &args, &[], Framing::Lines);
    server.initialize("2025-11-25");
    server
}

fn ask(server: &mut Server, tool: &str, arguments: Value) -> Value {
    server.call(tool, arguments)["structuredContent"].clone()
}

/// A change with a failure in it, then a start without.
fn change(calls: &str, error: &str, at: u32) -> bool {
    let tree = fixture();
    let before = contents(tree.root());
    let mut server = start(&failing(&tree, calls, error, at), tree.root());
    let content = "def second():\n    return 3\n";
    let edit =
        json!({ "file_path": "a.py", "symbol_name": "second", "operation": "replace", "content": content });
    let planned = ask(&mut server, "edit_symbol", edit);
    let Some(plan) = planned["plan"]["plan_id"].as_str() else { return false };
    let applied = ask(&mut server, "apply_edits", json!({ "plan_id": plan }));
    let at_once = contents(tree.root());
    server.close();
    server.wait(std::time::Duration::from_secs(20));
    drop(server);
    let mut server = start(Path::new(ORIENTEER), tree.root());
    ask(&mut server, "read_file", json!({ "file_path": "a.py" }));
    let mut after = before.clone();
    after.insert("a.py".into(), b"def first():\n    return 1\n\n\ndef second():\n    return 3\n".to_vec());
    let now = contents(tree.root());
    let case = format!("{calls} {error} at {at}: {applied:#}");
    assert!(now == before || now == after, "neither the old tree nor the new one: {now:?}: {case}");
    if applied["ok"] == json!(true) && applied["applied"] == json!(true) {
        assert_eq!(now, after, "it was said to be done: {case}");
    }
    let said = applied["message"].as_str().unwrap_or_default();
    if said.contains("could not be put back") {
        assert_ne!(at_once, before, "nothing was touched: {case}");
    }
    true
}

#[test]
fn a_failing_call_leaves_the_old_tree_or_the_new_one() {
    let full = std::env::var_os("ORIENTEER_TEST_FULL").is_some();
    let most = if full { 25 } else { 3 };
    let mut tried = 0;
    for (at, (calls, error)) in CALLS.iter().enumerate() {
        if !full && at >= 2 {
            break;
        }
        for when in 1..=most {
            tried += u32::from(change(calls, error, when));
        }
    }
    assert!(tried >= most, "only {tried} changes were tried");
}
