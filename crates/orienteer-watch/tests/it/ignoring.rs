//! What is not told, and what happens when that changes.

use std::fs;

use orienteer_watch::{How, Options};

use crate::support::{Fixture, NOTHING, Place};

/// In a repository with `target` and logs ignored.
fn repository(polling: bool) -> Fixture {
    let place = Place::new();
    fs::create_dir(place.root().join(".git")).unwrap();
    place.write(".gitignore", "target/\n*.log\n");
    place.write("a.rs", "");
    place.write("target/out.rs", "");
    place.write("x.log", "");
    if polling { place.poll() } else { place.watch() }
}

#[test]
fn ignored_files_and_folders_are_silent() {
    for polling in [false, true] {
        let mut fixture = repository(polling);
        assert_eq!(fixture.files(), [".gitignore", "a.rs"]);
        fixture.write("target/out.rs", "two");
        fixture.write("target/debug/new.rs", "");
        fixture.write("x.log", "two");
        fixture.write("new/y.log", "");
        fixture.write(".git/HEAD", "");
        fixture.write(".svn/entries", "");
        assert_eq!(fixture.told(), NOTHING);
    }
}

#[test]
fn ignored_folders_are_not_watched() {
    let mut fixture = repository(false);
    fixture.write("target/debug/new.rs", "");
    // Renaming a watched folder makes everything be looked at again; an ignored one does not.
    fs::rename(fixture.path("target"), fixture.path("target2")).unwrap();
    fs::rename(fixture.path("target2"), fixture.path("target")).unwrap();
    assert_eq!(fixture.told_by_events(), NOTHING);
}

#[test]
fn editing_an_ignore_file_shows_and_hides() {
    for polling in [false, true] {
        let mut fixture = repository(polling);
        fixture.write(".gitignore", "*.log\na.rs\n");
        assert_eq!(fixture.told(), ["+target/out.rs", "~.gitignore", "-a.rs"]);
        fixture.write("target/out.rs", "two");
        assert!(fixture.told().contains(&"~target/out.rs".to_owned()));
        fs::remove_file(fixture.path(".gitignore")).unwrap();
        let told = fixture.told();
        for line in ["+a.rs", "+x.log", "-.gitignore"] {
            assert!(told.contains(&line.to_owned()), "{line} in {told:?}");
        }
        // Without a repository, git's rules do not count.
        fixture.write(".gitignore", "a.rs\n");
        assert!(fixture.told().contains(&"-a.rs".to_owned()));
        fs::remove_dir(fixture.path(".git")).unwrap();
        assert!(fixture.told().contains(&"+a.rs".to_owned()));
    }
}

#[test]
fn nested_ignore_files_count_also_in_folders_made_anew() {
    let mut fixture = repository(false);
    fixture.write("sub/.gitignore", "secret.rs\n");
    fixture.write("sub/secret.rs", "");
    fixture.write("sub/open.rs", "");
    assert_eq!(fixture.told(), ["+sub/.gitignore", "+sub/open.rs"]);
    fs::remove_dir_all(fixture.path("sub")).unwrap();
    assert_eq!(fixture.told(), ["-sub/.gitignore", "-sub/open.rs"]);
    fixture.write("sub/secret.rs", "");
    assert_eq!(fixture.told(), ["+sub/secret.rs"]);
    fs::remove_dir_all(fixture.path("sub")).unwrap();
    fixture.write("sub/.gitignore", "other.rs\n");
    fixture.write("sub/other.rs", "");
    fixture.write("sub/secret.rs", "");
    assert_eq!(fixture.told(), ["+sub/.gitignore", "~sub/secret.rs"]);
}

#[test]
fn an_ignore_file_that_hides_itself() {
    let mut fixture = repository(false);
    fixture.write("venv/.gitignore", "*\n");
    fixture.write("venv/lib/x.rs", "");
    assert_eq!(fixture.told(), NOTHING);
    fixture.write("venv/.gitignore", "nothing\n");
    assert_eq!(fixture.told(), ["+venv/.gitignore", "+venv/lib/x.rs"]);
}

#[test]
fn rules_outside_the_tree_count() {
    let mut fixture = repository(false);
    fs::write(fixture.place.outside().join(".ignore"), "a.rs\n").unwrap();
    assert_eq!(fixture.told(), ["-a.rs"]);
    fs::remove_file(fixture.place.outside().join(".ignore")).unwrap();
    assert_eq!(fixture.told(), ["+a.rs"]);
    fixture.write(".git/info/exclude", "a.rs\n");
    assert_eq!(fixture.told(), ["-a.rs"]);
}

#[test]
fn names_and_folders_of_ours_in_the_tree_are_left_out() {
    let place = Place::new();
    let options = Options {
        ignored_names: vec!["private".into()],
        proof_folder: place.root().join("inside/ours"),
        ..place.options()
    };
    let mut fixture = place.watch_with(options);
    fixture.write("private/a.rs", "");
    fixture.write("deep/private", "");
    fixture.write("deep/public.rs", "");
    let changes = fixture.ask();
    assert_eq!(changes.created, [fixture.path("deep/public.rs")]);
    let changes = fixture.ask();
    assert!(changes.is_empty() && changes.how == How::Watched, "{changes:?}");
}
