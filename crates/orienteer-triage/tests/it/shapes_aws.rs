//! Findings of AWS Inspector 2, judged by the model from which AWS makes its clients.

use std::sync::OnceLock;

use orienteer_base::triage::{Format, Severity};
use orienteer_testkit::tools;
use orienteer_triage::ecosystem;
use serde_json::{Value, json};

use crate::support::{Place, only};

fn model() -> &'static Value {
    static MODEL: OnceLock<Value> = OnceLock::new();
    MODEL.get_or_init(|| {
        let path = tools::tools().join("schemas/inspector2.json");
        let text = std::fs::read(&path)
            .unwrap_or_else(|error| panic!("{}: {error}; run `cargo xtask install`", path.display()));
        serde_json::from_slice(&text).unwrap()
    })
}

/// Adds what is wrong with a value of a shape of the model.
fn check(value: &Value, shape: &str, path: &str, wrong: &mut Vec<String>) {
    let of = &model()["shapes"][shape];
    let text = of["type"].as_str().unwrap_or_else(|| panic!("the model has no {shape}"));
    let within = |size: f64| {
        of["min"].as_f64().is_none_or(|min| min <= size) && of["max"].as_f64().is_none_or(|max| size <= max)
    };
    let good = match (text, value) {
        ("structure", Value::Object(fields)) => {
            for name in of["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
                if !fields.contains_key(name) {
                    wrong.push(format!("{path}.{name} is missing"));
                }
            }
            for (name, field) in fields {
                match of["members"][name]["shape"].as_str() {
                    Some(shape) => check(field, shape, &format!("{path}.{name}"), wrong),
                    None => wrong.push(format!("{path}.{name} is no member of {shape}")),
                }
            }
            true
        }
        ("list", Value::Array(entries)) => {
            let shape = of["member"]["shape"].as_str().unwrap();
            let each = entries.iter().enumerate();
            each.for_each(|(at, entry)| check(entry, shape, &format!("{path}[{at}]"), wrong));
            within(entries.len() as f64)
        }
        ("map", Value::Object(fields)) => {
            let shape = of["value"]["shape"].as_str().unwrap();
            fields.iter().for_each(|(name, entry)| check(entry, shape, &format!("{path}.{name}"), wrong));
            true
        }
        ("string", Value::String(text)) => {
            let listed = of["enum"].as_array().is_none_or(|words| words.contains(value));
            let pattern = of["pattern"].as_str().map(|pattern| format!("^(?:{pattern})$"));
            let fits = pattern.is_none_or(|pattern| regex::Regex::new(&pattern).unwrap().is_match(text));
            listed && fits && within(text.chars().count() as f64)
        }
        ("integer" | "long", Value::Number(number)) => {
            number.as_i64().is_some_and(|number| within(number as f64))
        }
        ("double" | "float", Value::Number(number)) => number.as_f64().is_some_and(within),
        ("boolean", Value::Bool(_)) => true,
        // Seconds since 1970 on the wire, a text where the command line of AWS writes it.
        ("timestamp", Value::Number(_)) => true,
        ("timestamp", Value::String(text)) => orienteer_base::units::parse_date(text).is_some(),
        _ => false,
    };
    if !good {
        wrong.push(format!("{path} is no {shape}: {value}"));
    }
}

fn errors(report: &Value) -> Vec<String> {
    let mut wrong = Vec::new();
    check(report, "ListFindingsResponse", "", &mut wrong);
    wrong
}

fn finding(number: u32, more: Value) -> Value {
    let mut finding = json!({
        "findingArn": format!("arn:aws:inspector2:eu-west-1:123456789012:finding/{number:032x}"),
        "awsAccountId": "123456789012",
        "description": "Something is open.",
        "status": "ACTIVE",
        "firstObservedAt": 1640995200.0,
        "lastObservedAt": "2022-02-01T00:00:00Z",
        "remediation": { "recommendation": { "text": "Upgrade" } }
    });
    finding.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    finding
}

/// With several packages and ratings.
pub(crate) fn package() -> Value {
    finding(
        1,
        json!({
            "type": "PACKAGE_VULNERABILITY",
            "title": "CVE-2021-44228 - log4j-core, log4j-api",
            "severity": "CRITICAL",
            "fixAvailable": "YES",
            "exploitAvailable": "YES",
            "exploitabilityDetails": { "lastKnownExploitAt": "2022-01-01T00:00:00Z" },
            "inspectorScore": 10.0,
            "inspectorScoreDetails": { "adjustedCvss": {
                "score": 10.0, "scoringVector": "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H", "version": "3.1", "scoreSource": "NVD", "adjustments": []
            }},
            "epss": { "score": 0.97 },
            "resources": [{
                "id": "arn:aws:ecr:eu-west-1:123456789012:repository/web/sha256:1",
                "type": "AWS_ECR_CONTAINER_IMAGE",
                "region": "eu-west-1",
                "details": { "awsEcrContainerImage": {
                    "repositoryName": "web", "imageTags": ["v1"], "registry": "123456789012", "imageHash": format!("sha256:{}", "0a".repeat(32))
                } }
            }],
            "packageVulnerabilityDetails": {
                "vulnerabilityId": "CVE-2021-44228",
                "source": "NVD",
                "sourceUrl": "https://nvd.nist.gov/vuln/detail/CVE-2021-44228",
                "vendorSeverity": "CRITICAL",
                "vendorCreatedAt": "2021-12-10T10:15:00Z",
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
        }),
    )
}

fn code() -> Value {
    finding(
        2,
        json!({
            "type": "CODE_VULNERABILITY",
            "title": "SQL injection",
            "severity": "HIGH",
            "resources": [{ "id": "arn:aws:lambda:eu-west-1:123456789012:function:orders:$LATEST", "type": "AWS_LAMBDA_FUNCTION", "region": "eu-west-1",
                "details": { "awsLambdaFunction": { "functionName": "orders", "runtime": "PYTHON_3_12", "codeSha256": "x=", "version": "$LATEST",
                    "executionRoleArn": "arn:aws:iam::123456789012:role/orders" } } }],
            "codeVulnerabilityDetails": {
                "filePath": { "fileName": "db.py", "filePath": "src/db.py", "startLine": 12, "endLine": 14 },
                "detectorId": "python/sql-injection@v1.0", "detectorName": "SQL injection", "cwes": ["CWE-89"],
                "detectorTags": ["injection"], "referenceUrls": ["https://example.org/sql"], "ruleId": "python-sql"
            }
        }),
    )
}

fn network() -> Value {
    finding(
        3,
        json!({
            "type": "NETWORK_REACHABILITY",
            "title": "Port 22 is reachable from the internet",
            "severity": "MEDIUM",
            "resources": [{ "id": "i-0123456789abcdef0", "type": "AWS_EC2_INSTANCE", "region": "eu-west-1", "tags": { "Name": "bastion" },
                "details": { "awsEc2Instance": { "type": "t3.micro", "ipV4Addresses": ["192.0.2.7"] } } }],
            "networkReachabilityDetails": {
                "openPortRange": { "begin": 22, "end": 22 }, "protocol": "TCP",
                "networkPath": { "steps": [{ "componentId": "igw-1", "componentType": "AWS::EC2::InternetGateway" }] }
            }
        }),
    )
}

#[test]
fn our_findings_are_those_of_the_model_of_aws() {
    assert_eq!(errors(&json!({ "findings": [package(), code(), network()], "nextToken": "x" })), [""; 0]);
    let mut odd = package();
    odd["status"] = json!("OPEN");
    odd["colour"] = json!("red");
    odd["packageVulnerabilityDetails"]["vulnerablePackages"][0]["epoch"] = json!("1");
    odd.as_object_mut().unwrap().remove("awsAccountId");
    assert_eq!(errors(&json!({ "findings": [odd] })).len(), 4, "the model refuses something");
}

#[test]
fn findings_of_inspector_with_several_packages_and_ratings() {
    let finding = only(&json!({ "findings": [package()] }));
    assert_eq!(finding.source, Format::AwsInspector);
    assert_eq!(finding.warnings, [""; 0]);
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
    assert_eq!(known.published.as_deref(), Some("2021-12-10T10:15:00Z"));
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
    assert_eq!(finding.packages[0].manifest_path.as_deref(), Some("app/log4j-core.jar"));
    let asset = finding.asset.unwrap();
    assert_eq!((asset.name.as_deref(), asset.region.as_deref()), (Some("web"), Some("eu-west-1")));
    let exposure = finding.exposure.unwrap();
    assert_eq!((exposure.exploit_available, exposure.internet_exposed), (Some(true), None));
    assert_eq!(finding.meta["first_observed"], "2022-01-01T00:00:00Z");
    // The same as it comes over an event bus.
    let event = json!({ "detail-type": "Inspector2 Finding", "detail": package() });
    assert_eq!(only(&event).id, finding.id);
}

#[test]
fn findings_of_inspector_about_code_and_open_ports() {
    let findings = Place::new().findings(&json!({ "findings": [code(), network()] }));
    let (code, network) = (&findings[0], &findings[1]);
    assert_eq!(
        (code.vulnerability.ids.as_slice(), code.vulnerability.cwe.as_slice()),
        (&["python-sql".to_owned()][..], &["CWE-89".to_owned()][..])
    );
    let place = &code.places[0];
    assert_eq!((place.path.as_str(), place.line, place.end_line), ("src/db.py", Some(12), Some(14)));
    assert_eq!(code.asset.as_ref().unwrap().name.as_deref(), Some("orders"));
    assert_eq!(network.exposure.as_ref().unwrap().internet_exposed, Some(true));
    assert_eq!(network.asset.as_ref().unwrap().name.as_deref(), Some("bastion"));
    for finding in &findings {
        assert_eq!(finding.warnings, [""; 0]);
    }
}

#[test]
fn every_package_manager_of_inspector_is_known() {
    let words = model()["shapes"]["PackageManager"]["enum"].as_array().unwrap();
    assert!(words.len() > 10, "{words:?}");
    for word in words.iter().map(|word| word.as_str().unwrap()).filter(|word| *word != "OS") {
        let normal = ecosystem::normal(word);
        assert!(ecosystem::known().any(|name| name == normal), "{word}");
    }
}

#[test]
fn a_page_of_findings_that_is_not_the_last_is_a_part() {
    let done = Place::new().take(&json!({ "findings": [package()], "nextToken": "abc" }).to_string());
    assert!(done.partial && done.notes[0].contains("more pages"), "{:?}", done.notes);
    // AWS sends empty pages, too.
    assert!(Place::new().take(r#"{"findings":[],"nextToken":"abc"}"#).partial);
    let joined = format!(
        r#"{}{}"#,
        json!({ "findings": [package()], "nextToken": "abc" }),
        json!({ "findings": [code()] })
    );
    let done = Place::new().take(&joined);
    assert_eq!((done.written, done.partial), (2, false), "{:?}", done.notes);
    assert!(!Place::new().take(&json!({ "findings": [package()], "nextToken": null }).to_string()).partial);
}

#[test]
fn the_end_of_one_accounts_findings_is_not_that_of_anothers() {
    let mut other = code();
    other["awsAccountId"] = json!("210987654321");
    let joined = format!(
        "{}{}",
        json!({ "findings": [package()], "nextToken": "abc" }),
        json!({ "findings": [other] })
    );
    let done = Place::new().take(&joined);
    assert!(done.written == 2 && done.partial, "{:?}", done.notes);
    assert!(done.notes[0].contains("aws_inspector 123456789012"), "{:?}", done.notes);
}
