//! Does it stay small and clean?

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use orienteer_base::Cancel;
use orienteer_index::store::{FileKind, Health, RelativePath, Store};
use orienteer_index::upkeep::{self, GcLimits, Why};

use crate::support::{Place, files, found, found_word, symbols};

const PATIENCE: Duration = Duration::from_secs(5);

fn worn() -> (Place, Store) {
    let place = Place::new();
    for at in 0..20 {
        place.write(&format!("f{at}.rs"), format!("fn name_{at}() {{ shared(); }}\n").repeat(20));
    }
    let store = place.built();
    for round in 0..30 {
        for at in 0..5 {
            place
                .write(&format!("f{at}.rs"), format!("fn round_{round}_{at}() {{ shared(); }}\n").repeat(20));
        }
        place.update(&store, &["f0.rs", "f1.rs", "f2.rs", "f3.rs", "f4.rs"]);
    }
    (place, store)
}

#[test]
fn status_tells_counts_sizes_and_what_is_stale() {
    let place = Place::with(&[
        ("a.rs", "fn a() {}\nstruct B;\n"),
        ("b.py", "def c():\n    pass\n"),
        ("n.md", "# N\n"),
    ]);
    let store = place.built();
    fs::remove_file(place.path("b.py")).unwrap();
    place.write("new.rs", "fn new() {}");
    let build = place.plan();
    let status = upkeep::status(&store, Some(&build), true, &Cancel::new()).unwrap();
    assert_eq!((status.counts.files, status.counts.symbols), (3, 4));
    assert_eq!(status.counts.text_bytes, 20 + 18 + 4);
    let languages: Vec<(&str, u64)> =
        status.counts.languages.iter().map(|(language, files, _)| (language.unwrap().id, *files)).collect();
    assert_eq!(languages, [("rust", 1), ("python", 1), ("markdown", 1)]);
    assert!(status.counts.kinds.iter().any(|(kind, count)| kind.as_str() == "function" && *count == 2));
    assert!(status.sizes.database > 0 && status.sizes.trigrams > 0 && status.sizes.leftovers == 0);
    let stale = status.stale.unwrap();
    assert_eq!((stale.gone.len(), stale.new), (1, vec![RelativePath::new("new.rs".as_ref())]));
    assert_eq!(status.health, Some(Health::Sound));
    assert!(status.built_at.is_some());
    assert!(!status.wants_compaction);
}

#[test]
fn compacting_gives_space_back_and_changes_no_answer() {
    let (place, store) = worn();
    let names = symbols(&store, "round_29_3");
    let shared = found(&store, "shared");
    let before = store.read().unwrap().counts().unwrap();
    assert!(before.dead_pieces > 0 && before.wants_compaction());
    let told = upkeep::compact(&store, true, PATIENCE, &Cancel::new()).unwrap();
    assert_eq!(told.generation, None);
    assert_eq!(store.read().unwrap().counts().unwrap(), before);
    let done = upkeep::compact(&store, false, PATIENCE, &Cancel::new()).unwrap();
    assert!(done.bytes_after < done.bytes_before, "{done:?}");
    assert_eq!(done.generation, Some(store.read().unwrap().generation()));
    let after = store.read().unwrap().counts().unwrap();
    assert_eq!((after.dead_pieces, after.segments), (0, 1));
    assert_eq!((after.files, after.pieces, after.symbols), (before.files, before.pieces, before.symbols));
    assert_eq!(symbols(&store, "round_29_3"), names);
    let mut now = found(&store, "shared");
    let mut then = shared;
    now.sort();
    then.sort();
    assert_eq!(now, then);
    assert_eq!(found_word(&store, "round_28_3"), [""; 0]);
    assert_eq!(store.check(&Cancel::new()).unwrap(), Health::Sound);
    // It goes on as before.
    place.write("f0.rs", "fn afterwards() {}");
    place.update(&store, &["f0.rs"]);
    assert_eq!(found(&store, "afterwards"), ["f0.rs"]);
    let trigrams = orienteer_index::store::trigrams_path(&place.folder(), done.generation.unwrap());
    assert_eq!(orienteer_index::trigram::Trigrams::open(&trigrams).unwrap().len(), 20);
    let reader = store.read().unwrap();
    assert_eq!((reader.files_without_trigrams().len(), reader.files_since_build().len()), (5, 5));
}

#[test]
fn a_change_that_waited_for_a_compaction_is_not_lost() {
    let (place, store) = worn();
    let lock = orienteer_index::store::BuildLock::take(&place.folder(), PATIENCE, &Cancel::new()).unwrap();
    std::thread::scope(|scope| {
        let compaction = scope.spawn(|| store.compact(lock, &Cancel::new()).unwrap());
        for round in 0..20 {
            place.write("late.rs", format!("fn late_{round}() {{}}"));
            place.update(&store, &["late.rs"]);
            assert_eq!(found_word(&store, &format!("late_{round}")), ["late.rs"]);
        }
        compaction.join().unwrap();
    });
    assert_eq!(found_word(&store, "late_19"), ["late.rs"]);
}

#[test]
fn cleaning_removes_the_index_and_nothing_else() {
    let place = Place::with(&[("a.rs", "fn a() {}")]);
    place.build();
    fs::write(place.folder().join("notes.txt"), "mine").unwrap();
    fs::create_dir(place.folder().join("triage")).unwrap();
    fs::write(place.folder().join("triage/index-1.db"), "a decision").unwrap();
    let told = upkeep::clean(&place.folder(), true, PATIENCE, &Cancel::new()).unwrap();
    assert!(told.dry_run && told.bytes > 0 && told.files.len() >= 3);
    assert_eq!(files(&place.store()), ["a.rs"]);
    upkeep::clean(&place.folder(), false, PATIENCE, &Cancel::new()).unwrap();
    let mut left: Vec<_> = fs::read_dir(place.folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    left.sort();
    assert_eq!(left, ["notes.txt", "triage"]);
    assert_eq!(fs::read_to_string(place.folder().join("triage/index-1.db")).unwrap(), "a decision");
    assert!(Store::open(&place.folder()).is_err());
    let again = upkeep::clean(&place.folder(), false, PATIENCE, &Cancel::new()).unwrap();
    assert_eq!((again.files, again.bytes), (Vec::<PathBuf>::new(), 0));
}

/// A cache with three indexes, of which the first was used longest ago, and somebody's decisions.
fn cache() -> (Place, PathBuf) {
    let place = Place::with(&[("a.rs", "fn a() {}")]);
    let cache = place.outside().join("cache");
    for (name, days) in [("one", 30), ("two", 20), ("three", 1)] {
        let folder = cache.join(name);
        orienteer_index::build::Build::new(&place.root(), &folder).run(&Cancel::new(), &|_| {}).unwrap();
        let then = SystemTime::now() - Duration::from_secs(days * 24 * 3600);
        for entry in fs::read_dir(&folder).unwrap() {
            let file = fs::File::options().write(true).open(entry.unwrap().path()).unwrap();
            file.set_modified(then).unwrap();
        }
    }
    fs::create_dir_all(cache.join("triage/old")).unwrap();
    fs::write(cache.join("triage/old/CURRENT"), "generation 1\n").unwrap();
    fs::write(cache.join("model.bin"), "weights").unwrap();
    (place, cache)
}

fn names(collected: &upkeep::Collected) -> Vec<(String, Why)> {
    let name = |folder: &PathBuf| folder.file_name().unwrap().to_str().unwrap().to_owned();
    collected.gone.iter().map(|item| (name(&item.folder), item.why)).collect()
}

#[test]
fn old_indexes_go_first_and_then_what_is_too_much() {
    let (_place, cache) = cache();
    let day = Duration::from_secs(24 * 3600);
    let gc = |bytes: u64, days: u32, in_use: &[PathBuf], dry_run: bool| {
        let limits = GcLimits { bytes, age: days * day };
        upkeep::gc(&cache, &limits, in_use, SystemTime::now(), dry_run, &Cancel::new()).unwrap()
    };
    assert_eq!(gc(u64::MAX, 40, &[], true).gone, []);
    assert_eq!(names(&gc(u64::MAX, 25, &[], true)), [("one".to_owned(), Why::Old)]);
    let each = gc(u64::MAX, 40, &[], true).kept_bytes / 3;
    assert_eq!(names(&gc(2 * each + each / 2, 40, &[], true)), [("one".to_owned(), Why::TooMuch)]);
    let spared = cache.join("one");
    assert_eq!(names(&gc(2 * each + each / 2, 25, &[spared], true)), [("two".to_owned(), Why::TooMuch)]);
    assert!(cache.join("one/CURRENT").exists());
    let done = gc(each + each / 2, 25, &[], false);
    assert_eq!(names(&done), [("one".to_owned(), Why::Old), ("two".to_owned(), Why::TooMuch)]);
    assert_eq!((done.kept, done.busy.len()), (1, 0));
    assert!(!cache.join("one").exists() && !cache.join("two").exists());
    Store::open(&cache.join("three")).unwrap();
    // What people decided, and what is not ours, stays.
    assert!(cache.join("triage/old/CURRENT").exists() && cache.join("model.bin").exists());
    assert_eq!(names(&gc(0, 0, &[], false)), [("three".to_owned(), Why::Old)]);
    assert!(cache.join("triage/old/CURRENT").exists());
}

#[test]
fn an_index_that_is_being_built_stays() {
    let (_place, cache) = cache();
    let _lock =
        orienteer_index::store::BuildLock::take(&cache.join("one"), PATIENCE, &Cancel::new()).unwrap();
    let limits = GcLimits { bytes: 0, age: Duration::ZERO };
    let done = upkeep::gc(&cache, &limits, &[], SystemTime::now(), false, &Cancel::new()).unwrap();
    assert_eq!(done.busy, [cache.join("one")]);
    assert!(cache.join("one/CURRENT").exists() && !cache.join("two").exists());
}

#[test]
fn an_index_that_somebody_has_open_stays_however_long_ago_it_was_asked() {
    let (_place, cache) = cache();
    let limits = GcLimits { bytes: 0, age: Duration::ZERO };
    let later = SystemTime::now() + Duration::from_secs(3600 * 24 * 365);
    let gc = || upkeep::gc(&cache, &limits, &[], later, false, &Cancel::new()).unwrap();
    let store = Store::open(&cache.join("one")).unwrap();
    let done = gc();
    assert_eq!((done.busy, done.gone.len()), (vec![cache.join("one")], 2));
    assert_eq!(files(&store), ["a.rs"]);
    drop(store);
    assert_eq!((gc().busy.len(), cache.join("one").exists()), (0, false));
}

#[test]
fn what_only_looks_like_an_index_stays() {
    let (_place, cache) = cache();
    let foreign = cache.join("leveldb");
    fs::create_dir(&foreign).unwrap();
    let content = [("CURRENT", "MANIFEST-000004\n"), ("LOCK", ""), ("index-7.db", "a catalogue of books")];
    for (name, text) in content {
        fs::write(foreign.join(name), text).unwrap();
    }
    let limits = GcLimits { bytes: 0, age: Duration::ZERO };
    let later = SystemTime::now() + Duration::from_secs(3600 * 24 * 365);
    let done = upkeep::gc(&cache, &limits, &[], later, false, &Cancel::new()).unwrap();
    assert_eq!((done.gone.len(), done.kept), (3, 0));
    assert!(upkeep::clean(&foreign, false, PATIENCE, &Cancel::new()).unwrap().files.is_empty());
    for (name, text) in content {
        assert_eq!(fs::read_to_string(foreign.join(name)).unwrap(), text);
    }
}

#[test]
fn artifacts_are_listed_with_what_they_are() {
    let (_place, cache) = cache();
    let all = upkeep::artifacts(&cache);
    let of = |kind: FileKind| all.iter().filter(|artifact| artifact.kind == kind).count();
    assert_eq!((of(FileKind::Database), of(FileKind::Trigrams), of(FileKind::Vectors)), (3, 3, 0));
    assert!(all.iter().all(|artifact| !artifact.path.starts_with(cache.join("triage"))));
    assert!(
        all.iter().filter(|artifact| artifact.kind == FileKind::Database).all(|artifact| artifact.bytes > 0)
    );
}
