//! Findings of AWS Inspector (version 2), as `ListFindings` and its events write them.

use orienteer_base::triage::{Asset, CodePlace, Cvss, Epss, Exposure, Finding, Format, Package};
use serde_json::Value;

use super::field::{LONG, Notes, first, flag, get, line, list, long_text, number, text, texts};
use super::{Given, finish, severity};
use crate::ecosystem;

pub(super) fn recognise(piece: &Value) -> bool {
    first(piece, &["findingArn", "detail.findingArn"]).is_some()
        || first(piece, &["packageVulnerabilityDetails", "networkReachabilityDetails"])
            .is_some_and(Value::is_object)
}

pub(super) fn read(piece: &Value, _: &Value, given: &mut Given) {
    // What an event bus sends has the finding inside.
    let detail = get(piece, "detail").filter(|detail| get(detail, "findingArn").is_some());
    given.give(finding(detail.unwrap_or(piece)), piece);
}

fn finding(item: &Value) -> Result<Finding, String> {
    let mut notes = Notes::default();
    let arn = text(item, &["findingArn"], &mut notes).ok_or("it has no `findingArn`")?;
    let mut finding = Finding::new(Format::AwsInspector);
    let nothing = Value::Null;
    let details = get(item, "packageVulnerabilityDetails").unwrap_or(&nothing);
    let code = get(item, "codeVulnerabilityDetails").unwrap_or(&nothing);
    let known = &mut finding.vulnerability;
    known.ids = text(details, &["vulnerabilityId"], &mut notes).into_iter().collect();
    if known.ids.is_empty() {
        known.ids = text(code, &["ruleId", "detectorId"], &mut notes).into_iter().collect();
    }
    known.aliases = texts(details, &["relatedVulnerabilities"], &[], &mut notes);
    known.title = text(item, &["title"], &mut notes).unwrap_or_default();
    known.description = long_text(item, &["description"], LONG, &mut notes).unwrap_or_default();
    let word = text(item, &["severity"], &mut notes).unwrap_or_default();
    known.severity = severity(&word, &mut notes);
    known.cvss = ratings(item, details, &mut notes);
    known.cwe = texts(code, &["cwes"], &[], &mut notes);
    known.epss = number(item, &["epss.score"], &mut notes).map(|score| Epss { score, percentile: None });
    known.references = texts(details, &["sourceUrl"], &[], &mut notes);
    for place in [details, code] {
        for link in texts(place, &["referenceUrls"], &[], &mut notes) {
            if !known.references.contains(&link) {
                known.references.push(link);
            }
        }
    }
    known.published = moment(details, "vendorCreatedAt");
    known.modified = moment(details, "vendorUpdatedAt");
    finding.state = text(item, &["status"], &mut notes);
    let state = finding.state.as_deref().unwrap_or_default().to_ascii_uppercase();
    finding.closed_at_source = matches!(state.as_str(), "CLOSED" | "SUPPRESSED");
    for (name, path) in [
        ("type", "type"),
        ("vulnerability_source", "source"),
        ("vendor_severity", "vendorSeverity"),
        ("fix_available", "fixAvailable"),
        ("inspector_score", "inspectorScore"),
        ("remediation", "remediation.recommendation.text"),
    ] {
        let found = text(item, &[path], &mut notes).or_else(|| text(details, &[path], &mut notes));
        if let Some(value) = found {
            finding.meta.insert(name.to_owned(), value);
        }
    }
    for (name, path) in [("first_observed", "firstObservedAt"), ("last_observed", "lastObservedAt")] {
        if let Some(at) = moment(item, path) {
            finding.meta.insert(name.to_owned(), at);
        }
    }
    for package in list(details, "vulnerablePackages", &mut notes) {
        match self::package(package, &mut notes) {
            Some(package) => finding.packages.push(package),
            None => notes.add("a vulnerable package has no name"),
        }
    }
    place(code, &mut finding, &mut notes);
    finding.asset = asset(item, &mut notes);
    finding.exposure = exposure(item);
    Ok(finish(finding, &[&arn], notes))
}

/// Times are texts where they come from the command line, and seconds since 1970 where from elsewhere.
fn moment(value: &Value, path: &str) -> Option<String> {
    use std::time::{Duration, UNIX_EPOCH};
    match get(value, path)? {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => {
            let seconds = number.as_f64().filter(|seconds| (0.0..1e11).contains(seconds))?;
            Some(orienteer_base::units::show_time(UNIX_EPOCH + Duration::from_secs_f64(seconds)))
        }
        _ => None,
    }
}

fn ratings(item: &Value, details: &Value, notes: &mut Notes) -> Vec<Cvss> {
    let adjusted = get(item, "inspectorScoreDetails.adjustedCvss");
    let all = list(details, "cvss", notes).iter().chain(adjusted);
    let mut ratings: Vec<Cvss> = Vec::new();
    for rating in all {
        let rating = Cvss {
            version: text(rating, &["version"], notes),
            score: number(rating, &["baseScore", "score"], notes),
            vector: text(rating, &["scoringVector"], notes),
            source: text(rating, &["source", "scoreSource"], notes),
        };
        if !ratings.contains(&rating) {
            ratings.push(rating);
        }
    }
    ratings
}

fn package(package: &Value, notes: &mut Notes) -> Option<Package> {
    let name = text(package, &["name"], notes)?;
    let manager = text(package, &["packageManager"], notes).unwrap_or_default();
    let version = text(package, &["version"], notes);
    // As distributions write it: epoch:version-release.
    let release = text(package, &["release"], notes).map(|release| format!("-{release}")).unwrap_or_default();
    let epoch = number(package, &["epoch"], notes).filter(|epoch| *epoch > 0.0);
    let epoch = epoch.map(|epoch| format!("{epoch:.0}:")).unwrap_or_default();
    let fixed = text(package, &["fixedInVersion"], notes);
    Some(Package {
        ecosystem: ecosystem::normal(&manager),
        name,
        installed: version.map(|version| format!("{epoch}{version}{release}")),
        affected: None,
        fixed: fixed.filter(|version| !version.eq_ignore_ascii_case("NotAvailable")),
        manifest_path: text(package, &["filePath"], notes),
        ..Package::default()
    })
}

fn place(code: &Value, finding: &mut Finding, notes: &mut Notes) {
    if let Some(path) = text(code, &["filePath.filePath", "filePath.fileName"], notes) {
        finding.places.push(CodePlace {
            path,
            line: line(code, &["filePath.startLine"]),
            end_line: line(code, &["filePath.endLine"]),
            message: text(code, &["detectorName"], notes),
        });
    }
}

fn asset(item: &Value, notes: &mut Notes) -> Option<Asset> {
    let resources = list(item, "resources", notes);
    let resource = resources.first()?;
    if resources.len() > 1 {
        notes.add(format!("it names {} resources; the first is kept", resources.len()));
    }
    Some(Asset {
        id: text(resource, &["id"], notes),
        kind: text(resource, &["type"], notes),
        name: text(
            resource,
            &[
                "details.awsEcrContainerImage.repositoryName",
                "details.awsLambdaFunction.functionName",
                "details.codeRepository.projectName",
                "details.machineImage.name",
                "details.image.repositoryName",
                "details.serverlessFunction.serverlessFunctionName",
                "details.vm.vmName",
                "tags.Name",
            ],
            notes,
        ),
        account: text(item, &["awsAccountId"], notes),
        region: text(resource, &["region"], notes),
    })
}

fn exposure(item: &Value) -> Option<Exposure> {
    let reachable = get(item, "networkReachabilityDetails").is_some().then_some(true);
    let exposure = Exposure {
        internet_exposed: reachable,
        exploit_available: flag(item, &["exploitAvailable"]),
        last_exploited: get(item, "exploitabilityDetails")
            .and_then(|details| moment(details, "lastKnownExploitAt")),
        ..Exposure::default()
    };
    (exposure != Exposure::default()).then_some(exposure)
}
