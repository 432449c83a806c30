//! What is left when the process is killed, at every step.

use std::os::unix::process::ExitStatusExt;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::SystemTime;

use orienteer_base::Cancel;
use orienteer_base::triage::{DecideQuery, Status};
use orienteer_triage::{Ingest, Store, decide, ingest};
use serde_json::{Value, json};

use crate::support::Place;

const FOLDER: &str = "ORIENTEER_TRIAGE_FOLDER";
const STEP: &str = "ORIENTEER_TRIAGE_STEP";
const ACT: &str = "ORIENTEER_TRIAGE_ACT";
/// More than are made durable one by one.
const RECORDS: usize = 10;

fn report(title: &str) -> Value {
    (0..RECORDS).map(|at| json!({ "key": format!("k{at}"), "title": title, "severity": "high" })).collect()
}

fn dying(folder: std::ffi::OsString, at: usize) -> Store {
    let count = AtomicUsize::new(0);
    Store::new(folder.into()).with_witness(Arc::new(move |_| {
        if count.fetch_add(1, Ordering::SeqCst) == at {
            let me = std::process::id().to_string();
            Command::new("kill").args(["-9", &me]).status().unwrap();
            // The signal is on its way.
            loop {
                std::thread::park();
            }
        }
    }))
}

fn query(finding: &str) -> DecideQuery {
    DecideQuery {
        finding: finding.to_owned(),
        status: Status::Fix,
        codes: Vec::new(),
        justification: Some("because".to_owned()),
        reviewer: None,
        expires: None,
        evidence: Vec::new(),
        meta: std::collections::BTreeMap::new(),
    }
}

/// Not a test of its own: the part of the one that is killed.
#[test]
fn victim() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let at = std::env::var(STEP).unwrap().parse().unwrap();
    let store = dying(folder, at);
    match std::env::var(ACT).unwrap().as_str() {
        "ingest" => drop(
            ingest(&store, report("new").to_string().as_bytes(), &Ingest::default(), &Cancel::new()).unwrap(),
        ),
        id => drop(decide::decide(&store, &query(id), SystemTime::now(), &Cancel::new()).unwrap()),
    }
}

/// Does something in a process that is killed at a step; `false` when it ended before.
fn killed(place: &Place, act: &str, at: usize) -> bool {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "killed::victim", "--nocapture"])
        .env(FOLDER, place.folder())
        .env(STEP, at.to_string())
        .env(ACT, act)
        .output()
        .unwrap();
    let killed = output.status.signal() == Some(9);
    assert!(killed || output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    killed
}

#[test]
fn killed_at_any_step_of_an_ingest_every_record_is_whole_and_the_next_one_goes_on() {
    let (mut at, mut mixed) = (0, 0);
    loop {
        let place = Place::new();
        let ids = place.take(&report("old").to_string()).ids;
        decide::decide(&place.store, &query(&ids[0]), SystemTime::now(), &Cancel::new()).unwrap();
        if !killed(&place, "ingest", at) {
            break;
        }
        let snapshot = place.snapshot();
        assert!(snapshot.unreadable.is_empty(), "step {at}: {:?}", snapshot.unreadable);
        let titles: Vec<&str> =
            ids.iter().map(|id| snapshot.findings[id].finding.vulnerability.title.as_str()).collect();
        assert!(titles.iter().all(|title| matches!(*title, "old" | "new")), "step {at}: {titles:?}");
        mixed += usize::from(titles.contains(&"old") && titles.contains(&"new"));
        assert_eq!(snapshot.decisions[&ids[0]].len(), 1);
        // The lock of the dead is nobody's, and the same call brings everything to its end.
        let done = place.take(&report("new").to_string());
        assert_eq!(done.updated + done.unchanged, RECORDS, "step {at}");
        let snapshot = place.snapshot();
        assert!(ids.iter().all(|id| snapshot.findings[id].finding.vulnerability.title == "new"));
        at += 1;
    }
    assert!(at > 20 && mixed > 2, "{at} steps, {mixed} of them in between");
}

#[test]
fn killed_at_any_step_of_a_decision_it_was_made_or_it_was_not() {
    let (mut at, mut made) = (0, 0);
    loop {
        let place = Place::new();
        let id = place.take(&report("old").to_string()).ids.remove(0);
        if !killed(&place, &id, at) {
            break;
        }
        let snapshot = place.snapshot();
        assert!(snapshot.unreadable.is_empty(), "step {at}: {:?}", snapshot.unreadable);
        let before = snapshot.decisions.get(&id).map_or(0, Vec::len);
        made += before;
        let (next, history) =
            decide::decide(&place.store, &query(&id), SystemTime::now(), &Cancel::new()).unwrap();
        assert_eq!((next.sequence as usize, history.len()), (before + 1, before + 1), "step {at}");
        at += 1;
    }
    assert!(at > 5 && made > 0, "{at} steps, {made} decisions");
}
