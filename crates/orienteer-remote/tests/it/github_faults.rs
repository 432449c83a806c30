//! What GitHub does that its emulator cannot be made to show.

use std::sync::Arc;

use orienteer_base::question::Part;
use orienteer_base::remote::{
    ChangeContent, ChangeSearch, CodeSearch, EntryKind, Forge, NoText, RemoteFileQuery, RemoteTreeQuery,
    RepoSearch,
};
use orienteer_base::{ErrorKind, Problem};
use orienteer_remote::Remote;
use serde_json::json;

use crate::asking::{go, remote, repo};
use crate::stub::{Answer, Asked, Stub, pacing};

const COMMIT: &str = "825ac3773694e0cd23ee74895fd5aeb535b27da4";

fn github(stub: &Stub, token: Option<&str>) -> Remote {
    let api = stub.url().to_string();
    remote(Forge::Github, &stub.name(), Some(&api), token, None, pacing())
}

/// Answers by path and query; what it does not know is not found.
fn forge(answer: impl Fn(&str, &Asked) -> Option<Answer> + Send + Sync + 'static) -> Stub {
    Stub::start(move |asked, _| {
        if asked.target.contains("/commits/") {
            return Answer::status(200, COMMIT);
        }
        let target = asked.target.strip_prefix("/repos/a/b/").unwrap_or(&asked.target).to_owned();
        answer(&target, asked).unwrap_or_else(|| Answer::status(404, r#"{"message":"Not Found"}"#))
    })
}

fn read(path: &str) -> RemoteFileQuery {
    RemoteFileQuery { repo: repo("a", "b", None), path: path.into(), part: Part::Whole }
}

fn list(path: &str, depth: usize) -> RemoteTreeQuery {
    RemoteTreeQuery { repo: repo("a", "b", None), path: path.into(), depth, skip: 0, limit: 10_000 }
}

fn entry(kind: &str, size: u64) -> serde_json::Value {
    json!({ "type": kind, "size": size, "sha": "s", "url": "https://api.github.com/repos/A/B/contents/x" })
}

#[tokio::test]
async fn a_file_over_a_megabyte_is_read_raw() {
    let text = "line\n".repeat(300_000);
    let served = text.clone();
    let stub = forge(move |target, asked| {
        assert_eq!(target, format!("contents/big.txt?ref={COMMIT}"));
        if asked.header("accept") == Some("application/vnd.github.raw+json") {
            return Some(Answer::status(200, &served));
        }
        let mut entry = entry("file", 1_500_000);
        (entry["content"], entry["encoding"]) = (json!(""), json!("none"));
        Some(Answer::json(&entry.to_string()))
    });
    let remote = github(&stub, None);
    let part = Part::Lines { start: 299_999, end: 300_000 };
    let file = remote.read_file(&RemoteFileQuery { part, ..read("big.txt") }, &go()).await.unwrap();
    assert_eq!((file.content.as_str(), file.total_lines, file.size), ("line\nline\n", 300_000, 1_500_000));
    assert_eq!(file.from.repository.as_deref(), Some("A/B"), "as it is spelled there");
    assert_eq!(stub.count(), 3, "commit, description, content; nobody asks for the author without a token");
}

#[tokio::test]
async fn a_file_that_github_does_not_give_is_told_with_what_to_do() {
    let refusal = r#"{"message":"This API returns blobs up to 100 MB in size. The requested blob is too large to fetch via the API, but you can always clone the repository via Git in order to obtain it.","errors":[{"resource":"Blob","field":"data","code":"too_large"}]}"#;
    let refusing = forge(move |_, _| Some(Answer::status(403, refusal)));
    let mut described = entry("file", 150 << 20);
    (described["content"], described["encoding"]) = (json!(""), json!("none"));
    let describing = forge(move |_, _| Some(Answer::json(&described.to_string())));
    for stub in [refusing, describing] {
        let problem = github(&stub, None).read_file(&read("huge.bin"), &go()).await.unwrap_err();
        assert_eq!(problem.kind, ErrorKind::TooLarge, "{problem}");
        assert!(problem.message.contains("clone"), "{problem}");
        assert_eq!(stub.count(), 2);
    }
}

#[tokio::test]
async fn a_link_is_followed_once_and_only_inside() {
    let stub = forge(|target, _| {
        let path = target.strip_prefix("contents/")?.split('?').next()?;
        let link = |to: &str| {
            let mut entry = entry("symlink", 3);
            entry["target"] = json!(to);
            entry
        };
        let entry = match path {
            "docs/link" => link("../src/real.txt"),
            "outside" => link("../../etc/passwd"),
            "chain" => link("docs/link"),
            "src/real.txt" => {
                let mut entry = entry("file", 2);
                (entry["content"], entry["encoding"]) = (json!("aGk=\n"), json!("base64"));
                entry
            }
            _ => return None,
        };
        Some(Answer::json(&entry.to_string()))
    });
    let remote = github(&stub, None);
    let file = remote.read_file(&read("docs/link"), &go()).await.unwrap();
    assert_eq!((file.content.as_str(), file.path.as_str()), ("hi", "docs/link"));
    assert_eq!(file.link_target.as_deref(), Some("src/real.txt"));
    for path in ["outside", "chain"] {
        let problem = remote.read_file(&read(path), &go()).await.unwrap_err();
        assert_eq!(problem.detail, Some("link"), "{path}: {problem}");
    }
    assert!(!stub.asked().iter().any(|asked| asked.target.contains("passwd")));
}

#[tokio::test]
async fn a_submodule_is_named_as_one() {
    let mut described = entry("submodule", 0);
    (described["submodule_git_url"], described["sha"]) = (json!("https://example.org/x.git"), json!(COMMIT));
    let stub = forge(move |_, _| Some(Answer::json(&described.to_string())));
    let file = github(&stub, None).read_file(&read("vendor/x"), &go()).await.unwrap();
    let (url, commit) = (Some("https://example.org/x.git".to_owned()), COMMIT.to_owned());
    assert_eq!(file.instead, Some(NoText::Submodule { url, commit }));
}

/// A folder of git: names with kinds; folders have their own path as digest.
fn folder(path: &str, entries: &[(&str, &str)]) -> serde_json::Value {
    let entries: Vec<_> = entries
        .iter()
        .map(|(name, kind)| {
            let mode = if *kind == "tree" { "040000" } else { "100644" };
            let sha = format!("{path}{name}").replace('/', "-");
            json!({ "path": name, "mode": mode, "type": kind, "sha": sha, "size": 1 })
        })
        .collect();
    json!({ "sha": "x", "tree": entries, "truncated": false })
}

#[tokio::test]
async fn a_tree_that_is_cut_off_is_completed_by_walking() {
    let stub = forge(|target, _| {
        let target = target.strip_prefix("git/trees/")?;
        let cut_off = json!({ "sha": "x", "truncated": true, "tree": [
            { "path": "only", "mode": "100644", "type": "blob", "sha": "only" }
        ]});
        let answer = match target {
            // The root and `src` are too large at once; the rest is not.
            _ if target == format!("{COMMIT}?recursive=1") => cut_off,
            "src?recursive=1" => cut_off,
            _ if target == COMMIT => {
                folder("", &[("README", "blob"), ("docs", "tree"), ("src", "tree"), ("only", "blob")])
            }
            "src" => folder("src/", &[("a", "tree"), ("m.rs", "blob")]),
            "docs?recursive=1" => folder("docs/", &[("x", "tree"), ("x/y", "blob")]),
            "src-a?recursive=1" => folder("src/a/", &[("deep", "tree"), ("deep/z.rs", "blob")]),
            _ => return None,
        };
        Some(Answer::json(&answer.to_string()))
    });
    let tree = github(&stub, None).tree(&list("", 10), &go()).await.unwrap();
    let paths: Vec<_> = tree.entries.iter().map(|entry| entry.path.as_str()).collect();
    let expected = [
        "README",
        "docs",
        "docs/x",
        "docs/x/y",
        "only",
        "src",
        "src/a",
        "src/a/deep",
        "src/a/deep/z.rs",
        "src/m.rs",
    ];
    assert_eq!(paths, expected);
    assert_eq!((tree.total, tree.directories, tree.incomplete), (10, 5, None));
    let folders = tree.entries.iter().filter(|entry| entry.kind == EntryKind::Directory);
    let folders: Vec<_> = folders.map(|entry| entry.path.as_str()).collect();
    assert_eq!(folders, ["docs", "docs/x", "src", "src/a", "src/a/deep"]);
}

#[tokio::test]
async fn a_tree_without_an_end_is_given_up_and_said_so() {
    // Every folder is cut off, and has two more in it.
    let stub = forge(|target, _| {
        target.strip_prefix("git/trees/")?;
        let mut answer = folder(target, &[("a", "tree"), ("b", "tree")]);
        answer["truncated"] = json!(target.contains("recursive"));
        Some(Answer::json(&answer.to_string()))
    });
    let tree = github(&stub, None).tree(&list("", 10), &go()).await.unwrap();
    assert!(
        tree.incomplete.as_deref().is_some_and(|why| why.contains("folders were not listed")),
        "{:?}",
        tree.incomplete
    );
    assert!(stub.count() <= 402, "{}", stub.count());
}

#[tokio::test]
async fn pages_without_an_end_are_given_up_and_said_so() {
    let stub = forge(|target, _| {
        if target == "pulls/1" {
            let pull =
                json!({ "number": 1, "title": "t", "state": "open", "html_url": "https://x", "user": null });
            return Some(Answer::json(&pull.to_string()));
        }
        // Whatever page is asked for, there is another one.
        let next = "<https://x>; rel=\"next\"";
        Some(Answer::json(r#"[{"filename":"f","status":"added","body":"b","user":null}]"#).with("Link", next))
    });
    let query = ChangeSearch {
        owner: Some("a".into()),
        repo: Some("b".into()),
        number: Some(1),
        content: ChangeContent::Full,
        with_comments: true,
        limit: 1,
        page: 1,
        ..ChangeSearch::default()
    };
    let page = github(&stub, None).search_changes(&query, &go()).await.unwrap();
    let change = &page.rows[0];
    assert_eq!((change.files.as_ref().unwrap().len(), change.comments.as_ref().unwrap().len()), (30, 20));
    assert_eq!(change.author, "ghost", "who has left");
    let said = page.incomplete.unwrap();
    assert!(said.contains("more comments") && said.contains("more files"), "{said}");
    assert_eq!(stub.count(), 1 + 30 + 10 + 10);
}

#[tokio::test]
async fn what_github_cannot_search_for_is_told_before_it_is_asked() {
    let stub = forge(|_, _| None);
    let remote = github(&stub, None);
    let code = |keywords: &[&str]| CodeSearch {
        keywords: keywords.iter().map(|word| (*word).to_owned()).collect(),
        limit: 100,
        page: 1,
        ..CodeSearch::default()
    };
    let long = "x".repeat(257);
    let queries: Vec<(CodeSearch, &str)> = vec![
        (code(&[]), "empty"),
        (code(&[&long]), "too_long"),
        (code(&["a OR b OR c OR d OR e OR f OR g"]), "too_many_operators"),
        (CodeSearch { page: 11, ..code(&["x"]) }, "beyond_results"),
        (CodeSearch { limit: 0, ..code(&["x"]) }, "out_of_range"),
        (CodeSearch { path: Some("a\" repo:secret/x".into()), ..code(&["x"]) }, "bad_value"),
    ];
    for (query, detail) in queries {
        let problem = remote.search_code(&query, &go()).await.unwrap_err();
        assert_eq!((problem.kind, problem.detail), (ErrorKind::InvalidParams, Some(detail)), "{problem}");
    }
    let nothing = RepoSearch { limit: 1, page: 1, ..RepoSearch::default() };
    assert_eq!(remote.search_repositories(&nothing, &go()).await.unwrap_err().detail, Some("empty"));
    assert_eq!(stub.count(), 0);
}

#[tokio::test]
async fn matches_in_code_come_with_their_places() {
    let body = json!({ "total_count": 1500, "incomplete_results": true, "items": [{
        "path": "src/größe.js", "html_url": format!("https://github.com/a/b/blob/{COMMIT}/x"),
        "repository": { "full_name": "a/b" },
        "text_matches": [{ "property": "content", "fragment": "// größe\nsize()",
                           "matches": [{ "text": "size", "indices": [9, 13] }] }]
    }]});
    let stub = forge(move |target, asked| {
        assert!(target.starts_with("/search/code?q=size&per_page=100&page=10"), "{target}");
        assert_eq!(asked.header("accept"), Some("application/vnd.github.text-match+json"));
        Some(Answer::json(&body.to_string()))
    });
    let query = CodeSearch { keywords: vec!["size".into()], limit: 100, page: 10, ..CodeSearch::default() };
    let found = github(&stub, Some("t")).search_code(&query, &go()).await.unwrap();
    assert_eq!(found.rows[0].text_matches[0].matches, [(9, 13)]);
    assert_eq!((found.total, found.has_more), (Some(1500), false), "GitHub shows the first thousand");
    assert!(found.incomplete.is_some());
}

#[tokio::test]
async fn code_search_without_a_token_says_what_is_missing() {
    let stub = forge(|_, _| Some(Answer::status(401, r#"{"message":"Requires authentication"}"#)));
    let query = CodeSearch { keywords: vec!["x".into()], limit: 1, page: 1, ..CodeSearch::default() };
    let problem = github(&stub, None).search_code(&query, &go()).await.unwrap_err();
    assert_eq!(problem.kind, ErrorKind::AuthRequired);
    assert!(problem.message.contains("needs a token") && problem.message.contains(&stub.name()), "{problem}");
    let problem = github(&stub, Some("old")).search_code(&query, &go()).await.unwrap_err();
    assert!(
        problem.message.contains("wrong or has expired") && !problem.message.contains("old"),
        "{problem}"
    );
}

#[tokio::test]
async fn a_reference_that_does_not_exist_and_an_empty_repository_are_told_apart() {
    let of = async |status: u16, message: &str| -> Problem {
        let body = json!({ "message": message }).to_string();
        let stub = Stub::start(move |_, _| Answer::status(status, &body));
        let query = RemoteFileQuery { repo: repo("a", "b", Some("feat/x")), ..read("x") };
        let problem = github(&stub, None).read_file(&query, &go()).await.unwrap_err();
        assert_eq!(stub.asked()[0].target, "/repos/a/b/commits/feat%2Fx");
        problem
    };
    let unknown = of(422, "No commit found for SHA: feat/x").await;
    assert_eq!((unknown.kind, unknown.field), (ErrorKind::NotFound, Some("reference")));
    assert!(of(409, "Git Repository is empty.").await.message.contains("is empty"));
    assert!(of(404, "Not Found").await.message.contains("private"));
}

#[tokio::test]
async fn a_renamed_repository_is_read_under_its_new_name() {
    let stub = Arc::new(Stub::start(|asked, _| {
        let target = asked.target.as_str();
        if let Some(rest) = target.strip_prefix("/repos/old/name/") {
            let rest = rest.to_owned();
            return Answer::status(301, "{}").with("Location", format!("/repositories/42/{rest}"));
        }
        if target.contains("/commits/") {
            return Answer::status(200, COMMIT);
        }
        let entry = json!({ "type": "file", "size": 2, "content": "aGk=", "encoding": "base64",
                            "url": "https://api.github.com/repos/new/name/contents/x" });
        Answer::json(&entry.to_string())
    }));
    let query = RemoteFileQuery { repo: repo("old", "name", None), ..read("x") };
    let file = github(&stub, None).read_file(&query, &go()).await.unwrap();
    assert_eq!((file.content.as_str(), file.from.repository.as_deref()), ("hi", Some("new/name")));
}
