//! zuban: types and names, checked as mypy does.

use orienteer_testkit::tree;
use orienteer_testkit::workspaces::{PYTHON, PYTHON_VENV, python_environment};
use serde_json::json;

use crate::python::{TOTAL, TOTAL_AREA, all_but, finds_its_way, says_what_is_wrong};
use crate::support::{at, named, over, over_tree, spots, tell_tale};

#[test]
fn finding_the_way() {
    let mut live = over(PYTHON).variable("ORIENTEER_LSP_DISABLED", all_but("zuban")).start();
    // It counts neither the name in `__all__` nor what is called by way of a module that passes it on.
    let not = ["src/shapes/__init__.py:6:56", "tests/test_shapes.py:6:12"];
    let expected: Vec<&str> = TOTAL_AREA.iter().copied().filter(|place| !not.contains(place)).collect();
    finds_its_way(&mut live, "zuban", &expected);
    let found = live.ask("find_references", named("total_area"));
    assert_eq!(spots(&found["unconfirmed"]), not);
    assert_eq!(live.symbols(json!({ "query": "größe" })), ["function größe src/shapes/unicode_names.py:7:5"]);
    // What another program creates is seen.
    live.write("src/shapes/late.py", "from shapes.total import total_area\n\nlate = total_area([])\n");
    assert!(live.references(at(TOTAL, 8, 5)).contains(&"src/shapes/late.py:3:8".to_owned()));
    live.write("src/shapes/late.py", "");
    assert_eq!(live.references(at(TOTAL, 8, 5)), expected);
    says_what_is_wrong(&mut live, "assignment");
    live.end();
}

/// It is read, without running anything of it.
#[test]
fn the_projects_environment_is_found() {
    let tree = tree(PYTHON_VENV);
    let library = python_environment(tree.root(), ".venv");
    let python = tree.root().join(".venv/bin/python");
    let ran = tree.beside("elsewhere").join("ran");
    tell_tale(&python, &ran);
    // Nor what the project's configuration names as the interpreter.
    tree.write("mypy.ini", "[mypy]\npython_executable = .venv/bin/python\n");
    let shown = library.strip_prefix(tree.root()).unwrap().display().to_string();
    let mut live = over_tree(tree).variable("ORIENTEER_LSP_DISABLED", all_but("zuban")).start();
    assert_eq!(live.definitions(at("app.py", 3, 11)), [format!("{shown}:1:5")]);
    let _kept = live.end();
    assert!(!ran.exists(), "the project's interpreter was run");
}
