//! A real git changes many files at once.

use std::path::Path;
use std::process::Command;

use crate::support::{NOTHING, Place};

pub(crate) fn git(root: &Path, arguments: &[&str]) {
    let output = Command::new("git")
        .current_dir(root)
        .args(["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"])
        .args(arguments)
        .output()
        .expect("git starts; install it with the system's package manager");
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn checkout_and_back() {
    for polling in [false, true] {
        let place = Place::new();
        let root = place.root();
        git(&root, &["init", "-q"]);
        place.write("same.rs", "same");
        place.write("edited.rs", "one");
        place.write("gone/deep/old.rs", "one");
        git(&root, &["add", "-A"]);
        git(&root, &["commit", "-qm", "one"]);
        git(&root, &["checkout", "-qb", "other"]);
        place.write("edited.rs", "two");
        place.write("fresh/deep/new.rs", "two");
        std::fs::remove_dir_all(root.join("gone")).unwrap();
        git(&root, &["add", "-A"]);
        git(&root, &["commit", "-qm", "two"]);
        let mut fixture = if polling { place.poll() } else { place.watch() };
        git(&root, &["checkout", "-q", "main"]);
        assert_eq!(fixture.told(), ["+gone/deep/old.rs", "~edited.rs", "-fresh/deep/new.rs"]);
        git(&root, &["checkout", "-q", "other"]);
        assert_eq!(fixture.told(), ["+fresh/deep/new.rs", "~edited.rs", "-gone/deep/old.rs"]);
        if !polling {
            git(&root, &["status"]);
            git(&root, &["commit", "-q", "--allow-empty", "-m", "three"]);
            assert_eq!(fixture.told_by_events(), NOTHING, "what git does inside .git is not told");
        }
    }
}

#[test]
fn a_checkout_that_changes_the_ignore_rules() {
    let place = Place::new();
    let root = place.root();
    git(&root, &["init", "-q"]);
    place.write("a.rs", "");
    place.write("made/x.rs", "");
    place.write(".gitignore", "made/\n");
    git(&root, &["add", "-A"]);
    git(&root, &["commit", "-qm", "one"]);
    git(&root, &["checkout", "-qb", "other"]);
    place.write(".gitignore", "\n");
    git(&root, &["commit", "-qam", "two"]);
    let mut fixture = place.watch();
    assert_eq!(fixture.files(), [".gitignore", "a.rs", "made/x.rs"]);
    git(&root, &["checkout", "-q", "main"]);
    assert_eq!(fixture.told(), ["~.gitignore", "-made/x.rs"]);
    git(&root, &["checkout", "-q", "other"]);
    assert_eq!(fixture.told(), ["+made/x.rs", "~.gitignore"]);
}

#[test]
fn stash_and_reset() {
    let place = Place::new();
    let root = place.root();
    git(&root, &["init", "-q"]);
    place.write("a.rs", "one");
    git(&root, &["add", "-A"]);
    git(&root, &["commit", "-qm", "one"]);
    let mut fixture = place.watch();
    for _ in 0..10 {
        fixture.write("a.rs", "two");
        assert_eq!(fixture.told(), ["~a.rs"]);
        git(&root, &["stash", "-q"]);
        assert_eq!(fixture.told(), ["~a.rs"]);
        git(&root, &["stash", "pop", "-q"]);
        assert_eq!(fixture.told(), ["~a.rs"]);
        git(&root, &["reset", "-q", "--hard"]);
        assert_eq!(fixture.told(), ["~a.rs"]);
    }
}
