//! Is traffic of the real GitHub, which others have recorded, understood?

use std::path::PathBuf;
use std::sync::Mutex;

use orienteer_base::ErrorKind;
use orienteer_base::remote::{
    ChangeContent, ChangeSearch, ChangeState, CodeSearch, EntryKind, Forge, RemoteTreeQuery, RepoSearch,
};
use orienteer_remote::api::Request;
use orienteer_remote::{ApiError, Remote};
use orienteer_testkit::tools;
use serde_json::Value;

use crate::asking::{go, remote, repo};
use crate::stub::{Answer, Stub, api, pacing};

#[derive(Debug, Clone)]
pub(crate) struct Record {
    pub(crate) path: String,
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

/// The folder of the recordings.
fn folder() -> PathBuf {
    let folder = tools::tools().join("recorded/pygithub-2.10.0/tests/ReplayData");
    assert!(
        folder.exists(),
        "PyGithub's recordings are missing: run `cargo xtask install`, which fetches them"
    );
    folder
}

/// What a file holds: ten lines for each request, the headers as Python writes them.
fn records(name: &str) -> Vec<Record> {
    let text = std::fs::read_to_string(folder().join(format!("{name}.txt"))).unwrap();
    let pair = regex::Regex::new(r#"\('([^']*)', (?:'([^']*)'|"([^"]*)")\)"#).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let mut records = Vec::new();
    let mut at = 0;
    while at + 8 < lines.len() {
        let headers = pair.captures_iter(lines[at + 8]).map(|found| {
            let value = found.get(2).or(found.get(3)).unwrap();
            (found[1].to_ascii_lowercase(), value.as_str().to_owned())
        });
        records.push(Record {
            path: lines[at + 4].split('?').next().unwrap().to_owned(),
            status: lines[at + 7].parse().unwrap(),
            headers: headers.collect(),
            body: lines.get(at + 9).copied().unwrap_or_default().to_owned(),
        });
        at += 11;
    }
    records
}

/// Answers each path with what PyGithub recorded for it.
fn replay(names: &[&str]) -> Stub {
    play(names.iter().flat_map(|name| records(name)).collect())
}

/// Answers each path with what was recorded for it, in order; the last one stays.
pub(crate) fn play(records: Vec<Record>) -> Stub {
    let records = Mutex::new(records);
    let kept = ["content-type", "date", "etag", "last-modified", "link", "retry-after", "location"];
    Stub::start(move |asked, _| {
        let path = asked.target.split('?').next().unwrap();
        let mut records = records.lock().unwrap();
        let Some(at) = records.iter().position(|record| record.path == path) else {
            return Answer::status(404, r#"{"message":"Not Found"}"#);
        };
        let more = records.iter().skip(at + 1).any(|record| record.path == path);
        let record = if more { records.remove(at) } else { records[at].clone() };
        let headers = record
            .headers
            .into_iter()
            .filter(|(name, _)| kept.contains(&name.as_str()) || name.starts_with("x-ratelimit"));
        // Where GitHub sends us is played here, too.
        let headers = headers.map(|(name, value)| (name, value.replace("https://api.github.com", "")));
        Answer::Full { status: record.status, headers: headers.collect(), body: record.body.into_bytes() }
    })
}

pub(crate) fn github(stub: &Stub) -> Remote {
    let api = stub.url().to_string();
    remote(Forge::Github, &stub.name(), Some(&api), None, None, pacing())
}

#[tokio::test]
async fn text_matches_are_where_github_found_them() {
    let stub = replay(&["Search.testSearchHighlightingCode"]);
    let query = CodeSearch { keywords: vec!["toto".into()], limit: 30, page: 1, ..CodeSearch::default() };
    let found = github(&stub).search_code(&query, &go()).await.unwrap();
    assert_eq!((found.total, found.rows.len(), found.has_more), (Some(5), 5, false));
    assert_eq!(found.rows[0].repository, "jacquev6/MockMockMock");
    assert_eq!(found.rows[0].reference.as_deref(), Some("562a55542f55426f6853f3013309c85f402c359e"));
    let mut places = 0;
    for matched in found.rows.iter().flat_map(|hit| &hit.text_matches) {
        for (start, end) in &matched.matches {
            let text: String = matched.fragment.chars().skip(*start).take(end - start).collect();
            assert_eq!(text.to_lowercase(), "toto", "{:?}", matched.fragment);
            places += 1;
        }
    }
    let recorded: Value =
        serde_json::from_str(&records("Search.testSearchHighlightingCode")[0].body).unwrap();
    let all = recorded["items"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|item| item["text_matches"].as_array().unwrap());
    let all: usize = all.map(|found| found["matches"].as_array().unwrap().len()).sum();
    assert_eq!((places, places > 5), (all, true));
}

#[tokio::test]
async fn a_recursive_tree_is_listed_whole() {
    let name = "Repository.testGetGitTreeWithRecursive";
    let recorded: Value = serde_json::from_str(&records(name)[0].body).unwrap();
    let commit = recorded["sha"].as_str().unwrap();
    let query = RemoteTreeQuery {
        repo: repo("PyGithub", "PyGithub", Some(commit)),
        path: String::new(),
        depth: 10,
        skip: 0,
        limit: 1000,
    };
    let tree = github(&replay(&[name])).tree(&query, &go()).await.unwrap();
    assert_eq!(tree.total, recorded["tree"].as_array().unwrap().len());
    let folders = recorded["tree"].as_array().unwrap().iter().filter(|entry| entry["type"] == "tree").count();
    assert_eq!((tree.directories, folders > 0), (folders, true));
    let ignored = tree.entries.iter().find(|entry| entry.path == ".gitignore").unwrap();
    assert_eq!((ignored.kind, ignored.size), (EntryKind::File, Some(53)));
    assert_eq!(tree.from.repository.as_deref(), Some("PyGithub/PyGithub"));
}

#[tokio::test]
async fn a_pull_request_is_read_with_everything() {
    let stub = replay(&[
        "PullRequest.setUp",
        "PullRequest.testGetFiles",
        "PullRequest.testGetCommits",
        "PullRequest.testGetReviewComments",
        "PullRequest.testGetIssueComments",
    ]);
    let query = ChangeSearch {
        owner: Some("PyGithub".into()),
        repo: Some("PyGithub".into()),
        number: Some(31),
        content: ChangeContent::Full,
        with_comments: true,
        with_commits: true,
        limit: 1,
        page: 1,
        ..ChangeSearch::default()
    };
    let page = github(&stub).search_changes(&query, &go()).await.unwrap();
    let change = &page.rows[0];
    assert_eq!((change.title.as_str(), change.author.as_str()), ("Title edited by PyGithub", "jacquev6"));
    assert_eq!((change.state, change.merged), (ChangeState::Closed, true));
    assert_eq!((change.commits.as_ref().unwrap().len(), page.incomplete), (3, None));
    let files = change.files.as_ref().unwrap();
    let recorded: Value = serde_json::from_str(&records("PullRequest.testGetFiles")[0].body).unwrap();
    let recorded = recorded.as_array().unwrap();
    assert_eq!((files.len(), recorded.len() > 10), (recorded.len(), true));
    for (file, recorded) in files.iter().zip(recorded) {
        assert_eq!(
            (file.filename.as_str(), file.patch.as_deref()),
            (recorded["filename"].as_str().unwrap(), recorded["patch"].as_str())
        );
        assert_eq!(file.patch.is_none(), file.patch_note.is_some(), "{}", file.filename);
    }
    let comments = change.comments.as_ref().unwrap();
    assert!(comments.iter().any(|comment| comment.body == "Issue comment created by PyGithub"));
    assert!(comments.iter().any(|comment| comment.path.is_some()), "some are on lines");
}

#[tokio::test]
async fn real_refusals_are_limits() {
    let ask = async |name: &str, path: &str| -> ApiError {
        let stub = replay(&[name]);
        let (api, request) = (api(), Request::new(&stub.url(), path));
        // The first answers are good ones.
        loop {
            if let Err(error) = api.get(&request.clone().query("n", stub.count())).await {
                return error;
            }
            assert!(stub.count() < 20, "never refused");
        }
    };
    let abuse = ask("SpecificExceptions.testAuthenticatedRateLimitExceeded", "search/code").await;
    let ApiError::RateLimited { retry_after_ms, secondary, .. } = abuse else { panic!("{abuse}") };
    assert!(secondary && (59_000..=60_000).contains(&retry_after_ms), "{retry_after_ms}");
    let primary = ask("SpecificExceptions.testRateLimitExceeded", "users/jacquev6").await;
    let ApiError::RateLimited { retry_after_ms, secondary, .. } = primary else { panic!("{primary}") };
    assert!(!secondary && (59_000..=60_000).contains(&retry_after_ms), "{retry_after_ms}");
}

#[tokio::test]
async fn a_real_304_confirms_what_was_kept() {
    let stub = replay(&["ConditionalRequestUpdate.setUp", "ConditionalRequestUpdate.testDidNotUpdate"]);
    let (api, request) = (api(), Request::new(&stub.url(), "repos/akfish/PyGithub"));
    let first = api.get(&request).await.unwrap();
    let second = api.get(&request).await.unwrap();
    assert_eq!((first.body == second.body, second.cached_ms, stub.count()), (true, None, 2));
    let asked = stub.asked();
    assert_eq!(asked[1].header("if-none-match"), Some("\"8600bedcb7fed1d8065e1693e05529ce\""));
}

#[tokio::test]
async fn a_real_redirect_leads_to_the_new_name() {
    let stub = replay(&["Repository.testGetRepositoryWith301Redirect"]);
    let reply = api().get(&Request::new(&stub.url(), "repos/protoncoin/protoncoin")).await.unwrap();
    let found: Value = reply.json().unwrap();
    assert_eq!(found["full_name"], "padima2/protoncoin");
    assert!(reply.moved.is_some_and(|url| url.ends_with("/repositories/112116543")));
}

#[tokio::test]
async fn real_searches_are_read() {
    let stub = replay(&["Search.testSearchRepos"]);
    let query = RepoSearch { keywords: vec!["github".into()], limit: 30, page: 1, ..RepoSearch::default() };
    let found = github(&stub).search_repositories(&query, &go()).await.unwrap();
    assert!(found.rows.len() >= 20 && found.has_more, "{}", found.rows.len());
    let nothing = replay(&["Search.testSearchReposWithNoResults"]);
    let found = github(&nothing).search_repositories(&query, &go()).await.unwrap();
    assert_eq!((found.rows.len(), found.total, found.has_more), (0, Some(0), false));
    let stub = replay(&["Search.testSearchIssues"]);
    let query = ChangeSearch { query: Some("compile".into()), limit: 30, page: 1, ..ChangeSearch::default() };
    let found = github(&stub).search_changes(&query, &go()).await.unwrap();
    assert!(found.rows.iter().all(|change| change.repository.contains('/')), "{:?}", found.rows[0]);
    let absent = github(&replay(&[])).search_changes(&query, &go()).await.unwrap_err();
    assert_eq!(absent.kind, ErrorKind::NotFound);
}
