//! What an index goes through: built, cancelled, removed, damaged, shared, and nowhere to be kept.

use std::fs;
use std::time::{Duration, Instant};

use orienteer_testkit::{Framing, Server, Tree, tree};
use serde_json::json;

use crate::ORIENTEER;
use crate::index::{
    ALL, FIXTURE, ask, being_built, best, database, file_of, helper, index_folder, paths, search, start,
};

#[test]
fn progress_has_counts_and_a_percentage() {
    let tree = Tree::empty();
    for number in 0..1_200 {
        tree.write(&format!("lib/m{number}.rs"), helper(number));
    }
    let mut server = start(&tree);
    let call = json!({ "name": "build_index", "arguments": {}, "_meta": { "progressToken": "p" } });
    let id = server.begin("tools/call", call);
    let mut notes = Vec::new();
    let answer = loop {
        let message = server.receive();
        if message["method"] == "notifications/progress" {
            notes.push(message["params"]["message"].as_str().unwrap().to_owned());
        } else if message["id"] == id {
            break message["result"]["structuredContent"].clone();
        }
    };
    assert_eq!((&answer["done"], &answer["files"]), (&json!("built"), &json!(1_200)), "{answer}");
    assert!(answer["symbols"].as_u64().unwrap() >= 1_200 && answer["elapsed_ms"].is_u64(), "{answer}");
    assert!(answer["bytes_after"].as_u64().unwrap() > 0, "{answer}");
    let told = notes.iter().any(|note| note.contains(" of 1200 files") && note.contains('%'));
    assert!(told, "{notes:?}");
    let again = ask(&mut server, "build_index", json!({}));
    assert_eq!(again["done"], "nothing", "{again}");
    tree.write("lib/m7.rs", "pub fn changed() {}\n");
    let part = ask(&mut server, "build_index", json!({ "path": "lib/m7.rs" }));
    assert_eq!((&part["done"], &part["changed"]), (&json!("updated"), &json!(1)), "{part}");
    assert_eq!(ask(&mut server, "build_index", json!({ "path": "lib" }))["done"], "nothing");
    let full = ask(&mut server, "build_index", json!({ "full": true }));
    assert_eq!((&full["done"], &full["files"]), (&json!("built"), &json!(1_200)), "{full}");
}

#[test]
fn a_cancelled_build_ends_and_leaves_what_was_there() {
    let tree = tree(FIXTURE);
    for number in 0..1_500 {
        tree.write(&format!("lib/m{number}.rs"), helper(number));
    }
    let mut server = start(&tree);
    for round in 0..2 {
        let call = json!({ "name": "build_index", "arguments": { "full": true }, "_meta": { "progressToken": "p" } });
        let id = server.begin("tools/call", call);
        loop {
            let message = server.receive();
            assert_ne!(message["id"], id, "the build was not slow: {message}");
            if message["method"] == "notifications/progress" {
                break;
            }
        }
        let meanwhile = ask(&mut server, "index_status", json!({}));
        assert!(meanwhile["progress"].is_string(), "{meanwhile}");
        assert_eq!(meanwhile["state"], ["building", "ready"][round], "{meanwhile}");
        server.notify("notifications/cancelled", json!({ "requestId": id }));
        let begun = Instant::now();
        while ask(&mut server, "index_status", json!({}))["progress"].is_string() {
            assert!(begun.elapsed() < Duration::from_secs(5), "the build goes on after it was cancelled");
        }
        let after = ask(&mut server, "index_status", json!({}));
        assert_eq!(after["state"], ["none", "ready"][round], "{after}");
        // The second round has an index, which a cancelled build must not harm.
        assert_eq!(best(&mut server, "load_settings"), "src/config.rs load_settings");
    }
}

#[test]
fn who_asks_right_after_a_build_was_cancelled_gets_an_answer_of_the_index() {
    let tree = tree(FIXTURE);
    for number in 0..600 {
        tree.write(&format!("lib/m{number}.rs"), helper(number));
    }
    let mut server = start(&tree);
    let call = json!({ "name": "build_index", "arguments": {}, "_meta": { "progressToken": "p" } });
    let id = server.begin("tools/call", call);
    while server.receive()["method"] != "notifications/progress" {}
    server.notify("notifications/cancelled", json!({ "requestId": id }));
    let found = ask(&mut server, "search", json!({ "query": "+load_settings", "wait_ms": 60_000 }));
    assert_eq!(
        (&found["source"], &found["completeness"]["state"]),
        (&json!("index"), &json!("complete")),
        "{found}"
    );
    assert_eq!(paths(&found), ["src/config.rs"]);
}

#[test]
fn many_changes_come_in_behind_an_answer_that_says_so() {
    let tree = tree(FIXTURE);
    let mut server = start(&tree);
    search(&mut server, "settings");
    for number in 0..600 {
        tree.write(&format!("lib/m{number}.rs"), helper(number));
    }
    let found = search(&mut server, "+load_settings");
    assert_eq!(paths(&found), ["src/config.rs"], "what was there is found meanwhile: {found}");
    assert_eq!(found["completeness"]["reason"], "not_indexed", "{found}");
    let warning = found["warnings"][0]["message"].as_str().unwrap();
    assert!(warning.contains("600 changed files"), "{found}");
    let begun = Instant::now();
    loop {
        let found = search(&mut server, "+helper_599");
        if found["completeness"]["state"] == "complete" {
            assert_eq!(paths(&found)[0], "lib/m599.rs");
            break;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "{found}");
    }
}

#[test]
fn an_index_that_is_removed_while_it_is_used_is_built_again() {
    let tree = tree(FIXTURE);
    let mut server = start(&tree);
    search(&mut server, "settings");
    fs::remove_dir_all(index_folder(&tree)).unwrap();
    assert_eq!(best(&mut server, "load_settings"), "src/config.rs load_settings");
    tree.write("src/later.rs", "pub fn afterwards() {}\n");
    assert_eq!(best(&mut server, "afterwards"), "src/later.rs afterwards");
    let cleaned = ask(&mut server, "clean_index", json!({}));
    assert_eq!(cleaned["ok"], true, "{cleaned}");
    assert_eq!(ask(&mut server, "index_status", json!({}))["state"], "none");
    assert_eq!(best(&mut server, "afterwards"), "src/later.rs afterwards");
}

#[test]
fn a_damaged_index_is_healed_whatever_was_damaged() {
    for (what, in_use) in
        [("head", false), ("head", true), ("middle", false), ("CURRENT", true), ("trigrams", true)]
    {
        let tree = tree(FIXTURE);
        for number in 0..200 {
            tree.write(&format!("lib/m{number}.rs"), helper(number));
        }
        let mut server = start(&tree);
        search(&mut server, "settings");
        if !in_use {
            server.close();
            server.wait(Duration::from_secs(10)).unwrap();
        }
        let path = match what {
            "CURRENT" => index_folder(&tree).join("CURRENT"),
            "trigrams" => file_of(&tree, "trigrams-", ".bin"),
            _ => database(&tree),
        };
        let mut bytes = fs::read(&path).unwrap();
        let at = if what == "middle" { bytes.len() / 3 } else { 0 };
        let length = bytes.len();
        for byte in &mut bytes[at..(at + 20_000).min(length)] {
            *byte = byte.wrapping_mul(31).wrapping_add(17);
        }
        fs::write(&path, bytes).unwrap();
        let mut server = if in_use { server } else { start(&tree) };
        for query in ["load_settings", "/fetch_p.ge/", "lantern", "+helper_77"] {
            let found = search(&mut server, query);
            assert_eq!(found["ok"], true, "{what} {query}: {found}");
            assert!(!paths(&found).is_empty(), "{what} {query}: {found}");
            assert_eq!(found["completeness"]["state"], "complete", "{what} {query}: {found}");
        }
        assert_eq!(best(&mut server, "load_settings"), "src/config.rs load_settings");
    }
}

#[test]
fn two_processes_share_an_index_and_see_each_others_edits() {
    let tree = tree(FIXTURE);
    let (mut one, mut other) = (start(&tree), start(&tree));
    let query = json!({ "name": "search", "arguments": { "query": "load_settings" } });
    let (first, second) = (one.begin("tools/call", query.clone()), other.begin("tools/call", query));
    for (server, id) in [(&one, first), (&other, second)] {
        let found = server.answer(id)["result"]["structuredContent"].clone();
        assert_eq!(found["results"][0]["name"], "load_settings", "{found}");
        assert_eq!(found["completeness"]["state"], "complete");
    }
    for round in 0..5 {
        tree.write("src/shared.rs", format!("pub fn shared_{round}_thing() {{}}\n"));
        let query = format!("+shared_{round}_thing");
        assert_eq!(paths(&search(&mut one, &query)), ["src/shared.rs"], "round {round}");
        assert_eq!(paths(&search(&mut other, &query)), ["src/shared.rs"], "round {round}");
    }
    // One builds anew while the other goes on.
    assert_eq!(ask(&mut one, "build_index", json!({ "full": true }))["done"], "built");
    tree.write("src/shared.rs", "pub fn after_all() {}\n");
    assert_eq!(paths(&search(&mut other, "+after_all")), ["src/shared.rs"]);
    assert_eq!(paths(&search(&mut one, "+after_all")), ["src/shared.rs"]);
}

#[test]
fn a_cache_that_cannot_be_written_costs_the_order_not_the_answer() {
    let tree = tree(FIXTURE);
    let blocked = tree.beside("blocked").join("file");
    fs::write(&blocked, "not a folder").unwrap();
    let folder = blocked.display().to_string();
    let variables = [("PATH", "/nowhere"), ("ORIENTEER_INDEX_FOLDER", folder.as_str())];
    let mut server = Server::start_with(ORIENTEER, tree.root(), ALL, &variables, Framing::Lines);
    server.initialize("2025-11-25");
    for _ in 0..2 {
        let found = search(&mut server, "fetch_page");
        assert_eq!(found["ok"], true, "{found}");
        assert_eq!((&found["source"], &found["completeness"]["state"]), (&json!("text"), &json!("partial")));
        assert_eq!(paths(&found)[0], "src/network.py");
        assert!(!found["warnings"][0]["message"].as_str().unwrap().is_empty(), "{found}");
    }
    let refused = ask(&mut server, "build_index", json!({}));
    assert_eq!(refused["ok"], false, "{refused}");
    assert!(!refused["next_steps"].as_array().unwrap().is_empty(), "{refused}");
}

#[test]
fn a_full_build_that_was_not_begun_is_not_said_to_go_on() {
    let tree = tree(FIXTURE);
    let building = being_built(&tree);
    let variables = [("PATH", "/nowhere"), ("ORIENTEER_MCP_TOOL_TIMEOUT_MS", "2000")];
    let mut server = Server::start_with(ORIENTEER, tree.root(), ALL, &variables, Framing::Lines);
    server.initialize("2025-11-25");
    // The search begins a lesser build, which waits for the other process.
    let found = ask(&mut server, "search", json!({ "query": "fetch page", "wait_ms": 0 }));
    assert_eq!(found["warnings"][0]["kind"], "index_building", "{found}");
    let full = ask(&mut server, "build_index", json!({ "full": true }));
    assert_eq!(full["error"]["kind"], "overloaded", "{full}");
    assert_eq!(full["error"]["retryable"], true, "{full}");
    drop(building);
}
