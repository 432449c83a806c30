//! Several askers of one root.

use std::fs;
use std::path::Path;

use orienteer_watch::{Cursor, Options, Watch};

use crate::support::{NOTHING, PATIENCE, Place, lines};

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
    assert_eq!(lines(&fixture.watch.changes(&mut other, PATIENCE), &root), ["+b.rs", "-a.rs"]);
    assert_eq!(lines(&fixture.watch.changes(&mut other, PATIENCE), &root), NOTHING);
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
    assert_eq!(lines(&fixture.watch.changes(&mut cursor, PATIENCE), &root), ["+a.rs", "+src/b.rs"]);
    assert_eq!(lines(&fixture.watch.changes(&mut cursor, PATIENCE), &root), NOTHING);
    // A cursor of another watch knows nothing of this one.
    let another = Place::new().watch();
    let changes = another.watch.changes(&mut cursor, PATIENCE);
    assert!(changes.is_empty());
    assert_eq!(fixture.watch.changes(&mut cursor, PATIENCE).created.len(), 2);
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
                    let changes = fixture.watch.changes(&mut cursor, PATIENCE);
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
fn dropping_the_watch_removes_its_cookie_and_its_watcher() {
    let place = Place::new();
    place.write("a.rs", "");
    let cookies = place.options().cookie_folder;
    let count = || fs::read_dir(&cookies).unwrap().count();
    let mut fixture = place.watch();
    fixture.told();
    let other = Watch::start(&fixture.place.root(), Options::new(&cookies));
    let _ = other.changes(&mut other.cursor(), PATIENCE);
    assert_eq!(count(), 2);
    drop(other);
    assert_eq!(count(), 1);
    fixture.write("a.rs", "two");
    assert_eq!(fixture.told_by_events(), ["~a.rs"]);
    drop(fixture.watch);
    assert_eq!(count(), 0);
}
