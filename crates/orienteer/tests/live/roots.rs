//! Several projects in one workspace: each has its own server.

use orienteer_testkit::tree;
use orienteer_testkit::workspaces::{PYTHON, in_folder, nested};
use serde_json::json;

use crate::support::{at, named, over, over_tree, warnings};

#[test]
fn four_languages_in_folders_of_a_root() {
    let mut live = over(&nested()).start();
    let rust = live.definitions(at("native/crates/app/src/main.rs", 16, 15));
    assert_eq!(rust, ["native/crates/geometry/src/lib.rs:48:8"]);
    assert_eq!(
        live.definitions(at("backend/src/shapes/report.py", 8, 20)),
        ["backend/src/shapes/total.py:8:5"]
    );
    let web = live.references(at("frontend/app/packages/core/src/total.ts", 4, 17));
    assert_eq!((web.len(), web[7].as_str()), (8, "frontend/app/packages/web/src/view.tsx:9:17"));
    assert_eq!(live.definitions(at("we ird #1/main.go", 16, 63)), ["we ird #1/geometry/geometry.go:29:6"]);
    let status = live.get("get_server_status", json!({}));
    let servers = status["servers"].as_array().unwrap();
    let rows: Vec<(&str, &str)> = servers
        .iter()
        .map(|server| (server["server_id"].as_str().unwrap(), server["root"].as_str().unwrap()))
        .collect();
    let expected = [
        ("gopls", "we ird #1"),
        ("pyright", "backend"),
        ("rust-analyzer", "native"),
        ("typescript-language-server", "frontend/app"),
    ];
    assert_eq!(rows, expected);
    // One name in two languages is ambiguous; a file in one of them is not.
    let refused = live.refused("find_definition", named("total_area"));
    assert_eq!(refused["error"]["kind"], "ambiguous");
    // Asked at once, each answers for itself.
    let calls = json!({ "calls": [
        { "tool": "hover", "arguments": { "file_path": "backend/src/shapes/total.py", "symbol_name": "total_area" } },
        { "tool": "hover", "arguments": { "file_path": "native/crates/geometry/src/lib.rs", "symbol_name": "total_area" } },
        { "tool": "find_symbol", "arguments": { "query": "Square", "match": "exact", "path": "frontend" } },
    ] });
    let batch = live.get("batch", calls);
    let results = batch["results"].as_array().unwrap();
    assert!(results.iter().all(|result| result["ok"] == true), "{batch:#}");
    assert_eq!(results[1]["result"]["contents"]["source_module"], "geometry");
    assert_eq!(results[2]["result"]["symbols"][0]["file_path"], "frontend/app/packages/core/src/square.ts");
    live.end();
}

#[test]
fn two_projects_of_one_language_do_not_mix() {
    let both = format!("{}{}", in_folder("one", PYTHON), in_folder("two", PYTHON));
    let mut live = over(&both).start();
    for folder in ["one", "two"] {
        let found = live.references(at(&format!("{folder}/src/shapes/total.py"), 8, 5));
        assert_eq!(found.len(), 9);
        assert!(found.iter().all(|place| place.starts_with(&format!("{folder}/"))), "{found:?}");
    }
    let status = live.get("get_server_status", json!({ "server_id": "pyright" }));
    let roots: Vec<&str> =
        status["servers"].as_array().unwrap().iter().map(|server| server["root"].as_str().unwrap()).collect();
    assert_eq!(roots, ["one", "two"]);
    assert_eq!(live.pids().len(), 2);
    // A change in one of them is none of the other's business.
    live.edit("one/src/shapes/total.py", "\"\"\"Sums.\"\"\"\n", "\"\"\"Sums.\"\"\"\n\n");
    assert_eq!(live.definitions(at("one/src/shapes/report.py", 8, 20)), ["one/src/shapes/total.py:9:5"]);
    assert_eq!(live.definitions(at("two/src/shapes/report.py", 8, 20)), ["two/src/shapes/total.py:8:5"]);
    live.end();
}

/// A file that belongs to no project is served from its folder, and that is said.
#[test]
fn a_file_outside_any_project() {
    let tree = tree("//- /scripts/tool.py\ndef run() -> int:\n    return 1\n\n\nrun()\n");
    let mut live = over_tree(tree).start();
    let found = live.ask("find_references", at("scripts/tool.py", 1, 5));
    assert_eq!((found["total_count"].clone(), warnings(&found)), (json!(2), vec!["no_project_root"]));
    let message = found["warnings"][0]["message"].as_str().unwrap();
    assert!(message.contains("pyproject.toml") && message.contains("pyrightconfig.json"), "{message}");
    live.end();
}
