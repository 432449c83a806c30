//! Does the index say what a simple list of files would say, after any changes?

use std::collections::{BTreeMap, BTreeSet};

use orienteer_base::Cancel;
use orienteer_index::store::{Health, Lexical, RelativePath};
use proptest::prelude::*;

use crate::support::{Place, candidates, record};

const WORDS: [&str; 6] = ["ant", "bee", "cat", "dog", "eel", "fox"];

#[derive(Debug, Clone)]
enum Change {
    Put(u8, Vec<usize>),
    Delete(u8),
    DeleteFolder(u8),
    Tidy,
    Reopen,
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        8 => (0u8..30, prop::collection::vec(0usize..WORDS.len(), 0..8)).prop_map(|(file, words)| Change::Put(file, words)),
        2 => (0u8..30).prop_map(Change::Delete),
        1 => (0u8..3).prop_map(Change::DeleteFolder),
        1 => Just(Change::Tidy),
        1 => Just(Change::Reopen),
    ]
}

fn path(file: u8) -> String {
    format!("d{}/f{file}", file % 3)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
    #[test]
    fn answers_are_those_of_the_files_that_are_there(changes in prop::collection::vec(prop::collection::vec(change(), 1..4), 1..40)) {
        let place = Place::new();
        let mut store = place.built();
        let mut model: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for batch in changes {
            let mut writer = store.write(&Cancel::new()).unwrap();
            let mut after = Vec::new();
            for change in batch {
                match change {
                    Change::Put(file, words) => {
                        let texts: Vec<&str> = words.iter().map(|word| WORDS[*word]).collect();
                        writer.put(&record(&path(file), &texts)).unwrap();
                        model.insert(path(file), words);
                    }
                    Change::Delete(file) => {
                        let deleted = writer.delete(&RelativePath::new(path(file).as_ref())).unwrap();
                        prop_assert_eq!(deleted.files, u64::from(model.remove(&path(file)).is_some()));
                    }
                    Change::DeleteFolder(folder) => {
                        let name = format!("d{folder}");
                        let before = model.len();
                        model.retain(|path, _| !path.starts_with(&format!("{name}/")));
                        let deleted = writer.delete(&RelativePath::new(name.as_ref())).unwrap();
                        prop_assert_eq!(deleted.files, (before - model.len()) as u64);
                    }
                    later => after.push(later),
                }
            }
            writer.commit().unwrap();
            for later in after {
                match later {
                    Change::Tidy => store.tidy(&Cancel::new()).unwrap(),
                    _ => store = place.store(),
                }
            }
        }
        store.tidy(&Cancel::new()).unwrap();
        let reader = store.read().unwrap();
        let paths: Vec<String> = reader.files().unwrap().iter().map(|file| file.path.shown()).collect();
        prop_assert_eq!(&paths, &model.keys().cloned().collect::<Vec<_>>());
        for (at, word) in WORDS.iter().enumerate() {
            let ask = Lexical { words: vec![(*word).to_owned()], limit: 100, ..Lexical::default() };
            let found: BTreeSet<String> = candidates(&store, &ask)
                .iter()
                .map(|found| reader.path(found.file).unwrap().shown())
                .collect();
            let wanted: BTreeSet<String> =
                model.iter().filter(|(_, words)| words.contains(&at)).map(|(path, _)| path.clone()).collect();
            prop_assert_eq!(found, wanted, "{}", word);
        }
        drop(reader);
        prop_assert_eq!(store.check(&Cancel::new()).unwrap(), Health::Sound);
    }
}
