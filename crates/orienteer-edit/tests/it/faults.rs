//! What happens when a step fails, or somebody else writes meanwhile.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use orienteer_edit::{EditError, Existing, Journal, Plan, Undo};

use crate::support::{Place, Tree, replace};

fn place() -> Place {
    let place = Place::with(&[("a.txt", "one"), ("b.txt", "one"), ("old/c.txt", "one"), ("gone.txt", "x")]);
    symlink("a.txt", place.path("link")).unwrap();
    place
}

/// A plan with one of everything.
fn plan(place: &Place) -> Plan {
    let mut overlay = place.overlay();
    for name in ["a.txt", "b.txt", "old/c.txt"] {
        replace(&mut overlay, &place.path(name), "one", "two");
    }
    overlay.rename(&place.path("old"), &place.path("new"), Existing::Refuse).unwrap();
    overlay.delete(&place.path("gone.txt"), false, false).unwrap();
    overlay.create(&place.path("made/deep/d.txt"), "new", Existing::Refuse).unwrap();
    overlay.finish()
}

/// Calls `act` before step number `at`, and tells how many steps there were.
fn at_step(
    place: &Place,
    at: usize,
    act: impl Fn(&'static str) -> io::Result<()> + Send + Sync + 'static,
) -> (Journal, Arc<AtomicUsize>) {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = count.clone();
    let witness = move |name: &'static str| {
        if counted.fetch_add(1, Ordering::SeqCst) == at { act(name) } else { Ok(()) }
    };
    (place.journal().with_witness(Arc::new(witness)), count)
}

#[test]
fn an_error_at_any_step_leaves_every_file_as_it_was_or_as_it_shall_be() {
    let mut at = 0;
    let (mut undone, mut done) = (0, 0);
    loop {
        let place = place();
        let before = place.tree();
        let plan = plan(&place);
        let (journal, count) = at_step(&place, at, |_| Err(io::Error::from_raw_os_error(28)));
        match journal.apply(&plan, "test", &place.roots()) {
            Err(error) => {
                assert_eq!(place.tree(), before, "step {at}");
                assert!(place.is_settled(), "step {at}");
                let problem = error.problem(&place.roots());
                assert_eq!(problem.detail, Some("no_room"), "step {at}: {}", problem.message);
                // Nothing stands in the way of trying again.
                place.journal().apply(&plan, "again", &place.roots()).unwrap();
                undone += 1;
            }
            Ok(_) => {
                // What is left beside the files when tidying failed is taken away by the next who comes.
                place.journal().settle(&place.roots()).unwrap();
                done += 1;
            }
        }
        let after: Vec<String> = place.tree().into_keys().collect();
        let expected =
            ["a.txt", "b.txt", "link@", "made/", "made/deep/", "made/deep/d.txt", "new/", "new/c.txt"];
        assert_eq!(after, expected, "step {at}");
        assert_eq!(place.read("a.txt"), "two");
        if count.load(Ordering::SeqCst) <= at {
            break;
        }
        at += 1;
    }
    assert!(undone > 20, "{undone} of {at} steps");
    assert!(done < 10, "{done} of {at} steps");
}

#[test]
fn a_file_that_is_written_at_any_step_keeps_what_was_written() {
    let mut at = 0;
    let (mut theirs, mut ours) = (0, 0);
    loop {
        let place = place();
        let plan = plan(&place);
        let path = place.path("b.txt");
        let (journal, count) = at_step(&place, at, move |_| fs::write(&path, "theirs"));
        let result = journal.apply(&plan, "test", &place.roots());
        if count.load(Ordering::SeqCst) <= at {
            break;
        }
        assert_eq!(place.read("b.txt"), "theirs", "step {at}: {result:?}");
        match result {
            Err(EditError::Stale { files }) => {
                assert_eq!(files[0].0, place.path("b.txt"));
                assert_eq!(place.read("a.txt"), "one", "step {at}");
                theirs += 1;
            }
            // It was written after our change of that file: theirs came later.
            Ok(_) => {
                assert_eq!(place.read("a.txt"), "two", "step {at}");
                ours += 1;
            }
            other => panic!("step {at}: {other:?}"),
        }
        let litter: Vec<String> =
            place.tree().into_keys().filter(|name| name.contains(".orienteer")).collect();
        assert_eq!(litter, [""; 0], "step {at}");
        at += 1;
    }
    assert!(theirs > 10 && ours > 5, "{theirs}, {ours}");
}

#[test]
fn a_link_that_is_put_in_the_way_at_any_step_is_not_followed() {
    let mut at = 0;
    loop {
        let place = place();
        let plan = plan(&place);
        fs::write(place.folder().join("target"), "outside").unwrap();
        let (path, target) = (place.path("b.txt"), place.folder().join("target"));
        let (journal, count) = at_step(&place, at, move |_| {
            let _ = fs::remove_file(&path);
            symlink(&target, &path)
        });
        let result = journal.apply(&plan, "test", &place.roots());
        assert_eq!(
            fs::read_to_string(place.folder().join("target")).unwrap(),
            "outside",
            "step {at}: {result:?}"
        );
        if count.load(Ordering::SeqCst) <= at {
            break;
        }
        at += 1;
    }
    assert!(at > 20);
}

#[test]
fn a_folder_that_is_swapped_for_a_link_at_any_step_keeps_what_is_outside_safe() {
    let mut at = 0;
    loop {
        let place = Place::with(&[("sub/a.txt", "one"), ("b.txt", "one")]);
        let plan = place.plan(&["sub/a.txt", "b.txt"], "one", "two");
        let outside = place.folder().join("outside");
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("a.txt"), "one").unwrap();
        let (sub, elsewhere) = (place.path("sub"), place.folder().join("moved"));
        let link = outside.clone();
        let (journal, count) = at_step(&place, at, move |_| {
            fs::rename(&sub, &elsewhere)?;
            symlink(&link, &sub)
        });
        let result = journal.apply(&plan, "test", &place.roots());
        let names: Vec<_> = fs::read_dir(&outside).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["a.txt"], "step {at}: {result:?}");
        assert_eq!(fs::read_to_string(outside.join("a.txt")).unwrap(), "one", "step {at}: {result:?}");
        if count.load(Ordering::SeqCst) <= at {
            break;
        }
        at += 1;
    }
    assert!(at > 10);
}

#[test]
fn undoing_is_as_safe_as_doing() {
    let mut at = 0;
    loop {
        let place = place();
        let before = place.tree();
        place.journal().apply(&plan(&place), "test", &place.roots()).unwrap();
        let after = place.tree();
        let (journal, count) = at_step(&place, at, |_| Err(io::ErrorKind::PermissionDenied.into()));
        let result = journal.undo(&Undo::Last(1), &place.roots());
        place.journal().settle(&place.roots()).unwrap();
        let expected: &Tree = if result.is_ok() { &before } else { &after };
        assert_eq!(&place.tree(), expected, "step {at}: {result:?}");
        if count.load(Ordering::SeqCst) <= at {
            break;
        }
        at += 1;
    }
    assert!(at > 20);
}

const PLAY: &str = "ORIENTEER_EDIT_PLAY";

/// Runs one test of this file again in a shell that first changes what the process may do.
fn play(test: &str, place: &Place, shell: &[&str], first: &str) -> bool {
    let this = std::env::current_exe().unwrap();
    let script = format!("{first} && exec \"$THIS\" --exact {test} --nocapture");
    let status = Command::new(shell[0])
        .args(&shell[1..])
        .args(["-c", &script])
        .env("THIS", this)
        .env("FOLDER", place.folder())
        .env(PLAY, place.folder())
        .status()
        .unwrap();
    status.success()
}

fn playing() -> Option<Place> {
    std::env::var_os(PLAY).map(|folder| Place::at(folder.into()))
}

#[test]
fn a_disk_without_room_is_told_and_nothing_has_changed() {
    const TEST: &str = "faults::a_disk_without_room_is_told_and_nothing_has_changed";
    const MOUNTING: [&str; 3] = ["unshare", "-rm", "/bin/sh"];
    if let Some(place) = playing() {
        place.write("a.txt", "one\n");
        place.write("b.txt", &"one\n".repeat(30_000));
        let before = place.tree();
        let plan = place.plan(&["a.txt", "b.txt"], "one", "two and more");
        let error = place.journal().apply(&plan, "test", &place.roots()).unwrap_err();
        assert_eq!(place.tree(), before);
        assert_eq!(error.problem(&place.roots()).detail, Some("no_room"));
        assert!(place.is_settled());
        return;
    }
    let place = Place::with(&[]);
    let mounts = Command::new(MOUNTING[0]).args(&MOUNTING[1..]).args(["-c", "true"]).status();
    if mounts.is_ok_and(|status| status.success()) {
        assert!(play(TEST, &place, &MOUNTING, "mount -t tmpfs -o size=400k none \"$FOLDER/tree\""));
    } else {
        // No file may grow beyond 400 blocks of 512 bytes, and trying to is an error instead of a signal.
        assert!(play(TEST, &place, &["/bin/sh"], "trap '' XFSZ && ulimit -f 400"));
    }
}

#[test]
fn a_folder_that_may_not_be_written_is_told_and_nothing_has_changed() {
    const TEST: &str = "faults::a_folder_that_may_not_be_written_is_told_and_nothing_has_changed";
    if let Some(place) = playing() {
        let before = place.tree();
        let plan = place.plan(&["a.txt", "locked/b.txt"], "one", "two");
        let error = place.journal().apply(&plan, "test", &place.roots()).unwrap_err();
        assert_eq!(place.tree(), before);
        assert_eq!(error.problem(&place.roots()).detail, Some("permission_denied"));
        assert!(place.is_settled());
        return;
    }
    let place = Place::with(&[("a.txt", "one"), ("locked/b.txt", "one")]);
    let shell: &[&str] = if fs::metadata(place.folder()).unwrap().uid_is_root() {
        // Whoever may do everything is nobody for once.
        assert!(Command::new("chown").args(["-R", "65534"]).arg(place.folder()).status().unwrap().success());
        &["setpriv", "--reuid=65534", "--clear-groups", "/bin/sh"]
    } else {
        &["/bin/sh"]
    };
    assert!(play(TEST, &place, shell, "chmod 555 \"$FOLDER/tree/locked\""));
    // A file that may not be written although its folder may.
    assert!(play(
        TEST,
        &place,
        shell,
        "chmod 755 \"$FOLDER/tree/locked\" && chmod 444 \"$FOLDER/tree/locked/b.txt\""
    ));
}

trait Root {
    fn uid_is_root(&self) -> bool;
}

impl Root for fs::Metadata {
    fn uid_is_root(&self) -> bool {
        std::os::unix::fs::MetadataExt::uid(self) == 0
    }
}

/// A journal whose named steps fail.
fn failing(place: &Place, steps: &'static [&'static str]) -> Journal {
    let witness = move |name: &'static str| {
        if steps.contains(&name) { Err(io::Error::from_raw_os_error(28)) } else { Ok(()) }
    };
    place.journal().with_witness(Arc::new(witness))
}

#[test]
fn what_was_not_touched_is_not_said_to_be_lost() {
    // Nothing has changed places when these fail, and what was prepared cannot be taken away either.
    for steps in
        [&["mark", "unstage"], &["make folder", "unstage"], &["stage", "unstage"], &["sync file", "unstage"]]
    {
        let place = place();
        let before = place.tree();
        let error = failing(&place, steps).apply(&plan(&place), "test", &place.roots()).unwrap_err();
        assert!(matches!(error, EditError::Io { .. }), "{steps:?}: {error:?}");
        let problem = error.problem(&place.roots());
        assert_eq!(problem.detail, Some("no_room"), "{steps:?}");
        assert!(!problem.message.contains("put back"), "{steps:?}: {}", problem.message);
        // Nobody who comes next is told of lost files, and what is left goes as soon as it can.
        assert_eq!(failing(&place, steps).settle(&place.roots()).unwrap(), []);
        place.journal().settle(&place.roots()).unwrap();
        assert_eq!(place.tree(), before, "{steps:?}");
    }
}

#[test]
fn only_what_is_not_as_it_was_is_said_to_be_lost() {
    let place = place();
    // The third file is not reached, and nothing can be put back.
    let swaps = Arc::new(AtomicUsize::new(0));
    let witness = move |name: &'static str| {
        let fails = name == "put back" || (name == "swap" && swaps.fetch_add(1, Ordering::SeqCst) == 1);
        if fails { Err(io::Error::from_raw_os_error(28)) } else { Ok(()) }
    };
    let journal = place.journal().with_witness(Arc::new(witness));
    let error = journal.apply(&plan(&place), "test", &place.roots()).unwrap_err();
    let EditError::NotRestored { left, .. } = &error else { panic!("{error:?}") };
    assert_eq!(left.len(), 1, "{left:?}");
    assert_ne!(fs::read_to_string(&left[0]).unwrap_or_default(), "one");
    place.journal().settle(&place.roots()).unwrap();
    assert_eq!(place.read("a.txt"), "one");
}

#[test]
fn what_stayed_beside_a_file_is_swept_and_nothing_else() {
    let place = place();
    let applied = failing(&place, &["tidy"]).apply(&plan(&place), "test", &place.roots()).unwrap();
    let id = applied.journal_id;
    let strays = |place: &Place| {
        let all = place.tree().into_keys().filter(|name| name.contains(".orienteer-"));
        all.collect::<Vec<_>>()
    };
    let left = strays(&place);
    assert!(!left.is_empty());
    // The mark is what usually finds them.
    fs::remove_dir_all(place.folder().join("journal/pending")).unwrap();
    place.journal().settle(&place.roots()).unwrap();
    assert_eq!(strays(&place), left);
    // Others of such names are somebody else's: another change, another text, a link, a folder.
    let others = [
        format!(".orienteer-{}-0", id.parse::<u128>().unwrap() + 1),
        format!(".orienteer-{id}-99"),
        format!(".orienteer-{id}-0-old"),
    ];
    for name in &others {
        place.write(name, "mine");
    }
    let waiting = left[0].clone();
    fs::remove_file(place.root().join(&waiting)).unwrap();
    place.write(&waiting, "somebody's own");
    symlink("a.txt", place.path(&format!(".orienteer-{id}-1-new"))).unwrap();
    assert_eq!(place.journal().sweep(&place.roots()), left.len() - 1);
    let mut kept = strays(&place);
    kept.sort();
    let mut expected: Vec<String> =
        others.into_iter().chain([waiting, format!(".orienteer-{id}-1-new@")]).collect();
    expected.sort();
    assert_eq!(kept, expected);
    assert_eq!(place.journal().sweep(&place.roots()), 0);
}
