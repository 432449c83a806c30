//! Each source as its public documentation writes it: places in code, and everything else.

use orienteer_base::Cancel;
use orienteer_base::triage::{Format, Severity};
use orienteer_triage::{Ingest, ingest};
use serde_json::{Value, json};

use crate::shapes::{npm_report, osv};
use crate::support::{Place, only};

/// With properties of SARIF 2.1.0, as CodeQL and others write them.
pub(crate) fn sarif() -> Value {
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "CodeQL", "semanticVersion": "2.1.0",
                "rules": [{
                    "id": "py/sql-injection",
                    "name": "py/sql-injection",
                    "shortDescription": { "text": "SQL query built from user-controlled sources" },
                    "fullDescription": { "text": "Building a SQL query from user-controlled sources is vulnerable." },
                    "defaultConfiguration": { "level": "error" },
                    "helpUri": "https://example.org/help",
                    "messageStrings": { "default": { "text": "This query depends on {0}." } },
                    "properties": { "tags": ["security", "external/cwe/cwe-089"], "security-severity": "8.8" }
                }]
            }},
            "automationDetails": { "id": "main/" },
            "versionControlProvenance": [{ "repositoryUri": "https://github.com/octo/app" }],
            "artifacts": [{ "location": { "uri": "src/a%20b/db.py" } }],
            "results": [
                {
                    "ruleId": "py/sql-injection", "ruleIndex": 0,
                    "message": { "id": "default", "arguments": ["a user-provided value"] },
                    "locations": [{ "physicalLocation": { "artifactLocation": { "uri": "src/a%20b/db.py", "index": 0 }, "region": { "startLine": 12, "endLine": 13 } } }],
                    "partialFingerprints": { "primaryLocationLineHash": "39fa2ee980eb94b0:1" }
                },
                {
                    "rule": { "index": 0 }, "level": "note",
                    "message": { "text": "Another" },
                    "locations": [{ "physicalLocation": { "artifactLocation": { "index": 0 }, "region": { "startLine": 40 } } }],
                    "suppressions": [{ "kind": "inSource" }]
                },
                { "ruleId": "py/sql-injection", "kind": "pass", "message": { "text": "fine" } }
            ]
        }]
    })
}

#[test]
fn results_of_sarif_with_rules_places_and_suppressions() {
    let place = Place::new();
    let findings = place.findings(&sarif());
    assert_eq!(findings.len(), 2);
    let first = &findings[0];
    assert_eq!((first.source, first.tool.as_deref()), (Format::Sarif, Some("CodeQL")));
    assert_eq!(first.vulnerability.title, "SQL query built from user-controlled sources");
    assert!(first.vulnerability.description.starts_with("This query depends on a user-provided value.\n"));
    assert_eq!(
        (first.vulnerability.severity, first.vulnerability.cwe.as_slice()),
        (Severity::High, &["CWE-89".to_owned()][..])
    );
    assert_eq!((first.places[0].path.as_str(), first.places[0].line), ("src/a b/db.py", Some(12)));
    assert_eq!(first.repo.as_deref(), Some("https://github.com/octo/app"));
    assert!(!first.closed_at_source && findings[1].closed_at_source);
    assert_eq!(findings[1].places[0].path, "src/a b/db.py", "by its number in the list of files");
    // Moved by three lines it is the same finding.
    let mut moved = sarif();
    moved["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] = json!(15);
    let done = place.take(&moved.to_string());
    assert_eq!((done.updated, done.unchanged, done.written), (1, 1, 0));
    let told = place.take(
        &json!({ "version": "2.1.0", "runs": [{ "tool": { "driver": { "name": "x" } } }] }).to_string(),
    );
    assert!(
        told.notes[0].contains("no `results`"),
        "a run that did not finish is no clean one: {:?}",
        told.notes
    );
}

pub(crate) fn full() -> Value {
    json!({
        "source": "our-scanner", "key": "K-1", "title": "Reads too much", "description": "One\nTwo", "severity": "moderate",
        "ids": ["CVE-2031-1"], "aliases": ["GHSA-1"], "cvss": [{ "version": "3.1", "score": 6.1, "vector": "CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N", "source": "us" }],
        "cwe": ["CWE-79"], "epss": { "score": 0.1, "percentile": 0.9 }, "references": ["https://a.example"],
        "packages": [{ "ecosystem": "npm", "name": "left", "installed": "1.0.0", "affected": "<2", "fixed": "2.0.0", "manifest_path": "package.json", "symbols": ["left.pad"] },
                     { "purl": "pkg:pypi/right@3.0" }],
        "places": [{ "path": "src/a.ts", "line": 3, "end_line": 4, "message": "here" }],
        "asset": { "id": "i-1", "kind": "vm", "name": "web-1", "account": "1", "region": "eu" },
        "exposure": { "internet_exposed": true, "public_endpoint": false, "data_sensitivity": "high", "business_criticality": "low", "compensating_controls": ["waf"], "exploit_available": false },
        "service": "shop", "environment": "prod", "team": "blue", "owner": "ada", "repo": "octo/shop", "state": "open", "meta": { "ticket": 7 }
    })
}

#[test]
fn the_generic_shape_has_a_place_for_everything() {
    let finding = only(&full());
    assert!(finding.warnings.is_empty(), "{:?}", finding.warnings);
    assert_eq!(
        (finding.tool.as_deref(), finding.vulnerability.severity),
        (Some("our-scanner"), Severity::Medium)
    );
    assert_eq!(finding.packages[0].symbols, ["left.pad"]);
    assert_eq!(
        (
            finding.packages[1].ecosystem.as_str(),
            finding.packages[1].name.as_str(),
            finding.packages[1].installed.as_deref()
        ),
        ("pypi", "right", Some("3.0"))
    );
    assert_eq!((finding.places[0].line, finding.places[0].end_line), (Some(3), Some(4)));
    assert_eq!(finding.exposure.as_ref().unwrap().compensating_controls, ["waf"]);
    assert_eq!(
        (
            finding.service.as_deref(),
            finding.environment.as_deref(),
            finding.team.as_deref(),
            finding.owner.as_deref()
        ),
        (Some("shop"), Some("prod"), Some("blue"), Some("ada"))
    );
    assert_eq!(finding.meta["ticket"], "7");
    let odd =
        only(&json!({ "key": "K", "title": "T", "severity": "awful", "colour": "red", "cvss": [true] }));
    assert_eq!(odd.vulnerability.severity, Severity::Unknown);
    assert_eq!(odd.warnings.len(), 3, "what was not understood is kept with the record: {:?}", odd.warnings);
}

#[test]
fn each_finding_keeps_its_own_part_of_a_report() {
    let kept = |report: &Value| -> Vec<Value> {
        let place = Place::new();
        let wanted = Ingest { keep_raw: true, ..Ingest::default() };
        let done = ingest(&place.store, report.to_string().as_bytes(), &wanted, &Cancel::new()).unwrap();
        let read = |id: &String| std::fs::read_to_string(place.store.finding_paths(id).0).unwrap();
        let record = |id: &String| serde_json::from_str::<Value>(&read(id)).unwrap();
        done.ids.iter().map(|id| record(id)["raw"].clone()).collect()
    };
    let report = sarif();
    let results = report["runs"][0]["results"].as_array().unwrap();
    assert_eq!(kept(&report), results[..2], "the third is no finding");
    let report = npm_report();
    let entry = &report["vulnerabilities"]["minimist"];
    assert_eq!(kept(&report), [entry.clone(), entry.clone()], "two advisories about one package");
    assert_eq!(
        kept(&json!({ "results": [{ "source": { "path": "Cargo.lock" }, "packages": [
        { "package": { "name": "time", "version": "0.1.43", "ecosystem": "crates.io" }, "vulnerabilities": [osv()] }
    ] }] })),
        [osv()]
    );
}

#[test]
fn what_is_said_for_the_whole_file_counts_more_than_what_the_source_says() {
    let place = Place::new();
    let meta = [("service", "checkout"), ("env", "staging"), ("internetExposed", "false"), ("wave", "3")];
    let wanted = Ingest {
        meta: meta.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        keep_raw: true,
        ..Ingest::default()
    };
    let done = ingest(&place.store, full().to_string().as_bytes(), &wanted, &Cancel::new()).unwrap();
    let snapshot = place.snapshot();
    let known = &snapshot.findings[&done.ids[0]];
    assert_eq!(
        (known.finding.service.as_deref(), known.finding.environment.as_deref()),
        (Some("checkout"), Some("staging"))
    );
    assert_eq!(known.finding.exposure.as_ref().unwrap().internet_exposed, Some(false));
    assert_eq!(known.finding.meta["wave"], "3");
    assert!(known.has_raw);
    let text = std::fs::read_to_string(place.store.finding_paths(&done.ids[0]).0).unwrap();
    let record: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(record["raw"], full());
    assert_eq!((record["kind"].as_str(), record["service"].as_str()), (Some("finding"), Some("checkout")));
}
