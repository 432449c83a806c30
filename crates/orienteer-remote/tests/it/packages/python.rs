//! Indexes of Python packages.

use super::*;

const PROJECT: &str = r#"{"info": {"name": "Demo.Kit", "version": "1.10", "summary": "A demo", "license_expression": "MIT",
    "project_urls": {"Source": "https://gitlab.com/g/s/kit"}, "requires_dist": ["idna<4"], "yanked": false},
    "releases": {"1.9": [{"yanked": true}], "1.10": [{"upload_time_iso_8601": "2024-01-01T00:00:00Z"}]}}"#;
const METADATA: &str = "Metadata-Version: 2.4\nName: Demo_Kit\nVersion: 1.10\nSummary: From the file\n\
    License-Expression: BSD-3-Clause\nProject-URL: Repository, https://github.com/o/kit\nRequires-Dist: idna<4\n\nText";

fn demo(metadata: bool) -> PackageSearch {
    PackageSearch { metadata, ..question(Ecosystem::Python, "Demo_Kit") }
}

#[tokio::test]
async fn the_answer_beside_the_index_has_everything() {
    let stub = Stub::start(|_, _| Answer::json(PROJECT));
    let found = ask(&api(), &spec(stub.url().as_str()), &demo(true)).await.unwrap();
    assert_eq!(targets(&stub), ["/pypi/demo-kit/json"]);
    let package = &found.rows[0];
    assert_eq!((package.name.as_str(), package.version.as_str()), ("Demo.Kit", "1.10"));
    assert_eq!(package.found_by, FoundBy::Exact, "spellings of one name are one name");
    let repository = package.repository.as_ref().unwrap();
    assert_eq!((repository.owner.as_deref(), repository.repo.as_deref()), (Some("g/s"), Some("kit")));
    let releases: Vec<_> = package.releases.iter().map(|one| (one.version.as_str(), one.yanked)).collect();
    assert_eq!(releases, [("1.10", false), ("1.9", true)]);
    assert_eq!(package.dependencies, [("idna".into(), "<4".into())]);
}

#[tokio::test]
async fn releases_come_from_the_simple_index_where_the_answer_has_none() {
    let stub = Stub::start(|asked, _| match asked.target.as_str() {
        "/pypi/demo-kit/json" => Answer::json(r#"{"info": {"name": "demo-kit", "version": "1.10"}}"#),
        _ => Answer::json(
            r#"{"files": [{"filename": "demo_kit-1.9.zip", "url": "a"}, {"filename": "demo_kit-1.10.zip", "url": "b"}]}"#,
        ),
    });
    let found = ask(&api(), &spec(stub.url().as_str()), &demo(true)).await.unwrap();
    let releases: Vec<_> = found.rows[0].releases.iter().map(|one| one.version.as_str()).collect();
    assert_eq!(releases, ["1.10", "1.9"]);
}

#[tokio::test]
async fn an_index_alone_is_read_with_the_metadata_of_the_newest_file() {
    let stub = Stub::start(|asked, _| match asked.target.as_str() {
        "/simple/demo-kit/" => Answer::json(
            r#"{"meta": {"api-version": "1.1"}, "name": "demo-kit", "files": [
            {"filename": "demo_kit-1.9.tar.gz", "url": "../../files/demo_kit-1.9.tar.gz"},
            {"filename": "demo_kit-1.10-py3-none-any.whl", "url": "../../files/demo_kit-1.10-py3-none-any.whl?v=1",
             "core-metadata": {"sha256": "0"}},
            {"filename": "demo_kit-1.11.tar.gz", "url": "/x", "yanked": "broken"}]}"#,
        ),
        "/files/demo_kit-1.10-py3-none-any.whl.metadata?v=1" => Answer::status(200, METADATA),
        _ => Answer::status(404, ""),
    });
    let found = ask(&api(), &spec(stub.url().as_str()), &demo(true)).await.unwrap();
    let package = &found.rows[0];
    assert_eq!((package.version.as_str(), package.deprecated.as_deref()), ("1.10", None));
    assert_eq!(package.description.as_deref(), Some("From the file"));
    assert_eq!(package.license.as_deref(), Some("BSD-3-Clause"));
    assert_eq!(package.repository.as_ref().unwrap().owner.as_deref(), Some("o"));
    assert_eq!(package.releases[0].version, "1.11");
    assert!(package.releases[0].yanked);
    assert_eq!(found.note, None);
    let accept = stub.asked()[1].header("accept").unwrap().to_owned();
    assert!(accept.contains("vnd.pypi.simple.v1+json") && accept.contains("text/html"), "{accept}");
}

#[tokio::test]
async fn a_page_without_metadata_says_what_is_not_known() {
    let stub = Stub::start(|asked, _| match asked.target.as_str() {
        "/simple/demo-kit/" => Answer::status(
            200,
            "<!DOCTYPE html><html><a href=\"/f/demo_kit-1.9.zip#sha256=0\">demo_kit-1.9.zip</a>\
             <a href='/f/demo_kit-2.0b1.zip'>x</a></html>",
        )
        .with("Content-Type", "text/html"),
        _ => Answer::status(404, ""),
    });
    let found = ask(&api(), &spec(stub.url().as_str()), &demo(false)).await.unwrap();
    assert_eq!((found.rows[0].name.as_str(), found.rows[0].version.as_str()), ("demo-kit", "1.9"));
    assert!(note(&found).contains("not known"), "{}", note(&found));
}

#[tokio::test]
async fn metadata_of_another_project_or_none_at_all_are_not_believed() {
    for metadata in [METADATA.replace("Demo_Kit", "another"), "<html>".into()] {
        let stub = Stub::start(move |asked, _| match asked.target.as_str() {
            "/simple/demo-kit/" => Answer::json(
                r#"{"files": [{"filename": "demo_kit-1.10.zip", "url": "/f/demo_kit-1.10.zip", "core-metadata": true}]}"#,
            ),
            "/f/demo_kit-1.10.zip.metadata" => Answer::status(200, &metadata),
            _ => Answer::status(404, ""),
        });
        let found = ask(&api(), &spec(stub.url().as_str()), &demo(false)).await.unwrap();
        assert_eq!((found.rows[0].name.as_str(), found.rows[0].description.as_deref()), ("demo-kit", None));
        assert!(note(&found).contains("not known"), "{}", note(&found));
    }
}

#[tokio::test]
async fn something_else_beside_the_index_is_passed_over() {
    for other in [
        Answer::status(200, "<html>a page of another program").with("Content-Type", "text/html"),
        Answer::json(r#"{"info": {"name": "another", "version": "1"}}"#),
        Answer::json(r#"{"error": "?"}"#),
    ] {
        let shown = format!("{other:?}");
        let stub = Stub::start(move |asked, _| match asked.target.as_str() {
            "/simple/demo-kit/" => {
                Answer::json(r#"{"files": [{"filename": "demo_kit-1.0.zip", "url": "x"}]}"#)
            }
            _ => other.clone(),
        });
        let found = ask(&api(), &spec(stub.url().as_str()), &demo(false)).await.unwrap();
        assert_eq!(found.rows[0].version, "1.0", "{shown}");
    }
}

#[tokio::test]
async fn a_release_that_was_taken_back_is_told_with_its_reason() {
    let yanked = PROJECT.replace(r#""yanked": false}"#, r#""yanked": true, "yanked_reason": "lost data"}"#);
    let stub = Stub::start(move |_, _| Answer::json(&yanked));
    let found = ask(&api(), &spec(stub.url().as_str()), &demo(false)).await.unwrap();
    assert_eq!(found.rows[0].deprecated.as_deref(), Some("yanked: lost data"));
}

#[tokio::test]
async fn extra_indexes_are_asked_in_order_with_passwords_of_their_own() {
    let (first, second) =
        (Stub::start(|_, _| Answer::status(404, "")), Stub::start(|_, _| Answer::json(PROJECT)));
    let mut indexes = PythonIndexes {
        index_url: format!("{}simple", first.url()),
        extra: vec![format!("{}simple/", second.url())],
        ..PythonIndexes::default()
    };
    let written = second.url().as_str().replace("http://", "http://me:pw@");
    let shown = indexes.tokens.take_from(&format!("{written}simple/"));
    assert_eq!(shown, indexes.extra[0]);
    let spec = RegistrySpec { python: Ok(indexes), ..spec("https://unused.example.org/") };
    let found = ask(&api(), &spec, &demo(false)).await.unwrap();
    assert_eq!(found.rows[0].version, "1.10");
    assert_eq!(targets(&first), ["/pypi/demo-kit/json", "/simple/demo-kit/"]);
    assert!(first.asked().iter().all(|asked| asked.header("authorization").is_none()));
    assert_eq!(second.asked()[0].header("authorization"), Some("Basic bWU6cHc="));
}

#[tokio::test]
async fn an_index_that_fails_is_told_when_no_other_knows_the_name() {
    let broken = Stub::start(|_, _| Answer::status(401, ""));
    let empty = Stub::start(|_, _| Answer::status(404, ""));
    let indexes = |first: &Stub, second: &Stub| PythonIndexes {
        index_url: format!("{}simple", first.url()),
        extra: vec![format!("{}simple", second.url())],
        ..PythonIndexes::default()
    };
    let spec = RegistrySpec { python: Ok(indexes(&broken, &empty)), ..spec("https://unused.example.org/") };
    let problem = ask(&api(), &spec, &demo(false)).await.unwrap_err();
    assert_eq!(problem.kind, ErrorKind::AuthRequired, "{problem}");
    let full = Stub::start(|_, _| Answer::json(PROJECT));
    let spec = RegistrySpec { python: Ok(indexes(&broken, &full)), ..spec };
    assert_eq!(ask(&api(), &spec, &demo(false)).await.unwrap().rows.len(), 1);
}
