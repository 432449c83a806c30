//! Does another client send the same requests for the same questions?

use std::collections::BTreeMap;

use orienteer_base::question::Part;
use orienteer_base::remote::{
    ChangeContent, ChangeSearch, ChangeState, CodeSearch, RemoteFileQuery, RemoteTreeQuery, RepoOrder,
    RepoSearch,
};

use super::published::{ADDRESSES, misasked, node, pairs, question};
use super::*;

/// Answers every question, with the least that its types let come. Kim is a user and not a group.
fn anything(older: bool) -> Stub {
    let encoded = |encoding: &str| json!({ "encoding": encoding, "content": "b25lCg==" });
    let said = BTreeMap::from([
        ("project", json!({ "default_branch": "trunk" })),
        ("commit", json!({ "id": COMMIT })),
        // As no GitLab has it yet, so that the bytes are asked for, too.
        ("file", encoded("text")),
        ("change", json!({ "iid": 5, "project_id": 7 })),
        ("older_diffs", json!({ "changes": [] })),
    ]);
    let answers: BTreeMap<&str, String> = ADDRESSES
        .iter()
        .filter(|(question, _)| *question != "raw")
        .map(|(question, _)| {
            let said = said.get(question).cloned().unwrap_or_else(|| json!([]));
            (*question, whole(question, &said).to_string())
        })
        .collect();
    Stub::start(move |asked, _| match question(&asked.target) {
        "raw" => Answer::status(200, "one\n"),
        "diffs" if older => Answer::status(404, r#"{"error": "404 Not Found"}"#),
        _ if asked.target.contains("groups/kim") => Answer::status(404, r#"{"message": "404 Not found"}"#),
        question => Answer::json(&answers[question]),
    })
}

/// Asks with our client what `questions.mjs` asks.
async fn ask(stub: &Stub) {
    let caller = caller(stub);
    let read = RemoteFileQuery { repo: repo(stub), path: "app/a b#%.rb".into(), part: Part::Whole };
    gitlab::read_file(&caller, &read).await.unwrap();
    let listed = RemoteTreeQuery { repo: repo(stub), path: "lib".into(), depth: 2, skip: 0, limit: 100 };
    gitlab::tree(&caller, &listed).await.unwrap();
    ask_for_code(stub, &caller).await;
    ask_for_projects(stub, &caller).await;
    ask_for_changes(stub, &caller).await;
}

async fn ask_for_code(stub: &Stub, caller: &Caller) {
    let (group, name) = (Some("group/sub".to_owned()), Some("name".to_owned()));
    for (owner, repo) in [(None, None), (group.clone(), None), (group, name)] {
        let query = CodeSearch {
            at: at(stub),
            owner,
            repo,
            keywords: vec!["installation".into()],
            extension: Some("md".into()),
            filename: Some("READ*".into()),
            path: Some("doc/".into()),
            limit: 20,
            page: 2,
            ..CodeSearch::default()
        };
        gitlab::search_code(caller, &query).await.unwrap();
    }
}

async fn ask_for_projects(stub: &Stub, caller: &Caller) {
    for owner in [None, Some("a/b".to_owned()), Some("kim".to_owned())] {
        let query = RepoSearch {
            at: at(stub),
            owner,
            keywords: vec!["flight".into()],
            topics: vec!["js".into(), "web".into()],
            language: Some("Ruby".into()),
            updated: Some("2018-01-01..2018-12-31".into()),
            order: RepoOrder::Stars,
            limit: 30,
            page: 1,
            ..RepoSearch::default()
        };
        gitlab::search_repositories(caller, &query).await.unwrap();
    }
}

async fn ask_for_changes(stub: &Stub, caller: &Caller) {
    let all = ChangeSearch { at: at(stub), limit: 30, page: 1, ..ChangeSearch::default() };
    let merged = ChangeSearch { merged: Some(true), ..all.clone() };
    gitlab::search_changes(caller, &merged).await.unwrap();
    let in_group = ChangeSearch { owner: Some("group/sub".into()), ..all.clone() };
    gitlab::search_changes(caller, &in_group).await.unwrap();
    let closed = ChangeSearch { state: Some(ChangeState::Closed), merged: Some(false), ..in_group.clone() };
    gitlab::search_changes(caller, &closed).await.unwrap();
    let filtered = ChangeSearch {
        updated: Some("2017-06-01..2017-06-30".into()),
        limit: 30,
        ..super::changes::filtered(stub)
    };
    gitlab::search_changes(caller, &filtered).await.unwrap();
    let one = ChangeSearch {
        repo: Some("name".into()),
        number: Some(5),
        with_comments: true,
        with_commits: true,
        content: ChangeContent::Full,
        ..in_group
    };
    gitlab::search_changes(caller, &one).await.unwrap();
}

/// The path and the query, in no order. gitbeaker says how it wants pages also where that is the only way.
fn parts(target: &str) -> (String, Vec<(String, String)>) {
    let mut pairs = pairs(target);
    pairs.retain(|(name, value)| (name.as_str(), value.as_str()) != ("pagination", "offset"));
    pairs.sort();
    (target.split('?').next().unwrap().to_owned(), pairs)
}

#[tokio::test]
async fn gitbeaker_sends_the_same_request_for_each_question() {
    let (newer, older, other) = (anything(false), anything(true), anything(false));
    ask(&newer).await;
    ask(&older).await;
    let ours: Vec<String> = targets(&newer).into_iter().chain(targets(&older)).collect();
    for target in &ours {
        assert_eq!(misasked(target), [] as [String; 0], "{target}");
    }
    let names = node("ask.mjs", &[other.url().as_str().trim_end_matches('/')]);
    let theirs = targets(&other);
    assert_eq!(names.lines().count(), theirs.len(), "one request for each question");
    assert_eq!(names.lines().collect::<Vec<_>>(), ADDRESSES.map(|(question, _)| question));
    for (name, target) in names.lines().zip(&theirs) {
        assert_eq!(question(target), name);
        let same: Vec<_> =
            ours.iter().filter(|ours| question(ours) == name).map(|ours| parts(ours)).collect();
        assert!(same.contains(&parts(target)), "{name}: {:?} is not in {same:?}", parts(target));
    }
    // A token of either kind may be sent so; gitbeaker has `PRIVATE-TOKEN` for those that are not of OAuth, which GitLab
    // documents as well.
    for asked in newer.asked().iter().chain(&other.asked()) {
        assert_eq!(asked.header("authorization"), Some("Bearer glpat-x"), "{}", asked.target);
    }
}
