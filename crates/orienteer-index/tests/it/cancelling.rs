//! Does work stop when it is told to?

use std::cell::Cell;
use std::time::{Duration, Instant};

use orienteer_base::Cancel;
use orienteer_index::build::{Made, Phase};

use crate::support::{Place, ask, files, found};

fn large() -> Place {
    let place = Place::new();
    let function =
        "pub fn name_of_it(argument: usize) -> Result<Vec<u8>, Error> { call(argument, [1, 2, 3]) }\n";
    for at in 0..20 {
        place.write(&format!("f{at}.rs"), function.repeat(1000));
    }
    place
}

#[test]
fn a_cancelled_build_ends_soon_and_leaves_nothing() {
    let place = large();
    for phase in [Phase::Waiting, Phase::Reading, Phase::Writing] {
        let cancel = Cancel::new();
        let told: Cell<Option<Instant>> = Cell::new(None);
        let result = place.plan().run(&cancel, &|progress| {
            if progress.phase == phase && told.get().is_none() {
                cancel.cancel();
                told.set(Some(Instant::now()));
            }
        });
        let late = told.get().expect("the build comes to this phase").elapsed();
        let error = result.unwrap_err();
        assert!(error.is_cancelled(), "{error}");
        // A tenth of a second is the promise; a busy machine and a program without optimisation get more.
        assert!(late < Duration::from_millis(1500), "{late:?} after {phase:?}");
        let left: Vec<_> = std::fs::read_dir(place.folder()).map_or_else(
            |_| Vec::new(),
            |entries| entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect(),
        );
        assert!(left.iter().all(|name| name == "build.lock"), "{left:?} after {phase:?}");
    }
}

#[test]
fn a_cancelled_rebuild_leaves_the_old_index() {
    let place = Place::with(&[("a.rs", "fn alpha() {}")]);
    let store = place.built();
    let generation = store.read().unwrap().generation();
    place.write("b.rs", "fn beta() {}");
    let cancel = Cancel::new();
    cancel.cancel();
    let mut build = place.plan();
    build.options.fresh = true;
    assert!(build.run(&cancel, &|_| {}).unwrap_err().is_cancelled());
    assert_eq!(files(&store), ["a.rs"]);
    assert_eq!(found(&store, "alpha"), ["a.rs"]);
    assert_eq!(store.read().unwrap().generation(), generation);
    assert_eq!(place.build().made, Made::Changes);
    assert_eq!(files(&store), ["a.rs", "b.rs"]);
}

#[test]
fn cancelled_questions_and_changes_stop() {
    let place = Place::with(&[("a.rs", "fn alpha() {}")]);
    let store = place.built();
    let cancel = Cancel::new();
    cancel.cancel();
    assert!(store.read().unwrap().candidates(&ask("alpha"), &cancel).is_err());
    assert!(store.write(&cancel).is_err());
    assert!(store.check(&cancel).is_err());
    place.write("a.rs", "fn omega() {}");
    assert!(place.plan().update(&store, &[place.path("a.rs")], &cancel).unwrap_err().is_cancelled());
    assert_eq!(found(&store, "alpha"), ["a.rs"]);
}

#[test]
fn a_change_that_is_cancelled_before_its_end_leaves_nothing() {
    let place = Place::with(&[("a.rs", "fn alpha() {}")]);
    let store = place.built();
    let cancel = Cancel::new();
    let mut writer = store.write(&cancel).unwrap();
    writer.put(&crate::support::record("new.rs", &["unseen"])).unwrap();
    cancel.cancel();
    assert!(writer.put(&crate::support::record("more.rs", &["unseen"])).is_err());
    assert!(writer.commit().is_err());
    assert_eq!(files(&store), ["a.rs"]);
    place.write("a.rs", "fn omega() {}");
    place.update(&store, &["a.rs"]);
    assert_eq!(found(&store, "omega"), ["a.rs"]);
}
