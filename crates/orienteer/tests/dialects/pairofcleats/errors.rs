//! Errors: `isError`, and what is known about them.

use orienteer_testkit::tree;
use serde_json::json;

use super::support::{PROJECT, Session, over};

/// The fields that an error may have.
const FIELDS: [&str; 6] = ["message", "code", "stdout", "stderr", "hint", "timeoutMs"];

#[test]
fn errors_have_a_message_a_code_and_nothing_undocumented() {
    let mut session = over(PROJECT);
    let rows = [
        ("search", json!({}), "INVALID_REQUEST"),
        ("search", json!({ "query": 7 }), "INVALID_REQUEST"),
        ("search", json!({ "query": "" }), "INVALID_REQUEST"),
        ("search", json!({ "query": "/(/" }), "INVALID_REQUEST"),
        ("search", json!({ "query": "x", "output": "tiny" }), "INVALID_REQUEST"),
        ("search", json!({ "query": "x", "context": 51 }), "INVALID_REQUEST"),
        ("search", json!({ "query": "x", "awaits": "y" }), "UNSUPPORTED"),
        ("cache_gc", json!({ "maxGb": -1 }), "INVALID_REQUEST"),
        ("cache_gc", json!({ "maxGb": "much" }), "INVALID_REQUEST"),
        ("index_status", json!({ "repoPath": "nowhere" }), "NOT_FOUND"),
        ("download_models", json!({ "model": "none" }), "NOT_FOUND"),
        ("build_sqlite_index", json!({ "out": "x" }), "UNSUPPORTED"),
        ("compact_sqlite_index", json!({}), "NO_INDEX"),
    ];
    for (tool, arguments, code) in rows {
        let refused = session.refused(tool, arguments.clone());
        assert_eq!(refused["code"], code, "{tool} {arguments}: {refused}");
        assert!(refused["message"].as_str().unwrap().len() > 10, "{refused}");
        for name in refused.as_object().unwrap().keys() {
            assert!(FIELDS.contains(&name.as_str()), "{tool} {arguments}: {refused}");
        }
    }
}

#[test]
fn a_read_only_session_offers_and_does_nothing_that_changes() {
    let mut session = Session::start(tree(PROJECT), &["--read-only"], &[]);
    let list = session.server.request("tools/list", json!({}))["result"]["tools"].clone();
    let names: Vec<&str> =
        list.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"search") && !names.contains(&"build_index"), "{names:?}");
    assert_eq!(session.refused("build_index", json!({}))["code"], "READ_ONLY");
}

#[test]
fn without_an_index_search_says_so() {
    let mut session = Session::start(tree(PROJECT), &[], &[("ORIENTEER_INDEX_ENABLED", "false")]);
    for (tool, arguments) in [("search", json!({ "query": "x" })), ("build_index", json!({}))] {
        let refused = session.refused(tool, arguments);
        assert_eq!(
            (&refused["code"], refused["hint"].is_string()),
            (&json!("NOT_ENABLED"), true),
            "{refused}"
        );
    }
}

#[test]
fn a_failing_call_takes_nothing_down() {
    let mut session = over(PROJECT);
    for _ in 0..5 {
        session.refused("search", json!({ "query": "/(/" }));
    }
    assert_eq!(session.names("code", json!({ "query": "load_settings" }))[0], "load_settings");
}
