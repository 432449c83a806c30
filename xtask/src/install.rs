//! What the tests need and a fresh machine lacks: programs we did not write, by package name, pinned, into
//! the target folder. A second run finds them there.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::shell::{command, metadata, output, root, step};

/// The same engine that `search_code` is built on, so that both may be compared match by match.
const RIPGREP: &str = "15.2.0";

/// Where everything was put.
pub(crate) struct Tools {
    pub(crate) folder: PathBuf,
}

impl Tools {
    /// PATH with the installed programs first.
    pub(crate) fn path(&self) -> anyhow::Result<std::ffi::OsString> {
        let old = std::env::var_os("PATH").unwrap_or_default();
        let folders =
            std::iter::once(self.folder.join("cargo").join("bin")).chain(std::env::split_paths(&old));
        Ok(std::env::join_paths(folders)?)
    }
}

pub(crate) fn run() -> anyhow::Result<Tools> {
    let target =
        metadata(false)?["target_directory"].as_str().map(PathBuf::from).context("no target folder")?;
    let tools = Tools { folder: target.join("test-tools") };
    fs::create_dir_all(&tools.folder)?;
    ripgrep(&tools)?;
    node(&tools)?;
    python(&tools)?;
    Ok(tools)
}

fn ripgrep(tools: &Tools) -> anyhow::Result<()> {
    let folder = tools.folder.join("cargo");
    let program = folder.join("bin").join(if cfg!(windows) { "rg.exe" } else { "rg" });
    let found = output(&mut command(&program, &["--version"])).unwrap_or_default();
    if found.contains(&format!("ripgrep {RIPGREP}")) {
        return Ok(());
    }
    let mut install =
        command("cargo", &["install", "ripgrep", "--version", RIPGREP, "--locked", "--quiet", "--root"]);
    // Its own target folder: cargo holds the lock of ours while it runs us.
    install.arg(&folder).env("CARGO_TARGET_DIR", tools.folder.join("build"));
    // Only its results count; an optimised build with fewer passes is as right and quicker to make.
    step("install ripgrep", &mut install)?;
    fs::remove_dir_all(tools.folder.join("build")).ok();
    Ok(())
}

/// Copies a manifest and says whether what was installed from it is still right.
fn unchanged(manifests: &[&str], folder: &Path) -> anyhow::Result<bool> {
    fs::create_dir_all(folder)?;
    let mut same = folder.join("installed").exists();
    for name in manifests {
        let wanted =
            fs::read(root().join("xtask/tools").join(name)).with_context(|| format!("xtask/tools/{name}"))?;
        let there = folder.join(name);
        if fs::read(&there).ok().as_deref() != Some(wanted.as_slice()) {
            fs::write(&there, wanted)?;
            same = false;
        }
    }
    Ok(same)
}

fn node(tools: &Tools) -> anyhow::Result<()> {
    let folder = tools.folder.join("node");
    if unchanged(&["package.json", "package-lock.json"], &folder)? {
        return Ok(());
    }
    let mut install = command("npm", &["ci", "--no-audit", "--no-fund", "--loglevel=error"]);
    step("install node packages", install.current_dir(&folder))?;
    fs::write(folder.join("installed"), "")?;
    Ok(())
}

fn python(tools: &Tools) -> anyhow::Result<()> {
    let folder = tools.folder.join("python");
    if unchanged(&["requirements.txt"], &folder)? {
        return Ok(());
    }
    let program = folder.join("bin/python");
    let mut venv = command("python3", &["-m", "venv"]);
    step("make a python environment", venv.arg(&folder))?;
    let mut install =
        command(&program, &["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"]);
    step("install python packages", install.arg(folder.join("requirements.txt")))?;
    fs::write(folder.join("installed"), "")?;
    Ok(())
}
