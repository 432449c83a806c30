//! pyrefly: started only where the project is trusted, because it runs what the project's configuration names.

use std::path::PathBuf;

use orienteer_testkit::workspaces::{PYTHON, PYTHON_VENV, python_environment};
use orienteer_testkit::{Tree, tree};
use serde_json::json;

use crate::missing::bare_path;
use crate::pointing::steps_run;
use crate::python::{REPORT, TOTAL, TOTAL_AREA, UNICODE, all_but, says_what_is_wrong};
use crate::support::{at, named, over_tree, spots, tell_tale, trusted, uses};

const DISABLED: &str = "ORIENTEER_LSP_DISABLED";
#[test]
fn finding_the_way() {
    let mut live = over_tree(trusted(PYTHON)).variable(DISABLED, all_but("pyrefly")).start();
    // It does not count the name in `__all__`.
    let expected: Vec<&str> =
        TOTAL_AREA.iter().copied().filter(|place| *place != "src/shapes/__init__.py:6:56").collect();
    let cold = live.ask("find_references", at(TOTAL, 8, 5));
    assert_eq!(uses(&cold), expected);
    assert_eq!(cold["server_id"], "pyrefly");
    assert_eq!(spots(&cold["unconfirmed"]), ["src/shapes/__init__.py:6:56"]);
    assert_eq!(live.ask("find_references", at(UNICODE, 11, 43))["references"], cold["references"]);
    assert_eq!(live.definitions(at(UNICODE, 11, 43)), ["src/shapes/total.py:8:5"]);
    assert_eq!(live.definitions(at("tests/test_shapes.py", 10, 12)), ["src/shapes/report.py:7:5"]);
    assert_eq!(
        live.relation("type_definition", json!({ "file_path": TOTAL, "line": 10, "symbol_name": "shape" })),
        ["src/shapes/base.py:6:7"]
    );
    let pi = live.definitions(json!({ "file_path": "src/shapes/round.py", "line": 13, "symbol_name": "pi" }));
    assert!(pi.len() == 1 && live.line(&pi[0]).starts_with("pi: Final[float]"), "{pi:?}");
    let (signature, documentation) = live.hover(at(REPORT, 8, 20));
    assert!(signature.contains("def total_area(shapes: Iterable[Shape]) -> float"), "{signature}");
    assert_eq!(documentation, "The sum of all areas.");
    // Its calls lack some and its subtypes are all direct ones, so it is not asked.
    let refused = live.refused("call_hierarchy", named("total_area"));
    assert_eq!(refused["error"]["data"]["kind"], "method_unsupported", "{refused:#}");
    let family = live.get("type_hierarchy", named("Shape"));
    assert_eq!(family["completeness"], json!({ "state": "partial", "reason": "heuristic" }), "{family:#}");
    // What another program writes is seen.
    live.write("src/shapes/late.py", "from shapes.total import total_area\n\nlate = total_area([])\n");
    assert!(live.references(at(TOTAL, 8, 5)).contains(&"src/shapes/late.py:3:8".to_owned()));
    live.write("src/shapes/late.py", "");
    assert_eq!(live.references(at(TOTAL, 8, 5)), expected);
    says_what_is_wrong(&mut live, "bad-assignment");
    live.end();
}

#[test]
fn the_projects_environment_is_found() {
    let tree = trusted(PYTHON_VENV);
    let library = python_environment(tree.root(), ".venv");
    let shown = library.strip_prefix(tree.root()).unwrap().display().to_string();
    let mut live = over_tree(tree).variable(DISABLED, all_but("pyrefly")).start();
    assert_eq!(live.definitions(at("app.py", 3, 11)), [format!("{shown}:1:5")]);
    live.end();
}

/// A program that a stranger's configuration names as the interpreter, and a file that is there when it was run.
fn strange() -> (Tree, PathBuf) {
    let tree = tree(
        "//- /pyproject.toml\n[tool.pyrefly]\npython-interpreter-path = \"tools/python\"\n\
         //- /app.py\nname = 1\nprint(name)\n",
    );
    let ran = tree.beside("elsewhere").join("ran");
    tell_tale(&tree.root().join("tools/python"), &ran);
    (tree, ran)
}

#[test]
fn without_trust_it_is_not_started() {
    let (tree, ran) = strange();
    let mut live = over_tree(tree).variable(DISABLED, all_but("pyrefly")).start();
    let found = live.get("find_definition", at("app.py", 2, 7));
    assert_eq!(found["completeness"], json!({ "state": "partial", "reason": "server_unavailable" }));
    assert!(found["warnings"].to_string().contains("not done without trust"), "{found:#}");
    let refused = live.refused("signature_help", at("app.py", 2, 7));
    assert_eq!(refused["error"]["data"]["kind"], "not_trusted", "{refused:#}");
    assert!(
        refused["next_steps"][0]["message"].as_str().unwrap().contains("`orienteer trust`"),
        "{refused:#}"
    );
    steps_run(&mut live, &refused);
    assert!(!ran.exists(), "the project's interpreter was run");
    live.end();
    // The next one is.
    let (tree, ran) = strange();
    let mut live = over_tree(tree).variable(DISABLED, "pyright,basedpyright,ty").start();
    let found = live.ask("find_definition", at("app.py", 2, 7));
    assert_eq!((&found["server_id"], &found["definitions"][0]["line"]), (&json!("zuban"), &json!(1)));
    assert!(!ran.exists(), "the project's interpreter was run");
    live.end();
}

/// What is installed and only waits for the user's word comes before what is to be installed.
#[test]
fn trust_is_asked_for_before_another_server() {
    let (tree, _) = strange();
    let path = bare_path(&tree, &["pyrefly"]);
    let mut live = over_tree(tree).path(path).start();
    let refused = live.refused("signature_help", at("app.py", 2, 7));
    assert_eq!(refused["error"]["data"]["kind"], "not_trusted", "{refused:#}");
    live.end();
}
