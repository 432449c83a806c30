//! Trees to index.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::bench::{corpus, lsp};
use crate::install::Tools;
use crate::shell::{command, step};

/// What is taken of which project: together about 60 MB in three languages.
const PARTS: [(&str, &str); 5] =
    [("linux", "kernel"), ("linux", "mm"), ("linux", "lib"), ("effect", "src"), ("django", "tests")];

pub(super) fn linux() -> anyhow::Result<PathBuf> {
    // Beside a home of its own, which the caller finds by name.
    let folder = folder()?.join("linux");
    fs::create_dir_all(&folder)?;
    let tree = folder.join("tree");
    if !tree.exists() {
        link(&corpus::linux()?, &tree)?;
    }
    Ok(tree)
}

pub(super) fn mixed(tools: &Tools) -> anyhow::Result<PathBuf> {
    let tree = folder()?.join("mixed").join("tree");
    if tree.join("made").exists() {
        return Ok(tree);
    }
    fs::remove_dir_all(&tree).ok();
    let linux = corpus::linux()?;
    let (effect, django) = lsp::sources(tools)?;
    for (project, part) in PARTS {
        let from = match project {
            "linux" => &linux,
            "effect" => &effect,
            _ => &django,
        };
        fs::create_dir_all(tree.join(project))?;
        link(&from.join(part), &tree.join(project).join(part))?;
    }
    fs::write(tree.join("made"), "")?;
    Ok(tree)
}

fn folder() -> anyhow::Result<PathBuf> {
    let folder = std::env::temp_dir().join("orienteer-bench").join("index");
    fs::create_dir_all(&folder)?;
    Ok(folder.canonicalize()?)
}

/// The same files under another path.
fn link(from: &Path, to: &Path) -> anyhow::Result<()> {
    let mut copy = command("cp", &["-rl"]);
    step(&format!("link {}", to.display()), copy.arg(from).arg(to)).context("cp")
}
