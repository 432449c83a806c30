//! Merge requests.

use orienteer_base::remote::{ChangeContent, ChangeSearch, ChangeState};

use super::*;

fn change(iid: u64, state: &str, updated: &str) -> Value {
    json!({
        "iid": iid, "project_id": 7, "title": format!("Change {iid}"), "description": "Why", "state": state,
        "created_at": "2017-04-29T08:46:00Z", "updated_at": updated, "target_branch": "main", "source_branch": "topic",
        "draft": true, "author": user("kim"), "assignees": [user("lee")], "labels": ["bug", "ui"],
        "web_url": format!("https://x.example.org/Group/Sub/name/-/merge_requests/{iid}"),
        "references": { "full": format!("Group/Sub/name!{iid}") }
    })
}

fn changes(iid: u64, state: &str, updated: &str) -> Answer {
    rows("changes_of_project", &json!([change(iid, state, updated)]))
}

fn search(stub: &Stub) -> ChangeSearch {
    ChangeSearch {
        at: at(stub),
        owner: Some("group/sub".into()),
        repo: Some("name".into()),
        limit: 4,
        page: 1,
        ..ChangeSearch::default()
    }
}

/// With every filter there is.
pub(super) fn filtered(stub: &Stub) -> ChangeSearch {
    ChangeSearch {
        query: Some("fix it".into()),
        state: Some(ChangeState::Open),
        author: Some("kim".into()),
        assignee: Some("lee".into()),
        labels: vec!["bug".into(), "ui".into()],
        draft: Some(true),
        created: Some("2017-01-01..2017-12-31".into()),
        updated: Some(">2017-06-01".into()),
        ..search(stub)
    }
}

const ALL: &str = "/merge_requests?scope=all&order_by=updated_at&sort=desc";

#[tokio::test]
async fn every_filter_is_the_documented_one() {
    let target = below(&format!(
        "{ALL}&search=fix+it&author_username=kim&assignee_username=lee&labels=bug%2Cui&wip=yes\
         &created_after=2017-01-01T00%3A00%3A00Z&created_before=2017-12-31T23%3A59%3A59Z\
         &updated_after=2017-06-01T23%3A59%3A59Z&state=opened&per_page=4&page=1"
    ));
    let answer = changes(5, "opened", "2018-01-01T00:00:00Z").with("X-Total", 9).with("X-Next-Page", "2");
    let stub = server(vec![(target, answer)]);
    let query = filtered(&stub);
    let found = gitlab::search_changes(&caller(&stub), &query).await.unwrap();
    assert_eq!((found.total, found.has_more, found.incomplete), (Some(9), true, None));
    let row = &found.rows[0];
    assert_eq!((row.repository.as_str(), row.number, row.state), ("Group/Sub/name", 5, ChangeState::Open));
    assert_eq!((row.author.as_str(), row.merged, row.draft), ("kim", false, true));
    assert_eq!((row.base.as_deref(), row.head.as_deref()), (Some("main"), Some("topic")));
    assert_eq!((row.labels.len(), row.assignees.as_slice()), (2, ["lee".to_owned()].as_slice()));
    assert_eq!((&row.comments, &row.commits, &row.files), (&None, &None, &None));
}

#[tokio::test]
async fn closed_means_merged_or_not_and_the_newest_come_first() {
    let body = |iid, state, updated| changes(iid, state, updated).with("X-Total", 3);
    let stub = server(vec![
        (below(&format!("{ALL}&state=merged&per_page=2&page=1")), body(1, "merged", "2018-01-01T00:00:00Z")),
        (below(&format!("{ALL}&state=closed&per_page=2&page=1")), body(2, "closed", "2018-02-01T00:00:00Z")),
        (below(&format!("{ALL}&state=merged&per_page=4&page=1")), body(1, "merged", "2018-01-01T00:00:00Z")),
    ]);
    let caller = caller(&stub);
    let closed = ChangeSearch { state: Some(ChangeState::Closed), ..search(&stub) };
    let found = gitlab::search_changes(&caller, &closed).await.unwrap();
    let rows: Vec<_> = found.rows.iter().map(|row| (row.number, row.merged, row.state)).collect();
    assert_eq!(rows, [(2, false, ChangeState::Closed), (1, true, ChangeState::Closed)]);
    assert_eq!(found.total, Some(6));
    let merged = ChangeSearch { merged: Some(true), ..closed.clone() };
    assert_eq!(gitlab::search_changes(&caller, &merged).await.unwrap().rows.len(), 1);
    let open = ChangeSearch { state: Some(ChangeState::Open), ..merged };
    assert_eq!(gitlab::search_changes(&caller, &open).await.unwrap_err().field, Some("merged"));
}

fn one(rest: &str) -> String {
    format!("/api/v4/projects/7/merge_requests/5/{rest}")
}

fn differences() -> Value {
    json!([
        { "old_path": "VERSION", "new_path": "VERSION", "a_mode": "100644", "b_mode": "100644",
          "diff": "@@ -1 +1 @@\n-1.9.7\n+1.9.8\n@@ -40,2 +40,3 @@\n a\n+b\n c\n" },
        { "old_path": "old.rs", "new_path": "new.rs", "diff": "", "renamed_file": true },
        { "old_path": "big", "new_path": "big", "diff": "", "new_file": true, "too_large": true }
    ])
}

fn detailed(diffs: (String, Answer)) -> Stub {
    let place = json!({ "new_path": "VERSION", "old_path": "VERSION", "new_line": 1, "old_line": null });
    let notes = json!([
        { "body": "please rename", "author": user("lee"), "created_at": "2018-01-01T00:00:00Z", "position": place },
        { "body": "added label", "author": user("bot"), "system": true }
    ]);
    let more = json!([{ "body": "done", "author": user("kim"), "position": null }]);
    let commits = json!([{ "id": "ed899a2f4b50b4370feeea94676502b42383c746", "title": "Fix", "message": "Fix\n\nWhy\n",
        "author_name": "Kim", "authored_date": "2012-09-20T11:50:22+03:00" }]);
    let opened = whole("change", &change(5, "opened", "2018-01-01T00:00:00Z"));
    let notes = rows("notes", &notes).with("Link", "<http://x/?page=2>; rel=\"next\"");
    server(vec![
        (below("/merge_requests/5"), Answer::json(&opened.to_string())),
        (one("notes?per_page=100&sort=asc&order_by=created_at&page=1"), notes),
        (one("notes?per_page=100&sort=asc&order_by=created_at&page=2"), rows("notes", &more)),
        (one("commits?per_page=100&page=1"), rows("commits_of_change", &commits)),
        diffs,
    ])
}

#[tokio::test]
async fn one_change_comes_with_what_was_said_and_changed() {
    let stub = detailed((one("diffs?per_page=100&page=1"), rows("diffs", &differences())));
    let query = ChangeSearch {
        number: Some(5),
        with_comments: true,
        with_commits: true,
        content: ChangeContent::Full,
        ..search(&stub)
    };
    let found = gitlab::search_changes(&caller(&stub), &query).await.unwrap();
    let row = &found.rows[0];
    let comments = row.comments.as_ref().unwrap();
    let said: Vec<_> = comments.iter().map(|one| (one.author.as_str(), one.body.as_str())).collect();
    assert_eq!(said, [("lee", "please rename"), ("kim", "done")], "what GitLab itself writes is no comment");
    assert_eq!((comments[0].path.as_deref(), comments[0].line), (Some("VERSION"), Some(1)));
    assert_eq!(row.commits.as_ref().unwrap()[0].message, "Fix\n\nWhy\n");
    let files = row.files.as_ref().unwrap();
    let states: Vec<_> = files.iter().map(|file| (file.filename.as_str(), file.status.as_str())).collect();
    assert_eq!(states, [("VERSION", "modified"), ("new.rs", "renamed"), ("big", "added")]);
    assert_eq!((files[0].additions, files[0].deletions), (2, 1));
    assert_eq!(files[1].previous.as_deref(), Some("old.rs"));
    assert!(files[2].patch.is_none() && files[2].patch_note.as_deref().unwrap().contains("too large"));
}

#[tokio::test]
async fn an_older_gitlab_tells_its_differences_in_another_place() {
    let difference = json!([{ "old_path": "VERSION", "new_path": "VERSION", "b_mode": "100644", "new_file": false,
        "renamed_file": false, "deleted_file": false, "diff": differences()[0]["diff"] }]);
    let stub = detailed((one("changes"), rows("older_diffs", &json!({ "iid": 5, "changes": difference }))));
    let content = ChangeContent::Partial(vec![("VERSION".into(), vec![(41, 41)]), ("absent".into(), vec![])]);
    let query = ChangeSearch { number: Some(5), content, ..search(&stub) };
    let found = gitlab::search_changes(&caller(&stub), &query).await.unwrap();
    let files = found.rows[0].files.as_ref().unwrap();
    assert_eq!(files.len(), 1);
    let patch = files[0].patch.as_deref().unwrap();
    assert_eq!(found.incomplete.as_deref(), Some("!5 does not change `absent`"));
    assert!(patch.starts_with("@@ -40,2") && !patch.contains("1.9.8"), "{patch}");
}

#[tokio::test]
async fn what_cannot_be_asked_is_told_before() {
    let stub = server(Vec::new());
    let caller = caller(&stub);
    for (query, field) in [
        (ChangeSearch { repo: None, number: Some(5), ..search(&stub) }, "number"),
        (ChangeSearch { owner: None, ..search(&stub) }, "owner"),
        (ChangeSearch { labels: vec!["a,b".into()], ..search(&stub) }, "labels"),
        (ChangeSearch { created: Some("yesterday".into()), ..search(&stub) }, "created"),
        (ChangeSearch { limit: 0, ..search(&stub) }, "limit"),
    ] {
        let problem = gitlab::search_changes(&caller, &query).await.unwrap_err();
        assert_eq!((problem.kind, problem.field), (ErrorKind::InvalidParams, Some(field)), "{problem}");
    }
    assert_eq!(stub.count(), 0);
    let users = ChangeSearch { owner: Some("kim".into()), repo: None, ..search(&stub) };
    let problem = gitlab::search_changes(&caller, &users).await.unwrap_err();
    assert_eq!(problem.field, Some("owner"));
    says(&problem, &["`author`"]);
}
