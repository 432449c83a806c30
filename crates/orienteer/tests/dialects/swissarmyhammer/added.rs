//! The operations that the document names as future features, and two more, with real servers.

use orienteer_testkit::tree;
use orienteer_testkit::workspaces::RUST;
use serde_json::{Value, json};

use super::support::{Hammer, fields, over, place};

const MAIN: &str = "crates/app/src/main.rs";
const LIB: &str = "crates/geometry/src/lib.rs";

fn rust() -> Hammer {
    over(tree(RUST)).start()
}

fn names(rows: &Value) -> Vec<&str> {
    rows.as_array()
        .unwrap_or_else(|| panic!("{rows}"))
        .iter()
        .map(|row| row["name"].as_str().unwrap())
        .collect()
}

#[test]
fn implementations_of_a_trait() {
    let mut hammer = rust();
    let answer = hammer.ask("implementation", LIB, place(9, 11));
    assert_eq!(fields(&answer), ["implementations"]);
    assert_eq!(
        hammer.spots(&answer["implementations"]),
        ["crates/geometry/src/lib.rs:31:16", "crates/geometry/src/lib.rs:37:16"]
    );
    assert_eq!(answer["implementations"][0]["preview"], "impl Shape for Circle {");
    hammer.end();
}

#[test]
fn callers_and_callees() {
    let mut hammer = rust();
    let callers = hammer.ask("call_hierarchy", LIB, place(48, 8));
    assert_eq!(fields(&callers), ["calls", "total_count"]);
    let mut found = names(&callers["calls"]);
    found.sort_unstable();
    assert_eq!((found, &callers["total_count"]), (vec!["adds_areas", "main", "report"], &json!(3)));
    let row = &callers["calls"][0];
    assert_eq!(fields(row), ["call_sites", "column", "file_path", "kind", "line", "name", "preview"]);
    assert_eq!(fields(&row["call_sites"][0]), ["column", "file_path", "line", "preview"]);
    let callees =
        hammer.ask("call_hierarchy", MAIN, json!({ "line": 14, "column": 4, "direction": "outgoing" }));
    assert!(names(&callees["calls"]).contains(&"render"), "{callees:#}");
    hammer.end();
}

#[test]
fn symbols_of_a_file_and_of_the_project() {
    let mut hammer = rust();
    let outline = hammer.ask("symbols", LIB, json!({}));
    let top = names(&outline["symbols"]);
    for name in ["Shape", "Circle", "Square", "total_area", "largest"] {
        assert!(top.contains(&name), "{top:?}");
    }
    let shape = outline["symbols"].as_array().unwrap().iter().find(|row| row["name"] == "Shape").unwrap();
    assert_eq!(
        (hammer.spot(shape).as_str(), &shape["end_line"]),
        ("crates/geometry/src/lib.rs:9:11", &json!(17))
    );
    assert_eq!(names(&shape["children"]), ["area", "describe"]);
    let found = hammer.ask("symbols", MAIN, json!({ "query": "total_area" }));
    assert_eq!(hammer.spots(&found["symbols"])[0], "crates/geometry/src/lib.rs:48:8");
    let none = hammer.ask("symbols", MAIN, json!({ "query": "nobody_has_this_name" }));
    assert_eq!((&none["symbols"], &none["total_count"]), (&json!([]), &json!(0)));
    hammer.end();
}

#[test]
fn completions_and_signatures() {
    let mut hammer = rust();
    let answer = hammer.ask("completion", MAIN, json!({ "line": 21, "column": 11, "limit": 500 }));
    assert_eq!(fields(&answer), ["completions", "is_incomplete", "total_count"]);
    let labels: Vec<&str> = answer["completions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["insert_text"].as_str().unwrap())
        .collect();
    assert!(labels.iter().any(|label| label.starts_with("describe")), "{labels:?}");
    assert_eq!(
        fields(&answer["completions"][0]),
        ["detail", "documentation", "insert_text", "kind", "label"]
    );
    let few = hammer.ask("completion", MAIN, json!({ "line": 21, "column": 11, "limit": 1 }));
    assert_eq!(few["completions"].as_array().unwrap().len(), 1);

    let answer = hammer.ask("signature", MAIN, place(16, 26));
    assert_eq!(fields(&answer), ["active_parameter", "active_signature", "signatures"]);
    let signature = &answer["signatures"][0];
    assert!(
        signature["label"].as_str().unwrap().contains("total_area(shapes: &[Box<dyn Shape"),
        "{answer:#}"
    );
    assert_eq!(signature["documentation"], "The sum of all areas.");
    let parameter = signature["parameters"][0]["label"].as_str().unwrap();
    assert!(parameter.starts_with("shapes: &[Box<dyn Shape"), "{parameter}");
    assert_eq!(answer["active_parameter"], 0);
    hammer.end();
}
