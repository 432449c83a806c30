//! What do Python's metadata say about a package, whichever way they came?
//!
//! The JSON answer of an index and the metadata file of a release have the same fields; both become [`Info`].

use orienteer_base::remote::{FoundBy, Package, PackageRepository};

use crate::packages::repository;

/// A licence as people name it is shorter; anything else is its text.
const LONGEST_LICENSE: usize = 100;

/// The fields of the core metadata that are of use.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Info {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) summary: Option<String>,
    pub(super) home_page: Option<String>,
    pub(super) license_expression: Option<String>,
    pub(super) license: Option<String>,
    pub(super) classifiers: Vec<String>,
    /// The author, then the maintainer: whoever is named first counts.
    pub(super) people: Vec<String>,
    /// Label and address.
    pub(super) urls: Vec<(String, String)>,
    pub(super) requires: Vec<String>,
}

impl Info {
    pub(super) fn package(self, metadata: bool) -> Package {
        let dependencies = self.requires.iter().map(|text| requirement(text));
        Package {
            license: self.license(),
            repository: self.repository(),
            homepage: self.homepage(),
            author: self.people.iter().find_map(|text| person(text)),
            deprecated: None,
            found_by: FoundBy::Exact,
            releases: Vec::new(),
            dist_tags: Vec::new(),
            dependencies: if metadata { dependencies.collect() } else { Vec::new() },
            name: self.name,
            version: self.version,
            description: self.summary,
        }
    }

    /// An expression, a short name, or what the classifiers say: some put the whole text of the licence there.
    fn license(&self) -> Option<String> {
        let short = |text: &&String| !text.contains('\n') && text.len() <= LONGEST_LICENSE;
        let classified = || {
            let names: Vec<&str> = self
                .classifiers
                .iter()
                .filter_map(|text| text.strip_prefix("License :: "))
                .map(|text| text.rsplit(" :: ").next().unwrap_or(text))
                .collect();
            (!names.is_empty()).then(|| names.join(", "))
        };
        let written = self.license_expression.as_ref().or(self.license.as_ref().filter(short));
        written.cloned().or_else(classified)
    }

    /// The address that is called source or repository; a home page only if it is certainly a repository.
    fn repository(&self) -> Option<PackageRepository> {
        let labelled = |wanted: &[&str]| {
            self.urls
                .iter()
                .filter(|(label, _)| wanted.contains(&plain(label).as_str()))
                .find_map(|(_, url)| repository::parse(url))
        };
        labelled(&["source", "sourcecode", "repository", "code", "github", "gitlab", "git", "scm", "repo"])
            .or_else(|| {
                let all = self.urls.iter().map(|(_, url)| url).chain(&self.home_page);
                all.filter_map(|url| repository::parse(url)).find(repository::is_certain)
            })
    }

    fn homepage(&self) -> Option<String> {
        let labelled =
            self.urls.iter().find(|(label, _)| plain(label) == "homepage").map(|(_, url)| url.clone());
        labelled.or_else(|| self.home_page.clone())
    }
}

/// A label as it is compared: without capitals, spaces and marks.
fn plain(label: &str) -> String {
    label.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// `Name <mail>`, several of them, or a mail alone.
fn person(text: &str) -> Option<String> {
    let first = text.split('<').next().unwrap_or_default().trim().trim_matches('"');
    let name = if first.is_empty() { text.trim() } else { first };
    (!name.is_empty()).then(|| name.to_owned())
}

/// `name[extra] (>=1); marker` as a name and everything else.
fn requirement(text: &str) -> (String, String) {
    let end = text.find(|c: char| !(c.is_alphanumeric() || "-_.".contains(c))).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    (name.to_owned(), rest.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(label: &str, url: &str) -> (String, String) {
        (label.into(), url.into())
    }

    #[test]
    fn the_repository_is_the_address_that_is_called_so() {
        let info = Info {
            urls: vec![
                url("Homepage", "https://github.com/o/page"),
                url("Bug Tracker", "https://github.com/o/r/issues"),
                url("Source-Code", "https://github.com/o/r"),
            ],
            ..Info::default()
        };
        let package = info.clone().package(false);
        assert_eq!(package.repository.unwrap().repo.as_deref(), Some("r"));
        assert_eq!(package.homepage.as_deref(), Some("https://github.com/o/page"));
        let info = Info { home_page: Some("https://github.com/o/r".into()), ..Info::default() };
        assert_eq!(info.package(false).repository.unwrap().owner.as_deref(), Some("o"));
        let info = Info { home_page: Some("https://example.org/o/r".into()), ..Info::default() };
        assert_eq!(info.package(false).repository, None);
    }

    #[test]
    fn the_text_of_a_licence_is_not_its_name() {
        let text = "Permission is hereby granted\nto everybody".to_owned();
        let classifiers = vec!["License :: OSI Approved :: MIT License".to_owned()];
        let info = Info { license: Some(text), classifiers, ..Info::default() };
        assert_eq!(info.license().as_deref(), Some("MIT License"));
        let info =
            Info { license_expression: Some("MIT".into()), license: Some("x".into()), ..Info::default() };
        assert_eq!(info.license().as_deref(), Some("MIT"));
    }

    #[test]
    fn people_and_requirements_are_taken_apart() {
        assert_eq!(person("Kim Doe <k@example.org>, Li <l@example.org>").as_deref(), Some("Kim Doe"));
        assert_eq!(person("k@example.org").as_deref(), Some("k@example.org"));
        assert_eq!(person(" ").as_deref(), None);
        assert_eq!(requirement("idna<4,>=2.5"), ("idna".into(), "<4,>=2.5".into()));
        assert_eq!(
            requirement("PySocks!=1.5.7; extra == \"socks\""),
            ("PySocks".into(), "!=1.5.7; extra == \"socks\"".into())
        );
        assert_eq!(requirement("a.b (>=1)"), ("a.b".into(), "(>=1)".into()));
    }
}
