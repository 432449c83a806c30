//! What a plan does when it is carried out.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use orienteer_edit::{EditError, Existing, Moved};

use crate::support::{Place, replace};

#[test]
fn a_plan_is_carried_out_exactly() {
    let place = Place::with(&[("a.txt", "one two\n"), ("old/b.txt", "two\n"), ("gone.txt", "x")]);
    let mut overlay = place.overlay();
    replace(&mut overlay, &place.path("a.txt"), "two", "2");
    overlay.rename(&place.path("old/b.txt"), &place.path("new/deep/b.txt"), Existing::Refuse).unwrap();
    overlay.delete(&place.path("gone.txt"), false, false).unwrap();
    overlay.create(&place.path("made/c.txt"), "c\n", Existing::Refuse).unwrap();
    let applied = place.journal().apply(&overlay.finish(), "test", &place.roots()).unwrap();
    let tree = place.tree();
    let names: Vec<&str> = tree.keys().map(String::as_str).collect();
    assert_eq!(names, ["a.txt", "made/", "made/c.txt", "new/", "new/deep/", "new/deep/b.txt", "old/"]);
    assert_eq!(place.read("a.txt"), "one 2\n");
    assert_eq!(place.read("new/deep/b.txt"), "two\n");
    let files: Vec<_> =
        applied.files.iter().map(|path| path.strip_prefix(place.root()).unwrap().to_str().unwrap()).collect();
    assert_eq!(files, ["a.txt", "gone.txt", "made/c.txt", "new/deep/b.txt", "old/b.txt"]);
    assert!(place.is_settled());
}

#[test]
fn mode_owner_and_links_stay() {
    let place = Place::with(&[("real/run.sh", "echo one\n"), ("secret.txt", "one\n")]);
    fs::set_permissions(place.path("real/run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(place.path("secret.txt"), fs::Permissions::from_mode(0o600)).unwrap();
    symlink("real/run.sh", place.path("run")).unwrap();
    let is_root = fs::metadata(place.path("secret.txt")).unwrap().uid() == 0;
    if is_root {
        std::os::unix::fs::chown(place.path("secret.txt"), Some(1234), Some(2345)).unwrap();
    }
    let mut overlay = place.overlay();
    replace(&mut overlay, &place.path("run"), "one", "two");
    replace(&mut overlay, &place.path("secret.txt"), "one", "two");
    overlay.rename(&place.path("real/run.sh"), &place.path("real/go.sh"), Existing::Refuse).unwrap();
    place.journal().apply(&overlay.finish(), "test", &place.roots()).unwrap();
    let tree = place.tree();
    assert_eq!(tree["real/go.sh"], (0o755, b"echo two\n".to_vec()));
    assert_eq!(tree["secret.txt"], (0o600, b"two\n".to_vec()));
    assert!(tree.contains_key("run@"));
    let secret = fs::metadata(place.path("secret.txt")).unwrap();
    if is_root {
        assert_eq!((secret.uid(), secret.gid()), (1234, 2345));
    }
}

#[test]
fn a_file_that_moved_on_is_named_and_nothing_is_written() {
    let place = Place::with(&[("a.txt", "one"), ("b.txt", "one"), ("c.txt", "one"), ("d.txt", "one")]);
    let mut overlay = place.overlay();
    for name in ["a.txt", "b.txt", "c.txt", "d.txt"] {
        replace(&mut overlay, &place.path(name), "one", "two");
    }
    overlay.create(&place.path("e.txt"), "new", Existing::Refuse).unwrap();
    let plan = overlay.finish();
    place.write("a.txt", "eins");
    fs::remove_file(place.path("b.txt")).unwrap();
    fs::remove_file(place.path("d.txt")).unwrap();
    symlink("c.txt", place.path("d.txt")).unwrap();
    place.write("e.txt", "theirs");
    let before = place.tree();
    let Err(EditError::Stale { files }) = place.journal().apply(&plan, "test", &place.roots()) else {
        panic!()
    };
    let moved: Vec<(&str, Moved)> =
        files.iter().map(|(path, moved)| (path.file_name().unwrap().to_str().unwrap(), *moved)).collect();
    assert_eq!(
        moved,
        [
            ("a.txt", Moved::Changed),
            ("b.txt", Moved::Missing),
            ("d.txt", Moved::NotAFile),
            ("e.txt", Moved::Appeared),
        ]
    );
    assert_eq!(place.tree(), before);
    let problem = EditError::Stale { files }.problem(&place.roots());
    assert!(problem.message.contains("`b.txt` (missing)"), "{}", problem.message);
}

#[test]
fn a_folder_that_became_a_link_is_not_followed() {
    let place = Place::with(&[("sub/a.txt", "one")]);
    let plan = place.plan(&["sub/a.txt"], "one", "two");
    fs::rename(place.path("sub"), place.folder().join("elsewhere")).unwrap();
    symlink(place.folder().join("elsewhere"), place.path("sub")).unwrap();
    let refused = place.journal().apply(&plan, "test", &place.roots());
    assert!(matches!(refused, Err(EditError::Stale { .. })), "{refused:?}");
    assert_eq!(fs::read_to_string(place.folder().join("elsewhere/a.txt")).unwrap(), "one");
}

#[test]
fn a_file_with_another_name_is_refused() {
    let place = Place::with(&[("a.txt", "one")]);
    fs::hard_link(place.path("a.txt"), place.path("b.txt")).unwrap();
    let plan = place.plan(&["a.txt"], "one", "two");
    let refused = place.journal().apply(&plan, "test", &place.roots());
    assert!(matches!(refused, Err(EditError::HardLinked { .. })));
    assert_eq!((place.read("a.txt"), place.read("b.txt")), ("one".to_owned(), "one".to_owned()));
}

#[test]
fn the_journal_is_nobody_elses_business() {
    let place = Place::with(&[("a.txt", "one")]);
    let plan = place.plan(&["a.txt"], "one", "two");
    place.journal().apply(&plan, "test", &place.roots()).unwrap();
    let journal = place.folder().join("journal");
    let folders =
        fs::read_dir(&journal).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
    for path in folders.chain([journal]) {
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700, "{path:?}");
    }
}

#[test]
fn a_folder_that_moves_is_the_one_that_was_seen() {
    let plan = |place: &Place| {
        let mut overlay = place.overlay();
        overlay.rename(&place.path("old"), &place.path("new"), Existing::Refuse).unwrap();
        overlay.finish()
    };
    let place = Place::with(&[("old/a.txt", "a")]);
    let (first, second) = (plan(&place), plan(&place));
    place.write("old/came.txt", "later");
    let Err(EditError::Stale { files }) = place.journal().apply(&first, "test", &place.roots()) else {
        panic!()
    };
    assert_eq!(files, [(place.path("old/came.txt"), Moved::Appeared)]);
    fs::remove_file(place.path("old/came.txt")).unwrap();
    place.write("new/there.txt", "later");
    let Err(EditError::Stale { files }) = place.journal().apply(&second, "test", &place.roots()) else {
        panic!()
    };
    assert_eq!(files, [(place.path("new"), Moved::Appeared)]);
    assert_eq!(place.read("old/a.txt"), "a");
}

#[test]
fn a_repository_inside_a_folder_does_not_move_with_it() {
    let place = Place::with(&[("sub/a.txt", "a"), ("sub/.git/HEAD", "ref")]);
    let moved = place.overlay().rename(&place.path("sub"), &place.path("other"), Existing::Refuse);
    assert!(matches!(moved, Err(EditError::Protected { .. })), "{moved:?}");
    let deleted = place.overlay().delete(&place.path("sub"), true, false);
    assert!(matches!(deleted, Err(EditError::Protected { .. })), "{deleted:?}");
}

#[test]
fn nothing_is_made_below_a_file() {
    let place = Place::with(&[("a", "file")]);
    let mut overlay = place.overlay();
    overlay.delete(&place.path("a"), false, false).unwrap();
    let made = overlay.create(&place.path("a/b.txt"), "x", Existing::Refuse);
    assert!(matches!(made, Err(EditError::Exists { .. })), "{made:?}");
}
