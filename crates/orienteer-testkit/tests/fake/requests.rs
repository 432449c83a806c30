//! The server's own requests, and the ids they carry.

use std::time::Duration;

use orienteer_testkit::fake::{Ask, Ids, Script};
use serde_json::{Value, json};

use crate::{PATIENCE, Stage, all, output};

#[test]
fn replies_are_noted_whatever_the_ids_are() {
    for ids in [Ids::Numbers, Ids::SameAsClient, Ids::Strings, Ids::NumericStrings] {
        let script = Script::new()
            .ids(ids)
            .insist_on_replies()
            .ask("initialized", Ask::configuration(&["python.analysis", "none"]))
            .ask("initialized", Ask::watch(&["**/*.fake"]))
            .ask("initialized", Ask::create_progress(7))
            .ask("textDocument/references", Ask::workspace_folders())
            .ask("textDocument/references", Ask::apply_edit(json!({ "changes": {} })))
            .ask("textDocument/references", Ask::unknown());
        let mut stage = Stage::new(script);
        stage.client.set_settings(json!({ "python": { "analysis": { "mode": "strict" } } }));
        stage.initialize();
        assert_eq!(stage.references(), all());
        let reply = |method: &str| stage.record.replies(method).remove(0);
        assert_eq!(reply("workspace/configuration")["result"], json!([{ "mode": "strict" }, null]));
        assert_eq!(reply("client/registerCapability")["result"], Value::Null);
        assert_eq!(reply("window/workDoneProgress/create")["result"], Value::Null);
        assert_eq!(reply("workspace/workspaceFolders")["result"][0]["name"], "work");
        assert_eq!(reply("workspace/applyEdit")["result"]["applied"], false);
        assert_eq!(reply("fake/unknownRequest")["error"]["code"], -32601);
        assert_eq!(stage.record.violations(), Vec::<String>::new());
        let asked = stage.client.server_requests();
        let folders = asked.iter().find(|ask| ask["method"] == "workspace/workspaceFolders").unwrap();
        match ids {
            Ids::SameAsClient => assert_eq!(folders["id"], 2, "the id of the references request"),
            Ids::Numbers => assert_eq!(folders["id"], 3),
            Ids::Strings => assert_eq!(folders["id"], "fake-3"),
            Ids::NumericStrings => assert_eq!(folders["id"], "3"),
        }
    }
}

#[test]
fn it_refuses_to_go_on_without_a_reply() {
    let script = Script::new().ask("initialize", Ask::unknown());
    assert!(output(script.clone()).contains("capabilities"));
    let script = script.insist_on_replies();
    let unanswered = output(script.clone());
    assert!(unanswered.contains("unknownRequest") && !unanswered.contains("capabilities"), "{unanswered}");

    let stage = Stage::ready(script);
    let events = stage.record.events();
    let position = |wanted: &dyn Fn(&Value) -> bool| events.iter().position(wanted).unwrap();
    let replied = position(&|event| event["kind"] == "response");
    let answered = position(&|event| event["event"] == "answered");
    assert!(replied < answered, "the answer waits for the reply");
}

#[test]
fn watchers_may_be_relative() {
    let base = std::path::Path::new("/some where");
    let mut stage = Stage::ready(Script::new().ask("initialized", Ask::watch_relative(base, "*.fake")));
    stage.references();
    let options = &stage.client.server_requests()[0]["params"]["registrations"][0]["registerOptions"];
    let glob = &options["watchers"][0]["globPattern"];
    assert_eq!(glob, &json!({ "baseUri": "file:///some%20where", "pattern": "*.fake" }));
}

#[test]
fn capabilities_may_come_later() {
    let methods = ["textDocument/rename", "textDocument/diagnostic"];
    let mut stage = Stage::new(Script::new().dynamic(&methods, 1000));
    let result = stage.initialize();
    assert_eq!(result["capabilities"].get("renameProvider"), None);
    let pull = json!({ "textDocument": { "uri": stage.uri("deep/ü #1.fake") } });
    let early = stage.client.try_request("textDocument/diagnostic", pull.clone());
    assert_eq!(early.unwrap_err()["code"], -32601);
    let registered =
        |events: &[Value]| events.iter().filter(|event| event["kind"] == "response").count() == 2;
    stage.record.wait_for(registered, PATIENCE);
    let report = stage.client.request("textDocument/diagnostic", pull);
    assert_eq!(report["items"][0]["message"], "this is wrong");
}

#[test]
fn it_says_what_and_when_the_script_wants() {
    let params = json!({ "type": 1, "message": "look out" });
    let mut stage =
        Stage::ready(Script::new().notify("textDocument/references", 1000, "window/showMessage", params));
    stage.references();
    let seen =
        |method: &str, params: &Value| method == "window/showMessage" && params["message"] == "look out";
    assert!(stage.client.wait_notification(seen, Duration::from_millis(1)).is_none());
    assert!(stage.client.wait_notification(seen, PATIENCE).is_some());
}
