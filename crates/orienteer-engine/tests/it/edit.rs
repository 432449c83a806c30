//! Changes that were cut short, and sessions that may not make any.

use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use orienteer_base::edit::{ApplyQuery, UndoQuery};
use orienteer_base::{Cancel, ErrorKind, Roots};
use orienteer_edit::{Journal, Overlay, TextEdit};
use orienteer_engine::process::{Environment, Launcher, ReaperCommand};
use orienteer_engine::{Engine, EngineSpec, Session, SessionSpec};
use orienteer_testkit::{Tree, tree};

fn session(tree: &Tree, read_only: bool) -> Session {
    let roots = Roots::new(tree.root(), &[]).unwrap();
    let environment = Environment::from_pairs::<String, String>([]);
    let launcher = Launcher::new(ReaperCommand::new("none"));
    let mut spec = EngineSpec::new(roots.clone(), environment, launcher, tree.beside("state"));
    spec.journal_folder = Some(tree.beside("journal"));
    Engine::new(spec).session(SessionSpec { roots, read_only })
}

fn text(root: &Path, name: &str) -> String {
    std::fs::read_to_string(root.join(name)).unwrap()
}

/// Ends in the middle of a change, at the n-th step of that name, as a process does that is killed.
fn cut_short(tree: &Tree, step: &'static str, nth: usize) {
    let roots = Roots::new(tree.root(), &[]).unwrap();
    let mut overlay = Overlay::new(roots.clone());
    for name in ["a.txt", "b.txt"] {
        overlay.edit(&roots.workspace().join(name), vec![TextEdit::new(0..3, "new")]).unwrap();
    }
    let plan = overlay.finish();
    let seen = AtomicUsize::new(0);
    let witness = move |name: &'static str| {
        if name == step && seen.fetch_add(1, Ordering::SeqCst) + 1 == nth {
            panic!("killed");
        }
        Ok(())
    };
    let journal = Journal::new(tree.beside("journal")).with_witness(Arc::new(witness));
    let ended = std::panic::catch_unwind(AssertUnwindSafe(|| journal.apply(&plan, "a change", &roots)));
    assert!(ended.is_err(), "it went on");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_cut_short_is_put_right_before_the_next_answer_and_told_once() {
    let tree = tree("//- /a.txt\nold a\n//- /b.txt\nold b\n");
    cut_short(&tree, "swap", 2);
    assert_eq!(
        (text(tree.root(), "a.txt"), text(tree.root(), "b.txt")),
        ("new a\n".into(), "old b\n".into())
    );
    let session = session(&tree, false);
    let told = session.settle().await;
    assert_eq!(told.iter().map(|warning| warning.kind).collect::<Vec<_>>(), ["recovered"]);
    assert!(told[0].message.contains("(a change) was cut short"), "{}", told[0].message);
    assert_eq!(
        (text(tree.root(), "a.txt"), text(tree.root(), "b.txt")),
        ("old a\n".into(), "old b\n".into())
    );
    assert_eq!(session.settle().await, []);
}

#[tokio::test]
async fn what_was_put_right_at_the_start_is_told_by_the_first_answer_that_is_none() {
    let tree = tree("//- /a.txt\nold a\n//- /b.txt\nold b\n");
    cut_short(&tree, "swap", 2);
    let session = session(&tree, false);
    session.settle_early();
    assert_eq!(text(tree.root(), "a.txt"), "old a\n");
    let told = session.settle().await;
    assert_eq!(told.len(), 1);
    session.tell_later(told.clone());
    session.tell_later(told);
    assert_eq!(session.settle().await.len(), 1, "an answer that was an error did not tell it");
    assert_eq!(session.settle().await, []);
}

#[tokio::test]
async fn a_change_that_was_finished_counts() {
    let tree = tree("//- /a.txt\nold a\n//- /b.txt\nold b\n");
    cut_short(&tree, "unmark", 1);
    let session = session(&tree, false);
    let told = session.settle().await;
    assert!(told[0].message.contains("it counts"), "{}", told[0].message);
    assert_eq!(
        (text(tree.root(), "a.txt"), text(tree.root(), "b.txt")),
        ("new a\n".into(), "new b\n".into())
    );
    let undone = session.undo(UndoQuery::Last(1), &Cancel::new()).await.unwrap();
    assert_eq!(undone.value.files, ["a.txt", "b.txt"]);
    assert_eq!(text(tree.root(), "a.txt"), "old a\n");
}

#[tokio::test]
async fn a_read_only_session_applies_and_undoes_nothing() {
    let tree = tree("//- /a.txt\nold a\n//- /b.txt\nold b\n");
    let session = session(&tree, true);
    let cancel = Cancel::new();
    let query = ApplyQuery { plan_id: "plan-1".to_owned(), simulate: false, diagnostics: false, wait: None };
    assert_eq!(session.apply(query, &cancel).await.unwrap_err().kind, ErrorKind::ReadOnly);
    assert_eq!(session.undo(UndoQuery::Last(1), &cancel).await.unwrap_err().kind, ErrorKind::ReadOnly);
}

#[tokio::test]
async fn a_call_that_was_cancelled_before_it_began_changes_nothing() {
    let tree = tree("//- /a.txt\nold a\n//- /b.txt\nold b\n");
    cut_short(&tree, "unmark", 1);
    let session = session(&tree, false);
    session.settle().await;
    let cancel = Cancel::new();
    cancel.cancel();
    assert_eq!(session.undo(UndoQuery::Last(1), &cancel).await.unwrap_err().kind, ErrorKind::Cancelled);
    assert_eq!(text(tree.root(), "a.txt"), "new a\n");
}
