//! What nobody can read is told: of a server's answer, and of a project's configuration.

use orienteer_testkit::fake::{Rule, Script};
use orienteer_testkit::{Server, tree};
use serde_json::{Value, json};

use crate::ORIENTEER;
use crate::support::{over_fake, run_in};

fn ask(server: &mut Server, tool: &str, arguments: Value) -> Value {
    server.call(tool, arguments)["structuredContent"].clone()
}

fn kinds(answer: &Value) -> Vec<&str> {
    let warnings = answer["warnings"].as_array().unwrap();
    warnings.iter().map(|warning| warning["kind"].as_str().unwrap()).collect()
}

#[test]
fn a_server_s_unreadable_answer_is_partial_in_every_tool() {
    let at = |line: u32| json!({ "file_path": "a.fake", "line": line, "column": 6 });
    for (method, tool, arguments) in [
        ("textDocument/definition", "find_definition", at(2)),
        ("textDocument/references", "find_references", at(2)),
        ("textDocument/documentSymbol", "document_symbols", json!({ "file_path": "a.fake" })),
        ("workspace/symbol", "find_symbol", json!({ "query": "square" })),
        ("textDocument/hover", "hover", at(2)),
        ("callHierarchy/incomingCalls", "call_hierarchy", at(1)),
        ("textDocument/signatureHelp", "signature_help", at(2)),
        ("textDocument/completion", "complete", at(2)),
        (
            "textDocument/publishDiagnostics",
            "get_diagnostics",
            json!({ "file_paths": ["a.fake"], "wait_ms": 5_000 }),
        ),
    ] {
        let script = match method {
            "textDocument/publishDiagnostics" => {
                let script = Script::new().diagnostics(orienteer_testkit::fake::Diagnostics::Pull);
                let report = json!({ "kind": "full", "items": ["x"] });
                script.rule(Rule::on("textDocument/diagnostic").answer(report))
            }
            method => Script::new().rule(Rule::on(method).answer(json!("garbage"))),
        };
        let (_tree, mut server) = over_fake(script);
        let answer = ask(&mut server, tool, arguments);
        let partial = json!({ "state": "partial", "reason": "unreadable_answer" });
        assert_eq!(answer["completeness"], partial, "{tool}: {answer}");
        assert!(kinds(&answer).contains(&"unreadable_answer"), "{tool}: {answer}");
        assert_ne!(answer["state"], "clean");
    }
    // Where there is nothing to begin with, that is the server's fault and not an answer.
    let (_tree, mut server) = over_fake(
        Script::new().rule(Rule::on("textDocument/prepareCallHierarchy").answer(json!([5, { "name": "x" }]))),
    );
    let error = ask(&mut server, "call_hierarchy", at(1))["error"].clone();
    assert_eq!(
        (&error["kind"], &error["data"]["kind"]),
        (&json!("internal_error"), &json!("unreadable_answer"))
    );
    assert!(error["message"].as_str().unwrap().contains("2 parts"), "{error}");
}

#[test]
fn references_beyond_the_end_of_a_file_are_no_references() {
    let tree_of_fake = |answer: &dyn Fn(&str) -> Value| {
        let tree = tree("//- /a.fake\ndef square n\nuse square\n");
        let uri = format!("file://{}/a.fake", tree.root().display());
        (tree, Script::new().rule(Rule::on("textDocument/references").answer(answer(&uri))))
    };
    let place = |uri: &str, line: u64| {
        let (start, end) =
            (json!({ "line": line, "character": 4 }), json!({ "line": line, "character": 10 }));
        json!({ "uri": uri, "range": { "start": start, "end": end } })
    };
    // One that a look at the file shows, one that its size does, one that no number holds.
    let all = |uri: &str| json!([place(uri, 1), place(uri, 7), place(uri, 70_000), place(uri, u64::MAX)]);
    let (tree, script) = tree_of_fake(&all);
    let mut server = crate::support::over_fake_in(&tree, script);
    for _ in 0..2 {
        let arguments =
            json!({ "file_path": "a.fake", "line": 2, "column": 6, "include_declaration": false });
        let answer = ask(&mut server, "find_references", arguments);
        assert_eq!((&answer["total_count"], answer["references"].as_array().unwrap().len()), (&json!(1), 1));
        assert_eq!(answer["completeness"]["reason"], "unreadable_answer", "{answer}");
    }
}

#[test]
fn a_project_s_broken_configuration_stops_nobody() {
    let tree = tree(
        "//- /a.txt\nx\n//- /.orienteer/config.toml\n[mcp]\nqueue_mx = 1\n[tools]\nexclude = ['explor', 'hover']\n",
    );
    let mut server = Server::start(ORIENTEER, tree.root(), &["--log-level", "error"]);
    server.initialize("2025-11-25");
    let tools = server.request("tools/list", json!({}));
    let names: Vec<&str> = tools["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert!(names.contains(&"explore") && !names.contains(&"hover"), "what is right in it counts: {names:?}");
    // The first answer tells it, and the configuration whenever it is asked for.
    let first = ask(&mut server, "read_file", json!({ "file_path": "a.txt" }));
    assert_eq!(kinds(&first), ["invalid_setting", "invalid_setting"], "{first}");
    let told: Vec<&str> =
        first["warnings"].as_array().unwrap().iter().map(|one| one["message"].as_str().unwrap()).collect();
    assert!(told[0].contains("did you mean `mcp.queue_max`?") && told[0].contains("config.toml"), "{told:?}");
    assert!(told[1].contains("did you mean `explore`?"), "{told:?}");
    assert_eq!(kinds(&ask(&mut server, "read_file", json!({ "file_path": "a.txt" }))), [""; 0]);
    let config = ask(&mut server, "get_current_config", json!({}));
    assert_eq!(kinds(&config), ["invalid_setting", "invalid_setting"], "{config}");
    drop(server);
    for text in ["[mcp", "\u{0}"] {
        tree.write(".orienteer/config.toml", text);
        let home = tree.beside("home").display().to_string();
        let doctor = run_in(ORIENTEER, &["doctor"], tree.root(), &[("HOME", &home)]).stdout;
        assert!(doctor.contains("it is left out"), "{doctor}");
    }
}
