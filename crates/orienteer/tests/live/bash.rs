//! bash-language-server.

use orienteer_testkit::workspaces::{BASH, BASH_BROKEN};
use orienteer_testkit::{tools, tree};
use serde_json::json;

use crate::missing::bare_path;
use crate::support::{at, named, over, over_tree, uses, warnings};

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
    let check = || json!({ "file_paths": ["main.sh"] });
    assert_eq!(live.check(check()), ("clean".to_owned(), Vec::new()));
    let mended = std::fs::read(live.tree.root().join("main.sh")).unwrap();
    live.tree.write("main.sh", BASH_BROKEN);
    let (state, findings) = live.check(check());
    let unclosed = ["2:1 info SC1009", "2:10 error SC1073", "4:1 error SC1056", "4:1 error SC1072"];
    assert_eq!((state.as_str(), findings), ("issues", unclosed.map(|row| format!("main.sh:{row}")).to_vec()));
    live.tree.write("main.sh", mended);
    assert_eq!(live.check(check()), ("clean".to_owned(), Vec::new()));
    let refused = live.refused("call_hierarchy", named("deploy"));
    assert_eq!(refused["error"]["kind"], "unsupported");
    // A file that the server reads only when it must.
    live.edit("lib/log.sh", "# Messages for people.\n", "# Messages\n# for people.\n");
    assert_eq!(live.definitions(at("main.sh", 10, 3)), ["lib/log.sh:6:1"]);
    live.end();
}

/// A checker that fails with one file says nothing of that file, and as much as ever of others.
#[test]
fn a_file_that_shellcheck_fails_with_is_not_clean() {
    let tree = tree(BASH);
    let real = tools::require("shellcheck");
    let folder = tree.beside("failing");
    let text = format!(
        "#!/bin/sh\ntext=$(cat)\ncase $text in *FAIL*) exit 3;; esac\nprintf '%s\\n' \"$text\" | exec '{}' \"$@\"\n",
        real.display()
    );
    std::fs::write(folder.join("shellcheck"), text).unwrap();
    std::fs::set_permissions(folder.join("shellcheck"), std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .unwrap();
    let mut path = folder.into_os_string();
    path.push(":");
    path.push(tools::server_path());
    let mut live = over_tree(tree).path(path).start();
    live.tree.write("fails.sh", "#!/bin/bash\n# FAIL\necho $1\n");
    let found = live.get("get_diagnostics", json!({ "file_paths": ["fails.sh"] }));
    assert_eq!(
        (&found["state"], &found["pending_files"]),
        (&json!("pending"), &json!(["fails.sh"])),
        "{found:#}"
    );
    assert_eq!(warnings(&found), ["server_degraded"]);
    let message = found["warnings"][0]["message"].as_str().unwrap();
    assert!(
        message.contains("Error while linting") && message.contains("when the file changes"),
        "{message}"
    );
    assert_eq!(live.check(json!({ "file_paths": ["main.sh"] })), ("clean".to_owned(), Vec::new()));
    live.tree.write("fails.sh", "#!/bin/bash\necho $1\n");
    let unquoted = vec!["fails.sh:2:6 info SC2086".to_owned()];
    assert_eq!(live.check(json!({ "file_paths": ["fails.sh"] })), ("issues".to_owned(), unquoted));
    live.end();
}

#[test]
fn without_shellcheck_nothing_is_clean() {
    let tree = tree(BASH);
    let path = bare_path(&tree, &["node", "bash-language-server"]);
    let mut live = over_tree(tree).path(path).start();
    live.tree.write("main.sh", BASH_BROKEN);
    let begun = std::time::Instant::now();
    let found = live.get("get_diagnostics", json!({ "file_paths": ["main.sh", "lib/log.sh"] }));
    assert!(begun.elapsed().as_secs() < 10, "nobody waits for the word of somebody who does not look");
    assert_eq!((&found["state"], &found["diagnostics"]), (&json!("pending"), &json!([])), "{found:#}");
    assert_eq!(
        found["completeness"],
        json!({ "state": "partial", "reason": "server_degraded" }),
        "{found:#}"
    );
    assert_eq!(found["pending_files"], json!(["main.sh", "lib/log.sh"]), "{found:#}");
    assert_eq!(warnings(&found), ["server_degraded"], "{found:#}");
    let message = found["warnings"][0]["message"].as_str().unwrap();
    assert!(message.contains("shellcheck") && message.contains("apt-get install shellcheck"), "{message}");
    // What it knows by itself is as good as ever.
    assert_eq!(live.definitions(at("main.sh", 2, 1)), ["main.sh:2:1"]);
    live.end();
}
