//! `search`: both outputs, modes, context, and the same places as the native tool.

use std::collections::BTreeSet;

use orienteer_testkit::meaning::write_model;
use orienteer_testkit::{Framing, Server, tree};
use serde_json::{Value, json};

use super::support::{PROJECT, Session, being_built, names, over, warnings};
use crate::ORIENTEER;

const COMPACT: &str =
    "id file start end startLine endLine ext kind name headline score scoreType snippet stableId";

fn keys(row: &Value) -> Vec<&str> {
    row.as_object().unwrap_or_else(|| panic!("no row: {row}")).keys().map(String::as_str).collect()
}

#[test]
fn compact_is_the_default_and_has_the_documented_fields() {
    let mut session = over(PROJECT);
    let answer = session.ask("search", json!({ "query": "where are the settings read from a file" }));
    assert_eq!((&answer["backend"], &answer["complete"]), (&json!("sqlite"), &json!(true)), "{answer}");
    assert_eq!(answer["repoPath"], session.tree.root().display().to_string());
    for list in ["code", "prose", "extractedProse", "records"] {
        assert!(answer[list].is_array(), "{list}: {answer}");
    }
    let best = &answer["code"][0];
    assert_eq!(keys(best).join(" "), COMPACT, "{best}");
    assert_eq!(best["name"], "load_settings", "{answer}");
    assert_eq!((&best["file"], &best["ext"]), (&json!("src/config.rs"), &json!(".rs")));
    assert_eq!(
        (&best["startLine"], &best["endLine"], &best["kind"]),
        (&json!(4), &json!(6), &json!("function"))
    );
    assert_eq!(best["headline"], "Reads the settings of a project from its file.");
    assert!(best["score"].as_f64().unwrap() > 0.0 && best["scoreType"] == "blend", "{best}");
    assert!(best["snippet"].as_str().unwrap().contains("3: /// Reads the settings of a project"), "{best}");
    let text = std::fs::read_to_string(session.tree.root().join("src/config.rs")).unwrap();
    let (start, end) = (best["start"].as_u64().unwrap() as usize, best["end"].as_u64().unwrap() as usize);
    assert!(text[start..end].starts_with("pub fn load_settings") && text[start..end].ends_with("}\n"));
    let same = session.ask("search", json!({ "query": "load_settings", "output": "compact" }));
    assert_eq!(same["code"][0]["id"], best["id"], "the same result has the same id in another answer");
    assert!(best["id"].is_u64() && best["stableId"] == "src/config.rs#load_settings", "{best}");
}

#[test]
fn full_output_has_everything_that_is_known() {
    let mut session = over(PROJECT);
    let answer = session.ask("search", json!({ "query": "load_settings", "output": "full" }));
    let best = &answer["code"][0];
    let more = "mode language namePath signature doc scoreBreakdown lastChange source";
    assert_eq!(keys(best).join(" "), format!("{COMPACT} {more}"), "{best}");
    assert_eq!(
        (&best["mode"], &best["language"], &best["source"]),
        (&json!("code"), &json!("rust"), &json!("index"))
    );
    assert!(best["signature"].as_str().unwrap().contains("path: &str"), "{best}");
    assert_eq!(best["doc"], "Reads the settings of a project from its file.");
    assert!(!best["scoreBreakdown"].as_object().unwrap().is_empty(), "{best}");
}

#[test]
fn each_mode_fills_its_lists_and_no_others() {
    let mut session = over(PROJECT);
    let rows: &[(&str, &str, &[&str])] = &[
        ("all", "lantern server forgets", &["code", "extractedProse", "prose"]),
        ("both", "lantern server forgets", &["code", "prose"]),
        ("code", "lantern", &["code"]),
        ("prose", "brightest lantern", &["prose"]),
        ("extracted-prose", "server forgets thirty seconds", &["extractedProse"]),
        ("records", "lantern", &[]),
    ];
    for (mode, query, filled) in rows {
        let answer = session.ask("search", json!({ "query": query, "mode": mode }));
        let lists = ["code", "extractedProse", "prose", "records"];
        let found: Vec<&str> =
            lists.into_iter().filter(|list| !answer[*list].as_array().unwrap().is_empty()).collect();
        assert_eq!(&found, filled, "{mode}: {answer}");
    }
    let usual = session.ask("search", json!({ "query": "lantern" }));
    let all = session.ask("search", json!({ "query": "lantern", "mode": "all" }));
    assert_eq!(usual["totals"], all["totals"]);
    let comment = session.ask("search", json!({ "query": "server forgets", "mode": "extracted-prose" }));
    assert_eq!(comment["extractedProse"][0]["file"], "src/client.py", "{comment}");
}

#[test]
fn five_results_of_each_list_are_usual() {
    let many: String = (0..12)
        .map(|at| format!("//- /src/part_{at}.rs\npub fn gather_part_{at}() {{ part(); }}\n"))
        .collect();
    let mut session = over(&format!("//- /.git/HEAD\nref: refs/heads/trunk\n{many}"));
    assert_eq!(session.names("code", json!({ "query": "gather part" })).len(), 5);
    assert_eq!(session.names("code", json!({ "query": "gather part", "top": 2 })).len(), 2);
    let more = session.ask("search", json!({ "query": "gather part", "top": 100 }));
    assert_eq!(more["code"].as_array().unwrap().len(), 12);
    assert_eq!(more["totals"]["code"], 12, "{}", more["totals"]);
    let refused = session.refused("search", json!({ "query": "x", "top": 0 }));
    assert!(refused["message"].as_str().unwrap().contains("from 1 to 100"), "{refused}");
}

#[test]
fn context_shows_the_lines_around_each_result() {
    let mut session = over(PROJECT);
    let answer = session.ask("search", json!({ "query": "load_settings", "mode": "code", "context": 2 }));
    let best = &answer["code"][0];
    assert_eq!(
        best["preContext"],
        json!(["", "/// Reads the settings of a project from its file."]),
        "{best}"
    );
    assert_eq!(best["postContext"], json!(["", "pub struct Settings {"]));
    assert_eq!(best["startLine"], 4, "the result itself is where it was");
    let wide = session.ask("search", json!({ "query": "load_settings", "mode": "code", "context": 50 }));
    assert_eq!(wide["code"][0]["preContext"][0], "use std::fs;", "as far as the file goes");
    let windows = PROJECT.replace('\n', "\r\n");
    let mut session = over(&windows);
    let same = session.ask("search", json!({ "query": "load_settings", "mode": "code", "context": 2 }));
    assert_eq!(same["code"][0]["postContext"], json!(["", "pub struct Settings {"]), "without line ends");
}

#[test]
fn long_lines_around_a_result_are_cut() {
    let long = "x".repeat(200_000);
    let mut session = over(&format!("//- /a.py\nA = '{long}'\n\ndef lantern():\n    return A\n"));
    let answer = session.ask("search", json!({ "query": "lantern", "mode": "code", "context": 2 }));
    let before = answer["code"][0]["preContext"].as_array().unwrap();
    assert_eq!((before.len(), before[0].as_str().unwrap().len()), (2, 400), "{before:?}");
}

#[test]
fn native_and_dialect_find_the_same_places() {
    let tree = tree(PROJECT);
    let root = tree.root().to_path_buf();
    let home = tree.beside("home").display().to_string();
    let args = ["--toolsets", "all", "--log-level", "error"];
    let mut native = Server::start_with(ORIENTEER, &root, &args, &[("HOME", &home)], Framing::Lines);
    native.initialize("2025-11-25");
    let mut session = Session::start(tree, &[], &[]);
    for query in ["settings", "fetch page", "brightest lantern", "server forgets us", "run_query", "Client"] {
        for (list, mode, modes) in [
            ("code", "code", "code"),
            ("prose", "prose", "prose"),
            ("extractedProse", "extracted-prose", "comments"),
        ] {
            let ours = native.call("search", json!({ "query": query, "modes": [modes], "max_results": 5 }));
            let ours: Vec<String> = ours["structuredContent"]["results"]
                .as_array()
                .unwrap()
                .iter()
                .map(|row| format!("{} {} {}", row["symbol_id"], row["line"], row["end_line"]))
                .collect();
            let theirs = session.ask("search", json!({ "query": query, "mode": mode }));
            let theirs: Vec<String> = theirs[list]
                .as_array()
                .unwrap()
                .iter()
                .map(|row| format!("{} {} {}", row["stableId"], row["startLine"], row["endLine"]))
                .collect();
            assert_eq!(theirs, ours, "{query} in {mode}");
        }
    }
}

#[test]
fn before_the_index_is_ready_there_is_an_error_and_no_empty_list() {
    let (tree, lock) = being_built(PROJECT);
    let variables = [("PAIROFCLEATS_MCP_TOOL_TIMEOUT_MS", "12000")];
    let mut session = Session::start(tree, &[], &variables);
    let refused = session.refused("search", json!({ "query": "load_settings" }));
    assert_eq!(refused["code"], "NOT_READY", "{refused}");
    assert!(refused["hint"].as_str().unwrap().contains("index_status"), "{refused}");
    assert_eq!(session.ask("index_status", json!({}))["state"], "building");
    drop(lock);
}

#[test]
fn every_backend_is_accepted_and_the_one_that_answered_is_named() {
    let mut session = over(PROJECT);
    for backend in ["auto", "memory", "sqlite", "sqlite-fts", "lmdb"] {
        let answer = session.ask("search", json!({ "query": "settings", "backend": backend }));
        assert_eq!(answer["backend"], "sqlite");
    }
    let refused = session.refused("search", json!({ "query": "settings", "backend": "oracle" }));
    assert!(refused["hint"].as_str().unwrap().contains("sqlite-fts"), "{refused}");
}

#[test]
fn ann_says_whether_meanings_were_compared() {
    let mut session = over(PROJECT);
    let answer = session.ask("search", json!({ "query": "settings", "ann": true }));
    assert_eq!((&answer["ann"], warnings(&answer)), (&json!(false), vec!["no_model".to_owned()]), "{answer}");
    let quiet = session.ask("search", json!({ "query": "settings", "ann": false }));
    assert_eq!((&quiet["ann"], warnings(&quiet).len()), (&json!(false), 0), "{quiet}");
}

#[test]
fn ann_decides_whether_a_configured_model_takes_part() {
    let fixture = "//- /a.py\ndef ship():\n    return 'ship'\n//- /b.py\ndef tower():\n    return 'tower'\n\
                   //- /c.py\ndef other():\n    return 'vessel'\n";
    let tree = tree(fixture);
    let folder = tree.beside("model");
    write_model(&folder);
    let model = folder.display().to_string();
    let mut session = Session::start(tree, &[], &[("ORIENTEER_INDEX_MODEL", model.as_str())]);
    session.ask("build_index", json!({}));
    let search = |session: &mut Session, ann: Option<bool>| {
        let mut asked = json!({ "query": "vessel", "mode": "code" });
        if let Some(ann) = ann {
            asked["ann"] = json!(ann);
        }
        let answer = session.ask("search", asked);
        assert_eq!(warnings(&answer), [""; 0], "{answer}");
        (answer["ann"].clone(), names(&answer["code"]))
    };
    for ann in [None, Some(true)] {
        let (compared, found) = search(&mut session, ann);
        assert_eq!(compared, true);
        assert!(found.contains(&"ship".to_owned()), "a ship is a vessel: {found:?}");
        assert!(found.contains(&"other".to_owned()), "words count as well: {found:?}");
    }
    let filtered = json!({ "query": "/vessel/", "mode": "code", "ann": true });
    let answer = session.ask("search", filtered);
    assert_eq!((&answer["ann"], warnings(&answer)), (&json!(false), vec!["no_model".to_owned()]), "{answer}");
    let message = answer["warnings"][0]["message"].as_str().unwrap();
    assert!(message.contains("words in `query`"), "there is a model, and nothing to compare: {message}");
    assert_eq!(search(&mut session, Some(false)), (json!(false), vec!["other".to_owned()]), "words alone");
}

#[test]
fn secrets_stay_hidden_in_snippets_and_around_them() {
    // Put together here, so that the repository itself holds nothing that looks like a secret.
    let line = |number: usize| -> String {
        let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        (0..64).map(|at| char::from(alphabet[(at * 37 + number * 11 + at * at) % 64])).collect()
    };
    let lines: Vec<String> = (0..20).map(line).collect();
    let fence = |word: &str| format!("-----{word} RSA {} KEY-----\n", "PRIVATE");
    let key = format!("{}{}\n{}", fence("BEGIN"), lines.join("\n"), fence("END"));
    let text = format!("//- /src/a.py\nKEY = '''\n{key}'''\ndef sign_lantern():\n    return KEY\n");
    let mut session = over(&text);
    for output in ["compact", "full"] {
        let arguments = json!({ "query": "sign_lantern", "context": 5, "output": output });
        let answer = session.ask("search", arguments);
        let best = &answer["code"][0];
        assert_eq!(
            (&best["name"], best["preContext"].as_array().unwrap().len()),
            (&json!("sign_lantern"), 5)
        );
        assert!(lines.iter().all(|line| !answer.to_string().contains(&line[..20])), "{answer}");
        assert!(warnings(&answer).contains(&"redacted".to_owned()), "{answer}");
    }
}

#[test]
fn edits_are_seen_by_the_next_search() {
    let mut session = over(PROJECT);
    assert_eq!(
        session.names("code", json!({ "query": "+load_settings", "mode": "code" }))[0],
        "load_settings"
    );
    session.tree.write("src/config.rs", "pub fn gather_preferences() {}\n");
    let gone: BTreeSet<String> =
        session.names("code", json!({ "query": "+load_settings", "mode": "code" })).into_iter().collect();
    assert!(gone.is_empty(), "{gone:?}");
    assert_eq!(session.names("code", json!({ "query": "gather preferences" })), ["gather_preferences"]);
}
