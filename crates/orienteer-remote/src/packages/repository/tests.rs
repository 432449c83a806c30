use super::*;

/// Host, owner, name, folder.
type Parts = (&'static str, &'static str, &'static str, Option<&'static str>);

fn parts(repository: &PackageRepository) -> (&str, &str, &str, Option<&str>) {
    (
        repository.host.as_deref().unwrap_or_default(),
        repository.owner.as_deref().unwrap_or_default(),
        repository.repo.as_deref().unwrap_or_default(),
        repository.directory.as_deref(),
    )
}

#[test]
fn every_spelling_names_host_owner_and_repository() {
    let plain: Parts = ("github.com", "npm", "node-semver", None);
    let table: &[(&str, Parts)] = &[
        ("npm/node-semver", plain),
        ("github:npm/node-semver", plain),
        ("https://github.com/npm/node-semver", plain),
        ("https://github.com/npm/node-semver/", plain),
        ("https://github.com/npm/node-semver.git", plain),
        ("http://www.github.com/npm/node-semver", plain),
        ("git+https://github.com/npm/node-semver.git", plain),
        ("git+https://github.com/npm/node-semver.git#main", plain),
        ("git+ssh://git@github.com/npm/node-semver.git", plain),
        ("ssh://git@github.com:22/npm/node-semver.git", plain),
        ("git+ssh://git@github.com:npm/node-semver.git", plain),
        ("git://github.com/npm/node-semver.git", plain),
        ("git@github.com:npm/node-semver.git", plain),
        ("git+git@github.com:npm/node-semver.git", plain),
        ("https://github.com/npm/node-semver/issues", plain),
        ("https://github.com/npm/node-semver#readme", plain),
        ("https://user@github.com/npm/node-semver", plain),
        (
            "https://github.com/babel/babel/tree/main/packages/babel-core",
            ("github.com", "babel", "babel", Some("packages/babel-core")),
        ),
        ("gitlab:group/name", ("gitlab.com", "group", "name", None)),
        ("gitlab:group/sub/name", ("gitlab.com", "group/sub", "name", None)),
        ("https://gitlab.com/group/sub/name.git", ("gitlab.com", "group/sub", "name", None)),
        (
            "https://gitlab.com/group/sub/name/-/tree/main/crates/a",
            ("gitlab.com", "group/sub", "name", Some("crates/a")),
        ),
        ("https://gitlab.com/group/name/tree/master", ("gitlab.com", "group", "name", None)),
        ("bitbucket:team/name", ("bitbucket.org", "team", "name", None)),
        ("https://codeberg.org/team/name/src/branch/main/x", ("codeberg.org", "team", "name", None)),
        ("https://git.example.org:8443/team/name", ("git.example.org:8443", "team", "name", None)),
        ("ssh://git@git.example.org:2222/team/name.git", ("git.example.org", "team", "name", None)),
        ("https://example.org/project", ("example.org", "", "", None)),
    ];
    for (written, expected) in table {
        let found = parse(written).unwrap_or_else(|| panic!("{written}"));
        assert_eq!(parts(&found), *expected, "{written}");
    }
}

#[test]
fn the_address_is_one_that_a_browser_opens() {
    for (written, url) in [
        ("git+ssh://git@github.com/a/b.git", "https://github.com/a/b"),
        ("git@gitlab.example.org:g/s/b.git", "https://gitlab.example.org/g/s/b"),
        ("ssh://git@git.example.org:2222/a/b.git", "https://git.example.org/a/b"),
        ("https://git.example.org:8443/a/b.git", "https://git.example.org:8443/a/b"),
        ("gist:11081aaa281", "https://gist.github.com/11081aaa281"),
        ("https://me:secret@github.com/a/b", "https://github.com/a/b"),
    ] {
        assert_eq!(parse(written).map(|found| found.url).as_deref(), Some(url), "{written}");
    }
}

#[test]
fn what_names_no_repository_is_none() {
    let long = format!("https://github.com/a/{}", "b".repeat(LONGEST));
    for written in [
        "",
        "  ",
        "name",
        "../up",
        "a/b/c",
        "@scope/name",
        "file:///tmp/x",
        "javascript:alert(1)",
        "a b/c",
        &long,
    ] {
        assert_eq!(parse(written), None, "{written}");
    }
}

#[test]
fn a_home_page_counts_only_when_it_is_a_repository() {
    let certain = |written| parse(written).is_some_and(|found| is_certain(&found));
    assert!(certain("https://github.com/a/b"));
    assert!(certain("https://gitlab.com/a/s/b"));
    assert!(!certain("https://example.org/a/b"));
    assert!(!certain("https://github.com/a"));
}
