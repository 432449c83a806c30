//! What a plan says before anything is written.

use std::fs;

use orienteer_edit::{EditError, Existing, Operation, TextEdit};

use crate::support::{Place, replace};

#[test]
fn a_plan_tells_what_was_seen_and_shows_what_would_change() {
    let place = Place::with(&[("a.txt", "one\ntwo\n"), ("b.txt", "two\n"), ("c.txt", "three\n")]);
    let plan = place.plan(&["b.txt", "a.txt", "c.txt"], "two", "zwei");
    let shown: Vec<(&str, usize)> = plan
        .previews
        .iter()
        .map(|file| (file.path.file_name().unwrap().to_str().unwrap(), file.edits))
        .collect();
    assert_eq!(shown, [("a.txt", 1), ("b.txt", 1)]);
    assert_eq!(plan.previews[0].diff, "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+zwei\n");
    // The SHA-256 of "two\n", from elsewhere.
    assert_eq!(
        plan.previews[1].before.unwrap().to_string(),
        "27dd8ed44a83ff94d557f9fd0412ed5a8cbca69ea04922d88c01184a07300a5a"
    );
    assert_eq!(place.read("a.txt"), "one\ntwo\n");
}

#[test]
fn later_changes_see_what_earlier_ones_did() {
    let place = Place::with(&[("old.txt", "a\n"), ("gone.txt", "x\n")]);
    let mut overlay = place.overlay();
    overlay.rename(&place.path("old.txt"), &place.path("sub/new.txt"), Existing::Refuse).unwrap();
    replace(&mut overlay, &place.path("sub/new.txt"), "a", "b");
    overlay.create(&place.path("made.txt"), "", Existing::Refuse).unwrap();
    overlay.edit(&place.path("made.txt"), vec![TextEdit::insert(0, "fresh\n")]).unwrap();
    overlay.delete(&place.path("gone.txt"), false, false).unwrap();
    assert!(!overlay.exists(&place.path("old.txt")).unwrap());
    let plan = overlay.finish();
    let names =
        |path: &std::path::Path| path.strip_prefix(place.root()).unwrap().to_str().unwrap().to_owned();
    let operations: Vec<String> = plan
        .operations
        .iter()
        .map(|operation| match operation {
            Operation::Create { path } => format!("create {}", names(path)),
            Operation::Rename { from, to } => format!("rename {} {}", names(from), names(to)),
            Operation::Delete { path } => format!("delete {}", names(path)),
        })
        .collect();
    assert_eq!(operations, ["rename old.txt sub/new.txt", "create made.txt", "delete gone.txt"]);
    let diffs: Vec<&str> = plan.previews.iter().map(|file| file.diff.as_str()).collect();
    assert_eq!(
        diffs,
        [
            "--- a/gone.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n",
            "--- /dev/null\n+++ b/made.txt\n@@ -0,0 +1 @@\n+fresh\n",
            "--- a/old.txt\n+++ b/sub/new.txt\n@@ -1 +1 @@\n-a\n+b\n",
        ]
    );
    let renamed = plan.previews.iter().find(|file| file.path.ends_with("old.txt")).unwrap();
    assert_eq!(renamed.new_path.as_deref(), Some(place.path("sub/new.txt").as_path()));
}

#[test]
fn what_changes_nothing_is_not_planned() {
    let place = Place::with(&[("a.txt", "same")]);
    let mut overlay = place.overlay();
    overlay.edit(&place.path("a.txt"), vec![TextEdit::new(0..4, "same")]).unwrap();
    let plan = overlay.finish();
    assert!(plan.is_empty() && plan.previews.is_empty());
}

#[test]
fn line_ends_and_the_mark_of_the_byte_order_stay() {
    let place = Place::with(&[("dos.txt", "\u{feff}one\r\ntwo\r\n")]);
    let mut overlay = place.overlay();
    let path = place.path("dos.txt");
    overlay.edit(&path, vec![TextEdit::new(3..6, "1\n1"), TextEdit::insert(13, "three\n")]).unwrap();
    place.journal().apply(&overlay.finish(), "test", &place.roots()).unwrap();
    assert_eq!(place.read("dos.txt"), "\u{feff}1\r\n1\r\ntwo\r\nthree\r\n");
}

#[test]
fn nothing_outside_the_roots_or_of_version_control_is_planned() {
    let place = Place::with(&[("a.txt", "a"), (".git/hooks/pre-commit", "#!/bin/sh\n")]);
    fs::write(place.folder().join("outside.txt"), "x").unwrap();
    std::os::unix::fs::symlink(place.folder().join("outside.txt"), place.path("link.txt")).unwrap();
    std::os::unix::fs::symlink(place.folder(), place.path("up")).unwrap();
    std::os::unix::fs::symlink("nowhere", place.path("dangling")).unwrap();
    let outside = place.folder().join("outside.txt");
    for path in [
        outside.clone(),
        place.path("link.txt"),
        place.path("up/outside.txt"),
        place.path("up/new.txt"),
        place.path("sub/../../outside.txt"),
        "relative.txt".into(),
    ] {
        let refused = place.overlay().create(&path, "y", Existing::Overwrite);
        assert!(matches!(refused, Err(EditError::Outside { .. })), "{path:?}: {refused:?}");
    }
    let dangling = place.overlay().create(&place.path("dangling"), "y", Existing::Overwrite);
    assert!(matches!(dangling, Err(EditError::Special { .. })));
    let hook = place.overlay().text(&place.path(".git/hooks/pre-commit"));
    assert!(matches!(hook, Err(EditError::Protected { .. })));
    let moved = place.overlay().rename(&place.path("a.txt"), &outside, Existing::Overwrite);
    assert!(matches!(moved, Err(EditError::Outside { .. })));
}

#[test]
fn what_is_in_the_way_or_missing_is_refused() {
    let place = Place::with(&[("a.txt", "a"), ("b.txt", "b"), ("folder/c.txt", "c")]);
    let [a, b, missing] = ["a.txt", "b.txt", "missing.txt"].map(|name| place.path(name));
    let mut overlay = place.overlay();
    assert!(matches!(overlay.create(&a, "", Existing::Refuse), Err(EditError::Exists { .. })));
    assert!(matches!(overlay.rename(&a, &b, Existing::Refuse), Err(EditError::Exists { .. })));
    assert!(matches!(
        overlay.create(&place.path("folder"), "", Existing::Overwrite),
        Err(EditError::Exists { .. })
    ));
    assert!(matches!(
        overlay.rename(&a, &place.path("folder"), Existing::Overwrite),
        Err(EditError::Exists { .. })
    ));
    assert!(matches!(overlay.rename(&missing, &b, Existing::Overwrite), Err(EditError::Missing { .. })));
    assert!(matches!(overlay.delete(&missing, false, false), Err(EditError::Missing { .. })));
    assert!(matches!(overlay.delete(&place.path("folder"), false, false), Err(EditError::Exists { .. })));
    assert!(matches!(overlay.edit(&missing, Vec::new()), Err(EditError::Missing { .. })));
    overlay.delete(&missing, false, true).unwrap();
    overlay.create(&a, "other", Existing::Keep).unwrap();
    assert_eq!(&*overlay.text(&a).unwrap(), "a");
    let plan = overlay.finish();
    assert!(plan.is_empty());
}

#[test]
fn a_file_that_is_not_text_is_not_edited_but_may_move() {
    let place = Place::with(&[("folder/a.txt", "a")]);
    fs::write(place.path("folder/logo.png"), [0x89, 0xff, 0x00]).unwrap();
    let mut overlay = place.overlay();
    let text = overlay.text(&place.path("folder/logo.png"));
    assert!(matches!(text, Err(EditError::NotText { .. })));
    overlay.rename(&place.path("folder"), &place.path("other"), Existing::Refuse).unwrap();
    place.journal().apply(&overlay.finish(), "test", &place.roots()).unwrap();
    let tree = place.tree();
    let names: Vec<&str> = tree.keys().map(String::as_str).collect();
    assert_eq!(names, ["other/", "other/a.txt", "other/logo.png"]);
    assert_eq!(tree["other/logo.png"].1, [0x89, 0xff, 0x00]);
}
