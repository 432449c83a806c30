//! Under which names does code know a crate?
//!
//! A library is usually called like its package, and nothing says that it must be. What it is really called stands in the
//! manifest of the package: in the workspace, or where Cargo unpacked the source. Where neither is to be had the usual name
//! is looked for, and called a guess. It is looked for beside any other: a workspace may have more than one lock file.

use std::fs;
use std::path::{Path, PathBuf};

use orienteer_base::triage::Package;
use orienteer_base::{Cancel, Problem};
use orienteer_triage::manifest::same;
use orienteer_triage::module::Called;

use super::manifests::Brought;
use crate::Session;
use crate::blocking::blocking;

/// Registries whose sources lie on one machine.
const MOST_REGISTRIES: usize = 100;
/// A manifest is not longer.
const LARGEST: u64 = 4 << 20;

/// What a manifest of Cargo says about the package that it is of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Crate {
    pub(super) name: String,
    /// `None` where the workspace has it.
    version: Option<String>,
    library: String,
}

impl Crate {
    /// `None` for a manifest that is of no package, or that cannot be read.
    pub(super) fn read(text: &str) -> Option<Self> {
        let manifest: toml::Table = text.parse().ok()?;
        let package = manifest.get("package").or_else(|| manifest.get("project"))?;
        let name = package.get("name")?.as_str()?;
        let library = manifest.get("lib").and_then(|lib| lib.get("name")?.as_str());
        Some(Self {
            name: name.to_owned(),
            // Cargo takes a package without one for this.
            version: match package.get("version") {
                None => Some("0.0.0".to_owned()),
                Some(version) => version.as_str().map(str::to_owned),
            },
            library: library.unwrap_or(name).replace('-', "_"),
        })
    }
}

impl Session {
    /// The names by which code knows a package, as far as they can be known.
    pub(super) async fn names_in_code(
        &self,
        package: &Package,
        brought: Brought,
        cancel: &Cancel,
    ) -> Result<Called, Problem> {
        let mut called = Called { aliases: brought.aliases, libraries: Vec::new(), all: false };
        if package.ecosystem != "cargo" {
            return Ok(called);
        }
        called.libraries = brought.own.iter().map(|own| own.library.clone()).collect();
        // Code of a Cargo workspace knows no package that no manifest asks for, whatever its library is called.
        if !brought.any {
            called.all = brought.whole;
            return Ok(called);
        }
        let mut versions: Vec<String> = brought.versions.into_iter().collect();
        if versions.is_empty() {
            versions.extend(package.installed.clone());
        }
        let sources = self.cargo_home().map(|home| home.join("registry/src"));
        let (own, name, flag) = (brought.own, package.name.clone(), cancel.clone());
        let (found, all) = blocking(cancel, move || {
            let (mut found, mut all) = (Vec::new(), !versions.is_empty());
            for version in &versions {
                flag.check()?;
                let of = |is: Option<&str>| {
                    own.iter().find(|own| own.version.as_deref() == is).map(|own| own.library.clone())
                };
                let unpacked = || library(sources.as_deref()?, &name, version);
                // A manifest that takes its version from the workspace is the one that is meant when there is no other.
                let meant = || if versions.len() == 1 { of(None) } else { None };
                match of(Some(version.as_str())).or_else(unpacked).or_else(meant) {
                    Some(library) => found.push(library),
                    None => all = false,
                }
            }
            Ok((found, all))
        })
        .await?;
        called.libraries.extend(found);
        called.all = all;
        Ok(called)
    }

    fn cargo_home(&self) -> Option<PathBuf> {
        let environment = &self.engine().environment;
        let set = |name: &str| environment.get(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        set("CARGO_HOME").or_else(|| Some(set("HOME").or_else(|| set("USERPROFILE"))?.join(".cargo")))
    }
}

/// What the library of a package is called, by the source that Cargo unpacked from any registry.
fn library(sources: &Path, name: &str, version: &str) -> Option<String> {
    // Both come from a report, and become the name of a folder.
    let plain = |text: &str, also: &str| {
        let good = |c: char| c.is_ascii_alphanumeric() || also.contains(c);
        !text.is_empty() && text.chars().all(good)
    };
    if !plain(name, "-_") || !plain(version, ".+-") {
        return None;
    }
    let written = [name.to_owned(), name.replace('_', "-"), name.replace('-', "_")];
    let registries = fs::read_dir(sources).ok()?.flatten().take(MOST_REGISTRIES);
    registries.into_iter().find_map(|registry| {
        written.iter().find_map(|written| {
            let file = registry.path().join(format!("{written}-{version}")).join("Cargo.toml");
            let small = file.metadata().is_ok_and(|data| data.is_file() && data.len() <= LARGEST);
            let text = small.then(|| fs::read_to_string(file).ok()).flatten()?;
            Crate::read(&text).filter(|found| same("cargo", &found.name, name)).map(|found| found.library)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_says_what_its_library_is_called() {
        let library = |text: &str| Crate::read(text).map(|found| found.library);
        assert_eq!(library("[package]\nname = \"a-b\"\n").as_deref(), Some("a_b"));
        assert_eq!(library("[lib]\nname = 'x'\n[package]\nname = \"a-b\"\n").as_deref(), Some("x"));
        assert_eq!(library("lib.name = \"x-y\"\npackage.name = \"a-b\"\n").as_deref(), Some("x_y"));
        assert_eq!(library("[package]\nname = \"a\"\n[lib]\npath = \"b.rs\"\n").as_deref(), Some("a"));
        let version = |text: &str| Crate::read(text).and_then(|found| found.version);
        assert_eq!(version("[package]\nname = \"a\"\nversion = \"1.0.0\"\n").as_deref(), Some("1.0.0"));
        assert_eq!(version("[package]\nname = \"a\"\n").as_deref(), Some("0.0.0"));
        assert_eq!(version("[package]\nname = \"a\"\nversion.workspace = true\n"), None);
        for none in
            ["", "[workspace]\n", "[package]\nversion = \"1\"\n", "{{ template }}", "[package]\nname = 3\n"]
        {
            assert_eq!(library(none), None, "{none}");
        }
    }

    #[test]
    fn names_that_lead_elsewhere_are_not_followed() {
        let temp = tempfile::tempdir().unwrap();
        let sources = temp.path().join("src");
        for folder in ["src/registry/odd-1.0.0", "src/odd-1.0.0", "out"] {
            fs::create_dir_all(temp.path().join(folder)).unwrap();
            fs::write(temp.path().join(folder).join("Cargo.toml"), "[package]\nname = \"odd\"\n").unwrap();
        }
        assert_eq!(library(&sources, "odd", "1.0.0").as_deref(), Some("odd"));
        for (name, version) in
            [("odd", "1.0.1"), ("../odd", "1.0.0"), ("odd", "1.0.0/../../../out"), ("", "")]
        {
            assert_eq!(library(&sources, name, version), None, "{name} {version}");
        }
    }
}
