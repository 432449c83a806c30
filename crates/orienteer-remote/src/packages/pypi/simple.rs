//! Which files does a simple index have of a project, and which of them is the newest?
//!
//! The index answers in JSON (PEP 691) or in HTML (PEP 503); the second is read without understanding more of HTML than
//! links.

mod html;

use std::collections::BTreeMap;

use orienteer_base::remote::PackageRelease;
use reqwest::Url;
use serde::Deserialize;
use serde_json::Value;

use crate::packages::names;
use crate::packages::version::newest;
use crate::packages::version::pep440::Pep440;

/// One file that can be downloaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct File {
    pub(super) name: String,
    pub(super) url: Url,
    /// The reason, where somebody gave one.
    pub(super) yanked: Option<String>,
    /// Its metadata are beside it, under the same address with `.metadata` behind.
    pub(super) has_metadata: bool,
    pub(super) uploaded: Option<String>,
}

/// All files of one version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Release {
    pub(super) version: String,
    pub(super) files: Vec<File>,
}

impl Release {
    fn is_yanked(&self) -> bool {
        self.files.iter().all(|file| file.yanked.is_some())
    }

    /// Why it was taken back, when all of it was.
    pub(super) fn yanked(&self) -> Option<String> {
        let reason =
            self.files.iter().find_map(|file| file.yanked.clone().filter(|reason| !reason.is_empty()));
        self.is_yanked().then(|| format!("yanked: {}", reason.as_deref().unwrap_or("without a reason")))
    }

    /// Where its metadata can be read.
    pub(super) fn metadata(&self) -> Option<Url> {
        let file = self.files.iter().find(|file| file.has_metadata)?;
        let mut url = file.url.clone();
        url.set_path(&format!("{}.metadata", file.url.path()));
        Some(url)
    }
}

#[derive(Debug, Deserialize)]
struct Answer {
    files: Vec<AnswerFile>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct AnswerFile {
    filename: String,
    url: String,
    #[serde(default)]
    yanked: Value,
    #[serde(default)]
    core_metadata: Value,
    /// The name that it had first.
    #[serde(default)]
    dist_info_metadata: Value,
    #[serde(default)]
    upload_time: Option<String>,
}

/// Reads an answer of either kind. Addresses in it may be relative to its own.
pub(super) fn files(body: &str, base: &Url) -> Option<Vec<File>> {
    if !body.trim_start().starts_with('{') {
        return html::files(body, base);
    }
    let answer: Answer = serde_json::from_str(body).ok()?;
    let is_there = |value: &Value| value.is_object() || value.as_bool() == Some(true);
    let file = |file: AnswerFile| {
        Some(File {
            url: base.join(&file.url).ok()?,
            yanked: match file.yanked {
                Value::String(reason) => Some(reason),
                Value::Bool(true) => Some(String::new()),
                _ => None,
            },
            has_metadata: is_there(&file.core_metadata) || is_there(&file.dist_info_metadata),
            uploaded: file.upload_time,
            name: file.filename,
        })
    };
    Some(answer.files.into_iter().filter_map(file).collect())
}

/// Files by version. What is named in no known way is passed over.
pub(super) fn releases(project: &str, files: Vec<File>) -> Vec<Release> {
    let mut all: BTreeMap<String, Vec<File>> = BTreeMap::new();
    for file in files {
        if let Some(version) = version(project, &file.name) {
            all.entry(version).or_default().push(file);
        }
    }
    all.into_iter().map(|(version, files)| Release { version, files }).collect()
}

/// The one that pip would install.
pub(super) fn newest_of(releases: &[Release]) -> Option<&Release> {
    newest(
        releases,
        |release| Pep440::new(&release.version),
        |release| Pep440::new(&release.version).is_finished(),
        Release::is_yanked,
    )
}

/// As an answer lists them, the newest first.
pub(super) fn listed(releases: &[Release], most: usize) -> Vec<PackageRelease> {
    let mut all: Vec<&Release> = releases.iter().collect();
    all.sort_by_cached_key(|release| std::cmp::Reverse(Pep440::new(&release.version)));
    let listed = |release: &&Release| PackageRelease {
        version: release.version.clone(),
        published_at: release.files.iter().filter_map(|file| file.uploaded.clone()).min(),
        yanked: release.is_yanked(),
    };
    all.iter().take(most).map(listed).collect()
}

/// The version in the name of a file. The name of the project may be spelled in any way and have hyphens, too.
fn version(project: &str, file: &str) -> Option<String> {
    let stem = [".whl", ".tar.gz", ".zip", ".tar.bz2", ".tgz", ".egg", ".tar.xz"]
        .iter()
        .find_map(|suffix| file.strip_suffix(suffix))?;
    let is_sound = |version: &str| Pep440::new(version).is_version();
    for (at, _) in stem.match_indices('-') {
        let (name, rest) = (stem.get(..at)?, stem.get(at + 1..)?);
        if names::python(name).as_deref() != Some(project) {
            continue;
        }
        // A wheel names Python and platform after the version; versions themselves may have hyphens when they are old.
        let first = rest.split('-').next().unwrap_or(rest);
        let is_archive = !file.ends_with(".whl") && !file.ends_with(".egg");
        if is_archive && is_sound(rest) {
            return Some(rest.to_owned());
        }
        if is_sound(first) {
            return Some(first.to_owned());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base() -> Url {
        Url::parse("https://index.example.org/simple/demo-one/").unwrap()
    }

    #[test]
    fn versions_are_found_in_the_names_of_files() {
        for (file, expected) in [
            ("demo_one-1.2.3-py3-none-any.whl", Some("1.2.3")),
            ("Demo.One-1.2.3.tar.gz", Some("1.2.3")),
            ("demo-one-1.2.3.zip", Some("1.2.3")),
            ("demo_one-1.0rc1-1-cp311-cp311-linux_x86_64.whl", Some("1.0rc1")),
            ("demo-one-1.0-1.tar.gz", Some("1.0-1")),
            ("demo-one-extra-1.0.tar.gz", None),
            ("demo_one-1.0.exe", None),
            ("demo_one.whl", None),
        ] {
            assert_eq!(version("demo-one", file).as_deref(), expected, "{file}");
        }
    }

    #[test]
    fn the_newest_release_is_finished_and_not_yanked_where_there_is_one() {
        let json = r#"{"meta": {"api-version": "1.1"}, "name": "demo-one", "files": [
            {"filename": "demo_one-1.9.tar.gz", "url": "../../f/demo_one-1.9.tar.gz", "yanked": false, "hashes": {}},
            {"filename": "demo_one-1.10-py3-none-any.whl", "url": "https://files.example.org/demo_one-1.10-py3-none-any.whl?x=1#y",
             "core-metadata": {"sha256": "00"}, "upload-time": "2020-01-01T00:00:00Z"},
            {"filename": "demo_one-1.11.tar.gz", "url": "x", "yanked": "broken"},
            {"filename": "demo_one-2.0rc1.tar.gz", "url": "x"}]}"#;
        let releases = releases("demo-one", files(json, &base()).unwrap());
        let newest = newest_of(&releases).unwrap();
        assert_eq!(newest.version, "1.10");
        assert_eq!(
            newest.metadata().unwrap().as_str(),
            "https://files.example.org/demo_one-1.10-py3-none-any.whl.metadata?x=1#y"
        );
        let listed = listed(&releases, 3);
        let listed: Vec<_> = listed.iter().map(|one| (one.version.as_str(), one.yanked)).collect();
        assert_eq!(listed, [("2.0rc1", false), ("1.11", true), ("1.10", false)]);
        let old = releases.iter().find(|one| one.version == "1.9").unwrap();
        assert_eq!(old.files[0].url.as_str(), "https://index.example.org/f/demo_one-1.9.tar.gz");
        let yanked = releases.iter().find(|one| one.version == "1.11").unwrap();
        assert_eq!(yanked.yanked().as_deref(), Some("yanked: broken"));
    }

    #[test]
    fn what_is_no_list_of_files_is_none() {
        assert_eq!(files("{\"message\": \"no\"}", &base()), None);
        assert_eq!(files("{", &base()), None);
    }
}
