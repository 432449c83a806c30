//! Registries of npm.

use orienteer_base::remote::Package;
use orienteer_remote::{Scheme, Secret};

use super::*;

const LATEST: &str = r#"{"name": "demo", "version": "2.0.0", "description": "A demo", "license": "MIT",
    "author": {"name": "Kim"}, "homepage": "https://demo.example.org",
    "repository": {"type": "git", "url": "git+https://github.com/o/r.git", "directory": "packages/demo"},
    "dependencies": {"left": "^1.0.0"}, "deprecated": "use other"}"#;

fn whole() -> String {
    let versions: Vec<String> = (0..150)
        .map(|minor| format!(r#""1.{minor}.0": {{"name": "demo", "version": "1.{minor}.0"}}"#))
        .collect();
    format!(
        r#"{{"name": "demo", "dist-tags": {{"latest": "2.0.0", "next": "3.0.0-rc.1"}}, "versions": {{{}, "2.0.0": {LATEST}}},
        "time": {{"2.0.0": "2024-05-06T07:08:09Z"}}}}"#,
        versions.join(",")
    )
}

fn registry() -> Stub {
    let whole = whole();
    Stub::start(move |asked, _| match asked.target.as_str() {
        "/demo/latest" => Answer::json(LATEST),
        "/demo" => Answer::json(&whole),
        "/@team%2fdemo/latest" => Answer::json(r#"{"name": "@team/demo", "version": "1.0.0"}"#),
        _ => Answer::status(404, "{}"),
    })
}

async fn one(stub: &Stub, metadata: bool) -> Package {
    let query = PackageSearch { metadata, ..question(Ecosystem::Npm, "demo") };
    let mut found = ask(&api(), &spec(stub.url().as_str()), &query).await.unwrap();
    assert_eq!(found.rows.len(), 1);
    found.rows.remove(0)
}

#[tokio::test]
async fn without_metadata_the_newest_version_alone_is_asked_for() {
    let stub = registry();
    let package = one(&stub, false).await;
    assert_eq!(targets(&stub), ["/demo/latest"]);
    assert_eq!((package.version.as_str(), package.found_by), ("2.0.0", FoundBy::Exact));
    assert_eq!(package.author.as_deref(), Some("Kim"));
    assert_eq!(package.deprecated.as_deref(), Some("use other"));
    let repository = package.repository.unwrap();
    assert_eq!(repository.url, "https://github.com/o/r");
    assert_eq!(repository.directory.as_deref(), Some("packages/demo"));
    assert!(package.releases.is_empty() && package.dependencies.is_empty() && package.dist_tags.is_empty());
}

#[tokio::test]
async fn metadata_are_read_from_the_whole_document_and_bounded() {
    let stub = registry();
    let query = PackageSearch { metadata: true, ..question(Ecosystem::Npm, "demo") };
    let found = ask(&api(), &spec(stub.url().as_str()), &query).await.unwrap();
    assert_eq!(targets(&stub), ["/demo"]);
    let package = &found.rows[0];
    assert_eq!(package.releases.len(), 100);
    assert_eq!(package.releases[0].version, "2.0.0");
    assert_eq!(package.releases[0].published_at.as_deref(), Some("2024-05-06T07:08:09Z"));
    assert_eq!(package.releases[1].version, "1.149.0", "by number, not by letters");
    assert_eq!(package.dist_tags[0], ("latest".into(), "2.0.0".into()));
    assert_eq!(package.dependencies, [("left".into(), "^1.0.0".into())]);
    assert!(note(&found).contains("100 of 151"), "{}", note(&found));
}

#[tokio::test]
async fn a_registry_without_the_short_door_is_asked_for_the_document() {
    let whole = whole();
    let stub = Stub::start(move |asked, _| match asked.target.as_str() {
        "/demo" => Answer::json(&whole),
        _ => Answer::status(405, ""),
    });
    let package = one(&stub, false).await;
    assert_eq!((package.version.as_str(), package.releases.len()), ("2.0.0", 0));
    assert!(stub.asked()[1].header("accept").unwrap().contains("install-v1"), "the short form is enough");
}

#[tokio::test]
async fn a_document_that_is_too_large_costs_the_list_of_releases_only() {
    let stub = Stub::start(|asked, _| match asked.target.as_str() {
        "/demo" => Answer::json(&" ".repeat(49 << 20)),
        "/demo/latest" => Answer::json(LATEST),
        "/-/package/demo/dist-tags" => Answer::json(r#"{"beta": "3.0.0-b", "latest": "2.0.0"}"#),
        _ => Answer::status(404, ""),
    });
    let query = PackageSearch { metadata: true, ..question(Ecosystem::Npm, "demo") };
    let found = ask(&api(), &spec(stub.url().as_str()), &query).await.unwrap();
    assert_eq!(found.rows[0].version, "2.0.0");
    assert_eq!(found.rows[0].dist_tags.len(), 2);
    assert_eq!(found.rows[0].dependencies.len(), 1);
    assert!(note(&found).contains("too large"), "{}", note(&found));
}

#[tokio::test]
async fn a_scope_has_its_own_registry_and_its_token_goes_nowhere_else() {
    let (default, own) = (registry(), registry());
    let mut all = NpmRegistries { default: default.url().to_string(), ..NpmRegistries::default() };
    all.scopes.push(("@team".into(), own.url().to_string()));
    all.tokens.add(&format!("//{}/", own.name()), &Secret::new("s3cret").unwrap(), &Scheme::Bearer);
    let spec = RegistrySpec { npm: Ok(all), ..spec("https://unused.example.org/") };
    let api = api();
    let found = ask(&api, &spec, &question(Ecosystem::Npm, "@team/demo")).await.unwrap();
    assert_eq!(names(&found), ["@team/demo"]);
    ask(&api, &spec, &question(Ecosystem::Npm, "demo")).await.unwrap();
    assert_eq!(targets(&own), ["/@team%2fdemo/latest"]);
    assert_eq!(own.asked()[0].header("authorization"), Some("Bearer s3cret"));
    assert_eq!(targets(&default), ["/demo/latest"]);
    assert_eq!(default.asked()[0].header("authorization"), None);
}

fn searching() -> Stub {
    Stub::start(|asked, _| {
        if asked.target.starts_with("/-/v1/search?text=demo") {
            return Answer::json(
                r#"{"objects": [{"package": {"name": "demo", "version": "2.0.0"}},
                {"package": {"name": "demo-kit", "version": "0.1.0", "description": "More",
                "links": {"repository": "git@github.com:o/kit.git", "homepage": "https://kit.example.org"}}},
                {"package": {"name": "odd"}}, {"package": {"name": "demo-two", "version": "1.0.0"}}]}"#,
            );
        }
        if asked.target == "/demo/latest" { Answer::json(LATEST) } else { Answer::status(404, "") }
    })
}

#[tokio::test]
async fn more_rows_come_from_the_registrys_own_search() {
    let stub = searching();
    let query = PackageSearch { limit: 2, ..question(Ecosystem::Npm, "demo") };
    let found = ask(&api(), &spec(stub.url().as_str()), &query).await.unwrap();
    assert_eq!(names(&found), ["demo", "demo-kit"]);
    assert_eq!(found.rows[0].found_by, FoundBy::Exact);
    assert_eq!(found.rows[1].found_by, FoundBy::Search);
    assert_eq!(found.rows[1].repository.as_ref().unwrap().repo.as_deref(), Some("kit"));
    assert_eq!(found.rows[1].homepage.as_deref(), Some("https://kit.example.org"));
    assert_eq!(found.note, None);
}

#[tokio::test]
async fn words_are_searched_and_never_looked_up_as_a_name() {
    let stub = searching();
    let query = PackageSearch { limit: 5, ..question(Ecosystem::Npm, "demo thing") };
    let found = ask(&api(), &spec(stub.url().as_str()), &query).await.unwrap();
    assert_eq!(names(&found), ["demo", "demo-kit", "demo-two"]);
    assert_eq!(targets(&stub), ["/-/v1/search?text=demo+thing&size=5"]);
}

#[tokio::test]
async fn an_exact_hit_stands_when_the_search_is_missing_or_broken() {
    for status in [404, 500] {
        let stub = Stub::start(move |asked, _| {
            if asked.target == "/demo/latest" { Answer::json(LATEST) } else { Answer::status(status, "") }
        });
        let query = PackageSearch { limit: 3, ..question(Ecosystem::Npm, "demo") };
        let found = ask(&api(), &spec(stub.url().as_str()), &query).await.unwrap();
        assert_eq!(names(&found), ["demo"]);
        assert!(note(&found).contains("exact name alone"), "{}", note(&found));
        let guessed = targets(&stub).iter().any(|target| target.contains("demojs"));
        assert!(!guessed, "no names are tried when the name is known");
    }
}
