//! taplo.

use orienteer_testkit::workspaces::{TOML, TOML_BROKEN, file};
use serde_json::json;

use crate::support::{at, over, with};

const SETTINGS: &str = "settings.toml";

#[test]
fn tables_keys_and_findings() {
    let mut live = over(TOML).start();
    let outline = live.outline(SETTINGS);
    // It points at values where there are some.
    for symbol in ["key title 1:9", "namespace server 3:1", "  key server/port 5:8"] {
        assert!(outline.contains(&symbol.to_owned()), "{symbol}: {outline:?}");
    }
    let settings = json!({ "file_paths": [SETTINGS] });
    assert_eq!(live.check(settings.clone()), ("clean".to_owned(), Vec::new()));
    live.write(SETTINGS, TOML_BROKEN);
    let broken = live.ask("get_diagnostics", with(settings.clone(), json!({ "severity_filter": "error" })));
    let found = &broken["diagnostics"][0];
    assert_eq!(
        (&broken["summary"]["errors"], &found["line"], &found["column"], &found["message"]),
        (&json!(1), &json!(3), &json!(1), &json!("conflicting keys")),
        "{broken:#}"
    );
    live.write(SETTINGS, file(TOML, SETTINGS));
    assert_eq!(live.check(settings), ("clean".to_owned(), Vec::new()));
    let renamed = with(at(SETTINGS, 3, 2), json!({ "new_name": "service", "dry_run": false }));
    assert_eq!(live.ask("rename_symbol", renamed)["applied"], true);
    assert_eq!(
        (live.line("settings.toml:3:1"), live.line("settings.toml:7:1")),
        ("[service]".to_owned(), "[service.limits]".to_owned())
    );
    live.end();
}
