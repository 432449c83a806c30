//! Frames, ids and replies as no server should write them.

use orienteer_base::ask::NameMatch;
use orienteer_lsp::Failure;
use orienteer_testkit::fake::{Ask, Headers, Ids, Rule, Script, Writing};
use serde_json::{Value, json};

use crate::support::{ALL, DEEP, LONG, SQUARE, Stage, patience};

/// The definition and all references are right, whatever the script does.
async fn is_understood(script: Script) {
    let stage = Stage::new(script);
    assert_eq!(stage.definition().await, ["a.fake:2:5"]);
    assert_eq!(stage.references().await, ALL);
    assert_eq!(stage.check(DEEP, LONG).await.findings[0].message, "this is wrong");
    assert_eq!(stage.record.starts(), 1);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ids_of_the_server_that_are_also_ours_confuse_nobody() {
    for ids in [Ids::Numbers, Ids::SameAsClient] {
        let script = Script::new()
            .ids(ids)
            .insist_on_replies()
            .ask("textDocument/definition", Ask::workspace_folders())
            .ask("textDocument/references", Ask::configuration(&["fake"]));
        is_understood(script).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn string_ids_are_given_back_as_strings() {
    for (ids, first) in [(Ids::Strings, json!("fake-0")), (Ids::NumericStrings, json!("0"))] {
        let script = Script::new()
            .ids(ids)
            .insist_on_replies()
            .ask("textDocument/definition", Ask::workspace_folders());
        let stage = Stage::new(script);
        assert_eq!(stage.definition().await, ["a.fake:2:5"]);
        assert_eq!(stage.record.replies("workspace/workspaceFolders")[0]["id"], first);
        stage.finish().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn frames_in_single_bytes_and_merged_frames_are_read() {
    for writing in [Writing::SingleBytes, Writing::Merged] {
        is_understood(Script::new().writing(writing)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn garbage_between_frames_is_passed_over() {
    for garbage in ["[debug] a line\n", "no newline", "{\"id\":1}\n", "Content-Length: many\r\n\r\n"] {
        is_understood(Script::new().garbage_between_frames(garbage)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn odd_headers_are_read() {
    for headers in
        [Headers::LowerCase, Headers::ContentTypeFirst, Headers::ContentTypeLast, Headers::LineFeedOnly]
    {
        is_understood(Script::new().headers(headers)).await;
    }
    is_understood(Script::new().headers(Headers::ContentTypeFirst).garbage_between_frames("noise")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn double_and_stray_replies_and_broken_frames_harm_nothing() {
    let odd = |method: &str| Rule::on(method).twice().stray_reply().broken_frame();
    is_understood(Script::new().rule(odd("*")).rule(odd("initialize"))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_null_reply_is_nothing_and_no_error() {
    let stage = Stage::new(Script::new().answer_null("*"));
    let lease = stage.lease("a.fake").await;
    let (file, patience) = (stage.path("a.fake"), patience(LONG));
    // `initialize` was answered with null, too: it announces nothing.
    let failure = lease.hover(&file, SQUARE, &patience).await.unwrap_err();
    assert!(matches!(failure, Failure::Unsupported { method: "textDocument/hover", .. }), "{failure:?}");
    drop(lease);
    stage.end().await;

    let methods = ["definition", "references", "hover", "documentSymbol", "completion", "signatureHelp"];
    let script = methods
        .iter()
        .fold(Script::new(), |script, method| script.answer_null(&format!("textDocument/{method}")));
    let stage = Stage::new(script.answer_null("workspace/symbol"));
    let lease = stage.lease("a.fake").await;
    let file = stage.path("a.fake");
    assert_eq!(stage.definition().await, [""; 0]);
    assert_eq!(stage.references().await, [""; 0]);
    assert_eq!(lease.hover(&file, SQUARE, &patience).await.unwrap().value, None);
    assert_eq!(lease.document_symbols(&file, &patience).await.unwrap().value, []);
    assert_eq!(
        lease.workspace_symbols("sq", NameMatch::Fuzzy, false, &patience).await.unwrap().value.found,
        []
    );
    assert_eq!(lease.signature_help(&file, SQUARE, &patience).await.unwrap().value, None);
    let proposal = lease.complete(&file, SQUARE, None, (0, 10, true), &patience).await.unwrap().value;
    assert_eq!((proposal.items.len(), proposal.total), (0, 0));
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_huge_reply_is_read_whole() {
    let bytes = 8 << 20;
    let script = Script::new()
        .rule(Rule::on("textDocument/hover").huge(bytes))
        .rule(Rule::on("textDocument/definition").huge(bytes));
    let stage = Stage::new(script);
    let lease = stage.lease("a.fake").await;
    let hovered = lease.hover(&stage.path("a.fake"), SQUARE, &patience(LONG)).await.unwrap().value.unwrap();
    assert_eq!(hovered.type_info.as_deref(), Some("def square(n) -> Number"));
    assert!(hovered.documentation.unwrap().len() >= bytes as usize);
    drop(lease);
    assert_eq!(stage.definition().await, ["a.fake:2:5"], "the same place many times is one place");
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_of_any_shape_are_errors_and_never_empty_answers() {
    let shapes: [(Value, i64, &str); 5] = [
        (json!({ "code": -32603, "message": "boom" }), -32603, "boom"),
        (json!({ "code": "-32603", "message": "as text" }), -32603, "as text"),
        (json!({ "code": 1.5 }), 0, "the server gave no reason"),
        (json!("just words"), 0, "just words"),
        (json!([1, 2]), 0, "the server gave no reason"),
    ];
    for (error, code, message) in shapes {
        let script = Script::new().rule(Rule::on("textDocument/definition").odd_error(error).times(1));
        let stage = Stage::new(script);
        match stage.ask_definition().await.unwrap_err() {
            Failure::Refused { code: got, message: said, method, .. } => {
                assert_eq!((got, said.as_str(), method), (code, message, "textDocument/definition"));
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(stage.definition().await, ["a.fake:2:5"]);
        stage.finish().await;
    }
}
