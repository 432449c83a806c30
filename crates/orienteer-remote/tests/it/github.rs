//! Does everything that is asked of GitHub work against an emulator of it that we did not write?

use std::time::{Duration, Instant};

use orienteer_base::question::Part;
use orienteer_base::remote::{
    ChangeContent, ChangeSearch, ChangeState, CodeSearch, EntryKind, Forge, NoText, RemoteFileQuery,
    RemoteTreeQuery, RepoOrder, RepoSearch,
};
use orienteer_base::{ErrorKind, Problem};
use orienteer_remote::api::Request;
use orienteer_remote::{Credential, Remote, Scheme, Secret};
use serde_json::json;

use crate::asking::{go, remote, repo};
use crate::emulator::{Emulator, Put, TOKEN};
use crate::stub::pacing;

const HELLO: &str = "octocat/hello-world";

fn ask(emulator: &Emulator) -> Remote {
    remote(Forge::Github, &emulator.name(), Some(&emulator.api()), Some(TOKEN), None, pacing())
}

fn file(path: &str, reference: Option<&str>, part: Part) -> RemoteFileQuery {
    RemoteFileQuery { repo: repo("octocat", "hello-world", reference), path: path.into(), part }
}

fn tree(path: &str, depth: usize) -> RemoteTreeQuery {
    RemoteTreeQuery {
        repo: repo("octocat", "hello-world", None),
        path: path.into(),
        depth,
        skip: 0,
        limit: 100,
    }
}

#[tokio::test]
async fn files_are_read_at_one_commit_in_every_part() {
    let emulator = Emulator::start();
    let text = "one\ntwo\nthree\nfour\n";
    let old = emulator.put(HELLO, "src/numbers.txt", text.as_bytes(), "main");
    let remote = ask(&emulator);
    let whole = remote.read_file(&file("/src/numbers.txt", None, Part::Whole), &go()).await.unwrap();
    assert_eq!((whole.content.as_str(), whole.size, whole.total_lines), (text, 19, 4));
    assert_eq!(whole.from.commit.as_deref(), Some(old.as_str()));
    assert_eq!(whole.from.repository.as_deref(), Some(HELLO));
    assert_eq!((whole.from.cached_ms, whole.from.offline), (None, false));
    assert_eq!(whole.last_author.as_deref(), Some("octocat"));
    // The branch has moved on; whoever names the commit still reads what was there.
    let sha = whole.sha.clone().unwrap();
    let body = json!({ "message": "change", "content": "bmV3", "sha": sha, "branch": "main" });
    emulator.send("PUT", &format!("/repos/{HELLO}/contents/src/numbers.txt"), &body);
    let lines = file("src/numbers.txt", Some(&old), Part::Lines { start: 2, end: 3 });
    let lines = remote.read_file(&lines, &go()).await.unwrap();
    assert_eq!((lines.content.as_str(), lines.start_line, lines.end_line), ("two\nthree\n", 2, 3));
    let part = Part::Matching {
        pattern: "THREE".into(),
        regex: false,
        case_sensitive: false,
        context_lines: 1,
        skip: 0,
    };
    let found = remote.read_file(&file("src/numbers.txt", Some(&old), part), &go()).await.unwrap();
    assert_eq!(
        (found.content.as_str(), found.matched_lines.as_slice()),
        ("two\nthree\nfour\n", [3].as_slice())
    );
    let chars = Part::Chars { offset: 4, length: 3 };
    let chars = remote.read_file(&file("src/numbers.txt", Some(&old), chars), &go()).await.unwrap();
    assert_eq!((chars.content.as_str(), chars.has_more), ("two", true));
    // Another process knows nothing of the old branch.
    let new = ask(&emulator).read_file(&file("src/numbers.txt", Some("main"), Part::Whole), &go()).await;
    assert_eq!(new.unwrap().content, "new");
}

#[tokio::test]
async fn odd_names_and_odd_contents_are_read() {
    let emulator = Emulator::start();
    let odd = "src/a b/x#y%20z&ü?.txt";
    emulator.put(HELLO, odd, b"odd", "main");
    emulator.put(HELLO, "logo.png", b"\x89PNG\r\n\x1a\n\0\0", "main");
    emulator.put(HELLO, "empty", b"", "main");
    let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:abc\nsize 7\n";
    emulator.put(HELLO, "large.bin", pointer, "main");
    let remote = ask(&emulator);
    let read = async |path: &str| remote.read_file(&file(path, None, Part::Whole), &go()).await.unwrap();
    assert_eq!(read(odd).await.content, "odd");
    assert_eq!((read("empty").await.content, read("empty").await.total_lines), (String::new(), 0));
    let logo = read("logo.png").await;
    assert_eq!((logo.instead, logo.content.as_str()), (Some(NoText::Binary), ""));
    assert_eq!(logo.bytes, b"\x89PNG\r\n\x1a\n\0\0", "all of them, as they are");
    assert_eq!(read(odd).await.bytes, b"", "a text is given once");
    let expected = NoText::LfsPointer { oid: "sha256:abc".into(), size: 7 };
    assert_eq!(read("large.bin").await.instead, Some(expected));
}

#[tokio::test]
async fn what_is_not_there_is_told_as_what_it_is() {
    let emulator = Emulator::start();
    let remote = ask(&emulator);
    let refused = async |query: RemoteFileQuery| remote.read_file(&query, &go()).await.unwrap_err();
    let absent = refused(file("nope.txt", None, Part::Whole)).await;
    assert_eq!(absent.kind, ErrorKind::NotFound, "{absent}");
    let unknown = refused(file("README.md", Some("nope"), Part::Whole)).await;
    assert_eq!(unknown.kind, ErrorKind::NotFound, "{unknown}");
    // The branch is known as it was before this, but what is not found there is looked for again.
    emulator.put(HELLO, "src/x", b"x", "main");
    let folder = refused(file("src", None, Part::Whole)).await;
    assert_eq!(folder.detail, Some("is_directory"), "{folder}");
    for path in ["../README.md", "%2e%2e/x", ""] {
        assert_eq!(refused(file(path, None, Part::Whole)).await.field, Some("path"), "{path}");
    }
}

#[tokio::test]
async fn trees_are_listed_as_deep_as_asked() {
    let emulator = Emulator::start();
    for path in ["src/a.rs", "src/deep/b.rs", "src/deep/er/c.rs", "docs/d.md"] {
        emulator.put(HELLO, path, b"x", "main");
    }
    let remote = ask(&emulator);
    let paths = async |query: &RemoteTreeQuery| -> Vec<String> {
        let tree = remote.tree(query, &go()).await.unwrap();
        tree.entries.into_iter().map(|entry| entry.path).collect()
    };
    assert_eq!(paths(&tree("", 1)).await, ["README.md", "docs", "src"]);
    assert_eq!(paths(&tree("src", 2)).await, ["src/a.rs", "src/deep", "src/deep/b.rs", "src/deep/er"]);
    let all = remote.tree(&tree("", 10), &go()).await.unwrap();
    assert_eq!((all.total, all.files, all.directories), (9, 5, 4));
    assert_eq!(all.entries[2].kind, EntryKind::File);
    assert!(all.from.commit.is_some());
    let page = RemoteTreeQuery { skip: 2, limit: 3, ..tree("", 10) };
    assert_eq!(paths(&page).await, ["docs/d.md", "src", "src/a.rs"]);
    let absent = remote.tree(&tree("src/nope", 1), &go()).await.unwrap_err();
    assert_eq!(
        (absent.kind, absent.candidates.as_slice()),
        (ErrorKind::NotFound, ["deep".to_owned()].as_slice())
    );
    let file = remote.tree(&tree("src/a.rs", 1), &go()).await.unwrap_err();
    assert_eq!(file.detail, Some("not_a_directory"), "{file}");
}

#[tokio::test]
async fn code_and_repositories_are_found() {
    let emulator = Emulator::start();
    emulator.put(HELLO, "src/hook.js", b"export const useState = 1;", "main");
    emulator.put("octocat/second", "src/other.js", b"useState()", "main");
    let remote = ask(&emulator);
    let query = CodeSearch {
        keywords: vec!["useState".into()],
        owner: Some("octocat".into()),
        repo: Some("hello-world".into()),
        limit: 10,
        page: 1,
        ..CodeSearch::default()
    };
    let found = remote.search_code(&query, &go()).await.unwrap();
    let paths: Vec<_> = found.rows.iter().map(|hit| (hit.repository.as_str(), hit.path.as_str())).collect();
    assert_eq!(paths, [(HELLO, "src/hook.js")]);
    assert_eq!((found.total, found.has_more), (Some(1), false));
    let everywhere = CodeSearch { owner: None, repo: None, limit: 1, ..query };
    let first = remote.search_code(&everywhere, &go()).await.unwrap();
    assert_eq!((first.rows.len(), first.total, first.has_more), (1, Some(2), true));
    let second = remote.search_code(&CodeSearch { page: 2, ..everywhere }, &go()).await.unwrap();
    assert!(second.rows.len() == 1 && !second.has_more && second.rows != first.rows);
    let query = RepoSearch {
        keywords: vec!["hello".into()],
        owner: Some("octocat".into()),
        order: RepoOrder::Stars,
        limit: 5,
        page: 1,
        ..RepoSearch::default()
    };
    let found = remote.search_repositories(&query, &go()).await.unwrap();
    assert_eq!(found.rows.len(), 1);
    let hit = &found.rows[0];
    assert_eq!((hit.full_name.as_str(), hit.language.as_deref()), (HELLO, Some("JavaScript")));
    assert_eq!(hit.default_branch.as_deref(), Some("main"));
}

/// A branch with two commits and a pull request from it; gives its number.
fn pull_request(emulator: &Emulator) -> u64 {
    let main = emulator.put(HELLO, "base.txt", b"1\n2\n3\n", "main");
    let body = json!({ "ref": "refs/heads/feature", "sha": main });
    emulator.send("POST", &format!("/repos/{HELLO}/git/refs"), &body);
    emulator.put(HELLO, "new.txt", b"hello\n", "feature");
    emulator.put(HELLO, "other.txt", b"other\n", "feature");
    let body = json!({ "title": "Add a greeting", "head": "feature", "base": "main", "body": "Please." });
    let number = emulator.send("POST", &format!("/repos/{HELLO}/pulls"), &body)["number"].as_u64().unwrap();
    let body = json!({ "body": "Looks good" });
    emulator.send("POST", &format!("/repos/{HELLO}/issues/{number}/comments"), &body);
    number
}

#[tokio::test]
async fn a_pull_request_comes_with_what_was_asked_for() {
    let emulator = Emulator::start();
    let number = pull_request(&emulator);
    let remote = ask(&emulator);
    let query = ChangeSearch {
        owner: Some("octocat".into()),
        repo: Some("hello-world".into()),
        number: Some(number),
        content: ChangeContent::Full,
        with_comments: true,
        with_commits: true,
        limit: 5,
        page: 1,
        ..ChangeSearch::default()
    };
    let page = remote.search_changes(&query, &go()).await.unwrap();
    let change = &page.rows[0];
    assert_eq!(
        (change.title.as_str(), change.state, change.merged),
        ("Add a greeting", ChangeState::Open, false)
    );
    assert_eq!((change.base.as_deref(), change.head.as_deref()), (Some("main"), Some("feature")));
    assert_eq!((change.repository.as_str(), change.author.as_str()), (HELLO, "octocat"));
    let comments: Vec<_> = change.comments.iter().flatten().map(|comment| comment.body.as_str()).collect();
    assert_eq!(comments, ["Looks good"]);
    let commits: Vec<_> = change.commits.iter().flatten().map(|commit| commit.message.as_str()).collect();
    // The emulator counts one commit of the base among them, too.
    assert!(commits.ends_with(&["add new.txt", "add other.txt"]), "{commits:?}");
    // The emulator does not compare trees: what files look like is judged by GitHub's own description, in `openapi`.
    assert_eq!(change.files.as_deref(), Some([].as_slice()));
    let only = ChangeContent::Partial(vec![("nope.txt".into(), vec![])]);
    let page = remote.search_changes(&ChangeSearch { content: only, ..query.clone() }, &go()).await.unwrap();
    assert!(page.incomplete.as_deref().unwrap().contains("nope.txt"), "{:?}", page.incomplete);
    let search = ChangeSearch {
        number: None,
        query: Some("greeting".into()),
        state: Some(ChangeState::Open),
        content: ChangeContent::Metadata,
        with_comments: false,
        with_commits: false,
        ..query.clone()
    };
    let page = remote.search_changes(&search, &go()).await.unwrap();
    assert_eq!((page.rows.len(), page.total, page.rows[0].number), (1, Some(1), number));
    assert_eq!((page.rows[0].comments.is_none(), page.rows[0].files.is_none()), (true, true));
    let closed = ChangeSearch { state: Some(ChangeState::Closed), ..search };
    assert_eq!(remote.search_changes(&closed, &go()).await.unwrap().rows, []);
    let absent = ChangeSearch { number: Some(999), ..query };
    assert_eq!(remote.search_changes(&absent, &go()).await.unwrap_err().kind, ErrorKind::NotFound);
}

#[tokio::test]
async fn five_lookups_side_by_side_take_as_long_as_the_slowest_and_repeated_ones_no_time() {
    let emulator = Emulator::start();
    for number in 0..5 {
        emulator.put(HELLO, &format!("file{number}.txt"), b"text", "main");
    }
    let folder = tempfile::tempdir().unwrap();
    let remote = remote(
        Forge::Github,
        &emulator.name(),
        Some(&emulator.api()),
        Some(TOKEN),
        Some(folder.path()),
        pacing(),
    );
    let remote = std::sync::Arc::new(remote);
    let begin = Instant::now();
    let lookups: Vec<_> = (0..5)
        .map(|number| {
            let remote = std::sync::Arc::clone(&remote);
            tokio::spawn(async move {
                let begin = Instant::now();
                let query = file(&format!("file{number}.txt"), None, Part::Whole);
                remote.read_file(&query, &go()).await.unwrap();
                begin.elapsed()
            })
        })
        .collect();
    let mut slowest = Duration::ZERO;
    for lookup in lookups {
        slowest = slowest.max(lookup.await.unwrap());
    }
    let all = begin.elapsed();
    assert!(all.as_secs_f64() <= slowest.as_secs_f64() * 1.5, "{all:?} for all, {slowest:?} for the slowest");
    let query = file("file3.txt", None, Part::Whole);
    let mut times = Vec::new();
    for _ in 0..30 {
        let begin = Instant::now();
        let again = remote.read_file(&query, &go()).await.unwrap();
        times.push(begin.elapsed());
        assert!(again.from.cached_ms.is_some() && !again.from.offline);
    }
    times.sort();
    assert!(times[15] < Duration::from_millis(2), "{times:?}");
}

#[tokio::test]
async fn after_five_thousand_requests_the_emulator_refuses_and_we_stop_asking() {
    let emulator = Emulator::start();
    let remote = ask(&emulator);
    let api = remote.api().clone();
    let base: reqwest::Url = emulator.api().parse().unwrap();
    let credential = Credential::new(Secret::new(TOKEN).unwrap(), Scheme::Bearer, &base);
    let mut asked = 0_u32;
    let limited = 'asking: loop {
        let round: Vec<_> = (0..20)
            .map(|number| {
                let request = Request { credential: credential.clone(), ..Request::new(&base, "zen") };
                let request = Request { expected: orienteer_remote::api::Expected::Bytes, ..request };
                let (api, request) = (api.clone(), request.query("n", asked + number));
                tokio::spawn(async move { api.get(&request).await })
            })
            .collect();
        for question in round {
            asked += 1;
            if let Err(error) = question.await.unwrap() {
                break 'asking Problem::from(error);
            }
        }
        assert!(asked < 6000, "no limit");
    };
    assert_eq!(limited.kind, ErrorKind::RateLimited, "{limited}");
    assert!((4900..=5020).contains(&asked), "{asked}");
    let wait = limited.retry_after_ms.unwrap();
    assert!((3_000_000..=3_600_000).contains(&wait), "{wait}");
    let sizes = api.sizes().await;
    assert!(sizes.lanes == 1 && sizes.bytes < 10 << 20, "{sizes:?}");
    // Everything of this account waits now, without a request.
    let refused = remote.read_file(&file("README.md", None, Part::Whole), &go()).await.unwrap_err();
    assert_eq!(refused.kind, ErrorKind::RateLimited);
}

#[tokio::test]
async fn a_cancelled_question_ends() {
    let stub = crate::stub::Stub::start(|_, _| crate::stub::Answer::Stall);
    let api = stub.url().to_string();
    let remote = remote(Forge::Github, &stub.name(), Some(&api), None, None, pacing());
    let cancel = go();
    let cancelling = cancel.clone();
    let query = file("README.md", None, Part::Whole);
    let asked = tokio::join!(remote.read_file(&query, &cancel), async move {
        while stub.count() == 0 {
            tokio::task::yield_now().await;
        }
        cancelling.cancel();
    });
    assert_eq!(asked.0.unwrap_err().kind, ErrorKind::Cancelled);
}
