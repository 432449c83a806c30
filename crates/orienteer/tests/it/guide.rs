//! What lspi's guide for MCP clients promises, which the native contract follows: asked as its clients ask.

use std::collections::BTreeSet;
use std::path::Path;

use orienteer_testkit::promises::promises;
use orienteer_testkit::{Framing, Server, Tree, tree};
use serde_json::{Value, json};

use crate::ORIENTEER;

/// In every payload, whatever the tool and whether or not it worked.
const COMMON: [&str; 7] = ["schema_version", "ok", "tool", "server_id", "input", "warnings", "truncated"];
/// The value of a variable of a server, which nobody is shown.
const HIDDEN: &str = "abracadabra-forty-two";

fn fixture() -> Tree {
    let tree = tree("//- /src/main.rs\nfn main() {}\n//- /README.md\n# About lspi\n");
    tree.beside("home");
    tree
}

/// With no language server in reach.
fn start(tree: &Tree, args: &[&str], variables: &[(&str, &str)]) -> Server {
    let args = [&["--log-level", "error"], args].concat();
    let variables = [&[("PATH", "/nowhere")], variables].concat();
    let mut server = Server::start_with(ORIENTEER, tree.root(), &args, &variables, Framing::Lines);
    server.initialize("2025-11-25");
    server
}

fn keys(object: &Value) -> BTreeSet<&str> {
    object.as_object().unwrap_or_else(|| panic!("no object: {object}")).keys().map(String::as_str).collect()
}

#[test]
fn every_answer_and_every_error_has_the_common_fields() {
    let tree = fixture();
    let mut server = start(&tree, &["--read-only", "--toolsets", "all"], &[]);
    let calls = [
        ("read_file", json!({ "file_path": "src/main.rs" }), None),
        ("search_code", json!({ "pattern": "main", "max_total_chars": 5000 }), None),
        ("find_symbol", json!({ "query": "main" }), None),
        ("get_current_config", json!({ "include_env": false }), None),
        ("list_servers", json!({}), None),
        ("get_server_status", json!({}), None),
        ("read_file", json!({ "file_path": "nowhere.rs" }), Some("not_found")),
        ("find_definition", json!({ "file_path": "src/main.rs" }), Some("invalid_params")),
        ("rename_symbol", json!({ "symbol_name": "main", "new_name": "other" }), Some("read_only")),
    ];
    for (tool, arguments, error) in calls {
        let result = server.call(tool, arguments.clone());
        let payload = &result["structuredContent"];
        let missing: Vec<&&str> = COMMON.iter().filter(|name| payload.get(**name).is_none()).collect();
        assert!(missing.is_empty(), "{tool}: no {missing:?}: {payload:#}");
        assert_eq!((&payload["schema_version"], &payload["tool"]), (&json!(1), &json!(tool)));
        assert_eq!(result["isError"], error.is_some(), "{tool}: {result}");
        assert_eq!(payload["ok"], error.is_none(), "{tool}: {payload:#}");
        assert_eq!(payload["input"], arguments, "{tool}: what was asked, and nothing more");
        assert!(payload["server_id"].is_null() || payload["server_id"].is_string(), "{tool}: {payload:#}");
        assert!(payload["warnings"].is_array() && payload["truncated"].is_boolean(), "{tool}: {payload:#}");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(!text.is_empty(), "{tool}: clients that ignore the structure read something");
        if let Some(kind) = error {
            assert_eq!(payload["error"]["kind"], kind, "{tool}: {payload:#}");
            let message = payload["error"]["message"].as_str().unwrap();
            assert!(!message.is_empty() && text.contains(message), "{tool}: {text}");
            assert!(!payload["next_steps"].as_array().unwrap().is_empty(), "{tool}: {payload:#}");
        }
    }
}

/// The guide's example of a success: the fields of a configured server, and nothing of what it is given in secret.
#[test]
fn a_configured_server_is_told_with_the_documented_fields_and_its_variables_are_not() {
    let tree = fixture();
    let folder = tree.beside("home").join(".config/orienteer");
    std::fs::create_dir_all(&folder).unwrap();
    let server = format!(
        "[[servers]]\nid = \"mine\"\nkind = \"mine\"\ncommand = \"mine-ls\"\nextensions = [\"mine\"]\n\
         language_id = \"mine\"\nenv = {{ TOKEN = \"{HIDDEN}\" }}\nrequest_timeout_ms = 4000\n\
         request_timeout_overrides_ms = {{ \"textDocument/references\" = 9000 }}\n"
    );
    std::fs::write(folder.join("config.toml"), server).unwrap();
    let root = tree.root().display().to_string();
    let mut server = start(&tree, &["--read-only"], &[]);
    let plain =
        server.call("get_current_config", json!({ "include_env": false, "max_total_chars": 120_000 }));
    let config = &plain["structuredContent"];
    assert_eq!(
        (&config["workspace_root"], &config["allowed_roots"], &config["read_only"]),
        (&json!(root), &json!([root]), &json!(true))
    );
    assert_eq!((&config["server_count"], config["servers"].as_array().unwrap().len()), (&json!(1), 1));
    let row = &config["servers"][0];
    let documented = [
        ("adapter", json!(null)),
        ("cwd", json!(root)),
        ("env", json!(null)),
        ("extensions", json!(["mine"])),
        ("id", json!("mine")),
        ("kind", json!("mine")),
        ("language_id", json!("mine")),
        ("request_timeout_ms", json!(4000)),
        ("request_timeout_overrides_ms", json!({ "textDocument/references": 9000 })),
        ("root_dir", json!(root)),
        ("workspace_folders", json!([])),
    ];
    for (name, value) in &documented {
        assert_eq!(&row[*name], value, "{name}: {row:#}");
    }
    // What is in force, where the guide's example has nothing set.
    assert!(row["initialize_timeout_ms"].is_u64(), "{row:#}");
    let ours =
        ["args", "command", "idle_timeout_seconds", "initialize_timeout_ms", "requires", "root_markers"];
    let all: BTreeSet<&str> = documented.iter().map(|(name, _)| *name).chain(ours).collect();
    assert_eq!(keys(row), all);
    let named = server.call("get_current_config", json!({ "include_env": true }));
    let row = &named["structuredContent"]["servers"][0];
    assert_eq!(row["env"], json!({ "TOKEN": "[hidden]" }), "names, no values: {row:#}");

    let listed = |server: &mut Server, include_env: bool| {
        let result = server.call("list_servers", json!({ "include_env": include_env }));
        let rows = result["structuredContent"]["servers"].as_array().unwrap();
        let row = rows.iter().find(|row| row["id"] == "mine").unwrap_or_else(|| panic!("{result}")).clone();
        (row, result.to_string())
    };
    let (row, without) = listed(&mut server, false);
    let fields =
        ["command", "extensions", "id", "installed", "kind", "language_id", "live_tested", "root_dir"];
    assert_eq!(keys(&row), BTreeSet::from(fields));
    assert_eq!((&row["installed"], &row["extensions"]), (&json!(false), &json!(["mine"])), "{row:#}");
    let (row, with) = listed(&mut server, true);
    assert_eq!(row["env"], json!({ "TOKEN": "[hidden]" }), "{row:#}");
    for told in [plain.to_string(), named.to_string(), without, with] {
        assert!(!told.contains(HIDDEN), "{told}");
    }
}

/// The guide's example of a failure, where nothing serves the extension.
#[test]
fn a_file_that_no_server_is_for_is_told_as_the_guide_shows() {
    let tree = fixture();
    let mut server = start(&tree, &[], &[("ORIENTEER_LSP_DISABLED", "markdown")]);
    let arguments = json!({ "file_path": "README.md", "symbol_name": "lspi" });
    let result = server.call("find_definition", arguments.clone());
    let payload = &result["structuredContent"];
    let error = &payload["error"];
    assert_eq!((&result["isError"], &payload["ok"]), (&json!(true), &json!(false)), "{payload:#}");
    assert_eq!((&error["code"], &error["kind"]), (&json!(-32602), &json!("invalid_params")), "{payload:#}");
    assert_eq!(
        (&error["data"]["kind"], &error["data"]["extension"]),
        (&json!("no_server_for_extension"), &json!("md")),
        "{payload:#}"
    );
    assert_eq!((&payload["input"], &payload["mcp_error_code"]), (&arguments, &json!(-32602)));
    assert_eq!(payload["message"], error["message"]);
    assert_eq!((&payload["server_id"], &payload["tool"]), (&Value::Null, &json!("find_definition")));
    assert_eq!((&payload["truncated"], &payload["warnings"]), (&json!(false), &json!([])));
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("md") && result["content"][0]["text"].as_str().unwrap().contains(message));
    let steps = payload["next_steps"].as_array().unwrap();
    let tools: Vec<&str> = steps.iter().filter_map(|step| step["tool"].as_str()).collect();
    assert_eq!(tools, ["get_current_config", "list_servers", "get_server_status"], "{payload:#}");
    for step in steps.iter().filter(|step| step["kind"] == "tool") {
        assert!(step["message"].is_string() && step["arguments"].is_object(), "{step}");
        let run = server.call(step["tool"].as_str().unwrap(), step["arguments"].clone());
        assert_eq!(run["isError"], false, "{step}: {run}");
    }
    let config = steps.iter().find(|step| step["kind"] == "config").unwrap_or_else(|| panic!("{payload:#}"));
    assert!(config["message"].as_str().unwrap().contains("`servers[].extensions`"), "{config}");
}

#[test]
fn what_is_cut_says_how_much_there_is_and_larger_caps_give_the_rest() {
    let tree = fixture();
    for number in 0..30 {
        tree.write(&format!("src/part_{number:02}.rs"), format!("fn gather_{number}() {{}}\n"));
    }
    let mut server = start(&tree, &["--toolsets", "all"], &[]);
    let mut ask = |most: u64| {
        let asked = json!({ "query": "gather_", "match": "prefix", "max_results": most });
        server.call("find_symbol", asked)["structuredContent"].clone()
    };
    let cut = ask(5);
    assert_eq!((&cut["truncated"], &cut["returned_results"]), (&json!(true), &json!(5)), "{cut:#}");
    assert_eq!((&cut["total_estimate"], cut["cursor"].is_string()), (&json!(30), true), "{cut:#}");
    let whole = ask(100);
    assert_eq!((&whole["truncated"], whole["symbols"].as_array().unwrap().len()), (&json!(false), 30));
}

/// Every row of the page that says how the guide is kept names tests, and each of them exists.
#[test]
fn every_promise_of_the_guide_names_a_test_that_exists() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sources = ["tests/it", "tests/live", "src/error", "src/config", "../orienteer-lsp/tests/it"];
    let page = here.join("../../docs/dialects/native.md");
    let page = promises(&page, &sources.map(|source| here.join(source)));
    assert!(page.rows >= 20, "{} rows", page.rows);
}
