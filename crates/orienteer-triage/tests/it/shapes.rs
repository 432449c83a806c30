//! Each source as its public documentation writes it: packages.

use orienteer_base::triage::{Format, Severity};
use serde_json::{Value, json};

use crate::support::{Place, only};

pub(crate) fn osv() -> Value {
    json!({
        "schema_version": "1.4.0",
        "id": "RUSTSEC-2020-0071",
        "modified": "2023-06-13T13:10:24Z",
        "published": "2020-11-18T12:00:00Z",
        "aliases": ["CVE-2020-26235"],
        "summary": "Potential segfault in the time crate",
        "details": "Unix-like operating systems may segfault …",
        "severity": [{ "type": "CVSS_V3", "score": "CVSS:3.1/AV:L/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H" }],
        "affected": [{
            "package": { "ecosystem": "crates.io", "name": "time", "purl": "pkg:cargo/time" },
            "ecosystem_specific": { "affects": { "arch": [], "functions": ["time::at", "time::at_utc"], "os": ["linux"] } },
            "ranges": [{ "type": "SEMVER", "events": [{ "introduced": "0.1.0" }, { "fixed": "0.2.0" }, { "introduced": "0.2.1" }, { "fixed": "0.2.23" }] }],
            "database_specific": { "cvss": null }
        }],
        "references": [{ "type": "ADVISORY", "url": "https://rustsec.org/advisories/RUSTSEC-2020-0071.html" }]
    })
}

#[test]
fn advisories_of_osv_with_their_functions() {
    let finding = only(&osv());
    let known = &finding.vulnerability;
    assert_eq!((known.severity, known.cvss[0].score), (Severity::Medium, Some(6.2)));
    let package = &finding.packages[0];
    assert_eq!((package.ecosystem.as_str(), package.name.as_str()), ("cargo", "time"));
    assert_eq!(package.affected.as_deref(), Some(">= 0.1.0, < 0.2.0 || >= 0.2.1, < 0.2.23"));
    assert_eq!(package.fixed.as_deref(), Some("0.2.23"));
    assert_eq!(package.symbols, ["time::at", "time::at_utc"]);
    // Go's database names symbols by import path.
    let mut go = osv();
    go["affected"] = json!([{
        "package": { "ecosystem": "Go", "name": "golang.org/x/net" },
        "ranges": [{ "type": "SEMVER", "events": [{ "introduced": "0" }, { "fixed": "0.0.1" }] }],
        "ecosystem_specific": { "imports": [{ "path": "golang.org/x/net/html", "symbols": ["Parse", "ParseFragment"] }] }
    }]);
    let package = only(&go).packages.remove(0);
    assert_eq!(
        (package.symbols.as_slice(), package.modules.as_slice()),
        (&["Parse".to_owned(), "ParseFragment".to_owned()][..], &["golang.org/x/net/html".to_owned()][..])
    );
    assert_eq!(package.affected.as_deref(), Some("< 0.0.1"));
    let mut gone = osv();
    gone["withdrawn"] = json!("2024-01-01T00:00:00Z");
    assert!(only(&gone).closed_at_source);
}

#[test]
fn reports_of_scanners_that_lay_osv_beside_packages() {
    let report = json!({ "results": [{
        "source": { "path": "/srv/app/Cargo.lock", "type": "lockfile" },
        "packages": [
            { "package": { "name": "time", "version": "0.1.43", "ecosystem": "crates.io" }, "vulnerabilities": [osv()], "groups": [{ "ids": ["RUSTSEC-2020-0071"] }] },
            { "package": { "name": "serde", "version": "1.0.0", "ecosystem": "crates.io" } }
        ]
    }]});
    let finding = only(&report);
    let package = &finding.packages[0];
    assert_eq!(
        (package.installed.as_deref(), package.manifest_path.as_deref()),
        (Some("0.1.43"), Some("/srv/app/Cargo.lock"))
    );
    assert_eq!(package.purl.as_deref(), Some("pkg:cargo/time@0.1.43"));
    assert_ne!(finding.id, only(&osv()).id, "what was found here is not the advisory itself");
}

pub(crate) fn npm_report() -> Value {
    json!({
        "auditReportVersion": 2,
        "vulnerabilities": {
            "minimist": {
                "name": "minimist", "severity": "critical", "isDirect": false,
                "via": [
                    { "source": 1096466, "name": "minimist", "dependency": "minimist", "title": "Prototype Pollution in minimist",
                      "url": "https://github.com/advisories/GHSA-xvch-5gv4-984h", "severity": "critical", "cwe": ["CWE-1321"],
                      "cvss": { "score": 9.8, "vectorString": "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H" }, "range": "<0.2.4" },
                    { "source": 1096465, "name": "minimist", "dependency": "minimist", "title": "Prototype Pollution in minimist",
                      "url": "https://github.com/advisories/GHSA-vh95-rmgr-6w4m", "severity": "moderate", "cwe": ["CWE-1321"],
                      "cvss": { "score": 5.6, "vectorString": "CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:L/I:L/A:L" }, "range": "<0.2.1" }
                ],
                "effects": ["mkdirp"], "range": "<=0.2.3", "nodes": ["node_modules/minimist"],
                "fixAvailable": { "name": "mkdirp", "version": "0.5.6", "isSemVerMajor": false }
            },
            "mkdirp": {
                "name": "mkdirp", "severity": "critical", "isDirect": true, "via": ["minimist"], "effects": [],
                "range": "0.4.1 - 0.5.1", "nodes": ["node_modules/mkdirp"], "fixAvailable": true
            }
        },
        "metadata": { "vulnerabilities": { "critical": 2, "total": 2 }, "dependencies": { "prod": 3, "total": 3 } }
    })
}

#[test]
fn reports_of_npm_by_package_and_the_older_ones_by_advisory() {
    let place = Place::new();
    let done = place.take(&npm_report().to_string());
    assert_eq!((done.total, done.written, done.errors), (2, 2, 0));
    assert!(
        done.notes[0].contains("1 packages are in the report only because they depend on others"),
        "{:?}",
        done.notes
    );
    let snapshot = place.snapshot();
    let finding = &snapshot.findings[&done.ids[0]].finding;
    assert_eq!(finding.vulnerability.ids, ["GHSA-xvch-5gv4-984h"]);
    assert_eq!(finding.vulnerability.severity, Severity::Critical);
    assert_eq!(finding.packages[0].affected.as_deref(), Some("<0.2.4"));
    assert_eq!(finding.packages[0].fixed, None, "what npm offers is another package");
    assert_eq!(
        (finding.meta["direct"].as_str(), finding.meta["fix_available"].as_str()),
        ("false", "mkdirp@0.5.6")
    );
    let old = json!({ "actions": [], "advisories": { "1179": {
        "findings": [{ "version": "0.0.8", "paths": ["mkdirp>minimist"] }, { "version": "1.2.0", "paths": ["a>minimist"] }],
        "id": 1179, "title": "Prototype Pollution", "module_name": "minimist", "cves": ["CVE-2020-7598"], "cwe": "CWE-471",
        "vulnerable_versions": "<0.2.1 || >=1.0.0 <1.2.3", "patched_versions": ">=0.2.1 <1.0.0 || >=1.2.3",
        "overview": "Affected versions …", "severity": "low", "url": "https://npmjs.com/advisories/1179",
        "github_advisory_id": "GHSA-vh95-rmgr-6w4m", "references": "- https://a.example\n- https://b.example",
        "created": "2019-09-23T15:01:43.049Z", "updated": "2020-03-18T19:41:45.921Z"
    }}, "metadata": {} });
    let finding = only(&old);
    assert_eq!(finding.vulnerability.ids, ["GHSA-vh95-rmgr-6w4m"]);
    assert_eq!(finding.vulnerability.aliases, ["CVE-2020-7598", "npm:1179"]);
    let installed: Vec<_> =
        finding.packages.iter().map(|package| package.installed.as_deref().unwrap()).collect();
    assert_eq!(installed, ["0.0.8", "1.2.0"]);
    assert_eq!(finding.id, *done.ids.last().unwrap(), "both reports mean the same finding");
}

#[test]
fn an_empty_report_is_an_answer() {
    let done = Place::new().take(r#"{"auditReportVersion":2,"vulnerabilities":{},"metadata":{}}"#);
    assert_eq!((done.total, done.errors), (0, 0));
    let done = Place::new().take(r#"{"database":{},"lockfile":{},"vulnerabilities":{"found":false,"count":0,"list":[]},"warnings":{}}"#);
    assert_eq!((done.total, done.errors), (0, 0));
    let done = Place::new().take(r#"{"dependencies":[{"name":"a","version":"1","vulns":[]}],"fixes":[]}"#);
    assert_eq!((done.total, done.errors), (0, 0));
}

/// By hand, for what the program writes only now and then; it is run itself in `tools.rs`.
#[test]
fn reports_of_cargo_with_vulnerabilities_and_warnings() {
    let advisory = json!({
        "id": "RUSTSEC-2020-0071", "package": "time", "title": "Potential segfault", "description": "…", "date": "2020-11-18",
        "aliases": ["CVE-2020-26235"], "related": [], "collection": "crates", "categories": ["code-execution"], "keywords": ["segfault"],
        "cvss": "CVSS:3.1/AV:L/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H", "informational": null, "references": [], "source": null,
        "url": "https://github.com/time-rs/time/issues/293", "withdrawn": null, "license": "CC0-1.0"
    });
    let report = json!({
        "database": { "advisory-count": 700, "last-commit": null, "last-updated": null },
        "lockfile": { "dependency-count": 3 },
        "settings": { "target_arch": [], "target_os": [], "severity": null, "ignore": [], "informational_warnings": ["unmaintained"] },
        "vulnerabilities": { "found": true, "count": 1, "list": [{
            "advisory": advisory,
            "versions": { "patched": [">=0.2.23"], "unaffected": ["=0.2.0"] },
            "affected": { "arch": [], "os": ["linux"], "functions": { "time::at": ["<0.2.23"], "time::now": ["<0.2.23"] } },
            "package": { "name": "time", "version": "0.1.43", "source": "registry+x", "checksum": "c", "dependencies": [{ "name": "libc", "version": "0.2.1", "source": null }], "replace": null }
        }]},
        "warnings": {
            "unmaintained": [{ "kind": "unmaintained", "package": { "name": "dirs", "version": "1.0.0" },
                "advisory": { "id": "RUSTSEC-2020-0053", "package": "dirs", "title": "dirs is unmaintained", "description": "", "date": "2020-10-16", "aliases": [], "informational": "unmaintained", "cvss": null, "references": [], "url": null },
                "affected": null, "versions": { "patched": [], "unaffected": [] } }],
            "yanked": [{ "kind": "yanked", "package": { "name": "old", "version": "2.0.0" }, "advisory": null, "affected": null, "versions": null }]
        }
    });
    let findings = Place::new().findings(&report);
    let told: Vec<_> = findings
        .iter()
        .map(|one| {
            (one.vulnerability.ids[0].as_str(), one.packages[0].name.as_str(), one.vulnerability.severity)
        })
        .collect();
    assert_eq!(
        told,
        [
            ("RUSTSEC-2020-0071", "time", Severity::Medium),
            ("RUSTSEC-2020-0053", "dirs", Severity::Info),
            ("cargo:yanked", "old", Severity::Info),
        ]
    );
    let package = &findings[0].packages[0];
    assert_eq!((package.installed.as_deref(), package.fixed.as_deref()), (Some("0.1.43"), Some("0.2.23")));
    assert_eq!(package.symbols, ["time::at", "time::now"]);
}

#[test]
fn reports_of_pip_audit_in_both_of_its_shapes() {
    let packages = json!([
        { "name": "flask", "version": "0.5", "vulns": [
            { "id": "PYSEC-2019-179", "fix_versions": ["1.0"], "aliases": ["CVE-2019-1010083", "GHSA-5wv5-4vpf-pj6m"], "description": "The Pallets Project Flask …" },
            { "id": "PYSEC-2018-66", "fix_versions": ["0.12.3", "1.0"], "aliases": [], "description": "…" }
        ]},
        { "name": "local-thing", "skip_reason": "Dependency not found on PyPI" },
        { "name": "jinja2", "version": "3.0.2", "vulns": [] }
    ]);
    for report in [json!({ "dependencies": packages, "fixes": [] }), packages.clone()] {
        let place = Place::new();
        let done = place.take(&report.to_string());
        assert_eq!((done.total, done.written, done.errors), (2, 2, 0), "{:?}", done.details);
        assert!(done.partial && done.notes[0].contains("did not look at local-thing"), "{:?}", done.notes);
        let snapshot = place.snapshot();
        let finding = &snapshot.findings[&done.ids[0]].finding;
        assert_eq!(finding.source, Format::PipAudit);
        assert_eq!(finding.vulnerability.ids, ["PYSEC-2019-179"]);
        assert_eq!(finding.packages[0].fixed.as_deref(), Some("1.0"));
        assert_eq!(finding.packages[0].purl.as_deref(), Some("pkg:pypi/flask@0.5"));
    }
}
