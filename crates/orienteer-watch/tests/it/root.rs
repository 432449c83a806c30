//! The root itself may go, come, and be replaced.

use std::fs;

use orienteer_watch::{Unwatched, Watch};

use crate::support::{NOTHING, Place};

#[test]
fn removed_and_made_again() {
    for polling in [false, true] {
        let place = Place::new();
        place.write("src/a.rs", "one");
        let mut fixture = if polling { place.poll() } else { place.watch() };
        for _ in 0..5 {
            fs::remove_dir_all(fixture.place.root()).unwrap();
            assert_eq!(fixture.told(), ["-src/a.rs"]);
            assert_eq!(fixture.told(), NOTHING);
            fixture.write("src/a.rs", "one");
            assert_eq!(fixture.told(), ["+src/a.rs"]);
            // Made again before anybody asked, perhaps with the same inode.
            fs::remove_dir_all(fixture.place.root()).unwrap();
            fixture.write("src/a.rs", "two");
            assert_eq!(fixture.told(), ["~src/a.rs"]);
            fixture.write("src/a.rs", "six");
            assert_eq!(fixture.told(), ["~src/a.rs"]);
        }
    }
}

#[test]
fn replaced_by_another_folder() {
    let place = Place::new();
    place.write("a.rs", "one");
    let mut fixture = place.watch();
    let (root, outside) = (fixture.place.root(), fixture.place.outside());
    fs::rename(&root, outside.join("old")).unwrap();
    fixture.write("b.rs", "");
    assert_eq!(fixture.told(), ["+b.rs", "-a.rs"]);
    fs::write(outside.join("old/a.rs"), "two").unwrap();
    assert_eq!(fixture.told_by_events(), NOTHING);
    fixture.write("b.rs", "two");
    assert_eq!(fixture.told_by_events(), ["~b.rs"]);
    fs::remove_dir_all(&root).unwrap();
    fs::write(&root, "a file").unwrap();
    assert_eq!(fixture.told(), ["-b.rs"]);
}

#[test]
fn missing_at_the_start() {
    let place = Place::new();
    let root = place.root().join("later/deep");
    let watch = Watch::start(&root, place.options());
    let mut cursor = watch.cursor();
    assert_eq!(watch.unwatched(), Some(Unwatched::RootMissing));
    assert!(watch.changes(&mut cursor).is_empty());
    place.write("later/deep/a.rs", "");
    assert_eq!(watch.changes(&mut cursor).created, [root.join("a.rs")]);
    assert_eq!(watch.unwatched(), None);
    place.write("later/deep/a.rs", "two");
    assert_eq!(watch.changes(&mut cursor).changed, [root.join("a.rs")]);
}

#[cfg(unix)]
#[test]
fn reached_through_a_link() {
    let place = Place::new();
    place.write("a.rs", "");
    let link = place.outside().join("link");
    std::os::unix::fs::symlink(place.root(), &link).unwrap();
    let watch = Watch::start(&link, place.options());
    assert_eq!(watch.root(), place.root());
    let mut cursor = watch.cursor();
    fs::write(link.join("a.rs"), "two").unwrap();
    assert_eq!(watch.changes(&mut cursor).changed, [place.root().join("a.rs")]);
}
