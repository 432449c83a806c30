//! What the tests need and a fresh machine lacks: programs we did not write, by package name, pinned, into
//! the target folder. A second run finds them there.

mod debian;
mod system;
mod triage;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};

use crate::shell::{command, metadata, output, root, step};

/// The same engine that `search_code` is built on, so that both may be compared match by match.
const RIPGREP: &str = "15.2.0";
const EMMYLUA: &str = "0.25.1";
const TAPLO: &str = "0.10.0";

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
    system::install()?;
    // Some are compiled, the others are mostly waited for.
    std::thread::scope(|scope| {
        let compiled = scope.spawn(|| {
            ripgrep(&tools)?;
            triage::cargo_audit(&tools)?;
            language_servers(&tools)
        });
        node(&tools)?;
        python(&tools)?;
        model(&tools)?;
        recorded(&tools)?;
        debian::recorded(&tools)?;
        triage::schemas(&tools)?;
        triage::pip_audit(&tools)?;
        compiled.join().unwrap_or_else(|_| bail!("the installation by cargo panicked"))
    })?;
    Ok(tools)
}

fn ripgrep(tools: &Tools) -> anyhow::Result<()> {
    // It stays fully optimised: a peer that was slowed down would flatter us.
    by_cargo(tools, "ripgrep", "rg", RIPGREP, |_| ())
}

/// Language servers that are in no other registry, or not whole.
fn language_servers(tools: &Tools) -> anyhow::Result<()> {
    // The tests ask them little: compiling them is what takes time.
    let quickly = |install: &mut Command| {
        install.arg("--debug").env("CARGO_PROFILE_DEV_DEBUG", "0");
    };
    by_cargo(tools, "emmylua_ls", "emmylua_ls", EMMYLUA, quickly)?;
    by_cargo(tools, "taplo-cli", "taplo", TAPLO, |install| {
        quickly(install);
        install.args(["--no-default-features", "--features", "lsp,rustls-tls"]);
    })
}

/// Compiles a program that cargo knows by name, unless it is there in this version.
fn by_cargo(
    tools: &Tools,
    package: &str,
    program: &str,
    version: &str,
    adjust: impl Fn(&mut Command),
) -> anyhow::Result<()> {
    let folder = tools.folder.join("cargo");
    let file = folder.join("bin").join(program).with_extension(std::env::consts::EXE_EXTENSION);
    let found = output(&mut command(&file, &["--version"])).unwrap_or_default();
    if found.lines().next().is_some_and(|line| line.split_whitespace().nth(1) == Some(version)) {
        return Ok(());
    }
    let mut install =
        command("cargo", &["install", package, "--version", version, "--locked", "--quiet", "--root"]);
    // Its own target folder: cargo holds the lock of ours while it runs us.
    let build = tools.folder.join("build").join(package);
    install.arg(&folder).env("CARGO_TARGET_DIR", &build);
    // Nobody debugs it.
    install.env("CARGO_PROFILE_RELEASE_DEBUG", "0");
    adjust(&mut install);
    step(&format!("install {package}"), &mut install)?;
    fs::remove_dir_all(build).ok();
    Ok(())
}

/// Copies manifests from a folder of `xtask/tools` and says whether what was installed from them is still
/// right.
fn unchanged(from: &str, manifests: &[&str], folder: &Path) -> anyhow::Result<bool> {
    fs::create_dir_all(folder)?;
    let mut same = folder.join("installed").exists();
    for name in manifests {
        let source = root().join("xtask/tools").join(from).join(name);
        let wanted = fs::read(&source).with_context(|| source.display().to_string())?;
        let there = folder.join(name);
        if fs::read(&there).ok().as_deref() != Some(wanted.as_slice()) {
            // Whatever goes wrong from here on, the next run begins again.
            fs::remove_file(folder.join("installed")).ok();
            fs::write(&there, wanted)?;
            same = false;
        }
    }
    Ok(same)
}

/// Where Node packages are described (in `xtask/tools`) and where they are put. TypeScript 7 and basedpyright
/// have commands of the same names as TypeScript 6 and pyright.
const NODE: [(&str, &str); 6] = [
    ("", "node"),
    ("ts7", "ts7"),
    ("basedpyright", "basedpyright"),
    ("forge", "forge"),
    ("graphql", "graphql"),
    ("gitlab", "gitlab"),
];

fn node(tools: &Tools) -> anyhow::Result<()> {
    for (from, to) in NODE {
        let folder = tools.folder.join(to);
        if unchanged(from, &["package.json", "package-lock.json"], &folder)? {
            continue;
        }
        let mut install = command("npm", &["ci", "--no-audit", "--no-fund", "--loglevel=error"]);
        step(&format!("install node packages ({to})"), install.current_dir(&folder))?;
        fs::write(folder.join("installed"), "")?;
    }
    Ok(())
}

fn python(tools: &Tools) -> anyhow::Result<()> {
    let folder = tools.folder.join("python");
    if unchanged("", &["requirements.txt"], &folder)? {
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

/// A package that carries the weights of a small model. Nothing of it is run: only its data files are read.
const MODEL: &str = "wordllama==0.4.0.post1";

fn model(tools: &Tools) -> anyhow::Result<()> {
    let folder = tools.folder.join("wordllama");
    let installed = folder.join("installed");
    if fs::read_to_string(&installed).is_ok_and(|found| found == MODEL) {
        return Ok(());
    }
    fs::remove_dir_all(&folder).ok();
    let program = tools.folder.join("python/bin/python");
    let mut install = command(
        &program,
        &["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", MODEL, "--target"],
    );
    step("install a model of words", install.arg(&folder))?;
    fs::write(installed, MODEL)?;
    Ok(())
}

/// Source archives with traffic of GitHub that others have recorded, which tests read, and where they are put.
const RECORDED: [(&str, &str); 2] =
    [("PyGithub==2.10.0", "recorded"), ("github3.py==4.0.1", "recorded-matches")];

fn recorded(tools: &Tools) -> anyhow::Result<()> {
    for (package, to) in RECORDED {
        let folder = tools.folder.join(to);
        let installed = folder.join("installed");
        if fs::read_to_string(&installed).is_ok_and(|found| found == package) {
            continue;
        }
        fs::remove_dir_all(&folder).ok();
        let program = tools.folder.join("python/bin/python");
        let quiet = ["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"];
        let mut download = command(&program, &quiet);
        download.args(["--no-binary", ":all:", package, "--dest"]);
        step("download recorded traffic", download.arg(&folder))?;
        // Listed before anything is unpacked beside it.
        let archives = fs::read_dir(&folder)?.collect::<Result<Vec<_>, _>>()?;
        for archive in archives {
            let mut unpack = command(&program, &["-m", "tarfile", "--extract"]);
            step("unpack recorded traffic", unpack.arg(archive.path()).arg(&folder))?;
        }
        fs::write(installed, package)?;
    }
    Ok(())
}
