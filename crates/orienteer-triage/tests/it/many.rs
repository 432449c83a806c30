//! Fifty thousand findings.

use std::time::SystemTime;

use orienteer_base::Cancel;
use orienteer_base::ask::Window;
use orienteer_base::triage::{Format, ListQuery};
use orienteer_triage::{Ingest, ingest, list};
use serde_json::{Value, json};

use crate::support::Place;

const MANY: usize = 50_000;

fn item(at: usize) -> Value {
    json!({ "key": format!("k{at}"), "title": format!("Finding {at}"), "severity": "low", "package": { "ecosystem": "npm", "name": format!("p{}", at % 100) } })
}

#[test]
fn fifty_thousand_lines_are_taken_in_listed_and_found_unchanged() {
    let place = Place::new();
    let mut text = String::new();
    for at in 0..MANY {
        text.push_str(&item(at).to_string());
        text.push('\n');
        if at == 777 {
            text.push_str("{ broken\n");
        }
    }
    let wanted = Ingest { source: Some(Format::Generic), ..Ingest::default() };
    let done = ingest(&place.store, text.as_bytes(), &wanted, &Cancel::new()).unwrap();
    assert_eq!((done.total, done.written, done.errors), (MANY + 1, MANY, 1));
    assert_eq!(done.details[0].index, Some(778));
    assert_eq!(done.ids.len(), MANY);
    let query = ListQuery {
        standings: Vec::new(),
        package: Some("p7".to_owned()),
        severities: Vec::new(),
        service: None,
        source: None,
        text: None,
        window: Window { skip: 0, limit: 10 },
    };
    let found = list::list(&place.snapshot(), &query, SystemTime::now(), &Cancel::new()).unwrap();
    assert_eq!(
        (found.stored, found.total, found.rows.len()),
        (MANY, 11 * MANY / 100, 10),
        "p7 and p70 to p79"
    );
    // The same as a list: nothing is new.
    let list: Value = (0..MANY).map(item).collect();
    let again = ingest(&place.store, list.to_string().as_bytes(), &wanted, &Cancel::new()).unwrap();
    assert_eq!((again.unchanged, again.written, again.updated), (MANY, 0, 0));
}
