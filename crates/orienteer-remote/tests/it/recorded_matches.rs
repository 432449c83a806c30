//! Are the text matches of the real GitHub, which github3.py has recorded, read as they were sent?

use std::io::Read;
use std::path::PathBuf;

use base64::Engine as _;
use orienteer_base::remote::{ChangeSearch, CodeMatch, CodeSearch, RepoSearch};
use orienteer_testkit::tools;
use serde_json::Value;

use crate::asking::go;
use crate::recorded::{Record, github, play};
use crate::stub::Stub;

fn folder() -> PathBuf {
    let folder = tools::tools().join("recorded-matches/github3.py-4.0.1/tests/cassettes");
    assert!(
        folder.exists(),
        "github3.py's recordings are missing: run `cargo xtask install`, which fetches them"
    );
    folder
}

/// What a file holds: each exchange as an object, bodies compressed and then in base64.
fn records(name: &str) -> Vec<Record> {
    let text = std::fs::read_to_string(folder().join(format!("{name}.json"))).unwrap();
    let all: Value = serde_json::from_str(&text).unwrap();
    all["http_interactions"].as_array().unwrap().iter().map(record).collect()
}

fn record(exchange: &Value) -> Record {
    let (request, response) = (&exchange["request"], &exchange["response"]);
    let address: reqwest::Url = request["uri"].as_str().unwrap().parse().unwrap();
    let headers = response["headers"].as_object().unwrap().iter();
    let headers = headers.map(|(name, value)| {
        let value = value.as_str().or_else(|| value[0].as_str()).unwrap();
        (name.to_ascii_lowercase(), value.to_owned())
    });
    let body = response["body"]["base64_string"].as_str().unwrap();
    let body = base64::engine::general_purpose::STANDARD.decode(body).unwrap();
    let mut text = String::new();
    flate2::read::GzDecoder::new(body.as_slice()).read_to_string(&mut text).unwrap();
    Record {
        path: address.path().to_owned(),
        status: u16::try_from(response["status"]["code"].as_u64().unwrap()).unwrap(),
        headers: headers.collect(),
        body: text,
    }
}

fn replay(name: &str) -> Stub {
    play(records(name))
}

/// The question that was recorded: `HTTPAdapter in:file language:python repo:kennethreitz/requests`.
fn adapters() -> CodeSearch {
    CodeSearch {
        keywords: vec!["HTTPAdapter".into()],
        owner: Some("kennethreitz".into()),
        repo: Some("requests".into()),
        match_in: Some(CodeMatch::File),
        limit: 100,
        page: 1,
        ..CodeSearch::default()
    }
}

#[tokio::test]
async fn fragments_and_places_of_code_are_those_that_github_sent() {
    let stub = replay("GitHub_search_code_with_text_match");
    let found = github(&stub).search_code(&adapters(), &go()).await.unwrap();
    assert_eq!((found.total, found.has_more, found.incomplete), (Some(3), false, None));
    let paths: Vec<_> = found.rows.iter().map(|hit| (hit.repository.as_str(), hit.path.as_str())).collect();
    let repository = "kennethreitz/requests";
    assert_eq!(
        paths,
        [
            (repository, "requests/adapters.py"),
            (repository, "tests/test_requests.py"),
            (repository, "requests/sessions.py")
        ]
    );
    let commits: Vec<_> = found.rows.iter().map(|hit| hit.reference.as_deref().unwrap()).collect();
    assert_eq!(
        commits,
        [
            "bf19750c0a27fdc6283fa2a00cb5390a7c2d2d54",
            "453397965b8808c0685ad42be3d1884133a54072",
            "6bd6249051b303255451a98285e52fbd95bbca39"
        ]
    );
    // Each file has two fragments; in the last of all the word stands twice.
    let places: Vec<Vec<&[(usize, usize)]>> = found
        .rows
        .iter()
        .map(|hit| hit.text_matches.iter().map(|one| one.matches.as_slice()).collect())
        .collect();
    assert_eq!(places[0], [&[(62, 73)][..], &[(1, 12)]]);
    assert_eq!(places[1], [&[(72, 83)][..], &[(77, 88)]]);
    assert_eq!(places[2], [&[(18, 29)][..], &[(19, 30), (64, 75)]]);
    for matched in found.rows.iter().flat_map(|hit| &hit.text_matches) {
        for (start, end) in &matched.matches {
            let text: String = matched.fragment.chars().skip(*start).take(end - start).collect();
            assert_eq!(text, "HTTPAdapter", "{:?}", matched.fragment);
        }
    }
    let class = &found.rows[0].text_matches[0].fragment;
    assert!(class.ends_with("\n\nclass HTTPAdapter(BaseAdapter):\n    \"\"\"The"), "{class:?}");
    let asked = stub.asked();
    assert_eq!(asked.len(), 1);
    assert!(asked[0].header("accept").unwrap().contains("text-match"), "{:?}", asked[0]);
    let words = "q=HTTPAdapter+repo%3Akennethreitz%2Frequests+in%3Afile";
    assert!(asked[0].target.contains(words), "{}", asked[0].target);
}

#[tokio::test]
async fn an_answer_without_text_matches_has_files_and_no_fragments() {
    let found = github(&replay("GitHub_search_code")).search_code(&adapters(), &go()).await.unwrap();
    let paths: Vec<_> = found.rows.iter().map(|hit| hit.path.as_str()).collect();
    assert_eq!(paths, ["requests/adapters.py", "tests/test_requests.py", "requests/sessions.py"]);
    assert!(found.rows.iter().all(|hit| hit.text_matches.is_empty()));
}

#[tokio::test]
async fn other_recorded_searches_are_read_too() {
    let query = RepoSearch { keywords: vec!["github3".into()], limit: 100, page: 1, ..RepoSearch::default() };
    let stub = replay("GitHub_search_repositories_text_match");
    let found = github(&stub).search_repositories(&query, &go()).await.unwrap();
    let names: Vec<_> = found.rows.iter().map(|hit| hit.full_name.as_str()).collect();
    assert_eq!(
        (names.len(), names[0], names[7]),
        (8, "sigmavirus24/github3.py", "sigmavirus24/mock_github_api")
    );
    let query =
        ChangeSearch { query: Some("github3".into()), limit: 100, page: 1, ..ChangeSearch::default() };
    let found = github(&replay("GitHub_search_issues")).search_changes(&query, &go()).await.unwrap();
    assert_eq!((found.total, found.rows.len(), found.has_more), (Some(57), 57, false));
    assert_eq!(found.rows[0].title, "GitHub integration images");
    // Not everybody writes in Latin letters.
    assert!(found.rows.iter().any(|change| change.title == "新版本的问题"));
}
