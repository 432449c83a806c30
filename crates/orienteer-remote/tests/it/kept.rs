//! For how long is an answer good enough, question by question?

use std::path::Path;

use orienteer_base::question::Part;
use orienteer_base::remote::{
    ChangeSearch, CodeSearch, Ecosystem, Forge, PackageSearch, RemoteFileQuery, RepoSearch,
};
use orienteer_remote::{NpmRegistries, RegistrySpec, Remote, packages};

use crate::asking::{go, remote, repo};
use crate::stub::{Answer, Stub, pacing};

const COMMIT: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

fn forge() -> Stub {
    Stub::start(|asked, _| match asked.target.split('?').next().unwrap() {
        "/search/code" | "/search/repositories" | "/search/issues" => {
            Answer::json(r#"{"total_count": 0, "incomplete_results": false, "items": []}"#)
        }
        "/demo/latest" => Answer::json(r#"{"name": "demo", "version": "1.0.0"}"#),
        target if target.ends_with("/contents/x") => Answer::json(
            r#"{"type": "file", "size": 2, "sha": "s", "content": "aGk=", "encoding": "base64",
                "url": "https://api.github.com/repos/a/b/contents/x"}"#,
        ),
        target if target.contains("/commits/") => Answer::status(200, COMMIT),
        _ => Answer::json("[]"),
    })
}

/// Makes everything that is kept this much older, as time would.
fn age(folder: &Path, seconds: i64) {
    let kept = rusqlite::Connection::open(folder.join("answers.sqlite")).unwrap();
    let changed = kept.execute("UPDATE answer SET confirmed = confirmed - ?1", [seconds * 1000]).unwrap();
    assert!(changed > 0, "nothing was kept");
}

/// Asks; ages what was kept by a little less than `seconds`, asks again; and once more when they are over. Each time by
/// another process, as far as the cache can tell. Gives how many requests went out each time.
async fn requests(seconds: i64, ask: impl AsyncFn(&Remote)) -> [usize; 3] {
    let (stub, folder) = (forge(), tempfile::tempdir().unwrap());
    let mut counts = [0; 3];
    for (count, older) in counts.iter_mut().zip([0, seconds - 60, 120]) {
        if older > 0 {
            age(folder.path(), older);
        }
        let before = stub.count();
        let api = stub.url().to_string();
        let place = Some(folder.path());
        ask(&remote(Forge::Github, &stub.name(), Some(&api), Some("t"), place, pacing())).await;
        *count = stub.count() - before;
    }
    counts
}

#[tokio::test]
async fn answers_are_good_for_as_long_as_is_written() {
    let code = CodeSearch { keywords: vec!["x".into()], limit: 1, page: 1, ..CodeSearch::default() };
    let code = requests(3600, async |remote| drop(remote.search_code(&code, &go()).await.unwrap())).await;
    assert_eq!(code, [1, 0, 1], "code");
    let found = RepoSearch { keywords: vec!["x".into()], limit: 1, page: 1, ..RepoSearch::default() };
    let found =
        requests(7200, async |remote| drop(remote.search_repositories(&found, &go()).await.unwrap())).await;
    assert_eq!(found, [1, 0, 1], "repositories");
    let changes = ChangeSearch { query: Some("x".into()), limit: 1, page: 1, ..ChangeSearch::default() };
    let changes =
        requests(1800, async |remote| drop(remote.search_changes(&changes, &go()).await.unwrap())).await;
    assert_eq!(changes, [1, 0, 1], "changes");
    let file = |reference: Option<&str>| RemoteFileQuery {
        repo: repo("a", "b", reference),
        path: "x".into(),
        part: Part::Whole,
    };
    let pinned = file(Some(COMMIT));
    let pinned = requests(30 * 86_400, async |remote| {
        assert_eq!(remote.read_file(&pinned, &go()).await.unwrap().content, "hi");
    });
    let pinned = pinned.await;
    // It cannot change, so it is good for as long as anything is kept.
    assert!(pinned[0] > 0 && pinned[1] == 0 && pinned[2] == pinned[0], "{pinned:?}");
    // Of a branch, where it stands is asked again; what stands there is not.
    let branch = file(None);
    let branch = requests(3600, async |remote| drop(remote.read_file(&branch, &go()).await.unwrap())).await;
    assert_eq!(branch[1..], [0, 1], "{branch:?}");
}

#[tokio::test]
async fn packages_are_good_for_ten_minutes() {
    let query = PackageSearch { name: "demo".into(), ecosystem: Ecosystem::Npm, limit: 1, metadata: false };
    let (stub, folder) = (forge(), tempfile::tempdir().unwrap());
    let mut counts = Vec::new();
    for older in [0, 540, 120] {
        if older > 0 {
            age(folder.path(), older);
        }
        let remote = remote(Forge::Github, "forge.invalid", None, None, Some(folder.path()), pacing());
        let unknown =
            orienteer_base::Problem::new(orienteer_base::ErrorKind::PrerequisiteMissing, "not here");
        let npm = Ok(NpmRegistries { default: stub.url().to_string(), ..NpmRegistries::default() });
        let spec = RegistrySpec { npm, ..RegistrySpec::unknown(&unknown) };
        let before = stub.count();
        packages::search(remote.api(), &spec, &query, &go()).await.unwrap();
        counts.push(stub.count() - before);
    }
    assert_eq!(counts, [1, 0, 1]);
}
