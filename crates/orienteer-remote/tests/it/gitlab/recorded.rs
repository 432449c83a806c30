//! Is what gitlab.com once answered understood?
//!
//! go-gitlab, which GitLab's own client for Go was made from, has such answers in its tests: merge requests that by their
//! content were taken from gitlab.com in 2019, and given newer fields since; everything else is after the documentation.
//! Debian packages its sources with them.

use std::collections::BTreeSet;
use std::path::PathBuf;

use orienteer_base::question::Part;
use orienteer_base::remote::{
    ChangeContent, ChangeSearch, ChangeState, EntryKind, RemoteFileQuery, RemoteTreeQuery,
};
use orienteer_testkit::tools;

use super::beyond::FIELDS;
use super::published::{answer, by_schema, question};
use super::*;

fn sources() -> PathBuf {
    let place = "recorded-gitlab/usr/share/gocode/src/github.com/xanzy/go-gitlab";
    let folder = tools::tools().join(place);
    assert!(
        folder.exists(),
        "go-gitlab's answers are missing: run `cargo xtask install`, which fetches them"
    );
    folder
}

/// A file of answers.
fn taken(name: &str) -> Value {
    let text = std::fs::read(sources().join("testdata").join(name)).unwrap();
    serde_json::from_slice(&text).unwrap()
}

/// The text that a test in Go answers with: the first one between backquotes.
fn written(file: &str, test: &str) -> Value {
    let source = std::fs::read_to_string(sources().join(file)).unwrap();
    let (_, body) =
        source.split_once(&format!("func {test}(")).unwrap_or_else(|| panic!("{file} has no {test}"));
    serde_json::from_str(body.split('`').nth(1).unwrap()).unwrap()
}

/// Answers each question with one document.
fn playing(answers: Vec<(&'static str, Value)>) -> Stub {
    let known = project();
    Stub::start(move |asked, _| {
        let question = question(&asked.target);
        match answers.iter().find(|(known, _)| *known == question) {
            Some((_, document)) => Answer::json(&document.to_string()),
            None if question == "project" => at_host(&known, "x"),
            None => Answer::status(404, r#"{"message": "404 Not Found"}"#),
        }
    })
}

#[tokio::test]
async fn merge_requests_of_gitlab_com_are_read() {
    let stub = playing(vec![("changes_of_group", taken("get_merge_requests.json"))]);
    let owner = Some("gitlab-org".to_owned());
    let query = ChangeSearch { at: at(&stub), owner, limit: 20, page: 1, ..ChangeSearch::default() };
    let found = gitlab::search_changes(&caller(&stub), &query).await.unwrap();
    assert_eq!(found.rows.len(), 20);
    let first = &found.rows[0];
    assert_eq!((first.number, first.author.as_str()), (15442, "hfyngvason"), "the newest comes first");
    assert_eq!(first.title, "Draft: Use structured logging for DB load balancer");
    assert_eq!(first.labels[..2], ["backend", "backstage"]);
    assert_eq!(first.assignees, ["hfyngvason"]);
    assert_eq!(first.head.as_deref(), Some("use-structured-logging-for-db-load-balancer"));
    // It has only the older name of drafts, and an older address, which is the only place with the project's name.
    assert!(first.draft && found.rows.iter().filter(|row| row.draft).count() == 8);
    assert!(found.rows.iter().all(|row| row.repository == "gitlab-org/gitlab-ee"));
    let count =
        |state, merged| found.rows.iter().filter(|row| (row.state, row.merged) == (state, merged)).count();
    let counts = [
        count(ChangeState::Open, false),
        count(ChangeState::Closed, true),
        count(ChangeState::Closed, false),
    ];
    assert_eq!(counts.iter().sum::<usize>(), 20);
    let recorded = taken("get_merge_requests.json");
    let states = ["opened", "merged", "closed"];
    let states =
        states.map(|state| recorded.as_array().unwrap().iter().filter(|row| row["state"] == state).count());
    assert_eq!(counts, states);
}

#[tokio::test]
async fn one_merge_request_is_read_with_its_commits_and_differences() {
    let stub = playing(vec![
        ("change", taken("get_merge_request.json")),
        ("commits_of_change", written("commits_test.go", "TestCommitsService_ListCommits")),
        ("diffs", written("commits_test.go", "TestCommitsService_GetCommitDiff")),
        ("notes", json!([written("notes_test.go", "TestGetMergeRequestNote")])),
    ]);
    let query = ChangeSearch {
        at: at(&stub),
        owner: Some("gitlab-org".into()),
        repo: Some("gitlab-ee".into()),
        number: Some(14656),
        content: ChangeContent::Full,
        with_comments: true,
        with_commits: true,
        limit: 1,
        page: 1,
        ..ChangeSearch::default()
    };
    let found = gitlab::search_changes(&caller(&stub), &query).await.unwrap();
    let row = &found.rows[0];
    assert_eq!(
        (row.title.as_str(), row.author.as_str()),
        ("Add deletion support for designs", "alexkalderimis")
    );
    assert_eq!((row.state, row.merged, row.draft), (ChangeState::Open, false, true));
    assert_eq!((row.labels.len(), row.assignees.as_slice()), (9, ["tkuah".to_owned()].as_slice()));
    assert!(
        targets(&stub)
            .iter()
            .any(|target| target.starts_with("/api/v4/projects/278964/merge_requests/14656/"))
    );
    let commit = &row.commits.as_ref().unwrap()[0];
    assert_eq!((commit.message.as_str(), commit.author.as_str()), ("Sanitize for network graph", "randx"));
    assert_eq!(commit.date, None, "it was left out");
    let file = &row.files.as_ref().unwrap()[0];
    assert_eq!((file.filename.as_str(), file.status.as_str()), ("doc/update/5.4-to-6.0.md", "modified"));
    assert_eq!((file.additions, file.deletions), (2, 0), "the names above a difference are not lines of it");
    assert_eq!(row.comments.as_ref().unwrap()[0].body, "foo bar");
}

#[tokio::test]
async fn a_tree_is_listed_at_the_commit_of_a_branch() {
    let stub = playing(vec![
        ("commit", taken("get_commit.json")),
        ("tree", written("repositories_test.go", "TestRepositoriesService_ListTree")),
        ("commits", written("commits_test.go", "TestCommitsService_ListCommits")),
        ("file", written("repository_files_test.go", "TestRepositoryFilesService_GetFile")),
    ]);
    let query = RemoteTreeQuery { repo: repo(&stub), path: "files".into(), depth: 1, skip: 0, limit: 10 };
    let listed = gitlab::tree(&caller(&stub), &query).await.unwrap();
    assert_eq!(listed.from.commit.as_deref(), Some("6104942438c14ec7bd21c6cd5bd995272b3faff6"));
    let entry = &listed.entries[0];
    assert_eq!((entry.path.as_str(), entry.kind), ("files/html", EntryKind::Directory));
    // The documentation shows the beginning of a content, and so it is not read as all of it.
    let query = RemoteFileQuery { repo: repo(&stub), path: "app/models/key.rb".into(), part: Part::Whole };
    let cut = gitlab::read_file(&caller(&stub), &query).await.unwrap_err();
    says(&cut, &["its content is not base64"]);
}

/// The fields of an answer that the judge takes for wrong. What GitLab did not say yet is not demanded.
fn at_odds(question: &str, document: &Value) -> BTreeSet<String> {
    fn lenient(schema: &mut Value) {
        match schema {
            Value::Object(fields) => {
                fields.remove("required");
                fields.values_mut().for_each(lenient);
            }
            Value::Array(values) => values.iter_mut().for_each(lenient),
            _ => {}
        }
    }
    let mut schema = answer(question);
    lenient(&mut schema);
    let mut found = BTreeSet::new();
    for error in by_schema(&schema, document) {
        let (place, said) = error.split_once(": ").unwrap();
        let field = place.split('/').find(|part| !part.is_empty() && part.parse::<u64>().is_err());
        match field {
            Some(field) => found.extend([field.to_owned()]),
            // It names those that are too many.
            None => found.extend(said.split('\'').skip(1).step_by(2).map(str::to_owned)),
        }
    }
    found
}

#[test]
fn the_judge_and_go_gitlab_disagree_about_nothing_that_we_read() {
    let commits = written("commits_test.go", "TestCommitsService_ListCommits");
    let tree = written("repositories_test.go", "TestRepositoriesService_ListTree");
    let file = written("repository_files_test.go", "TestRepositoryFilesService_GetFile");
    let pushing = ["allow_collaboration", "allow_maintainer_to_push", "force_remove_source_branch"];
    for (question, document, expected) in [
        ("changes", taken("get_merge_requests.json"), [pushing.as_slice(), &["milestone"]].concat()),
        ("change", taken("get_merge_request.json"), vec!["head_pipeline", "milestone"]),
        ("commit", taken("get_commit.json"), vec!["last_pipeline", "project_id"]),
        ("commits", commits, vec!["last_pipeline", "project_id", "stats", "status"]),
        ("tree", tree, vec![]),
        ("file", file, vec![]),
    ] {
        let found = at_odds(question, &document);
        assert_eq!(found, expected.into_iter().map(str::to_owned).collect(), "{question}");
    }
}

#[test]
fn what_go_gitlab_is_said_to_know_it_knows() {
    let mut confirmed = Vec::new();
    for field in FIELDS.iter().filter(|field| field.known_from.starts_with("go-gitlab")) {
        let file = match field.name {
            "tag_list" => "projects.go",
            "position" => "notes.go",
            "execute_filemode" => "repository_files.go",
            other => panic!("where does go-gitlab have {other}?"),
        };
        let source = std::fs::read_to_string(sources().join(file)).unwrap();
        assert!(source.contains(&format!("`json:\"{}\"`", field.name)), "{} in {file}", field.name);
        confirmed.push(field.name);
    }
    assert_eq!(confirmed, ["tag_list", "position", "execute_filemode"]);
}
