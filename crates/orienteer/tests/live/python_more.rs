//! Python: what is wrong, virtual environments, the compiler, odd places.

use orienteer_testkit::tree;
use orienteer_testkit::workspaces::{
    ODD_FOLDER, PYTHON, PYTHON_BROKEN, PYTHON_VENV, crlf, in_folder, python_environment,
};
use serde_json::json;

use crate::python::{REPORT, TOTAL, TOTAL_AREA, UNICODE, says_what_is_wrong};
use crate::rust_more::commit;
use crate::support::{at, over, over_tree, tell_tale};

#[test]
fn diagnostics() {
    let mut live = over(PYTHON).start();
    says_what_is_wrong(&mut live, "reportAssignmentType");
    live.write(REPORT, PYTHON_BROKEN);
    assert_eq!(
        live.compiled(json!({ "scope": "workspace" })),
        ["src/shapes/report.py:8:18 error reportAssignmentType"]
    );
    live.end();
}

#[test]
fn a_folder_with_blanks_and_windows_line_ends() {
    let mut live = over(&in_folder(ODD_FOLDER, &crlf(PYTHON))).start();
    let odd = |place: &str| format!("{ODD_FOLDER}/{place}");
    let expected: Vec<String> = TOTAL_AREA.iter().map(|place| odd(place)).collect();
    assert_eq!(live.references(at(&odd(TOTAL), 8, 5)), expected);
    assert_eq!(live.definitions(at(&odd(UNICODE), 11, 43)), [odd("src/shapes/total.py:8:5")]);
    assert_eq!(live.check(json!({ "file_paths": [odd(REPORT)] })), ("clean".to_owned(), Vec::new()));
    live.end();
}

/// A library that only the project's environment has.
#[test]
fn the_projects_environment_is_found() {
    for name in [".venv", "venv"] {
        // Its interpreter is run, because nobody can have put it into what was cloned.
        let tree = tree(&format!("{PYTHON_VENV}//- /.gitignore\n{name}\n"));
        commit(tree.root());
        let library = python_environment(tree.root(), name);
        let shown = library.strip_prefix(tree.root()).unwrap().display().to_string();
        let mut live = over_tree(tree).start();
        assert_eq!(live.definitions(at("app.py", 3, 11)), [format!("{shown}:1:5")], "{name}");
        assert_eq!(live.hover(at("app.py", 3, 11)).1, "Says hello.");
        assert_eq!(
            live.check(json!({ "file_paths": ["app.py"] })),
            ("clean".to_owned(), Vec::new()),
            "{name}"
        );
        live.end();
    }
}

/// Whoever made it: an environment that came with the project is read, its interpreter is not run.
#[test]
fn an_environment_that_nobody_trusts_is_only_read() {
    let tree = tree(PYTHON_VENV);
    let library = python_environment(tree.root(), ".venv");
    let python = tree.root().join(".venv/bin/python");
    let ran = tree.beside("elsewhere").join("ran");
    tell_tale(&python, &ran);
    let shown = library.strip_prefix(tree.root()).unwrap().display().to_string();
    let mut live = over_tree(tree).start();
    assert_eq!(live.definitions(at("app.py", 3, 11)), [format!("{shown}:1:5")]);
    assert_eq!(live.check(json!({ "file_paths": ["app.py"] })), ("clean".to_owned(), Vec::new()));
    let _kept = live.end();
    assert!(!ran.exists(), "the project's interpreter was run");
}
