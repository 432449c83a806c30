//! Some servers name documents that are no files, such as a class in an archive. What cannot be shown is told.

use orienteer_testkit::fake::{Rule, Script, fake_lsp_binary};
use orienteer_testkit::tree;
use serde_json::{Value, json};

use crate::support::{Live, at, configure, over_tree, symbol_rows, uses, warnings};

const CLASS: &str = "jdt://contents/java.base/java.lang/String.class?=app";

fn place(uri: &str, line: u32) -> Value {
    let (start, end) = (json!({ "line": line, "character": 4 }), json!({ "line": line, "character": 10 }));
    json!({ "uri": uri, "range": { "start": start, "end": end } })
}

fn function(uri: &str) -> Value {
    let range = &place(uri, 0)["range"];
    json!({ "name": "square", "kind": 12, "uri": uri, "range": range, "selectionRange": range })
}

/// A server that answers this to a question.
fn answering(method: &str, answer: impl FnOnce(&str) -> Value) -> Live {
    let tree = tree("//- /a.fake\ndef square n\nuse square\n");
    let uri = format!("file://{}/a.fake", tree.root().display());
    let script = Script::new().rule(Rule::on(method).answer(answer(&uri))).write(&tree.beside("fake"));
    let block = format!(
        "[[servers]]\nid = 'fake'\ncommand = '{}'\nargs = ['{}']\nextensions = ['fake']\nroot_markers = ['.']\n",
        fake_lsp_binary().display(),
        script.display()
    );
    configure(&tree, &block);
    over_tree(tree).start()
}

fn is_told(answer: &Value) {
    assert_eq!(answer["completeness"], json!({ "state": "partial", "reason": "unreadable" }), "{answer:#}");
    assert_eq!(warnings(answer), ["not_a_file"]);
    assert!(answer["warnings"][0]["message"].as_str().unwrap().contains(CLASS), "{answer:#}");
}

#[test]
fn a_definition_in_one_is_not_nothing() {
    let mut live = answering("textDocument/definition", |_| place(CLASS, 7));
    let found = live.get("find_definition", at("a.fake", 2, 6));
    assert_eq!(found["definitions"], json!([]));
    is_told(&found);
    live.end();
}

#[test]
fn references_beside_one_are_not_all() {
    let mut live = answering("textDocument/references", |own| json!([place(own, 1), place(CLASS, 7)]));
    // Asked again, too.
    for _ in 0..2 {
        let found = live.get("find_references", at("a.fake", 2, 6));
        assert_eq!(uses(&found), ["a.fake:2:5"]);
        is_told(&found);
    }
    live.end();
}

#[test]
fn callers_and_symbols_in_one_are_missing() {
    let mut live = answering("callHierarchy/incomingCalls", |own| {
        let call = |uri: &str| json!({ "from": function(uri), "fromRanges": [place(uri, 0)["range"]] });
        json!([call(own), call(CLASS)])
    });
    let found = live.get("call_hierarchy", at("a.fake", 1, 6));
    assert_eq!(found["items"].as_array().unwrap().len(), 1, "{found:#}");
    is_told(&found);
    live.end();
    let mut live = answering("textDocument/prepareCallHierarchy", |_| json!([function(CLASS)]));
    let refused = live.refused("call_hierarchy", at("a.fake", 2, 6));
    let error = &refused["error"];
    assert_eq!((&error["kind"], &error["data"]["kind"]), (&json!("not_found"), &json!("not_a_file")));
    assert!(error["message"].as_str().unwrap().contains(CLASS), "{refused:#}");
    live.end();
    // A language that nobody else knows is asked about, too.
    let mut live = answering("workspace/symbol", |own| {
        let symbol = |uri: &str| json!({ "name": "square", "kind": 12, "location": place(uri, 0) });
        json!([symbol(own), symbol(CLASS)])
    });
    let all = json!({ "query": "square", "include_dependencies": true });
    let found = live.get("find_symbol", all);
    assert_eq!(symbol_rows(&found), ["function square a.fake:1:5"]);
    assert!(warnings(&found).contains(&"not_a_file"), "{found:#}");
    assert_eq!(found["completeness"]["state"], "partial");
    // It belongs to a dependency, and those were not asked for.
    let found = live.ask("find_symbol", json!({ "query": "square" }));
    assert_eq!(
        (symbol_rows(&found), warnings(&found)),
        (vec!["function square a.fake:1:5".to_owned()], vec![])
    );
    live.end();
}
