//! Which packages are asked about? What `xtask/data/retrieval/packages.jsonl` says, and nothing else.

use std::path::PathBuf;

use anyhow::{Context, bail};
use serde_json::Value;

/// Rules are made by looking at one set; the other only tells whether they are any good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Set {
    Tuning,
    HeldOut,
}

impl Set {
    pub(super) const ALL: [Self; 2] = [Self::Tuning, Self::HeldOut];

    pub(super) fn id(self) -> &'static str {
        match self {
            Self::Tuning => "tuning",
            Self::HeldOut => "held-out",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Registry {
    Cargo,
    Npm,
    PyPi,
}

/// One archive of one version.
#[derive(Debug, Clone)]
pub(super) struct Package {
    /// Of the corpora; `None` is the peer.
    pub(super) set: Option<Set>,
    pub(super) registry: Registry,
    pub(super) name: String,
    pub(super) version: String,
    /// Of the archive as the registry gives it.
    pub(super) sha256: String,
    /// Files and folders of it that are sources; built copies and type declarations would repeat them.
    pub(super) take: Vec<String>,
}

impl Package {
    /// The folder it has in its tree.
    pub(super) fn folder(&self) -> String {
        self.name.trim_start_matches('@').replace('/', "-")
    }
}

/// The committed files of this benchmark.
pub(super) fn data() -> PathBuf {
    crate::shell::root().join("xtask/data/retrieval")
}

pub(super) fn all() -> anyhow::Result<Vec<Package>> {
    let path = data().join("packages.jsonl");
    let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    text.lines().map(|line| read(line).with_context(|| format!("packages.jsonl: {line}"))).collect()
}

fn read(line: &str) -> anyhow::Result<Package> {
    let row: Value = serde_json::from_str(line)?;
    let text = |key: &str| row[key].as_str().map(str::to_owned).with_context(|| format!("no `{key}`"));
    let set = text("set")?;
    Ok(Package {
        set: Set::ALL.into_iter().find(|known| known.id() == set),
        registry: match text("registry")?.as_str() {
            "cargo" => Registry::Cargo,
            "npm" => Registry::Npm,
            "pypi" => Registry::PyPi,
            other => bail!("`{other}` is none of cargo, npm, pypi"),
        },
        name: text("name")?,
        version: text("version")?,
        sha256: text("sha256")?,
        take: row["take"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_archive_is_pinned_and_no_package_is_in_both_sets() {
        let all = all().unwrap();
        let mut names: Vec<&str> = all.iter().map(|package| package.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all.len());
        for package in &all {
            assert!(package.sha256.len() == 64 && package.sha256.bytes().all(|c| c.is_ascii_hexdigit()));
            assert!(!package.version.is_empty() && !package.version.contains('*'), "{}", package.name);
        }
        for set in Set::ALL {
            assert!(all.iter().filter(|package| package.set == Some(set)).count() >= 6);
        }
        assert_eq!(all.iter().filter(|package| package.set.is_none()).count(), 1);
    }
}
