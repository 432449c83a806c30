//! Each thing a program can do to a tree, watched and polled: the answers are the same.

use std::fs;
use std::time::{Duration, SystemTime};

use orienteer_watch::How;

use crate::support::{Fixture, NOTHING, Place, grow_old};

/// Runs one story in both modes. Before each, the tree holds `a.rs`, `src/b.rs` and `src/deep/c.rs`.
fn check(operation: impl Fn(&Fixture), expected: &[&str]) {
    for polling in [false, true] {
        let place = Place::new();
        for name in ["a.rs", "src/b.rs", "src/deep/c.rs"] {
            place.write(name, "one");
        }
        let mut fixture = if polling { place.poll() } else { place.watch() };
        assert_eq!(fixture.watch.unwatched().is_some(), polling, "{:?}", fixture.watch.unwatched());
        operation(&fixture);
        assert_eq!(fixture.told(), expected, "polling: {polling}");
        if !polling {
            assert_eq!(fixture.told_by_events(), NOTHING, "told once");
        }
    }
}

#[test]
fn edit() {
    check(|at| at.write("a.rs", "two"), &["~a.rs"]);
    check(|at| at.write("src/deep/c.rs", "longer than before"), &["~src/deep/c.rs"]);
}

#[test]
fn create() {
    check(|at| at.write("new.rs", ""), &["+new.rs"]);
    check(|at| at.write("src/deep/new.rs", "text"), &["+src/deep/new.rs"]);
    check(|at| at.write(".hidden/also.rs", "text"), &["+.hidden/also.rs"]);
}

#[test]
fn delete() {
    check(|at| fs::remove_file(at.path("src/b.rs")).unwrap(), &["-src/b.rs"]);
    check(|at| fs::remove_dir_all(at.path("src")).unwrap(), &["-src/b.rs", "-src/deep/c.rs"]);
}

#[test]
fn rename_a_file() {
    check(|at| fs::rename(at.path("a.rs"), at.path("src/z.rs")).unwrap(), &["+src/z.rs", "-a.rs"]);
}

#[test]
fn rename_over_another_file() {
    check(|at| fs::rename(at.path("a.rs"), at.path("src/b.rs")).unwrap(), &["~src/b.rs", "-a.rs"]);
}

#[test]
fn rename_a_folder() {
    check(
        |at| fs::rename(at.path("src"), at.path("lib")).unwrap(),
        &["+lib/b.rs", "+lib/deep/c.rs", "-src/b.rs", "-src/deep/c.rs"],
    );
}

#[test]
fn move_a_folder_out_and_in() {
    check(
        |at| fs::rename(at.path("src/deep"), at.place.outside().join("away")).unwrap(),
        &["-src/deep/c.rs"],
    );
    check(
        |at| {
            fs::rename(at.path("src"), at.place.outside().join("away")).unwrap();
            fs::write(at.place.outside().join("away/b.rs"), "changed while away").unwrap();
            fs::rename(at.place.outside().join("away"), at.path("src")).unwrap();
        },
        &["~src/b.rs"],
    );
}

#[test]
fn replace_by_rename_with_the_old_time() {
    check(
        |at| {
            let old = fs::metadata(at.path("a.rs")).unwrap().modified().unwrap();
            let new = at.place.outside().join("new");
            fs::write(&new, "two").unwrap();
            fs::File::options().write(true).open(&new).unwrap().set_modified(old).unwrap();
            fs::rename(&new, at.path("a.rs")).unwrap();
        },
        &["~a.rs"],
    );
}

#[test]
fn write_in_place_and_put_the_time_back() {
    check(
        |at| {
            let old = fs::metadata(at.path("a.rs")).unwrap().modified().unwrap();
            fs::write(at.path("a.rs"), "two").unwrap();
            fs::File::options().write(true).open(at.path("a.rs")).unwrap().set_modified(old).unwrap();
        },
        &["~a.rs"],
    );
}

#[test]
fn created_and_deleted_is_nothing_and_deleted_and_created_is_changed() {
    check(
        |at| {
            at.write("brief.rs", "");
            fs::remove_file(at.path("brief.rs")).unwrap();
            fs::remove_file(at.path("a.rs")).unwrap();
            at.write("a.rs", "one");
        },
        &["~a.rs"],
    );
}

#[test]
fn a_file_becomes_a_folder_and_a_folder_a_file() {
    check(
        |at| {
            fs::remove_file(at.path("a.rs")).unwrap();
            at.write("a.rs/inside.rs", "");
            fs::remove_dir_all(at.path("src/deep")).unwrap();
            at.write("src/deep", "");
        },
        &["+a.rs/inside.rs", "+src/deep", "-a.rs", "-src/deep/c.rs"],
    );
}

#[test]
fn touching_with_an_old_date_is_a_change_and_reading_is_none() {
    check(
        |at| {
            let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
            fs::File::options().write(true).open(at.path("a.rs")).unwrap().set_modified(old).unwrap();
            fs::read(at.path("src/b.rs")).unwrap();
        },
        &["~a.rs"],
    );
}

#[cfg(unix)]
#[test]
fn links_are_no_files() {
    use std::os::unix::fs::symlink;
    check(
        |at| {
            symlink(at.path("a.rs"), at.path("link.rs")).unwrap();
            symlink(at.path("src"), at.path("linked")).unwrap();
        },
        &[],
    );
    // The folder's place is taken by a link to a copy of it.
    check(
        |at| {
            fs::rename(at.path("src/deep"), at.place.outside().join("deep")).unwrap();
            symlink(at.place.outside().join("deep"), at.path("src/deep")).unwrap();
            fs::write(at.place.outside().join("deep/c.rs"), "two").unwrap();
        },
        &["-src/deep/c.rs"],
    );
}

#[cfg(unix)]
#[test]
fn names_that_are_no_text() {
    use std::os::unix::ffi::OsStrExt;
    for polling in [false, true] {
        let place = Place::new();
        let name = std::ffi::OsStr::from_bytes(b"caf\xe9 \xff#%.rs");
        let mut fixture = if polling { place.poll() } else { place.watch() };
        let path = fixture.place.root().join(name).join(name);
        fs::create_dir(path.parent().unwrap()).unwrap();
        fs::write(&path, "").unwrap();
        assert_eq!(fixture.ask().created, std::slice::from_ref(&path));
        assert!(fixture.watch.contains(&path));
        fs::remove_file(&path).unwrap();
        assert_eq!(fixture.ask().deleted, [path]);
    }
}

#[cfg(unix)]
#[test]
fn a_folder_that_becomes_unreadable_and_readable_again() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    place.write("src/b.rs", "one");
    let mut fixture = place.watch();
    let set = |mode| {
        fs::set_permissions(fixture.place.root().join("src"), fs::Permissions::from_mode(mode)).unwrap()
    };
    set(0o000);
    let may_read_all = fs::read_dir(fixture.path("src")).is_ok();
    let hidden = fixture.told();
    let set = |mode| {
        fs::set_permissions(fixture.place.root().join("src"), fs::Permissions::from_mode(mode)).unwrap()
    };
    set(0o755);
    let shown = fixture.told();
    if may_read_all {
        // Root reads everything.
        assert_eq!((hidden.len(), shown.len()), (0, 0));
    } else {
        assert_eq!((hidden, shown), (vec!["-src/b.rs".to_owned()], vec!["+src/b.rs".to_owned()]));
    }
}

#[test]
fn ordinary_operations_need_no_sweep() {
    let place = Place::new();
    place.write("src/b.rs", "one");
    let mut fixture = place.watch();
    fixture.write("src/b.rs", "two");
    fixture.write("new/deep/x.rs", "");
    assert_eq!(fixture.told_by_events(), ["+new/deep/x.rs", "~src/b.rs"]);
    fixture.write("new/deep/x.rs", "two");
    assert_eq!(fixture.told_by_events(), ["~new/deep/x.rs"]);
    fs::remove_dir_all(fixture.path("new")).unwrap();
    fixture.write("new/deep/x.rs", "three");
    assert_eq!(fixture.told_by_events(), ["~new/deep/x.rs"]);
    fixture.write("new/deep/x.rs", "four");
    assert_eq!(fixture.told_by_events(), ["~new/deep/x.rs"]);
    fs::remove_dir_all(fixture.path("new")).unwrap();
    assert_eq!(fixture.told_by_events(), ["-new/deep/x.rs"]);
}

#[test]
fn an_edit_is_not_told_again_when_all_files_are_looked_at_later() {
    let place = Place::new();
    place.write("src/b.rs", "one");
    let mut fixture = place.watch();
    fixture.write("a.rs", "");
    assert_eq!(fixture.told_by_events(), ["+a.rs"]);
    grow_old();
    fs::rename(fixture.path("src"), fixture.path("lib")).unwrap();
    assert_eq!(fixture.told(), ["+lib/b.rs", "-src/b.rs"]);
}

#[test]
fn every_edit_of_the_same_size_is_told_however_fast() {
    let place = Place::new();
    place.write("a.rs", "0000");
    let mut fixture = place.watch();
    for number in 0..2_000 {
        fixture.write("a.rs", &format!("{number:04}"));
        assert_eq!(fixture.told_by_events(), ["~a.rs"], "edit {number}");
    }
}

#[test]
fn polling_tells_every_edit_of_the_same_size_too() {
    let place = Place::new();
    place.write("a.rs", "0000");
    let mut fixture = place.poll();
    for number in 0..500 {
        fixture.write("a.rs", &format!("{number:04}"));
        assert_eq!(fixture.told(), ["~a.rs"], "edit {number}");
    }
    grow_old();
    let _ = fixture.ask();
    let last = fixture.ask();
    assert!(last.is_empty() && last.how == How::Swept, "{last:?}");
}
