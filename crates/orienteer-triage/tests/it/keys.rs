//! When are two findings one?

use std::collections::BTreeMap;

use orienteer_base::Cancel;
use orienteer_base::triage::Finding;
use orienteer_triage::{Ingest, ingest};
use serde_json::{Value, json};

use crate::shapes::npm_report;
use crate::support::Place;

fn taken(place: &Place, report: &Value, meta: &[(&str, &str)]) -> Vec<Finding> {
    let meta: BTreeMap<String, String> =
        meta.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let wanted = Ingest { meta, ..Ingest::default() };
    let done = ingest(&place.store, report.to_string().as_bytes(), &wanted, &Cancel::new()).unwrap();
    assert_eq!(done.errors, 0, "{:?}", done.details);
    let snapshot = place.snapshot();
    done.ids.iter().map(|id| snapshot.findings[id].finding.clone()).collect()
}

fn alert(ghsa: &str, package: &str, manifest: &str) -> Value {
    json!({
        "number": 7, "state": "open",
        "dependency": { "package": { "ecosystem": "npm", "name": package }, "manifest_path": manifest },
        "security_advisory": { "ghsa_id": ghsa, "summary": "x", "severity": "high" }
    })
}

#[test]
fn alerts_of_two_repositories_that_nobody_names_stay_two() {
    let place = Place::new();
    let one = taken(&place, &json!([alert("GHSA-aaaa-aaaa-aaaa", "lodash", "package.json")]), &[]);
    let other = taken(&place, &json!([alert("GHSA-bbbb-bbbb-bbbb", "lodash", "package.json")]), &[]);
    let third = taken(&place, &json!([alert("GHSA-aaaa-aaaa-aaaa", "lodash", "web/package.json")]), &[]);
    assert_eq!(place.snapshot().findings.len(), 3);
    for finding in [&one[0], &other[0], &third[0]] {
        let told = finding.warnings.iter().any(|warning| warning.contains("meta.repo"));
        assert!(told, "{:?}", finding.warnings);
    }
}

#[test]
fn the_repository_that_is_said_for_a_file_counts_where_its_wrapper_names_none() {
    let wrapped = json!({ "total": 1, "alerts": [alert("GHSA-aaaa-aaaa-aaaa", "lodash", "package.json")] });
    let place = Place::new();
    let one = taken(&place, &wrapped, &[("repo", "octo/one")]);
    let other = taken(&place, &wrapped, &[("repo", "octo/other")]);
    assert_ne!(one[0].id, other[0].id);
    assert_eq!((one[0].key.as_str(), one[0].warnings.len()), ("octo/one|alert|7", 0));
    let mut named = json!({ "full_name": "octo/own" });
    named["alerts"] = wrapped["alerts"].clone();
    let own = taken(&place, &named, &[("repo", "octo/one")]);
    assert_eq!(own[0].key, "octo/own|alert|7", "what the file says counts");
}

#[test]
fn reports_of_two_services_are_not_written_over_each_other() {
    let cargo = json!({ "vulnerabilities": { "list": [
        { "advisory": { "id": "RUSTSEC-2020-0071" }, "package": { "name": "time", "version": "0.1.0" } }
    ] } });
    let pip = json!({ "dependencies": [
        { "name": "flask", "version": "0.5", "vulns": [{ "id": "PYSEC-2019-179", "fix_versions": [] }] }
    ] });
    for report in [npm_report(), cargo, pip] {
        let place = Place::new();
        let plain = taken(&place, &report, &[]);
        let web = taken(&place, &report, &[("service", "web")]);
        let jobs = taken(&place, &report, &[("service", "jobs")]);
        let other = taken(&place, &report, &[("repo", "jobs")]);
        assert_eq!(place.snapshot().findings.len(), 4 * plain.len(), "{report}");
        assert_eq!(web[0].id, taken(&place, &report, &[("service", " web ")])[0].id, "the same again");
        assert!(jobs[0].id != other[0].id && plain[0].key != web[0].key);
    }
}
