//! A file that no crate has: rust-analyzer says nothing about it, and nothing must not look like an answer.

use serde_json::json;

use crate::support::over;

const ORPHAN: &str = r#"//- /Cargo.toml
[package]
name = "lonely"
version = "0.1.0"
edition = "2021"
//- /src/main.rs
fn main() {}
//- /src/orphan.rs
pub fn outer() -> u32 {
    inner()
}

fn inner() -> u32 {
    1
}
"#;

#[test]
fn what_the_server_does_not_know_is_said_and_found_by_grammar() {
    let mut live = over(ORPHAN).start();
    let place = json!({ "file_path": "src/orphan.rs", "line": 2, "column": 5 });
    let partial = json!({ "state": "partial", "reason": "not_indexed" });
    let answer = live.get("find_definition", place.clone());
    assert_eq!((&answer["completeness"], &answer["source"]), (&partial, &json!("text")), "{answer:#}");
    assert_eq!(answer["definitions"][0]["line"], 5);
    assert!(live.text.contains("not included anywhere in the module tree"), "{}", live.text);
    let answer = live.get("find_references", place.clone());
    assert_eq!((&answer["completeness"], &answer["total_count"]), (&partial, &json!(2)), "{answer:#}");
    let answer = live.get("hover", place);
    assert_eq!(answer["completeness"], partial, "{answer:#}");
    assert_eq!(answer["contents"]["type_info"], "fn inner() -> u32");
    let nowhere = live.refused("hover", json!({ "file_path": "src/orphan.rs", "line": 6, "column": 5 }));
    assert_eq!(nowhere["error"]["kind"], "not_indexed", "{nowhere:#}");
}

const MODULE: &str = r#"//- /Cargo.toml
[package]
name = "modules"
version = "0.1.0"
edition = "2021"
//- /src/main.rs
mod haystack;

fn main() {
    haystack::Haystack::find();
}
//- /src/haystack.rs
pub struct Haystack;

impl Haystack {
    pub fn find() {}
}
"#;

#[test]
fn a_module_is_defined_at_the_beginning_of_its_file() {
    let mut live = over(MODULE).start();
    let used = json!({ "file_path": "src/main.rs", "line": 4, "symbol_name": "haystack" });
    assert_eq!(live.definitions(used), ["src/haystack.rs:1:1"]);
}
