//! Each source as its public documentation writes it: packages.

use orienteer_base::triage::{Format, Severity};
use serde_json::{Value, json};

use crate::support::{Place, only};

/// With the fields of `dependabot-alert` in GitHub's description of its REST interface. `vulnerable_functions` is not one of
/// them: it stands in answers about advisories, which people lay beside alerts.
fn rest(number: u64, state: &str) -> Value {
    json!({
        "number": number,
        "state": state,
        "dependency": {
            "package": { "ecosystem": "pip", "name": "django" },
            "manifest_path": "path/to/requirements.txt",
            "scope": "runtime",
            "relationship": "direct"
        },
        "security_advisory": {
            "ghsa_id": "GHSA-rf4j-j272-fj86",
            "cve_id": "CVE-2018-6188",
            "summary": "Django allows remote attackers to obtain sensitive information",
            "description": "django.contrib.auth.forms.AuthenticationForm allows …",
            "vulnerabilities": [
                {
                    "package": { "ecosystem": "pip", "name": "django" },
                    "severity": "high",
                    "vulnerable_version_range": ">= 2.0.0, < 2.0.2",
                    "first_patched_version": { "identifier": "2.0.2" },
                    "vulnerable_functions": ["django.contrib.auth.forms.AuthenticationForm"]
                }
            ],
            "severity": "high",
            "cvss": { "vector_string": "CVSS:3.0/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N", "score": 7.5 },
            "cvss_severities": {
                "cvss_v3": { "vector_string": "CVSS:3.0/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N", "score": 7.5 },
                "cvss_v4": { "vector_string": null, "score": 0.0 }
            },
            "epss": { "percentage": 0.00045, "percentile": 0.16001 },
            "cwes": [{ "cwe_id": "CWE-200", "name": "Exposure of Sensitive Information" }],
            "identifiers": [
                { "type": "GHSA", "value": "GHSA-rf4j-j272-fj86" },
                { "type": "CVE", "value": "CVE-2018-6188" }
            ],
            "references": [{ "url": "https://nvd.nist.gov/vuln/detail/CVE-2018-6188" }],
            "published_at": "2018-10-03T21:13:54Z",
            "updated_at": "2022-04-26T18:35:37Z",
            "withdrawn_at": null
        },
        "security_vulnerability": {
            "package": { "ecosystem": "pip", "name": "django" },
            "severity": "high",
            "vulnerable_version_range": ">= 2.0.0, < 2.0.2",
            "first_patched_version": { "identifier": "2.0.2" }
        },
        "url": format!("https://api.github.com/repos/octocat/hello-world/dependabot/alerts/{number}"),
        "html_url": format!("https://github.com/octocat/hello-world/security/dependabot/{number}"),
        "created_at": "2022-06-15T07:43:03Z",
        "updated_at": "2022-08-23T14:29:47Z",
        "dismissed_at": null,
        "dismissed_reason": null
    })
}

/// With the fields of `RepositoryVulnerabilityAlert` in GitHub's GraphQL schema.
fn graphql(number: u64) -> Value {
    json!({ "data": { "repository": {
        "nameWithOwner": "octocat/hello-world",
        "vulnerabilityAlerts": {
            "pageInfo": { "hasNextPage": true },
            "nodes": [{
                "number": number,
                "state": "OPEN",
                "dependencyScope": "RUNTIME",
                "vulnerableManifestPath": "path/to/requirements.txt",
                "vulnerableRequirements": "= 2.0.1",
                "securityVulnerability": {
                    "package": { "ecosystem": "PIP", "name": "django" },
                    "severity": "HIGH",
                    "vulnerableVersionRange": ">= 2.0.0, < 2.0.2",
                    "firstPatchedVersion": { "identifier": "2.0.2" }
                },
                "securityAdvisory": {
                    "ghsaId": "GHSA-rf4j-j272-fj86",
                    "summary": "Django allows …",
                    "severity": "HIGH",
                    "cvss": { "score": 7.5, "vectorString": "CVSS:3.0/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N" },
                    "cwes": { "nodes": [{ "cweId": "CWE-200" }] },
                    "identifiers": [{ "type": "CVE", "value": "CVE-2018-6188" }],
                    "references": [{ "url": "https://example.org/a" }],
                    "publishedAt": "2018-10-03T21:13:54Z"
                }
            }]
        }
    }}})
}

#[test]
fn dependabot_alerts_of_the_rest_interface() {
    let finding = only(&json!([rest(2, "open")]));
    assert_eq!(finding.source, Format::Dependabot);
    assert_eq!(finding.repo.as_deref(), Some("octocat/hello-world"));
    let known = &finding.vulnerability;
    assert_eq!(known.ids, ["CVE-2018-6188", "GHSA-rf4j-j272-fj86"]);
    assert!(known.aliases.is_empty(), "{:?}", known.aliases);
    assert_eq!((known.severity, known.cvss.len(), known.cvss[0].score), (Severity::High, 1, Some(7.5)));
    assert_eq!(known.cwe, ["CWE-200"]);
    assert_eq!(known.epss.unwrap().score, 0.00045);
    assert_eq!(known.references[0], "https://github.com/octocat/hello-world/security/dependabot/2");
    let package = &finding.packages[0];
    assert_eq!((package.ecosystem.as_str(), package.name.as_str()), ("pypi", "django"));
    assert_eq!(package.affected.as_deref(), Some(">= 2.0.0, < 2.0.2"));
    assert_eq!(package.fixed.as_deref(), Some("2.0.2"));
    assert_eq!(package.manifest_path.as_deref(), Some("path/to/requirements.txt"));
    assert_eq!(package.purl.as_deref(), Some("pkg:pypi/django"));
    assert_eq!(package.symbols, ["django.contrib.auth.forms.AuthenticationForm"]);
    assert_eq!(finding.meta["scope"], "runtime");
    assert!(!finding.closed_at_source && finding.warnings.is_empty(), "{:?}", finding.warnings);
    for state in ["fixed", "dismissed", "auto_dismissed"] {
        assert!(only(&json!([rest(2, state)])).closed_at_source, "{state}");
    }
}

#[test]
fn both_interfaces_of_dependabot_mean_the_same_finding() {
    let place = Place::new();
    let first = place.findings(&json!({ "alerts": [rest(2, "open")] }));
    let done = place.take(&graphql(2).to_string());
    assert_eq!((done.updated, done.written), (1, 0));
    assert_eq!(done.ids, [first[0].id.clone()]);
    assert!(done.notes.iter().any(|note| note.contains("more pages")), "{:?}", done.notes);
    let second = &place.snapshot().findings[&done.ids[0]].finding;
    assert_eq!(second.packages[0].installed.as_deref(), Some("2.0.1"));
    assert_eq!(second.vulnerability.cwe, ["CWE-200"]);
    assert_eq!(second.state.as_deref(), Some("open"));
}

/// With the fields of `Finding` in the API reference of Inspector 2.
#[test]
fn findings_of_inspector_with_several_packages_and_ratings() {
    let report = json!({ "findings": [{
        "findingArn": "arn:aws:inspector2:eu-west-1:123456789012:finding/0a1b",
        "awsAccountId": "123456789012",
        "type": "PACKAGE_VULNERABILITY",
        "title": "CVE-2021-44228 - log4j-core, log4j-api",
        "description": "Apache Log4j2 …",
        "severity": "CRITICAL",
        "status": "ACTIVE",
        "fixAvailable": "YES",
        "exploitAvailable": "YES",
        "exploitabilityDetails": { "lastKnownExploitAt": "2022-01-01T00:00:00Z" },
        "inspectorScore": 10.0,
        "inspectorScoreDetails": { "adjustedCvss": {
            "score": 10.0, "scoringVector": "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H", "version": "3.1", "scoreSource": "NVD", "adjustments": []
        }},
        "firstObservedAt": 1640995200.0,
        "lastObservedAt": "2022-02-01T00:00:00Z",
        "epss": { "score": 0.97 },
        "resources": [{
            "id": "arn:aws:ecr:eu-west-1:123456789012:repository/web/sha256:1",
            "type": "AWS_ECR_CONTAINER_IMAGE",
            "region": "eu-west-1",
            "details": { "awsEcrContainerImage": { "repositoryName": "web", "imageTags": ["v1"] } }
        }],
        "remediation": { "recommendation": { "text": "Upgrade" } },
        "packageVulnerabilityDetails": {
            "vulnerabilityId": "CVE-2021-44228",
            "source": "NVD",
            "sourceUrl": "https://nvd.nist.gov/vuln/detail/CVE-2021-44228",
            "vendorSeverity": "CRITICAL",
            "relatedVulnerabilities": ["CVE-2021-45046"],
            "referenceUrls": ["https://logging.apache.org"],
            "cvss": [
                { "baseScore": 10.0, "scoringVector": "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H", "version": "3.1", "source": "NVD" },
                { "baseScore": 9.3, "scoringVector": "AV:N/AC:M/Au:N/C:C/I:C/A:C", "version": "2.0", "source": "NVD" }
            ],
            "vulnerablePackages": [
                { "name": "org.apache.logging.log4j:log4j-core", "version": "2.14.1", "packageManager": "JAR", "filePath": "app/log4j-core.jar", "fixedInVersion": "2.15.0" },
                { "name": "bash", "version": "4.2.46", "release": "34.el7", "epoch": 1, "arch": "X86_64", "packageManager": "OS", "fixedInVersion": "NotAvailable" }
            ]
        }
    }], "nextToken": null });
    let finding = only(&report);
    assert_eq!(finding.source, Format::AwsInspector);
    let known = &finding.vulnerability;
    assert_eq!(
        (known.ids.as_slice(), known.severity),
        (&["CVE-2021-44228".to_owned()][..], Severity::Critical)
    );
    assert_eq!(known.aliases, ["CVE-2021-45046"]);
    let scores: Vec<_> =
        known.cvss.iter().map(|rating| (rating.version.as_deref().unwrap(), rating.score.unwrap())).collect();
    assert_eq!(scores, [("3.1", 10.0), ("2.0", 9.3)]);
    assert_eq!(known.epss.unwrap().score, 0.97);
    let told: Vec<_> = finding
        .packages
        .iter()
        .map(|package| {
            (
                package.ecosystem.as_str(),
                package.name.as_str(),
                package.installed.as_deref().unwrap(),
                package.fixed.as_deref(),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ("maven", "org.apache.logging.log4j:log4j-core", "2.14.1", Some("2.15.0")),
            ("os", "bash", "1:4.2.46-34.el7", None),
        ]
    );
    let asset = finding.asset.unwrap();
    assert_eq!((asset.name.as_deref(), asset.region.as_deref()), (Some("web"), Some("eu-west-1")));
    let exposure = finding.exposure.unwrap();
    assert_eq!((exposure.exploit_available, exposure.internet_exposed), (Some(true), None));
    assert_eq!(finding.meta["first_observed"], "2022-01-01T00:00:00Z");
    // The same as it comes over an event bus.
    let event = json!({ "detail-type": "Inspector2 Finding", "detail": report["findings"][0] });
    assert_eq!(only(&event).id, finding.id);
}

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

/// By hand, with the fields of the types in the `rustsec` crate; the program itself was not run.
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
        assert!(done.notes[0].contains("did not look at local-thing"), "{:?}", done.notes);
        let snapshot = place.snapshot();
        let finding = &snapshot.findings[&done.ids[0]].finding;
        assert_eq!(finding.source, Format::PipAudit);
        assert_eq!(finding.vulnerability.ids, ["PYSEC-2019-179"]);
        assert_eq!(finding.packages[0].fixed.as_deref(), Some("1.0"));
        assert_eq!(finding.packages[0].purl.as_deref(), Some("pkg:pypi/flask@0.5"));
    }
}
