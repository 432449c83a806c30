//! Code and projects.

use orienteer_base::remote::{CodeMatch, CodeSearch, RepoField, RepoOrder, RepoSearch};

use super::*;

const BLOBS: &str = r#"[{"basename": "README", "data": "=> Installation\n\nQuick start", "path": "doc/READ ME.md",
    "filename": "doc/READ ME.md", "id": null, "ref": "main", "startline": 46, "project_id": 6}]"#;

fn code(stub: &Stub, words: &[&str]) -> CodeSearch {
    let keywords = words.iter().map(|word| (*word).to_owned()).collect();
    CodeSearch { at: at(stub), keywords, limit: 20, page: 2, ..CodeSearch::default() }
}

fn in_project(stub: &Stub) -> CodeSearch {
    CodeSearch { owner: Some("group/sub".into()), repo: Some("name".into()), ..code(stub, &["installation"]) }
}

#[tokio::test]
async fn code_of_a_project_is_searched_with_all_filters() {
    let target = below(
        "/search?scope=blobs&search=installation+extension%3Amd+filename%3AREAD*+path%3Adoc&per_page=20&page=2",
    );
    let answer = Answer::json(BLOBS).with("X-Total", 41).with("X-Next-Page", 3);
    let stub = server(vec![(target, answer)]);
    let query = CodeSearch {
        extension: Some("md".into()),
        filename: Some("READ*".into()),
        path: Some("doc/".into()),
        ..in_project(&stub)
    };
    let found = gitlab::search_code(&caller(&stub), &query).await.unwrap();
    assert_eq!((found.total, found.has_more, found.incomplete), (Some(41), true, None));
    let hit = &found.rows[0];
    assert_eq!((hit.repository.as_str(), hit.path.as_str()), ("Group/Sub/name", "doc/READ ME.md"));
    let url = format!("http://{}/Group/Sub/name/-/blob/main/doc/READ%20ME.md#L46", stub.name());
    assert_eq!(hit.url, url);
    assert_eq!(hit.reference.as_deref(), Some("main"));
    assert_eq!(hit.text_matches[0].matches, [(3, 15)]);
}

#[tokio::test]
async fn a_group_is_searched_and_its_projects_are_named() {
    let stub = server(vec![
        (
            "/api/v4/groups/group%2Fsub/search?scope=blobs&search=installation&per_page=20&page=2".into(),
            Answer::json(BLOBS),
        ),
        ("/api/v4/projects/6".into(), rows("project", &json!({ "path_with_namespace": "group/sub/six" }))),
    ]);
    let query = CodeSearch { repo: None, ..in_project(&stub) };
    let found = gitlab::search_code(&caller(&stub), &query).await.unwrap();
    assert_eq!(found.rows[0].repository, "group/sub/six");
    assert_eq!((found.total, found.has_more), (None, false));
}

#[tokio::test]
async fn a_gitlab_without_advanced_search_is_told_as_such_and_never_as_an_empty_list() {
    for (status, message) in [(400, "Scope not supported without Elasticsearch!"), (403, "403 Forbidden")] {
        let refusal = Answer::status(status, &format!(r#"{{"message": "{message}"}}"#));
        let stub = Stub::start(move |_, _| refusal.clone());
        for query in [code(&stub, &["x"]), CodeSearch { owner: Some("group".into()), ..code(&stub, &["x"]) }]
        {
            let problem = gitlab::search_code(&caller(&stub), &query).await.unwrap_err();
            assert_eq!(
                (problem.kind, problem.detail),
                (ErrorKind::Unsupported, Some("advanced_search")),
                "{problem}"
            );
            says(&problem, &["advanced search", "`repo`", message]);
        }
    }
}

#[tokio::test]
async fn a_search_without_a_token_says_that_it_needs_one() {
    let stub = Stub::start(|_, _| Answer::status(401, r#"{"message": "401 Unauthorized"}"#));
    let problem = gitlab::search_code(&anonymous(&stub), &in_project(&stub)).await.unwrap_err();
    assert_eq!(problem.kind, ErrorKind::AuthRequired);
    says(&problem, &["needs a token", &stub.name()]);
}

#[tokio::test]
async fn what_gitlab_does_differently_is_said_beside_the_hits() {
    let two = below("/search?scope=blobs&search=installation+start&per_page=20&page=2");
    let one = below("/search?scope=blobs&search=read&per_page=20&page=2");
    let stub = server(vec![(two, Answer::json(BLOBS)), (one, Answer::json(BLOBS))]);
    let caller = caller(&stub);
    let query = CodeSearch { keywords: vec!["installation".into(), "start".into()], ..in_project(&stub) };
    let found = gitlab::search_code(&caller, &query).await.unwrap();
    assert!(found.incomplete.unwrap().contains("one phrase"));
    let query =
        CodeSearch { keywords: vec!["read".into()], match_in: Some(CodeMatch::Path), ..in_project(&stub) };
    let found = gitlab::search_code(&caller, &query).await.unwrap();
    assert_eq!(found.rows.len(), 1);
    assert!(found.incomplete.unwrap().contains("paths alone"));
}

/// Two, the second as older servers have it.
fn found() -> Answer {
    let flight = json!({
        "id": 6, "name": "Flight", "path_with_namespace": "twitter/flight", "description": "Fly",
        "web_url": "https://x.example.org/twitter/flight", "star_count": 1200, "forks_count": 3, "topics": ["js", "web"],
        "default_branch": "main", "created_at": "2017-09-05T07:58:01.621Z", "last_activity_at": "2018-01-31T09:56:30.902Z"
    });
    let small = json!({
        "id": 7, "name": "Small", "path_with_namespace": "a/small", "tag_list": ["old"], "star_count": 2,
        "web_url": "https://x.example.org/a/small", "created_at": "2020-01-01T00:00:00.000Z",
        "last_activity_at": "2020-01-01T00:00:00.000Z"
    });
    rows("projects", &json!([flight, small]))
}

fn projects(stub: &Stub) -> RepoSearch {
    RepoSearch { at: at(stub), keywords: vec!["flight".into()], limit: 30, page: 1, ..RepoSearch::default() }
}

#[tokio::test]
async fn projects_are_searched_with_what_gitlab_can_filter_by() {
    let target = "/api/v4/projects?search=flight&topic=js%2Cweb&with_programming_language=Ruby\
        &last_activity_after=2018-01-01T00%3A00%3A00Z&order_by=last_activity_at&sort=desc&per_page=30&page=1";
    let stub = server(vec![(target.to_owned(), found().with("X-Total", 2))]);
    let query = RepoSearch {
        topics: vec!["js".into(), "web".into()],
        language: Some("Ruby".into()),
        updated: Some(">=2018-01-01".into()),
        order: RepoOrder::Updated,
        ..projects(&stub)
    };
    let found = gitlab::search_repositories(&caller(&stub), &query).await.unwrap();
    assert_eq!((found.total, found.incomplete), (Some(2), None));
    let row = &found.rows[0];
    assert_eq!((row.full_name.as_str(), row.stars, row.forks), ("twitter/flight", 1200, 3));
    assert_eq!(row.topics, ["js", "web"]);
    assert_eq!(found.rows[1].topics, ["old"]);
}

#[tokio::test]
async fn what_gitlab_cannot_filter_by_is_filtered_here_and_said() {
    let target = "/api/v4/projects?search=flight&order_by=star_count&sort=desc&per_page=30&page=1";
    let stub = server(vec![(target.to_owned(), found().with("X-Total", 2))]);
    let caller = caller(&stub);
    for query in [
        RepoSearch { stars: Some(">1000".into()), ..projects(&stub) },
        RepoSearch { created: Some("<2018-01-01".into()), ..projects(&stub) },
        RepoSearch { match_in: vec![RepoField::Name], ..projects(&stub) },
    ] {
        let found = gitlab::search_repositories(&caller, &query).await.unwrap();
        assert_eq!(found.rows.len(), 1, "{query:?}");
        assert_eq!(found.total, None, "its count is not ours");
        assert!(found.incomplete.unwrap().contains("left out"));
    }
    for (query, field) in [
        (RepoSearch { size: Some(">100".into()), ..projects(&stub) }, "size"),
        (RepoSearch { order: RepoOrder::Forks, ..projects(&stub) }, "sort"),
        (RepoSearch { match_in: vec![RepoField::Readme], ..projects(&stub) }, "match"),
    ] {
        let problem = gitlab::search_repositories(&caller, &query).await.unwrap_err();
        assert_eq!((problem.kind, problem.field), (ErrorKind::Unsupported, Some(field)));
    }
}

#[tokio::test]
async fn an_owner_is_a_group_or_else_a_user() {
    let rest = "projects?search=flight&order_by=star_count&sort=desc&per_page=30&page=1";
    let stub = server(vec![
        (format!("/api/v4/users/kim/{rest}"), found()),
        (format!("/api/v4/groups/a%2Fb/{rest}&include_subgroups=true"), found()),
    ]);
    let caller = caller(&stub);
    for owner in ["kim", "a/b"] {
        let query = RepoSearch { owner: Some(owner.into()), ..projects(&stub) };
        assert_eq!(gitlab::search_repositories(&caller, &query).await.unwrap().rows.len(), 2, "{owner}");
    }
    let query = RepoSearch { owner: Some("x/y".into()), ..projects(&stub) };
    let problem = gitlab::search_repositories(&caller, &query).await.unwrap_err();
    assert_eq!(problem.kind, ErrorKind::NotFound);
}

#[tokio::test]
async fn what_gitlab_passes_over_in_silence_for_an_owner_is_filtered_here() {
    let rest = "&order_by=star_count&sort=desc&per_page=30&page=1&include_subgroups=true";
    let group =
        |filter: &str| (format!("/api/v4/groups/a%2Fb/projects?search=flight{filter}{rest}"), found());
    let stub = server(vec![
        group("&topic=WEB"),
        group("&topic=js%2C+web"),
        group("&last_activity_after=2019-01-01T00%3A00%3A00Z"),
    ]);
    let caller = caller(&stub);
    let of_owner = RepoSearch { owner: Some("a/b".into()), ..projects(&stub) };
    for (query, name) in [
        (RepoSearch { topics: vec!["WEB".into()], ..of_owner.clone() }, "twitter/flight"),
        (RepoSearch { topics: vec!["js, web".into()], ..of_owner.clone() }, "twitter/flight"),
        (RepoSearch { updated: Some(">=2019-01-01".into()), ..of_owner }, "a/small"),
    ] {
        let found = gitlab::search_repositories(&caller, &query).await.unwrap();
        let names: Vec<&str> = found.rows.iter().map(|row| row.full_name.as_str()).collect();
        assert_eq!((names.as_slice(), found.total), ([name].as_slice(), None));
        assert!(found.incomplete.unwrap().contains("left out"));
    }
}
