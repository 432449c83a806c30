//! What do npm's documents say about a package?
//!
//! They are as old as npm, and every field has been written in every way: each is read if it can be, and left out
//! otherwise.

use std::collections::HashMap;

use orienteer_base::remote::{FoundBy, Package, PackageRelease, PackageRepository};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::packages::repository;
use crate::packages::version::newest;
use crate::packages::version::semver::Semver;

/// The document of a package: all its versions. Only the one that counts is read whole.
#[derive(Debug, Deserialize)]
pub(super) struct Document<'a> {
    #[serde(default, rename = "dist-tags")]
    tags: HashMap<String, String>,
    #[serde(borrow, default)]
    versions: HashMap<String, &'a RawValue>,
    #[serde(default)]
    time: HashMap<String, Value>,
    #[serde(default)]
    repository: Value,
}

/// What of a version is asked of all of them.
#[derive(Debug, Deserialize)]
struct Mark {
    #[serde(default)]
    deprecated: Value,
}

impl Document<'_> {
    /// The version that `npm install` would take, with the releases beside it where they are wanted.
    pub(super) fn package(&self, name: &str, metadata: bool, most_releases: usize) -> Option<Package> {
        let tagged = self.tags.get("latest").filter(|version| self.versions.contains_key(*version));
        let version = tagged.or_else(|| {
            newest(
                self.versions.keys(),
                |version| Semver::new(version),
                |version| Semver::new(version).is_finished(),
                |_| false,
            )
        })?;
        let manifest: Value = serde_json::from_str(self.versions.get(version)?.get()).ok()?;
        let mut package = manifest_package(name, &manifest, metadata)?;
        if package.repository.is_none() {
            package.repository = repository_of(&self.repository);
        }
        if metadata {
            package.releases = self.releases(most_releases);
            package.dist_tags = sorted_tags(&self.tags);
        }
        Some(package)
    }

    pub(super) fn count(&self) -> usize {
        self.versions.len()
    }

    /// The newest first. npm does not install a version that its author calls deprecated when it has another choice,
    /// which is what others call yanked.
    fn releases(&self, most: usize) -> Vec<PackageRelease> {
        let mut all: Vec<(Semver, &String)> =
            self.versions.keys().map(|version| (Semver::new(version), version)).collect();
        all.sort_by(|one, other| other.cmp(one));
        let release = |version: &String| PackageRelease {
            version: version.clone(),
            published_at: self.time.get(version).and_then(Value::as_str).map(str::to_owned),
            yanked: self
                .versions
                .get(version)
                .and_then(|raw| serde_json::from_str::<Mark>(raw.get()).ok())
                .is_some_and(|mark| deprecation(&mark.deprecated).is_some()),
        };
        all.into_iter().take(most).map(|(_, version)| release(version)).collect()
    }
}

/// `latest` first, then by name.
pub(super) fn sorted_tags(tags: &HashMap<String, String>) -> Vec<(String, String)> {
    let mut tags: Vec<_> = tags.iter().map(|(tag, version)| (tag.clone(), version.clone())).collect();
    tags.sort_by_key(|(tag, _)| (tag != "latest", tag.clone()));
    tags
}

/// One version, as its `package.json` had it.
pub(super) fn manifest_package(name: &str, manifest: &Value, metadata: bool) -> Option<Package> {
    let text = |field: &str| manifest.get(field).and_then(Value::as_str).filter(|text| !text.is_empty());
    let dependencies = || {
        let all = manifest.get("dependencies").and_then(Value::as_object).into_iter().flatten();
        all.filter_map(|(name, wanted)| Some((name.clone(), wanted.as_str()?.to_owned()))).collect()
    };
    Some(Package {
        name: text("name").unwrap_or(name).to_owned(),
        version: text("version")?.to_owned(),
        description: text("description").map(str::to_owned),
        license: license(manifest),
        repository: manifest.get("repository").and_then(repository_of),
        homepage: text("homepage").map(str::to_owned),
        author: manifest.get("author").and_then(person),
        deprecated: manifest.get("deprecated").and_then(deprecation),
        found_by: FoundBy::Exact,
        releases: Vec::new(),
        dist_tags: Vec::new(),
        dependencies: if metadata { dependencies() } else { Vec::new() },
    })
}

/// A text, or an object with an address and a folder.
pub(super) fn repository_of(value: &Value) -> Option<PackageRepository> {
    match value {
        Value::String(text) => repository::parse(text),
        Value::Object(fields) => {
            let mut found = repository::parse(fields.get("url")?.as_str()?)?;
            let folder = fields.get("directory").and_then(Value::as_str).filter(|folder| !folder.is_empty());
            found.directory = folder.map(str::to_owned).or(found.directory);
            Some(found)
        }
        _ => None,
    }
}

fn license(manifest: &Value) -> Option<String> {
    fn one(value: &Value) -> Option<String> {
        let name = value.as_str().or_else(|| value.get("type").and_then(Value::as_str))?;
        (!name.is_empty()).then(|| name.to_owned())
    }
    if let Some(found) = manifest.get("license").and_then(one) {
        return Some(found);
    }
    let all = manifest.get("licenses").or_else(|| manifest.get("license")).and_then(Value::as_array)?;
    let names: Vec<String> = all.iter().filter_map(one).collect();
    (!names.is_empty()).then(|| names.join(" OR "))
}

/// `Name <mail> (page)`, or an object: the name is what helps.
pub(super) fn person(value: &Value) -> Option<String> {
    let text = value.as_str().or_else(|| value.get("name").and_then(Value::as_str))?;
    let name = text.split(['<', '(']).next().unwrap_or_default().trim();
    let name = if name.is_empty() { text.trim() } else { name };
    (!name.is_empty()).then(|| name.to_owned())
}

fn deprecation(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Bool(true) => Some("deprecated, without a reason".to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_field_is_read_however_it_is_written() {
        let package = manifest_package(
            "a",
            &json!({"version": "1.0.0", "license": {"type": "MIT"}, "author": "Ann <a@example.org> (x)",
                "repository": {"type": "git", "url": "git+https://github.com/o/r.git", "directory": "packages/a"},
                "deprecated": "use b", "dependencies": {"z": "^1", "b": "2"}}),
            true,
        )
        .unwrap();
        assert_eq!(package.license.as_deref(), Some("MIT"));
        assert_eq!(package.author.as_deref(), Some("Ann"));
        assert_eq!(package.deprecated.as_deref(), Some("use b"));
        assert_eq!(package.repository.unwrap().directory.as_deref(), Some("packages/a"));
        assert_eq!(package.dependencies, [("z".into(), "^1".into()), ("b".into(), "2".into())]);
        let old = json!({"version": "0.1.0", "licenses": [{"type": "MIT"}, {"type": "BSD"}],
            "author": {"name": "Bo"}, "repository": "o/r", "deprecated": false, "description": 7});
        let package = manifest_package("a", &old, false).unwrap();
        assert_eq!((package.license.as_deref(), package.author.as_deref()), (Some("MIT OR BSD"), Some("Bo")));
        assert_eq!((package.deprecated, package.description), (None, None));
        assert_eq!(package.repository.unwrap().owner.as_deref(), Some("o"));
    }

    #[test]
    fn the_tagged_version_counts_and_releases_are_newest_first() {
        let text = r#"{"dist-tags": {"next": "2.0.0-rc.1", "latest": "1.9.0"},
            "versions": {"1.9.0": {"version": "1.9.0"}, "1.10.0": {"version": "1.10.0", "deprecated": "bad"},
                "2.0.0-rc.1": {"version": "2.0.0-rc.1"}},
            "time": {"1.9.0": "2020-01-01T00:00:00Z", "unpublished": {"x": 1}}}"#;
        let document: Document<'_> = serde_json::from_str(text).unwrap();
        let package = document.package("a", true, 2).unwrap();
        assert_eq!(package.version, "1.9.0");
        assert_eq!(package.dist_tags[0], ("latest".into(), "1.9.0".into()));
        let releases: Vec<_> =
            package.releases.iter().map(|one| (one.version.as_str(), one.yanked)).collect();
        assert_eq!(releases, [("2.0.0-rc.1", false), ("1.10.0", true)]);
        assert_eq!(document.count(), 3);
    }

    #[test]
    fn without_a_tag_the_newest_finished_version_counts() {
        let text = r#"{"versions": {"1.0.0": {"version": "1.0.0"}, "1.10.0": {"version": "1.10.0"},
            "2.0.0-rc.1": {"version": "2.0.0-rc.1"}}}"#;
        let document: Document<'_> = serde_json::from_str(text).unwrap();
        assert_eq!(document.package("a", false, 9).unwrap().version, "1.10.0");
        let gone: Document<'_> = serde_json::from_str(r#"{"time": {"unpublished": {}}}"#).unwrap();
        assert_eq!(gone.package("a", true, 9), None);
    }
}
