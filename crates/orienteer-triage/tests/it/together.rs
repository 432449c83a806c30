//! Several writers at once.

use std::collections::BTreeMap;
use std::process::{Child, Command};
use std::time::{Duration, SystemTime};

use orienteer_base::Cancel;
use orienteer_base::triage::{DecideQuery, Status};
use orienteer_triage::{Store, decide};
use serde_json::{Value, json};

use crate::support::{Place, files, generic};

const FOLDER: &str = "ORIENTEER_TRIAGE_TOGETHER";
const WHO: &str = "ORIENTEER_TRIAGE_WHO";
const ITEMS: usize = 400;
const DECISIONS: u32 = 25;

fn report(who: &str) -> Value {
    (0..ITEMS)
        .map(|at| json!({ "key": format!("k{at}"), "title": format!("by {who}"), "severity": "high", "description": who.repeat(500) }))
        .collect()
}

fn decisions(store: &Store, finding: &str, who: &str) {
    for _ in 0..DECISIONS {
        let query = DecideQuery {
            finding: finding.to_owned(),
            status: Status::Defer,
            codes: Vec::new(),
            justification: Some(format!("says {who}")),
            reviewer: Some(who.to_owned()),
            expires: None,
            evidence: Vec::new(),
            meta: BTreeMap::new(),
        };
        decide::decide(store, &query, SystemTime::now(), &Cancel::new()).unwrap();
    }
}

/// Not a test of its own: one of the writers.
#[test]
fn writer() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let who = std::env::var(WHO).unwrap();
    let store = Store::new(folder.into());
    let wanted = orienteer_triage::Ingest::default();
    let done = orienteer_triage::ingest(&store, report(&who).to_string().as_bytes(), &wanted, &Cancel::new())
        .unwrap();
    assert_eq!(done.errors, 0);
    decisions(&store, &done.ids[0], &who);
}

fn start(place: &Place, who: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "together::writer", "--nocapture"])
        .env(FOLDER, place.folder())
        .env(WHO, who)
        .spawn()
        .unwrap()
}

#[test]
fn two_processes_leave_whole_records_and_every_decision() {
    let place = Place::new();
    let id = place.take(&generic("k0", "before").to_string()).ids.remove(0);
    let writers = [start(&place, "ada"), start(&place, "bob")];
    // Whoever reads meanwhile sees whole records, too.
    let mut seen = 0;
    for mut writer in writers {
        while writer.try_wait().unwrap().is_none() {
            let snapshot = place.snapshot();
            assert!(snapshot.unreadable.is_empty(), "{:?}", snapshot.unreadable);
            seen = seen.max(snapshot.findings.len());
            // The writers need the processor more.
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(writer.wait().unwrap().success());
    }
    let snapshot = place.snapshot();
    assert_eq!((snapshot.findings.len(), snapshot.unreadable.len()), (ITEMS, 0));
    for known in snapshot.findings.values() {
        let title = &known.finding.vulnerability.title;
        let who = title.strip_prefix("by ").unwrap();
        assert_eq!(known.finding.vulnerability.description, who.repeat(500), "a record of one writer");
    }
    let history = &snapshot.decisions[&id];
    let numbers: Vec<u32> = history.iter().map(|decision| decision.sequence).collect();
    assert_eq!(numbers, (1..=2 * DECISIONS).collect::<Vec<_>>(), "none was lost, none was written over");
    for pair in history.windows(2) {
        assert_eq!(pair[1].supersedes.as_deref(), Some(pair[0].id.as_str()));
    }
    let left: Vec<String> =
        files(&place.folder()).into_iter().filter(|name| name.contains(".new-")).collect();
    assert!(left.is_empty(), "{left:?}");
    assert!(seen > 0);
}
