//! bash-language-server.

use orienteer_testkit::workspaces::BASH;
use serde_json::json;

use crate::support::{at, named, over, uses};

#[test]
fn functions_over_sourced_files() {
    let mut live = over(BASH).start();
    let log_info = ["lib/log.sh:5:1!", "main.sh:10:3", "main.sh:16:14"];
    let cold = live.ask("find_references", at("lib/log.sh", 5, 1));
    assert_eq!((uses(&cold), &cold["server_id"]), (log_info.map(str::to_owned).to_vec(), &json!("bash")));
    assert_eq!(live.references(at("main.sh", 16, 14)), log_info, "behind an emoji");
    assert_eq!(live.definitions(at("main.sh", 10, 3)), ["lib/log.sh:5:1"]);
    assert_eq!(live.references(named("deploy")), ["main.sh:8:1!", "main.sh:15:1"]);
    let hover = live.hover(at("main.sh", 10, 3));
    assert!(
        hover.0.contains("log_info") && hover.1.contains("Says something on standard output."),
        "{hover:?}"
    );
    assert_eq!(
        live.outline("main.sh"),
        ["variable TARGET 6:1", "function deploy 8:1", "variable deploy/name 9:9", "variable party 16:1"]
    );
    let logs = ["function log_info lib/log.sh:5:1", "function log_error lib/log.sh:10:10"];
    assert_eq!(live.symbols(json!({ "query": "log" })), logs);
    assert_eq!(live.proposals(at("main.sh", 10, 6)), ["log_info"]);
    assert_eq!(live.check(json!({ "file_paths": ["main.sh"] })), ("clean".to_owned(), Vec::new()));
    let refused = live.refused("call_hierarchy", named("deploy"));
    assert_eq!(refused["error"]["kind"], "unsupported");
    // A file that the server reads only when it must.
    live.edit("lib/log.sh", "# Messages for people.\n", "# Messages\n# for people.\n");
    assert_eq!(live.definitions(at("main.sh", 10, 3)), ["lib/log.sh:6:1"]);
    live.end();
}
