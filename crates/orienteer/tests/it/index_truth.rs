//! What the index does not know, it does not deny: disks that cannot be written, files nobody watches, questions that only
//! git could answer.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::time::Duration;

use orienteer_testkit::{Framing, Server, Tree, tree};
use serde_json::{Value, json};

use crate::ORIENTEER;
use crate::index::{ALL, ALONE, FIXTURE, ask, being_built, index_folder, paths, search, start};
use crate::support::run_in;

fn has_warning(found: &Value, kind: &str) -> bool {
    found["warnings"].as_array().unwrap().iter().any(|warning| warning["kind"] == kind)
}

fn start_with_path(tree: &Tree, path: &str) -> Server {
    let mut server = Server::start_with(ORIENTEER, tree.root(), ALL, &[("PATH", path)], Framing::Lines);
    server.initialize("2025-11-25");
    server
}

#[test]
fn an_index_that_cannot_be_built_anew_still_hears_of_new_files() {
    let tree = tree(FIXTURE);
    let mut server = start(&tree);
    search(&mut server, "settings");
    server.close();
    server.wait(Duration::from_secs(10)).unwrap();
    // No build can take a lock that is a folder.
    let lock = index_folder(&tree).join("build.lock");
    fs::remove_file(&lock).unwrap();
    fs::create_dir(&lock).unwrap();
    tree.write("src/new.rs", "pub fn brand_new_thing() {}\n");
    tree.write("src/network.py", "def other_page():\n    pass\n");
    let mut server = start(&tree);
    let status = ask(&mut server, "index_status", json!({}));
    assert_eq!(status["stale_files"], 2, "a new file is stale before anybody asks: {status}");
    let found = search(&mut server, "+brand_new_thing");
    assert_eq!((paths(&found), &found["source"]), (vec!["src/new.rs"], &json!("index")), "{found}");
    assert_eq!(paths(&search(&mut server, "+other_page")), ["src/network.py"]);
    let refused = ask(&mut server, "build_index", json!({}));
    assert_eq!(refused["ok"], false, "nothing was built, and that is said: {refused}");
}

#[test]
fn edits_in_folders_that_nobody_watches_are_seen() {
    let tree = tree(FIXTURE);
    tree.write("cache/CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n");
    tree.write("cache/made.py", "def first_edition():\n    pass\n");
    let mut server = start(&tree);
    assert_eq!(paths(&search(&mut server, "+first_edition")), ["cache/made.py"]);
    tree.write("cache/made.py", "def second_edition():\n    pass\n");
    let found = search(&mut server, "+second_edition");
    assert_eq!(
        (paths(&found), &found["completeness"]["state"]),
        (vec!["cache/made.py"], &json!("complete")),
        "{found}"
    );
    assert_eq!(paths(&search(&mut server, "+first_edition")).len(), 0);
    tree.write("cache/later.py", "def later_edition():\n    pass\n");
    assert_eq!(paths(&search(&mut server, "+later_edition")), ["cache/later.py"]);
    tree.write("cache/later.py", "def latest_edition():\n    pass\n");
    assert_eq!(paths(&search(&mut server, "+latest_edition")), ["cache/later.py"]);
    fs::remove_file(tree.root().join("cache/made.py")).unwrap();
    assert_eq!(paths(&search(&mut server, "+second_edition")).len(), 0);
}

#[test]
fn folders_with_more_unwatched_files_than_can_be_looked_at_make_the_answer_partial() {
    let tree = tree(FIXTURE);
    tree.write("cache/CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n");
    for number in 0..2_100 {
        tree.write(&format!("cache/f{number}.txt"), "x\n");
    }
    let mut server = start(&tree);
    let found = search(&mut server, "load_settings");
    assert_eq!(found["completeness"]["state"], "partial", "{found}");
    assert!(has_warning(&found, "unwatched_files"), "{found}");
}

#[test]
fn what_only_git_knows_is_refused_without_it() {
    let tree = tree(FIXTURE);
    let mut server = start(&tree);
    for (name, value) in [("author", json!("me")), ("churn_min", json!(2)), ("branch", json!("main"))] {
        let refused = ask(&mut server, "search", json!({ "query": "settings", "filters": { name: value } }));
        assert_eq!(refused["error"]["kind"], "unsupported", "{name}: {refused}");
        assert!(refused["message"].as_str().unwrap().contains(name), "{refused}");
        for step in refused["next_steps"].as_array().unwrap().iter().filter(|step| step["kind"] == "tool") {
            let again = ask(&mut server, step["tool"].as_str().unwrap(), step["arguments"].clone());
            assert_eq!(again["ok"], true, "{step}: {again}");
        }
    }
    // A git that fails is not the same as none.
    let bin = tree.beside("bin");
    fs::write(bin.join("git"), "#!/bin/sh\necho 'fatal: the disk is on fire' >&2\nexit 3\n").unwrap();
    fs::set_permissions(bin.join("git"), fs::Permissions::from_mode(0o755)).unwrap();
    tree.write(".git/HEAD", "ref: refs/heads/main\n");
    let mut server = start_with_path(&tree, &bin.display().to_string());
    let refused = ask(&mut server, "search", json!({ "query": "settings", "filters": { "author": "me" } }));
    assert_eq!(refused["error"]["kind"], "unsupported", "{refused}");
    assert!(refused["message"].as_str().unwrap().contains("on fire"), "{refused}");
}

fn git(tree: &Tree, arguments: &[&str]) {
    let old = "2001-09-09T01:46:40Z";
    let done = Command::new("git")
        .args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "init.defaultBranch=trunk"])
        .args(arguments)
        .current_dir(tree.root())
        .env("GIT_AUTHOR_DATE", old)
        .env("GIT_COMMITTER_DATE", old)
        .output()
        .expect("git is needed: apt-get install git");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

#[test]
fn the_history_tells_when_a_file_was_changed_and_by_whom() {
    let tree = tree(FIXTURE);
    for arguments in [&["init", "-q"][..], &["add", "."], &["commit", "-q", "-m", "first"]] {
        git(&tree, arguments);
    }
    tree.write("src/today.rs", "pub fn settings_of_today() {}\n");
    let mut server = start_with_path(&tree, "/usr/local/bin:/usr/bin:/bin");
    let filtered = |server: &mut Server, name: &str, value: Value| {
        ask(server, "search", json!({ "query": "settings", "filters": { name: value } }))
    };
    let new = filtered(&mut server, "modified_after", json!("2010-01-01"));
    assert_eq!(paths(&new), ["src/today.rs"], "the commit counts, not the time of the file: {new}");
    let by = filtered(&mut server, "author", json!("Ada"));
    assert_eq!(paths(&by)[0], "src/config.rs", "{by}");
    assert_eq!(filtered(&mut server, "branch", json!("trunk"))["completeness"]["state"], "complete");
    let other = filtered(&mut server, "branch", json!("elsewhere"));
    assert_eq!((paths(&other).len(), &other["completeness"]["state"]), (0, &json!("partial")), "{other}");
    let full = ask(&mut server, "search", json!({ "query": "load_settings", "output": "full" }));
    assert_eq!(full["results"][0]["last_change"]["author"], "Ada", "{full}");
}

#[test]
fn the_end_of_a_large_file_is_not_denied() {
    let tree = tree(FIXTURE);
    let mut log = "a line of a log\n".repeat(350_000);
    log.push_str("zanzibar\n");
    tree.write("large.txt", log);
    let mut server = start(&tree);
    for query in ["zanzibar", "+zanzibar", "/zanzi.ar/"] {
        let found = search(&mut server, query);
        let denied = paths(&found).is_empty() && found["completeness"]["state"] == "complete";
        assert!(!denied, "{query}: {found}");
    }
    let sure = search(&mut server, "load_settings");
    assert_eq!(sure["completeness"]["state"], "complete", "what was found is found: {sure}");
}

#[test]
fn names_are_cut_by_nothing_that_was_not_asked_for() {
    let tree = Tree::empty();
    let functions = (0..2_300).map(|number| format!("pub fn item_{number}() {{}}\n")).collect::<String>();
    tree.write("src/many.rs", functions);
    tree.write("src/one.rs", "pub struct item_with_a_rather_long_name;\n");
    let mut server = start(&tree);
    search(&mut server, "item");
    let arguments = json!({ "query": "item_", "match": "prefix", "kinds": ["struct"], "wait_ms": 0 });
    let found = ask(&mut server, "find_symbol", arguments);
    assert_eq!(found["symbols"][0]["name"], "item_with_a_rather_long_name", "{found}");
    assert_eq!(found["source"], "index", "{found}");
    let arguments = json!({ "query": "item_", "match": "prefix", "path": "src/one.rs", "wait_ms": 0 });
    let found = ask(&mut server, "find_symbol", arguments);
    assert_eq!(found["symbols"][0]["name"], "item_with_a_rather_long_name", "{found}");
    let arguments = json!({ "query": "item_", "match": "prefix", "max_results": 1, "wait_ms": 0 });
    let found = ask(&mut server, "find_symbol", arguments);
    assert_eq!(found["total_estimate"], 2_301, "all of them, whoever counted: {found}");
}

#[test]
fn definitions_and_references_say_that_the_index_found_them() {
    let tree = Tree::empty();
    for number in 0..320 {
        tree.write(&format!("src/m{number}.rs"), format!("pub fn user_{number}() {{ common_target(); }}\n"));
    }
    tree.write("src/target.rs", "pub fn common_target() {}\n");
    let mut server = start(&tree);
    search(&mut server, "common");
    let target = json!({ "symbol_name": "common_target", "wait_ms": 0 });
    let defined = ask(&mut server, "find_definition", target.clone());
    assert_eq!(defined["definitions"][0]["file_path"], "src/target.rs", "{defined}");
    assert_eq!((&defined["source"], &defined["completeness"]["state"]), (&json!("index"), &json!("partial")));
    let used = ask(&mut server, "find_references", target);
    assert_eq!(
        (&used["source"], &used["total_count"]),
        (&json!("index"), &json!(321)),
        "{}",
        used["message"]
    );
}

#[test]
fn a_language_without_a_server_has_its_uses_by_name() {
    let tree = tree("//- /a.pl\nsub sail { return 1; }\nsail();\n//- /b.pl\nprint sail();\n");
    let mut server = start(&tree);
    let target = json!({ "file_path": "a.pl", "line": 2, "column": 1, "wait_ms": 0 });
    let used = ask(&mut server, "find_references", target);
    assert_eq!((&used["ok"], &used["total_count"]), (&json!(true), &json!(3)), "{used}");
    assert_eq!(
        (&used["source"], &used["completeness"]["reason"]),
        (&json!("text"), &json!("heuristic")),
        "{used}"
    );
    let prose = json!({ "file_path": "a.txt", "line": 1, "column": 1, "wait_ms": 0 });
    tree.write("a.txt", "sail away\n");
    let refused = ask(&mut server, "find_references", prose);
    assert_eq!(refused["error"]["data"]["kind"], "no_server_for_extension", "{refused}");
}

#[test]
fn the_outline_of_a_folder_is_the_same_with_and_without_the_index() {
    let tree = tree(FIXTURE);
    tree.write("src/twice.rs", "fn one() {}\nmod inner {\n    fn größe() {}\n}\nfn one() {}\n");
    let mut server = start(&tree);
    let arguments = json!({ "file_path": "src", "depth": 5 });
    let before = ask(&mut server, "document_symbols", arguments.clone());
    assert_eq!(before["source"], "text", "{before}");
    search(&mut server, "settings");
    let after = ask(&mut server, "document_symbols", arguments.clone());
    assert_eq!((&after["source"], &after["completeness"]["reason"]), (&json!("index"), &json!("heuristic")));
    assert_eq!(before["symbols"], after["symbols"]);
    tree.write("src/twice.rs", "fn changed() {}\n");
    let text = ask(&mut server, "document_symbols", arguments).to_string();
    assert!(text.contains("src/twice.rs#changed") && !text.contains("src/twice.rs#one"), "{text}");
}

#[test]
fn a_path_that_is_not_indexed_is_not_said_to_be_up_to_date() {
    let tree = tree(FIXTURE);
    tree.write(".ignore", "left_out\n");
    tree.write("left_out/a.py", "def left_out():\n    pass\n");
    let other = tree.beside("other");
    fs::write(other.join("b.py"), "def other():\n    pass\n").unwrap();
    let allowed = other.display().to_string();
    let variables = [("PATH", "/nowhere"), ("ORIENTEER_WORKSPACE_ALLOWED_ROOTS", allowed.as_str())];
    let mut server = Server::start_with(ORIENTEER, tree.root(), ALL, &variables, Framing::Lines);
    server.initialize("2025-11-25");
    for path in ["left_out", "left_out/a.py"] {
        let ignored = ask(&mut server, "build_index", json!({ "path": path }));
        assert_eq!(ignored["done"], "ignored", "{ignored}");
        assert!(ignored["skipped"][0]["reason"].as_str().unwrap().contains("ignored"), "{ignored}");
    }
    let outside =
        ask(&mut server, "build_index", json!({ "path": other.join("b.py").display().to_string() }));
    assert_eq!(outside["ok"], false, "{outside}");
    assert!(outside["message"].as_str().unwrap().contains("workspace"), "{outside}");
}

#[test]
fn pages_of_text_and_pages_of_the_index_are_not_mixed() {
    let tree = Tree::empty();
    for number in 0..25 {
        tree.write(&format!("m{number:02}.rs"), format!("pub fn common_word_{number}() {{}}\n"));
    }
    let building = being_built(&tree);
    let mut server = start(&tree);
    let mut arguments = json!({ "query": "common word", "max_results": 10, "wait_ms": 0 });
    let first = ask(&mut server, "search", arguments.clone());
    assert_eq!(first["source"], "text", "{first}");
    arguments["cursor"] = first["cursor"].clone();
    drop(building);
    let ready = ask(&mut server, "search", json!({ "query": "common word" }));
    assert_eq!(ready["source"], "index", "{ready}");
    let second = ask(&mut server, "search", arguments);
    assert_eq!(second["source"], "text", "the page that follows is of the same list: {second}");
    let mut seen = [paths(&first), paths(&second)].concat();
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), 20, "none twice");
}

#[test]
fn modes_can_be_told_apart() {
    let tree = tree(FIXTURE);
    tree.write("docs/settings.md", "# Settings\n\nSettings of the lighthouse, settings of the tower.\n");
    let mut server = start(&tree);
    let arguments =
        json!({ "query": "settings", "apart": true, "modes": ["prose", "code"], "max_results": 2 });
    let found = ask(&mut server, "search", arguments);
    let modes: Vec<&str> =
        found["results"].as_array().unwrap().iter().map(|hit| hit["mode"].as_str().unwrap()).collect();
    let first_code = modes.iter().position(|mode| *mode == "code").unwrap();
    assert!(modes[..first_code].iter().all(|mode| *mode == "prose") && first_code > 0, "{modes:?}");
    assert!(modes[first_code..].iter().all(|mode| *mode == "code"), "{modes:?}");
    assert!(found["totals"]["code"].as_u64().unwrap() >= 2 && found["totals"]["prose"].is_u64(), "{found}");
}

#[test]
fn the_command_line_takes_exclusions_and_paths_as_people_mean_them() {
    let tree = tree(FIXTURE);
    let home = tree.beside("home").display().to_string();
    let variables = [("HOME", home.as_str()), ALONE[0]];
    let run = |arguments: &[&str], folder: &str| {
        run_in(ORIENTEER, arguments, &tree.root().join(folder), &variables)
    };
    let all = run(&["search", "settings", "--json"], "");
    assert!(all.stdout.contains("load_settings"), "{}{}", all.stdout, all.stderr);
    let some = run(&["search", "settings", "-load_settings", "-n", "5", "--json"], "");
    assert_eq!(some.code, Some(0), "{}", some.stderr);
    let some: Value = serde_json::from_str(&some.stdout).unwrap();
    assert_eq!((&some["input"]["max_results"], &some["ok"]), (&json!(5), &json!(true)), "{some}");
    assert!(!some["results"].to_string().contains("fn load_settings"), "{some}");
    let root = tree.root().display().to_string();
    let built = run(&["index", "build", "config.rs", "--workspace-root", &root, "--json"], "src");
    assert_eq!(built.code, Some(0), "the folder of the person counts: {}{}", built.stdout, built.stderr);
    let watch = run(&["index", "watch", "--read-only"], "");
    assert!(watch.code == Some(2) && watch.stderr.contains("read-only"), "{}", watch.stderr);
}
