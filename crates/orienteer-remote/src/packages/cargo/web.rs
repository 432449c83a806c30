//! What does the API of a registry say about crates?

use orienteer_base::remote::{FoundBy, Package};
use serde::Deserialize;

use crate::packages::repository;

/// The answer about one crate.
#[derive(Debug, Deserialize)]
pub(super) struct Answer {
    #[serde(rename = "crate")]
    found: Crate,
    #[serde(default)]
    versions: Vec<Version>,
}

/// The answer to a search.
#[derive(Debug, Deserialize)]
pub(super) struct Found {
    crates: Vec<Crate>,
}

#[derive(Debug, Deserialize)]
struct Crate {
    name: String,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    homepage: Option<String>,
    #[serde(default)]
    repository: Option<String>,
    /// The names of the newest version have changed over the years.
    #[serde(default)]
    max_stable_version: Option<String>,
    #[serde(default)]
    max_version: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Version {
    num: String,
    #[serde(default)]
    license: Option<String>,
    #[serde(default)]
    yank_message: Option<String>,
    #[serde(default)]
    published_by: Option<Person>,
}

#[derive(Debug, Deserialize)]
struct Person {
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    login: Option<String>,
}

impl Answer {
    /// Adds what the index does not know.
    pub(super) fn complete(self, package: &mut Package) {
        self.found.complete(package);
        let Some(version) = self.versions.into_iter().find(|version| version.num == package.version) else {
            return;
        };
        package.license = version.license;
        package.author = version.published_by.and_then(|person| person.name.or(person.login));
        if let (Some(told), Some(reason)) = (&mut package.deprecated, version.yank_message) {
            *told = format!("yanked: {reason}");
        }
    }
}

impl Crate {
    fn complete(self, package: &mut Package) {
        let trimmed =
            |text: Option<String>| text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
        package.description = trimmed(self.description);
        package.repository = self.repository.as_deref().and_then(repository::parse);
        package.homepage = trimmed(self.homepage);
    }
}

impl Found {
    pub(super) fn packages(self) -> Vec<Package> {
        let package = |found: Crate| {
            let mut package = Package {
                name: found.name.clone(),
                version: found.max_stable_version.clone().or_else(|| found.max_version.clone())?,
                description: None,
                license: None,
                repository: None,
                homepage: None,
                author: None,
                deprecated: None,
                found_by: FoundBy::Search,
                releases: Vec::new(),
                dist_tags: Vec::new(),
                dependencies: Vec::new(),
            };
            found.complete(&mut package);
            Some(package)
        };
        self.crates.into_iter().filter_map(package).collect()
    }
}
