//! What a server answers and nobody can read makes the answer partial, with how much it was; and a server that finds nothing
//! while it says that it is at work has not said that there is nothing.

use std::path::PathBuf;

use orienteer_base::ask::{CallDirection, NameMatch, Relation};
use orienteer_base::{Position, Range};
use orienteer_lsp::command::Renameable;
use orienteer_lsp::definition::Readiness;
use orienteer_lsp::{Heard, Lease, Patience, Seen};
use orienteer_testkit::fake::{Diagnostics, Rule, Script, Signal};
use serde_json::{Value, json};

use crate::support::{LONG, SQUARE, Stage, ms, patience};

/// How many entries an answer has, and what surrounds it.
type Asked = (usize, Seen);

fn of<T>(heard: Heard<T>, count: impl FnOnce(&T) -> usize) -> Asked {
    (count(&heard.value), heard.seen)
}

const METHODS: [&str; 12] = [
    "textDocument/references",
    "textDocument/definition",
    "textDocument/implementation",
    "textDocument/documentSymbol",
    "workspace/symbol",
    "textDocument/prepareCallHierarchy",
    "callHierarchy/incomingCalls",
    "textDocument/prepareTypeHierarchy",
    "textDocument/hover",
    "textDocument/signatureHelp",
    "textDocument/completion",
    "textDocument/codeAction",
];

async fn ask(method: &str, lease: &Lease, file: PathBuf, patience: &Patience) -> Asked {
    let file = &file;
    let at = Position::new(6, 19);
    let relation = |relation| lease.definition(file, SQUARE, relation, patience);
    match method {
        "textDocument/references" => {
            of(lease.references(file, SQUARE, true, patience).await.unwrap(), Vec::len)
        }
        "textDocument/definition" => of(relation(Relation::Definition).await.unwrap(), Vec::len),
        "textDocument/implementation" => of(relation(Relation::Implementation).await.unwrap(), Vec::len),
        "textDocument/documentSymbol" => of(lease.document_symbols(file, patience).await.unwrap(), Vec::len),
        "workspace/symbol" => {
            let asked = lease.workspace_symbols("s", NameMatch::Fuzzy, false, patience);
            of(asked.await.unwrap(), |listed| listed.found.len())
        }
        "textDocument/prepareCallHierarchy" => {
            of(lease.prepare_calls(file, SQUARE, patience).await.unwrap(), Vec::len)
        }
        "callHierarchy/incomingCalls" => {
            let item = lease.prepare_calls(file, SQUARE, patience).await.unwrap().value.remove(0);
            of(lease.calls(&item, CallDirection::Incoming, patience).await.unwrap(), Vec::len)
        }
        "textDocument/prepareTypeHierarchy" => {
            of(lease.prepare_types(file, SQUARE, patience).await.unwrap(), Vec::len)
        }
        "textDocument/hover" => {
            of(lease.hover(file, SQUARE, patience).await.unwrap(), |hovered| hovered.iter().count())
        }
        "textDocument/signatureHelp" => {
            let asked = lease.signature_help(file, Position::new(1, 1), patience);
            of(asked.await.unwrap(), |signed| signed.as_ref().map_or(0, |signed| signed.signatures.len()))
        }
        "textDocument/completion" => {
            let asked = lease.complete(file, Position::new(1, 1), None, (0, 10, false), patience);
            of(asked.await.unwrap(), |proposal| proposal.items.len())
        }
        "textDocument/codeAction" => {
            let range = Range { start: at.min(SQUARE), end: SQUARE };
            of(lease.code_actions(file, range, &[], &[], patience).await.unwrap(), Vec::len)
        }
        other => panic!("{other}"),
    }
}

async fn told(method: &str, answer: Value) -> Asked {
    let stage = Stage::new(Script::new().offers_edits().rule(Rule::on(method).answer(answer)));
    let lease = stage.lease("a.fake").await;
    let asked = ask(method, &lease, stage.path("a.fake"), &patience(LONG)).await;
    drop(lease);
    stage.finish().await;
    asked
}

fn range(from: u64, to: u64) -> Value {
    json!({ "start": { "line": from, "character": 0 }, "end": { "line": to, "character": 3 } })
}

/// An entry as the method has it, in a document, at a range.
fn entry(method: &str, uri: &str, range: &Value) -> Value {
    let item = json!({ "name": "x", "kind": 12, "uri": uri, "range": range, "selectionRange": range });
    match method {
        "callHierarchy/incomingCalls" => json!({ "from": item, "fromRanges": [] }),
        "workspace/symbol" => {
            json!({ "name": "x", "kind": 12, "location": { "uri": uri, "range": range } })
        }
        _ => item,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn garbage_is_not_nothing_in_any_method() {
    let all = METHODS.map(async |method| {
        for garbage in
            [json!("garbage"), json!(5), json!([5, "x", [], {}]), json!({ "contents": 5, "items": 7 })]
        {
            let (count, seen) = told(method, garbage.clone()).await;
            assert_eq!(count, 0, "{method} {garbage}");
            assert!(seen.unreadable > 0, "{method} {garbage}: {seen:?}");
        }
        let (count, seen) = told(method, Value::Null).await;
        assert_eq!((count, seen.unreadable), (0, 0), "{method}: nothing is nothing");
    });
    futures::future::join_all(all).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn places_that_no_file_has_are_counted() {
    let methods = METHODS.iter().take(8);
    let all = methods.map(async |method| {
        let tree = orienteer_testkit::tree(crate::support::PROJECT);
        let own = format!("file://{}/a.fake", tree.root().display());
        let answers = {
            let uri = &own;
            let bad =
                [range(4_000_000_000, 4_000_000_000), range(9, 9), range(u64::MAX, u64::MAX), range(0, 9)];
            let good = entry(method, uri, &range(0, 0));
            let odd = json!({ "start": { "line": -1, "character": -1 }, "end": "x" });
            let mut entries: Vec<Value> = bad.iter().map(|range| entry(method, uri, range)).collect();
            entries.push(entry(method, uri, &odd));
            // An outline is about the file that was asked about.
            if *method != "textDocument/documentSymbol" {
                entries.push(entry(method, "file:///no/such/file.fake", &range(0, 0)));
            }
            entries.insert(1, good);
            entries
        };
        let bad = answers.len() - 1;
        let script = Script::new().rule(Rule::on(method).answer(json!(answers)));
        let stage = Stage::of(tree, script, |_| {}, |_| {});
        let lease = stage.lease("a.fake").await;
        let (count, seen) = ask(method, &lease, stage.path("a.fake"), &patience(LONG)).await;
        assert_eq!((count, seen.unreadable), (1, bad), "{method}");
        drop(lease);
        stage.finish().await;
    });
    futures::future::join_all(all).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_odd_symbol_takes_no_other_with_it() {
    let symbol = |name: &str, children: Value| json!({ "name": name, "kind": 12, "range": range(0, 1), "selectionRange": range(0, 0), "children": children });
    let odd = json!({ "name": 5, "children": [symbol("inside", Value::Null)] });
    let beyond =
        json!({ "name": "beyond", "range": range(99, 99), "children": [symbol("within", json!([]))] });
    let outer = symbol("outer", json!([odd, beyond, symbol("own", json!("x"))]));
    let stage =
        Stage::new(Script::new().rule(Rule::on("textDocument/documentSymbol").answer(json!([outer]))));
    let lease = stage.lease("a.fake").await;
    let heard = lease.document_symbols(&stage.path("a.fake"), &patience(LONG)).await.unwrap();
    let mut names: Vec<&str> = heard.value[0].children.iter().map(|symbol| symbol.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!((names, heard.seen.unreadable), (vec!["inside", "own", "within"], 3));
    drop(lease);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn findings_that_cannot_be_read_leave_a_file_undone() {
    let item = |range: Value| json!({ "range": range, "message": "wrong", "severity": 1 });
    let cases = [
        (json!("none"), 0),
        (json!([5, "x"]), 0),
        (json!([{ "range": range(0, 0) }]), 1),
        (json!([item(range(0, 0)), item(range(500, 500))]), 2),
        (json!([item(json!("somewhere"))]), 1),
    ];
    for (items, count) in cases {
        // Pulled.
        let script = Script::new().diagnostics(Diagnostics::Pull);
        let rule = Rule::on("textDocument/diagnostic").answer(json!({ "kind": "full", "items": items }));
        let stage = Stage::new(script.rule(rule));
        let heard = stage.check_all(&["a.fake"], LONG).await;
        let file = &heard.value.files[0];
        assert_eq!((file.done, file.findings.len()), (false, count), "{items}");
        assert!(heard.seen.unreadable > 0 && file.passed_over.is_some(), "{items}");
        // Whatever is told stands in the file.
        assert!(file.findings.iter().all(|finding| finding.range.end.line <= 5), "{:?}", file.findings);
        stage.finish().await;
    }
    let pulled = |answer: Value| {
        Script::new().diagnostics(Diagnostics::Pull).rule(Rule::on("textDocument/diagnostic").answer(answer))
    };
    let stage = Stage::new(pulled(json!("fine")));
    assert!(!stage.check("a.fake", ms(2_000)).await.done);
    stage.finish().await;
    // Servers that count to -1 know no place, which is no reason to doubt the rest.
    let point = json!({ "line": -1, "character": -1 });
    let nowhere = item(json!({ "start": point, "end": point }));
    let stage = Stage::new(pulled(json!({ "kind": "full", "items": [nowhere, { "message": "m" }] })));
    let file = stage.check("a.fake", LONG).await;
    assert_eq!((file.done, file.findings.len()), (true, 2));
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_published_word_where_the_list_should_be_is_not_clean() {
    for diagnostics in [json!("none"), Value::Null, json!({ "a": 1 })] {
        let script = Script::new().diagnostics(Diagnostics::Never);
        let tree = orienteer_testkit::tree(crate::support::PROJECT);
        let uri = format!("file://{}/a.fake", tree.root().display());
        let params = json!({ "uri": uri, "version": 1, "diagnostics": diagnostics });
        let method = "textDocument/publishDiagnostics";
        let script = script.notify("textDocument/didOpen", 50, method, params);
        let stage = Stage::of(tree, script, |_| {}, |_| {});
        let file = stage.check("a.fake", LONG).await;
        assert_eq!((file.done, file.findings.len()), (false, 0), "{diagnostics}");
        assert!(file.passed_over.is_some(), "{diagnostics}");
        stage.finish().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_of_a_server_that_is_at_work_is_not_nothing() {
    // However it shows that it is ready, and however often it is asked.
    for readiness in [Readiness::Immediate, Readiness::Progress, Readiness::Message] {
        let script = METHODS.iter().fold(Script::new().offers_edits(), |script, method| match *method {
            "textDocument/prepareCallHierarchy" => script,
            method => script.rule(Rule::on(method).answer(Value::Null)),
        });
        let script = script.never_ready(Signal::Progress(json!("index")));
        let said = json!({ "type": 3, "message": "3 source files" });
        let script = script.notify("initialized", 0, "window/logMessage", said);
        let stage = Stage::defined(script, |definition| {
            definition.ready_project = readiness;
            definition.ready_messages = vec!["source files".to_owned()];
        });
        let lease = stage.lease("a.fake").await;
        assert!(lease.supports("textDocument/hover", &patience(LONG)).await.unwrap());
        stage.until("its work", |stage| stage.state().percent.is_some()).await;
        for _ in 0..2 {
            for method in METHODS {
                let (count, seen) = ask(method, &lease, stage.path("a.fake"), &patience(ms(50))).await;
                if count == 0 {
                    assert!(!seen.ready, "{readiness:?} {method}: {seen:?}");
                    assert!(seen.busy_with.is_some_and(|doing| doing.starts_with("Loading")), "{method}");
                }
            }
        }
        let renameable =
            lease.prepare_rename(&stage.path("a.fake"), SQUARE, &patience(ms(50))).await.unwrap();
        assert!(renameable.value != Renameable::No { message: None } || !renameable.seen.ready);
        drop(lease);
        stage.finish_but_for(|_| true).await;
    }
}
