//! Renames that a server proposes: right, about the files as they are, and never in part.

use std::path::Path;

use orienteer_base::{Position, Range};
use orienteer_edit::{EditError, Plan, Unfit};
use orienteer_lsp::command::Renameable;
use orienteer_lsp::definition::Readiness;
use orienteer_lsp::{Failure, Heard, Proposed};
use orienteer_testkit::fake::{Ask, Death, Encoding, Rule, Script, Signal, When};
use orienteer_testkit::uri::file_uri;
use serde_json::{Value, json};

use crate::support::{DEEP, LONG, SQUARE, Stage, ms, patience};

const RENAME: &str = "textDocument/rename";

type Renamed = Result<Heard<Result<Proposed, EditError>>, Failure>;

async fn rename(stage: &Stage, new_name: &str) -> Renamed {
    let lease = stage.lease("a.fake").await;
    lease.rename(&stage.path("a.fake"), SQUARE, new_name, &patience(LONG)).await
}

/// What would be in a file.
pub(crate) fn after(stage: &Stage, plan: &Plan, name: &str) -> Option<String> {
    let change = plan.changes.iter().find(|change| change.path == stage.path(name))?;
    Some(String::from_utf8(change.after.as_ref()?.content.to_vec()).unwrap())
}

pub(crate) fn edit(line: u64, from: u64, to: u64, text: &str) -> Value {
    let at = |character: u64| json!({ "line": line, "character": character });
    json!({ "range": { "start": at(from), "end": at(to) }, "newText": text })
}

fn versioned(path: &Path, version: i64, edits: Value) -> Value {
    let document = json!({ "uri": file_uri(path), "version": version });
    json!({ "documentChanges": [{ "textDocument": document, "edits": edits }] })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rename_reaches_every_file_in_every_encoding() {
    for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
        for script in [Script::new(), Script::new().offers_edits()] {
            let stage = Stage::new(script.encoding(encoding));
            let heard = rename(&stage, "größer").await.unwrap();
            assert!(heard.seen.ready);
            let plan = heard.value.unwrap().plan;
            assert_eq!(plan.changes.len(), 3);
            let a = "# Squares a number.\ndef größer n -> Number\n  call multiply n n\ntype Number\n";
            assert_eq!(after(&stage, &plan, "a.fake").as_deref(), Some(a), "{encoding:?}");
            assert!(after(&stage, &plan, "b.fake").unwrap().contains("    call größer by\n"));
            assert_eq!(after(&stage, &plan, DEEP).as_deref(), Some("😀 use größer\nbad this is wrong\n"));
            assert!(stage.read("a.fake").contains("square"), "nothing is written");
            stage.finish().await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_can_be_renamed_is_told_beforehand() {
    let stage = Stage::new(Script::new());
    let lease = stage.lease(DEEP).await;
    let ask = async |line, column| {
        let at = Position::new(line, column);
        lease.prepare_rename(&stage.path(DEEP), at, &patience(LONG)).await.unwrap().value
    };
    let range = Range { start: Position::new(1, 7), end: Position::new(1, 13) };
    let placeholder = Some("square".to_owned());
    assert_eq!(ask(1, 9).await, Renameable::Yes { range: Some(range), placeholder });
    assert_eq!(ask(1, 4).await, Renameable::No { message: None }, "a keyword");
    assert_eq!(ask(2, 7).await, Renameable::No { message: None });
    drop(lease);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_shape_of_a_preparation_is_understood() {
    let range = json!({ "start": { "line": 1, "character": 4 }, "end": { "line": 1, "character": 10 } });
    let here = Range { start: Position::new(2, 5), end: Position::new(2, 11) };
    let elsewhere = json!({ "start": { "line": 1, "character": 16 }, "end": { "line": 1, "character": 22 } });
    let beside = "there is no name; `Number` is beside it, at 2:17";
    let prepare = "textDocument/prepareRename";
    let answers = [
        (json!(range), Renameable::Yes { range: Some(here), placeholder: None }),
        (json!({ "defaultBehavior": true }), Renameable::Unknown),
        (
            json!({ "range": elsewhere, "placeholder": "Number" }),
            Renameable::No { message: Some(beside.to_owned()) },
        ),
        (json!({ "defaultBehavior": false }), Renameable::No { message: None }),
        (json!(null), Renameable::No { message: None }),
        (json!("odd"), Renameable::Unknown),
    ];
    let prepared = async |script: Script| {
        let stage = Stage::new(script);
        let lease = stage.lease("a.fake").await;
        let heard = lease.prepare_rename(&stage.path("a.fake"), SQUARE, &patience(LONG)).await;
        drop(lease);
        stage.finish().await;
        heard.map(|heard| heard.value)
    };
    for (answer, expected) in answers {
        let rule = Rule::on(prepare).answer(answer.clone());
        assert_eq!(prepared(Script::new().rule(rule)).await, Ok(expected), "{answer}");
    }
    let no = prepared(Script::new().fail(prepare, -32602, "No references found at position")).await;
    assert_eq!(no, Ok(Renameable::No { message: Some("No references found at position".to_owned()) }));
    let none = prepared(Script::new().without(&[RENAME])).await;
    assert!(matches!(none, Err(Failure::Unsupported { method: RENAME, .. })), "{none:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_cannot_prepare_is_not_asked_to() {
    let register = Ask::register(RENAME, json!({ "prepareProvider": false }));
    let stage = Stage::new(Script::new().without(&[RENAME]).ask("initialized", register));
    assert_eq!(stage.definition().await, ["a.fake:2:5"]);
    stage
        .until("the registration", |stage| stage.record.replies("client/registerCapability").len() == 1)
        .await;
    let lease = stage.lease("a.fake").await;
    let heard = lease.prepare_rename(&stage.path("a.fake"), SQUARE, &patience(LONG)).await.unwrap();
    assert_eq!(heard.value, Renameable::Unknown);
    assert_eq!(stage.record.count("textDocument/prepareRename"), 0);
    drop(lease);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_not_ready_is_told_apart() {
    let script = Script::new().never_ready(Signal::ServerStatus);
    let stage = Stage::defined(script, |definition| definition.ready_project = Readiness::Status);
    let lease = stage.lease("a.fake").await;
    let heard = lease.rename(&stage.path("a.fake"), SQUARE, "cube", &patience(ms(200))).await.unwrap();
    assert!(!heard.seen.ready, "its answer knows one file of three");
    assert_eq!(heard.value.unwrap().plan.changes.len(), 1);
    let heard = lease.prepare_rename(&stage.path("a.fake"), SQUARE, &patience(ms(200))).await.unwrap();
    assert!(!heard.seen.ready);
    drop(lease);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_of_another_version_is_asked_again() {
    let tree = orienteer_testkit::tree(crate::support::PROJECT);
    let wrong = versioned(&tree.root().join("a.fake"), 7, json!([edit(0, 0, 1, "WRONG")]));
    let script = Script::new().offers_edits().rule(Rule::on(RENAME).times(2).answer(wrong.clone()));
    let stage = Stage::of(tree, script, |_| {}, |_| {});
    let plan = rename(&stage, "cube").await.unwrap().value.unwrap().plan;
    assert!(after(&stage, &plan, "a.fake").unwrap().starts_with("# Squares a number.\ndef cube"));
    assert_eq!(stage.record.count(RENAME), 3);
    stage.finish().await;

    let tree = orienteer_testkit::tree(crate::support::PROJECT);
    let wrong = versioned(&tree.root().join("a.fake"), 7, json!([edit(0, 0, 1, "WRONG")]));
    let stage = Stage::of(tree, Script::new().rule(Rule::on(RENAME).answer(wrong)), |_| {}, |_| {});
    let failure = rename(&stage, "cube").await.unwrap_err();
    assert!(matches!(failure, Failure::NotReady { .. }), "{failure:?}");
    assert_eq!(stage.record.count(RENAME), 3, "not for ever");
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_changes_while_it_is_asked_makes_it_ask_again() {
    for name in ["a.fake", "b.fake"] {
        let stage = Stage::new(Script::new().rule(Rule::on(RENAME).times(1).delay(300)));
        let changing = async {
            stage.until("the question", |stage| stage.record.count(RENAME) == 1).await;
            let text = stage.read(name);
            stage.tree.write(name, format!("# One line more.\n{text}"));
        };
        let (renamed, ()) = tokio::join!(rename(&stage, "cube"), changing);
        // In `a.fake` the place that was asked about holds another word now.
        if name == "b.fake" {
            let plan = renamed.unwrap().value.unwrap().plan;
            let b = after(&stage, &plan, "b.fake").unwrap();
            assert!(b.starts_with("# One line more.\ndeclare") && b.contains("    call cube by\n"), "{b}");
        } else {
            let failure = renamed.unwrap_err();
            assert!(matches!(failure, Failure::Refused { code: -32803, .. }), "{failure:?}");
        }
        assert_eq!(stage.record.count(RENAME), 2);
        stage.end().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn files_that_never_rest_are_not_renamed() {
    let stage = Stage::new(Script::new().latency(RENAME, 100));
    let changing = async {
        for number in 1..=3 {
            stage.until("the question", |stage| stage.record.count(RENAME) == number).await;
            stage.tree.write("c.fake", format!("use square\n# {number}\n"));
        }
    };
    let (renamed, ()) = tokio::join!(rename(&stage, "cube"), changing);
    let failure = renamed.unwrap_err();
    let Failure::NotReady { doing: Some(doing), .. } = &failure else { panic!("{failure:?}") };
    assert!(doing.contains("files keep changing"), "{doing}");
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn edits_that_do_not_fit_are_refused_and_nothing_is_planned() {
    let tree = orienteer_testkit::tree(crate::support::PROJECT);
    let uri = file_uri(&tree.root().join("a.fake"));
    let overlapping = json!({ "changes": { uri.clone(): [edit(1, 4, 10, "x"), edit(1, 6, 8, "y")] } });
    let beyond = json!({ "changes": { uri.clone(): [edit(77, 0, 1, "x")] } });
    let outside = json!({ "changes": { uri.clone(): [edit(1, 4, 10, "x")], "file:///etc/hostname": [edit(0, 0, 0, "x")] } });
    let no_file = json!({ "documentChanges": [{ "kind": "rename", "oldUri": "untitled:x", "newUri": uri }] });
    let odd = json!({ "changes": { uri: [edit(1, 4, 10, "x"), { "range": null }] } });
    let script = [overlapping, beyond, outside, no_file, odd]
        .into_iter()
        .enumerate()
        .fold(Script::new(), |script, (at, answer)| {
            script.rule(Rule::on(RENAME).containing(&format!("name{at}")).answer(answer))
        });
    let stage = Stage::of(tree, script, |_| {}, |_| {});
    let refused =
        async |at: usize| rename(&stage, &format!("name{at}")).await.map(|heard| heard.value.unwrap_err());
    let error = refused(0).await.unwrap();
    assert!(matches!(error, EditError::Unfit { unfit: Unfit::Overlap { .. }, .. }), "{error:?}");
    let error = refused(1).await.unwrap();
    assert!(matches!(error, EditError::Unfit { unfit: Unfit::OutOfRange { .. }, .. }), "{error:?}");
    for at in [2, 3] {
        let error = refused(at).await.unwrap();
        assert!(matches!(error, EditError::Outside { .. }), "{error:?}");
    }
    let failure = refused(4).await.unwrap_err();
    assert!(matches!(&failure, Failure::Refused { message, .. } if message.contains("range")), "{failure:?}");
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn storms_crashes_and_refusals_during_a_rename() {
    let stage = Stage::new(Script::new().content_modified(RENAME, 10));
    let plan = rename(&stage, "cube").await.unwrap().value.unwrap().plan;
    assert_eq!((plan.changes.len(), stage.record.count(RENAME)), (3, 11));
    stage.finish().await;

    for when in [When::Before, When::Middle] {
        let stage = Stage::new(Script::new().crash_once(RENAME, when, Death::Kill));
        let heard = rename(&stage, "cube").await.unwrap();
        assert_eq!((heard.seen.generation, heard.value.unwrap().plan.changes.len()), (2, 3));
        assert_eq!(stage.record.starts(), 2, "once more, unseen");
        stage.finish().await;
    }

    let stage = Stage::new(Script::new().crash(RENAME, When::Before, Death::Exit(7)));
    let failure = rename(&stage, "cube").await.unwrap_err();
    assert!(matches!(failure, Failure::Crashed { exit_code: Some(7), .. }), "{failure:?}");
    stage.end().await;

    let stage = Stage::new(Script::new());
    let failure = rename(&stage, "two words").await.unwrap_err();
    assert!(
        matches!(&failure, Failure::Refused { message, .. } if message.contains("two words")),
        "{failure:?}"
    );
    stage.finish().await;
}
