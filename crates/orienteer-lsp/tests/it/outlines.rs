//! An outline is asked for once, and again after anything changed.

use orienteer_testkit::fake::Script;

use crate::support::{LONG, Stage, patience};

const ASKED: &str = "textDocument/documentSymbol";

#[tokio::test(flavor = "multi_thread")]
async fn an_outline_is_not_asked_for_twice() {
    let stage = Stage::new(Script::new());
    let first = stage.outline("a.fake").await;
    assert_eq!(first.0[0], "square");
    for _ in 0..3 {
        assert_eq!(stage.outline("a.fake").await, first);
    }
    assert_eq!(stage.record.count(ASKED), 1);
    assert_ne!(stage.outline("b.fake").await.0, first.0);
    assert_eq!(stage.record.count(ASKED), 2, "each file is asked about");
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn after_an_edit_of_any_file_it_is_asked_for_again_until_that_has_settled() {
    let stage = Stage::new(Script::new());
    stage.outline("a.fake").await;
    stage.tree.write("a.fake", "def cube\n");
    assert_eq!(stage.outline("a.fake").await, (vec!["cube".to_owned()], 1), "the edit is told");
    assert_eq!(stage.record.count(ASKED), 2);
    // Right after a change, what a server says may still be about the text before it.
    assert_eq!(stage.outline("a.fake").await.0, ["cube"]);
    assert_eq!(stage.record.count(ASKED), 3);
    stage.finish().await;

    let stage = Stage::new(Script::new());
    let before = stage.outline("a.fake").await.0;
    stage.tree.write("b.fake", "def another\n");
    assert_eq!(stage.outline("a.fake").await, (before, 1), "another file, which this one may include");
    assert_eq!(stage.record.count(ASKED), 2);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_outline_is_asked_for_again() {
    let stage = Stage::new(Script::new());
    stage.tree.write("empty.fake", "\n");
    for asked in 1..=3 {
        assert_eq!(stage.outline("empty.fake").await.0, [""; 0]);
        assert_eq!(stage.record.count(ASKED), asked);
    }
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn another_process_is_asked_anew() {
    let stage = Stage::new(Script::new());
    let first = stage.outline("a.fake").await;
    stage.fleet.restart(None, &patience(LONG)).await.remove(0).unwrap();
    assert_eq!(stage.outline("a.fake").await.0, first.0);
    assert_eq!(stage.record.count(ASKED), 2);
    stage.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_nobody_watches_is_asked_about_again_when_it_changed_while_it_was_closed() {
    let stage = Stage::new(Script::new());
    stage.tree.write(".ignore", "made\n");
    stage.tree.write("made/x.fake", "def old\n");
    let others: Vec<String> = (0..130).map(|number| format!("other{number}.fake")).collect();
    for other in &others {
        stage.tree.write(other, "def other\n");
    }
    assert_eq!(stage.outline("made/x.fake").await.0, ["old"]);
    // More than are kept open: it is closed.
    for other in &others {
        stage.outline(other).await;
    }
    assert!(stage.record.count("textDocument/didClose") > 0);
    stage.tree.write("made/x.fake", "def new\n");
    assert_eq!(stage.outline("made/x.fake").await.0, ["new"]);
    stage.finish().await;
}
