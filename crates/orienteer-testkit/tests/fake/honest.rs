//! Without knobs it is a correct server.

use orienteer_testkit::fake::{Change, Encoding, Held, Script};
use serde_json::{Value, json};

use crate::{PATIENCE, Stage, all};

#[test]
fn it_answers_every_question_about_code() {
    let mut stage = Stage::new(Script::new());
    let result = stage.initialize();
    assert_eq!(result["capabilities"]["textDocumentSync"]["change"], 2);
    assert_eq!(stage.client.encoding(), "utf-16");

    assert_eq!(stage.references(), all());
    let found = stage.ask("textDocument/definition", "deep/ü #1.fake", 0, 8);
    assert_eq!(stage.places(&found), [("a.fake".to_owned(), 1, 4)]);
    let found = stage.ask("textDocument/declaration", "b.fake", 5, 12);
    assert_eq!(stage.places(&found), [("b.fake".to_owned(), 0, 8)]);
    let found = stage.ask("textDocument/typeDefinition", "b.fake", 4, 12);
    assert_eq!(stage.places(&found), [("a.fake".to_owned(), 3, 5)]);
    let found = stage.ask("textDocument/implementation", "a.fake", 3, 6);
    assert_eq!(stage.places(&found), [("b.fake".to_owned(), 2, 5)]);

    let hover = stage.ask("textDocument/hover", "b.fake", 4, 12);
    assert_eq!(hover["contents"]["value"], "```fake\ndef square(n) -> Number\n```\n\nSquares a number.");
    let symbols = stage.ask("textDocument/documentSymbol", "b.fake", 0, 0);
    assert_eq!(symbols[1]["name"], "Small");
    assert_eq!(symbols[1]["range"]["end"], json!({ "line": 5, "character": 20 }));
    assert_eq!(symbols[1]["children"][0]["name"], "shrink");
    assert_eq!(symbols[1]["children"][0]["kind"], 6);
    let symbols = stage.client.request("workspace/symbol", json!({ "query": "S" }));
    let names: Vec<_> =
        symbols.as_array().unwrap().iter().map(|symbol| symbol["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["square", "Small", "shrink"]);

    stage.tree.write("b.fake", "def other\n  call squ\n  call square \n");
    stage.tell_changed("b.fake", 2);
    let items = stage.ask("textDocument/completion", "b.fake", 1, 10)["items"].take();
    assert_eq!((items[0]["label"].as_str(), items.as_array().map(Vec::len)), (Some("square"), Some(1)));
    let item = stage.client.request("completionItem/resolve", items[0].clone());
    assert_eq!(item["detail"], "def square(n) -> Number");
    let help = stage.ask("textDocument/signatureHelp", "b.fake", 2, 14);
    assert_eq!(
        (&help["signatures"][0]["label"], &help["activeParameter"]),
        (&json!("def square(n) -> Number"), &json!(0))
    );
    assert_eq!(stage.record.violations(), Vec::<String>::new());
    assert!(stage.record.stale_answers().is_empty());
}

#[test]
fn hierarchies_go_both_ways() {
    let mut stage = Stage::ready(Script::new());
    let items = stage.ask("textDocument/prepareCallHierarchy", "a.fake", 1, 6);
    let item = json!({ "item": items[0] });
    let incoming = stage.client.request("callHierarchy/incomingCalls", item.clone());
    assert_eq!(incoming[0]["from"]["name"], "shrink");
    assert_eq!(incoming[0]["fromRanges"][0]["start"], json!({ "line": 4, "character": 9 }));
    let outgoing = stage.client.request("callHierarchy/outgoingCalls", item);
    assert_eq!((&outgoing[0]["to"]["name"], &outgoing[1]), (&json!("multiply"), &Value::Null));

    let items = stage.ask("textDocument/prepareTypeHierarchy", "a.fake", 3, 6);
    let subtypes = stage.client.request("typeHierarchy/subtypes", json!({ "item": items[0] }));
    assert_eq!(subtypes[0]["name"], "Small");
    let supertypes = stage.client.request("typeHierarchy/supertypes", json!({ "item": subtypes[0] }));
    assert_eq!(supertypes[0]["name"], "Number");
}

#[test]
fn rename_edits_every_file() {
    let mut stage = Stage::ready(Script::new());
    let place = stage.ask("textDocument/prepareRename", "a.fake", 1, 6);
    assert_eq!(place["placeholder"], "square");
    let mut params = stage.at("a.fake", 1, 6);
    params["newName"] = json!("quadrat");
    let edit = stage.client.request("textDocument/rename", params);
    assert_eq!(edit["changes"].as_object().unwrap().len(), 3);
    assert_eq!(edit["changes"][stage.uri("deep/ü #1.fake")][0]["range"]["start"]["character"], 7);
}

#[test]
fn columns_follow_the_encoding_that_was_offered_and_chosen() {
    for (encoding, column) in [(Encoding::Utf16, 7), (Encoding::Utf8, 9), (Encoding::Utf32, 6)] {
        let mut stage = Stage::ready(Script::new().encoding(encoding));
        assert_eq!(stage.client.encoding(), encoding.name());
        assert_eq!(stage.references()[2].2, column);
    }
    let mut stage = Stage::new(Script::new().encoding(Encoding::Utf8));
    let root = stage.tree.root().to_owned();
    stage.client.initialize_with(&root, Value::Null, |capabilities| {
        capabilities["general"]["positionEncodings"] = json!(["utf-16"]);
    });
    assert_eq!(stage.client.encoding(), "utf-16");
}

#[test]
fn it_knows_only_what_it_was_told() {
    let mut stage = Stage::ready(Script::new());
    stage.tree.write("c.fake", "use square\n");
    stage.tree.write("a.fake", "\n\ndef square\n");
    assert_eq!(stage.references(), all(), "nobody told it");
    let stale = &stage.record.stale_answers()[0].stale;
    assert_eq!(stale, &[stage.path("a.fake"), stage.path("c.fake")]);

    stage.tell_changed("c.fake", 1);
    stage.tell_changed("a.fake", 2);
    std::fs::remove_file(stage.path("b.fake")).unwrap();
    stage.tell_changed("b.fake", 3);
    let found = stage.ask("textDocument/references", "c.fake", 0, 5);
    let wanted =
        [("a.fake".to_owned(), 2, 4), ("c.fake".to_owned(), 0, 4), ("deep/ü #1.fake".to_owned(), 0, 7)];
    assert_eq!(stage.places(&found), wanted);
    let last = stage.record.texts_at_answers().pop().unwrap();
    assert!(last.stale.is_empty(), "{last:?}");
    assert_eq!(last.texts[&stage.path("a.fake")], Held::Text("\n\ndef square\n".to_owned()));
    assert_eq!(last.texts.len(), 3);
}

#[test]
fn open_documents_win_over_the_disk_until_they_are_closed() {
    let mut stage = Stage::new(Script::new().change(Change::Full));
    assert_eq!(stage.initialize()["capabilities"]["textDocumentSync"]["change"], 1);
    let a = stage.path("a.fake");
    stage.client.open(&a, "fake");
    stage.client.change(&a, "\ndef other\n");
    stage.tell_changed("a.fake", 2);
    let found = stage.ask("textDocument/definition", "a.fake", 1, 6);
    assert_eq!(stage.places(&found), [("a.fake".to_owned(), 1, 4)]);
    stage.client.close(&a);
    assert_eq!(stage.references(), all());
    assert_eq!(stage.record.count("textDocument/didChange"), 1);
    assert_eq!(
        stage.record.received("textDocument/didChange")[0]["params"]["contentChanges"][0]["text"],
        "\ndef other\n"
    );
}

#[test]
fn large_texts_are_noted_by_length() {
    let mut stage = Stage::new(Script::new());
    stage.tree.write("large.fake", "# x\n".repeat(20_000));
    stage.initialize();
    stage.references();
    let last = stage.record.texts_at_answers().pop().unwrap();
    assert!(matches!(last.texts[&stage.path("large.fake")], Held::Large { bytes: 80_000, .. }));
}

#[test]
fn what_the_protocol_forbids_is_noted() {
    let mut stage = Stage::new(Script::new().without(&["textDocument/hover"]));
    let params = stage.at("a.fake", 0, 0);
    assert_eq!(stage.client.try_request("textDocument/references", params).unwrap_err()["code"], -32002);
    let result = stage.initialize();
    assert_eq!(result["capabilities"].get("hoverProvider"), None);
    let a = stage.path("a.fake");
    stage.client.open(&a, "fake");
    stage.client.open(&a, "fake");
    let (hover, inside) = (stage.at("a.fake", 1, 6), stage.at("deep/ü #1.fake", 0, 1));
    assert_eq!(stage.client.try_request("textDocument/hover", hover).unwrap_err()["code"], -32601);
    assert_eq!(stage.client.try_request("textDocument/definition", inside).unwrap_err()["code"], -32602);
    stage.client.close(&stage.path("b.fake"));
    stage.record.wait_for(
        |events| events.iter().any(|event| event["what"].to_string().contains("didClose")),
        PATIENCE,
    );
    let violations = stage.record.violations();
    assert_eq!(violations.len(), 5, "{violations:?}");
}

#[test]
fn folders_come_and_go() {
    let mut stage = Stage::ready(Script::new());
    let other = stage.tree.beside("other");
    std::fs::write(other.join("x.fake"), "use square\n").unwrap();
    let folder = json!([{ "uri": orienteer_testkit::uri::file_uri(&other), "name": "other" }]);
    let event = |added: &Value, removed: &Value| json!({ "event": { "added": added, "removed": removed } });
    stage.client.notify("workspace/didChangeWorkspaceFolders", event(&folder, &json!([])));
    assert_eq!(stage.ask("textDocument/references", "a.fake", 1, 6).as_array().unwrap().len(), 4);
    stage.client.notify("workspace/didChangeWorkspaceFolders", event(&json!([]), &folder));
    assert_eq!(stage.references(), all());
}
