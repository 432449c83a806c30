//! Much at once, and folders that fill faster than they can be watched.

use std::fs;
use std::time::Duration;

use orienteer_watch::How;

use crate::support::{NOTHING, Place};

#[test]
fn new_nested_folders_with_files() {
    let mut fixture = Place::new().watch();
    for round in 0..200 {
        let name = format!("n{round}/a/b/c/file.rs");
        fixture.write(&name, "");
        assert_eq!(fixture.told_by_events(), [format!("+{name}")]);
        fixture.write(&name, "more");
        assert_eq!(fixture.told_by_events(), [format!("~{name}")], "the new folder is watched");
    }
}

#[test]
fn files_appear_while_their_folder_is_being_looked_at() {
    let mut fixture = Place::new().watch();
    let root = fixture.place.root();
    let writer = std::thread::spawn(move || {
        for round in 0..100 {
            for name in ["x", "a/x", "a/b/x", "a/y"] {
                crate::support::write(&root, &format!("r{round}/{name}"), "");
            }
        }
    });
    let mut seen = std::collections::BTreeSet::new();
    while !writer.is_finished() {
        let changes = fixture.ask();
        for path in changes.created {
            assert!(seen.insert(path.clone()), "{path:?} was told twice");
        }
    }
    writer.join().unwrap();
    seen.extend(fixture.ask().created);
    assert_eq!(seen.len(), 400);
}

#[test]
fn five_thousand_files_at_once() {
    let mut fixture = Place::new().watch();
    for number in 0..5_000 {
        fixture.write(&format!("d{}/{number}.rs", number % 50), "");
    }
    let changes = fixture.ask();
    assert_eq!((changes.created.len(), changes.changed.len(), changes.deleted.len()), (5_000, 0, 0));
    assert_eq!(fixture.told(), NOTHING);
    fs::remove_dir_all(fixture.path("d7")).unwrap();
    assert_eq!(fixture.ask().deleted.len(), 100);
}

#[test]
fn an_overflow_loses_nothing() {
    let place = Place::new();
    place.write("src/a.rs", "one");
    place.write("src/b.rs", "one");
    let mut fixture = place.watch();
    fixture.write("src/a.rs", "two");
    fixture.write("new/c.rs", "");
    fs::remove_file(fixture.path("src/b.rs")).unwrap();
    let _ = fixture.watch.changes(&mut fixture.watch.cursor());
    fixture.write("src/d.rs", "");
    fixture.watch.pretend_overflow();
    let changes = fixture.ask();
    assert_eq!(changes.how, How::Swept);
    let lines = crate::support::lines(&changes, &fixture.place.root());
    assert!(lines.contains(&"~src/a.rs".to_owned()), "{lines:?}");
    for line in ["+new/c.rs", "+src/d.rs", "-src/b.rs"] {
        assert!(lines.contains(&line.to_owned()), "{line} in {lines:?}");
    }
    assert!(changes.took < Duration::from_secs(5));
    fixture.write("new/c.rs", "two");
    assert_eq!(fixture.told_by_events(), ["~new/c.rs"], "watched again");
}

/// A real overflow: more events than the kernel's queue holds, in one system call each. The reader is fast, so
/// this may or may not overflow; either way nothing may be missing.
#[test]
fn more_events_than_the_queue_holds() {
    let place = Place::new();
    place.write("a.rs", "");
    let mut fixture = place.watch();
    let root = fixture.place.root();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let root = &root;
            scope.spawn(move || {
                for number in 0..6_000 {
                    let path = root.join(format!("t{thread}-{}", number % 700));
                    fs::write(&path, number.to_string()).unwrap();
                }
            });
        }
    });
    let changes = fixture.ask();
    assert_eq!(changes.created.len(), 2_800, "{:?}", changes.how);
}

#[test]
fn a_deep_tree() {
    let mut fixture = Place::new().watch();
    let name = format!("{}deep.rs", "d/".repeat(300));
    fixture.write(&name, "");
    assert_eq!(fixture.told(), [format!("+{name}")]);
    fixture.write(&name, "two");
    assert_eq!(fixture.told(), [format!("~{name}")]);
    fs::remove_dir_all(fixture.path("d")).unwrap();
    assert_eq!(fixture.told(), [format!("-{name}")]);
}
