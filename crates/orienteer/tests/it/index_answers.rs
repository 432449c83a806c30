//! What an answer of `search` is made of: pages, parts of scores, hidden secrets, refused filters.

use orienteer_testkit::{Tree, tree};
use serde_json::{Value, json};

use crate::index::{FIXTURE, ask, paths, search, start};

#[test]
fn pages_of_a_search_follow_each_other() {
    let tree = Tree::empty();
    for number in 0..25 {
        tree.write(&format!("m{number:02}.rs"), format!("pub fn common_word_{number}() {{}}\n"));
    }
    let mut server = start(&tree);
    let mut arguments = json!({ "query": "common word", "max_results": 10 });
    let mut seen = Vec::new();
    for _ in 0..3 {
        let page = ask(&mut server, "search", arguments.clone());
        seen.extend(paths(&page).into_iter().map(str::to_owned));
        match page.get("cursor") {
            Some(cursor) => arguments["cursor"] = cursor.clone(),
            None => break,
        }
    }
    assert_eq!(seen.len(), 25, "{seen:?}");
    let mut each = seen.clone();
    each.sort_unstable();
    each.dedup();
    assert_eq!(each.len(), 25, "none twice: {seen:?}");
}

#[test]
fn secrets_in_results_are_hidden() {
    let tree = Tree::empty();
    tree.write("settings.py", "lighthouse_token = \"ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8\"\n");
    let body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";
    let key = format!("-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----\n");
    tree.write("docs/key.md", format!("# Lighthouse key\n\n{key}\n"));
    let doc = key.lines().map(|line| format!("/// {line}\n")).collect::<String>();
    tree.write("src/keeper.rs", format!("/// Opens the lighthouse.\n{doc}pub fn lighthouse_keeper() {{}}\n"));
    let mut server = start(&tree);
    for query in ["lighthouse token", "lighthouse key", "/MIIEvQ/", "lighthouse_keeper"] {
        let found = ask(&mut server, "search", json!({ "query": query, "output": "full" }));
        let text = found.to_string();
        assert!(!paths(&found).is_empty(), "{query}: {found}");
        assert!(!text.contains("ghp_a1B2") && !text.contains("CBKcwggSjAgEAAoIBAQC7"), "{query}: {text}");
    }
}

#[test]
fn explanations_add_up_to_named_parts() {
    let tree = tree(FIXTURE);
    let mut server = start(&tree);
    let result = server.call("search", json!({ "query": "load settings", "explain": true }));
    let found = &result["structuredContent"];
    let why = found["results"][0]["why"].as_object().unwrap_or_else(|| panic!("{found}"));
    assert!(!why.is_empty() && why.values().all(Value::is_number), "{found}");
    assert!(search(&mut server, "load settings")["results"][0].get("why").is_none());
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("src/config.rs:"), "{text}");
    let full = ask(&mut server, "search", json!({ "query": "load settings", "output": "full" }));
    assert!(full["results"][0]["doc"].as_str().unwrap().contains("Reads the settings"), "{full}");
}

#[test]
fn a_question_of_ten_thousand_words_is_answered() {
    let tree = tree(FIXTURE);
    let mut server = start(&tree);
    let words: Vec<String> = (0..10_000).map(|number| format!("w{number}")).collect();
    let found = search(&mut server, &format!("fetch_page {}", words.join(" ")));
    assert_eq!(found["ok"], true, "{}", found["message"]);
    assert_eq!(paths(&found)[0], "src/network.py");
    let cut = found["warnings"].as_array().unwrap().iter().any(|warning| warning["kind"] == "query");
    assert!(cut, "that not all of them count is said: {}", found["warnings"]);
}

#[test]
fn a_filter_that_no_language_here_fills_is_refused_not_answered_with_nothing() {
    let tree = tree("//- /notes.md\n# Notes\n\nSome words.\n//- /a.lua\nfunction words()\n  open()\nend\n");
    let mut server = start(&tree);
    let refused = ask(&mut server, "search", json!({ "query": "words", "filters": { "calls": "open" } }));
    assert_eq!(refused["error"]["kind"], "unsupported", "{refused}");
    let message = refused["message"].as_str().unwrap();
    assert!(message.contains("`calls`") && message.contains("lua"), "{message}");
    for step in refused["next_steps"].as_array().unwrap().iter().filter(|step| step["kind"] == "tool") {
        let again = ask(&mut server, step["tool"].as_str().unwrap(), step["arguments"].clone());
        assert_eq!(again["ok"], true, "{step}: {again}");
    }
}
