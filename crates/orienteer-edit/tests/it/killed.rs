//! What is left when the process is killed, at every step.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use orienteer_edit::{Existing, Journal, Plan, Undo};

use crate::support::{Place, replace};

const FOLDER: &str = "ORIENTEER_EDIT_FOLDER";
const STEP: &str = "ORIENTEER_EDIT_STEP";
const ACT: &str = "ORIENTEER_EDIT_ACT";

fn place() -> Place {
    Place::with(&[
        ("a.txt", "one\r\n"),
        ("b.txt", "one"),
        ("old/c.txt", "one"),
        ("old/d.bin", "x"),
        ("gone.txt", "x"),
    ])
}

fn plan(place: &Place) -> Plan {
    let mut overlay = place.overlay();
    for name in ["a.txt", "b.txt", "old/c.txt"] {
        replace(&mut overlay, &place.path(name), "one", "two");
    }
    overlay.rename(&place.path("old"), &place.path("new"), Existing::Refuse).unwrap();
    overlay.delete(&place.path("gone.txt"), false, false).unwrap();
    overlay.create(&place.path("made/deep/e.txt"), "new", Existing::Refuse).unwrap();
    overlay.finish()
}

/// A journal whose process ends, without a word, at a step.
fn dying(place: &Place, at: usize) -> Journal {
    let count = AtomicUsize::new(0);
    place.journal().with_witness(Arc::new(move |_| {
        if count.fetch_add(1, Ordering::SeqCst) == at {
            let me = std::process::id().to_string();
            Command::new("kill").args(["-9", &me]).status().unwrap();
            // The signal is on its way.
            loop {
                std::thread::park();
            }
        }
        Ok(())
    }))
}

/// Not a test of its own: the part of the one that is killed.
#[test]
fn victim() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let place = Place::at(folder.into());
    let at = std::env::var(STEP).unwrap().parse().unwrap();
    let journal = dying(&place, at);
    match std::env::var(ACT).unwrap().as_str() {
        "apply" => drop(journal.apply(&plan(&place), "test", &place.roots()).unwrap()),
        "undo" => drop(journal.undo(&Undo::Last(1), &place.roots()).unwrap()),
        "settle" => drop(journal.settle(&place.roots()).unwrap()),
        other => panic!("{other}"),
    }
}

/// Does something in a process that is killed at a step; `false` when it ended before.
fn killed(folder: &Path, act: &str, at: usize) -> bool {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "killed::victim", "--nocapture"])
        .env(FOLDER, folder)
        .env(STEP, at.to_string())
        .env(ACT, act)
        .output()
        .unwrap();
    let killed = output.status.signal() == Some(9);
    assert!(killed || output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    killed
}

#[test]
fn killed_at_any_step_the_tree_is_the_old_or_the_new_one() {
    let finished = place();
    let old = finished.tree();
    finished.journal().apply(&plan(&finished), "test", &finished.roots()).unwrap();
    let new = finished.tree();
    let (mut olds, mut news, mut at) = (0, 0, 0);
    loop {
        let place = place();
        if !killed(place.folder(), "apply", at) {
            assert_eq!(place.tree(), new);
            break;
        }
        place.journal().settle(&place.roots()).unwrap();
        let tree = place.tree();
        assert!(tree == old || tree == new, "step {at}: {:?}", tree.keys().collect::<Vec<_>>());
        assert!(place.is_settled());
        if tree == old {
            olds += 1;
            place.journal().apply(&plan(&place), "again", &place.roots()).unwrap();
        } else {
            news += 1;
        }
        // Either way it can be taken back.
        place.journal().undo(&Undo::Last(1), &place.roots()).unwrap();
        assert_eq!(place.tree(), old, "step {at}");
        at += 1;
    }
    assert!(olds > 30 && news > 5, "{olds} old and {news} new ones");
}

#[test]
fn killed_while_undoing_the_tree_is_the_old_or_the_new_one() {
    let mut at = 0;
    loop {
        let place = place();
        let old = place.tree();
        place.journal().apply(&plan(&place), "test", &place.roots()).unwrap();
        let new = place.tree();
        if !killed(place.folder(), "undo", at) {
            assert_eq!(place.tree(), old);
            break;
        }
        place.journal().settle(&place.roots()).unwrap();
        let tree = place.tree();
        assert!(tree == old || tree == new, "step {at}: {:?}", tree.keys().collect::<Vec<_>>());
        at += 1;
    }
    assert!(at > 30);
}

#[test]
fn killed_again_while_the_tree_is_put_right_it_is_put_right_by_the_next() {
    // In the middle of writing, of changing places and at the very end of that.
    let mut pairs = 0;
    for first in (14..90).step_by(11) {
        let mut second = 0;
        loop {
            let place = place();
            let old = place.tree();
            if !killed(place.folder(), "apply", first) || !killed(place.folder(), "settle", second) {
                break;
            }
            let settled = place.journal().settle(&place.roots()).unwrap();
            if settled.iter().any(|settled| settled.finished) {
                assert_eq!(place.read("a.txt"), "two\r\n");
            } else {
                assert_eq!(place.tree(), old, "steps {first}, {second}");
            }
            assert!(place.is_settled());
            pairs += 1;
            second += 1;
        }
    }
    assert!(pairs > 20, "{pairs}");
}

#[test]
fn what_was_cut_short_is_put_right_before_the_next_change_and_told() {
    let place = place();
    let old = place.tree();
    // Somewhere behind the first file that changed places.
    let at = (0..).find(|at| {
        let probe = self::place();
        killed(probe.folder(), "apply", *at) && probe.read("a.txt") == "two\r\n"
    });
    assert!(killed(place.folder(), "apply", at.unwrap()));
    assert_ne!(place.tree(), old);
    let settled = place.journal().settle(&place.roots()).unwrap();
    assert_eq!(settled.len(), 1);
    assert_eq!((settled[0].title.as_str(), settled[0].finished, settled[0].left.len()), ("test", false, 0));
    assert_eq!(place.tree(), old);
    assert_eq!(place.journal().settle(&place.roots()).unwrap(), []);
}

#[test]
fn a_file_that_was_written_after_the_crash_is_left_and_told() {
    let at = (0..).find(|at| {
        let probe = place();
        killed(probe.folder(), "apply", *at) && probe.read("a.txt") == "two\r\n"
    });
    let place = place();
    assert!(killed(place.folder(), "apply", at.unwrap()));
    place.write("a.txt", "written after the crash");
    let settled = place.journal().settle(&place.roots()).unwrap();
    assert_eq!(settled[0].left, [place.path("a.txt")]);
    assert_eq!(place.read("a.txt"), "written after the crash");
    assert_eq!(place.read("b.txt"), "one");
    let kept = settled[0].kept_in.as_ref().unwrap();
    assert!(std::fs::read_to_string(kept.join("before")).unwrap().starts_with("one\r\n"));
    // It does not stand in the way of anything.
    place.journal().apply(&place.plan(&["b.txt"], "one", "two"), "next", &place.roots()).unwrap();
    assert!(kept.join("before").exists());
}

#[test]
fn a_change_of_a_folder_inside_or_around_is_put_right_too() {
    let at = (0..).find(|at| {
        let probe = place();
        killed(probe.folder(), "apply", *at) && probe.read("a.txt") == "two\r\n"
    });
    let place = place();
    assert!(killed(place.folder(), "apply", at.unwrap()));
    let elsewhere = Place::with(&[("x", "y")]);
    assert_eq!(place.journal().settle(&elsewhere.roots()).unwrap(), []);
    assert!(!place.is_settled());
    let around = orienteer_base::Roots::new(place.folder(), &[]).unwrap();
    assert_eq!(place.journal().settle(&around).unwrap().len(), 1);
    assert_eq!(place.read("a.txt"), "one\r\n");
}
