//! Without a watcher that can be trusted, all files are looked at and the answers are the same.

use std::fs;

use orienteer_watch::{How, Options, Unwatched};

use crate::support::{NOTHING, Place, lines};

#[test]
fn too_many_folders() {
    let place = Place::new();
    place.write("a/b/c.rs", "one");
    let options = Options { max_watched_folders: 2, ..place.options() };
    let mut fixture = place.watch_with(options);
    assert_eq!(fixture.watch.unwatched(), Some(Unwatched::TooManyFolders(2)));
    fixture.write("a/b/c.rs", "two");
    let changes = fixture.ask();
    assert_eq!((changes.how, changes.complete), (How::Swept, true));
    assert_eq!(lines(&changes, &fixture.place.root()), ["~a/b/c.rs"]);
}

#[test]
fn folders_become_too_many_later() {
    let place = Place::new();
    let options = Options { max_watched_folders: 3, ..place.options() };
    let mut fixture = place.watch_with(options);
    assert_eq!(fixture.watch.unwatched(), None);
    fixture.write("a/b/c/d/e.rs", "");
    assert_eq!(fixture.told(), ["+a/b/c/d/e.rs"]);
    assert_eq!(fixture.watch.unwatched(), Some(Unwatched::TooManyFolders(3)));
    fixture.write("a/b/c/d/e.rs", "two");
    assert_eq!(fixture.told(), ["~a/b/c/d/e.rs"]);
}

#[test]
fn too_many_files_are_said_to_be() {
    let place = Place::new();
    for number in 0..30 {
        place.write(&format!("{number}.rs"), "one");
    }
    let options = Options { max_files: 20, ..place.options() };
    let mut fixture = place.watch_with(options);
    assert_eq!(fixture.watch.unwatched(), Some(Unwatched::TooManyFiles(20)));
    let known = fixture.watch.files();
    assert_eq!(known.len(), 20);
    fs::write(&known[3], "two").unwrap();
    fs::remove_file(&known[4]).unwrap();
    let changes = fixture.ask();
    assert_eq!((changes.changed, changes.deleted), (vec![known[3].clone()], vec![known[4].clone()]));
    assert!(!changes.complete);
}

#[test]
fn a_folder_of_ours_that_cannot_be_made_is_no_reason_to_miss_anything() {
    let place = Place::new();
    place.write("a.rs", "one");
    let in_the_way = place.outside().join("file");
    fs::write(&in_the_way, "in its place").unwrap();
    let options = Options::new(in_the_way.join("ours"));
    let mut fixture = place.watch_with(options);
    for text in ["two", "three"] {
        fixture.write("a.rs", text);
        assert_eq!(fixture.told(), ["~a.rs"]);
    }
}

#[test]
fn callers_that_come_together_share_a_sweep_that_began_after_they_came() {
    let fixture = Place::new().poll();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let fixture = &fixture;
            scope.spawn(move || {
                let mut cursor = fixture.watch.cursor();
                for round in 0..200 {
                    let name = format!("t{thread}/{round}.rs");
                    fixture.write(&name, "");
                    let changes = fixture.watch.changes(&mut cursor);
                    assert!(changes.created.contains(&fixture.path(&name)), "{round}: {changes:?}");
                }
            });
        }
    });
}

#[test]
fn polling_says_so() {
    let mut fixture = Place::new().poll();
    assert_eq!(fixture.watch.unwatched(), Some(Unwatched::Polling));
    assert_eq!(fixture.told(), NOTHING);
    assert_eq!(fixture.ask().how, How::Swept);
}
