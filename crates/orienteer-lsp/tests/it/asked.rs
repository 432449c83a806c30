//! What servers ask of us, and what they register later.

use orienteer_lsp::Failure;
use orienteer_testkit::fake::{Ask, Diagnostics, Script};
use serde_json::{Value, json};

use crate::support::{ALL, DEEP, LONG, SQUARE, Stage, ms, patience};

#[tokio::test(flavor = "multi_thread")]
async fn every_request_of_a_server_is_answered() {
    let asks = [
        Ask::configuration(&["fake", "fake.deep", "other"]),
        Ask::register("textDocument/hover", json!({})),
        Ask::create_progress("token"),
        Ask::workspace_folders(),
        Ask::apply_edit(json!({ "changes": {} })),
        Ask::refresh_diagnostics(),
        Ask::raw("window/showMessageRequest", json!({ "type": 1, "message": "Install?", "actions": [] })),
        Ask::raw("window/showDocument", json!({ "uri": "https://example.org" })),
        Ask::unknown(),
    ];
    let script = Script::new().insist_on_replies();
    let script = asks.into_iter().fold(script, |script, ask| script.ask("textDocument/definition", ask));
    let stage = Stage::defined(script, |definition| {
        definition.settings = json!({ "fake": { "level": 3, "deep": { "on": true } } });
    });
    assert_eq!(stage.definition().await, ["a.fake:2:5"], "it waits for all replies before it answers");
    let result = |method: &str| stage.record.replies(method)[0]["result"].clone();
    let settings = json!([{ "level": 3, "deep": { "on": true } }, { "on": true }, null]);
    assert_eq!(result("workspace/configuration"), settings);
    assert_eq!(result("client/registerCapability"), Value::Null);
    assert_eq!(result("window/workDoneProgress/create"), Value::Null);
    let folders = result("workspace/workspaceFolders");
    assert_eq!(folders[0]["uri"], format!("file://{}", stage.tree.root().display()));
    assert_eq!(folders[0]["name"], "work");
    assert_eq!(result("workspace/applyEdit")["applied"], false, "nothing is written for a server");
    assert_eq!(result("window/showMessageRequest"), Value::Null);
    assert_eq!(result("window/showDocument"), json!({ "success": false }));
    let unknown = &stage.record.replies("fake/unknownRequest")[0];
    assert_eq!(unknown["error"]["code"], -32601);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_before_the_initialize_reply_are_answered_too() {
    let script = Script::new()
        .insist_on_replies()
        .ask("initialize", Ask::configuration(&["x"]))
        .ask("initialize", Ask::register("workspace/didChangeWatchedFiles", json!({ "watchers": [] })))
        .ask("initialize", Ask::unknown());
    let stage = Stage::new(script);
    assert_eq!(stage.references().await, ALL);
    assert_eq!(stage.record.replies("fake/unknownRequest").len(), 1);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn methods_that_are_registered_later_may_be_asked_then() {
    let script = Script::new().dynamic(&["textDocument/references"], 200);
    let stage = Stage::new(script);
    let failure = stage.ask_references(LONG).await.unwrap_err();
    assert!(matches!(failure, Failure::Unsupported { .. }), "{failure:?}");
    stage
        .until("the registration", |stage| stage.record.replies("client/registerCapability").len() == 1)
        .await;
    assert_eq!(stage.references().await, ALL);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pulls_that_are_registered_later_are_used() {
    let script = Script::new().diagnostics(Diagnostics::Never).dynamic(&["textDocument/diagnostic"], 0);
    let stage = Stage::new(script);
    assert_eq!(stage.definition().await, ["a.fake:2:5"]);
    stage
        .until("the registration", |stage| stage.record.replies("client/registerCapability").len() == 1)
        .await;
    let check = stage.check(DEEP, LONG).await;
    assert!(check.done);
    assert_eq!(check.findings[0].message, "this is wrong");
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_taken_back_is_not_asked_any_more() {
    let hover = "textDocument/hover";
    let script = Script::new()
        .without(&[hover])
        .ask("initialized", Ask::register(hover, json!({})))
        .ask_later("initialized", 50, Ask::unregister(hover));
    let stage = Stage::new(script);
    assert_eq!(stage.definition().await, ["a.fake:2:5"]);
    stage.until("the end", |stage| stage.record.replies("client/unregisterCapability").len() == 1).await;
    let lease = stage.lease("a.fake").await;
    let failure = lease.hover(&stage.path("a.fake"), SQUARE, &patience(LONG)).await.unwrap_err();
    assert!(matches!(failure, Failure::Unsupported { .. }), "{failure:?}");
    drop(lease);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn watched_files_of_every_pattern_are_told() {
    let tree = orienteer_testkit::tree(crate::support::PROJECT);
    let deep = tree.root().join("deep");
    let script = Script::new()
        .ask("initialized", Ask::watch(&["**/*.fake", "**/settings.json"]))
        .ask("initialized", Ask::raw("client/registerCapability", json!({ "registrations": [] })))
        .ask_later("initialized", 1, Ask::watch_relative(&deep, "*.txt"));
    let stage = Stage::of(tree, script, |_| {}, |_| {});
    assert_eq!(stage.references().await, ALL);
    stage.until("both", |stage| stage.record.replies("client/registerCapability").len() == 3).await;
    tokio::time::sleep(ms(20)).await;
    stage.tree.write("x/settings.json", "{}");
    stage.tree.write("deep/note.txt", "note");
    stage.tree.write("deep/further/note.txt", "not asked for");
    stage.tree.write("c.fake", "use square\n");
    assert_eq!(stage.references().await.len(), 4);
    let told = stage.record.received("workspace/didChangeWatchedFiles");
    let mut names: Vec<&str> = told
        .iter()
        .flat_map(|event| event["params"]["changes"].as_array().unwrap())
        .filter_map(|change| change["uri"].as_str()?.strip_prefix("file://"))
        .filter_map(|path| path.strip_prefix(stage.tree.root().to_str().unwrap()))
        .collect();
    names.sort_unstable();
    // The second registration has the id of the first, and takes its place.
    assert_eq!(names, ["/c.fake", "/deep/note.txt"]);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_watches_other_files_only_still_hears_of_its_own() {
    let stage = Stage::new(Script::new().ask("initialized", Ask::watch(&["**/*.json"])));
    assert_eq!(stage.references().await, ALL);
    stage.tree.write("b.fake", "\nuse square\n");
    assert_eq!(stage.references().await, ["a.fake:2:5", "b.fake:2:5", ALL[2]]);
    stage.tree.write("c.fake", "use square\n");
    assert_eq!(stage.references().await.len(), 4);
    std::fs::remove_file(stage.path("c.fake")).unwrap();
    assert_eq!(stage.references().await.len(), 3);
    stage.finish().await;
}
