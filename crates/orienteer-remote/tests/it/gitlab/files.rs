//! Files and trees.

use orienteer_base::question::Part;
use orienteer_base::remote::{EntryKind, NoText, RemoteFileQuery, RemoteTreeQuery};

use super::*;

/// `key.rb`, as the documentation has it; the content is two lines.
fn described(content: &str, size: usize) -> Answer {
    let described = json!({
        "file_name": "key.rb", "file_path": "app/key.rb", "size": size, "encoding": "base64", "content": content,
        "ref": COMMIT, "blob_id": "79f7bbd25901e8334750839545a9bd021f0e4c83", "commit_id": COMMIT,
        "last_commit_id": "570e7b2abdd848b95f2f578043fc23bd6f6fd24d", "execute_filemode": false
    });
    Answer::json(&whole("file", &described).to_string())
}

fn query(stub: &Stub, path: &str) -> RemoteFileQuery {
    RemoteFileQuery { repo: repo(stub), path: path.into(), part: Part::Whole }
}

fn file(path: &str) -> String {
    below(&format!("/repository/files/{path}?ref={COMMIT}"))
}

fn tree(rest: &str) -> String {
    below(&format!("/repository/tree?ref={COMMIT}&per_page=100&pagination=keyset{rest}"))
}

const BLOB: &str = r#"[{"id": "1", "name": "b", "type": "blob", "path": "lib/b", "mode": "100644"},
    {"id": "2", "name": "link", "type": "blob", "path": "lib/link", "mode": "120000"},
    {"id": "6c", "name": "shown", "type": "commit", "path": "lib/shown", "mode": "160000"},
    {"id": "5", "name": "twice", "type": "blob", "path": "lib/twice", "mode": "120000"},
    {"id": "3", "name": "deep", "type": "tree", "path": "lib/deep", "mode": "040000"},
    {"id": "4c", "name": "sub", "type": "commit", "path": "lib/sub", "mode": "160000"}]"#;

#[tokio::test]
async fn a_file_is_read_at_the_commit_of_the_default_branch() {
    let last = format!("/repository/commits?ref_name={COMMIT}&path=app%2Fa+b%23%25.rb&per_page=1");
    let stub = server(vec![
        (file("app%2Fa%20b%23%25.rb"), described("b25lCnR3bwo=", 8)),
        (below(&last), rows("commits", &json!([{ "id": "570e", "author_name": "Kim" }]))),
    ]);
    let found = gitlab::read_file(&caller(&stub), &query(&stub, "/app/a b#%.rb")).await.unwrap();
    assert_eq!((found.content.as_str(), found.total_lines, found.size), ("one\ntwo\n", 2, 8));
    assert_eq!(found.sha.as_deref(), Some("79f7bbd25901e8334750839545a9bd021f0e4c83"));
    assert_eq!(found.last_author.as_deref(), Some("Kim"));
    assert_eq!(found.from.commit.as_deref(), Some(COMMIT));
    assert_eq!(found.from.repository.as_deref(), Some("Group/Sub/name"), "as GitLab spells it");
    let url = format!("http://{}/Group/Sub/name/-/blob/{COMMIT}/app/a%20b%23%25.rb", stub.name());
    assert_eq!(found.url, Some(url));
    assert!(stub.asked().iter().all(|asked| asked.header("authorization") == Some("Bearer glpat-x")));
}

#[tokio::test]
async fn what_is_pinned_to_a_commit_is_not_asked_for_twice() {
    let stub = server(vec![(file("a.rb"), described("b25lCg==", 4))]);
    let caller = caller(&stub);
    let pinned = RemoteFileQuery {
        repo: RepoRef { reference: Some(COMMIT.to_uppercase()), ..repo(&stub) },
        ..query(&stub, "a.rb")
    };
    gitlab::read_file(&caller, &pinned).await.unwrap();
    let part = RemoteFileQuery { part: Part::Chars { offset: 1, length: 2 }, ..pinned };
    let before = targets(&stub).iter().filter(|target| target.contains("/files/")).count();
    assert_eq!(gitlab::read_file(&caller, &part).await.unwrap().content, "ne");
    let after = targets(&stub).iter().filter(|target| target.contains("/files/")).count();
    assert_eq!((before, after), (1, 1));
    assert!(!targets(&stub).iter().any(|target| target.contains("commits/")), "a commit needs no question");
}

#[tokio::test]
async fn a_file_that_is_new_on_the_branch_is_found_although_the_branch_is_remembered() {
    let new = "b".repeat(40);
    let moved = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let (seen, tip) = (moved.clone(), new.clone());
    let (known, before, after, one_line) =
        (project(), commit(COMMIT), commit(&new), described("b25lCg==", 4));
    let stub = Stub::start(move |asked, _| {
        let moved = seen.load(std::sync::atomic::Ordering::Relaxed);
        match asked.target.strip_prefix(PROJECT).unwrap_or_default() {
            "" => at_host(&known, "x"),
            "/repository/commits/trunk" => Answer::json(&if moved { &after } else { &before }.to_string()),
            file if file.contains("/files/old.rb") || file.ends_with(&format!("new.rb?ref={tip}")) => {
                one_line.clone()
            }
            _ => Answer::status(404, r#"{"message": "404 File Not Found"}"#),
        }
    });
    let caller = caller(&stub);
    let first = gitlab::read_file(&caller, &query(&stub, "old.rb")).await.unwrap();
    assert_eq!(first.from.commit.as_deref(), Some(COMMIT));
    moved.store(true, std::sync::atomic::Ordering::Relaxed);
    let found = gitlab::read_file(&caller, &query(&stub, "new.rb")).await.unwrap();
    assert_eq!((found.content.as_str(), found.from.commit), ("one\n", Some(new)));
}

#[tokio::test]
async fn a_large_file_is_read_raw() {
    let text = "0123456789abcde\n".repeat(400_000);
    let raw = below(&format!("/repository/files/big.txt/raw?ref={COMMIT}"));
    let body = "QUJD".repeat(1_200_000);
    let stub =
        server(vec![(file("big.txt"), described(&body, 3_600_000)), (raw, Answer::status(200, &text))]);
    let lines =
        RemoteFileQuery { part: Part::Lines { start: 399_999, end: 500_000 }, ..query(&stub, "big.txt") };
    let found = gitlab::read_file(&caller(&stub), &lines).await.unwrap();
    assert_eq!((found.size, found.total_lines), (6_400_000, 400_000));
    assert_eq!(found.content, "0123456789abcde\n".repeat(2));
}

#[tokio::test]
async fn links_folders_submodules_and_absent_paths_are_told_apart() {
    let modules =
        "W3N1Ym1vZHVsZSAic3ViIl0KCXBhdGggPSBsaWIvc3ViCgl1cmwgPSBodHRwczovL2V4YW1wbGUub3JnL3N1Yi5naXQK";
    let stub = server(vec![
        (file("lib%2Fempty"), described("", 0)),
        (file("lib%2Flogo"), described("iVBORw0KGgoAAA==", 10)),
        (file("lib%2Fshown"), described("", 0)),
        (file("lib%2Flink"), described("Li4vYS5yYg==", 7)),
        (file("lib%2Ftwice"), described("bGluaw==", 4)),
        (file("a.rb"), described("b25lCg==", 4)),
        (file("lib%2Fb"), described("bm8gbGluZSBicmVhaw==", 13)),
        (file(".gitmodules"), described(modules, 70)),
        (tree("&path=lib"), Answer::json(BLOB)),
        (tree(""), Answer::json("[]")),
    ]);
    let caller = caller(&stub);
    let link = gitlab::read_file(&caller, &query(&stub, "lib/link")).await.unwrap();
    assert_eq!((link.content.as_str(), link.link_target.as_deref()), ("one\n", Some("a.rb")));
    let twice = gitlab::read_file(&caller, &query(&stub, "lib/twice")).await.unwrap_err();
    assert_eq!(twice.detail, Some("link"));
    says(&twice, &["`lib/link`", "a link, too"]);
    let logo = gitlab::read_file(&caller, &query(&stub, "lib/logo")).await.unwrap();
    assert_eq!((logo.instead, logo.bytes), (Some(NoText::Binary), b"\x89PNG\r\n\x1a\n\0\0".to_vec()));
    let short = gitlab::read_file(&caller, &query(&stub, "lib/b")).await.unwrap();
    assert_eq!((short.content.as_str(), short.link_target), ("no line break", None));
    let module = gitlab::read_file(&caller, &query(&stub, "lib/sub")).await.unwrap();
    let url = Some("https://example.org/sub.git".to_owned());
    assert_eq!(module.instead, Some(NoText::Submodule { url, commit: "4c".into() }));
    let shown = gitlab::read_file(&caller, &query(&stub, "lib/shown")).await.unwrap();
    assert_eq!(
        shown.instead,
        Some(NoText::Submodule { url: None, commit: "6c".into() }),
        "shown as an empty file"
    );
    let empty = gitlab::read_file(&caller, &query(&stub, "lib/empty")).await.unwrap();
    assert_eq!((empty.content.as_str(), empty.instead), ("", None));
    let folder = gitlab::read_file(&caller, &query(&stub, "lib/deep")).await.unwrap_err();
    assert_eq!((folder.kind, folder.detail), (ErrorKind::InvalidParams, Some("is_directory")));
    let absent = gitlab::read_file(&caller, &query(&stub, "absent.rb")).await.unwrap_err();
    assert_eq!(absent.kind, ErrorKind::NotFound);
    says(&absent, &["`absent.rb`", "Group/Sub/name", COMMIT]);
}

#[tokio::test]
async fn a_missing_branch_and_a_hidden_project_are_not_the_same() {
    let stub = server(Vec::new());
    let gone = RepoRef { reference: Some("gone/away".into()), ..repo(&stub) };
    let asked = RemoteFileQuery { repo: gone, ..query(&stub, "a") };
    let problem = gitlab::read_file(&caller(&stub), &asked).await.unwrap_err();
    assert_eq!((problem.kind, problem.field), (ErrorKind::NotFound, Some("reference")));
    assert!(targets(&stub).contains(&below("/repository/commits/gone%2Faway")), "{:?}", targets(&stub));
    let other = RepoRef { owner: "other".into(), ..repo(&stub) };
    let problem =
        gitlab::read_file(&anonymous(&stub), &RemoteFileQuery { repo: other, ..asked }).await.unwrap_err();
    assert_eq!(problem.kind, ErrorKind::NotFound);
    says(&problem, &["private", "token"]);
}

#[tokio::test]
async fn paths_that_lead_upwards_are_refused_before_anybody_is_asked() {
    let stub = server(Vec::new());
    for path in ["../x", "a/%2e%2e/b", ""] {
        let problem = gitlab::read_file(&caller(&stub), &query(&stub, path)).await.unwrap_err();
        assert_eq!(problem.field, Some("path"), "{path}");
    }
    assert_eq!(stub.count(), 0);
}

fn page(from: usize, count: usize, next: Option<&str>) -> Answer {
    let row = |at| json!({ "id": format!("{at}"), "type": "blob", "path": format!("d/f{at:04}"), "mode": "100644" });
    let answer = rows("tree", &(from..from + count).map(row).collect());
    match next {
        Some(token) => answer
            .with("Link", format!("<http://x/api/v4/tree?page_token={token}&per_page=100>; rel=\"next\"")),
        None => answer,
    }
}

#[tokio::test]
async fn a_tree_is_read_page_by_page_with_the_tokens_that_it_gives() {
    let stub = server(vec![
        (tree("&recursive=true"), page(0, 100, Some("abc"))),
        (tree("&recursive=true&page_token=abc"), page(100, 100, Some("def"))),
        (tree("&recursive=true&page_token=def"), page(200, 5, None)),
    ]);
    let asked = RemoteTreeQuery { repo: repo(&stub), path: String::new(), depth: 2, skip: 203, limit: 10 };
    let found = gitlab::tree(&caller(&stub), &asked).await.unwrap();
    assert_eq!((found.total, found.files, found.incomplete), (205, 205, None));
    let paths: Vec<&str> = found.entries.iter().map(|entry| entry.path.as_str()).collect();
    assert_eq!(paths, ["d/f0203", "d/f0204"]);
}

#[tokio::test]
async fn a_server_that_sends_us_in_circles_is_left() {
    let stub = server(vec![
        (tree("&path=d"), page(0, 2, Some("abc"))),
        (tree("&path=d&page_token=abc"), page(2, 2, Some("abc"))),
    ]);
    let asked = RemoteTreeQuery { repo: repo(&stub), path: "d".into(), depth: 1, skip: 0, limit: 100 };
    let found = gitlab::tree(&caller(&stub), &asked).await.unwrap();
    assert!(found.incomplete.unwrap().contains("again and again"));
    let pages = targets(&stub).iter().filter(|target| target.contains("/tree")).count();
    assert!(pages <= 3, "{pages}");
    assert_eq!(found.total, 4);
}

#[tokio::test]
async fn kinds_are_told_and_depth_counts_from_the_folder() {
    let deep = BLOB.replace(
        "]",
        r#", {"id": "9", "name": "x", "type": "blob", "path": "lib/deep/more/x", "mode": "100644"}]"#,
    );
    let stub = server(vec![
        (tree("&path=lib"), Answer::json(BLOB)),
        (tree("&path=lib&recursive=true"), Answer::json(&deep)),
    ]);
    let caller = caller(&stub);
    let asked = RemoteTreeQuery { repo: repo(&stub), path: "/lib/".into(), depth: 1, skip: 0, limit: 100 };
    let found = gitlab::tree(&caller, &asked).await.unwrap();
    let kinds: Vec<_> = found.entries.iter().map(|entry| (entry.path.as_str(), entry.kind)).collect();
    assert_eq!(
        kinds,
        [
            ("lib/b", EntryKind::File),
            ("lib/deep", EntryKind::Directory),
            ("lib/link", EntryKind::Symlink),
            ("lib/shown", EntryKind::Submodule),
            ("lib/sub", EntryKind::Submodule),
            ("lib/twice", EntryKind::Symlink)
        ]
    );
    assert_eq!((found.files, found.directories), (5, 1));
    let deeper = gitlab::tree(&caller, &RemoteTreeQuery { depth: 2, ..asked.clone() }).await.unwrap();
    assert_eq!(deeper.total, 6, "three below is too deep");
    assert_eq!(gitlab::tree(&caller, &RemoteTreeQuery { depth: 3, ..asked.clone() }).await.unwrap().total, 7);
    let problem = gitlab::tree(&caller, &RemoteTreeQuery { path: "no".into(), ..asked }).await.unwrap_err();
    assert_eq!((problem.kind, problem.field), (ErrorKind::NotFound, Some("path")));
    says(&problem, &["`no`"]);
}
