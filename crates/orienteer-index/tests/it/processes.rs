//! Do several processes and threads get along, and what if one is killed?

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use orienteer_base::Cancel;
use orienteer_index::build::Build;
use orienteer_index::store::{Health, Store, StoreError};
use orienteer_index::upkeep;

use crate::support::{Place, Stops, files, found, found_word, wait_until};

/// Set for the process that is to be killed, or to write beside us.
const PART: &str = "ORIENTEER_INDEX_PART";

/// How long a process with a part plays it when nobody ends it.
const LONGEST: Duration = Duration::from_secs(60);

/// Another process of this test. It does not outlive it.
pub(crate) struct Player {
    child: Child,
    said: PathBuf,
}

/// Starts this very test again, in another process, with a part to play.
pub(crate) fn play(test: &str, place: &Place) -> Player {
    play_after("true", &["/bin/sh"], test, place)
}

/// The same after some commands of a shell, of which `FOLDER` is the folder of the index.
pub(crate) fn play_after(commands: &str, shell: &[&str], test: &str, place: &Place) -> Player {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let said = place.outside().join(format!("said-{}", NEXT.fetch_add(1, Ordering::Relaxed)));
    let child = Command::new(shell[0])
        .args(&shell[1..])
        .args(["-c", &format!("{commands} && exec \"$0\" --exact \"$1\" --nocapture")])
        .arg(std::env::current_exe().unwrap())
        .arg(test)
        .env(PART, place.outside())
        .env("FOLDER", place.folder())
        .stdout(Stdio::null())
        .stderr(fs::File::create(&said).unwrap())
        .spawn()
        .unwrap();
    Player { child, said }
}

impl Player {
    fn kill(mut self) {
        assert_eq!(self.child.try_wait().unwrap(), None, "it ended by itself: {}", self.said());
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Waits for its end, which must be a good one.
    pub(crate) fn succeed(mut self) {
        let status = self.child.wait().unwrap();
        assert!(status.success(), "{status}: {}", self.said());
    }

    fn said(&self) -> String {
        fs::read_to_string(&self.said).unwrap_or_default()
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The place that was given to this process, if it is one with a part.
pub(crate) fn part() -> Option<(PathBuf, PathBuf)> {
    let outside = PathBuf::from(std::env::var_os(PART)?);
    Some((outside.join("root"), outside.join("index")))
}

/// Does something again and again until somebody kills this process.
fn until_killed(mut act: impl FnMut(u64)) {
    let end = Instant::now() + LONGEST;
    let mut round = 0;
    while Instant::now() < end {
        act(round);
        round += 1;
    }
}

/// Numbers that look like chance and are the same each time.
fn chances(mut state: u64) -> impl FnMut(u64) -> u64 {
    move |below| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    }
}

pub(crate) fn fill(place: &Place, files: usize) {
    for at in 0..files {
        let text: String =
            (0..200).map(|line| format!("pub fn f_{at}_{line}() {{ call_{line}(); }}\n")).collect();
        place.write(&format!("f{at}.rs"), text);
    }
}

/// What is in the folder of the index, without the log.
fn left(place: &Place) -> Vec<String> {
    let mut left: Vec<String> = fs::read_dir(place.folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    left.retain(|name| !name.contains("-wal") && !name.contains("-shm"));
    left.sort();
    left
}

#[test]
fn a_killed_build_leaves_the_old_index_usable() {
    if let Some((root, folder)) = part() {
        let mut build = Build::new(&root, &folder);
        build.options.fresh = true;
        return until_killed(|_| drop(build.run(&Cancel::new(), &|_| {}).unwrap()));
    }
    let place = Place::new();
    fill(&place, 40);
    place.build();
    let answer = found_word(&place.store(), "f_7_3");
    assert_eq!(answer, ["f7.rs"]);
    let mut chance = chances(0x2545_F491_4F6C_DD1D);
    for _ in 0..12 {
        let child = play("processes::a_killed_build_leaves_the_old_index_usable", &place);
        let end = Instant::now() + Duration::from_millis(30 + chance(700));
        // Questions are answered all the time meanwhile.
        while Instant::now() < end {
            let store = Store::open(&place.folder()).unwrap();
            assert_eq!(found_word(&store, "f_7_3"), answer);
        }
        child.kill();
        let store = place.store();
        assert_eq!(found_word(&store, "f_7_3"), answer);
        assert_eq!(store.check(&Cancel::new()).unwrap(), Health::Sound);
    }
    // What the dead have left is swept by the next build, and nothing keeps it waiting.
    place.rebuild();
    let generation = place.store().read().unwrap().generation();
    assert_eq!(
        left(&place),
        [
            "CURRENT".to_owned(),
            "USED".to_owned(),
            "build.lock".to_owned(),
            format!("index-{generation}.db"),
            format!("trigrams-{generation}.bin")
        ]
    );
}

/// Builds of a few files and compactions put another generation in place again and again, so that many of the kills
/// strike just then.
#[test]
fn a_process_that_is_killed_while_it_replaces_the_index_leaves_a_whole_one() {
    if let Some((root, folder)) = part() {
        let mut build = Build::new(&root, &folder);
        build.options.fresh = true;
        return until_killed(|round| {
            let cancel = Cancel::new();
            if round % 2 == 0 {
                build.run(&cancel, &|_| {}).unwrap();
            } else {
                let store = Store::open(&folder).unwrap();
                upkeep::compact(&store, false, LONGEST, &cancel).unwrap();
            }
        });
    }
    let place = Place::new();
    fill(&place, 2);
    let store = place.built();
    let mut chance = chances(99);
    for _ in 0..15 {
        let child = play(
            "processes::a_process_that_is_killed_while_it_replaces_the_index_leaves_a_whole_one",
            &place,
        );
        let wanted = 1 + chance(6);
        let mut seen = std::collections::BTreeSet::new();
        wait_until("it has replaced the index some times", || {
            seen.insert(store.read().unwrap().generation());
            seen.len() as u64 > wanted
        });
        child.kill();
        assert_eq!(found_word(&store, "f_1_3"), ["f1.rs"]);
        assert_eq!(store.check(&Cancel::new()).unwrap(), Health::Sound);
    }
    place.rebuild();
    assert_eq!(left(&place).len(), 5, "{:?}", left(&place));
}

#[test]
fn a_killed_change_is_all_or_nothing() {
    if let Some((root, folder)) = part() {
        let build = Build::new(&root, &folder);
        let store = Store::open(&folder).unwrap();
        return until_killed(|round| {
            // Both files always have the same word.
            for name in ["f0.rs", "f1.rs"] {
                fs::write(root.join(name), format!("fn pair() {{ round_{round}(); }}\n").repeat(50)).unwrap();
            }
            build.update(&store, &["f0.rs".into(), "f1.rs".into()], &Cancel::new()).unwrap();
        });
    }
    let place = Place::new();
    fill(&place, 5);
    place.build();
    let mut chance = chances(77);
    for _ in 0..8 {
        let child = play("processes::a_killed_change_is_all_or_nothing", &place);
        let store = place.store();
        let version = || store.read().unwrap().version();
        let wanted = version() + 1 + chance(20);
        wait_until("it has changed the index some times", || version() >= wanted);
        child.kill();
        let store = place.store();
        let reader = store.read().unwrap();
        assert_eq!(reader.files().unwrap().len(), 5);
        let pairs = reader
            .candidates(&crate::support::ask("pair"), &Cancel::new())
            .unwrap()
            .iter()
            .map(|found| reader.path(found.file).unwrap().shown())
            .collect::<std::collections::BTreeSet<_>>();
        assert_eq!(pairs.len(), 2, "{pairs:?}");
        drop(reader);
        assert_eq!(store.check(&Cancel::new()).unwrap(), Health::Sound);
    }
    place.build();
    assert_eq!(place.plan().stale(&place.store().read().unwrap(), &Cancel::new()).unwrap().gone, []);
}

#[test]
fn an_index_that_another_process_removed_and_made_again_is_seen() {
    const TEST: &str = "processes::an_index_that_another_process_removed_and_made_again_is_seen";
    if let Some((root, folder)) = part() {
        fs::remove_dir_all(&folder).unwrap();
        fs::write(root.join("f0.rs"), "fn afterwards() {}").unwrap();
        Build::new(&root, &folder).run(&Cancel::new(), &|_| {}).unwrap();
        return;
    }
    let place = Place::new();
    fill(&place, 3);
    let store = place.built();
    assert_eq!(found_word(&store, "f_0_1"), ["f0.rs"]);
    for _ in 0..3 {
        fs::write(place.path("f0.rs"), "fn between() {}").unwrap();
        place.update(&store, &["f0.rs"]);
        assert_eq!(found_word(&store, "between"), ["f0.rs"]);
        play(TEST, &place).succeed();
        assert_eq!(found_word(&store, "afterwards"), ["f0.rs"]);
        assert_eq!(found_word(&store, "between"), [""; 0]);
    }
}

#[test]
fn two_processes_that_write_one_file_leave_what_stands_in_it() {
    const TEST: &str = "processes::two_processes_that_write_one_file_leave_what_stands_in_it";
    if let Some((root, folder)) = part() {
        let build = Build::new(&root, &folder);
        let store = Store::open(&folder).unwrap();
        for round in 0..60 {
            let text = format!("fn round_{round}_of_{}() {{}}", std::process::id());
            fs::write(root.join("f0.rs"), text).unwrap();
            build.update(&store, &["f0.rs".into()], &Cancel::new()).unwrap();
        }
        return;
    }
    let place = Place::new();
    fill(&place, 2);
    let store = place.built();
    let players: Vec<Player> = (0..2).map(|_| play(TEST, &place)).collect();
    players.into_iter().for_each(Player::succeed);
    let text = fs::read_to_string(place.path("f0.rs")).unwrap();
    let name = text.strip_prefix("fn ").unwrap().split('(').next().unwrap();
    assert_eq!(crate::support::symbols(&store, name), [name]);
    assert_eq!(files(&store), ["f0.rs", "f1.rs"]);
}

#[test]
fn several_processes_change_one_index() {
    const TEST: &str = "processes::several_processes_change_one_index";
    if let Some((root, folder)) = part() {
        let build = Build::new(&root, &folder);
        let store = Store::open(&folder).unwrap();
        let own = format!("own_{}.rs", std::process::id());
        for round in 0..20 {
            fs::write(root.join(&own), format!("fn round_{round}_of_{}() {{}}", std::process::id())).unwrap();
            build.update(&store, &[own.clone().into()], &Cancel::new()).unwrap();
            assert_eq!(
                found_word(&store, &format!("round_{round}_of_{}", std::process::id())),
                [own.as_str()]
            );
        }
        return;
    }
    let place = Place::new();
    fill(&place, 3);
    place.build();
    let players: Vec<Player> = (0..3).map(|_| play(TEST, &place)).collect();
    let pids: Vec<u32> = players.iter().map(|player| player.child.id()).collect();
    players.into_iter().for_each(Player::succeed);
    let store = place.store();
    assert_eq!(files(&store).len(), 6);
    for pid in pids {
        assert_eq!(found_word(&store, &format!("round_19_of_{pid}")), [format!("own_{pid}.rs")]);
        assert_eq!(found_word(&store, &format!("round_18_of_{pid}")), [""; 0].map(String::from).to_vec());
    }
}

#[test]
fn readers_are_not_blocked_by_a_writer() {
    let place = Place::new();
    fill(&place, 3);
    let store = place.built();
    let mut writer = store.write(&Cancel::new()).unwrap();
    writer.put(&crate::support::record("new.rs", &["unseen"])).unwrap();
    let start = Instant::now();
    assert_eq!(found(&store, "unseen"), [""; 0]);
    assert_eq!(found_word(&place.store(), "f_1_1"), ["f1.rs"]);
    assert!(start.elapsed() < Duration::from_secs(2));
    writer.commit().unwrap();
    assert_eq!(found(&store, "unseen"), ["new.rs"]);
}

#[test]
fn a_change_that_is_given_up_leaves_nothing() {
    let place = Place::new();
    fill(&place, 2);
    let store = place.built();
    let mut writer = store.write(&Cancel::new()).unwrap();
    writer.put(&crate::support::record("new.rs", &["unseen"])).unwrap();
    drop(writer);
    assert_eq!(found(&store, "unseen"), [""; 0]);
    assert_eq!(files(&store).len(), 2);
}

#[test]
fn threads_share_a_store_while_it_changes_and_is_replaced() {
    let place = Place::new();
    fill(&place, 6);
    let store = place.built();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    assert_eq!(found_word(&store, "f_1_1"), ["f1.rs"]);
                }
            });
        }
        let _stops = Stops(&stop);
        for round in 0..15 {
            place.write("f0.rs", format!("fn round_{round}() {{}}"));
            place.update(&store, &["f0.rs"]);
            assert_eq!(found_word(&store, &format!("round_{round}")), ["f0.rs"]);
            if round % 5 == 4 {
                place.rebuild();
            }
        }
    });
}

/// Processes that open and close the index keep folding its log in and setting it up again.
#[test]
fn a_question_waits_for_a_process_that_opens_or_closes_the_index() {
    const TEST: &str = "processes::a_question_waits_for_a_process_that_opens_or_closes_the_index";
    if let Some((root, folder)) = part() {
        let build = Build::new(&root, &folder);
        for round in 0..40 {
            let own = format!("own_{}.rs", std::process::id());
            fs::write(root.join(&own), format!("fn round_{round}() {{}}\n").repeat(200)).unwrap();
            let store = Store::open(&folder).unwrap();
            build.update(&store, &[own.into()], &Cancel::new()).unwrap();
            assert_eq!(found_word(&store, "f_1_1"), ["f1.rs"]);
        }
        return;
    }
    let place = Place::new();
    fill(&place, 2);
    place.build();
    let mut players: Vec<Player> = (0..3).map(|_| play(TEST, &place)).collect();
    while players.iter_mut().any(|player| player.child.try_wait().unwrap().is_none()) {
        assert_eq!(found_word(&place.store(), "f_1_1"), ["f1.rs"]);
    }
    players.into_iter().for_each(Player::succeed);
}

#[test]
fn a_question_waits_while_another_process_keeps_the_database_for_itself() {
    let place = Place::new();
    fill(&place, 2);
    place.build();
    let other = rusqlite::Connection::open(place.database()).unwrap();
    other.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT;").unwrap();
    let begun = Instant::now();
    let cancel = Cancel::new();
    std::thread::scope(|scope| {
        let given_up = scope.spawn(|| Store::open_unless(&place.folder(), &cancel).map(drop));
        let patient = scope.spawn(|| found_word(&place.store(), "f_1_1"));
        // Longer than a single try takes.
        wait_until("both have waited for some time", || begun.elapsed() > Duration::from_millis(400));
        cancel.cancel();
        assert!(matches!(given_up.join().unwrap(), Err(StoreError::Stopped(_))));
        assert!(!patient.is_finished());
        drop(other);
        assert_eq!(patient.join().unwrap(), ["f1.rs"]);
    });
}
