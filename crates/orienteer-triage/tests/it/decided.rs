//! Decisions: what may be decided, what holds, what is kept.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use orienteer_base::ask::Window;
use orienteer_base::triage::{DecideQuery, Decision, Findings, ListQuery, Severity, Standing, Status};
use orienteer_base::{Cancel, Problem, units};
use orienteer_triage::{TriageError, decide, list};
use serde_json::json;

use crate::support::{Place, files, generic};

fn asked(finding: &str, status: Status) -> DecideQuery {
    DecideQuery {
        finding: finding.to_owned(),
        status,
        codes: Vec::new(),
        justification: None,
        reviewer: None,
        expires: None,
        evidence: Vec::new(),
        meta: BTreeMap::new(),
    }
}

fn make(place: &Place, query: &DecideQuery) -> Result<Decision, TriageError> {
    decide::decide(&place.store, query, SystemTime::now(), &Cancel::new()).map(|(decision, _)| decision)
}

fn listed(place: &Place, standings: &[Standing], now: SystemTime) -> Findings {
    let query = ListQuery {
        standings: standings.to_vec(),
        package: None,
        severities: Vec::new(),
        service: None,
        source: None,
        text: None,
        window: Window { skip: 0, limit: 100 },
    };
    list::list(&place.snapshot(), &query, now, &Cancel::new()).unwrap()
}

fn refused(told: Result<Decision, TriageError>) -> (&'static str, String) {
    let problem = Problem::from(told.unwrap_err());
    (problem.detail.unwrap_or_default(), problem.message)
}

#[test]
fn a_decision_takes_the_place_of_the_last_and_the_history_stays() {
    let place = Place::new();
    let id = place.take(&generic("a", "A").to_string()).ids.remove(0);
    let first =
        make(&place, &DecideQuery { reviewer: Some("ada".into()), ..asked(&id, Status::Defer) }).unwrap();
    assert_eq!((first.sequence, first.supersedes), (1, None));
    let second =
        make(&place, &DecideQuery { evidence: vec!["https://x".into()], ..asked(&id, Status::Fix) }).unwrap();
    assert_eq!((second.sequence, second.supersedes.as_deref()), (2, Some(first.id.as_str())));
    assert_eq!(second.id, format!("{id}.d2"));
    let found = listed(&place, &[Standing::Decided], SystemTime::now());
    assert_eq!((found.total, found.rows[0].decision.as_ref().unwrap().status), (1, Status::Fix));
    let page = std::fs::read_to_string(place.store.finding_paths(&id).1).unwrap();
    assert!(
        page.contains(&first.id) && page.contains(&second.id) && page.contains("decision: fix"),
        "{page}"
    );
    // Taking the finding in again, changed or not, keeps both.
    let done = place.take(&json!({ "key": "a", "title": "A", "severity": "critical" }).to_string());
    assert_eq!(done.updated, 1);
    let found = listed(&place, &[], SystemTime::now());
    assert_eq!(found.rows[0].standing, Standing::Decided);
    assert!(found.rows[0].changed_since_decision, "whoever decided saw another severity");
    assert_eq!(files(&place.folder().join("decisions")).len(), 4);
}

#[test]
fn a_decision_that_ran_out_makes_the_finding_open_again_everywhere() {
    let place = Place::new();
    let id = place.take(&generic("a", "A").to_string()).ids.remove(0);
    let now = SystemTime::now();
    let tomorrow = units::show_time(now + Duration::from_secs(86_400));
    make(&place, &DecideQuery { expires: Some(tomorrow.clone()), ..asked(&id, Status::Accept) }).unwrap();
    assert_eq!(listed(&place, &[], now).rows[0].standing, Standing::Decided);
    let page = std::fs::read_to_string(place.store.finding_paths(&id).1).unwrap();
    assert!(page.contains(&format!("decision_expires: \"{tomorrow}\"")), "{page}");
    let later = now + Duration::from_secs(2 * 86_400);
    let found = listed(&place, &[Standing::Open, Standing::Expired], later);
    assert_eq!((found.total, found.counts.expired, found.counts.decided), (1, 1, 0));
    assert_eq!(found.rows[0].standing, Standing::Expired);
    assert_eq!(found.rows[0].decision.as_ref().unwrap().expires.as_deref(), Some(tomorrow.as_str()));
    // A day that somebody wrote into the file by hand and nobody can read does not hold.
    let path = place.store.decision_path(&format!("{id}.d1"));
    let text = std::fs::read_to_string(&path).unwrap().replace(&tomorrow, "next summer");
    std::fs::write(&path, text).unwrap();
    assert_eq!(listed(&place, &[], now).rows[0].standing, Standing::Expired);
}

#[test]
fn what_may_not_be_decided_is_refused_with_what_may() {
    let place = Place::new();
    let id = place.take(&generic("a", "A").to_string()).ids.remove(0);
    let of = |query: DecideQuery| refused(make(&place, &query));
    assert_eq!(of(asked(&id, Status::NotAffected)).0, "missing_code");
    let (detail, message) =
        of(DecideQuery { codes: vec!["because".into()], ..asked(&id, Status::NotAffected) });
    assert!(detail == "unknown_code" && message.contains("component_not_present"), "{message}");
    let code = vec!["component_not_present".to_owned()];
    assert_eq!(
        of(DecideQuery { codes: code.clone(), ..asked(&id, Status::Accept) }).0,
        "codes_without_reason"
    );
    for (written, detail) in [
        ("soon", "invalid_date"),
        ("2001-02-03", "date_in_the_past"),
        ("7d", "invalid_date"),
        ("2020-13-45", "invalid_date"),
    ] {
        assert_eq!(
            of(DecideQuery { expires: Some(written.into()), ..asked(&id, Status::Accept) }).0,
            detail,
            "{written}"
        );
    }
    assert_eq!(
        of(DecideQuery { justification: Some("x".repeat(30_000)), ..asked(&id, Status::Fix) }).0,
        "too_long"
    );
    assert_eq!(of(asked("gen-0000000000000000", Status::Fix)).0, "no_such_finding");
    assert_eq!(of(asked("../../etc/passwd", Status::Fix)).0, "no_such_finding");
    assert!(files(&place.folder().join("decisions")).is_empty());
    // A day counts to its end: today is still to come.
    let today = units::show_time(SystemTime::now())[..10].to_owned();
    let made =
        make(&place, &DecideQuery { codes: code, expires: Some(today), ..asked(&id, Status::NotAffected) });
    assert_eq!(made.unwrap().sequence, 1);
}

#[test]
fn a_finding_is_found_by_its_beginning_and_by_its_vulnerability() {
    let place = Place::new();
    let one = json!({ "key": "a", "title": "A", "ids": ["CVE-2031-1"] });
    let two = json!({ "key": "b", "title": "B", "ids": ["CVE-2031-1"], "aliases": ["GHSA-b"] });
    let ids = place.take(&json!([one, two]).to_string()).ids;
    let snapshot = place.snapshot();
    assert_eq!(decide::find(&snapshot, &ids[0][..8]).unwrap(), ids[0]);
    assert_eq!(decide::find(&snapshot, "ghsa-B").unwrap(), ids[1]);
    assert_eq!(decide::find(&snapshot, &format!("{}.d3", ids[1])).unwrap(), ids[1]);
    let told = decide::find(&snapshot, "CVE-2031-1").unwrap_err();
    assert!(matches!(&told, TriageError::Ambiguous { candidates, .. } if candidates.len() == 2), "{told}");
    assert!(decide::find(&snapshot, "gen").is_err(), "too little to mean one");
    assert!(decide::find(&snapshot, "").is_err());
}

#[test]
fn lists_are_narrowed_by_what_people_ask_for() {
    let place = Place::new();
    let item = |key: &str, severity: &str, package: &str, service: &str, state: &str| json!({ "key": key, "title": format!("About {key}"), "severity": severity, "package": { "ecosystem": "npm", "name": package }, "service": service, "state": state });
    place.take(
        &json!([
            item("a", "low", "lodash", "web", "open"),
            item("b", "critical", "lodash.template", "web", "open"),
            item("c", "high", "minimist", "shop", "fixed"),
            item("d", "high", "react", "shop", "open"),
        ])
        .to_string(),
    );
    let base = ListQuery {
        standings: Vec::new(),
        package: None,
        severities: Vec::new(),
        service: None,
        source: None,
        text: None,
        window: Window { skip: 0, limit: 10 },
    };
    let keys = |query: &ListQuery| -> Vec<String> {
        let found = list::list(&place.snapshot(), query, SystemTime::now(), &Cancel::new()).unwrap();
        found.rows.iter().map(|row| row.finding.key.trim_start_matches('|').to_owned()).collect()
    };
    assert_eq!(keys(&base)[0], "b", "worst first");
    assert_eq!(keys(&ListQuery { package: Some("LODASH".into()), ..base.clone() }), ["b", "a"]);
    assert_eq!(
        keys(&ListQuery { severities: vec![Severity::High], service: Some("shop".into()), ..base.clone() })
            .len(),
        2
    );
    assert_eq!(keys(&ListQuery { standings: vec![Standing::Closed], ..base.clone() }), ["c"]);
    assert_eq!(keys(&ListQuery { text: Some("about REACT".into()), ..base.clone() }), ["d"]);
    assert_eq!(keys(&ListQuery { window: Window { skip: 1, limit: 2 }, ..base }).len(), 2);
}
