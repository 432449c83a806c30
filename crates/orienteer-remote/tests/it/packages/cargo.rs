//! Registries of crates.

use orienteer_remote::{Scheme, Secret};

use super::*;

const LINES: &str = concat!(
    r#"{"name":"demo_kit","vers":"1.9.0","deps":[],"cksum":"0","yanked":false}"#,
    "\n",
    r#"{"name":"demo_kit","vers":"1.10.0","deps":[{"name":"left","req":"^1","optional":false,"kind":"normal"}],"cksum":"0","yanked":false}"#,
    "\n",
    r#"{"name":"demo_kit","vers":"1.11.0","deps":[],"cksum":"0","yanked":true}"#,
    "\n",
);
const ABOUT: &str = r#"{"crate": {"name": "demo_kit", "description": "A demo\n", "repository": "https://github.com/o/kit",
    "homepage": null, "max_stable_version": "1.10.0"},
    "versions": [{"num": "1.11.0", "license": "X"}, {"num": "1.10.0", "license": "MIT", "published_by": {"login": "kim", "name": "Kim"}}]}"#;

fn demo(limit: usize) -> PackageSearch {
    PackageSearch { limit, metadata: true, ..question(Ecosystem::Cargo, "demo_kit") }
}

/// An index with its API in a folder of its own.
fn registry(with_api: bool) -> Stub {
    Stub::start(move |asked, _| {
        let host = asked.header("host").unwrap_or_default();
        match asked.target.as_str() {
            "/config.json" => {
                Answer::json(&format!(r#"{{"dl": "http://{host}/dl", "api": "http://{host}/web"}}"#))
            }
            "/de/mo/demo_kit" => Answer::status(200, LINES),
            "/web/api/v1/crates/demo_kit" if with_api => Answer::json(ABOUT),
            "/web/api/v1/crates?q=demo_kit&per_page=3" if with_api => Answer::json(
                r#"{"crates": [{"name": "demo_kit", "max_version": "1.10.0"},
                {"name": "demo-more", "max_version": "2.0.0-rc.1", "max_stable_version": "1.0.0", "description": "M"}]}"#,
            ),
            _ => Answer::status(404, ""),
        }
    })
}

#[tokio::test]
async fn the_index_has_versions_and_the_api_the_rest() {
    let stub = registry(true);
    let found = ask(&api(), &spec(stub.url().as_str()), &demo(1)).await.unwrap();
    let package = &found.rows[0];
    assert_eq!((package.version.as_str(), package.license.as_deref()), ("1.10.0", Some("MIT")));
    assert_eq!(package.description.as_deref(), Some("A demo"));
    assert_eq!(package.repository.as_ref().unwrap().owner.as_deref(), Some("o"));
    assert_eq!(package.author.as_deref(), Some("Kim"));
    assert_eq!(package.dependencies, [("left".into(), "^1".into())]);
    assert_eq!(package.releases[0].version, "1.11.0");
    assert!(package.releases[0].yanked);
    assert_eq!(found.note, None);
    assert_eq!(targets(&stub), ["/config.json", "/de/mo/demo_kit", "/web/api/v1/crates/demo_kit"]);
}

#[tokio::test]
async fn without_api_and_archive_the_index_alone_is_told() {
    let stub = registry(false);
    let found = ask(&api(), &spec(stub.url().as_str()), &demo(1)).await.unwrap();
    assert_eq!((found.rows[0].version.as_str(), found.rows[0].description.as_deref()), ("1.10.0", None));
    assert!(note(&found).contains("index alone") && note(&found).contains("not known"), "{}", note(&found));
    assert!(targets(&stub).contains(&"/dl/demo_kit/1.10.0/download".to_owned()), "{:?}", targets(&stub));
}

#[tokio::test]
async fn the_api_searches_and_a_registry_without_one_says_so() {
    let found = ask(&api(), &spec(registry(true).url().as_str()), &demo(3)).await.unwrap();
    assert_eq!(names(&found), ["demo_kit", "demo-more"]);
    assert_eq!((found.rows[1].found_by, found.rows[1].version.as_str()), (FoundBy::Search, "1.0.0"));
    let found = ask(&api(), &spec(registry(false).url().as_str()), &demo(3)).await.unwrap();
    assert_eq!(names(&found), ["demo_kit"]);
    assert!(note(&found).contains("no search"), "{}", note(&found));
}

#[tokio::test]
async fn a_token_is_shown_only_to_a_registry_that_wants_one() {
    for (required, hidden) in [(false, false), (true, false), (true, true)] {
        let stub = Stub::start(move |asked, _| {
            let knows = asked.header("authorization") == Some("s3cret");
            match asked.target.as_str() {
                "/config.json" if hidden && !knows => Answer::status(401, ""),
                "/config.json" => Answer::json(&format!(
                    r#"{{"dl": "https://dl.example.org", "auth-required": {required}}}"#
                )),
                _ if required && !knows => Answer::status(401, ""),
                "/de/mo/demo_kit" => Answer::status(200, LINES),
                _ => Answer::status(404, ""),
            }
        });
        let mut tokens = Tokens::default();
        tokens.add(stub.url().as_str(), &Secret::new("s3cret").unwrap(), &Scheme::Bare);
        let cargo = Ok(CargoRegistry { index: stub.url().to_string(), tokens });
        let spec = RegistrySpec { cargo, ..spec("https://unused.example.org/") };
        let found = ask(&api(), &spec, &demo(1)).await.unwrap();
        assert_eq!(found.rows[0].version, "1.10.0", "{required} {hidden}");
        let shown = stub.asked().iter().any(|asked| asked.header("authorization").is_some());
        assert_eq!(shown, required, "{required} {hidden}");
    }
}
