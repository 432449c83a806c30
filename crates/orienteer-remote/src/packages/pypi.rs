//! What does an index of Python packages say about a project?
//!
//! Beside a simple index there is often a JSON answer with everything in it. Where there is none, the simple index has
//! the files, and the metadata of the newest one say the rest. No index has a search.

mod info;
mod json;
mod metadata;
mod simple;

use orienteer_base::remote::{FoundBy, Package};
use orienteer_base::{ErrorKind, Problem};
use reqwest::Url;

use self::json::Project;
use super::ask::{Asker, Missing, address, below, linked, unreadable};
use super::names;
use super::registry::PythonIndexes;
use super::{Found, MOST_RELEASES};

const JSON: &str = "application/json";
/// The new form, or the old one.
const SIMPLE: &str =
    "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1";

/// All indexes, in the order in which they are asked.
pub(super) fn indexes(indexes: &PythonIndexes) -> Result<Vec<Url>, Problem> {
    let setting = "pip's settings (`pip config list`)";
    std::iter::once(&indexes.index_url).chain(&indexes.extra).map(|url| address(url, setting)).collect()
}

/// The project of this name, which is normalised already, from the first index that knows it.
pub(super) async fn exact(
    asker: &Asker,
    indexes: &[Url],
    name: &str,
    metadata: bool,
) -> Result<Option<Found>, Problem> {
    let mut failed = None;
    for index in indexes {
        match one(asker, index, name, metadata).await {
            Ok(found) => return Ok(Some(found)),
            Err(Missing::Absent) => {}
            // Another index may know it; if none does, this is the reason to tell.
            Err(missing) => failed = failed.or_else(|| missing.absent::<Found>().err()),
        }
    }
    failed.map_or(Ok(None), Err)
}

async fn one(asker: &Asker, index: &Url, name: &str, metadata: bool) -> Result<Found, Missing> {
    match project(asker, index, name, metadata).await {
        // No such door, or something else behind it: the simple index is the one that must be there.
        Err(Missing::Absent | Missing::Unreadable(_) | Missing::TooLarge) => {
            files(asker, index, name, metadata).await
        }
        // Some lock everything but the index.
        Err(Missing::Problem(problem)) if problem.kind == ErrorKind::AuthRequired => {
            files(asker, index, name, metadata).await
        }
        other => other,
    }
}

/// Where the JSON answers are, seen from a simple index: beside it.
fn beside(index: &Url) -> Option<Url> {
    let path = index.path().trim_end_matches('/');
    let (parent, _) = path.rsplit_once('/')?;
    let mut url = index.clone();
    url.set_path(&format!("{parent}/pypi"));
    Some(url)
}

async fn project(asker: &Asker, index: &Url, name: &str, metadata: bool) -> Result<Found, Missing> {
    let beside = beside(index).ok_or(Missing::Absent)?;
    let reply = asker.json(&below(&beside, &format!("{name}/json")), JSON).await?;
    let project: Project = reply.json().map_err(|error| Missing::Unreadable(error.into()))?;
    let package = project
        .package(metadata, MOST_RELEASES)
        .filter(|package| names::python(&package.name).as_deref() == Some(name))
        .ok_or_else(|| unreadable(&reply, "no name and version in the description of a project"))?;
    let mut found = Found::from(package);
    if metadata && found.package.releases.is_empty() {
        // Newer indexes leave the releases out there, because the simple index has them.
        if let Ok(releases) = releases(asker, index, name).await {
            found.package.releases = simple::listed(&releases, MOST_RELEASES);
            found.note_releases(releases.len());
        }
    } else if metadata {
        found.note_releases(project.count());
    }
    Ok(found)
}

/// All releases that the simple index has files of.
async fn releases(asker: &Asker, index: &Url, name: &str) -> Result<Vec<simple::Release>, Missing> {
    let url = below(index, &format!("{name}/"));
    let reply = asker.text(&url, SIMPLE).await?;
    let body = String::from_utf8_lossy(&reply.body);
    let files = simple::files(&body, &url);
    let files = files.ok_or_else(|| unreadable(&reply, "neither JSON nor HTML of an index"))?;
    Ok(simple::releases(name, files))
}

async fn files(asker: &Asker, index: &Url, name: &str, metadata: bool) -> Result<Found, Missing> {
    let releases = releases(asker, index, name).await?;
    let newest = simple::newest_of(&releases).ok_or(Missing::Absent)?;
    let described = match newest.metadata().and_then(|url| linked(index, url.as_str())) {
        Some(url) => description(asker, &url, name).await,
        None => None,
    };
    let mut found = match described {
        Some(info) => Found::from(info.package(metadata)),
        None => {
            let mut found = Found::from(bare(name, &newest.version));
            found.note(
                "the index has the files only: description, licence, repository and dependencies are not known"
                    .to_owned(),
            );
            found
        }
    };
    found.package.deprecated = newest.yanked();
    if metadata {
        found.package.releases = simple::listed(&releases, MOST_RELEASES);
        found.note_releases(releases.len());
    }
    Ok(found)
}

/// What stands beside a file. An index that promises it and does not have it is not worth an error.
async fn description(asker: &Asker, url: &Url, name: &str) -> Option<info::Info> {
    let reply = asker.text(url, "*/*").await.ok()?;
    let info = metadata::parse(&String::from_utf8_lossy(&reply.body))?;
    (names::python(&info.name).as_deref() == Some(name)).then_some(info)
}

fn bare(name: &str, version: &str) -> Package {
    Package {
        name: name.to_owned(),
        version: version.to_owned(),
        description: None,
        license: None,
        repository: None,
        homepage: None,
        author: None,
        deprecated: None,
        found_by: FoundBy::Exact,
        releases: Vec::new(),
        dist_tags: Vec::new(),
        dependencies: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_answers_are_beside_the_simple_index() {
        for (index, expected) in [
            ("https://example.org/simple", Some("https://example.org/pypi")),
            ("https://example.org/simple/", Some("https://example.org/pypi")),
            ("https://example.org/api/pypi/team/simple/", Some("https://example.org/api/pypi/team/pypi")),
            ("https://example.org/", None),
        ] {
            let found = beside(&Url::parse(index).unwrap());
            assert_eq!(found.as_ref().map(Url::as_str), expected, "{index}");
        }
    }
}
