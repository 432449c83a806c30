//! Servers that are not there: what text and grammar can tell is told, marked; the rest says what to install.

use std::ffi::OsString;

use orienteer_testkit::workspaces::{BASH, RUST};
use orienteer_testkit::{Tree, tools, tree};
use serde_json::json;

use crate::pointing::steps_run;
use crate::support::{at, named, over_tree, spots, symbol_rows, uses, warnings, with};

/// A PATH with these programs and nothing else.
pub(crate) fn bare_path(tree: &Tree, programs: &[&str]) -> OsString {
    let folder = tree.beside("bin");
    for program in programs {
        std::os::unix::fs::symlink(tools::require(program), folder.join(program)).unwrap();
    }
    folder.into_os_string()
}

#[test]
fn grammar_and_text_take_the_place_of_a_server() {
    let hook = "//- /.git/hooks/update.sample\n#!/bin/sh\ntotal_area_of_hooks=1\n";
    let tree = tree(&format!("{RUST}//- /notes.xyz\ntotal_area is in no language.\n{hook}"));
    let path = bare_path(&tree, &["cargo"]);
    let mut live = over_tree(tree).path(path.clone()).start();
    let defined = live.get("find_definition", at("crates/app/src/main.rs", 16, 15));
    assert_eq!(spots(&defined["definitions"]), ["crates/geometry/src/lib.rs:48:8"]);
    assert_eq!((&defined["source"], &defined["definitions"][0]["source"]), (&json!("text"), &json!("text")));
    assert_eq!(defined["completeness"], json!({ "state": "partial", "reason": "server_unavailable" }));
    assert_eq!(warnings(&defined), ["no_language_server"]);
    let message = defined["warnings"][0]["message"].as_str().unwrap();
    assert!(
        message.contains("rust-analyzer") && message.contains("rustup component add rust-analyzer"),
        "{message}"
    );
    assert!(live.text.contains("Partial answer: server_unavailable"), "{}", live.text);

    let found = live.get("find_references", named("total_area"));
    let in_rust: Vec<String> = uses(&found).into_iter().filter(|place| place.contains(".rs:")).collect();
    assert_eq!(in_rust.len(), 5, "{found:#}");
    assert!(in_rust.contains(&"crates/geometry/src/lib.rs:48:8!".to_owned()));
    assert_eq!((&found["source"], &found["completeness"]["state"]), (&json!("text"), &json!("partial")));
    let outline = live.get("document_symbols", json!({ "file_path": "crates/geometry/src/unicode.rs" }));
    assert_eq!(symbol_rows(&outline)[0], "function größe crates/geometry/src/unicode.rs:4:8");
    assert_eq!((&outline["source"], &outline["completeness"]["state"]), (&json!("text"), &json!("partial")));
    let symbols = live.get("find_symbol", json!({ "query": "total_area", "match": "exact" }));
    assert_eq!(symbol_rows(&symbols), ["function total_area crates/geometry/src/lib.rs:48:8"]);
    assert_eq!(symbols["completeness"]["state"], "partial");
    // Hooks of git are nobody's code.
    assert_eq!(live.get("find_symbol", json!({ "query": "total_area_of" }))["symbols"], json!([]));
    let hover = live.get("hover", named("total_area"));
    assert_eq!(
        (&hover["contents"]["type_info"], &hover["source"]),
        (&json!("pub fn total_area(shapes: &[Box<dyn Shape>]) -> f64"), &json!("text"))
    );

    // What only a server knows is an error with everything that helps.
    for (tool, arguments) in [
        ("call_hierarchy", named("total_area")),
        ("find_definition", with(named("Shape"), json!({ "relation": "implementation" }))),
        ("type_hierarchy", named("Shape")),
        ("signature_help", at("crates/app/src/main.rs", 16, 26)),
        ("get_diagnostics", json!({ "file_paths": ["crates/app/src/main.rs"] })),
    ] {
        let refused = live.refused(tool, arguments);
        let error = &refused["error"];
        assert_eq!(
            (&error["kind"], &error["retryable"]),
            (&json!("server_unavailable"), &json!(false)),
            "{tool}: {refused:#}"
        );
        assert_eq!(error["data"]["server_id"], "rust-analyzer");
        assert_eq!(error["data"]["install_hint"], "rustup component add rust-analyzer rust-src");
        assert_eq!(error["data"]["search_paths"], json!([path.to_str().unwrap()]));
        assert!(steps_run(&mut live, &refused) >= 1, "{tool}: {refused:#}");
        let command = refused["next_steps"].as_array().unwrap().iter().find(|step| step["kind"] == "command");
        assert!(
            command.unwrap()["message"].as_str().unwrap().contains("rustup component add"),
            "{refused:#}"
        );
    }

    let unknown = live.refused("find_definition", at("notes.xyz", 1, 1));
    let error = &unknown["error"];
    assert_eq!(
        (&error["kind"], &error["data"]["kind"]),
        (&json!("invalid_params"), &json!("no_server_for_extension"))
    );
    assert_eq!((&error["code"], &error["data"]["extension"]), (&json!(-32602), &json!("xyz")));
    let supported = error["data"]["supported_extensions"].as_array().unwrap();
    assert!(supported.contains(&json!("rs")) && supported.contains(&json!("py")), "{unknown:#}");
    assert!(steps_run(&mut live, &unknown) >= 2);
    let servers = live.get("list_servers", json!({}));
    let installed: Vec<_> =
        servers["servers"].as_array().unwrap().iter().filter(|row| row["installed"] == true).collect();
    assert!(installed.is_empty(), "{installed:#?}");
    live.end();
}

#[test]
fn what_a_server_needs_itself() {
    let tree = tree(BASH);
    let path = bare_path(&tree, &["bash-language-server"]);
    let mut live = over_tree(tree).path(path).start();
    let refused = live.refused("call_hierarchy", named("deploy"));
    let error = &refused["error"];
    assert_eq!(
        (&error["kind"], &error["data"]["missing"]),
        (&json!("prerequisite_missing"), &json!("node")),
        "{refused:#}"
    );
    assert!(error["data"]["suggestion"].as_str().unwrap().contains("Node.js"), "{refused:#}");
    assert_eq!(error["data"]["server_id"], "bash");
    assert!(steps_run(&mut live, &refused) >= 1);
    let defined = live.get("find_definition", named("log_info"));
    assert_eq!(
        (spots(&defined["definitions"]), &defined["completeness"]["state"]),
        (vec!["lib/log.sh:5:1".to_owned()], &json!("partial"))
    );
    live.end();
}

/// One broken server does not disable the others.
#[test]
fn a_server_that_does_not_start() {
    let tree = tree(&format!("{RUST}{BASH}"));
    let path = bare_path(&tree, &["bash-language-server", "node", "cargo"]);
    let fake = tree.beside("bin").join("rust-analyzer");
    std::fs::write(&fake, "#!/bin/sh\n[ \"$1\" = --version ] && echo rust-analyzer 1.0 && exit 0\necho 'no such component' >&2\nexit 3\n").unwrap();
    std::fs::set_permissions(&fake, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let mut live = over_tree(tree).path(path).start();
    let refused = live.refused("call_hierarchy", named("total_area"));
    let error = &refused["error"];
    assert_eq!(
        (&error["kind"], &error["data"]["exit_code"]),
        (&json!("server_start_failed"), &json!(3)),
        "{refused:#}"
    );
    assert_eq!(
        (&error["data"]["stderr"], &error["data"]["server_id"]),
        (&json!("no such component"), &json!("rust-analyzer"))
    );
    assert_eq!(live.definitions(at("main.sh", 10, 3)), ["lib/log.sh:5:1"]);
    let instead = live.get("find_definition", at("crates/app/src/main.rs", 16, 15));
    assert_eq!(
        (spots(&instead["definitions"]), &instead["source"]),
        (vec!["crates/geometry/src/lib.rs:48:8".to_owned()], &json!("text"))
    );
    let status = live.status("rust-analyzer");
    assert_eq!((&status["pid"], &status["last_error"]["exit_code"]), (&json!(null), &json!(3)), "{status:#}");
    live.end();
}
