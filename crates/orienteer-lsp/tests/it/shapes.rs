//! Every request has its named facts, in every shape that a server may answer in.

use orienteer_base::ask::{CallDirection, NameMatch, Relation};
use orienteer_base::{Position, SymbolKind};
use orienteer_lsp::Failure;
use orienteer_lsp::command::Outlined;
use orienteer_testkit::fake::{Change, Encoding, HoverShape, Locations, Rule, Script};
use serde_json::json;

use crate::support::{ALL, DEEP, LONG, SQUARE, Stage, patience};

const ENCODINGS: [Encoding; 3] = [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32];

#[tokio::test(flavor = "multi_thread")]
async fn columns_are_right_in_every_encoding_behind_an_emoji() {
    for encoding in ENCODINGS {
        for change in [Change::Incremental, Change::Full] {
            let stage = Stage::new(Script::new().encoding(encoding).change(change));
            assert_eq!(stage.references().await, ALL, "{encoding:?}");
            let lease = stage.lease(DEEP).await;
            let file = stage.path(DEEP);
            for column in [7, 10, 13] {
                let at = Position::new(1, column);
                let found = lease.definition(&file, at, Relation::Definition, &patience(LONG)).await.unwrap();
                assert_eq!(stage.places(&found.value), ["a.fake:2:5"], "{encoding:?} {column}");
            }
            let hovered =
                lease.hover(&file, Position::new(1, 8), &patience(LONG)).await.unwrap().value.unwrap();
            let range = hovered.range.unwrap();
            assert_eq!((range.start, range.end), (Position::new(1, 7), Position::new(1, 13)));
            stage.tree.write(DEEP, "é😀𝄞 use square\r\n😀😀 use square\r\n");
            let found = stage.references().await;
            assert_eq!(found[2..], ["deep/ü #1.fake:1:9", "deep/ü #1.fake:2:8"], "{encoding:?}");
            drop(lease);
            stage.finish().await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_location_several_and_links_are_the_same_places() {
    for shape in [Locations::Single, Locations::Array, Locations::Links] {
        let stage = Stage::new(Script::new().locations(shape));
        let lease = stage.lease("b.fake").await;
        let file = stage.path("b.fake");
        let ask = async |line, column, relation| {
            let at = Position::new(line, column);
            stage.places(&lease.definition(&file, at, relation, &patience(LONG)).await.unwrap().value)
        };
        assert_eq!(ask(5, 11, Relation::Definition).await, ["a.fake:2:5"], "{shape:?}");
        assert_eq!(ask(6, 11, Relation::Declaration).await, ["b.fake:1:9"]);
        assert_eq!(ask(5, 11, Relation::TypeDefinition).await, ["a.fake:4:6"]);
        assert_eq!(ask(3, 12, Relation::Implementation).await, ["b.fake:3:6"]);
        assert_eq!(ask(5, 1, Relation::Definition).await, [""; 0], "nothing stands there");
        drop(lease);
        stage.finish().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_shape_of_a_hover_has_signature_and_words() {
    for shape in [
        HoverShape::Markdown,
        HoverShape::PlainText,
        HoverShape::MarkedString,
        HoverShape::MarkedPair,
        HoverShape::MarkedStrings,
    ] {
        let stage = Stage::new(Script::new().hover_shape(shape));
        let lease = stage.lease("a.fake").await;
        let file = stage.path("a.fake");
        let hovered = lease.hover(&file, SQUARE, &patience(LONG)).await.unwrap().value.unwrap();
        assert_eq!(hovered.type_info.as_deref(), Some("def square(n) -> Number"), "{shape:?}");
        let words = (shape != HoverShape::MarkedPair).then_some("Squares a number.");
        assert_eq!(hovered.documentation.as_deref(), words, "{shape:?}");
        assert_eq!(hovered.range.unwrap().start, Position::new(2, 5));
        assert_eq!(lease.hover(&file, Position::new(1, 3), &patience(LONG)).await.unwrap().value, None);
        drop(lease);
        stage.finish().await;
    }
}

fn flat(symbols: &[Outlined]) -> Vec<(&str, SymbolKind, u32, u32, u32)> {
    let mut all = Vec::new();
    for symbol in symbols {
        let (name, range) = (symbol.name_range.start, symbol.range);
        all.push((symbol.name.as_str(), symbol.kind, name.line, name.column, range.end.line));
        all.extend(flat(&symbol.children));
    }
    all
}

#[tokio::test(flavor = "multi_thread")]
async fn an_outline_is_the_same_nested_and_flat() {
    let expected = [
        ("multiply", SymbolKind::Function, 2, 5, 2),
        ("Small", SymbolKind::Class, 3, 6, 6),
        ("shrink", SymbolKind::Method, 4, 7, 6),
    ];
    for script in [Script::new(), Script::new().flat_symbols()] {
        let stage = Stage::new(script);
        let lease = stage.lease("b.fake").await;
        let symbols = lease.document_symbols(&stage.path("b.fake"), &patience(LONG)).await.unwrap().value;
        assert_eq!(flat(&symbols), expected);
        if symbols.len() == 3 {
            assert_eq!(symbols[2].container.as_deref(), Some("Small"));
        } else {
            assert_eq!(symbols[1].children[0].detail.as_deref(), Some("def shrink(by)"));
        }
        drop(lease);
        stage.finish().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn symbols_of_the_workspace_are_found_by_name() {
    let stage = Stage::new(Script::new());
    let lease = stage.lease("a.fake").await;
    let found =
        lease.workspace_symbols("s", NameMatch::Fuzzy, false, &patience(LONG)).await.unwrap().value.found;
    let named: Vec<_> = found
        .iter()
        .map(|symbol| {
            (symbol.name.as_str(), symbol.kind, stage.place(&symbol.spot.path, symbol.spot.range.start))
        })
        .collect();
    assert_eq!(
        named,
        [
            ("square", SymbolKind::Function, "a.fake:2:1".to_owned()),
            ("Small", SymbolKind::Class, "b.fake:3:1".to_owned()),
            ("shrink", SymbolKind::Method, "b.fake:4:1".to_owned()),
        ]
    );
    assert_eq!(found[2].container.as_deref(), Some("Small"));
    drop(lease);
    stage.finish().await;
}

/// Whether symbols of the workspace are told as cut, and how many there are, where a server answers so many.
async fn listed(symbols: u32, of: impl Fn(u32) -> serde_json::Value, most: Option<usize>) -> (usize, bool) {
    let symbols: Vec<_> = (0..symbols)
        .map(|number| json!({ "name": format!("s{number}"), "kind": 12, "location": of(number) }))
        .collect();
    let script = Script::new().rule(Rule::on("workspace/symbol").answer(json!(symbols)));
    let stage = Stage::defined(script, |definition| definition.most_symbols = most);
    let lease = stage.lease("a.fake").await;
    let listed = lease.workspace_symbols("s", NameMatch::Fuzzy, false, &patience(LONG)).await.unwrap().value;
    drop(lease);
    stage.finish().await;
    (listed.found.len(), listed.cut)
}

#[tokio::test(flavor = "multi_thread")]
async fn symbols_that_a_server_leaves_out_or_tells_no_place_of_are_missed() {
    let file = orienteer_lsp::uri::from_path(&std::env::current_exe().unwrap());
    let start = json!({ "line": 0, "character": 0 });
    let placed = |_| json!({ "uri": file, "range": { "start": start, "end": start } });
    let elsewhere = |number| {
        if number < 9 { placed(number) } else { json!({ "uri": "jdt://x", "range": placed(0)["range"] }) }
    };
    assert_eq!(listed(10, placed, None).await, (10, false));
    assert_eq!(listed(10, placed, Some(11)).await, (10, false));
    assert_eq!(listed(10, placed, Some(10)).await, (10, true));
    // What is cut is what the server sent, whatever becomes of it.
    assert_eq!(listed(10, elsewhere, Some(10)).await, (9, true));
    assert_eq!(listed(10, |_| json!({ "uri": file }), None).await, (0, true));
    // One that lists some only has said nothing of the others, if it lists none.
    assert_eq!(listed(0, placed, Some(0)).await, (0, true));
    assert_eq!(listed(0, placed, None).await, (0, false));
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_that_a_server_writes_as_null_is_as_little_as_an_empty_list() {
    for (most, cut) in [(None, false), (Some(0), true)] {
        let script = Script::new().rule(Rule::on("workspace/symbol").answer(json!(null)));
        let stage = Stage::defined(script, |definition| definition.most_symbols = most);
        let lease = stage.lease("a.fake").await;
        let listed =
            lease.workspace_symbols("s", NameMatch::Fuzzy, false, &patience(LONG)).await.unwrap().value;
        assert_eq!((listed.found.len(), listed.cut), (0, cut));
        drop(lease);
        stage.finish().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn uses_that_a_server_may_leave_out_are_missed() {
    let file = orienteer_lsp::uri::from_path(&std::env::current_exe().unwrap());
    let place = |line: u32| {
        let (start, end) = (json!({ "line": line, "character": 0 }), json!({ "line": line, "character": 1 }));
        json!({ "uri": file, "range": { "start": start, "end": end } })
    };
    for (uses, most, cut) in [(100, None, false), (89, Some(100), false), (99, Some(100), true)] {
        let places: Vec<_> = (0..uses).map(place).collect();
        let script = Script::new().rule(Rule::on("textDocument/references").answer(json!(places)));
        let stage = Stage::defined(script, |definition| definition.most_uses = most);
        let lease = stage.lease("a.fake").await;
        let found = lease.uses(&stage.path("a.fake"), SQUARE, true, false, &patience(LONG)).await.unwrap();
        assert_eq!((found.value.len(), found.value.cut), (uses as usize, cut), "{most:?}");
        drop(lease);
        stage.finish().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_are_known_in_both_directions() {
    let stage = Stage::new(Script::new());
    let lease = stage.lease("a.fake").await;
    let patience = patience(LONG);
    let items = lease.prepare_calls(&stage.path("a.fake"), SQUARE, &patience).await.unwrap().value;
    assert_eq!((items.len(), items[0].name.as_str()), (1, "square"));
    let callers = lease.calls(&items[0], CallDirection::Incoming, &patience).await.unwrap().value;
    assert_eq!((callers.len(), callers[0].item.name.as_str()), (1, "shrink"));
    assert_eq!(stage.places(&callers[0].sites), ["b.fake:5:10"]);
    let callees = lease.calls(&items[0], CallDirection::Outgoing, &patience).await.unwrap().value;
    assert_eq!((callees.len(), callees[0].item.name.as_str()), (1, "multiply"));
    assert_eq!(stage.places(&callees[0].sites), ["a.fake:3:8"], "the call stands in the caller's file");
    drop(lease);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn types_are_known_in_both_directions() {
    let stage = Stage::new(Script::new());
    let lease = stage.lease("a.fake").await;
    let patience = patience(LONG);
    let at = Position::new(4, 7);
    let items = lease.prepare_types(&stage.path("a.fake"), at, &patience).await.unwrap().value;
    assert_eq!(items[0].name, "Number");
    let below = lease.related_types(&items[0], false, &patience).await.unwrap().value;
    assert_eq!((below.len(), below[0].name.as_str()), (1, "Small"));
    let above = lease.related_types(&below[0], true, &patience).await.unwrap().value;
    assert_eq!(stage.places(&[above[0].spot.clone()]), ["a.fake:4:6"]);
    drop(lease);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn signatures_and_proposals_have_their_facts() {
    let stage = Stage::new(Script::new());
    let lease = stage.lease("b.fake").await;
    let (file, patience) = (stage.path("b.fake"), patience(LONG));
    let at = Position::new(6, 19);
    let signed = lease.signature_help(&file, at, &patience).await.unwrap().value.unwrap();
    assert_eq!(signed.signatures[0].label, "def multiply(x, y)");
    let labels: Vec<_> = signed.signatures[0].parameters.iter().map(|one| one.label.as_str()).collect();
    assert_eq!((labels, signed.active_parameter), (vec!["x", "y"], Some(0)));
    let none = lease.signature_help(&file, Position::new(1, 1), &patience).await.unwrap().value;
    assert_eq!(none, None);

    let at = Position::new(5, 12);
    let all = lease.complete(&file, at, None, (0, 10, true), &patience).await.unwrap().value;
    assert_eq!((all.total, all.is_incomplete), (1, false));
    let [square] = &all.items[..] else { panic!("{all:?}") };
    assert_eq!((square.label.as_str(), square.kind), ("square", Some("function")));
    assert_eq!(square.detail.as_deref(), Some("def square(n) -> Number"), "it was resolved");
    assert_eq!(square.documentation.as_deref(), Some("Squares a number."));
    let at = Position::new(5, 10);
    let page = lease.complete(&file, at, Some(" "), (2, 2, false), &patience).await.unwrap().value;
    let labels: Vec<_> = page.items.iter().map(|item| item.label.as_str()).collect();
    assert_eq!((page.total, labels), (5, vec!["multiply", "shrink"]));
    drop(lease);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_server_does_not_offer_is_unsupported_and_not_asked() {
    let methods = ["textDocument/hover", "textDocument/references", "workspace/symbol"];
    let stage = Stage::new(Script::new().without(&methods));
    let lease = stage.lease("a.fake").await;
    let (file, patience) = (stage.path("a.fake"), patience(LONG));
    let failures = [
        lease.hover(&file, SQUARE, &patience).await.unwrap_err(),
        lease.references(&file, SQUARE, true, &patience).await.unwrap_err(),
        lease.workspace_symbols("x", NameMatch::Fuzzy, false, &patience).await.unwrap_err(),
    ];
    for (failure, wanted) in failures.into_iter().zip(methods) {
        assert!(matches!(failure, Failure::Unsupported { method, .. } if method == wanted), "{failure:?}");
        assert!(!lease.supports(wanted, &patience).await.unwrap());
        assert_eq!(stage.record.count(wanted), 0);
    }
    drop(lease);
    stage.finish().await;

    let stage = Stage::new(Script::new().method_not_found("textDocument/hover"));
    let lease = stage.lease("a.fake").await;
    let failure = lease.hover(&file_of(&stage), SQUARE, &patience).await.unwrap_err();
    assert!(matches!(failure, Failure::Unsupported { method: "textDocument/hover", .. }), "{failure:?}");
    drop(lease);
    stage.finish().await;
}

fn file_of(stage: &Stage) -> std::path::PathBuf {
    stage.path("a.fake")
}

#[tokio::test(flavor = "multi_thread")]
async fn places_that_are_not_there_are_errors_that_say_so() {
    let stage = Stage::new(Script::new());
    let lease = stage.lease("a.fake").await;
    let patience = patience(LONG);
    let failure = lease.hover(&stage.path("a.fake"), Position::new(99, 1), &patience).await.unwrap_err();
    assert!(matches!(&failure, Failure::File { reason, .. } if reason.contains("99")), "{failure:?}");
    let failure = lease.hover(&stage.path("none.fake"), SQUARE, &patience).await.unwrap_err();
    assert!(matches!(&failure, Failure::File { path, .. } if path.ends_with("none.fake")), "{failure:?}");
    let failure = stage.fleet.lease(&stage.path("x.unknown")).await.unwrap_err();
    let Failure::NoServer { extension, supported, .. } = failure else { panic!("{failure:?}") };
    assert_eq!((extension.as_deref(), supported), (Some("unknown"), vec!["fake".to_owned()]));
    drop(lease);
    stage.finish().await;
}
