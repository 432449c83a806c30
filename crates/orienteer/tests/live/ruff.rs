//! ruff: it says what is wrong and knows nothing else.

use orienteer_testkit::tree;
use orienteer_testkit::workspaces::PYTHON;
use serde_json::json;

use crate::support::{at, name_servers, named, over_tree};

#[test]
fn it_is_there_when_it_is_wanted() {
    let tree = tree(PYTHON);
    name_servers(&tree, &["ruff"]);
    let mut live = over_tree(tree).variable("ORIENTEER_LSP_DISABLED", crate::python::ALL).start();
    let report = json!({ "file_paths": ["src/shapes/report.py"] });
    let clean = live.ask("get_diagnostics", report.clone());
    assert_eq!((&clean["state"], &clean["server_id"]), (&json!("clean"), &json!("ruff")), "{clean:#}");
    live.write("src/shapes/report.py", "import os\n");
    let unused = live.ask("get_diagnostics", report.clone());
    assert_eq!(
        (&unused["diagnostics"][0]["code"], &unused["diagnostics"][0]["column"]),
        (&json!("F401"), &json!(8)),
        "{unused:#}"
    );
    assert!(
        unused["diagnostics"][0]["fixes"][0].as_str().unwrap().contains("Remove unused import"),
        "{unused:#}"
    );
    live.write("src/shapes/report.py", "import os\n\nprint(os.name)\n");
    assert_eq!(live.check(report).0, "clean");
    // What it cannot do is answered by grammar and text, and said.
    let defined = live.get("find_definition", named("total_area"));
    assert_eq!((&defined["definitions"][0]["line"], &defined["source"]), (&json!(8), &json!("text")));
    assert_eq!(defined["completeness"], json!({ "state": "partial", "reason": "heuristic" }));
    live.end();
}

#[test]
fn it_speaks_beside_the_server_of_the_file() {
    let tree = tree(PYTHON);
    name_servers(&tree, &["ruff"]);
    let mut live = over_tree(tree).start();
    let report = json!({ "file_paths": ["src/shapes/report.py"] });
    assert_eq!(live.check(report.clone()), ("clean".to_owned(), Vec::new()));
    live.write("src/shapes/report.py", "import os\n\nnumber: int = \"📐\"\n");
    let both = live.ask("get_diagnostics", report);
    let rows = both["diagnostics"].as_array().unwrap();
    let text = |row: &serde_json::Value, name: &str| row[name].as_str().unwrap_or_default().to_owned();
    let said: Vec<String> =
        rows.iter().map(|row| format!("{} {}", text(row, "source"), text(row, "code"))).collect();
    for expected in ["Ruff F401", "Pyright reportAssignmentType"] {
        assert!(said.iter().any(|one| one == expected), "{expected}: {both:#}");
    }
    assert_eq!((&both["server_id"], &both["summary"]["errors"]), (&json!(null), &json!(1)), "{both:#}");
    assert!(live.text.contains("1 file"), "a file that two look at is one: {}", live.text);
    // What the first one is asked is its own answer alone.
    assert_eq!(live.ask("hover", at("src/shapes/report.py", 3, 1))["server_id"], "pyright");
    live.end();
}
