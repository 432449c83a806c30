//! Disks without room, and those that may only be read.

use std::fs;
use std::process::{Command, Stdio};

use orienteer_base::{Cancel, Problem};
use orienteer_index::build::{Build, BuildError};
use orienteer_index::store::{Store, StoreError};

use crate::processes::{fill, part, play, play_after};
use crate::support::{Place, files, found_word};

/// A shell that can mount what only it sees, where the system has that.
#[cfg(unix)]
const MOUNTING: [&str; 3] = ["unshare", "-rm", "/bin/sh"];

#[cfg(unix)]
fn can_mount() -> bool {
    let tried =
        Command::new(MOUNTING[0]).args(&MOUNTING[1..]).args(["-c", "true"]).stderr(Stdio::null()).status();
    tried.is_ok_and(|status| status.success())
}

#[cfg(unix)]
#[test]
fn a_disk_without_room_is_an_error_and_the_old_index_stays() {
    const TEST: &str = "processes_disk::a_disk_without_room_is_an_error_and_the_old_index_stays";
    if let Some((root, folder)) = part() {
        let mut build = Build::new(&root, &folder);
        if !folder.join("CURRENT").exists() {
            build.run(&Cancel::new(), &|_| {}).unwrap();
        }
        build.options.fresh = true;
        for at in 0..40 {
            let text: String =
                (0..200).map(|line| format!("pub fn f_{at}_{line}() {{ call_{line}(); }}\n")).collect();
            fs::write(root.join(format!("f{at}.rs")), text).unwrap();
        }
        let error = build.run(&Cancel::new(), &|_| {}).unwrap_err();
        let store = Store::open(&folder).unwrap();
        assert_eq!(found_word(&store, "old_word"), ["old.rs"]);
        assert_eq!(files(&store), ["old.rs"]);
        let generation = store.read().unwrap().generation();
        let names =
            fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let others: Vec<String> =
            names.filter(|name| name.contains(['-']) && !name.contains(&generation.to_string())).collect();
        assert_eq!(others, [""; 0]);
        let problem = Problem::from(error);
        fs::write(root.join("../told"), problem.detail.unwrap()).unwrap();
        return;
    }
    let place = Place::with(&[("old.rs", "fn old_word() {}")]);
    let wanted = if can_mount() {
        fs::create_dir_all(place.folder()).unwrap();
        play_after("mount -t tmpfs -o size=256k none \"$FOLDER\"", &MOUNTING, TEST, &place).succeed();
        "disk_full"
    } else {
        // No file may grow beyond 80 blocks of 512 bytes, and trying to is an error instead of a signal.
        place.build();
        play_after("trap '' XFSZ && ulimit -f 80", &["/bin/sh"], TEST, &place).succeed();
        "index_io"
    };
    assert_eq!(fs::read_to_string(place.outside().join("told")).unwrap(), wanted);
}

#[cfg(unix)]
#[test]
fn a_read_only_index_can_be_read_with_all_its_changes() {
    const TEST: &str = "processes_disk::a_read_only_index_can_be_read_with_all_its_changes";
    if let Some((root, folder)) = part() {
        let opened = Store::open(&folder);
        if root.join("lone_log").exists() {
            // Better no answer than one without the changes that stand in the log.
            assert!(matches!(opened, Err(StoreError::Io { .. })), "{opened:?}");
            return;
        }
        let store = opened.unwrap();
        assert_eq!(found_word(&store, "f_1_1"), ["f1.rs"]);
        assert_eq!(found_word(&store, "latest"), ["f0.rs"]);
        fs::write(root.join("f1.rs"), "fn unwritten() {}").unwrap();
        let build = Build::new(&root, &folder);
        let error = build.update(&store, &[root.join("f1.rs")], &Cancel::new()).unwrap_err();
        assert!(matches!(error, BuildError::Store(StoreError::ReadOnly { .. })), "{error}");
        let error = build.run(&Cancel::new(), &|_| {}).unwrap_err();
        assert!(matches!(error, BuildError::Store(StoreError::ReadOnly { .. })), "{error}");
        assert_eq!(found_word(&store, "f_1_1"), ["f1.rs"]);
        return;
    }
    // Once with changes that only the log has, because somebody has it open, once without a log, and once with a log
    // that nothing but a process that can write understands.
    for case in ["open", "closed", "lone_log"] {
        let place = Place::new();
        fill(&place, 2);
        let store = place.built();
        place.write("f0.rs", "fn latest() {}");
        place.update(&store, &["f0.rs"]);
        let log = fs::metadata(place.database().with_extension("db-wal")).unwrap().len();
        assert!(log > 0);
        if case == "lone_log" {
            let log = place.database().with_extension("db-wal");
            let bytes = fs::read(&log).unwrap();
            drop(store);
            fs::write(log, bytes).unwrap();
            place.write("lone_log", "");
        } else if case == "open" {
            // As long as the test runs.
            std::mem::forget(store);
        }
        let mode = |mode: u32| {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(place.folder(), fs::Permissions::from_mode(mode)).unwrap();
        };
        let is_powerful =
            fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0);
        let player = if can_mount() {
            let bind = "mount --bind \"$FOLDER\" \"$FOLDER\" && mount -o remount,ro,bind \"$FOLDER\"";
            play_after(bind, &MOUNTING, TEST, &place)
        } else {
            assert!(!is_powerful, "the super-user needs `unshare`, of the package util-linux, for this test");
            mode(0o555);
            play(TEST, &place)
        };
        player.succeed();
        mode(0o755);
    }
}
