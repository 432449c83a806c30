//! basedpyright.

use orienteer_testkit::tools;
use orienteer_testkit::workspaces::PYTHON;
use serde_json::json;

use crate::python::{TOTAL_AREA, explores, finds_its_way, knows_the_project};
use crate::support::{findings, named, over, spots};

#[test]
fn finding_the_way() {
    let mut live =
        over(PYTHON).path(tools::basedpyright_path()).variable("ORIENTEER_LSP_DISABLED", "pyright").start();
    finds_its_way(&mut live, "basedpyright", &TOTAL_AREA);
    knows_the_project(&mut live, "(module) unicode_names.py");
    let shape = explores(&mut live, 8);
    assert_eq!(
        spots(&shape["implementations"]),
        ["src/shapes/flat.py:4:7", "src/shapes/flat.py:14:7", "src/shapes/round.py:8:7"],
        "{shape:#}"
    );
    assert_eq!(
        live.relation("implementation", named("Shape.area")),
        ["src/shapes/base.py:10:9", "src/shapes/flat.py:10:9", "src/shapes/round.py:12:9"]
    );
    // It warns about much more than pyright does; the error is among it.
    live.write("src/shapes/report.py", orienteer_testkit::workspaces::PYTHON_BROKEN);
    let broken = live.ask(
        "get_diagnostics",
        json!({ "file_paths": ["src/shapes/report.py"], "severity_filter": "error" }),
    );
    assert_eq!(findings(&broken["diagnostics"]), ["src/shapes/report.py:8:18 error reportAssignmentType"]);
    live.end();
}
