//! Does GitHub's own description of its API know every request that we send, and can we read what it says comes back?

use std::collections::BTreeSet;

use orienteer_base::question::Part;
use orienteer_base::remote::{
    ChangeContent, ChangeSearch, ChangeState, CodeMatch, CodeSearch, EntryKind, Forge, NoText,
    RemoteFileQuery, RemoteTreeQuery, RepoField, RepoOrder, RepoSearch,
};
use orienteer_remote::Remote;
use orienteer_testkit::openapi::{description, resolved, schema};
use serde_json::{Value, json};

use crate::asking::{go, remote, repo};
use crate::emulator::{Emulator, Put, TOKEN};
use crate::recorder::recorder;
use crate::stub::{Answer, Stub, pacing};

/// What is wrong with a value, by a schema.
fn wrong(value: &Value, by: &Value) -> Vec<String> {
    let validator = jsonschema::validator_for(&schema(by)).unwrap();
    let errors = validator.iter_errors(value);
    errors.map(|error| format!("{}: {}", error.instance_path(), shortened(&error.to_string()))).collect()
}

fn shortened(text: &str) -> String {
    text.chars().rev().take(160).collect::<Vec<_>>().into_iter().rev().collect()
}

/// The path of the description that this one is, and the operation there.
fn operation(path: &str) -> Option<(&'static str, &'static Value)> {
    let asked: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    let fits = |template: &str| {
        let parts: Vec<&str> = template.trim_start_matches('/').split('/').collect();
        // A path inside a repository is the only one with slashes in it.
        let rest = parts.last() == Some(&"{path}") && asked.len() >= parts.len();
        (rest || parts.len() == asked.len())
            && parts
                .iter()
                .zip(&asked)
                .all(|(part, asked)| part.starts_with('{') && !asked.is_empty() || part == asked)
    };
    let paths = description()["paths"].as_object().unwrap();
    let found =
        paths.iter().filter(|(template, _)| fits(template)).filter(|(_, path)| path["get"].is_object());
    // The one with the most words of its own is meant: `/pulls/comments` is not a number.
    let (template, path) = found.min_by_key(|(template, _)| template.matches('{').count())?;
    Some((template, &path["get"]))
}

/// Checks path and query of a request; gives the path of the description.
fn judged(target: &str) -> &'static str {
    let url = reqwest::Url::parse("https://api.github.com").unwrap().join(target).unwrap();
    let (template, operation) = operation(url.path()).unwrap_or_else(|| panic!("GitHub has no {target}"));
    let parameters: Vec<&Value> = operation["parameters"]
        .as_array()
        .unwrap()
        .iter()
        .map(resolved)
        .filter(|one| one["in"] == "query")
        .collect();
    for (name, value) in url.query_pairs() {
        let parameter = parameters.iter().find(|parameter| parameter["name"] == *name);
        let parameter = parameter.unwrap_or_else(|| panic!("{template} has no parameter {name}"));
        let number = value.parse::<i64>().ok().filter(|_| parameter["schema"]["type"] == "integer");
        let value = number.map_or_else(|| json!(value), |number| json!(number));
        assert_eq!(wrong(&value, &parameter["schema"]), [] as [String; 0], "{name} of {target}");
    }
    for parameter in parameters.iter().filter(|parameter| parameter["required"] == true) {
        let name = parameter["name"].as_str().unwrap();
        assert!(url.query_pairs().any(|(known, _)| known == name), "{target} needs {name}");
    }
    template
}

fn github(stub: &Stub) -> Remote {
    let api = stub.url().to_string();
    remote(Forge::Github, &stub.name(), Some(&api), Some(TOKEN), None, pacing())
}

fn code_search() -> CodeSearch {
    CodeSearch {
        keywords: vec!["hello".into(), "two words".into()],
        owner: Some("octocat".into()),
        repo: Some("hello-world".into()),
        extension: Some("md".into()),
        filename: Some("README".into()),
        path: Some("docs".into()),
        match_in: Some(CodeMatch::File),
        limit: 100,
        page: 2,
        ..CodeSearch::default()
    }
}

fn repo_search() -> RepoSearch {
    RepoSearch {
        keywords: vec!["hello".into()],
        topics: vec!["greeting".into()],
        stars: Some(">=0".into()),
        match_in: vec![RepoField::Name],
        order: RepoOrder::Updated,
        limit: 10,
        page: 1,
        ..RepoSearch::default()
    }
}

fn change_search(number: Option<u64>) -> ChangeSearch {
    ChangeSearch {
        owner: Some("octocat".into()),
        repo: Some("hello-world".into()),
        number,
        state: Some(ChangeState::Open),
        draft: Some(false),
        content: ChangeContent::Full,
        with_comments: true,
        with_commits: true,
        limit: 5,
        page: 1,
        ..ChangeSearch::default()
    }
}

fn file(path: &str) -> RemoteFileQuery {
    RemoteFileQuery { repo: repo("octocat", "hello-world", None), path: path.into(), part: Part::Whole }
}

fn tree(path: &str, depth: usize) -> RemoteTreeQuery {
    let repo = repo("octocat", "hello-world", Some("main"));
    RemoteTreeQuery { repo, path: path.into(), depth, skip: 0, limit: 100 }
}

#[tokio::test]
async fn every_request_is_one_that_github_describes() {
    let emulator = Emulator::start();
    let sha = emulator.put("octocat/hello-world", "src/a b.md", b"hello", "main");
    let body = json!({ "ref": "refs/heads/feature", "sha": sha });
    emulator.send("POST", "/repos/octocat/hello-world/git/refs", &body);
    emulator.put("octocat/hello-world", "new", b"hello", "feature");
    let body = json!({ "title": "Add", "head": "feature", "base": "main" });
    let number = emulator.send("POST", "/repos/octocat/hello-world/pulls", &body)["number"].as_u64();
    let (stub, recorded) = recorder("localhost", emulator.port());
    let remote = github(&stub);
    remote.read_file(&file("src/a b.md"), &go()).await.unwrap();
    remote.tree(&tree("src", 3), &go()).await.unwrap();
    remote.search_code(&code_search(), &go()).await.unwrap();
    remote.search_repositories(&repo_search(), &go()).await.unwrap();
    let found = remote.search_changes(&change_search(None), &go()).await.unwrap();
    assert_eq!(found.rows.len(), 1);
    remote.search_changes(&change_search(number), &go()).await.unwrap();
    let recorded = recorded.lock().unwrap();
    let templates: BTreeSet<&str> = recorded.iter().map(|(asked, ..)| judged(&asked.target)).collect();
    let expected = [
        "/repos/{owner}/{repo}/commits",
        "/repos/{owner}/{repo}/commits/{ref}",
        "/repos/{owner}/{repo}/contents/{path}",
        "/repos/{owner}/{repo}/git/trees/{tree_sha}",
        "/repos/{owner}/{repo}/issues/{issue_number}/comments",
        "/repos/{owner}/{repo}/pulls/{pull_number}",
        "/repos/{owner}/{repo}/pulls/{pull_number}/comments",
        "/repos/{owner}/{repo}/pulls/{pull_number}/commits",
        "/repos/{owner}/{repo}/pulls/{pull_number}/files",
        "/search/code",
        "/search/issues",
        "/search/repositories",
    ];
    assert_eq!(templates.into_iter().collect::<Vec<_>>(), expected);
    assert!(recorded.iter().all(|(asked, ..)| asked.header("x-github-api-version") == Some("2022-11-28")));
    // What the emulator answered is what GitHub describes, so that reading it proves something.
    let mut checked = 0;
    for (asked, status, body) in recorded.iter() {
        assert_eq!(*status, 200, "{}", asked.target);
        let (template, operation) = operation(asked.target.split('?').next().unwrap()).unwrap();
        let content = &resolved(&operation["responses"]["200"])["content"];
        let body: Value = serde_json::from_slice(body).unwrap();
        let errors = wrong(&body, &content["application/json"]["schema"]);
        let unknown: Vec<_> = errors.iter().filter(|error| !left_out_by_the_emulator(error)).collect();
        assert!(unknown.is_empty(), "{template}: {unknown:?}");
        checked += 1;
    }
    assert!(checked >= 12);
}

/// What the emulator does not say although GitHub does. None of it is needed: names come from other addresses.
fn left_out_by_the_emulator(error: &str) -> bool {
    let absent = ["score", "search_type", "events_url", "labels_url", "repository_url"];
    absent.iter().any(|name| error.ends_with(&format!("\"{name}\" is a required property")))
        || error.ends_with("commit/tree: \"url\" is a required property")
        || error.ends_with("body: null is not of type \"string\"")
}

/// The official example of an answer.
fn example(template: &str, media: &str, name: &str) -> Value {
    let content = &resolved(&description()["paths"][template]["get"]["responses"]["200"])["content"][media];
    let example = resolved(&content["examples"][name])["value"].clone();
    assert!(!example.is_null(), "{template} has no example {name}");
    if media == "application/json" {
        let mut errors = wrong(&example, &content["schema"]);
        // The example of a pull request is older than its schema.
        errors.retain(|error| error != "/requested_teams/0: \"type\" is a required property");
        assert_eq!(errors, [] as [String; 0], "{template} {name}");
    }
    example
}

/// Answers with the official examples; of contents with the one that is named.
fn examples(contents: &'static str) -> Stub {
    Stub::start(move |asked, _| {
        let path = asked.target.split('?').next().unwrap();
        let (template, _) = operation(path).unwrap();
        if asked.header("accept") == Some("application/vnd.github.sha") {
            let sha = example(template, "application/vnd.github.sha", "default");
            return Answer::status(200, sha.as_str().unwrap());
        }
        let name = match template {
            "/repos/{owner}/{repo}/contents/{path}" => contents,
            "/repos/{owner}/{repo}/git/trees/{tree_sha}" if asked.target.contains("recursive") => {
                "response-recursively-retrieving-a-tree"
            }
            "/repos/{owner}/{repo}/git/trees/{tree_sha}" => "default-response",
            _ => "default",
        };
        Answer::json(&example(template, "application/json", name).to_string())
    })
}

#[tokio::test]
async fn the_official_examples_of_searches_are_read() {
    let remote = github(&examples(""));
    let found = remote.search_code(&CodeSearch { page: 1, ..code_search() }, &go()).await.unwrap();
    assert_eq!((found.total, found.rows[0].repository.as_str()), (Some(7), "jquery/jquery"));
    assert_eq!(found.rows[0].path, "src/attributes/classes.js");
    assert_eq!(found.rows[0].reference.as_deref(), Some("825ac3773694e0cd23ee74895fd5aeb535b27da4"));
    let found = remote.search_repositories(&repo_search(), &go()).await.unwrap();
    assert_eq!((found.rows[0].full_name.as_str(), found.rows[0].stars), ("dtrupenn/Tetris", 1));
    let query = ChangeSearch {
        content: ChangeContent::Metadata,
        with_comments: false,
        with_commits: false,
        ..change_search(None)
    };
    let found = remote.search_changes(&query, &go()).await.unwrap();
    assert_eq!((found.total, found.has_more), (Some(280), true));
    assert_eq!(
        (found.rows[0].repository.as_str(), found.rows[0].number),
        ("batterseapower/pinyin-toolkit", 132)
    );
}

#[tokio::test]
async fn the_official_examples_of_a_pull_request_are_read() {
    let remote = github(&examples(""));
    let page = remote.search_changes(&change_search(Some(1347)), &go()).await.unwrap();
    let change = &page.rows[0];
    assert_eq!((change.title.as_str(), change.author.as_str()), ("Amazing new feature", "octocat"));
    assert_eq!((change.repository.as_str(), change.number), ("octocat/Hello-World", 1347));
    assert_eq!((change.labels.as_slice(), change.state), (["bug".to_owned()].as_slice(), ChangeState::Open));
    assert_eq!(change.association.as_deref(), Some("owner"));
    let comments = change.comments.as_ref().unwrap();
    assert_eq!(comments.len(), 2, "one below, one on a line");
    let on_line = comments.iter().find(|comment| comment.path.is_some()).unwrap();
    assert_eq!((on_line.path.as_deref(), on_line.line), (Some("file1.txt"), Some(2)));
    let commits = change.commits.as_ref().unwrap();
    assert_eq!(commits[0].message, "Fix all the bugs");
    let files = change.files.as_ref().unwrap();
    assert_eq!((files[0].filename.as_str(), files[0].status.as_str()), ("file1.txt", "added"));
    assert_eq!((files[0].additions, files[0].deletions, files[0].patch.is_some()), (103, 21, true));
}

#[tokio::test]
async fn the_official_examples_of_files_and_trees_are_read() {
    let listed = github(&examples("")).tree(&tree("", 1), &go()).await.unwrap();
    let entries: Vec<_> = listed.entries.iter().map(|entry| (entry.path.as_str(), entry.kind)).collect();
    let expected =
        [("exec_file", EntryKind::File), ("file.rb", EntryKind::File), ("subdir", EntryKind::Directory)];
    assert_eq!(entries, expected);
    let deep = github(&examples("")).tree(&tree("", 5), &go()).await.unwrap();
    assert_eq!(deep.entries[0].path, "subdir/file.txt");
    let read =
        async |name: &'static str, path: &str| github(&examples(name)).read_file(&file(path), &go()).await;
    let folder = read("response-if-content-is-a-directory", "lib").await.unwrap_err();
    assert_eq!(folder.detail, Some("is_directory"));
    let link = read("response-if-content-is-a-symlink", "bin/some-symlink").await.unwrap_err();
    assert!(link.detail == Some("link") && link.message.contains("/path/to/symlink/target"), "{link}");
    let module = read("response-if-content-is-a-submodule", "test/qunit").await.unwrap();
    let expected = NoText::Submodule {
        url: Some("git://github.com/jquery/qunit.git".into()),
        commit: "6ca3721222109997540bd6d9ccd396902e0ad2f9".into(),
    };
    assert_eq!(module.instead, Some(expected));
}
