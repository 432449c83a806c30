//! Getting the archives: by package name and version, with each registry's own client, checked against the pinned
//! sums. Nothing of a package is built or run.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use serde_json::Value;

use super::packages::{Package, Registry};
use crate::install::Tools;
use crate::shell::{command, output};

/// Every package unpacked; a second run finds them there.
pub(super) fn all(tools: &Tools, packages: &[Package]) -> anyhow::Result<Vec<PathBuf>> {
    let downloads = super::folder(tools)?.join("downloads");
    let crates: Vec<&Package> =
        packages.iter().filter(|package| package.registry == Registry::Cargo).collect();
    let vendored = vendored(&downloads, &crates)?;
    packages
        .iter()
        .map(|package| {
            let unpacked = match package.registry {
                Registry::Cargo => Ok(vendored.join(&package.name)),
                Registry::Npm => npm(&downloads, package),
                Registry::PyPi => python(&downloads, tools, package),
            };
            let unpacked = unpacked.with_context(|| format!("{} {}", package.name, package.version))?;
            for part in &package.take {
                ensure!(unpacked.join(part).exists(), "{} has no `{part}`", package.name);
            }
            Ok(unpacked)
        })
        .collect()
}

/// Cargo checks the archives against its index and writes their sums beside what it unpacked.
fn vendored(downloads: &Path, crates: &[&Package]) -> anyhow::Result<PathBuf> {
    let pins: String = crates
        .iter()
        .map(|package| {
            // What follows a plus sign may not be asked for.
            let version = package.version.split('+').next().unwrap_or_default();
            format!("{} = {{ version = \"={version}\", default-features = false }}\n", package.name)
        })
        .collect();
    let manifest = format!(
        "[package]\nname = \"fetch\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n{pins}"
    );
    let folder = downloads.join("cargo");
    let vendor = folder.join("vendor");
    if fs::read_to_string(folder.join("made")).ok().as_deref() != Some(manifest.as_str()) {
        fs::create_dir_all(folder.join("src"))?;
        fs::write(folder.join("src/lib.rs"), "")?;
        fs::write(folder.join("Cargo.toml"), &manifest)?;
        let mut run = command("cargo", &["vendor", "--quiet"]);
        run.current_dir(&folder);
        // What the cargo that runs us told us is about our own workspace.
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            if text.starts_with("CARGO") && text != "CARGO_HOME" {
                run.env_remove(&name);
            }
        }
        output(&mut run)?;
        fs::write(folder.join("made"), &manifest)?;
    }
    for package in crates {
        let sums: Value = serde_json::from_str(&fs::read_to_string(
            vendor.join(&package.name).join(".cargo-checksum.json"),
        )?)?;
        check(package, sums["package"].as_str().unwrap_or_default())?;
    }
    Ok(vendor)
}

fn npm(downloads: &Path, package: &Package) -> anyhow::Result<PathBuf> {
    let folder = downloads.join("npm").join(package.folder());
    unpacked(&folder, package, |archive| {
        let mut pack =
            command("npm", &["pack", "--silent", &format!("{}@{}", package.name, package.version)]);
        output(pack.current_dir(archive))?;
        Ok(())
    })?;
    Ok(folder.join("unpacked/package"))
}

/// The wheel, since it is the package as it is installed and nothing has to be built to get it.
fn python(downloads: &Path, tools: &Tools, package: &Package) -> anyhow::Result<PathBuf> {
    let folder = downloads.join("pypi").join(package.folder());
    unpacked(&folder, package, |archive| {
        let mut download = command(
            tools.folder.join("python/bin/python"),
            &["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", "--dest"],
        );
        output(download.arg(archive).arg(format!("{}=={}", package.name, package.version)))?;
        Ok(())
    })?;
    Ok(folder.join("unpacked"))
}

/// Downloads one archive into a folder of its own, checks it and unpacks it, unless that was done.
fn unpacked(
    folder: &Path,
    package: &Package,
    download: impl FnOnce(&Path) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    if fs::read_to_string(folder.join("made")).ok().as_deref() == Some(package.sha256.as_str()) {
        return Ok(());
    }
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    let (archive, to) = (folder.join("archive"), folder.join("unpacked"));
    fs::create_dir_all(&archive)?;
    fs::create_dir_all(&to)?;
    download(&archive)?;
    let file = fs::read_dir(&archive)?.next().context("nothing was downloaded")??.path();
    check(package, &sum(&file)?)?;
    if file.extension().is_some_and(|extension| extension == "whl") {
        let mut unzip = command("python3", &["-m", "zipfile", "-e"]);
        output(unzip.arg(&file).arg(&to))?;
    } else {
        let mut tar = command("tar", &["-xzf"]);
        output(tar.arg(&file).arg("-C").arg(&to))?;
    }
    fs::write(folder.join("made"), &package.sha256)?;
    Ok(())
}

fn check(package: &Package, found: &str) -> anyhow::Result<()> {
    ensure!(
        found == package.sha256,
        "{} {} has the SHA-256 {found}, and {} is pinned in xtask/data/retrieval/packages.jsonl",
        package.name,
        package.version,
        package.sha256
    );
    Ok(())
}

/// The SHA-256 of a file, by the program that the system has.
fn sum(file: &Path) -> anyhow::Result<String> {
    for (program, arguments) in [("sha256sum", &[][..]), ("shasum", &["-a", "256"][..])] {
        if let Ok(line) = output(command(program, arguments).arg(file)) {
            return Ok(line.split_whitespace().next().unwrap_or_default().to_owned());
        }
    }
    bail!("neither `sha256sum` nor `shasum` runs here")
}
