//! yaml-language-server.

use orienteer_testkit::workspaces::{YAML, YAML_BROKEN, file};
use serde_json::json;

use crate::support::{at, over, warnings};

#[test]
fn anchors_and_schemas() {
    let mut live = over(YAML).start();
    assert_eq!(live.definitions(at("config.yaml", 8, 8)), ["config.yaml:5:3"]);
    let hover = live.hover(at("config.yaml", 2, 1));
    assert!(hover.1.starts_with("The name of the service."), "{hover:?}");
    let outline = live.outline("config.yaml");
    for key in
        ["key name 2:1", "key replicas 3:1", "key defaults 4:1", "  key defaults/port 5:3", "key server 7:1"]
    {
        assert!(outline.contains(&key.to_owned()), "{key}: {outline:?}");
    }
    let config = json!({ "file_paths": ["config.yaml"] });
    assert_eq!(live.check(config.clone()), ("clean".to_owned(), Vec::new()));
    live.write("config.yaml", YAML_BROKEN);
    let broken = live.ask("get_diagnostics", config.clone());
    let found = &broken["diagnostics"][0];
    assert_eq!(
        (&found["line"], &found["column"], &found["severity"]),
        (&json!(3), &json!(11), &json!("error")),
        "{broken:#}"
    );
    assert_eq!(found["message"], "Incorrect type. Expected \"integer\".");
    // The schema changes, the file does not.
    live.edit(
        "service.schema.json",
        "\"replicas\": { \"type\": \"integer\",",
        "\"replicas\": { \"type\": \"string\",",
    );
    assert_eq!(live.check(config.clone()), ("clean".to_owned(), Vec::new()));
    live.write("config.yaml", file(YAML, "config.yaml"));
    assert_eq!(live.check(config).0, "issues", "a number is no string");
    // What it cannot do is answered by text, and said.
    let uses = live.get("find_references", at("config.yaml", 4, 12));
    assert_eq!((&uses["source"], &uses["completeness"]["reason"]), (&json!("text"), &json!("heuristic")));
    assert_eq!(warnings(&uses), ["no_language_server"]);
    live.end();
}
