//! Is the least that gitbeaker's types let come understood, and the most?

use std::collections::BTreeMap;

use orienteer_base::question::Part;
use orienteer_base::remote::{
    Change, ChangeContent, ChangeSearch, ChangeState, CodeSearch, EntryKind, RemoteFileQuery,
    RemoteTreeQuery, RepoSearch,
};

use super::documents::{Extent, laid_over};
use super::published::{ADDRESSES, question, wrong};
use super::*;

/// Answers each question with a document of this extent.
fn generated(extent: Extent, older: bool) -> Stub {
    let questions = ADDRESSES.iter().map(|(question, _)| *question).filter(|question| *question != "raw");
    let answers: BTreeMap<&str, String> =
        questions.map(|question| (question, document(extent, question).to_string())).collect();
    Stub::start(move |asked, _| match question(&asked.target) {
        "diffs" if older => Answer::status(404, r#"{"error": "404 Not Found"}"#),
        question => Answer::json(&answers[question]),
    })
}

/// Only what must mean something is said here.
fn document(extent: Extent, question: &str) -> Value {
    let made = extent.of(question);
    let said = match question {
        "commit" => json!({ "id": COMMIT }),
        "file" => json!({ "encoding": "base64", "content": "b25lCnR3bwo=" }),
        // The others are not comments.
        "notes" => json!({ "system": false }),
        _ => json!({}),
    };
    let found = match made.as_array() {
        Some(rows) => rows.iter().map(|row| laid_over(row.clone(), &said)).collect(),
        None => laid_over(made, &said),
    };
    assert_eq!(wrong(question, &found), [] as [String; 0], "{question}");
    found
}

fn text(value: &Value) -> Option<&str> {
    value.as_str()
}

#[tokio::test]
async fn code_is_found_in_what_the_types_let_come() {
    for extent in Extent::BOTH {
        let stub = generated(extent, false);
        let (blob, project) = (&document(extent, "code")[0], document(extent, "project"));
        let query = CodeSearch {
            at: at(&stub),
            keywords: vec!["DATA".into()],
            limit: 10,
            page: 1,
            ..CodeSearch::default()
        };
        let found = gitlab::search_code(&caller(&stub), &query).await.unwrap();
        let hit = &found.rows[0];
        assert_eq!(text(&blob["path"]), Some(hit.path.as_str()));
        assert_eq!(text(&blob["ref"]), hit.reference.as_deref());
        assert_eq!(text(&blob["data"]), Some(hit.text_matches[0].fragment.as_str()));
        assert_eq!(hit.text_matches[0].matches, [(5, 9)], "code.data");
        assert_eq!(text(&project["path_with_namespace"]), Some(hit.repository.as_str()));
        let line = format!("#L{}", blob["startline"]);
        assert!(hit.url.starts_with("project.web_url/") && hit.url.ends_with(&line), "{}", hit.url);
    }
}

#[tokio::test]
async fn projects_are_found_in_what_the_types_let_come() {
    for extent in Extent::BOTH {
        let stub = generated(extent, false);
        let query = RepoSearch {
            at: at(&stub),
            keywords: vec!["x".into()],
            limit: 10,
            page: 1,
            ..RepoSearch::default()
        };
        let found = gitlab::search_repositories(&caller(&stub), &query).await.unwrap();
        let (row, project) = (&found.rows[0], &document(extent, "projects")[0]);
        assert_eq!(text(&project["path_with_namespace"]), Some(row.full_name.as_str()));
        assert_eq!(text(&project["web_url"]), Some(row.url.as_str()));
        assert_eq!(
            (project["star_count"].as_u64(), project["forks_count"].as_u64()),
            (Some(row.stars), Some(row.forks))
        );
        assert_eq!(text(&project["description"]), row.description.as_deref());
        assert_eq!(text(&project["default_branch"]), row.default_branch.as_deref());
        assert_eq!(text(&project["created_at"]), row.created_at.as_deref());
        assert_eq!(text(&project["last_activity_at"]), row.updated_at.as_deref());
        assert_eq!(project["archived"].as_bool(), Some(row.archived));
        assert_eq!(text(&project["license"]["key"]), row.license.as_deref());
        assert_eq!(project["topics"].is_null(), extent == Extent::Smallest);
        assert_eq!(text(&project["topics"][0]), row.topics.first().map(String::as_str));
    }
}

#[tokio::test]
async fn merge_requests_are_found_in_what_the_types_let_come() {
    for extent in Extent::BOTH {
        let stub = generated(extent, false);
        let query = ChangeSearch { at: at(&stub), limit: 10, page: 1, ..ChangeSearch::default() };
        let found = gitlab::search_changes(&caller(&stub), &query).await.unwrap();
        same_change(&found.rows[0], &document(extent, "changes")[0], extent);
    }
}

fn same_change(row: &Change, change: &Value, extent: Extent) {
    assert_eq!(change["iid"].as_u64(), Some(row.number));
    assert_eq!(text(&change["title"]), Some(row.title.as_str()));
    assert_eq!(text(&change["description"]), row.body.as_deref());
    assert_eq!(text(&change["author"]["username"]), Some(row.author.as_str()));
    assert_eq!(
        (text(&change["target_branch"]), text(&change["source_branch"])),
        (row.base.as_deref(), row.head.as_deref())
    );
    assert_eq!(text(&change["updated_at"]), row.updated_at.as_deref());
    assert_eq!(text(&change["merged_at"]), row.merged_at.as_deref());
    assert_eq!(change["draft"].as_bool(), Some(row.draft));
    assert_eq!((row.state, row.merged), (ChangeState::Closed, false), "its state is none that we know");
    assert_eq!(change["assignees"].is_null(), extent == Extent::Smallest);
    assert_eq!(text(&change["assignees"][0]["username"]), row.assignees.first().map(String::as_str));
    assert_eq!(text(&change["labels"][0]), row.labels.first().map(String::as_str));
}

#[tokio::test]
async fn one_merge_request_is_read_with_what_belongs_to_it() {
    for (extent, older) in [
        (Extent::Smallest, false),
        (Extent::Fullest, false),
        (Extent::Smallest, true),
        (Extent::Fullest, true),
    ] {
        let stub = generated(extent, older);
        let query = ChangeSearch {
            at: at(&stub),
            owner: Some("group/sub".into()),
            repo: Some("name".into()),
            number: Some(5),
            with_comments: true,
            with_commits: true,
            content: ChangeContent::Full,
            limit: 10,
            page: 1,
            ..ChangeSearch::default()
        };
        let found = gitlab::search_changes(&caller(&stub), &query).await.unwrap();
        let row = &found.rows[0];
        same_change(row, &document(extent, "change"), extent);
        let (note, comment) = (&document(extent, "notes")[0], &row.comments.as_ref().unwrap()[0]);
        assert_eq!(
            (text(&note["body"]), text(&note["author"]["username"])),
            (Some(comment.body.as_str()), Some(comment.author.as_str()))
        );
        assert_eq!(text(&note["position"]["new_path"]), comment.path.as_deref());
        assert_eq!(note["position"]["new_line"].as_u64(), comment.line);
        let (commit, read) = (&document(extent, "commits_of_change")[0], &row.commits.as_ref().unwrap()[0]);
        assert_eq!(
            (text(&commit["id"]), text(&commit["message"])),
            (Some(read.sha.as_str()), Some(read.message.as_str()))
        );
        let date = if extent == Extent::Fullest { &commit["authored_date"] } else { &commit["created_at"] };
        assert_eq!(
            (text(&commit["author_name"]), text(date)),
            (Some(read.author.as_str()), read.date.as_deref())
        );
        let diffs = if older {
            document(extent, "older_diffs")["changes"].clone()
        } else {
            document(extent, "diffs")
        };
        // A list that is not whole does not look like one that is.
        let held_back = (extent, older) == (Extent::Fullest, true);
        let note = held_back.then(|| format!("!{} changes more files than GitLab tells", row.number));
        assert_eq!(found.incomplete, note);
        let files = row.files.as_ref().unwrap();
        assert_eq!(diffs.as_array().unwrap().len(), files.len());
        for (diff, file) in diffs.as_array().unwrap().iter().zip(files) {
            assert_eq!(
                (text(&diff["new_path"]), text(&diff["diff"])),
                (Some(file.filename.as_str()), file.patch.as_deref())
            );
            assert_eq!(text(&diff["old_path"]), file.previous.as_deref());
            assert_eq!(file.status, if extent == Extent::Fullest { "added" } else { "modified" });
        }
    }
}

#[tokio::test]
async fn a_file_and_a_tree_are_read_in_what_the_types_let_come() {
    for extent in Extent::BOTH {
        let stub = generated(extent, false);
        let caller = caller(&stub);
        let query = RemoteFileQuery { repo: repo(&stub), path: "a".into(), part: Part::Whole };
        let read = gitlab::read_file(&caller, &query).await.unwrap();
        assert_eq!((read.content.as_str(), read.from.commit.as_deref()), ("one\ntwo\n", Some(COMMIT)));
        assert_eq!(text(&document(extent, "file")["blob_id"]), read.sha.as_deref());
        assert_eq!(text(&document(extent, "commits")[0]["author_name"]), read.last_author.as_deref());
        let query = RemoteTreeQuery { repo: repo(&stub), path: String::new(), depth: 1, skip: 0, limit: 10 };
        let listed = gitlab::tree(&caller, &query).await.unwrap();
        let (entry, item) = (&listed.entries[0], &document(extent, "tree")[0]);
        assert_eq!(
            (text(&item["path"]), text(&item["id"])),
            (Some(entry.path.as_str()), entry.sha.as_deref())
        );
        assert_eq!(entry.kind, EntryKind::File, "its type is none that we know");
    }
}
