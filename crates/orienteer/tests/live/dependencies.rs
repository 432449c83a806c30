//! What is installed while a server runs is known to the next answer.

use orienteer_testkit::tools;
use serde_json::json;

use crate::support::over;

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
