//! Bad input to the tools for remote code: each a typed error that names the field, before anybody is asked.

use std::io::Read;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::remote::Asking;

/// A forge and a registry that count who comes, and say nothing.
fn silent() -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let name = listener.local_addr().unwrap().to_string();
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            counted.fetch_add(1, Ordering::Relaxed);
            let _ = stream.read(&mut [0; 1]);
        }
    });
    (name, count)
}

/// Arguments, the field that is named, and what is wrong with it.
type Row = (Value, &'static str, &'static str);

fn with(base: &Value, more: Value) -> Value {
    let mut arguments = base.clone();
    arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    arguments
}

fn rows(host: &str) -> Vec<(&'static str, Vec<Row>)> {
    let at = json!({ "host": host });
    let repo = json!({ "host": host, "owner": "o", "repo": "r" });
    let file = with(&repo, json!({ "path": "p" }));
    let words = with(&at, json!({ "keywords": ["x"] }));
    let changes = with(&repo, json!({ "query": "x" }));
    let long = "x".repeat(300);
    vec![
        (
            "remote_search_code",
            vec![
                (at.clone(), "keywords", "missing_field"),
                (with(&at, json!({ "keywords": "x" })), "keywords", "wrong_type"),
                (with(&at, json!({ "keywords": [] })), "keywords", "out_of_range"),
                (with(&at, json!({ "keywords": [long] })), "keywords", "illegal_value"),
                (
                    with(&at, json!({ "keywords": ["a OR b OR c OR d OR e OR f OR g"] })),
                    "keywords",
                    "too_many_operators",
                ),
                (with(&words, json!({ "match": "both" })), "match", "illegal_value"),
                (with(&words, json!({ "repo": "r" })), "owner", "missing_field"),
                (with(&words, json!({ "path": "a\" repo:b/c" })), "path", "bad_value"),
                (with(&words, json!({ "max_results": 0 })), "max_results", "out_of_range"),
                (with(&words, json!({ "provider": "gitlab" })), "provider", "other_forge"),
                (with(&words, json!({ "ownr": "o" })), "ownr", "unknown_field"),
            ],
        ),
        (
            "remote_read_file",
            vec![
                (repo.clone(), "path", "missing_field"),
                (with(&repo, json!({ "path": "" })), "path", "illegal_value"),
                (with(&repo, json!({ "path": "a/%2e%2e/b" })), "path", "parent_folder"),
                (with(&file, json!({ "start_line": 0, "end_line": 1 })), "start_line", "out_of_range"),
                (with(&file, json!({ "start_line": 3, "end_line": 2 })), "end_line", "invalid_range"),
                (with(&file, json!({ "start_line": 3 })), "end_line", "missing_field"),
                (with(&file, json!({ "match_string": "" })), "match_string", "empty_pattern"),
                (
                    with(&file, json!({ "match_string": "x", "char_offset": 1 })),
                    "start_line",
                    "conflicting_parts",
                ),
                (with(&file, json!({ "owner": "o/../x" })), "owner", "bad_name"),
                (with(&file, json!({ "repo": "a b" })), "repo", "bad_name"),
                (with(&file, json!({ "ref": "a\nb" })), "ref", "illegal_value"),
                (with(&file, json!({ "cursor": "nonsense" })), "cursor", "invalid_cursor"),
            ],
        ),
        (
            "remote_list_tree",
            vec![
                (at.clone(), "owner", "missing_field"),
                (with(&repo, json!({ "depth": 11 })), "depth", "out_of_range"),
                (with(&repo, json!({ "depth": "2" })), "depth", "wrong_type"),
                (with(&repo, json!({ "entries_per_page": 0 })), "entries_per_page", "out_of_range"),
                (with(&repo, json!({ "path": "../x" })), "path", "parent_folder"),
                (with(&repo, json!({ "host": "a b" })), "host", "bad_host"),
                (with(&repo, json!({ "owner": " " })), "owner", "illegal_value"),
            ],
        ),
        (
            "remote_search_repositories",
            vec![
                (at.clone(), "keywords", "missing_field"),
                (with(&words, json!({ "stars": "many" })), "stars", "bad_range"),
                (with(&words, json!({ "created": "yesterday" })), "created", "bad_range"),
                (with(&words, json!({ "sort": "random" })), "sort", "illegal_value"),
                (with(&words, json!({ "match": ["title"] })), "match[0]", "illegal_value"),
                (with(&words, json!({ "max_results": 101 })), "max_results", "out_of_range"),
                (with(&at, json!({ "keywords": [long] })), "keywords", "too_long"),
            ],
        ),
        (
            "remote_search_changes",
            vec![
                (with(&at, json!({ "number": 1 })), "number", "missing_field"),
                (with(&repo, json!({ "number": 0 })), "number", "out_of_range"),
                (with(&changes, json!({ "state": "merged" })), "state", "illegal_value"),
                (with(&changes, json!({ "content": "partial" })), "files", "missing_field"),
                (with(&changes, json!({ "files": [{ "path": "x" }] })), "files", "contradiction"),
                (with(&changes, json!({ "created": "2024-13-99" })), "created", "bad_range"),
                (with(&at, json!({ "repo": "r" })), "owner", "missing_field"),
                (with(&changes, json!({ "merged": "yes" })), "merged", "wrong_type"),
            ],
        ),
        (
            "search_packages",
            vec![
                (json!({ "name": "x" }), "ecosystem", "missing_field"),
                (json!({ "name": "x", "ecosystem": "rubygems" }), "ecosystem", "illegal_value"),
                (json!({ "name": "", "ecosystem": "npm" }), "name", "illegal_value"),
                (json!({ "name": "x".repeat(10_000), "ecosystem": "python" }), "name", "illegal_value"),
                (json!({ "name": "a\u{7}b", "ecosystem": "cargo" }), "name", "illegal_value"),
                (json!({ "name": "x y/../z", "ecosystem": "npm" }), "name", "not_a_name"),
                (json!({ "name": "x y/../z", "ecosystem": "python" }), "name", "not_a_name"),
                (json!({ "name": "@types", "ecosystem": "npm" }), "name", "scope_without_name"),
                (
                    json!({ "name": "x", "ecosystem": "npm", "max_results": 11 }),
                    "max_results",
                    "out_of_range",
                ),
            ],
        ),
    ]
}

#[test]
fn bad_input_names_its_field_before_anybody_is_asked() {
    let (host, count) = silent();
    let settings = format!(
        "[remote]\nask_programs = false\n[packages]\nnpm_registry = 'http://{host}/'\npython_index = \
         'http://{host}/simple'\ncargo_index = 'sparse+http://{host}/'\n[[hosts]]\nhost = '{host}'\nprovider = 'github'\n\
         api_url = 'http://{host}'\ntoken = 'x'\n"
    );
    let mut asking = Asking::with(&settings, &[]);
    let mut wrong = Vec::new();
    for (tool, rows) in rows(&host) {
        assert!(rows.len() >= 5, "{tool}");
        for (arguments, field, detail) in rows {
            let error = asking.refused(tool, arguments.clone());
            let message = error["message"].as_str().unwrap_or_default();
            let named = error["data"]["field"].as_str().is_some_and(|named| named.starts_with(field))
                || message.contains(&format!("`{field}`"));
            if error["kind"] != "invalid_params"
                || error["data"]["kind"] != detail
                || !named
                || message.len() > 1_000
            {
                wrong.push(format!("{tool} {field} {detail}: {error}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(count.load(Ordering::Relaxed), 0, "somebody was asked");
}

#[test]
fn one_bad_row_of_several_is_its_own_error() {
    let (host, _) = silent();
    let settings = format!(
        "[remote]\nask_programs = false\n[[hosts]]\nhost = '{host}'\nprovider = 'github'\napi_url = 'http://{host}'\n"
    );
    let mut asking = Asking::with(&settings, &[]);
    let rows = rows(&host);
    let calls: Vec<Value> = rows
        .iter()
        .map(|(tool, rows)| json!({ "tool": tool, "arguments": rows[1].0 }))
        .chain([json!({ "tool": "list_tree", "arguments": {} })])
        .collect();
    let (answer, _) = asking.get("batch", json!({ "calls": calls }));
    let results = answer["results"].as_array().unwrap();
    assert_eq!(results.len(), calls.len());
    for (result, (tool, rows)) in results.iter().zip(&rows) {
        assert_eq!(result["error"]["data"]["kind"], rows[1].2, "{tool}: {result:#}");
    }
    assert_eq!(results[calls.len() - 1]["ok"], true, "the good one was carried out: {answer:#}");
}
