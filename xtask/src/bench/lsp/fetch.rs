//! Real projects, by package name and version, into the target folder; and the trees that are asked about.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use crate::install::Tools;
use crate::shell::{command, output, step};

/// The crates of ripgrep's repository, by the folder they are in there.
const RIPGREP: &[(&str, &str, &str)] = &[
    ("ripgrep", "15.2.0", ""),
    ("grep", "0.4.1", "crates/grep"),
    ("grep-cli", "0.1.12", "crates/cli"),
    ("grep-matcher", "0.1.9", "crates/matcher"),
    ("grep-printer", "0.3.1", "crates/printer"),
    ("grep-regex", "0.1.14", "crates/regex"),
    ("grep-searcher", "0.1.17", "crates/searcher"),
    ("ignore", "0.4.29", "crates/ignore"),
    ("globset", "0.4.19", "crates/globset"),
];
const EFFECT: &str = "4.1.0";
const DJANGO: &str = "5.2.8";
const RXJS: &str = "7.8.2";
const WERKZEUG: &str = "3.1.3";

/// Where the trees are. Not in the target folder: git ignores that, and so would every search of ours.
pub(super) fn projects() -> anyhow::Result<PathBuf> {
    let folder = std::env::temp_dir().join("orienteer-bench").join("lsp").join("projects");
    fs::create_dir_all(&folder)?;
    Ok(folder.canonicalize()?)
}

/// Makes a tree unless a former run did.
fn once(name: &str, make: impl FnOnce(&Path) -> anyhow::Result<()>) -> anyhow::Result<PathBuf> {
    let folder = projects()?.join(name);
    let made = projects()?.with_file_name(format!("{name}.made"));
    if made.exists() {
        return Ok(folder);
    }
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    make(&folder).with_context(|| format!("the sources of {name}"))?;
    fs::write(made, "")?;
    Ok(folder)
}

/// ripgrep's repository, put together again from its crates, with its dependencies beside it.
pub(super) fn ripgrep(downloads: &Path) -> anyhow::Result<PathBuf> {
    once("ripgrep", |folder| {
        let fetch = downloads.join("ripgrep");
        fs::create_dir_all(fetch.join("src"))?;
        fs::write(fetch.join("src/lib.rs"), "")?;
        let pins: String =
            RIPGREP.iter().map(|(name, version, _)| format!("{name} = \"={version}\"\n")).collect();
        let manifest = format!(
            "[package]\nname = \"fetch\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n{pins}"
        );
        fs::write(fetch.join("Cargo.toml"), manifest)?;
        let mut vendor = command("cargo", &["vendor", "--quiet"]);
        vendor.current_dir(&fetch);
        clean(&mut vendor);
        output(&mut vendor)?;
        for (name, _, place) in RIPGREP {
            let to = folder.join(place);
            copy(&fetch.join("vendor").join(name), &to)?;
            // The manifest as it is in the repository, where the crates are neighbours. PCRE2 is C.
            let original = fs::read_to_string(to.join("Cargo.toml.orig"))?;
            let lines = original.lines().filter_map(|line| match line {
                feature if feature.starts_with("pcre2 = [") => Some("pcre2 = []"),
                line => (!line.contains("pcre2")).then_some(line),
            });
            fs::write(to.join("Cargo.toml"), lines.collect::<Vec<_>>().join("\n"))?;
            fs::remove_file(to.join("Cargo.toml.orig"))?;
        }
        let mut vendor = command("cargo", &["vendor", "--quiet"]);
        vendor.current_dir(folder);
        clean(&mut vendor);
        output(&mut vendor)?;
        let config = "[source.crates-io]\nreplace-with = \"vendored-sources\"\n\n\
                      [source.vendored-sources]\ndirectory = \"vendor\"\n";
        fs::create_dir_all(folder.join(".cargo"))?;
        fs::write(folder.join(".cargo/config.toml"), config)?;
        repository(folder, "/target\n")?;
        // As a developer has it: built before. The benchmarks in it are for nightly compilers.
        let mut check = command("cargo", &["check", "--quiet", "--workspace", "--tests", "--offline"]);
        check.current_dir(folder);
        clean(&mut check);
        step("check ripgrep once", &mut check)
    })
}

/// `effect` as it is published, with a configuration by which its imports resolve.
pub(super) fn effect(downloads: &Path) -> anyhow::Result<PathBuf> {
    once("effect", |folder| {
        let fetch = downloads.join("effect");
        fs::create_dir_all(&fetch)?;
        let mut pack = command("npm", &["pack", "--silent", &format!("effect@{EFFECT}")]);
        output(pack.current_dir(&fetch))?;
        unpack(&fetch.join(format!("effect-{EFFECT}.tgz")), folder)?;
        let configuration = r#"{
  "compilerOptions": {
    "target": "ESNext",
    "module": "NodeNext",
    "moduleResolution": "NodeNext",
    "lib": ["ESNext", "DOM", "DOM.Iterable"],
    "types": [],
    "strict": true,
    "exactOptionalPropertyTypes": true,
    "noEmit": true,
    "skipLibCheck": true,
    "allowImportingTsExtensions": true,
    "paths": { "effect": ["./src/index.ts"], "effect/*": ["./src/*.ts", "./src/*/index.ts"] }
  },
  "include": ["src"]
}
"#;
        fs::write(folder.join("tsconfig.json"), configuration)?;
        Ok(())
    })
}

/// Django's source archive, with its tests.
pub(super) fn django(downloads: &Path, tools: &Tools) -> anyhow::Result<PathBuf> {
    python("django", DJANGO, downloads, tools)
}

/// Werkzeug's source archive, with its tests.
pub(super) fn werkzeug(downloads: &Path, tools: &Tools) -> anyhow::Result<PathBuf> {
    python("werkzeug", WERKZEUG, downloads, tools)
}

fn python(name: &str, version: &str, downloads: &Path, tools: &Tools) -> anyhow::Result<PathBuf> {
    once(name, |folder| {
        let fetch = downloads.join(name);
        fs::create_dir_all(&fetch)?;
        let mut download = command(
            tools.folder.join("python/bin/python"),
            &["-m", "pip", "download", "--quiet", "--no-binary", name, "--no-deps", "--dest"],
        );
        download.arg(&fetch).arg(format!("{name}=={version}"));
        output(&mut download)?;
        unpack(&fetch.join(format!("{name}-{version}.tar.gz")), folder)
    })
}

/// RxJS as it is published: small enough that the compiler can look at it hundreds of times.
pub(super) fn rxjs(downloads: &Path) -> anyhow::Result<PathBuf> {
    once("rxjs", |folder| {
        let fetch = downloads.join("rxjs");
        fs::create_dir_all(&fetch)?;
        let mut pack = command("npm", &["pack", "--silent", &format!("rxjs@{RXJS}")]);
        output(pack.current_dir(&fetch))?;
        unpack(&fetch.join(format!("rxjs-{RXJS}.tgz")), folder)?;
        let configuration = r#"{
  "compilerOptions": {
    "target": "ESNext",
    "module": "ESNext",
    "moduleResolution": "Bundler",
    "lib": ["ESNext", "DOM", "DOM.Iterable"],
    "types": [],
    "strict": true,
    "noEmit": true,
    "skipLibCheck": true
  },
  "include": ["src"]
}
"#;
        fs::write(folder.join("tsconfig.json"), configuration)?;
        Ok(())
    })
}

/// As little of a git repository as makes its ignore file count.
fn repository(folder: &Path, ignored: &str) -> anyhow::Result<()> {
    fs::create_dir_all(folder.join(".git/objects"))?;
    fs::create_dir_all(folder.join(".git/refs"))?;
    fs::write(folder.join(".git/HEAD"), "ref: refs/heads/main\n")?;
    fs::write(folder.join(".gitignore"), ignored)?;
    Ok(())
}

fn unpack(archive: &Path, to: &Path) -> anyhow::Result<()> {
    ensure!(archive.is_file(), "{} was not downloaded", archive.display());
    fs::create_dir_all(to)?;
    let mut tar = command("tar", &["--strip-components=1", "-xzf"]);
    output(tar.arg(archive).arg("-C").arg(to))?;
    Ok(())
}

fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

/// What the cargo that runs us told us is about our own workspace.
fn clean(command: &mut std::process::Command) {
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO") && text != "CARGO_HOME" {
            command.env_remove(&name);
        }
    }
}
