//! Whatever is kept is for its owner alone, however open the process was told to make new files.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use orienteer_testkit::{Framing, Server, Tree, tree};
use serde_json::json;

use crate::ORIENTEER;

/// The program, started by a shell that makes everything open to everybody.
fn open_handed(tree: &Tree) -> PathBuf {
    let script = tree.beside("bin").join("orienteer");
    fs::write(&script, format!("#!/bin/sh\numask 000\nexec '{ORIENTEER}' \"$@\"\n")).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    script
}

fn entries(folder: &Path, found: &mut Vec<(PathBuf, u32)>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let data = entry.metadata().unwrap();
        if data.is_symlink() {
            continue;
        }
        found.push((entry.path(), data.permissions().mode() & 0o777));
        if data.is_dir() {
            entries(&entry.path(), found);
        }
    }
}

/// Folders that are the user's own and were there before.
const THEIRS: &[&str] = &[".local", ".local/share", ".local/state", ".cache"];

fn check(home: &Path, theirs: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    entries(home, &mut found);
    let theirs: Vec<PathBuf> = theirs.iter().map(|name| home.join(name)).collect();
    let open: Vec<_> =
        found.iter().filter(|(path, mode)| mode & 0o077 != 0 && !theirs.contains(path)).collect();
    assert!(open.is_empty(), "others may look: {open:?}");
    found.into_iter().map(|(path, _)| path).collect()
}

fn work(program: &Path, tree: &Tree, home: &Path, theirs: &[&str]) {
    let home_text = home.display().to_string();
    // Git would make folders of its own.
    let variables = [("HOME", home_text.as_str()), ("PATH", "/nowhere"), ("XDG_CACHE_HOME", "")];
    let arguments = ["--toolsets", "all", "--log-mode", "file", "--log-level", "debug"];
    let mut server = Server::start_with(program, tree.root(), &arguments, &variables, Framing::Lines);
    server.initialize("2025-11-25");
    let built = server.call("build_index", json!({}));
    assert!(built["isError"] != true, "{built}");
    server.call("search", json!({ "query": "settings" }));
    tree.write("src/b.rs", "pub fn second_settings() {}\n");
    server.call("search", json!({ "query": "second settings" }));
    let edit = json!({ "symbol_name": "second_settings", "operation": "insert_after", "content": "fn x() {}\n", "dry_run": false });
    let edited = server.call("edit_symbol", edit);
    assert_eq!(edited["structuredContent"]["applied"], true, "{edited}");
    let finding = json!([{ "id": "f-1", "title": "hole", "severity": "high", "package": "left-pad" }]);
    tree.write("findings.json", finding.to_string());
    let taken = server.call("triage_ingest", json!({ "source": "generic", "input_path": "findings.json" }));
    assert!(taken["isError"] != true, "{taken}");
    server.call("find_references", json!({ "symbol_name": "load_settings" }));
    let during = check(home, theirs);
    assert!(during.iter().any(|path| path.to_string_lossy().ends_with(".db-wal")), "{during:?}");
    server.close();
    server.wait(std::time::Duration::from_secs(20));
    let trusted = Command::new(program)
        .args(["trust", "--yes"])
        .current_dir(tree.root())
        .env_clear()
        .env("HOME", home)
        .env("PATH", "/nowhere:/bin:/usr/bin")
        .output()
        .unwrap();
    assert!(trusted.status.success(), "{trusted:?}");
}

#[test]
fn what_is_kept_is_for_its_owner_alone() {
    let tree = tree(
        "//- /src/a.rs\npub fn load_settings() {}\n//- /.orienteer/config.toml\n[workspace]\nallowed_roots = []\n",
    );
    let (program, home) = (open_handed(&tree), tree.beside("own"));
    work(&program, &tree, &home, &[]);
    let kept = check(&home, &[]);
    let has = |part: &str| kept.iter().any(|path| path.to_string_lossy().contains(part));
    for part in ["journal", "triage", "trusted.toml", "logs/", "index-", "trigrams-"] {
        assert!(has(part), "{part} was not looked at: {kept:?}");
    }
    // As an earlier version left it: everybody may look everywhere.
    for path in kept.iter().chain([&home]) {
        let mode = if path.is_dir() { 0o777 } else { 0o666 };
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }
    work(&program, &tree, &home, THEIRS);
    check(&home, THEIRS);
}
