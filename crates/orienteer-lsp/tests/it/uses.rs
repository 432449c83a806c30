//! A list of uses is asked for once by whoever turns its pages, and again after anything changed.

use orienteer_lsp::definition::Readiness;
use orienteer_testkit::fake::{Ask, Script, Signal};
use serde_json::json;

use crate::support::{ALL, LONG, SQUARE, Stage, ms, patience};

const ASKED: &str = "textDocument/references";

impl Stage {
    /// The uses of `square`, from what was said before if that still holds.
    async fn uses(&self) -> Vec<String> {
        let (lease, file) = (self.lease("a.fake").await, self.path("a.fake"));
        let recalled = lease.recall_uses(&file, SQUARE, true, &patience(LONG)).await;
        let heard = match recalled {
            Ok(heard) => heard,
            Err(_) => lease.uses(&file, SQUARE, true, true, &patience(LONG)).await.unwrap(),
        };
        assert!(heard.seen.ready && heard.seen.complaint.is_none());
        self.places(&heard.value.spots())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn uses_are_not_asked_for_twice() {
    let stage = Stage::new(Script::new());
    for _ in 0..3 {
        assert_eq!(stage.uses().await, ALL);
    }
    assert_eq!(stage.record.count(ASKED), 1);
    // Another question is another one.
    let (lease, file) = (stage.lease("a.fake").await, stage.path("a.fake"));
    assert!(lease.recall_uses(&file, SQUARE, false, &patience(LONG)).await.is_err());
    let beside = orienteer_base::Position { line: 1, ..SQUARE };
    assert!(lease.recall_uses(&file, beside, true, &patience(LONG)).await.is_err());
    // Whoever does not want to be given old ones is not.
    assert_eq!(stage.references().await, ALL);
    assert_eq!(stage.record.count(ASKED), 2);
    drop(lease);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_to_be_kept_is_not() {
    let stage = Stage::new(Script::new());
    assert_eq!(stage.references().await, ALL);
    assert_eq!(stage.uses().await, ALL);
    assert_eq!(stage.record.count(ASKED), 2);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn after_an_edit_of_any_file_they_are_asked_for_again_until_that_has_settled() {
    for (file, text, expected) in [
        ("b.fake", "use square\n", vec!["a.fake:2:5", "b.fake:1:5", ALL[2]]),
        ("new.fake", "use square\n", vec![ALL[0], ALL[1], ALL[2], "new.fake:1:5"]),
        ("a.fake", "\ndef square\n\n", ALL.to_vec()),
    ] {
        let stage = Stage::new(Script::new());
        assert_eq!(stage.uses().await, ALL);
        stage.tree.write(file, text);
        assert_eq!(stage.uses().await, expected, "{file}");
        assert_eq!(stage.record.count(ASKED), 2);
        // Right after a change, what a server says may still be about the text before it.
        assert_eq!(stage.uses().await, expected);
        assert_eq!(stage.record.count(ASKED), 3);
        tokio::time::sleep(ms(2_100)).await;
        for _ in 0..2 {
            assert_eq!(stage.uses().await, expected);
        }
        assert_eq!(stage.record.count(ASKED), 4, "kept again");
        stage.finish().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_goes_away_is_noticed() {
    let stage = Stage::new(Script::new());
    assert_eq!(stage.uses().await, ALL);
    std::fs::remove_file(stage.path("b.fake")).unwrap();
    assert_eq!(stage.uses().await, [ALL[0], ALL[2]]);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_asked_for_again() {
    let stage = Stage::new(Script::new());
    stage.tree.write("a.fake", "\nnothing\n");
    for asked in 1..=3 {
        assert_eq!(stage.uses().await, [""; 0]);
        assert_eq!(stage.record.count(ASKED), asked);
    }
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn another_process_is_asked_anew() {
    let stage = Stage::new(Script::new());
    assert_eq!(stage.uses().await, ALL);
    stage.fleet.restart(None, &patience(LONG)).await.remove(0).unwrap();
    assert_eq!(stage.uses().await, ALL);
    assert_eq!(stage.record.count(ASKED), 2);
    stage.finish().await;
}

/// A server that says when it has read the whole project.
fn knowing(script: Script) -> Stage {
    Stage::defined(script.ready_after(0, Signal::ServerStatus), |definition| {
        definition.ready_project = Readiness::Status;
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_that_is_opened_tells_something_to_a_server_that_knows_open_ones_only() {
    for (stage, more) in [(Stage::new(Script::new()), 1), (knowing(Script::new()), 0)] {
        stage.uses().await;
        stage.uses().await;
        let asked = stage.record.count(ASKED);
        stage.outline("b.fake").await;
        assert_eq!(stage.uses().await, ALL);
        assert_eq!(stage.record.count(ASKED), asked + more);
        // It is open now.
        stage.outline("b.fake").await;
        assert_eq!(stage.uses().await, ALL);
        assert_eq!(stage.record.count(ASKED), asked + more);
        stage.finish().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_nobody_watches_tells_something_to_every_server() {
    let stage = knowing(Script::new());
    stage.tree.write(".ignore", "made\n");
    stage.tree.write("made/x.fake", "def other\n");
    stage.uses().await;
    tokio::time::sleep(ms(2_100)).await;
    stage.uses().await;
    let asked = stage.record.count(ASKED);
    stage.uses().await;
    assert_eq!(stage.record.count(ASKED), asked);
    stage.outline("made/x.fake").await;
    stage.uses().await;
    assert_eq!(stage.record.count(ASKED), asked + 1);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_that_were_closed_and_opened_again_make_no_difference() {
    let stage = knowing(Script::new());
    let others: Vec<String> = (0..130).map(|number| format!("other{number}.fake")).collect();
    for other in &others {
        stage.tree.write(other, "def other\n");
    }
    stage.uses().await;
    tokio::time::sleep(ms(2_100)).await;
    assert_eq!(stage.uses().await, ALL);
    let asked = stage.record.count(ASKED);
    for other in &others {
        stage.outline(other).await;
    }
    assert!(stage.record.count("textDocument/didClose") > 0);
    assert_eq!(stage.uses().await, ALL);
    assert_eq!(stage.record.count(ASKED), asked);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_was_written_may_have_been_read_before_that_was_heard() {
    let stage = knowing(Script::new());
    stage.outline("b.fake").await;
    stage.uses().await;
    stage.uses().await;
    let asked = stage.record.count(ASKED);
    stage.tree.write("b.fake", stage.read("b.fake"));
    assert_eq!(stage.uses().await, ALL);
    assert_eq!(stage.record.count(ASKED), asked + 1);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_speaks_of_a_document_again_has_seen_something_and_is_asked() {
    let tree = orienteer_testkit::tree(crate::support::PROJECT);
    let uri = format!("file://{}", tree.root().join("a.fake").display());
    let published = json!({ "uri": uri, "diagnostics": [] });
    let script = Script::new().notify(ASKED, 6_000, "textDocument/publishDiagnostics", published);
    let stage = Stage::of(tree, script, |_| {}, |_| {});
    for _ in 0..3 {
        assert_eq!(stage.uses().await, ALL);
    }
    assert_eq!(stage.record.count(ASKED), 1);
    tokio::time::sleep(ms(7_000)).await;
    assert_eq!(stage.uses().await, ALL);
    assert_eq!(stage.record.count(ASKED), 2);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_was_at_work_or_wants_to_be_asked_again_is_asked() {
    const OUTLINE: &str = "textDocument/documentSymbol";
    let progress = |kind: &str| json!({ "token": "t", "value": { "kind": kind, "title": "loading" } });
    let works = Script::new().notify(OUTLINE, 0, "$/progress", progress("begin")).notify(
        OUTLINE,
        50,
        "$/progress",
        progress("end"),
    );
    let asks = Script::new().ask(OUTLINE, Ask::refresh_diagnostics());
    for script in [works, asks] {
        let stage = Stage::new(script);
        for _ in 0..3 {
            assert_eq!(stage.uses().await, ALL);
        }
        assert_eq!(stage.record.count(ASKED), 1);
        stage.outline("a.fake").await;
        tokio::time::sleep(ms(500)).await;
        assert_eq!(stage.uses().await, ALL);
        assert_eq!(stage.record.count(ASKED), 2);
        stage.finish().await;
    }
}
