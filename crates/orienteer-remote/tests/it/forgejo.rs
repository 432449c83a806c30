//! Is everything read back from a real Forgejo as it was pushed?

use std::path::Path;

use orienteer_base::ErrorKind;
use orienteer_base::question::Part;
use orienteer_base::remote::{
    ChangeContent, ChangeSearch, ChangeState, CodeSearch, EntryKind, Forge, NoText, RemoteFileQuery,
    RemoteTreeQuery, RepoField, RepoOrder, RepoSearch,
};
use orienteer_remote::api::{Expected, Request};
use orienteer_remote::{Credential, Remote, Scheme, Secret};
use serde_json::json;

use crate::asking::{go, remote, repo};
use crate::forge_server::{Forgejo, commit, git};
use crate::recorder::recorder;
use crate::stub::{api, pacing};

const ODD: &str = "src/a b/x#y%20z&ü?.txt";

fn ask(forgejo: &Forgejo, token: Option<&str>) -> Remote {
    remote(Forge::Forgejo, &forgejo.name(), None, token, None, pacing())
}

fn file(name: &str, path: &str, reference: Option<&str>) -> RemoteFileQuery {
    RemoteFileQuery { repo: repo("tester", name, reference), path: path.into(), part: Part::Whole }
}

fn tree(name: &str, path: &str, depth: usize) -> RemoteTreeQuery {
    RemoteTreeQuery { repo: repo("tester", name, None), path: path.into(), depth, skip: 0, limit: 10_000 }
}

fn write(folder: &Path, path: &str, content: impl AsRef<[u8]>) {
    let path = folder.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, content).unwrap();
}

/// A repository with one of everything; gives its first commit.
fn demo(forgejo: &Forgejo) -> String {
    forgejo.make_repository("demo", "One of everything", false);
    let folder = forgejo.checkout("demo");
    write(&folder, "src/main.rs", "fn main() {\n    println!(\"hi\");\n}\n");
    write(&folder, ODD, "odd\n");
    write(&folder, "big.txt", "line of text\n".repeat(150_000));
    write(&folder, "logo.png", b"\x89PNG\r\n\x1a\n\0\0");
    write(&folder, "large.bin", "version https://git-lfs.github.com/spec/v1\noid sha256:abc\nsize 7\n");
    write(&folder, ".gitmodules", "[submodule \"sub\"]\n\tpath = sub\n\turl = https://example.org/sub.git\n");
    std::os::unix::fs::symlink("../src/main.rs", folder.join("src").join("same")).unwrap();
    std::os::unix::fs::symlink("src/main.rs", folder.join("link")).unwrap();
    std::os::unix::fs::symlink("../../etc/passwd", folder.join("outside")).unwrap();
    std::os::unix::fs::symlink("src", folder.join("folder")).unwrap();
    git(&folder, &["add", "--all"]);
    let module = format!("160000,{},sub", "a".repeat(40));
    git(&folder, &["update-index", "--add", "--cacheinfo", &module]);
    git(&folder, &["commit", "--quiet", "--message", "first"]);
    git(&folder, &["tag", "v1"]);
    let first = git(&folder, &["rev-parse", "HEAD"]).trim().to_owned();
    forgejo.push(&folder, "demo", "main");
    git(&folder, &["checkout", "--quiet", "-b", "feat/x"]);
    write(&folder, "src/main.rs", "fn main() {}\n");
    commit(&folder, "second");
    forgejo.push(&folder, "demo", "feat/x");
    first
}

#[tokio::test]
async fn files_are_read_back_as_they_were_pushed() {
    let forgejo = Forgejo::start();
    let first = demo(&forgejo);
    let remote = ask(&forgejo, Some(&forgejo.token));
    let read = async |path: &str, reference: Option<&str>| {
        remote.read_file(&file("demo", path, reference), &go()).await
    };
    let main = read("src/main.rs", None).await.unwrap();
    assert_eq!((main.total_lines, main.content.contains("println")), (3, true));
    assert_eq!(main.from.commit.as_deref(), Some(first.as_str()));
    assert_eq!(main.from.repository.as_deref(), Some("tester/demo"));
    assert_eq!(main.last_author.as_deref(), Some("tester"));
    assert!(main.url.as_deref().unwrap().contains(&first), "{:?}", main.url);
    for reference in ["v1", "main", &first, &first[..10]] {
        let same = read("src/main.rs", Some(reference)).await.unwrap();
        assert_eq!(
            (same.content == main.content, same.from.commit),
            (true, Some(first.clone())),
            "{reference}"
        );
    }
    assert_eq!(read("src/main.rs", Some("feat/x")).await.unwrap().content, "fn main() {}\n");
    assert_eq!(read(ODD, None).await.unwrap().content, "odd\n");
    let big = read("big.txt", None).await.unwrap();
    assert_eq!((big.size, big.total_lines, big.content.len()), (1_950_000, 150_000, 1_950_000));
    let logo = read("logo.png", None).await.unwrap();
    assert_eq!(
        (logo.instead, logo.bytes.as_slice()),
        (Some(NoText::Binary), b"\x89PNG\r\n\x1a\n\0\0".as_slice())
    );
    let pointer = NoText::LfsPointer { oid: "sha256:abc".into(), size: 7 };
    assert_eq!(read("large.bin", None).await.unwrap().instead, Some(pointer));
    let module =
        NoText::Submodule { url: Some("https://example.org/sub.git".into()), commit: "a".repeat(40) };
    assert_eq!(read("sub", None).await.unwrap().instead, Some(module));
    let link = read("link", None).await.unwrap();
    assert_eq!((link.content == main.content, link.link_target.as_deref()), (true, Some("src/main.rs")));
    assert_eq!(read("src/same", None).await.unwrap().link_target.as_deref(), Some("src/main.rs"));
    assert_eq!(read("outside", None).await.unwrap_err().detail, Some("link"));
    for path in ["folder", "src"] {
        assert_eq!(read(path, None).await.unwrap_err().detail, Some("is_directory"), "{path}");
    }
    let absent = read("nope", None).await.unwrap_err();
    assert_eq!(absent.kind, ErrorKind::NotFound, "{absent}");
    let unknown = read("src/main.rs", Some("nope")).await.unwrap_err();
    assert_eq!((unknown.kind, unknown.field), (ErrorKind::NotFound, Some("reference")), "{unknown}");
}

#[tokio::test]
async fn what_cannot_be_seen_is_told_as_what_it_is() {
    let forgejo = Forgejo::start();
    forgejo.make_repository("void", "", false);
    forgejo.make_repository("hidden", "", true);
    let folder = forgejo.checkout("hidden");
    write(&folder, "secret.txt", "x");
    commit(&folder, "first");
    forgejo.push(&folder, "hidden", "main");
    let remote = ask(&forgejo, Some(&forgejo.token));
    let empty = remote.read_file(&file("void", "x", None), &go()).await.unwrap_err();
    assert!(empty.kind == ErrorKind::NotFound && empty.message.contains("is empty"), "{empty}");
    let query = file("hidden", "secret.txt", None);
    assert_eq!(remote.read_file(&query, &go()).await.unwrap().content, "x");
    let stranger = ask(&forgejo, None).read_file(&query, &go()).await.unwrap_err();
    assert!(stranger.kind == ErrorKind::NotFound && stranger.message.contains("private"), "{stranger}");
    let wrong = ask(&forgejo, Some("0123456789")).read_file(&query, &go()).await.unwrap_err();
    assert_eq!(wrong.kind, ErrorKind::AuthRequired, "{wrong}");
    assert!(!wrong.message.contains("0123456789"), "{wrong}");
    let search = CodeSearch { keywords: vec!["x".into()], limit: 10, page: 1, ..CodeSearch::default() };
    let code = remote.search_code(&search, &go()).await.unwrap_err();
    assert_eq!((code.kind, code.detail), (ErrorKind::Unsupported, Some("code_search")), "{code}");
    // A new name: the old one leads there, and the answer says so.
    forgejo.send("PATCH", "/repos/tester/hidden", &json!({ "name": "renamed" }));
    let moved = ask(&forgejo, Some(&forgejo.token)).read_file(&query, &go()).await.unwrap();
    assert_eq!((moved.content.as_str(), moved.from.repository.as_deref()), ("x", Some("tester/renamed")));
}

#[tokio::test]
async fn trees_are_listed_with_all_their_pages() {
    let forgejo = Forgejo::start();
    demo(&forgejo);
    let remote = ask(&forgejo, Some(&forgejo.token));
    let root = remote.tree(&tree("demo", "", 1), &go()).await.unwrap();
    let kind = |path: &str| root.entries.iter().find(|entry| entry.path == path).map(|entry| entry.kind);
    assert_eq!((root.total, root.directories), (9, 1));
    assert_eq!((kind("link"), kind("sub")), (Some(EntryKind::Symlink), Some(EntryKind::Submodule)));
    assert_eq!((kind("src"), kind("big.txt")), (Some(EntryKind::Directory), Some(EntryKind::File)));
    let below = remote.tree(&tree("demo", "src/", 2), &go()).await.unwrap();
    let paths: Vec<_> = below.entries.iter().map(|entry| entry.path.as_str()).collect();
    assert_eq!(paths, ["src/a b", ODD, "src/main.rs", "src/same"]);
    forgejo.make_repository("wide", "", false);
    let folder = forgejo.checkout("wide");
    for number in 0..2300 {
        write(&folder, &format!("many/{number:04}.txt"), number.to_string());
    }
    commit(&folder, "many");
    forgejo.push(&folder, "wide", "main");
    for (path, depth, total) in [("", 2, 2301), ("many", 1, 2300)] {
        let all = remote.tree(&tree("wide", path, depth), &go()).await.unwrap();
        assert_eq!((all.total, all.incomplete.as_deref()), (total, None), "{path}");
    }
    let page = RemoteTreeQuery { skip: 2299, limit: 10, ..tree("wide", "many", 1) };
    let page = remote.tree(&page, &go()).await.unwrap();
    assert_eq!((page.entries.len(), page.entries[0].path.as_str()), (1, "many/2299.txt"));
}

#[tokio::test]
async fn pull_requests_are_found_with_what_was_asked_for() {
    let forgejo = Forgejo::start();
    forgejo.make_repository("demo", "", false);
    let folder = forgejo.checkout("demo");
    write(&folder, "list.txt", (1..=60).map(|line| format!("{line}\n")).collect::<String>());
    write(&folder, "old name.txt", "content that stays the same\n".repeat(20));
    commit(&folder, "first");
    forgejo.push(&folder, "demo", "main");
    git(&folder, &["checkout", "--quiet", "-b", "feat/x"]);
    let changed =
        |line: usize| if line == 2 || line == 50 { "changed\n".to_owned() } else { format!("{line}\n") };
    write(&folder, "list.txt", (1..=60).map(changed).collect::<String>());
    git(&folder, &["mv", "old name.txt", "neü \"name\".txt"]);
    write(&folder, "pic.png", b"\x89PNG\0");
    commit(&folder, "change two lines");
    forgejo.push(&folder, "demo", "feat/x");
    let body = json!({ "title": "Change the list", "head": "feat/x", "base": "main", "body": "Because." });
    assert_eq!(forgejo.pull_request("demo", &body), 1);
    forgejo.send("POST", "/repos/tester/demo/issues/1/comments", &json!({ "body": "Looks good" }));
    let review = json!({ "event": "COMMENT", "body": "In general", "comments":
        [{ "path": "list.txt", "body": "Why this line?", "new_position": 50 }] });
    forgejo.send("POST", "/repos/tester/demo/pulls/1/reviews", &review);
    git(&folder, &["checkout", "--quiet", "-b", "draft", "main"]);
    write(&folder, "draft.txt", "x");
    commit(&folder, "draft");
    forgejo.push(&folder, "demo", "draft");
    let body = json!({ "title": "WIP: not yet", "head": "draft", "base": "main" });
    assert_eq!(forgejo.pull_request("demo", &body), 2);
    let remote = ask(&forgejo, Some(&forgejo.token));
    let metadata = ChangeSearch {
        owner: Some("tester".into()),
        repo: Some("demo".into()),
        limit: 5,
        page: 1,
        ..ChangeSearch::default()
    };
    let full = ChangeSearch {
        number: Some(1),
        content: ChangeContent::Full,
        with_comments: true,
        with_commits: true,
        ..metadata.clone()
    };
    let page = remote.search_changes(&full, &go()).await.unwrap();
    let change = &page.rows[0];
    assert_eq!((change.title.as_str(), change.author.as_str()), ("Change the list", "tester"));
    assert_eq!((change.base.as_deref(), change.head.as_deref()), (Some("main"), Some("feat/x")));
    assert_eq!((change.repository.as_str(), change.merged, change.draft), ("tester/demo", false, false));
    let comments = change.comments.as_ref().unwrap();
    let bodies: Vec<_> = comments.iter().map(|comment| comment.body.as_str()).collect();
    for body in ["Looks good", "In general", "Why this line?"] {
        assert!(bodies.contains(&body), "{bodies:?}");
    }
    let on_line = comments.iter().find(|comment| comment.path.is_some()).unwrap();
    assert_eq!((on_line.path.as_deref(), on_line.line), (Some("list.txt"), Some(50)));
    let commits = change.commits.as_ref().unwrap();
    assert_eq!((commits.len(), commits[0].message.trim()), (1, "change two lines"));
    let files = change.files.as_ref().unwrap();
    let of =
        |name: &str| files.iter().find(|file| file.filename == name).unwrap_or_else(|| panic!("{files:?}"));
    let list = of("list.txt");
    assert_eq!((list.status.as_str(), list.additions, list.deletions), ("modified", 2, 2));
    assert_eq!(list.patch.as_ref().unwrap().matches("+changed").count(), 2);
    let moved = of("neü \"name\".txt");
    assert_eq!(moved.status, "renamed");
    assert!(moved.patch.is_none() && moved.patch_note.is_some());
    assert_eq!(of("pic.png").status, "added");
    let lines = ChangeContent::Partial(vec![("list.txt".into(), vec![(49, 51)]), ("nope".into(), vec![])]);
    let page = remote.search_changes(&ChangeSearch { content: lines, ..full.clone() }, &go()).await.unwrap();
    let files = page.rows[0].files.as_ref().unwrap();
    assert_eq!((files.len(), files[0].patch.as_ref().unwrap().matches("+changed").count()), (1, 1));
    assert!(files[0].patch_note.as_ref().unwrap().contains("1 hunks"), "{files:?}");
    assert!(page.incomplete.unwrap().contains("`nope`"));
    filters(&remote, &metadata).await;
    forgejo.merge("demo", 1);
    let later = ask(&forgejo, Some(&forgejo.token));
    let merged = ChangeSearch { merged: Some(true), ..metadata };
    let page = later.search_changes(&merged, &go()).await.unwrap();
    assert_eq!((page.rows.len(), page.rows[0].merged, page.rows[0].state), (1, true, ChangeState::Closed));
}

/// Two pull requests are open: 1, and 2, which is a draft.
async fn filters(remote: &Remote, all: &ChangeSearch) {
    let numbers = async |query: ChangeSearch| -> Vec<u64> {
        let page = remote.search_changes(&query, &go()).await.unwrap();
        let mut numbers: Vec<u64> = page.rows.iter().map(|change| change.number).collect();
        numbers.sort_unstable();
        numbers
    };
    assert_eq!(numbers(all.clone()).await, [1, 2]);
    let one = remote.search_changes(&ChangeSearch { limit: 1, ..all.clone() }, &go()).await.unwrap();
    assert_eq!((one.rows.len(), one.total, one.has_more), (1, Some(2), true));
    assert_eq!(numbers(ChangeSearch { query: Some("list".into()), ..all.clone() }).await, [1]);
    assert_eq!(numbers(ChangeSearch { draft: Some(true), ..all.clone() }).await, [2]);
    // What is sorted out here is counted here, also behind the last page.
    let behind = ChangeSearch { draft: Some(true), page: 5, ..all.clone() };
    let behind = remote.search_changes(&behind, &go()).await.unwrap();
    assert_eq!((behind.rows.len(), behind.total, behind.has_more), (0, Some(1), false));
    assert_eq!(numbers(ChangeSearch { draft: Some(false), ..all.clone() }).await, [1]);
    assert_eq!(numbers(ChangeSearch { merged: Some(true), ..all.clone() }).await, [] as [u64; 0]);
    assert_eq!(
        numbers(ChangeSearch { state: Some(ChangeState::Closed), ..all.clone() }).await,
        [] as [u64; 0]
    );
    assert_eq!(numbers(ChangeSearch { author: Some("tester".into()), ..all.clone() }).await, [1, 2]);
    assert_eq!(numbers(ChangeSearch { created: Some(">=2020-01-01".into()), ..all.clone() }).await, [1, 2]);
    assert_eq!(
        numbers(ChangeSearch { created: Some("<2020-01-01".into()), ..all.clone() }).await,
        [] as [u64; 0]
    );
    let across = ChangeSearch { repo: None, query: Some("list".into()), ..all.clone() };
    assert_eq!(numbers(across.clone()).await, [1]);
    let author = ChangeSearch { author: Some("tester".into()), ..across };
    let problem = remote.search_changes(&author, &go()).await.unwrap_err();
    assert_eq!((problem.kind, problem.field), (ErrorKind::Unsupported, Some("author")), "{problem}");
}

#[tokio::test]
async fn repositories_are_found_and_sorted_out() {
    let forgejo = Forgejo::start();
    for (name, description) in
        [("web-server", "serves pages"), ("web-client", "asks for pages"), ("other", "web of things")]
    {
        forgejo.make_repository(name, description, false);
    }
    forgejo.send("PUT", "/repos/tester/web-client/topics", &json!({ "topics": ["http"] }));
    let remote = ask(&forgejo, Some(&forgejo.token));
    let names = async |query: &RepoSearch| -> Vec<String> {
        let page = remote.search_repositories(query, &go()).await.unwrap();
        let mut names: Vec<String> =
            page.rows.into_iter().map(|hit| hit.full_name.replace("tester/", "")).collect();
        names.sort();
        names
    };
    let search = |keywords: &[&str]| RepoSearch {
        keywords: keywords.iter().map(|word| (*word).to_owned()).collect(),
        limit: 10,
        page: 1,
        ..RepoSearch::default()
    };
    assert_eq!(names(&search(&["web"])).await, ["other", "web-client", "web-server"]);
    let by_name = RepoSearch { match_in: vec![RepoField::Name], ..search(&["web"]) };
    assert_eq!(names(&by_name).await, ["web-client", "web-server"]);
    let behind = remote.search_repositories(&RepoSearch { page: 4, ..by_name }, &go()).await.unwrap();
    assert_eq!((behind.rows.len(), behind.total, behind.has_more), (0, Some(2), false));
    assert_eq!(names(&search(&["web", "pages"])).await, ["web-client", "web-server"]);
    assert_eq!(names(&search(&["nothing-like-this"])).await, [] as [String; 0]);
    let topic = RepoSearch { topics: vec!["http".into()], ..search(&[]) };
    assert_eq!(names(&topic).await, ["web-client"]);
    let owner = RepoSearch { owner: Some("tester".into()), order: RepoOrder::Updated, ..search(&["web"]) };
    assert_eq!(names(&owner).await.len(), 3);
    assert_eq!(names(&RepoSearch { stars: Some(">5".into()), ..search(&["web"]) }).await, [] as [String; 0]);
    let one = remote.search_repositories(&RepoSearch { limit: 1, ..search(&["web"]) }, &go()).await.unwrap();
    assert_eq!((one.rows.len(), one.total, one.has_more), (1, Some(3), true));
    let last = remote
        .search_repositories(&RepoSearch { limit: 2, page: 2, ..search(&["web"]) }, &go())
        .await
        .unwrap();
    assert_eq!((last.rows.len(), last.has_more), (1, false));
    let both = RepoSearch { topics: vec!["http".into()], ..search(&["web"]) };
    let readme = RepoSearch { match_in: vec![RepoField::Readme], ..search(&["web"]) };
    // This version does not know that order; newer ones do.
    let stars = RepoSearch { order: RepoOrder::Stars, ..search(&["web"]) };
    for query in [both, readme, stars] {
        let problem = remote.search_repositories(&query, &go()).await.unwrap_err();
        assert_eq!(problem.kind, ErrorKind::Unsupported, "{problem}");
    }
}

#[tokio::test]
async fn an_etag_of_the_forge_saves_the_second_answer() {
    let forgejo = Forgejo::start();
    demo(&forgejo);
    let (stub, recorded) = recorder("127.0.0.1", forgejo.port());
    let credential = Credential::new(Secret::new(&forgejo.token).unwrap(), Scheme::Token, &stub.url());
    let request = Request::new(&stub.url(), "api/v1/repos/tester/demo/raw/big.txt");
    let request = Request { credential, expected: Expected::Bytes, ..request };
    let api = api();
    for _ in 0..2 {
        let reply = api.get(&request).await.unwrap();
        assert_eq!((reply.body.len(), reply.cached_ms), (1_950_000, None));
    }
    let recorded = recorded.lock().unwrap();
    let answers: Vec<_> = recorded.iter().map(|(_, status, body)| (*status, body.len())).collect();
    assert_eq!(answers, [(200, 1_950_000), (304, 0)]);
}
