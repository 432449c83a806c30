//! Building, looking at and cleaning up indexes.

use orienteer_testkit::Tree;
use serde_json::{Value, json};

use super::support::{PROJECT, Session, git, over};

fn number(answer: &Value, name: &str) -> u64 {
    answer[name].as_u64().unwrap_or_else(|| panic!("no {name}: {answer}"))
}

#[test]
fn the_status_says_what_is_indexed_and_where() {
    let mut session = over(PROJECT);
    let before = session.ask("index_status", json!({}));
    assert_eq!((&before["state"], &before["files"]), (&json!("none"), &json!(0)), "{before}");
    session.ask("build_index", json!({}));
    let status = session.ask("index_status", json!({}));
    assert_eq!((&status["state"], &status["health"]), (&json!("ready"), &json!("ok")), "{status}");
    assert_eq!((number(&status, "files"), &status["staleFiles"]), (4, &json!(0)), "{status}");
    assert_eq!(status["languages"]["python"]["files"], 1, "{status}");
    assert!(
        number(&status, "symbols") >= 7 && number(&status, "chunks") >= 7 && number(&status, "bytes") > 0
    );
    assert!(
        status["builtAt"].is_string() && status["indexPath"].as_str().unwrap().contains("/orienteer/index/")
    );
    assert_eq!(status["repoPath"], session.tree.root().display().to_string());
}

#[test]
fn the_status_names_the_commit_and_what_changed_since() {
    let tree = orienteer_testkit::tree(&PROJECT.replace("//- /.git/HEAD\nref: refs/heads/trunk\n", ""));
    let root = tree.root().to_path_buf();
    for arguments in [["init", "-q"].as_slice(), &["add", "."], &["commit", "-q", "-m", "one"]] {
        git(&root, "Ada", arguments);
    }
    let mut session = Session::start(tree, &[], &[]);
    session.ask("build_index", json!({}));
    let status = session.ask("index_status", json!({}));
    let head = std::process::Command::new("git").args(["rev-parse", "HEAD"]).current_dir(&root).output();
    let head = String::from_utf8(head.unwrap().stdout).unwrap();
    assert_eq!((&status["commit"], &status["branch"]), (&json!(head.trim()), &json!("trunk")), "{status}");
    let changed = |status: &Value| (number(status, "changedSinceCommit"), number(status, "staleFiles"));
    assert_eq!(changed(&status), (0, 0), "{status}");
    let files = |mode: &str| status["modes"][mode]["files"].as_u64();
    assert_eq!((files("code"), files("prose")), (Some(3), Some(1)), "{status}");
    session.tree.write("src/config.rs", "pub fn gather_preferences() {}\n");
    let edited = session.ask("index_status", json!({}));
    assert_eq!(changed(&edited), (1, 1), "an edit is known before anybody searches: {edited}");
    session.ask("build_index", json!({}));
    let updated = session.ask("index_status", json!({}));
    assert_eq!(changed(&updated), (1, 0), "in the index, and not committed: {updated}");
}

#[test]
fn an_index_is_built_brought_up_to_date_and_made_anew() {
    let mut session = over(PROJECT);
    let built = session.ask("build_index", json!({ "mode": "all", "sqlite": true }));
    assert_eq!((&built["status"], number(&built, "files")), (&json!("built"), 4), "{built}");
    assert!(
        number(&built, "symbols") > 0 && built["elapsedMs"].is_u64() && built["notes"] == json!([]),
        "{built}"
    );
    session.tree.write("src/more.rs", "pub fn another() {}\n");
    let updated = session.ask("build_index", json!({ "incremental": true }));
    assert_eq!(updated["status"], "updated", "{updated}");
    let anew = session.ask("build_index", json!({ "incremental": false }));
    assert_eq!((&anew["status"], number(&anew, "read")), (&json!("built"), 5), "{anew}");
}

#[test]
fn wishes_that_mean_nothing_here_are_answered_plainly() {
    let mut session = over(PROJECT);
    let arguments =
        json!({ "mode": "code", "useArtifacts": true, "artifactsDir": "ci", "stubEmbeddings": true });
    let built = session.ask("build_index", arguments);
    assert_eq!((&built["status"], built["notes"].as_array().unwrap().len()), (&json!("built"), 3), "{built}");
    let compacted = session.ask("compact_sqlite_index", json!({ "keepBackup": true }));
    assert!(compacted["notes"][0].as_str().unwrap().contains("no backup"), "{compacted}");
    for field in ["codeDir", "proseDir", "out"] {
        let refused = session.refused("build_sqlite_index", json!({ field: "somewhere" }));
        assert_eq!(refused["code"], "UNSUPPORTED", "{refused}");
        assert!(refused["message"].as_str().unwrap().contains(&format!("`{field}`")), "{refused}");
    }
}

#[test]
fn the_sqlite_index_is_built_and_compacted() {
    let mut session = over(PROJECT);
    let built = session.ask("build_sqlite_index", json!({ "mode": "code" }));
    assert_eq!((&built["status"], number(&built, "files")), (&json!("built"), 4), "{built}");
    for round in 0..8 {
        session.tree.write("src/more.rs", format!("pub fn another_{round}() {{ call_{round}(); }}\n"));
        session.ask("build_index", json!({}));
    }
    let would = session.ask("compact_sqlite_index", json!({ "dryRun": true }));
    assert_eq!((&would["status"], &would["dryRun"]), (&json!("would_compact"), &json!(true)), "{would}");
    let done = session.ask("build_sqlite_index", json!({ "compact": true }));
    assert_eq!(done["compacted"]["status"], "compacted", "{done}");
    let again = session.ask("compact_sqlite_index", json!({}));
    assert_eq!(again["status"], "nothing", "{again}");
    assert_eq!(session.names("code", json!({ "query": "+another_7", "mode": "code" })), ["another_7"]);
}

#[test]
fn artifacts_are_reported_and_cleaned() {
    let mut session = over(PROJECT);
    session.ask("build_index", json!({}));
    let other = orienteer_testkit::tree("//- /a.rs\nfn other_place() {}\n");
    session.ask("build_index", json!({ "repoPath": other.root() }));
    let own = session.ask("report_artifacts", json!({}));
    let all = session.ask("report_artifacts", json!({ "all": true }));
    let folder = own["indexPath"].as_str().unwrap();
    let paths = |answer: &Value| {
        let rows = answer["artifacts"].as_array().unwrap().clone();
        rows.iter().map(|row| row["path"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert!(!paths(&own).is_empty() && paths(&own).iter().all(|path| path.starts_with(folder)), "{own}");
    assert!(paths(&all).len() > paths(&own).len() && all["all"] == true, "{all}");
    assert_eq!(number(&own, "files") as usize, paths(&own).len());
    let cleaned = session.ask("clean_artifacts", json!({}));
    assert_eq!((&cleaned["status"], &cleaned["others"]), (&json!("removed"), &Value::Null), "{cleaned}");
    assert_eq!(session.ask("index_status", json!({}))["state"], "none");
    assert_eq!(paths(&session.ask("report_artifacts", json!({}))).len(), 0);
    assert_eq!(session.ask("index_status", json!({ "repoPath": other.root() }))["state"], "ready");
    assert_eq!(session.names("code", json!({ "query": "load_settings" }))[0], "load_settings", "built again");
}

/// Another process leaves the indexes of other repositories behind.
fn left_behind(tree: &Tree, count: usize) -> Vec<Tree> {
    let others: Vec<Tree> =
        (0..count).map(|at| orienteer_testkit::tree(&format!("//- /a.rs\nfn f{at}() {{}}\n"))).collect();
    for other in &others {
        let mut server = super::support::begin(tree, tree.root(), &[], &[]);
        server.call("build_index", json!({ "repoPath": other.root() }));
        server.close();
        server.wait(std::time::Duration::from_secs(20)).expect("it ends");
    }
    others
}

/// How many folders of indexes there are on disk.
fn indexes(session: &Session) -> usize {
    let base = session.tree.root().with_file_name("home").join(".cache/orienteer/index");
    std::fs::read_dir(base).unwrap().filter(|entry| entry.as_ref().unwrap().path().is_dir()).count()
}

#[test]
fn all_indexes_are_cleaned_when_that_is_asked_for() {
    let tree = orienteer_testkit::tree(PROJECT);
    let _others = left_behind(&tree, 1);
    let mut session = Session::start(tree, &[], &[]);
    session.ask("build_index", json!({}));
    assert_eq!(indexes(&session), 2);
    let all = session.ask("clean_artifacts", json!({ "all": true }));
    assert_eq!((&all["status"], &all["others"]["status"]), (&json!("removed"), &json!("removed")), "{all}");
    assert_eq!(number(&all["others"], "indexes"), 1, "{all}");
    assert_eq!(session.ask("report_artifacts", json!({ "all": true }))["files"], 0);
    assert_eq!(indexes(&session), 0);
}

#[test]
fn indexes_of_other_repositories_go_by_size_and_age() {
    let tree = orienteer_testkit::tree(PROJECT);
    let _others = left_behind(&tree, 2);
    let mut session = Session::start(tree, &[], &[]);
    session.ask("build_index", json!({}));
    let would = session.ask("cache_gc", json!({ "dryRun": true, "maxBytes": 0 }));
    assert_eq!((&would["status"], number(&would, "indexes")), (&json!("would_remove"), 2), "{would}");
    let old = session.ask("cache_gc", json!({ "dryRun": true, "maxAgeDays": 0 }));
    assert_eq!((&old["status"], number(&old, "indexes")), (&json!("would_remove"), 2), "by age alone: {old}");
    assert_eq!(indexes(&session), 3, "nothing has gone yet");
    let kept = session.ask("cache_gc", json!({ "maxGb": 1.5, "maxAgeDays": 30 }));
    assert_eq!((&kept["status"], number(&kept, "kept")), (&json!("nothing"), 3), "{kept}");
    let done = session.ask("cache_gc", json!({ "maxBytes": 0 }));
    assert_eq!((&done["status"], number(&done, "indexes")), (&json!("removed"), 2), "{done}");
    assert!(number(&done, "bytesAfter") < number(&done, "bytesBefore"), "{done}");
    assert_eq!(indexes(&session), 1);
    assert_eq!(session.ask("index_status", json!({}))["state"], "ready", "the own index is in use");
    let all = session.ask("clean_artifacts", json!({ "all": true }));
    assert_eq!((&all["status"], &all["others"]["status"]), (&json!("removed"), &json!("nothing")), "{all}");
}

#[test]
fn bootstrap_looks_around_builds_and_says_what_is_missing() {
    let mut session = over(PROJECT);
    let looked =
        session.ask("bootstrap", json!({ "skipIndex": true, "skipDicts": true, "skipInstall": true }));
    assert_eq!(
        (&looked["index"]["status"], &looked["dictionaries"]["status"]),
        (&json!("skipped"), &json!("skipped"))
    );
    assert!(super::support::warnings(&looked).contains(&"index_missing".to_owned()), "{looked}");
    let done = session.ask("bootstrap", json!({ "withSqlite": true, "incremental": true }));
    assert_eq!(
        (&done["index"]["status"], &done["install"]["status"]),
        (&json!("built"), &json!("nothing_to_do"))
    );
    assert_eq!(
        (&done["fileExtensions"]["rs"], &done["dictionaries"]["status"]),
        (&json!(1), &json!("nothing_to_do"))
    );
    let servers = done["servers"].as_array().unwrap();
    let python =
        servers.iter().find(|server| server["language"] == "Python").unwrap_or_else(|| panic!("{done}"));
    assert!(python["installed"].is_boolean() && python["files"] == 1, "{python}");
    assert!(!super::support::warnings(&done).contains(&"index_missing".to_owned()), "{done}");
}

#[test]
fn bootstrap_says_which_command_brings_a_missing_server() {
    let tree = orienteer_testkit::tree(PROJECT);
    let mut session = Session::start(tree, &[], &[("PATH", "/nowhere")]);
    let done = session.ask("bootstrap", json!({ "skipIndex": true }));
    let servers = done["servers"].as_array().unwrap();
    let python =
        servers.iter().find(|server| server["language"] == "Python").unwrap_or_else(|| panic!("{done}"));
    assert_eq!((&python["installed"], &python["path"]), (&json!(false), &Value::Null), "{python}");
    let hint = python["installHint"].as_str().unwrap_or_else(|| panic!("{python}"));
    assert!(hint.contains("install") && hint.contains("pyright"), "{hint}");
}

#[test]
fn bootstrap_runs_nothing_of_the_repository() {
    let scripts = r#"//- /package.json
{ "scripts": { "preinstall": "touch ran", "install": "touch ran", "postinstall": "touch ran" } }
//- /setup.py
open("ran", "w")
//- /Makefile
all:
	touch ran
"#;
    let mut session = over(&format!("{PROJECT}{scripts}"));
    session.ask("bootstrap", json!({}));
    assert!(!session.tree.root().join("ran").exists());
}
