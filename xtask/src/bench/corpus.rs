//! Large trees that we did not write.

use std::fs;
use std::path::PathBuf;

use anyhow::Context;

use super::Corpus;
use crate::shell::{command, step};

const LINUX: &str = "linux-source-6.1";

pub(crate) fn all() -> anyhow::Result<Vec<Corpus>> {
    let mut corpora = vec![Corpus::new("Cargo registry sources", &registry()?)];
    match linux() {
        Ok(folder) => corpora.push(Corpus::new(&format!("Debian {LINUX}"), &folder)),
        // Not every machine is a Debian one with the right to install.
        Err(error) => eprintln!("{LINUX} is left out: {error:#}"),
    }
    Ok(corpora)
}

/// Where cargo unpacked everything this workspace depends on.
fn registry() -> anyhow::Result<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
    Ok(home.context("neither CARGO_HOME nor HOME is set")?.join("registry").join("src"))
}

pub(super) fn linux() -> anyhow::Result<PathBuf> {
    // Not in the target folder: git ignores that, and so do both searches.
    let folder = std::env::temp_dir().join("orienteer-bench").join(LINUX);
    if folder.join("unpacked").exists() {
        return Ok(folder);
    }
    let archive = PathBuf::from(format!("/usr/src/{LINUX}.tar.xz"));
    if !archive.exists() {
        step("update the package list", &mut command("apt-get", &["update", "-qq"]))?;
        step("install the Linux sources", &mut command("apt-get", &["install", "-y", "-qq", LINUX]))?;
    }
    fs::create_dir_all(&folder)?;
    let mut unpack = command("tar", &["--strip-components=1", "-xf"]);
    step("unpack the Linux sources", unpack.arg(&archive).arg("-C").arg(&folder))?;
    fs::write(folder.join("unpacked"), "")?;
    Ok(folder)
}
