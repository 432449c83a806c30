//! Nothing stands at its place before it is on the disk.

use std::sync::{Arc, Mutex};

use orienteer_base::Cancel;
use orienteer_triage::{Ingest, Store, ingest};
use serde_json::Value;

use crate::support::{files, generic};

/// The steps in which so many records were written.
fn steps(records: usize) -> Vec<&'static str> {
    let temp = tempfile::tempdir().unwrap();
    let folder = temp.path().join("records");
    let seen: Arc<Mutex<Vec<&'static str>>> = Arc::default();
    let witness = seen.clone();
    let store =
        Store::new(folder.clone()).with_witness(Arc::new(move |step| witness.lock().unwrap().push(step)));
    let report: Value = (0..records).map(|at| generic(&format!("k{at}"), "t")).collect();
    let done = ingest(&store, report.to_string().as_bytes(), &Ingest::default(), &Cancel::new()).unwrap();
    assert_eq!(done.written, records);
    let left: Vec<String> = files(&folder).into_iter().filter(|name| name.contains(".new-")).collect();
    assert!(left.is_empty(), "{left:?}");
    assert_eq!(files(&folder).len(), 2 * records + 1, "a record and a page each, and the lock");
    seen.lock().unwrap().clone()
}

#[test]
fn records_are_written_made_durable_put_to_their_place_and_their_folder_too() {
    // One by one, and all with one call.
    for records in [1, 5, 50] {
        let steps = steps(records);
        let first = |name: &str| steps.iter().position(|step| *step == name).unwrap();
        let last = |name: &str| steps.iter().rposition(|step| *step == name).unwrap();
        let count = |name: &str| steps.iter().filter(|step| **step == name).count();
        assert_eq!(
            (count("create"), count("half"), count("put"), count("show")),
            (2 * records, 2 * records, records, records)
        );
        // A record and its page each, or everything that is on its way to the disk.
        let at_once = cfg!(target_os = "linux") && records > 8;
        let (sync, syncs) = if at_once { ("sync all", 1) } else { ("sync", 2 * records) };
        assert_eq!((count(sync), count("sync") + count("sync all")), (syncs, syncs), "{steps:?}");
        assert!(last("half") < first(sync) && last(sync) < first("put"), "{steps:?}");
        if cfg!(unix) {
            // Those above the four folders that were made, and the one that got the records.
            let made = steps.iter().take_while(|step| **step == "folder").count();
            assert_eq!((made, count("folder")), (4, 5), "{steps:?}");
            assert!(last("put").max(last("show")) < last("folder"), "{steps:?}");
        }
    }
}
