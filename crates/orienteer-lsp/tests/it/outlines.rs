//! An outline is asked for once, and again after anything changed.

use orienteer_testkit::fake::Script;

use crate::support::{LONG, Stage, patience};

const ASKED: &str = "textDocument/documentSymbol";

/// The names that a file defines, and how many files the server was told of for it.
async fn outline(stage: &Stage, file: &str) -> (Vec<String>, u64) {
    let lease = stage.lease(file).await;
    let heard = lease.document_symbols(&stage.path(file), &patience(LONG)).await.unwrap();
    assert!(heard.seen.ready && heard.seen.complaint.is_none());
    (heard.value.into_iter().map(|symbol| symbol.name).collect(), heard.seen.synced_files)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_outline_is_not_asked_for_twice() {
    let stage = Stage::new(Script::new());
    let first = outline(&stage, "a.fake").await;
    assert_eq!(first.0[0], "square");
    for _ in 0..3 {
        assert_eq!(outline(&stage, "a.fake").await, first);
    }
    assert_eq!(stage.record.count(ASKED), 1);
    assert_ne!(outline(&stage, "b.fake").await.0, first.0);
    assert_eq!(stage.record.count(ASKED), 2, "each file is asked about");
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn after_an_edit_of_any_file_it_is_asked_for_again_until_that_has_settled() {
    let stage = Stage::new(Script::new());
    outline(&stage, "a.fake").await;
    stage.tree.write("a.fake", "def cube\n");
    assert_eq!(outline(&stage, "a.fake").await, (vec!["cube".to_owned()], 1), "the edit is told");
    assert_eq!(stage.record.count(ASKED), 2);
    // Right after a change, what a server says may still be about the text before it.
    assert_eq!(outline(&stage, "a.fake").await.0, ["cube"]);
    assert_eq!(stage.record.count(ASKED), 3);
    stage.finish().await;

    let stage = Stage::new(Script::new());
    let before = outline(&stage, "a.fake").await.0;
    stage.tree.write("b.fake", "def another\n");
    assert_eq!(outline(&stage, "a.fake").await, (before, 1), "another file, which this one may include");
    assert_eq!(stage.record.count(ASKED), 2);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_outline_is_asked_for_again() {
    let stage = Stage::new(Script::new());
    stage.tree.write("empty.fake", "\n");
    for asked in 1..=3 {
        assert_eq!(outline(&stage, "empty.fake").await.0, [""; 0]);
        assert_eq!(stage.record.count(ASKED), asked);
    }
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn another_process_is_asked_anew() {
    let stage = Stage::new(Script::new());
    let first = outline(&stage, "a.fake").await;
    stage.fleet.restart(None, &patience(LONG)).await.remove(0).unwrap();
    assert_eq!(outline(&stage, "a.fake").await.0, first.0);
    assert_eq!(stage.record.count(ASKED), 2);
    stage.finish().await;
}
