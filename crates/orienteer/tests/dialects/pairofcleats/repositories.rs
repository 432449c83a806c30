//! Which repository a call is about, and where what is kept of it stands.

use std::path::Path;

use orienteer_testkit::tree;
use serde_json::{Value, json};

use super::support::{PROJECT, Session, over, sha256, warnings};
use crate::ORIENTEER;

#[test]
fn the_repository_around_the_current_folder_is_found() {
    let tree = tree(PROJECT);
    let (root, folder) = (tree.root().to_path_buf(), tree.root().join("src"));
    let mut session = Session::start_in(tree, &folder, &[], &[]);
    assert_eq!(session.ask("index_status", json!({}))["repoPath"], root.display().to_string());
    let answer = session.ask("search", json!({ "query": "brightest lantern" }));
    assert_eq!(answer["prose"][0]["file"], "README.md", "{answer}");
}

#[test]
fn a_named_repository_is_taken_as_it_is() {
    let mut session = over(PROJECT);
    let other =
        tree("//- /lib/keel.go\npackage lib\n\nfunc LayKeel() {}\n//- /lib/.git/HEAD\nref: refs/heads/x\n");
    let named = json!({ "query": "lay keel", "repoPath": other.root() });
    let answer = session.ask("search", named);
    assert_eq!(
        (&answer["repoPath"], &answer["code"][0]["file"]),
        (&json!(other.root()), &json!("lib/keel.go"))
    );
    let inner = session.ask("search", json!({ "query": "lay keel", "repoPath": other.root().join("lib") }));
    assert_eq!(inner["code"][0]["file"], "keel.go", "{inner}");
    // Relative to the repository of the current folder.
    let below = session.ask("search", json!({ "query": "load settings", "repoPath": "src" }));
    assert_eq!(below["code"][0]["file"], "config.rs", "{below}");
    let here = session.ask("index_status", json!({ "repoPath": "." }));
    assert_eq!(here["repoPath"], session.tree.root().display().to_string());
    assert_eq!(
        session.names("code", json!({ "query": "+LayKeel", "mode": "code" })),
        [""; 0],
        "not of this one"
    );
}

#[test]
fn where_roots_are_named_no_other_folder_is_worked_in() {
    let (other, allowed) = (tree("//- /a.rs\nfn lay_keel() {}\n"), tree("//- /b.rs\nfn lay_keel() {}\n"));
    let roots = allowed.root().display().to_string();
    let variables = [("ORIENTEER_WORKSPACE_ALLOWED_ROOTS", roots.as_str())];
    let mut session = Session::start(tree(PROJECT), &[], &variables);
    let missing = other.root().join("nowhere");
    std::os::unix::fs::symlink(other.root(), session.tree.root().join("out")).unwrap();
    for tool in ["search", "index_status", "build_index", "config_status"] {
        let mut words = Vec::new();
        for repository in
            [other.root(), &other.root().join("a.rs"), &missing, Path::new("out"), Path::new("../..")]
        {
            let mut named = json!({ "repoPath": repository });
            if tool == "search" {
                named["query"] = json!("lay_keel");
            }
            let refused = session.refused(tool, named);
            assert_eq!(
                (&refused["code"], refused["hint"].is_string()),
                (&json!("FORBIDDEN"), true),
                "{refused}"
            );
            let message = refused["message"].as_str().unwrap();
            words.push(message.replace(&repository.display().to_string(), "X"));
        }
        assert_eq!((&words[0], &words[0]), (&words[1], &words[2]), "whether or not it is there");
    }
    let named = json!({ "query": "lay_keel", "repoPath": allowed.root() });
    assert_eq!(session.ask("search", named)["code"][0]["file"], "b.rs");
    let below = session.ask("search", json!({ "query": "load settings", "repoPath": "src" }));
    assert_eq!(below["code"][0]["file"], "config.rs", "{below}");
}

#[test]
fn what_is_no_folder_is_refused() {
    let mut session = over(PROJECT);
    let gone = session.refused("index_status", json!({ "repoPath": "nowhere/at/all" }));
    assert_eq!((&gone["code"], gone["hint"].is_string()), (&json!("NOT_FOUND"), true), "{gone}");
    assert!(gone["message"].as_str().unwrap().contains("nowhere/at/all"), "{gone}");
    let file = session.refused("search", json!({ "query": "x", "repoPath": "README.md" }));
    assert_eq!(file["code"], "INVALID_REQUEST", "{file}");
}

#[test]
fn each_repository_has_its_own_settings() {
    let mut session = over(PROJECT);
    let broken = tree("//- /.pairofcleats.json\n{ broken\n//- /a.rs\nfn lay_keel() {}\n");
    let named = json!({ "query": "lay_keel", "repoPath": broken.root() });
    assert_eq!(session.names("code", named)[0], "lay_keel", "a broken file stops nobody");
    let warned =
        warning(&session.ask("config_status", json!({ "repoPath": broken.root() })), "invalid_setting");
    assert!(warned.contains(&broken.root().join(".pairofcleats.json").display().to_string()), "{warned}");
    let own = session.ask("config_status", json!({}));
    assert!(!warnings(&own).contains(&"invalid_setting".to_owned()), "{own}");
}

/// What a warning of this kind says.
fn warning(answer: &Value, kind: &str) -> String {
    let rows = answer["warnings"].as_array().unwrap();
    let row = rows.iter().find(|row| row["kind"] == kind).unwrap_or_else(|| panic!("no {kind}: {answer}"));
    row["message"].as_str().unwrap().to_owned()
}

#[test]
fn a_bad_or_greedy_file_is_told_and_the_server_starts_with_what_is_usual() {
    let settings = "//- /.pairofcleats.json\n{ \"mcp\": { \"queueMax\": \"many\", \"maxBufferBytes\": 900000000, \
                    \"toolTimeouts\": { \"search\": 999999 } } }\n";
    let mut session = over(&format!("{PROJECT}{settings}"));
    let config = session.ask("config_status", json!({}));
    assert_eq!(
        (
            &config["mcp"]["queueMax"],
            &config["mcp"]["maxBufferBytes"],
            &config["mcp"]["toolTimeouts"]["search"]
        ),
        (&json!(64), &json!(8 << 20), &json!(120_000)),
        "{config}"
    );
    assert!(warning(&config, "invalid_setting").contains("mcp.queueMax must be a whole number"), "{config}");
    let raised = warning(&config, "untrusted_setting");
    assert!(raised.contains("900000000") && raised.contains("orienteer trust"), "{raised}");
    assert_eq!(warnings(&config).iter().filter(|kind| *kind == "untrusted_setting").count(), 2, "{config}");
}

/// Lets the user trust, or no longer trust, the settings of a repository.
fn trust(root: &Path, home: &Path, more: &[&str]) {
    let mut command = std::process::Command::new(ORIENTEER);
    command.arg("trust").args(more).current_dir(root).env_clear().env("HOME", home);
    let done = command.output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    assert!(String::from_utf8_lossy(&done.stdout).contains(".pairofcleats.json"));
}

#[test]
fn what_is_told_about_a_named_repository_is_about_that_repository() {
    let of_server = "//- /.pairofcleats.json\n{ \"mcp\": { \"queueMax\": 3 }, \"profile\": 1 }\n";
    let tree = tree(&format!("{PROJECT}{of_server}"));
    let other = orienteer_testkit::tree(
        "//- /.pairofcleats.json\n{ \"mcp\": { \"queueMax\": 7 }, \"cache\": { \"root\": \"../kept\" }, \
         \"quality\": 1 }\n//- /a.rs\nfn a() {}\n",
    );
    trust(other.root(), &tree.beside("home"), &["--yes"]);
    let published = tree.beside("published");
    std::fs::write(published.join("en.txt"), "alpha\nbeta\n").unwrap();
    let web = orienteer_testkit::Web::start(&published);
    let mut session = Session::start(tree, &[], &[]);
    let config = session.ask("config_status", json!({ "repoPath": other.root() }));
    assert_eq!(
        config["configPath"],
        other.root().join(".pairofcleats.json").display().to_string(),
        "{config}"
    );
    assert_eq!(
        (&config["mcp"]["queueMax"], &config["mcpInForce"]["queueMax"]),
        (&json!(7), &json!(3)),
        "{config}"
    );
    assert_eq!((&config["ignored"], &config["settings"]["mcp.queue_max"]), (&json!(["quality"]), &json!(7)));
    for place in ["dataPath", "indexPath"] {
        assert!(config[place].as_str().unwrap().contains("kept/orienteer"), "{place}: {config}");
    }
    let own = session.ask("config_status", json!({}));
    assert_eq!((&own["mcp"]["queueMax"], &own["mcpInForce"]), (&json!(3), &Value::Null), "{own}");
    assert_eq!(own["ignored"], json!(["profile"]), "{own}");
    let sum = sha256(&published.join("en.txt"));
    let words = json!({ "repoPath": other.root(), "lang": "en", "url": web.url("en.txt"), "sha256": sum });
    session.ask("download_dictionaries", words);
    let dictionaries = |answer: &Value| {
        let rows = answer["artifacts"].as_array().unwrap();
        rows.iter().filter(|row| row["kind"] == "dictionary").count()
    };
    let report = session.ask("report_artifacts", json!({ "repoPath": other.root() }));
    assert!(dictionaries(&report) > 0 && report.to_string().contains("kept/orienteer"), "{report}");
    assert_eq!(dictionaries(&session.ask("report_artifacts", json!({}))), 0, "they are not of this one");
}

#[test]
fn the_cache_root_moves_indexes_and_data_but_not_decisions() {
    let tree = tree(PROJECT);
    let cache = tree.beside("cache");
    let variable = cache.display().to_string();
    let mut session = Session::start(tree, &[], &[("PAIROFCLEATS_CACHE_ROOT", &variable)]);
    session.ask("build_index", json!({}));
    let status = session.ask("index_status", json!({}));
    assert!(status["indexPath"].as_str().unwrap().starts_with(&variable), "{status}");
    assert!(cache.join("orienteer/index").is_dir());
    let config = session.ask("config_status", json!({}));
    assert_eq!(config["cacheRoot"], variable, "{config}");
    assert!(config["dataPath"].as_str().unwrap().starts_with(&variable), "{config}");
    session.tree.write("report.json", r#"[{ "id": "VULN-1", "title": "Leak", "severity": "low" }]"#);
    let taken = session.ask("triage_ingest", json!({ "source": "generic", "inputPath": "report.json" }));
    let decision = json!({ "finding": taken["recordIds"][0], "status": "accept" });
    let decided = session.ask("triage_decision", decision);
    let kept = Path::new(decided["path"].as_str().unwrap());
    assert!(kept.is_file() && !kept.starts_with(&cache), "{decided}");
    assert!(kept.starts_with(session.tree.root().with_file_name("home")), "{decided}");
    assert!(!session.tree.root().with_file_name("home").join(".cache/orienteer/index").exists());
}

#[test]
fn the_cache_root_of_the_file_counts_when_the_user_trusts_it() {
    let settings = "//- /.pairofcleats.json\n{ \"cache\": { \"root\": \"../kept\" } } // comment\n";
    let tree = tree(&format!("{PROJECT}{settings}"));
    let (root, home) = (tree.root().to_path_buf(), tree.beside("home"));
    let mut session = Session::start(tree, &[], &[]);
    let before = session.ask("config_status", json!({}));
    assert!(warnings(&before).contains(&"untrusted_setting".to_owned()), "{before}");
    assert_eq!(before["cacheRoot"], json!(null), "{before}");
    trust(&root, &home, &["--yes"]);
    let mut session = Session::start(session.tree, &[], &[]);
    session.ask("build_index", json!({}));
    assert!(root.with_file_name("kept").join("orienteer/index").is_dir());
    let after = session.ask("config_status", json!({}));
    assert!(after["cacheRoot"].as_str().unwrap().ends_with("kept"), "{after}");
    assert_eq!((&after["configPresent"], &after["ignored"]), (&json!(true), &json!([])), "{after}");
    trust(&root, &home, &["--revoke"]);
    let mut session = Session::start(session.tree, &[], &[]);
    assert_eq!(session.ask("config_status", json!({}))["cacheRoot"], json!(null));
}

#[test]
fn the_configuration_says_what_is_in_force_and_what_is_not_used() {
    let settings = "//- /.pairofcleats.json\n{ \"mcp\": { \"queueMax\": 7, \"transport\": \"sdk\" }, \"quality\": \"max\" }\n";
    let tree = tree(&format!("{PROJECT}{settings}"));
    let mut session = Session::start(tree, &[], &[("PAIROFCLEATS_MCP_MAX_BUFFER_BYTES", "123456")]);
    let config = session.ask("config_status", json!({}));
    assert_eq!((&config["mcp"]["queueMax"], &config["mcp"]["maxBufferBytes"]), (&json!(7), &json!(123_456)));
    assert_eq!(config["mcp"]["toolTimeoutMs"], 120_000);
    assert_eq!(
        (&config["mcp"]["toolTimeouts"]["search"], &config["mcp"]["toolTimeouts"]["build_index"]),
        (&json!(120_000), &json!(600_000))
    );
    assert_eq!(config["ignored"], json!(["mcp.transport", "quality"]));
    assert!(config["origins"]["mcp.queue_max"].as_str().unwrap().contains(".pairofcleats.json"), "{config}");
    assert_eq!(config["origins"]["mcp.max_buffer_bytes"], "PAIROFCLEATS_MCP_MAX_BUFFER_BYTES", "{config}");
    assert!(warnings(&config).contains(&"index_missing".to_owned()), "{config}");
    assert!(config["settings"]["mcp.queue_max"] == 7 && config["configPresent"] == true, "{config}");
    let other = orienteer_testkit::tree("//- /a.rs\nfn a() {}\n");
    let elsewhere = session.ask("config_status", json!({ "repoPath": other.root() }));
    assert!(elsewhere["notes"][0].as_str().unwrap().contains("started in"), "{elsewhere}");
}
