//! What is missing is told, and one bad file costs only itself.

use serde_json::{Value, json};

use crate::support::{Place, generic, only};

fn sarif(run: Value) -> Value {
    let mut run = run;
    run["tool"] = json!({ "driver": { "name": "check" } });
    json!({ "version": "2.1.0", "runs": [run] })
}

fn result(locations: &[(&str, &str)]) -> Value {
    let locations: Vec<Value> = locations
        .iter()
        .map(|(uri, base)| {
            json!({ "physicalLocation": { "artifactLocation": { "uri": uri, "uriBaseId": base } } })
        })
        .collect();
    json!({ "ruleId": "r", "message": { "text": "m" }, "locations": locations })
}

#[test]
fn places_of_sarif_are_found_by_what_they_are_relative_to() {
    let bases = json!({
        "SRCROOT": { "uri": "file:///build/x/" },
        "PARTS": { "uri": "parts/", "uriBaseId": "SRCROOT" },
        "INNER": { "uri": "inner", "uriBaseId": "PARTS" },
        "APART": { "uri": "file:///build/x/apart/" },
        "FAR": { "uri": "file:///elsewhere/" },
        "ROUND": { "uri": "a/", "uriBaseId": "ROUND" }
    });
    let places = [
        ("a.py", "SRCROOT"),
        ("b.py", "PARTS"),
        ("c.py", "INNER"),
        ("d.py", "APART"),
        ("/abs/e.py", "PARTS"),
    ];
    let found = only(&sarif(json!({ "originalUriBaseIds": bases, "results": [result(&places)] })));
    let paths: Vec<&str> = found.places.iter().map(|place| place.path.as_str()).collect();
    assert_eq!(paths, ["a.py", "parts/b.py", "parts/inner/c.py", "apart/d.py", "/abs/e.py"]);
    assert_eq!(found.warnings, [""; 0]);
    for base in ["FAR", "ROUND", "UNKNOWN"] {
        let report =
            sarif(json!({ "originalUriBaseIds": bases.clone(), "results": [result(&[("f.py", base)])] }));
        let found = only(&report);
        assert!(found.warnings.iter().any(|warning| warning.contains(base)), "{base}: {:?}", found.warnings);
    }
    let usual = only(&sarif(json!({ "results": [result(&[("f.py", "%SRCROOT%")])] })));
    assert_eq!((usual.places[0].path.as_str(), usual.warnings.len()), ("f.py", 0));
}

#[test]
fn places_that_are_cut_off_are_told() {
    let names: Vec<String> = (0..60).map(|at| format!("f{at}.py")).collect();
    let places: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "SRCROOT")).collect();
    let found = only(&sarif(json!({ "results": [result(&places)] })));
    assert_eq!(found.places.len(), 50);
    assert!(found.warnings.iter().any(|warning| warning.contains("60")), "{:?}", found.warnings);
}

#[test]
fn a_result_is_suppressed_when_every_word_about_that_is_accepted() {
    let state = |suppressions: Value| {
        let mut one = result(&[]);
        one["suppressions"] = suppressions;
        only(&sarif(json!({ "results": [one] }))).closed_at_source
    };
    assert!(state(json!([{ "kind": "inSource" }, { "kind": "external", "status": "accepted" }])));
    assert!(!state(json!([{ "kind": "inSource" }, { "kind": "external", "status": "rejected" }])));
    assert!(!state(json!([{ "kind": "external", "status": "underReview" }])));
    assert!(!state(json!([])));
}

#[test]
fn a_damaged_decision_costs_an_ingest_nothing_but_the_page_of_its_finding() {
    let place = Place::new();
    let ids = place.take(&json!([generic("a", "old"), generic("b", "old")]).to_string()).ids;
    let damaged = place.folder().join(format!("decisions/{}.d1.json", ids[0]));
    std::fs::write(&damaged, "{ broken").unwrap();
    let done = place.take(&json!([generic("a", "new"), generic("b", "new")]).to_string());
    assert_eq!((done.updated, done.errors), (2, 0));
    let titles = |id: &String| place.snapshot().findings[id].finding.vulnerability.title.clone();
    assert_eq!((titles(&ids[0]), titles(&ids[1])), ("new".to_owned(), "new".to_owned()));
    assert_eq!(std::fs::read_to_string(&damaged).unwrap(), "{ broken", "nobody's decision is written over");
    let page =
        |id: &String| std::fs::read_to_string(place.folder().join(format!("findings/{id}.md"))).unwrap();
    assert!(page(&ids[0]).contains("old") && page(&ids[1]).contains("new"));
}

#[test]
fn an_answer_with_more_pages_or_errors_is_a_part() {
    let node = json!({ "number": 1, "vulnerableManifestPath": "a/package.json", "securityAdvisory": { "ghsaId": "GHSA-aaaa-aaaa-aaaa" },
        "securityVulnerability": { "package": { "ecosystem": "NPM", "name": "x" } } });
    let answer = |more: bool| {
        json!({ "data": { "repository": { "nameWithOwner": "a/b",
            "vulnerabilityAlerts": { "pageInfo": { "hasNextPage": more }, "nodes": [node] } } } })
    };
    assert!(!Place::new().take(&answer(false).to_string()).partial);
    let done = Place::new().take(&answer(true).to_string());
    assert!(done.partial && done.notes[0].contains("more pages"), "{:?}", done.notes);
    let mut broken = answer(false);
    broken["errors"] = json!([{ "message": "no" }]);
    assert!(Place::new().take(&broken.to_string()).partial);
    let failed = sarif(json!({ "invocations": [{ "executionSuccessful": false }], "results": [] }));
    assert!(Place::new().take(&failed.to_string()).partial);
}
