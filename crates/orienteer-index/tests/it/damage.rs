//! Is a damaged index noticed and healed, and is nothing lost?

use std::fs;
use std::io::{Read, Seek, SeekFrom, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use orienteer_base::{Cancel, ErrorKind, Problem};
use orienteer_index::build::Made;
use orienteer_index::store::{Health, Store, StoreError, trigrams_path};
use orienteer_index::upkeep;

use crate::support::{Place, Stops, ask, files, found_word};

fn place() -> Place {
    let place = Place::new();
    for at in 0..40 {
        let text: String =
            (0..40).map(|line| format!("fn name_{at}_{line}() {{ word_{line}(); }}\n")).collect();
        place.write(&format!("f{at}.rs"), text);
    }
    place
}

/// Whatever was wrong, one build makes it right.
fn heals(place: &Place) {
    let report = place.build();
    assert_eq!(report.made, Made::Generation);
    assert!(report.healed.is_some());
    let store = place.store();
    assert_eq!(files(&store).len(), 40);
    assert_eq!(found_word(&store, "name_7_3"), ["f7.rs"]);
    assert_eq!(store.check(&Cancel::new()).unwrap(), Health::Sound);
}

#[test]
fn a_missing_index_is_told_apart_from_a_broken_one() {
    let place = place();
    let error = Store::open(&place.folder()).unwrap_err();
    assert!(matches!(error, StoreError::Missing { .. }) && error.needs_rebuild());
    assert_eq!(Problem::from(error).kind, ErrorKind::NotIndexed);
    assert_eq!(place.build().healed, None);
}

#[test]
fn garbage_in_current_is_healed() {
    let place = place();
    place.build();
    for garbage in ["", "generation x\n", "../../etc/passwd\n", "generation 99\n"] {
        fs::write(place.folder().join("CURRENT"), garbage).unwrap();
        let error = Store::open(&place.folder()).unwrap_err();
        assert!(matches!(error, StoreError::Corrupt { .. }), "{garbage:?}: {error}");
        heals(&place);
    }
}

#[test]
fn a_file_that_is_no_database_is_healed() {
    let place = place();
    for content in [
        &b""[..],
        b"not a database at all, only some text that is long enough to have a header in it, \
        which is a hundred bytes long",
    ] {
        place.rebuild();
        fs::write(place.database(), content).unwrap();
        let error = Store::open(&place.folder()).unwrap_err();
        assert!(error.needs_rebuild(), "{error}");
        heals(&place);
    }
}

#[test]
fn another_format_is_built_anew() {
    let place = place();
    place.build();
    // The format stands in the header of the file.
    let mut file = fs::File::options().write(true).open(place.database()).unwrap();
    file.seek(SeekFrom::Start(60)).unwrap();
    file.write_all(&9999u32.to_be_bytes()).unwrap();
    drop(file);
    let error = Store::open(&place.folder()).unwrap_err();
    assert!(matches!(&error, StoreError::Format { found, .. } if found == "9999"), "{error}");
    heals(&place);
}

#[test]
fn a_cut_file_is_noticed() {
    let place = place();
    place.build();
    let database = place.database();
    let length = fs::metadata(&database).unwrap().len();
    for share in [2, 3, 10] {
        fs::File::options()
            .write(true)
            .open(&database)
            .unwrap()
            .set_len(length / share / 4096 * 4096)
            .unwrap();
        let error = Store::open(&place.folder()).unwrap_err();
        assert!(matches!(error, StoreError::Corrupt { .. }), "{error}");
    }
    heals(&place);
}

#[test]
fn changed_bytes_are_never_a_wrong_answer() {
    let place = place();
    place.build();
    let database = place.database();
    let mut pristine = Vec::new();
    fs::File::open(&database).unwrap().read_to_end(&mut pristine).unwrap();
    let question = ask("name_7_3 word_11");
    let right = place.store().read().unwrap().candidates(&question, &Cancel::new()).unwrap();
    let (mut noticed, mut changed) = (0, Vec::new());
    for at in (4096..pristine.len()).step_by(1777) {
        let mut damaged = pristine.clone();
        for byte in &mut damaged[at..at + 16] {
            *byte = byte.wrapping_add(101);
        }
        fs::write(&database, &damaged).unwrap();
        let answer = Store::open(&place.folder())
            .and_then(|store| store.read()?.candidates(&question, &Cancel::new()));
        match answer {
            Err(error) => {
                assert!(
                    error.needs_rebuild()
                        || matches!(error, StoreError::Statement { .. } | StoreError::Io { .. }),
                    "{error}"
                );
                noticed += 1;
            }
            // Damage elsewhere does not change this answer.
            Ok(found) if found == right => {}
            Ok(_) => changed.push(at),
        }
    }
    assert!(noticed > 10, "{noticed}");
    assert_eq!(changed, [0; 0], "of {} bytes", pristine.len());
}

#[test]
fn damage_that_a_question_meets_is_healed_by_the_next_build() {
    let place = place();
    place.build();
    let database = place.database();
    let mut bytes = fs::read(&database).unwrap();
    // Everything but the first pages, where the names of the tables are.
    for byte in &mut bytes[3 * 4096..] {
        *byte ^= 0x5a;
    }
    fs::write(&database, bytes).unwrap();
    heals(&place);
}

#[test]
fn a_removed_index_is_told_and_made_again() {
    let place = place();
    let store = place.built();
    fs::remove_dir_all(place.folder()).unwrap();
    let error = store.read().unwrap_err();
    assert!(matches!(error, StoreError::Vanished { .. }), "{error}");
    assert!(store.write(&Cancel::new()).is_err());
    assert!(place.plan().update(&store, &[place.path("f1.rs")], &Cancel::new()).is_err());
    place.write("f1.rs", "fn afterwards() {}");
    let report = place.build();
    assert_eq!(report.files, 40);
    // The same store finds the new one.
    assert_eq!(found_word(&store, "name_7_3"), ["f7.rs"]);
    assert_eq!(found_word(&store, "afterwards"), ["f1.rs"]);
}

#[test]
fn an_index_that_was_removed_and_made_again_unseen_is_another_one() {
    for remove in [(|place: &Place| fs::remove_dir_all(place.folder()).unwrap()) as fn(&Place), |place| {
        drop(upkeep::clean(&place.folder(), false, Duration::ZERO, &Cancel::new()).unwrap())
    }] {
        let place = place();
        let store = place.built();
        let before = store.read().unwrap().generation();
        // Nobody asks this store before there is an index again.
        remove(&place);
        place.write("f1.rs", "fn afterwards() {}");
        place.build();
        assert_eq!(found_word(&store, "afterwards"), ["f1.rs"]);
        assert_eq!(found_word(&store, "name_1_3"), [""; 0]);
        assert!(store.read().unwrap().generation() > before);
        place.write("f1.rs", "fn even_later() {}");
        place.update(&store, &["f1.rs"]);
        assert_eq!(found_word(&place.store(), "even_later"), ["f1.rs"]);
    }
}

/// Changes the blobs of a column, where something is true, and leaves the rest of the database as it is.
fn spoil(place: &Place, table: &str, column: &str, place_of: &str) {
    let connection = rusqlite::Connection::open(place.database()).unwrap();
    let change = format!("UPDATE {table} SET {column} = {column} || x'5a5a' WHERE {place_of}");
    assert!(connection.execute(&change, []).unwrap() > 0, "{table}");
}

#[test]
fn damage_in_one_place_alone_is_found_and_healed() {
    for (table, column) in [("blocks", "data"), ("outlines", "shape"), ("outlines", "symbols")] {
        let place = place();
        place.build();
        spoil(&place, table, column, "true");
        let store = place.store();
        let health = store.check(&Cancel::new()).unwrap();
        assert!(matches!(&health, Health::Damaged(what) if what.len() == 1), "{table}.{column}: {health:?}");
        heals(&place);
    }
}

#[test]
fn damage_that_only_a_question_met_is_healed() {
    let place = place();
    place.build();
    // The last words of the alphabet, which nothing but a question for them reads.
    spoil(&place, "blocks", "data", "id = (SELECT MAX(id) FROM blocks)");
    let store = place.store();
    let error = store.read().unwrap().candidates(&ask("word_9"), &Cancel::new()).unwrap_err();
    assert!(matches!(error, StoreError::Corrupt { .. }), "{error}");
    heals(&place);
    assert_eq!(found_word(&store, "name_7_3"), ["f7.rs"]);
    // It is remembered no longer than it is true.
    place.settle();
    assert_eq!(place.build().made, Made::Nothing);
}

#[test]
fn damaged_trigrams_are_found_and_healed() {
    let place = place();
    for part in ["begin", "middle", "missing"] {
        place.rebuild();
        let generation = place.store().read().unwrap().generation();
        let path = trigrams_path(&place.folder(), generation);
        let mut bytes = fs::read(&path).unwrap();
        let at = if part == "begin" { 4 } else { bytes.len() / 3 };
        bytes[at..at + 64].iter_mut().for_each(|byte| *byte ^= 0x5a);
        match part {
            "missing" => fs::remove_file(&path).unwrap(),
            _ => fs::write(&path, bytes).unwrap(),
        }
        let health = place.store().check(&Cancel::new()).unwrap();
        assert!(
            matches!(&health, Health::Damaged(what) if what[0].contains("trigram")),
            "{part}: {health:?}"
        );
        heals(&place);
    }
}

#[test]
fn a_check_while_files_change_finds_no_damage() {
    let place = place();
    let store = place.built();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let checks = scope.spawn(|| {
            let mut checks = 0;
            while !stop.load(Ordering::Relaxed) {
                assert_eq!(store.check(&Cancel::new()).unwrap(), Health::Sound);
                checks += 1;
            }
            checks
        });
        let _stops = Stops(&stop);
        for round in 0..40 {
            let name = format!("f{}.rs", round % 40);
            place.write(&name, format!("fn round_{round}() {{ word(); }}\n").repeat(1 + round));
            place.update(&store, &[&name]);
        }
        stop.store(true, Ordering::Relaxed);
        assert!(checks.join().unwrap() > 0);
    });
}

#[test]
fn a_folder_that_cannot_be_made_is_an_error_that_names_it() {
    let place = place();
    fs::write(place.folder(), "a file is in the way").unwrap();
    let error = place.plan().run(&Cancel::new(), &|_| {}).unwrap_err();
    assert!(error.to_string().contains("index"), "{error}");
    assert_eq!(fs::read_to_string(place.folder()).unwrap(), "a file is in the way");
}
