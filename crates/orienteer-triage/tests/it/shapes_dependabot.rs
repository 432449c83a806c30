//! Dependabot alerts, as GitHub's own descriptions of its two interfaces have them.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use orienteer_base::triage::{Format, Severity};
use orienteer_testkit::{openapi, tools};
use orienteer_triage::ecosystem;
use serde_json::{Value, json};

use crate::support::{Place, only};

pub(crate) fn rest(number: u64, state: &str) -> Value {
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
                    "first_patched_version": { "identifier": "2.0.2" }
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
        "dismissed_by": null,
        "dismissed_reason": null,
        "dismissed_comment": null,
        "fixed_at": null
    })
}

/// An answer to the query of docs/triage.md, of which there may be more pages.
fn graphql(number: u64, more: bool) -> Value {
    json!({ "data": { "repository": {
        "nameWithOwner": "octocat/hello-world",
        "vulnerabilityAlerts": {
            "totalCount": number,
            "pageInfo": { "hasNextPage": more, "endCursor": "Y3Vyc29yOjE=" },
            "nodes": [{
                "number": number,
                "state": "OPEN",
                "dependencyScope": "RUNTIME",
                "dismissReason": null,
                "dismissComment": null,
                "vulnerableManifestPath": "path/to/requirements.txt",
                "vulnerableRequirements": "= 2.0.1",
                "securityVulnerability": {
                    "severity": "HIGH",
                    "vulnerableVersionRange": ">= 2.0.0, < 2.0.2",
                    "package": { "ecosystem": "PIP", "name": "django" },
                    "firstPatchedVersion": { "identifier": "2.0.2" }
                },
                "securityAdvisory": {
                    "ghsaId": "GHSA-rf4j-j272-fj86",
                    "summary": "Django allows …",
                    "description": "django.contrib.auth.forms.AuthenticationForm allows …",
                    "severity": "HIGH",
                    "permalink": "https://github.com/advisories/GHSA-rf4j-j272-fj86",
                    "publishedAt": "2018-10-03T21:13:54Z",
                    "updatedAt": "2022-04-26T18:35:37Z",
                    "withdrawnAt": null,
                    "cvssSeverities": {
                        "cvssV3": { "score": 7.5, "vectorString": "CVSS:3.0/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N" },
                        "cvssV4": { "score": 0, "vectorString": null }
                    },
                    "epss": { "percentage": 0.00045, "percentile": 0.16001 },
                    "cwes": { "nodes": [{ "cweId": "CWE-200" }] },
                    "identifiers": [
                        { "type": "GHSA", "value": "GHSA-rf4j-j272-fj86" },
                        { "type": "CVE", "value": "CVE-2018-6188" }
                    ],
                    "references": [{ "url": "https://example.org/a" }]
                }
            }]
        }
    }}})
}

fn alert_errors(alert: &Value) -> Vec<String> {
    let schema = openapi::schema(&openapi::description()["components"]["schemas"]["dependabot-alert"]);
    let validator = jsonschema::validator_for(&schema).unwrap();
    validator.iter_errors(alert).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

#[test]
fn our_alerts_are_those_of_githubs_description() {
    for state in ["open", "fixed", "dismissed", "auto_dismissed"] {
        assert_eq!(alert_errors(&rest(2, state)), [""; 0], "{state}");
    }
    let mut odd = rest(2, "solved");
    odd["colour"] = json!("red");
    assert_eq!(alert_errors(&odd).len(), 2, "the description refuses something");
}

#[test]
fn the_official_examples_of_alerts_are_read() {
    let example = |name: &str| openapi::description()["components"]["examples"][name]["value"].clone();
    let findings = Place::new().findings(&example("dependabot-alerts-for-repository"));
    let told: Vec<_> = findings
        .iter()
        .map(|one| (one.key.as_str(), one.vulnerability.ids[0].as_str(), one.packages[0].name.as_str()))
        .collect();
    assert_eq!(
        told,
        [
            ("octocat/hello-world|alert|2", "CVE-2018-6188", "django"),
            ("octocat/hello-world|alert|1", "CVE-2021-20191", "ansible"),
        ]
    );
    let dismissed = &findings[0];
    assert!(dismissed.closed_at_source && !findings[1].closed_at_source);
    assert_eq!(dismissed.meta["dismissed_reason"], "tolerable_risk");
    let versions: Vec<_> =
        dismissed.vulnerability.cvss.iter().map(|one| one.version.as_deref().unwrap()).collect();
    assert_eq!(versions, ["3.0", "4.0"]);
    // The number stands in quotes there.
    assert_eq!(dismissed.vulnerability.epss.unwrap().percentile, Some(0.16001));
    let ansible = &findings[1].packages[0];
    assert_eq!(ansible.manifest_path.as_deref(), Some("path/to/requirements.txt"));
    assert!(findings.iter().all(|one| one.warnings.is_empty()), "{findings:#?}");
    let of_all = Place::new().findings(&example("dependabot-alerts-for-organization"));
    let repositories: Vec<_> = of_all.iter().map(|one| one.repo.as_deref().unwrap()).collect();
    assert_eq!(repositories, ["octo-org/octo-repo", "octo-org/hello-world"]);
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
    assert_eq!(finding.meta["scope"], "runtime");
    assert!(!finding.closed_at_source && finding.warnings.is_empty(), "{:?}", finding.warnings);
    for state in ["fixed", "dismissed", "auto_dismissed"] {
        assert!(only(&json!([rest(2, state)])).closed_at_source, "{state}");
    }
    // Newer versions of the interface have the ratings in one place only.
    let mut newer = rest(2, "open");
    newer["security_advisory"].as_object_mut().unwrap().remove("cvss");
    assert_eq!(only(&json!([newer])).vulnerability.cvss, known.cvss);
}

/// Answers about advisories have them, and people lay those beside alerts.
#[test]
fn functions_that_an_advisory_names_are_kept() {
    let mut alert = rest(2, "open");
    let functions = json!(["django.contrib.auth.forms.AuthenticationForm"]);
    alert["security_advisory"]["vulnerabilities"][0]["vulnerable_functions"] = functions;
    assert_eq!(only(&alert).packages[0].symbols, ["django.contrib.auth.forms.AuthenticationForm"]);
}

#[test]
fn both_interfaces_of_dependabot_mean_the_same_finding() {
    let place = Place::new();
    let first = place.findings(&json!({ "alerts": [rest(2, "open")] }));
    let done = place.take(&graphql(2, true).to_string());
    assert_eq!((done.updated, done.written), (1, 0));
    assert_eq!(done.ids, [first[0].id.clone()]);
    let second = &place.snapshot().findings[&done.ids[0]].finding;
    assert_eq!(second.vulnerability.ids, first[0].vulnerability.ids);
    assert_eq!(second.packages[0].installed.as_deref(), Some("2.0.1"));
    assert_eq!(
        (&second.vulnerability.cwe, &second.vulnerability.cvss),
        (&first[0].vulnerability.cwe, &first[0].vulnerability.cvss)
    );
    assert_eq!(second.state.as_deref(), Some("open"));
    assert_eq!(second.vulnerability.references[0], "https://github.com/advisories/GHSA-rf4j-j272-fj86");
    assert!(second.warnings.is_empty(), "{:?}", second.warnings);
    // Vulnerabilities of the advisory are an object around a list there.
    let mut asked = graphql(2, false);
    let alert = &mut asked["data"]["repository"]["vulnerabilityAlerts"]["nodes"][0];
    let weak = alert["securityVulnerability"].take();
    alert["securityAdvisory"]["vulnerabilities"] = json!({ "nodes": [weak] });
    let found = only(&asked);
    assert_eq!(found.packages[0].fixed.as_deref(), Some("2.0.2"));
    assert!(found.warnings.is_empty(), "{:?}", found.warnings);
}

#[test]
fn pages_that_stand_in_one_file_are_a_whole() {
    let pages = |pages: &[Value]| {
        let text: Vec<String> = pages.iter().map(Value::to_string).collect();
        let done = Place::new().take(&text.join("\n"));
        (done.written, done.partial, done.notes.join("; "))
    };
    let (written, partial, notes) = pages(&[graphql(1, true), graphql(2, false)]);
    assert_eq!((written, partial), (2, false), "{notes}");
    let (_, partial, notes) = pages(&[graphql(2, true)]);
    assert!(partial && notes.contains("more pages of alerts of octocat/hello-world"), "{notes}");
    // One in between is missing: there are three.
    let (_, partial, notes) = pages(&[graphql(3, true), graphql(3, false)]);
    assert!(partial, "{notes}");
}

#[test]
fn a_list_that_is_cut_or_not_there_is_a_part() {
    // Nobody says of which repository it is, so that nothing else counts its pages.
    let answer = |alerts: Value| json!({ "data": { "repository": { "vulnerabilityAlerts": alerts } } });
    let node = graphql(1, false)["data"]["repository"]["vulnerabilityAlerts"]["nodes"][0].clone();
    let take = |alerts: Value| {
        let done = Place::new().take(&answer(alerts).to_string());
        (done.written, done.partial, done.notes.join("; "))
    };
    let (written, partial, notes) = take(json!({ "totalCount": 250, "nodes": [node] }));
    assert!(written == 1 && partial && notes.contains("more pages of alerts"), "{notes}");
    let (written, partial, notes) = take(json!({ "totalCount": 1, "nodes": [node] }));
    assert_eq!((written, partial), (1, false), "{notes}");
    for odd in [json!(null), json!({}), json!({ "totalCount": 3 }), json!({ "nodes": null })] {
        let (written, partial, notes) = take(odd.clone());
        assert!(written == 0 && partial && notes.contains("`nodes`"), "{odd}: {notes}");
    }
    let (written, partial, notes) = take(json!([node]));
    assert_eq!((written, partial), (1, false), "a list without what stood around it: {notes}");
    let (written, partial, notes) = take(json!({ "nodes": [] }));
    assert_eq!((written, partial), (0, false), "{notes}");
}

/// Lets the reference implementation of GraphQL answer the documented query with our data, by GitHub's schema.
fn judged(answer: &Value) -> Value {
    let docs = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/triage.md");
    let docs = std::fs::read_to_string(docs).unwrap();
    let query = docs.split("```graphql\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let folder = tools::tools().join("graphql");
    assert!(folder.join("installed").exists(), "graphql is not installed: run `cargo xtask install`");
    let mut judge = Command::new("node")
        .args(["--input-type=module", "-e", JUDGE])
        .env("PATH", tools::server_path())
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("node is installed");
    let asked = json!({ "query": query, "data": answer["data"] });
    judge.stdin.take().unwrap().write_all(asked.to_string().as_bytes()).unwrap();
    let output = judge.wait_with_output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

const JUDGE: &str = r#"
import { readFileSync } from "node:fs";
import { buildSchema, graphql, parse, validate } from "graphql";
const text = readFileSync("node_modules/@octokit/graphql-schema/schema.graphql", "utf8");
// The published schema defines two fields of another type twice.
const schema = buildSchema(text, { assumeValidSDL: true });
const { query, data } = JSON.parse(readFileSync(0, "utf8"));
const variableValues = { owner: "octocat", name: "hello-world" };
const invalid = validate(schema, parse(query)).map(String);
const answer = await graphql({ schema, source: query, rootValue: data, variableValues });
const ecosystems = Object.keys(schema.getType("SecurityAdvisoryEcosystem").toConfig().values);
const errors = (answer.errors ?? []).map(String);
console.log(JSON.stringify({ invalid, errors, data: answer.data, ecosystems }));
"#;

#[test]
fn the_documented_query_and_our_answer_are_those_of_githubs_schema() {
    let answer = graphql(2, true);
    let judgement = judged(&answer);
    assert_eq!((&judgement["invalid"], &judgement["errors"]), (&json!([]), &json!([])));
    assert_eq!(judgement["data"], answer["data"], "nothing that was not asked for, and nothing less");
    let words: Vec<&str> =
        judgement["ecosystems"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
    assert!(words.len() > 10, "{words:?}");
    let unknown: Vec<&&str> =
        words.iter().filter(|word| !ecosystem::known().any(|name| name == ecosystem::normal(word))).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
    let mut odd = answer;
    odd["data"]["repository"]["vulnerabilityAlerts"]["nodes"][0]["state"] = json!("SOLVED");
    assert_ne!(judged(&odd)["errors"], json!([]), "the schema refuses something");
}
