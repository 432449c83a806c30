//! What every file must keep to.

use std::fs;
use std::path::Path;

use crate::shell::{command, output, root};

/// Lines of a Rust file before its tests.
const MOST_LINES: usize = 500;

/// Files that may be longer, and why.
const LONGER: &[(&str, &str)] = &[];

/// Words that mean unfinished work, put together here so that this file does not contain them.
fn unfinished() -> [String; 3] {
    [["to", "do!("].concat(), ["unimple", "mented!("].concat(), ["#[ig", "nore"].concat()]
}

/// The one place that asks git: a repository's configuration can make it run programs.
const ASKS_GIT: &str = "crates/orienteer-process/src/git";

/// How git would be started, or looked for in order to start it.
fn starts_git(text: &str) -> bool {
    let git = ["\"", "git\""].concat();
    ["which(", "ProcessSpec::new(", "Command::new("]
        .iter()
        .any(|call| text.contains(&[call, git.as_str()].concat()))
}

/// Text that belongs to a machine, not to the product.
fn private() -> [String; 3] {
    [["/wo", "rk/"].concat(), ["/ro", "ot/"].concat(), ["/home/", "user"].concat()]
}

pub(crate) fn check() -> anyhow::Result<Vec<String>> {
    let listed = output(&mut command("git", &["ls-files", "--cached", "--others", "--exclude-standard"]))?;
    let mut wrong = Vec::new();
    for name in listed.lines() {
        // Deleted and not committed yet, or not text.
        let Ok(text) = fs::read_to_string(root().join(name)) else { continue };
        check_text(name, &text, &mut wrong);
        if name.ends_with(".rs") {
            check_rust(name, &text, &mut wrong);
            super::reads::check(name, &text, &mut wrong);
        }
        if name.ends_with("Cargo.toml") && name != "Cargo.toml" && !text.contains("[lints]\nworkspace = true")
        {
            wrong.push(format!("{name} does not take the workspace's lints"));
        }
    }
    Ok(wrong)
}

fn check_text(name: &str, text: &str, wrong: &mut Vec<String>) {
    if name.ends_with(".lock") || name.ends_with("package-lock.json") {
        return;
    }
    for (number, line) in text.lines().enumerate() {
        if let Some(word) = private().iter().find(|word| line.contains(word.as_str())) {
            wrong.push(format!("{name}:{}: `{word}` is a path of a machine", number + 1));
        }
        let source = name.ends_with(".rs") || name.ends_with(".toml");
        if source && line.ends_with([' ', '\t']) && !name.contains("/tests/") {
            wrong.push(format!("{name}:{}: trailing white space", number + 1));
        }
    }
    if text.lines().any(|line| line.starts_with(&"<".repeat(7))) {
        wrong.push(format!("{name}: a conflict marker"));
    }
}

fn check_rust(name: &str, text: &str, wrong: &mut Vec<String>) {
    if Path::new(name).file_name().is_some_and(|file| file == "mod.rs") {
        wrong.push(format!("{name}: write `foo.rs` beside `foo/`, not `mod.rs`"));
    }
    for word in unfinished() {
        if text.contains(&word) {
            wrong.push(format!("{name}: `{word}` is unfinished work or a test that cannot fail"));
        }
    }
    let is_test = name.contains("/tests/") || name.ends_with("/tests.rs") || name.starts_with("xtask/");
    let product = text.split("\n#[cfg(all(test").next().and_then(|text| text.split("\n#[cfg(test)]").next());
    if starts_git(product.unwrap_or_default()) && !is_test && !name.starts_with(ASKS_GIT) {
        wrong.push(format!("{name}: only {ASKS_GIT} asks git; take `orienteer_process::Git`"));
    }
    let lines = text.lines().take_while(|line| *line != "#[cfg(test)]").count();
    if lines > MOST_LINES && !name.contains("/tests/") && !LONGER.iter().any(|(longer, _)| *longer == name) {
        wrong.push(format!(
            "{name}: {lines} lines before the tests; at most {MOST_LINES}, or give the reason in tidy"
        ));
    }
}
