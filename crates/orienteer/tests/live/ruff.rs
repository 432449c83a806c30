//! ruff: it says what is wrong and knows nothing else.

use orienteer_testkit::tree;
use orienteer_testkit::workspaces::PYTHON;
use serde_json::json;

use crate::support::{named, over_tree};

#[test]
fn it_is_there_when_it_is_wanted() {
    let tree = tree(PYTHON);
    let config = tree.beside("home").join(".config/orienteer");
    std::fs::create_dir_all(&config).unwrap();
    let block =
        "[[servers]]\nid = \"ruff\"\ncommand = \"ruff\"\nargs = [\"server\"]\nextensions = [\"py\"]\n";
    std::fs::write(config.join("config.toml"), block).unwrap();
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
