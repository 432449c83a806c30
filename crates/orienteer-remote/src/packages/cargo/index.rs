//! What does a sparse index say about a crate?

use orienteer_base::remote::{FoundBy, Package, PackageRelease};
use serde::Deserialize;

use crate::packages::version::newest;
use crate::packages::version::semver::Semver;

/// The file `config.json` of an index.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Config {
    pub(super) dl: String,
    /// Absent: there is nothing but the index.
    #[serde(default)]
    pub(super) api: Option<String>,
    /// Reading needs the token, too.
    #[serde(default, rename = "auth-required")]
    pub(super) auth_required: bool,
}

/// One line of a crate's file: one version.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Line {
    pub(super) name: String,
    pub(super) vers: String,
    #[serde(default)]
    deps: Vec<Dependency>,
    #[serde(default)]
    yanked: bool,
    #[serde(default)]
    pubtime: Option<String>,
    #[serde(default)]
    pub(super) cksum: String,
}

#[derive(Debug, Clone, Deserialize)]
struct Dependency {
    name: String,
    req: String,
    #[serde(default)]
    optional: bool,
    #[serde(default)]
    kind: Option<String>,
    /// The real name of one that was renamed.
    #[serde(default)]
    package: Option<String>,
}

impl Line {
    /// Where the crate itself is, by the pattern of `config.json`.
    pub(super) fn download(&self, pattern: &str) -> Option<String> {
        let file = path(&self.name);
        let prefix = file.rsplit_once('/')?.0;
        // The index spells in small letters; a mirror of files may want the name as it is.
        let spelled: String = match self.name.len() {
            0..=2 => prefix.to_owned(),
            3 => format!("3/{}", self.name.get(..1)?),
            _ => format!("{}/{}", self.name.get(..2)?, self.name.get(2..4)?),
        };
        let marks = [
            ("{crate}", self.name.as_str()),
            ("{version}", self.vers.as_str()),
            ("{prefix}", spelled.as_str()),
            ("{lowerprefix}", prefix),
            ("{sha256-checksum}", self.cksum.as_str()),
        ];
        if !marks.iter().any(|(mark, _)| pattern.contains(mark)) {
            return Some(format!("{}/{}/{}/download", pattern.trim_end_matches('/'), self.name, self.vers));
        }
        Some(marks.iter().fold(pattern.to_owned(), |text, (mark, value)| text.replace(mark, value)))
    }
}

/// Where a crate's file is below the index.
pub(super) fn path(name: &str) -> String {
    let name = name.to_ascii_lowercase();
    let part = |range: std::ops::Range<usize>| name.get(range).unwrap_or_default().to_owned();
    match name.len() {
        1 => format!("1/{name}"),
        2 => format!("2/{name}"),
        3 => format!("3/{}/{name}", part(0..1)),
        _ => format!("{}/{}/{name}", part(0..2), part(2..4)),
    }
}

/// All versions; lines that are not understood are passed over, as Cargo does.
pub(super) fn lines(body: &str) -> Vec<Line> {
    body.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// The version that Cargo would add.
pub(super) fn newest_of(lines: &[Line]) -> Option<&Line> {
    newest(
        lines,
        |line| Semver::new(&line.vers),
        |line| Semver::new(&line.vers).is_finished(),
        |line| line.yanked,
    )
}

/// What the index alone knows.
pub(super) fn package(lines: &[Line], metadata: bool, most_releases: usize) -> Option<Package> {
    let line = newest_of(lines)?;
    Some(Package {
        name: line.name.clone(),
        version: line.vers.clone(),
        description: None,
        license: None,
        repository: None,
        homepage: None,
        author: None,
        deprecated: line.yanked.then(|| "yanked: every release was taken back".to_owned()),
        found_by: FoundBy::Exact,
        releases: if metadata { releases(lines, most_releases) } else { Vec::new() },
        dist_tags: Vec::new(),
        dependencies: if metadata { dependencies(line) } else { Vec::new() },
    })
}

/// The newest first.
fn releases(lines: &[Line], most: usize) -> Vec<PackageRelease> {
    let mut all: Vec<&Line> = lines.iter().collect();
    all.sort_by_cached_key(|line| std::cmp::Reverse(Semver::new(&line.vers)));
    let release = |line: &&Line| PackageRelease {
        version: line.vers.clone(),
        published_at: line.pubtime.clone(),
        yanked: line.yanked,
    };
    all.iter().take(most).map(release).collect()
}

/// What a build needs; tests and build scripts are the crate's own business.
fn dependencies(line: &Line) -> Vec<(String, String)> {
    line.deps
        .iter()
        .filter(|one| one.kind.as_deref().unwrap_or("normal") == "normal")
        .map(|one| {
            let name = one.package.as_ref().unwrap_or(&one.name).clone();
            let req = if one.optional { format!("{} (optional)", one.req) } else { one.req.clone() };
            (name, req)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_tells_where_its_file_is() {
        for (name, expected) in [
            ("a", "1/a"),
            ("Ab", "2/ab"),
            ("syn", "3/s/syn"),
            ("rand", "ra/nd/rand"),
            ("Serde_JSON", "se/rd/serde_json"),
        ] {
            assert_eq!(path(name), expected);
        }
    }

    #[test]
    fn a_crate_is_where_the_pattern_says() {
        let line = r#"{"name":"Serde","vers":"1.0.0","cksum":"ab"}"#;
        let line = lines(line).remove(0);
        for (pattern, expected) in [
            (
                "https://x.example.org/api/v1/crates",
                "https://x.example.org/api/v1/crates/Serde/1.0.0/download",
            ),
            ("https://x.example.org/{prefix}/{crate}-{version}", "https://x.example.org/Se/rd/Serde-1.0.0"),
            ("https://x.example.org/{lowerprefix}/{sha256-checksum}", "https://x.example.org/se/rd/ab"),
        ] {
            assert_eq!(line.download(pattern).as_deref(), Some(expected));
        }
    }

    fn crate_lines() -> Vec<Line> {
        lines(concat!(
            r#"{"name":"demo","vers":"1.9.0","deps":[],"cksum":"0","features":{},"yanked":false,"pubtime":"2020-01-01T00:00:00Z"}"#,
            "\n",
            r#"{"name":"demo","vers":"1.10.0","deps":[{"name":"alias","package":"real","req":"^1","optional":false,"kind":"normal"},"#,
            r#"{"name":"extra","req":"^2","optional":true,"kind":null},{"name":"test","req":"*","optional":false,"kind":"dev"}],"#,
            r#""cksum":"1","features":{},"yanked":false}"#,
            "\nnot json\n",
            r#"{"name":"demo","vers":"1.11.0","deps":[],"cksum":"2","features":{},"yanked":true}"#,
            "\n",
            r#"{"name":"demo","vers":"2.0.0-rc.1","deps":[],"cksum":"3","features":{},"yanked":false}"#,
        ))
    }

    #[test]
    fn the_newest_version_is_finished_and_not_yanked() {
        let package = package(&crate_lines(), true, 3).unwrap();
        assert_eq!((package.version.as_str(), package.deprecated), ("1.10.0", None));
        assert_eq!(
            package.dependencies,
            [("real".into(), "^1".into()), ("extra".into(), "^2 (optional)".into())]
        );
        let releases: Vec<_> =
            package.releases.iter().map(|one| (one.version.as_str(), one.yanked)).collect();
        assert_eq!(releases, [("2.0.0-rc.1", false), ("1.11.0", true), ("1.10.0", false)]);
    }

    #[test]
    fn a_crate_that_was_taken_back_says_so() {
        let mut lines = crate_lines();
        lines.retain(|line| line.yanked);
        assert!(package(&lines, false, 0).unwrap().deprecated.unwrap().contains("every release"));
        lines.clear();
        assert_eq!(package(&lines, false, 0), None);
    }
}
