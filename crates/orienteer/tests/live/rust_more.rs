//! rust-analyzer: what is wrong, odd places, waiting.

use orienteer_testkit::workspaces::{ODD_FOLDER, RUST, RUST_BROKEN, crlf, in_folder};
use orienteer_testkit::{tree, workspaces};
use serde_json::json;

use crate::support::{at, findings, named, over, over_tree, trust, trusted, with};

const LIB: &str = "crates/geometry/src/lib.rs";
const MAIN: &str = "crates/app/src/main.rs";

/// Makes a repository of a workspace, with everything committed.
pub(crate) fn commit(root: &std::path::Path) {
    let git = |args: &[&str]| {
        let who = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"];
        let ran = std::process::Command::new("git").args(who).args(args).current_dir(root).output();
        assert!(ran.as_ref().unwrap().status.success(), "{args:?}: {ran:?}");
    };
    git(&["init", "-q"]);
    git(&["add", "-A"]);
    git(&["commit", "-q", "-m", "begin"]);
}

#[test]
fn diagnostics_with_cargo_check() {
    let tree = tree(&format!("{RUST}//- /.gitignore\ntarget\n"));
    commit(tree.root());
    trust(&tree);
    let mut live = over_tree(tree).start();
    let main = json!({ "file_paths": [MAIN], "wait_ms": 60_000 });
    assert_eq!(live.check(main.clone()), ("clean".to_owned(), Vec::new()));
    // A warning of the compiler in a file that nobody opened; only it knows.
    let warning = "crates/noise/src/lib.rs:3:9 warning unused_variables";
    let whole = live.ask("get_diagnostics", json!({ "scope": "workspace", "save_baseline": "before" }));
    assert_eq!(
        (&whole["state"], findings(&whole["diagnostics"])),
        (&json!("issues"), vec![warning.to_owned()])
    );
    assert_eq!(whole["summary"], json!({ "errors": 0, "warnings": 1, "info": 0, "hints": 0 }));
    assert_eq!(whole["diagnostics"][0]["source"], "rustc");
    let fix = "if this is intentional, prefix it with an underscore: `_unused_number`";
    assert!(whole["diagnostics"][0]["fixes"].as_array().unwrap().contains(&json!(fix)), "{whole:#}");
    let errors_only = live.check(json!({ "scope": "workspace", "severity_filter": "error" }));
    assert_eq!(errors_only.1, [""; 0]);

    live.write(MAIN, RUST_BROKEN);
    let error = "crates/app/src/main.rs:5:23 error E0308";
    let broken = live.ask("get_diagnostics", main.clone());
    assert_eq!(
        (&broken["state"], findings(&broken["diagnostics"])),
        (&json!("issues"), vec![error.to_owned()])
    );
    assert_eq!(broken["diagnostics"][0]["source"], "rustc", "{broken:#}");
    assert_eq!(broken["diagnostics"][0]["related"][0]["message"], "expected due to this");
    let since = live.ask("get_diagnostics", json!({ "scope": "workspace", "baseline": "before" }));
    assert_eq!(
        (findings(&since["new"]), &since["fixed"], &since["unchanged_count"]),
        (vec![error.to_owned()], &json!([]), &json!(1))
    );
    // Only what differs from the last commit.
    let changed = live.ask("get_diagnostics", json!({ "scope": "changed" }));
    assert_eq!(
        (findings(&changed["diagnostics"]), &changed["files_checked"]),
        (vec![error.to_owned()], &json!(1))
    );

    live.write(MAIN, workspaces::file(RUST, MAIN));
    live.edit("crates/noise/src/lib.rs", "    let unused_number = 1;\n", "");
    assert_eq!(live.check(main), ("clean".to_owned(), Vec::new()));
    let since = live.ask("get_diagnostics", json!({ "scope": "workspace", "baseline": "before" }));
    assert_eq!(
        (&since["new"], findings(&since["fixed"]), &since["unchanged_count"]),
        (&json!([]), vec![warning.to_owned()], &json!(0))
    );

    // The compiler itself, without the server.
    live.write(MAIN, RUST_BROKEN);
    let compiled =
        live.get("get_diagnostics", json!({ "scope": "workspace", "mode": "compiler", "wait_ms": 60_000 }));
    assert_eq!(
        (&compiled["state"], &compiled["completeness"]["state"]),
        (&json!("issues"), &json!("complete")),
        "{compiled:#}"
    );
    assert_eq!(findings(&compiled["diagnostics"]), [error]);
    live.end();
}

#[test]
fn a_folder_with_blanks_and_windows_line_ends() {
    let fixture = in_folder(ODD_FOLDER, &crlf(RUST));
    let mut live = over_tree(trusted(&fixture)).start();
    let file = |path: &str| format!("{ODD_FOLDER}/{path}");
    let expected: Vec<String> = [
        "app/src/main.rs:3:32",
        "app/src/main.rs:9:28",
        "app/src/main.rs:16:15",
        "geometry/src/lib.rs:48:8!",
        "geometry/src/lib.rs:63:20",
    ]
    .iter()
    .map(|place| file(&format!("crates/{place}")))
    .collect();
    assert_eq!(live.references(at(&file(LIB), 48, 8)), expected);
    assert_eq!(
        live.definitions(at(&file("crates/geometry/src/unicode.rs"), 21, 38)),
        [file("crates/geometry/src/unicode.rs:14:8")]
    );
    let defined = live.ask("find_definition", at(&file(MAIN), 16, 15));
    assert_eq!(defined["definitions"][0]["preview"], "pub fn total_area(shapes: &[Box<dyn Shape>]) -> f64 {");
    let id = json!({ "symbol_id": file("crates/geometry/src/lib.rs#Circle/area") });
    assert_eq!(live.definitions(id), [file("crates/geometry/src/lib.rs:32:8")]);
    assert_eq!(live.check(json!({ "file_paths": [file(MAIN)] })), ("clean".to_owned(), Vec::new()));
    live.end();
}

/// A client that asked for progress hears what it waits for; the first answer is whole all the same.
#[test]
fn waiting_is_told() {
    let mut live = over(RUST).start();
    let call = json!({
        "name": "find_references",
        "arguments": at(MAIN, 9, 28),
        "_meta": { "progressToken": "waiting" },
    });
    let id = live.server.begin("tools/call", call);
    let mut heard: Vec<String> = Vec::new();
    let answer = loop {
        let message = live.server.receive();
        if message["method"] == "notifications/progress" {
            assert_eq!(message["params"]["progressToken"], "waiting");
            heard.extend(message["params"]["message"].as_str().map(str::to_owned));
        }
        if message["id"] == id {
            break message;
        }
    };
    assert!(heard.iter().any(|words| words.starts_with("rust-analyzer: ")), "{heard:?}");
    assert_eq!(answer["result"]["structuredContent"]["total_count"], 5, "{answer}");
    // Asked not to wait, a server that is just starting again gives a partial answer or says that it is not ready.
    live.get("stop_server", json!({ "server_id": "rust-analyzer" }));
    let hasty = live.raw("find_references", with(named("total_area"), json!({ "wait_ms": 0 })));
    assert_eq!(
        (&hasty["ok"], &hasty["completeness"]["state"]),
        (&json!(true), &json!("partial")),
        "{hasty:#}"
    );
    assert!(
        ["server_starting", "server_indexing"].contains(&hasty["completeness"]["reason"].as_str().unwrap()),
        "{hasty:#}"
    );
    assert!(hasty["completeness"]["retry_after_ms"].is_u64());
    assert_eq!(hasty["warnings"].as_array().unwrap().len(), 1, "{hasty:#}");
    live.end();
}
