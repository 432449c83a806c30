//! ty: the one for Python with type hierarchies.

use orienteer_testkit::tree;
use orienteer_testkit::workspaces::{PYTHON, PYTHON_VENV, python_environment};
use serde_json::json;

use crate::python::{TOTAL_AREA, explores, finds_its_way, knows_the_project, says_what_is_wrong};
use crate::support::{at, hierarchy, named, over, over_tree, spots, with};

const WITHOUT: (&str, &str) = ("ORIENTEER_LSP_DISABLED", "pyright,basedpyright");

#[test]
fn finding_the_way() {
    let mut live = over(PYTHON).variable(WITHOUT.0, WITHOUT.1).start();
    // It does not count the name in `__all__`.
    let expected: Vec<&str> =
        TOTAL_AREA.iter().copied().filter(|place| *place != "src/shapes/__init__.py:6:56").collect();
    finds_its_way(&mut live, "ty", &expected);
    let found = live.ask("find_references", named("total_area"));
    assert_eq!(spots(&found["unconfirmed"]), ["src/shapes/__init__.py:6:56"]);
    knows_the_project(&mut live, "unicode_names");
    let shape = explores(&mut live, 3);
    assert_eq!(
        spots(&shape["implementations"]),
        ["src/shapes/flat.py:4:7", "src/shapes/flat.py:14:7", "src/shapes/round.py:8:7"],
        "{shape:#}"
    );

    // Subtypes come once each, although it finds them on two search paths.
    let types =
        live.ask("type_hierarchy", with(named("Shape"), json!({ "direction": "subtypes", "depth": 2 })));
    assert_eq!(
        hierarchy(&types),
        [
            "1 Square src/shapes/flat.py:4:7",
            "1 Circle src/shapes/round.py:8:7",
            "2 UnitSquare src/shapes/flat.py:14:7"
        ]
    );
    let above = live
        .ask("type_hierarchy", with(named("UnitSquare"), json!({ "direction": "supertypes", "depth": 5 })));
    let names: Vec<&str> =
        above["items"].as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["Square", "Shape", "ABC", "object"]);
    assert_eq!(above["items"][0]["relation"], "supertype");
    says_what_is_wrong(&mut live, "invalid-assignment");
    live.end();
}

#[test]
fn the_projects_environment_is_found() {
    let tree = tree(PYTHON_VENV);
    let library = python_environment(tree.root(), ".venv");
    let shown = library.strip_prefix(tree.root()).unwrap().display().to_string();
    let mut live = over_tree(tree).variable(WITHOUT.0, WITHOUT.1).start();
    assert_eq!(live.definitions(at("app.py", 3, 11)), [format!("{shown}:1:5")]);
    live.end();
}
