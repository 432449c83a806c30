//! `orienteer doctor` on a machine with servers and on one without.

use std::ffi::OsStr;
use std::process::Command;

use orienteer_testkit::workspaces::{PYTHON, RUST, TYPESCRIPT};
use orienteer_testkit::{Tree, tools, tree};
use serde_json::Value;

use crate::ORIENTEER;
use crate::missing::bare_path;
use crate::support::rust_homes;

fn doctor(tree: &Tree, path: &OsStr, args: &[&str]) -> (bool, String) {
    let mut command = Command::new(ORIENTEER);
    command.arg("doctor").args(args).current_dir(tree.root()).env_clear();
    command.env("PATH", path).env("HOME", tree.beside("home")).envs(rust_homes());
    let output = command.output().unwrap();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    (output.status.success(), String::from_utf8(output.stdout).unwrap())
}

fn everything() -> Tree {
    tree(&format!("{RUST}{TYPESCRIPT}{PYTHON}"))
}

/// The messages of the checks of one name.
fn checks<'r>(report: &'r Value, name: &str) -> Vec<(&'r str, Option<&'r str>)> {
    let checks = report["checks"].as_array().unwrap().iter().filter(|check| check["name"] == name);
    checks.map(|check| (check["message"].as_str().unwrap(), check["advice"].as_str())).collect()
}

#[test]
fn with_servers() {
    let tree = everything();
    let (ok, text) = doctor(&tree, &tools::server_path(), &[]);
    assert!(ok, "{text}");
    for (id, what) in [
        ("rust-analyzer", "4 files here"),
        ("typescript-language-server", "files here"),
        ("pyright", "8 files here"),
        ("clangd", ""),
        ("gopls", ""),
    ] {
        let line = text
            .lines()
            .find(|line| line.contains(&format!(" {id}: ")))
            .unwrap_or_else(|| panic!("{id}: {text}"));
        assert!(line.starts_with('✓') && line.contains('/') && line.contains(what), "{line}");
    }
    let rust = text.lines().find(|line| line.contains(" rust-analyzer: ")).unwrap();
    assert!(rust.contains("(rust-analyzer "), "its version: {rust}");
    // What is not there stands apart from what is, and what is there and not asked says so.
    let others = text.lines().find(|line| line.contains("no files for them here")).unwrap();
    assert!(others.starts_with('–'), "{others}");
    let line = |id: &str| text.lines().find(|line| line.contains(&format!(" {id}: "))).unwrap();
    assert!(
        line("basedpyright").starts_with('–') && line("basedpyright").contains("not installed"),
        "{text}"
    );
    assert!(
        line("ruff").starts_with('✓') && line("ruff").contains("only when a [[servers]] block"),
        "{text}"
    );
    let advice = text.lines().skip_while(|line| !line.contains(" pyrefly: ")).nth(1).unwrap();
    assert!(line("pyrefly").starts_with('–') && line("pyrefly").contains("without trust"), "{text}");
    assert!(advice.ends_with("→ orienteer trust"), "{text}");
    let unused = text.lines().find(|line| line.contains("only in a project that you trust")).unwrap();
    assert!(unused.starts_with('✓') && unused.contains("fortls") && !others.contains("fortls"), "{text}");
    let advice = text.lines().skip_while(|line| !line.contains(" eslint: ")).nth(1).unwrap();
    assert!(advice.contains("[[servers]] with id = \"eslint\""), "{text}");
    assert!(others.contains("jdtls") && others.contains("zls"), "{others}");

    let (ok, text) = doctor(&tree, &tools::server_path(), &["--json"]);
    let report: Value = serde_json::from_str(&text).unwrap();
    assert!(ok && report["ok"] == true, "{report:#}");
    assert!(
        checks(&report, "server")
            .iter()
            .any(|(message, advice)| message.starts_with("pyright: /") && advice.is_none()),
        "{report:#}"
    );
}

#[test]
fn with_nothing_installed() {
    let tree = everything();
    let path = bare_path(&tree, &[]);
    let (ok, text) = doctor(&tree, &path, &[]);
    assert!(ok, "a machine without servers is not broken: {text}");
    let mut lines = text.lines().skip_while(|line| !line.contains(" rust-analyzer: "));
    let rust = lines.next().unwrap_or_else(|| panic!("{text}"));
    assert!(rust.contains("cargo") && rust.contains("4 files here"), "{rust}");
    assert!(lines.next().unwrap().contains("→ install Rust with rustup"), "{text}");
    let (_, text) = doctor(&tree, &path, &["--json"]);
    let report: Value = serde_json::from_str(&text).unwrap();
    let servers = checks(&report, "server");
    for (id, advice) in [
        ("rust-analyzer", "rustup"),
        ("typescript-native", "npm install -g typescript@7"),
        ("pyright", "Node.js"),
        ("ty", "pip install ty"),
    ] {
        let (message, told) = servers
            .iter()
            .find(|(message, _)| message.starts_with(&format!("{id}: ")))
            .unwrap_or_else(|| panic!("{id}: {report:#}"));
        assert!(told.is_some_and(|told| told.contains(advice)), "{message}: {told:?}");
    }
    assert!(
        servers.iter().all(|(message, _)| !message.starts_with("gopls")),
        "no Go files here: {servers:?}"
    );
}
