//! What is seen when files change?

use std::fs;

use orienteer_base::Cancel;
use orienteer_index::build::Stale;
use orienteer_index::store::{Condition, Plan, RelativePath};

use crate::support::{Place, files, found, found_word, symbols, symbols_where, wait_until};

#[test]
fn a_changed_file_is_seen_at_once() {
    let place = Place::with(&[("a.rs", "fn alpha() {}"), ("b.rs", "fn beta() {}")]);
    let store = place.built();
    place.write("a.rs", "fn omega() { last_word(); }");
    let report = place.update(&store, &["a.rs"]);
    assert_eq!((report.changed, report.deleted), (1, 0));
    assert_eq!(found(&store, "last_word"), ["a.rs"]);
    assert_eq!(symbols(&store, "omega"), ["omega"]);
    assert_eq!(symbols(&store, "alpha"), [""; 0]);
    assert_eq!(found(&store, "alpha"), [""; 0]);
    assert_eq!(found(&store, "beta"), ["b.rs"]);
}

#[test]
fn new_and_deleted_files_and_folders_are_seen() {
    let place =
        Place::with(&[("a/one.rs", "fn one() {}"), ("a/b/two.rs", "fn two() {}"), ("ab.rs", "fn ab() {}")]);
    let store = place.built();
    place.write("c/three.rs", "fn three() {}");
    fs::remove_dir_all(place.path("a")).unwrap();
    let report = place.update(&store, &["c", "a"]);
    assert_eq!((report.changed, report.deleted), (1, 2));
    assert_eq!(files(&store), ["ab.rs", "c/three.rs"]);
    fs::remove_file(place.path("ab.rs")).unwrap();
    assert_eq!(place.update(&store, &["ab.rs", "never/was.rs"]).deleted, 1);
    assert_eq!(files(&store), ["c/three.rs"]);
}

#[test]
fn a_renamed_folder_is_found_under_its_new_name_alone() {
    let place = Place::with(&[("old/x.rs", "fn moved() {}")]);
    let store = place.built();
    fs::rename(place.path("old"), place.path("new")).unwrap();
    place.update(&store, &["old", "new"]);
    assert_eq!(found(&store, "moved"), ["new/x.rs"]);
}

#[test]
fn a_file_that_became_a_folder_and_back_is_right_each_time() {
    let place = Place::with(&[("x", "plain words")]);
    let store = place.built();
    fs::remove_file(place.path("x")).unwrap();
    place.write("x/y.rs", "fn inside() {}");
    place.update(&store, &["x"]);
    assert_eq!(files(&store), ["x/y.rs"]);
    fs::remove_dir_all(place.path("x")).unwrap();
    place.write("x", "plain words");
    // Told of what was in it alone: there is no such path any more.
    assert_eq!(place.update(&store, &["x/y.rs"]).deleted, 1);
    place.update(&store, &["x"]);
    assert_eq!(files(&store), ["x"]);
}

#[test]
fn ignored_and_hidden_files_stay_out() {
    let place = Place::with(&[(".ignore", "*.log\nout/\n"), ("a.rs", "fn a() {}")]);
    let store = place.built();
    place.write("b.log", "noise");
    place.write("out/c.rs", "fn c() {}");
    place.write(".hidden.rs", "fn h() {}");
    place.write(".dir/d.rs", "fn d() {}");
    let report = place.update(&store, &["b.log", "out/c.rs", "out", ".hidden.rs", ".dir/d.rs", ".dir"]);
    assert_eq!((report.changed, report.deleted), (0, 0));
    assert_eq!(files(&store), ["a.rs"]);
}

#[test]
fn a_changed_ignore_file_changes_what_counts() {
    let place = Place::with(&[("a.rs", "fn a() {}"), ("gen/b.rs", "fn b() {}")]);
    let store = place.built();
    place.write(".ignore", "gen/\n");
    place.update(&store, &[".ignore"]);
    assert_eq!(files(&store), ["a.rs"]);
    fs::remove_file(place.path(".ignore")).unwrap();
    place.update(&store, &[".ignore"]);
    assert_eq!(files(&store), ["a.rs", "gen/b.rs"]);
}

#[test]
fn paths_outside_the_root_are_nobodys_business() {
    let place = Place::with(&[("a.rs", "fn a() {}")]);
    let store = place.built();
    fs::write(place.outside().join("secret.rs"), "fn secret() {}").unwrap();
    let outside = place.outside().join("secret.rs");
    let up = std::path::PathBuf::from("../secret.rs");
    let report = place.plan().update(&store, &[outside, up], &Cancel::new()).unwrap();
    assert_eq!(report.changed, 0);
    assert_eq!(files(&store), ["a.rs"]);
}

#[test]
fn stale_files_are_told() {
    let place = Place::with(&[("a.rs", "fn a() {}"), ("b.rs", "fn b() {}"), ("c.rs", "fn c() {}")]);
    let store = place.built();
    place.settle();
    let stale = || -> Stale { place.plan().stale(&store.read().unwrap(), &Cancel::new()).unwrap() };
    assert!(stale().is_empty(), "{:?}", stale());
    place.write("a.rs", "fn changed() {}");
    fs::remove_file(place.path("b.rs")).unwrap();
    let name = |name: &str| vec![RelativePath::new(name.as_ref())];
    assert_eq!((stale().changed, stale().gone), (name("a.rs"), name("b.rs")));
    place.update(&store, &["a.rs", "b.rs"]);
    assert_eq!(stale().gone, []);
}

#[test]
fn a_reader_keeps_seeing_what_it_saw() {
    let place = Place::with(&[("a.rs", "fn alpha() {}")]);
    let store = place.built();
    let before = store.read().unwrap();
    place.write("a.rs", "fn omega() {}");
    place.write("b.rs", "fn beta() {}");
    place.update(&store, &["a.rs", "b.rs"]);
    let after = store.read().unwrap();
    let names = |reader: &orienteer_index::store::Reader<'_>| -> Vec<String> {
        let files = reader.files().unwrap();
        files.iter().flat_map(|file| reader.symbols_of(file).unwrap()).map(|symbol| symbol.name).collect()
    };
    assert_eq!(names(&before), ["alpha"]);
    assert_eq!(names(&after), ["omega", "beta"]);
    assert!(after.version() > before.version());
    let words = crate::support::ask("alpha omega");
    assert_eq!(before.candidates(&words, &Cancel::new()).unwrap().len(), 1);
    drop(after);
    assert_eq!(before.candidates(&words, &Cancel::new()).unwrap().len(), 1);
}

#[test]
fn many_small_changes_stay_few_parts() {
    let place = Place::with(&[("a.rs", "fn a() {}"), ("b.rs", "fn b() {}")]);
    let store = place.built();
    for round in 0..100 {
        place.write("a.rs", format!("fn round_{round}() {{ shared(); }}"));
        place.update(&store, &["a.rs"]);
    }
    assert_eq!(symbols(&store, "round_99"), ["round_99"]);
    assert_eq!(found_word(&store, "round_98"), [""; 0]);
    assert_eq!(found(&store, "shared"), ["a.rs"]);
    let counts = store.read().unwrap().counts().unwrap();
    assert!(counts.segments < 20, "{counts:?}");
    assert_eq!((counts.files, counts.symbols), (2, 2));
    assert!(counts.wants_compaction());
}

#[test]
fn a_touched_file_is_found_by_its_new_time() {
    let place = Place::with(&[("a.rs", "fn alpha() {}"), ("b.rs", "fn beta() {}")]);
    let store = place.built();
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(1000);
    let since = later.duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos() as i64 - 1_000_000_000;
    let plan = Plan { conditions: vec![Condition::ModifiedSince(since)], ..Plan::default() };
    let changed = || symbols_where(&store.read().unwrap(), &plan);
    assert_eq!(changed(), [""; 0]);
    fs::File::options().write(true).open(place.path("a.rs")).unwrap().set_modified(later).unwrap();
    assert_eq!(place.update(&store, &["a.rs"]).unchanged, 1);
    assert_eq!(changed(), ["alpha"]);
    // And what comes after that is still added to what is known.
    place.write("c.rs", "fn gamma() {}");
    place.update(&store, &["c.rs"]);
    assert_eq!((changed(), files(&store).len()), (vec!["alpha".to_owned()], 3));
}

#[test]
fn a_file_that_changes_while_a_change_waits_is_written_as_it_is_then() {
    let place =
        Place::with(&[("a.rs", "fn first() {}"), ("gone.rs", "fn gone() {}"), ("kept.rs", "fn kept() {}")]);
    // So many that they are read by threads, which tell how far they are.
    let more: Vec<String> = (0..10).map(|at| format!("f{at}.rs")).collect();
    more.iter().for_each(|name| place.write(name, "fn more() {}"));
    let store = place.built();
    // Another process changes the index at the moment.
    let other = store.write(&Cancel::new()).unwrap();
    place.write("a.rs", "fn second() {}");
    fs::remove_file(place.path("gone.rs")).unwrap();
    let second = place.store();
    let paths: Vec<_> = ["a.rs", "gone.rs", "kept.rs"]
        .into_iter()
        .chain(more.iter().map(String::as_str))
        .map(|name| place.path(name))
        .collect();
    let cancel = Cancel::new();
    std::thread::scope(|scope| {
        let change = scope.spawn(|| place.plan().update(&second, &paths, &cancel).unwrap());
        wait_until("the files are read", || cancel.done() == 12);
        place.write("a.rs", "fn third() { newest(); }");
        place.write("gone.rs", "fn back() {}");
        fs::remove_file(place.path("kept.rs")).unwrap();
        other.commit().unwrap();
        change.join().unwrap();
    });
    assert_eq!(found_word(&store, "newest"), ["a.rs"]);
    assert_eq!(found_word(&store, "second"), [""; 0]);
    assert_eq!(found_word(&store, "back"), ["gone.rs"]);
    assert_eq!(found_word(&store, "kept"), [""; 0]);
    assert_eq!(files(&store).len(), 12);
}

#[test]
fn a_change_that_was_written_first_is_not_taken_back_by_one_that_read_before_it() {
    let place = Place::with(&[("a.rs", "fn first() {}")]);
    let more: Vec<String> = (0..10).map(|at| format!("f{at}.rs")).collect();
    more.iter().for_each(|name| place.write(name, "fn more() {}"));
    let store = place.built();
    let second = place.store();
    let mut other = store.write(&Cancel::new()).unwrap();
    let paths: Vec<_> =
        ["a.rs"].into_iter().chain(more.iter().map(String::as_str)).map(|name| place.path(name)).collect();
    let cancel = Cancel::new();
    std::thread::scope(|scope| {
        // It finds that nothing has changed.
        let change = scope.spawn(|| place.plan().update(&second, &paths, &cancel).unwrap());
        wait_until("the files are read", || cancel.done() == 11);
        // Somebody writes the file and the index, and the file again as it was.
        other.put(&crate::support::record("a.rs", &["between"])).unwrap();
        other.commit().unwrap();
        change.join().unwrap();
    });
    assert_eq!(found_word(&store, "between"), [""; 0]);
    assert_eq!(found_word(&store, "first"), ["a.rs"]);
}

#[cfg(unix)]
#[test]
fn what_lies_behind_a_linked_folder_is_not_read() {
    let place = Place::with(&[("in/a.rs", "fn a() {}"), ("deep/in/b.rs", "fn b() {}")]);
    let store = place.built();
    let outside = place.outside().join("elsewhere");
    fs::create_dir_all(outside.join("in")).unwrap();
    for name in ["a.rs", "new.rs", "in/b.rs"] {
        fs::write(outside.join(name), "fn secret() {}").unwrap();
    }
    for name in ["in", "deep"] {
        fs::remove_dir_all(place.path(name)).unwrap();
        std::os::unix::fs::symlink(&outside, place.path(name)).unwrap();
    }
    let report = place.update(&store, &["in/a.rs", "in/new.rs", "deep/in/b.rs", "deep/in"]);
    assert_eq!((report.changed, report.deleted), (0, 2));
    assert_eq!(found_word(&store, "secret"), [""; 0]);
    assert_eq!(files(&store), [""; 0]);
}

#[test]
fn rules_of_git_count_once_there_is_a_repository() {
    let place = Place::with(&[(".gitignore", "gen/\n"), ("a.rs", "fn a() {}"), ("gen/b.rs", "fn b() {}")]);
    let store = place.built();
    assert_eq!(files(&store), ["a.rs", "gen/b.rs"]);
    fs::create_dir_all(place.path(".git/info")).unwrap();
    place.update(&store, &[".git"]);
    assert_eq!(files(&store), ["a.rs"]);
    place.write("c.rs", "fn c() {}");
    place.write(".git/info/exclude", "c.rs\n");
    place.update(&store, &["c.rs"]);
    place.write(".git/info/exclude", "a.rs\n");
    place.update(&store, &[".git/info/exclude"]);
    assert_eq!(files(&store), ["c.rs"]);
}
