//! What is taken back, and when not.

use std::fs;

use orienteer_edit::{EditError, Existing, Undo};

use crate::support::{Place, replace};

fn change(place: &Place, from: &str, to: &str) -> String {
    let plan = place.plan(&["a.txt"], from, to);
    place.journal().apply(&plan, &format!("{from} to {to}"), &place.roots()).unwrap().journal_id
}

#[test]
fn everything_comes_back_byte_for_byte() {
    let place = Place::with(&[("a.txt", "one\r\ntwo\r\n"), ("old/b.txt", "\u{feff}b"), ("gone.txt", "x")]);
    let before = place.tree();
    let mut overlay = place.overlay();
    replace(&mut overlay, &place.path("a.txt"), "one", "1");
    overlay.rename(&place.path("old"), &place.path("new"), Existing::Refuse).unwrap();
    replace(&mut overlay, &place.path("new/b.txt"), "b", "B");
    overlay.delete(&place.path("gone.txt"), false, false).unwrap();
    overlay.create(&place.path("made/deep/c.txt"), "c\n", Existing::Refuse).unwrap();
    let applied = place.journal().apply(&overlay.finish(), "test", &place.roots()).unwrap();
    let after = place.tree();
    assert!(!after.contains_key("old/") && after.contains_key("made/deep/c.txt"));
    let undone = place.journal().undo(&Undo::Last(1), &place.roots()).unwrap();
    assert_eq!(undone.undone, [applied.journal_id]);
    assert_eq!(place.tree(), before);
    // And what was undone can be done again.
    place.journal().undo(&Undo::Entry(undone.journal_id), &place.roots()).unwrap();
    assert_eq!(place.tree(), after);
}

#[test]
fn several_are_taken_back_at_once_and_each_only_once() {
    let place = Place::with(&[("a.txt", "one")]);
    let ids = [change(&place, "one", "two"), change(&place, "two", "three"), change(&place, "three", "four")];
    let (journal, roots) = (place.journal(), place.roots());
    let undone = journal.undo(&Undo::Last(2), &roots).unwrap();
    assert_eq!(undone.undone, [ids[2].clone(), ids[1].clone()]);
    match journal.undo(&Undo::Entry("17".to_owned()), &roots) {
        Err(EditError::NoSuchEntry { known, .. }) => assert_eq!(known, ids[..1], "only what still stands"),
        other => panic!("{other:?}"),
    }
    assert_eq!(place.read("a.txt"), "two");
    let again = journal.undo(&Undo::Entry(ids[2].clone()), &roots);
    assert!(matches!(again, Err(EditError::AlreadyUndone { .. })), "{again:?}");
    assert!(matches!(journal.undo(&Undo::Last(2), &roots), Err(EditError::FewerToUndo { left: 1, .. })));
    assert_eq!(journal.undo(&Undo::Last(1), &roots).unwrap().undone, [ids[0].clone()]);
    assert_eq!(place.read("a.txt"), "one");
    assert!(matches!(journal.undo(&Undo::Last(1), &roots), Err(EditError::NothingToUndo)));
    let unknown = journal.undo(&Undo::Entry("17".to_owned()), &roots);
    assert!(matches!(unknown, Err(EditError::NoSuchEntry { .. })));
}

#[test]
fn an_earlier_change_is_taken_back_alone_when_nothing_built_on_it() {
    let place = Place::with(&[("a.txt", "one"), ("b.txt", "one")]);
    let (journal, roots) = (place.journal(), place.roots());
    let first = change(&place, "one", "two");
    let plan = place.plan(&["b.txt"], "one", "two");
    let second = journal.apply(&plan, "b", &roots).unwrap().journal_id;
    journal.undo(&Undo::Entry(first), &roots).unwrap();
    assert_eq!((place.read("a.txt"), place.read("b.txt")), ("one".to_owned(), "two".to_owned()));
    // The last that stands is the second one.
    assert_eq!(journal.undo(&Undo::Last(1), &roots).unwrap().undone, [second]);
}

#[test]
fn a_file_that_changed_since_is_not_taken_back() {
    let place = Place::with(&[("a.txt", "one"), ("b.txt", "one")]);
    let plan = place.plan(&["a.txt", "b.txt"], "one", "two");
    place.journal().apply(&plan, "test", &place.roots()).unwrap();
    place.write("b.txt", "mine");
    let refused = place.journal().undo(&Undo::Last(1), &place.roots());
    let Err(EditError::Stale { files }) = refused else { panic!("{refused:?}") };
    assert_eq!(files[0].0, place.path("b.txt"));
    assert_eq!((place.read("a.txt"), place.read("b.txt")), ("two".to_owned(), "mine".to_owned()));
}

#[test]
fn what_somebody_did_between_two_changes_is_not_lost() {
    let place = Place::with(&[("a.txt", "one")]);
    change(&place, "one", "two");
    place.write("a.txt", "mine two");
    change(&place, "two", "three");
    let refused = place.journal().undo(&Undo::Last(2), &place.roots());
    assert!(matches!(refused, Err(EditError::Stale { .. })), "{refused:?}");
    assert_eq!(place.read("a.txt"), "mine three");
    place.journal().undo(&Undo::Last(1), &place.roots()).unwrap();
    assert_eq!(place.read("a.txt"), "mine two");
}

#[test]
fn a_copy_that_was_damaged_is_not_put_back() {
    let place = Place::with(&[("a.txt", "one")]);
    let id = change(&place, "one", "two");
    let books = fs::read_dir(place.folder().join("journal")).unwrap().flatten();
    let copy = books.map(|book| book.path().join(&id).join("before")).find(|copy| copy.exists()).unwrap();
    fs::write(copy, "eno").unwrap();
    let refused = place.journal().undo(&Undo::Last(1), &place.roots());
    assert!(matches!(refused, Err(EditError::Damaged { .. })), "{refused:?}");
    assert_eq!(place.read("a.txt"), "two");
}

#[test]
fn each_workspace_has_a_journal_of_its_own() {
    let (left, right) = (Place::with(&[("a.txt", "one")]), Place::with(&[("a.txt", "one")]));
    let journal = left.journal();
    journal.apply(&left.plan(&["a.txt"], "one", "two"), "left", &left.roots()).unwrap();
    assert!(matches!(journal.undo(&Undo::Last(1), &right.roots()), Err(EditError::NothingToUndo)));
    assert_eq!(left.read("a.txt"), "two");
}

#[test]
fn old_entries_are_forgotten() {
    let place = Place::with(&[("a.txt", "0")]);
    for number in 0..205 {
        change(&place, &number.to_string(), &(number + 1).to_string());
    }
    let (journal, roots) = (place.journal(), place.roots());
    assert!(matches!(journal.undo(&Undo::Last(201), &roots), Err(EditError::FewerToUndo { left: 200, .. })));
    journal.undo(&Undo::Last(200), &roots).unwrap();
    assert_eq!(place.read("a.txt"), "5");
}
