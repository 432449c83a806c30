//! Findings, decisions and evidence.

use orienteer_testkit::{tools, tree};
use serde_json::{Value, json};

use super::support::{Session, names, over};

/// A project that uses a vulnerable function, and a report about it: one good item, one that is none.
const FINDINGS: &str = r#"//- /requirements.txt
PyYAML==5.3
//- /src/reading.py
import yaml


def read_settings(text):
    return yaml.load(text)
//- /pyrightconfig.json
{ "include": ["src"] }
//- /report.json
[
  {
    "id": "VULN-1",
    "title": "Arbitrary code execution in PyYAML",
    "severity": "critical",
    "cve": ["CVE-2020-14343"],
    "package": { "ecosystem": "pypi", "name": "PyYAML", "version": "5.3", "symbols": ["yaml.load"] }
  },
  { "no": "finding" }
]
"#;

fn fixture() -> String {
    format!("//- /.git/HEAD\nref: refs/heads/trunk\n{FINDINGS}")
}

/// Takes the report in and gives the id of its finding.
fn ingest(session: &mut Session) -> String {
    let arguments =
        json!({ "source": "generic", "inputPath": "report.json", "meta": { "service": "api", "tier": 1 } });
    let done = session.ask("triage_ingest", arguments);
    assert_eq!(
        (&done["total"], &done["written"], &done["errors"]),
        (&json!(2), &json!(1), &json!(1)),
        "{done}"
    );
    done["recordIds"][0].as_str().unwrap().to_owned()
}

#[test]
fn findings_are_taken_in_and_bad_items_are_named() {
    let mut session = over(&fixture());
    let id = ingest(&mut session);
    let again = session
        .ask("triage_ingest", json!({ "source": "manual", "inputPath": "report.json", "buildIndex": true }));
    assert_eq!((&again["recordIds"], &again["details"][0]["index"]), (&json!([id]), &json!(1)), "{again}");
    assert_eq!(again["index"]["status"], "built", "{again}");
    assert!(again["recordsPath"].is_string() && again["details"][0]["reason"].is_string(), "{again}");
    let gone = session.refused("triage_ingest", json!({ "source": "generic", "inputPath": "none.json" }));
    assert_eq!(gone["code"], "NOT_FOUND", "{gone}");
    let outside =
        session.refused("triage_ingest", json!({ "source": "generic", "inputPath": "/etc/passwd" }));
    assert_eq!(outside["code"], "FORBIDDEN", "{outside}");
    let wrong = session.refused("triage_ingest", json!({ "source": "rumour", "inputPath": "report.json" }));
    assert!(wrong["hint"].as_str().unwrap().contains("dependabot"), "{wrong}");
    let meta = json!({ "source": "generic", "inputPath": "report.json", "meta": { "a": [1] } });
    assert!(session.refused("triage_ingest", meta)["message"].as_str().unwrap().contains("meta.a"));
}

/// Each word for a source, a report as its maker writes it, and what the finding in it is known by.
fn reports() -> Vec<(&'static str, Value, &'static str)> {
    let by_hand = |id: &str| json!([{ "id": id, "title": "Leak", "severity": "low" }]);
    vec![
        (
            "dependabot",
            json!([{
                "number": 2, "state": "open",
                "dependency": { "package": { "ecosystem": "pip", "name": "django" }, "manifest_path": "requirements.txt" },
                "security_advisory": { "ghsa_id": "GHSA-rf4j-j272-fj86", "cve_id": "CVE-2018-6188", "summary": "Leak", "severity": "high" },
                "security_vulnerability": { "package": { "ecosystem": "pip", "name": "django" }, "severity": "high" },
                "url": "https://api.github.com/repos/octocat/hello-world/dependabot/alerts/2"
            }]),
            "GHSA-rf4j-j272-fj86",
        ),
        (
            "aws_inspector",
            json!({ "findings": [{
                "findingArn": format!("arn:aws:inspector2:eu-west-1:123456789012:finding/{:032x}", 1),
                "awsAccountId": "123456789012", "description": "Open.", "status": "ACTIVE", "severity": "CRITICAL",
                "type": "PACKAGE_VULNERABILITY", "title": "CVE-2021-44228 - log4j-core",
                "packageVulnerabilityDetails": {
                    "vulnerabilityId": "CVE-2021-44228", "source": "NVD",
                    "vulnerablePackages": [{ "name": "log4j-core", "version": "2.14.1", "packageManager": "JAR" }]
                }
            }] }),
            "CVE-2021-44228",
        ),
        ("generic", by_hand("VULN-1"), "VULN-1"),
        ("manual", by_hand("VULN-2"), "VULN-2"),
        (
            "sarif",
            json!({ "version": "2.1.0", "runs": [{
                "tool": { "driver": { "name": "CodeQL" } },
                "results": [{
                    "ruleId": "py/sql-injection", "message": { "text": "A query" },
                    "locations": [{ "physicalLocation": {
                        "artifactLocation": { "uri": "src/reading.py" }, "region": { "startLine": 5 }
                    } }]
                }]
            }] }),
            "py/sql-injection",
        ),
        (
            "osv",
            json!({
                "schema_version": "1.4.0", "id": "RUSTSEC-2020-0071", "modified": "2023-06-13T13:10:24Z", "summary": "Segfault",
                "affected": [{ "package": { "ecosystem": "crates.io", "name": "time" } }]
            }),
            "RUSTSEC-2020-0071",
        ),
        (
            "npm_audit",
            json!({ "auditReportVersion": 2, "vulnerabilities": { "minimist": {
                "name": "minimist", "severity": "critical", "isDirect": true, "effects": [], "range": "<0.2.4",
                "nodes": ["node_modules/minimist"], "fixAvailable": true,
                "via": [{ "source": 1096466, "name": "minimist", "dependency": "minimist", "title": "Prototype Pollution",
                          "url": "https://github.com/advisories/GHSA-xvch-5gv4-984h", "severity": "critical", "range": "<0.2.4" }]
            } }, "metadata": {} }),
            "GHSA-xvch-5gv4-984h",
        ),
        (
            "cargo_audit",
            json!({ "database": {}, "lockfile": {}, "warnings": {}, "vulnerabilities": { "found": true, "count": 1, "list": [{
                "advisory": { "id": "RUSTSEC-2021-0003", "package": "smallvec", "title": "Overflow", "date": "2021-01-08" },
                "versions": { "patched": [">=1.6.1"], "unaffected": [] },
                "package": { "name": "smallvec", "version": "1.6.0" }
            }] } }),
            "RUSTSEC-2021-0003",
        ),
        (
            "pip_audit",
            json!({ "dependencies": [{ "name": "flask", "version": "0.5", "vulns": [
                { "id": "PYSEC-2019-179", "fix_versions": ["1.0"], "aliases": [], "description": "Flask" }
            ] }], "fixes": [] }),
            "PYSEC-2019-179",
        ),
    ]
}

#[test]
fn every_source_is_taken_in_as_its_maker_writes_it() {
    let mut session = over(&fixture());
    for (source, report, id) in reports() {
        session.tree.write("one.json", report.to_string());
        let done = session.ask("triage_ingest", json!({ "source": source, "inputPath": "one.json" }));
        assert_eq!((&done["written"], &done["errors"]), (&json!(1), &json!(0)), "{source}: {done}");
        let decided =
            session.ask("triage_decision", json!({ "finding": done["recordIds"][0], "status": "fix" }));
        // What people write by hand has the generic shape.
        let kept = if source == "manual" { "generic" } else { source };
        assert_eq!(decided["finding"]["source"], kept, "{source}: {decided}");
        let ids = decided["finding"]["vulnerability"]["ids"].as_array().unwrap();
        assert!(ids.contains(&json!(id)), "{source}: {decided}");
    }
}

fn decide(session: &mut Session, id: &str, more: Value) -> Value {
    let mut arguments = json!({ "finding": id, "status": "accept", "reviewer": "Ada" });
    arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    session.ask("triage_decision", arguments)
}

#[test]
fn a_decision_is_kept_with_its_history() {
    let mut session = over(&fixture());
    let id = ingest(&mut session);
    let first =
        decide(&mut session, &id, json!({ "justification": "behind a wall", "expires": "2999-12-31" }));
    let decision = &first["decision"];
    assert_eq!((&decision["status"], &decision["reviewer"]), (&json!("accept"), &json!("Ada")), "{first}");
    assert_eq!(
        (&decision["expires"], &first["finding"]["id"]),
        (&json!("2999-12-31"), &json!(id)),
        "{first}"
    );
    assert_eq!((&first["finding"]["standing"], &first["history"]), (&json!("decided"), &json!(1)), "{first}");
    let codes = json!({
        "status": "not_affected", "codes": ["vulnerable_code_not_in_execute_path"], "evidence": ["src/reading.py"],
        "justification": "never called", "meta": { "ticket": 7 }
    });
    let second = decide(&mut session, &id, codes);
    assert_eq!(
        (&second["history"], &second["decision"]["supersedes"]),
        (&json!(2), &first["recordId"]),
        "{second}"
    );
    assert_eq!(second["decision"]["meta"], json!({ "ticket": "7" }), "{second}");
    assert_eq!(second["decision"]["evidence"], json!(["src/reading.py"]), "{second}");
    let nobody = session.refused("triage_decision", json!({ "finding": "none", "status": "fix" }));
    assert_eq!(nobody["code"], "NOT_FOUND", "{nobody}");
    let wrong = session.refused("triage_decision", json!({ "finding": id, "status": "ignore" }));
    assert!(wrong["hint"].as_str().unwrap().contains("false_positive"), "{wrong}");
    let code = json!({ "finding": id, "status": "not_affected", "codes": ["because"] });
    assert!(session.refused("triage_decision", code)["message"].as_str().unwrap().contains("because"));
}

#[test]
fn decisions_survive_every_clean_up() {
    let tree = tree(&fixture());
    let cache = tree.beside("cache").display().to_string();
    let variables = [("PAIROFCLEATS_CACHE_ROOT", cache.as_str())];
    let mut session = Session::start(tree, &[], &variables);
    let id = ingest(&mut session);
    let decided = decide(&mut session, &id, json!({ "justification": "behind a wall" }));
    assert!(!decided["path"].as_str().unwrap().starts_with(&cache), "{decided}");
    session.ask("build_index", json!({}));
    session.ask("clean_artifacts", json!({ "all": true }));
    session.ask("cache_gc", json!({ "maxBytes": 0, "maxAgeDays": 0 }));
    // All of the cache may be thrown away by hand, too.
    session.server.close();
    session.server.wait(std::time::Duration::from_secs(20)).expect("it ends");
    std::fs::remove_dir_all(&cache).unwrap();
    let mut session = Session::start(session.tree, &[], &variables);
    let pack = session.ask("triage_context_pack", json!({ "recordId": id }));
    assert_eq!(pack["decisions"][0]["justification"], "behind a wall", "{pack}");
    assert_eq!(pack["finding"]["standing"], "decided", "{pack}");
}

#[test]
fn a_pack_has_evidence_from_a_real_language_server() {
    tools::require("pyright-langserver");
    let path = tools::server_path();
    let mut session = Session::start(tree(&fixture()), &[], &[("PATH", path.to_str().unwrap())]);
    let id = ingest(&mut session);
    let pack =
        session.ask("triage_context_pack", json!({ "recordId": id, "outPath": "pack.json", "ann": true }));
    assert_eq!((&pack["recordId"], &pack["verdict"]), (&json!(id), &json!("called")), "{pack}");
    let rows = pack["evidence"].as_array().unwrap();
    let row = |kind: &str| {
        rows.iter().find(|row| row["kind"] == kind).unwrap_or_else(|| panic!("no {kind}: {pack}"))
    };
    let call = row("call");
    assert_eq!((&call["filePath"], &call["line"]), (&json!("src/reading.py"), &json!(5)), "{pack}");
    assert_eq!((&call["provenance"], &call["symbol"]), (&json!("lsp"), &json!("read_settings")), "{pack}");
    assert_eq!(
        (&row("manifest")["filePath"], &row("import")["line"]),
        (&json!("requirements.txt"), &json!(1))
    );
    assert!(pack["searches"].as_array().unwrap().iter().all(|one| one["lookedFor"].is_string()), "{pack}");
    assert!(pack["notes"][0].as_str().unwrap().contains("`ann`"), "{pack}");
    let written = std::fs::read_to_string(session.tree.root().join("pack.json")).unwrap();
    assert!(written.contains("CVE-2020-14343") && !pack["written"].as_array().unwrap().is_empty(), "{pack}");
    let outside =
        session.refused("triage_context_pack", json!({ "recordId": id, "outPath": "/etc/pack.json" }));
    assert_eq!(outside["code"], "FORBIDDEN", "{outside}");
    let nobody = session.refused("triage_context_pack", json!({ "recordId": "none" }));
    assert_eq!(nobody["code"], "NOT_FOUND", "{nobody}");
}

#[test]
fn records_are_searched_with_their_metadata() {
    let mut session = over(&fixture());
    ingest(&mut session);
    let search = |more: Value| {
        let mut arguments = json!({ "query": "PyYAML execution", "mode": "records" });
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        arguments
    };
    let found = session.ask("search", search(json!({})));
    let best = &found["records"][0];
    assert_eq!(best["kind"], "record", "{found}");
    assert!(best["headline"].as_str().unwrap().contains("PyYAML"), "{found}");
    for (meta, count) in [("critical", 1), ("low", 0)] {
        let object = session.ask("search", search(json!({ "meta": { "severity": meta } })));
        assert_eq!(names(&object["records"]).len(), count, "{object}");
        let text = format!("{{\"severity\": \"{meta}\", \"service\": \"api\"}}");
        assert_eq!(session.names("records", search(json!({ "metaJson": text }))).len(), count);
    }
    let all = session.ask("search", json!({ "query": "PyYAML execution", "mode": "all" }));
    assert_eq!(names(&all["records"]).len(), 1, "{all}");
    assert_eq!(session.names("records", json!({ "query": "lantern", "mode": "code" })).len(), 0);
}
