//! What does the JSON answer of an index say about a project?

use std::collections::HashMap;

use orienteer_base::remote::{Package, PackageRelease};
use serde::Deserialize;
use serde_json::Value;

use super::info::Info;
use crate::packages::version::pep440::Pep440;

#[derive(Debug, Deserialize)]
pub(super) struct Project {
    info: Value,
    #[serde(default)]
    releases: HashMap<String, Vec<File>>,
}

/// One file of a release; a release without files was deleted.
#[derive(Debug, Deserialize)]
struct File {
    #[serde(default)]
    upload_time_iso_8601: Option<String>,
    #[serde(default)]
    yanked: bool,
}

impl Project {
    /// Nothing when the answer is not about a project.
    pub(super) fn package(&self, metadata: bool, most_releases: usize) -> Option<Package> {
        let mut package = self.info()?.package(metadata);
        let reason =
            self.info.get("yanked_reason").and_then(Value::as_str).filter(|reason| !reason.is_empty());
        if self.info.get("yanked").and_then(Value::as_bool) == Some(true) {
            package.deprecated = Some(format!("yanked: {}", reason.unwrap_or("without a reason")));
        }
        if metadata {
            package.releases = self.releases(most_releases);
        }
        Some(package)
    }

    pub(super) fn count(&self) -> usize {
        self.releases.values().filter(|files| !files.is_empty()).count()
    }

    fn info(&self) -> Option<Info> {
        let text = |field: &str| {
            let text = self.info.get(field).and_then(Value::as_str).map(str::trim);
            text.filter(|text| !text.is_empty() && *text != "UNKNOWN").map(str::to_owned)
        };
        let list = |field: &str| {
            let all = self.info.get(field).and_then(Value::as_array).into_iter().flatten();
            all.filter_map(|item| item.as_str().map(str::to_owned)).collect::<Vec<_>>()
        };
        let urls = self.info.get("project_urls").and_then(Value::as_object).into_iter().flatten();
        let people = ["author", "author_email", "maintainer", "maintainer_email"];
        Some(Info {
            name: text("name")?,
            version: text("version")?,
            summary: text("summary"),
            home_page: text("home_page"),
            license_expression: text("license_expression"),
            license: text("license"),
            classifiers: list("classifiers"),
            people: people.into_iter().filter_map(text).collect(),
            urls: urls.filter_map(|(label, url)| Some((label.clone(), url.as_str()?.to_owned()))).collect(),
            requires: list("requires_dist"),
        })
    }

    /// The newest first.
    fn releases(&self, most: usize) -> Vec<PackageRelease> {
        let mut all: Vec<(Pep440, &String, &Vec<File>)> = self
            .releases
            .iter()
            .filter(|(_, files)| !files.is_empty())
            .map(|(version, files)| (Pep440::new(version), version, files))
            .collect();
        all.sort_by(|one, other| (&other.0, other.1).cmp(&(&one.0, one.1)));
        all.into_iter()
            .take(most)
            .map(|(_, version, files)| PackageRelease {
                version: version.clone(),
                published_at: files.iter().filter_map(|file| file.upload_time_iso_8601.clone()).min(),
                yanked: files.iter().all(|file| file.yanked),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project(text: &str) -> Project {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn a_project_is_read_with_its_releases() {
        let project = project(
            r#"{"info": {"name": "Demo", "version": "1.10", "summary": "A demo", "author": "", "author_email": "Kim <k@x.org>",
            "license": null, "classifiers": ["License :: OSI Approved :: MIT License"], "yanked": true,
            "yanked_reason": "broken", "project_urls": {"Source": "https://github.com/o/r"}, "requires_dist": ["idna<4"]},
            "releases": {"1.9": [{"yanked": false, "upload_time_iso_8601": "2020-01-02T00:00:00Z"},
            {"yanked": true, "upload_time_iso_8601": "2020-01-01T00:00:00Z"}],
            "1.10": [{"yanked": true}], "1.8": []}}"#,
        );
        let package = project.package(true, 10).unwrap();
        assert_eq!((package.name.as_str(), package.version.as_str()), ("Demo", "1.10"));
        assert_eq!(package.author.as_deref(), Some("Kim"));
        assert_eq!(package.license.as_deref(), Some("MIT License"));
        assert_eq!(package.deprecated.as_deref(), Some("yanked: broken"));
        let releases: Vec<_> =
            package.releases.iter().map(|one| (one.version.as_str(), one.yanked)).collect();
        assert_eq!(releases, [("1.10", true), ("1.9", false)]);
        assert_eq!(package.releases[1].published_at.as_deref(), Some("2020-01-01T00:00:00Z"));
        assert_eq!(project.count(), 2);
    }

    #[test]
    fn an_answer_about_something_else_is_none() {
        assert_eq!(project(r#"{"info": "no"}"#).package(true, 1), None);
        assert_eq!(project(r#"{"info": {"name": "x"}}"#).package(true, 1), None);
    }
}
