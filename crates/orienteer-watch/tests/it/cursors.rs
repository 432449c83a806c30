//! Several askers of one root.

use std::fs;
use std::path::Path;

use orienteer_watch::{Cursor, Watch};

use crate::support::{Fixture, NOTHING, Place, lines};

#[test]
fn each_cursor_is_told_each_change_once() {
    let place = Place::new();
    place.write("a.rs", "one");
    let mut fixture = place.watch();
    let mut other = fixture.watch.cursor();
    fixture.write("a.rs", "two");
    assert_eq!(fixture.told(), ["~a.rs"]);
    fixture.write("b.rs", "");
    fs::remove_file(fixture.path("a.rs")).unwrap();
    assert_eq!(fixture.told(), ["+b.rs", "-a.rs"]);
    let root = fixture.place.root();
    assert_eq!(lines(&fixture.watch.changes(&mut other), &root), ["+b.rs", "-a.rs"]);
    assert_eq!(lines(&fixture.watch.changes(&mut other), &root), NOTHING);
    assert_eq!(fixture.told(), NOTHING);
}

#[test]
fn a_cursor_that_knows_nothing_is_told_everything() {
    let place = Place::new();
    place.write("a.rs", "one");
    place.write("src/b.rs", "one");
    let fixture = place.watch();
    let mut cursor = Cursor::knowing_nothing();
    let root = fixture.place.root();
    assert_eq!(lines(&fixture.watch.changes(&mut cursor), &root), ["+a.rs", "+src/b.rs"]);
    assert_eq!(lines(&fixture.watch.changes(&mut cursor), &root), NOTHING);
    // A cursor of another watch knows nothing of this one.
    let another = Place::new().watch();
    let changes = another.watch.changes(&mut cursor);
    assert!(changes.is_empty());
    assert_eq!(fixture.watch.changes(&mut cursor).created.len(), 2);
}

#[test]
fn many_threads_ask_and_each_sees_its_own_edits() {
    let fixture = Place::new().watch();
    std::thread::scope(|scope| {
        for thread in 0..6 {
            let fixture = &fixture;
            scope.spawn(move || {
                let mut cursor = fixture.watch.cursor();
                for round in 0..150 {
                    let name = format!("t{thread}/f{}.rs", round % 7);
                    fixture.write(&name, &round.to_string());
                    if round % 50 == 49 {
                        fs::rename(
                            fixture.path(&format!("t{thread}")),
                            fixture.path(&format!("old{thread}-{round}")),
                        )
                        .unwrap();
                        fixture.write(&name, &round.to_string());
                    }
                    let changes = fixture.watch.changes(&mut cursor);
                    let path = fixture.path(&name);
                    assert!(
                        changes.created.contains(&path) || changes.changed.contains(&path),
                        "thread {thread}, round {round}: {changes:?}"
                    );
                }
            });
        }
    });
}

#[test]
fn files_and_contains_speak_of_the_snapshot() {
    let place = Place::new();
    place.write("b.rs", "");
    place.write("a/c.rs", "");
    let mut fixture = place.watch();
    assert_eq!(fixture.files(), ["a/c.rs", "b.rs"]);
    assert!(fixture.watch.contains(&fixture.path("a/c.rs")));
    assert!(!fixture.watch.contains(&fixture.path("a")));
    assert!(!fixture.watch.contains(Path::new("/elsewhere")));
    fs::remove_file(fixture.path("a/c.rs")).unwrap();
    fixture.told();
    assert_eq!(fixture.files(), ["b.rs"]);
}

#[test]
fn dropping_a_watch_leaves_others_of_the_same_root_alone() {
    let place = Place::new();
    place.write("a.rs", "");
    let mut fixture = place.watch();
    fixture.told();
    let other = Watch::start(&fixture.place.root(), fixture.place.options());
    let _ = other.changes(&mut other.cursor());
    drop(other);
    fixture.write("a.rs", "two");
    assert_eq!(fixture.told_by_events(), ["~a.rs"]);
}

#[test]
fn when_nothing_happened_that_is_known_at_once() {
    let place = Place::new();
    place.write("a.rs", "one");
    let mut fixture = place.watch();
    let still = |fixture: &Fixture| fixture.watch.changes_if_still(&fixture.cursor);
    assert!(still(&fixture).is_some_and(|changes| changes.is_empty() && changes.complete));
    fixture.write("a.rs", "two");
    assert_eq!(still(&fixture), None);
    assert_eq!(still(&fixture), None, "what is to be looked at is not lost by not looking");
    assert_eq!(fixture.told_by_events(), ["~a.rs"]);
    assert!(still(&fixture).is_some_and(|changes| changes.is_empty()));
    // What somebody else has looked at is still to be told.
    fixture.write("b.rs", "");
    let _ = fixture.watch.changes(&mut fixture.watch.cursor());
    assert_eq!(still(&fixture), None);
    assert_eq!(fixture.told_by_events(), ["+b.rs"]);
    // Without events nothing is known at once.
    assert_eq!(still(&Place::new().poll()), None);
}
