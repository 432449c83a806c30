//! vscode-json-language-server.

use orienteer_testkit::workspaces::{JSON, JSON_BROKEN};
use serde_json::json;

use crate::support::{at, over};

#[test]
fn schemas_of_the_same_folder() {
    let mut live = over(JSON).start();
    assert_eq!(live.hover(at("config.json", 3, 4)).0, "The name of the service\\.");
    assert_eq!(
        live.outline("config.json"),
        ["key $schema 2:3", "key name 3:3", "key replicas 4:3", "key server 5:3", "  key server/port 6:5"]
    );
    let config = json!({ "file_paths": ["config.json"] });
    assert_eq!(live.check(config.clone()), ("clean".to_owned(), Vec::new()));
    live.write("config.json", JSON_BROKEN);
    assert_eq!(
        live.check(config.clone()),
        ("issues".to_owned(), vec!["config.json:3:1 error 516".to_owned()])
    );
    live.write("config.json", "{\n  \"$schema\": \"./service.schema.json\",\n  \"name\": 5\n}\n");
    let typed = live.ask("get_diagnostics", config.clone());
    assert_eq!(
        (&typed["diagnostics"][0]["line"], &typed["diagnostics"][0]["message"]),
        (&json!(3), &json!("Incorrect type. Expected \"string\"."))
    );
    live.edit("service.schema.json", "\"name\": { \"type\": \"string\"", "\"name\": { \"type\": \"integer\"");
    assert_eq!(live.check(config), ("clean".to_owned(), Vec::new()), "the schema decides");
    let refused = live.refused("call_hierarchy", at("config.json", 3, 4));
    assert_eq!(refused["error"]["kind"], "unsupported");
    live.end();
}
