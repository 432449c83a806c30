//! What is installed while a server runs is known to the next answer.

use orienteer_testkit::tools;
use serde_json::json;

use crate::support::{over, symbol_rows, warnings, with};

const IMPORTING: &str = r#"//- /package.json
{ "name": "app", "type": "module" }
//- /tsconfig.json
{ "compilerOptions": { "strict": true, "module": "nodenext" }, "include": ["src"] }
//- /src/app.ts
import { greet } from "friendly";

export const greeting: string = greet("you");
"#;

#[test]
fn a_package_installed_meanwhile_is_found() {
    let mut live = over(IMPORTING).path(tools::ts7_path()).start();
    let check = json!({ "file_paths": ["src/app.ts"] });
    let (state, findings) = live.check(check.clone());
    assert_eq!((state.as_str(), findings.len()), ("issues", 1), "{findings:?}");
    assert!(findings[0].starts_with("src/app.ts:1:23 error 2307"), "{findings:?}");
    let before = live.ask("find_definition", json!({ "file_path": "src/app.ts", "line": 1, "column": 10 }));
    live.write(
        "node_modules/friendly/package.json",
        r#"{ "name": "friendly", "version": "1.0.0", "types": "index.d.ts" }"#,
    );
    live.write("node_modules/friendly/index.d.ts", "export declare function greet(name: string): string;\n");
    // What npm writes last.
    live.write("node_modules/.package-lock.json", "{}");
    assert_eq!(live.check(check), ("clean".to_owned(), Vec::new()));
    let after = live.ask("find_definition", json!({ "file_path": "src/app.ts", "line": 1, "column": 10 }));
    assert_eq!(after["definitions"][0]["file_path"], "node_modules/friendly/index.d.ts");
    let generation = |answer: &serde_json::Value| answer["freshness"]["generation"].as_u64().unwrap();
    assert_eq!((generation(&before), generation(&after)), (1, 2), "the server was started again, once");
}

const BESIDE: &str = r#"//- /app/Cargo.toml
[package]
name = "app"
version = "0.1.0"
edition = "2021"

[dependencies]
shared = { path = "../shared" }
//- /app/src/main.rs
fn main() {
    println!("{}", shared::answer());
}
//- /shared/Cargo.toml
[package]
name = "shared"
version = "0.1.0"
edition = "2021"
//- /shared/src/lib.rs
pub fn answer() -> u32 {
    42
}
"#;

#[test]
fn a_dependency_by_path_outside_the_project_is_kept_in_step() {
    let mut live = over(BESIDE).start();
    let used = json!({ "file_path": "app/src/main.rs", "line": 2, "symbol_name": "answer" });
    let line = |answer: serde_json::Value| {
        assert_eq!(answer["definitions"][0]["file_path"], "shared/src/lib.rs", "{answer:#}");
        answer["definitions"][0]["line"].as_u64().unwrap()
    };
    assert_eq!(line(live.ask("find_definition", used.clone())), 1);
    for lines in [3, 1, 7, 2] {
        let above = "// one more\n".repeat(lines);
        live.write("shared/src/lib.rs", &format!("{above}pub fn answer() -> u32 {{\n    42\n}}\n"));
        assert_eq!(line(live.ask("find_definition", used.clone())), lines as u64 + 1);
    }
}

#[test]
fn symbols_of_dependencies_are_listed_where_they_are_asked_for() {
    let package = "//- /Cargo.toml\n[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    let mut live = over(&format!("{package}//- /src/lib.rs\npub struct BTreeMapping;\n")).start();
    let wanted = |more| with(json!({ "query": "BTreeMap", "match": "prefix", "kinds": ["struct"] }), more);
    let own = "struct BTreeMapping src/lib.rs:1:12";
    assert_eq!(live.symbols(wanted(json!({}))), [own]);
    let all = live.symbols(wanted(json!({ "include_dependencies": true })));
    assert!(all.contains(&own.to_owned()), "{all:?}");
    let standard = all.iter().find(|row| row.starts_with("struct BTreeMap /"));
    assert!(standard.is_some_and(|row| row.contains("/alloc/src/collections/btree/map.rs:")), "{all:?}");
    live.end();
}

#[test]
fn symbols_of_dependencies_are_listed_by_who_does_so_anyway() {
    let fixture = "//- /go.mod\nmodule example.com/app\n\ngo 1.19\n//- /a.go\npackage app\n\nimport \"fmt\"\n\n\
        func Printing() { fmt.Println() }\n";
    let mut live = over(fixture).start();
    let wanted = |more| with(json!({ "query": "Printing" }), more);
    assert_eq!(live.symbols(wanted(json!({}))), ["function Printing a.go:5:6"]);
    let found = live.get("find_symbol", json!({ "query": "Println", "include_dependencies": true }));
    assert!(symbol_rows(&found).iter().any(|row| row.contains("/fmt/print.go:")), "{found:#}");
    assert!(!warnings(&found).contains(&"dependencies_not_searched"), "{found:#}");
    live.end();
}

#[test]
fn who_lists_no_symbols_of_dependencies_says_so() {
    let mut live = over("//- /main.py\ndef pathological() -> None: ...\n").start();
    let found =
        live.get("find_symbol", json!({ "query": "path", "match": "prefix", "include_dependencies": true }));
    assert_eq!(symbol_rows(&found), ["function pathological main.py:1:5"]);
    assert_eq!(found["completeness"], json!({ "state": "partial", "reason": "not_checked" }), "{found:#}");
    assert_eq!(warnings(&found), ["dependencies_not_searched"]);
    live.end();
}
