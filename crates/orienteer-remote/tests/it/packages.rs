//! Do registries answer as they should, and is it said where they cannot?
//!
//! Faults, and registries without a search, come from a server of ours; the real ones are in `packages/live.rs`.

mod cargo;
mod live;
mod npm;
mod python;

use orienteer_base::remote::{Ecosystem, FoundBy, PackageSearch, Packages};
use orienteer_base::{Cancel, ErrorKind, Problem};
use orienteer_remote::packages::search;
use orienteer_remote::{Api, CargoRegistry, NpmRegistries, PythonIndexes, RegistrySpec, Tokens};

use crate::stub::{Answer, Stub, api};

/// A question for one row.
fn question(ecosystem: Ecosystem, name: &str) -> PackageSearch {
    PackageSearch { name: name.into(), ecosystem, limit: 1, metadata: false }
}

/// All three kinds of registry at one address.
fn spec(address: &str) -> RegistrySpec {
    RegistrySpec {
        npm: Ok(NpmRegistries { default: address.into(), ..NpmRegistries::default() }),
        python: Ok(PythonIndexes { index_url: format!("{address}simple"), ..PythonIndexes::default() }),
        cargo: Ok(CargoRegistry { index: format!("sparse+{address}"), tokens: Tokens::default() }),
    }
}

async fn ask(api: &Api, spec: &RegistrySpec, query: &PackageSearch) -> Result<Packages, Problem> {
    search(api, spec, query, &Cancel::new()).await
}

fn targets(stub: &Stub) -> Vec<String> {
    stub.asked().into_iter().map(|asked| asked.target).collect()
}

fn names(packages: &Packages) -> Vec<&str> {
    packages.rows.iter().map(|row| row.name.as_str()).collect()
}

fn note(packages: &Packages) -> &str {
    packages.note.as_deref().unwrap_or_default()
}

#[tokio::test]
async fn what_is_wrong_with_a_question_is_told_before_anybody_is_asked() {
    let stub = Stub::start(|_, _| Answer::status(500, ""));
    let spec = spec(stub.url().as_str());
    for (query, field) in [
        (PackageSearch { limit: 0, ..question(Ecosystem::Npm, "a") }, "limit"),
        (PackageSearch { limit: 11, ..question(Ecosystem::Npm, "a") }, "limit"),
        (question(Ecosystem::Cargo, " "), "name"),
        (question(Ecosystem::Python, &"x".repeat(300)), "name"),
    ] {
        let problem = ask(&api(), &spec, &query).await.unwrap_err();
        assert_eq!((problem.kind, problem.field), (ErrorKind::InvalidParams, Some(field)), "{problem}");
    }
    assert_eq!(stub.count(), 0);
}

#[tokio::test]
async fn silly_names_are_refused_before_anybody_is_asked() {
    let stub = Stub::start(|_, _| Answer::json(r#"{"name": "z", "version": "1.0.0"}"#));
    let spec = spec(stub.url().as_str());
    let (long, control) = ("x".repeat(10_000), "a\u{0}b\u{1b}[31m".to_owned());
    let shared =
        [("", "empty"), ("x y/../z", "not_a_name"), (&long, "too_long"), (&control, "odd_characters")];
    for ecosystem in [Ecosystem::Npm, Ecosystem::Python, Ecosystem::Cargo] {
        for (name, detail) in shared {
            let problem = ask(&api(), &spec, &question(ecosystem, name)).await.unwrap_err();
            assert_eq!((problem.field, problem.detail), (Some("name"), Some(detail)), "{problem}");
            assert!(problem.message.len() < 500, "{problem}");
        }
    }
    let scope = ask(&api(), &spec, &question(Ecosystem::Npm, "@types")).await.unwrap_err();
    assert_eq!(scope.detail, Some("scope_without_name"), "{scope}");
    assert_eq!(stub.count(), 0);
}

#[tokio::test]
async fn a_registry_that_answers_about_another_package_is_not_believed() {
    let stub = Stub::start(|asked, _| match asked.target.as_str() {
        "/config.json" => Answer::json(r#"{"dl": "https://dl.example.org"}"#),
        target if target.starts_with("/pypi/") => {
            Answer::json(r#"{"info": {"name": "other", "version": "1"}}"#)
        }
        target if target.starts_with("/simple/") => Answer::json(
            r#"{"files": [{"filename": "other-1.0.tar.gz", "url": "https://f.example.org/other-1.0.tar.gz"}]}"#,
        ),
        "/de/mo/demo" => Answer::status(200, r#"{"name":"other","vers":"1.0.0","cksum":"0"}"#),
        _ => Answer::json(
            r#"{"name": "other", "version": "1.0.0", "dist-tags": {"latest": "1.0.0"},
                "versions": {"1.0.0": {"name": "other", "version": "1.0.0"}}}"#,
        ),
    });
    let spec = spec(stub.url().as_str());
    for ecosystem in [Ecosystem::Npm, Ecosystem::Python, Ecosystem::Cargo] {
        for metadata in [false, true] {
            let query = PackageSearch { metadata, ..question(ecosystem, "demo") };
            // Either an error or nothing; never the other one.
            if let Ok(found) = ask(&api(), &spec, &query).await {
                assert!(names(&found).is_empty(), "{ecosystem:?}: {found:?}");
            }
        }
    }
}

#[tokio::test]
async fn capitals_mean_the_same_where_the_registry_says_so_and_another_package_where_not() {
    let stub = Stub::start(|asked, _| match asked.target.as_str() {
        "/pypi/django/json" => Answer::json(r#"{"info": {"name": "Django", "version": "6.0"}}"#),
        "/JSONStream/latest" | "/jsonstream/latest" => {
            Answer::json(r#"{"name": "JSONStream", "version": "1.3.5"}"#)
        }
        "/config.json" => Answer::json(r#"{"dl": "https://dl.example.org"}"#),
        "/de/mo/demo" => Answer::status(200, r#"{"name":"demo","vers":"1.0.0","cksum":"0"}"#),
        _ => Answer::status(404, ""),
    });
    let spec = spec(stub.url().as_str());
    for (ecosystem, asked, name) in [
        (Ecosystem::Python, "DJANGO", "Django"),
        (Ecosystem::Npm, "JSONStream", "JSONStream"),
        (Ecosystem::Cargo, "Demo", "demo"),
    ] {
        let found = ask(&api(), &spec, &question(ecosystem, asked)).await.unwrap();
        assert_eq!((names(&found), found.rows[0].found_by), (vec![name], FoundBy::Exact), "{ecosystem:?}");
    }
    let found = ask(&api(), &spec, &question(Ecosystem::Npm, "jsonstream")).await.unwrap();
    assert!(found.rows.iter().all(|row| row.found_by != FoundBy::Exact), "{found:?}");
}

#[tokio::test]
async fn a_registry_that_is_not_known_is_the_answer() {
    let missing = Problem::new(ErrorKind::PrerequisiteMissing, "`npm` is not installed");
    let spec = RegistrySpec::unknown(&missing);
    for ecosystem in [Ecosystem::Npm, Ecosystem::Python, Ecosystem::Cargo] {
        assert_eq!(ask(&api(), &spec, &question(ecosystem, "a")).await.unwrap_err(), missing);
    }
}

#[tokio::test]
async fn an_address_that_is_not_asked_names_where_it_comes_from() {
    let spec = spec("http://registry.example.org/");
    for (ecosystem, place) in
        [(Ecosystem::Npm, "npm config"), (Ecosystem::Python, "pip config"), (Ecosystem::Cargo, "config.toml")]
    {
        let problem = ask(&api(), &spec, &question(ecosystem, "a")).await.unwrap_err();
        assert_eq!(problem.detail, Some("registry_address"));
        assert!(problem.message.contains(place) && problem.message.contains("https://"), "{problem}");
    }
}

#[tokio::test]
async fn a_page_a_limit_and_a_broken_server_are_told_as_what_they_are() {
    for (answer, kind) in [
        (Answer::status(200, "<html>log in").with("Content-Type", "text/html"), ErrorKind::Network),
        (Answer::json("{\"half\":"), ErrorKind::Network),
        (Answer::status(503, "down"), ErrorKind::Network),
        (Answer::status(429, "").with("Retry-After", "120"), ErrorKind::RateLimited),
        (Answer::status(401, "{\"error\":\"no\"}"), ErrorKind::AuthRequired),
        (Answer::Reset, ErrorKind::Network),
        (Answer::Short, ErrorKind::Network),
    ] {
        let shown = format!("{answer:?}");
        let stub = Stub::start(move |_, _| answer.clone());
        for ecosystem in [Ecosystem::Npm, Ecosystem::Cargo] {
            let asked = ask(&api(), &spec(stub.url().as_str()), &question(ecosystem, "demo")).await;
            let problem = asked.unwrap_err();
            assert_eq!(problem.kind, kind, "{shown} {problem}");
            let host = problem.facts.iter().any(|(name, _)| *name == "host");
            assert!(host, "{shown} {problem:?}");
        }
    }
}

#[tokio::test]
async fn a_repeated_question_is_answered_from_the_cache_and_says_so() {
    let stub = Stub::start(|_, _| Answer::json(r#"{"name": "demo", "version": "1.0.0"}"#));
    let (api, spec) = (api(), spec(stub.url().as_str()));
    let first = ask(&api, &spec, &question(Ecosystem::Npm, "demo")).await.unwrap();
    let again = ask(&api, &spec, &question(Ecosystem::Npm, "demo")).await.unwrap();
    assert_eq!((first.cached_ms, stub.count()), (None, 1));
    assert!(again.cached_ms.is_some() && !again.offline);
    assert_eq!(first.rows, again.rows);
}

#[tokio::test]
async fn a_cancelled_question_stops_between_its_requests() {
    let cancel = Cancel::new();
    let flag = cancel.clone();
    let stub = Stub::start(move |_, _| {
        flag.cancel();
        Answer::status(404, "")
    });
    let asked =
        search(&api(), &spec(stub.url().as_str()), &question(Ecosystem::Python, "demo"), &cancel).await;
    assert_eq!(asked.unwrap_err().kind, ErrorKind::Cancelled);
    assert!(stub.count() <= 2, "{:?}", targets(&stub));
}

#[tokio::test]
async fn without_a_search_few_similar_names_are_tried_and_said() {
    for (ecosystem, asked, real) in [
        (Ecosystem::Npm, "demo.js", "demo"),
        (Ecosystem::Python, "python-demo", "demo"),
        (Ecosystem::Cargo, "demo-tool", "demo_tool"),
    ] {
        let stub = Stub::start(move |asked, _| match asked.target.trim_start_matches('/') {
            "demo/latest" => Answer::json(r#"{"name": "demo", "version": "1.0.0"}"#),
            "pypi/demo/json" => Answer::json(r#"{"info": {"name": "demo", "version": "1.0.0"}}"#),
            "config.json" => Answer::json(r#"{"dl": "https://dl.example.org"}"#),
            "de/mo/demo_tool" => Answer::status(200, r#"{"name":"demo_tool","vers":"1.0.0","cksum":"0"}"#),
            _ => Answer::status(404, ""),
        });
        let query = PackageSearch { limit: 5, ..question(ecosystem, asked) };
        let found = ask(&api(), &spec(stub.url().as_str()), &query).await.unwrap();
        assert_eq!(names(&found), [real], "{ecosystem:?}");
        assert_eq!(found.rows[0].found_by, FoundBy::SimilarName);
        assert!(note(&found).contains("no search") && note(&found).contains(real), "{}", note(&found));
        assert!(stub.count() <= 24, "{:?}", targets(&stub));
    }
}

#[tokio::test]
async fn nothing_found_is_an_answer_that_says_what_was_tried() {
    let stub = Stub::start(|asked, _| {
        if asked.target.starts_with("/-/v1/search") {
            Answer::json(r#"{"objects": []}"#)
        } else {
            Answer::status(404, "")
        }
    });
    let spec = spec(stub.url().as_str());
    let found = ask(&api(), &spec, &question(Ecosystem::Npm, "demo")).await.unwrap();
    assert!(found.rows.is_empty() && note(&found).contains("`demo`"), "{found:?}");
    let found = ask(&api(), &spec, &question(Ecosystem::Python, "demo")).await.unwrap();
    assert!(found.rows.is_empty() && note(&found).contains("python-demo"), "{found:?}");
}
