//! Dependabot alerts: as the REST interface writes them, and as GraphQL does.

use orienteer_base::triage::{Cvss, Epss, Finding, Format, Package};
use serde_json::Value;

use super::field::{LONG, Notes, first, flag, get, list, long_text, number, plain, text, texts};
use super::{Given, finish, severity};
use crate::pages::Page;
use crate::{cvss, ecosystem};

/// Answers of GraphQL are not nested deeper.
const DEEPEST: usize = 8;

pub(super) fn recognise(piece: &Value) -> bool {
    is_alert(piece) || has_alerts(piece, DEEPEST)
}

fn is_alert(piece: &Value) -> bool {
    first(
        piece,
        &["security_advisory", "security_vulnerability", "securityAdvisory", "securityVulnerability"],
    )
    .is_some_and(Value::is_object)
}

fn has_alerts(value: &Value, depth: usize) -> bool {
    let Value::Object(fields) = value else { return false };
    fields.contains_key("vulnerabilityAlerts")
        || (depth > 0
            && ["data", "repository", "organization", "viewer", "repositories", "nodes", "node", "edges"]
                .iter()
                .any(|name| match fields.get(*name) {
                    Some(Value::Array(entries)) => entries.iter().any(|entry| has_alerts(entry, depth - 1)),
                    Some(inner) => has_alerts(inner, depth - 1),
                    None => false,
                }))
}

pub(super) fn read(piece: &Value, around: &Value, given: &mut Given) {
    if is_alert(piece) {
        let repo = repository(around);
        given.give(alert(piece, repo), piece);
        return;
    }
    if get(piece, "errors").and_then(Value::as_array).is_some_and(|errors| !errors.is_empty()) {
        given.lack("the answer of GraphQL has errors of its own: alerts may be missing");
    }
    nested(piece, repository(around).as_deref(), DEEPEST, given);
}

/// Alerts wherever an answer of GraphQL has them, with the repository they stand in.
fn nested(value: &Value, repo: Option<&str>, depth: usize, given: &mut Given) {
    match value {
        Value::Array(entries) if depth > 0 => {
            entries.iter().for_each(|entry| nested(entry, repo, depth - 1, given));
        }
        Value::Object(fields) => {
            let own = repository(value);
            let repo = own.as_deref().or(repo);
            // Nobody can tell to which list another page would belong.
            if flag(value, &["pageInfo.hasNextPage"]) == Some(true) {
                given.lack("there are more pages of repositories, which may not be in this file");
            }
            if let Some(alerts) = fields.get("vulnerabilityAlerts") {
                listed(alerts, repo, given);
            }
            if depth > 0 {
                for inner in
                    fields.iter().filter(|(name, _)| *name != "vulnerabilityAlerts").map(|(_, inner)| inner)
                {
                    nested(inner, repo, depth - 1, given);
                }
            }
        }
        _ => {}
    }
}

/// The alerts of one list.
fn listed(alerts: &Value, repo: Option<&str>, given: &mut Given) {
    let Some(entries) = entries(alerts) else {
        // Whoever may not read alerts gets null: that is not the same as no alerts.
        let of = repo.map(|repo| format!(" of {repo}")).unwrap_or_default();
        given.lack(format!("alerts{of} are missing: `vulnerabilityAlerts` has neither `nodes` nor `edges`"));
        return;
    };
    let page = page(alerts, entries.len());
    match repo {
        Some(repo) => given.pages.push((format!("alerts of {repo}"), page)),
        None if page.more || page.total.is_some_and(|total| entries.len() < total) => {
            given.lack("there are more pages of alerts, which may not be in this file");
        }
        None => {}
    }
    for entry in entries {
        let node = get(entry, "node").unwrap_or(entry);
        if is_alert(node) {
            given.give(alert(node, repo.map(str::to_owned)), node);
        } else {
            given.refuse(
                "it has neither `securityAdvisory` nor `securityVulnerability`; ask GraphQL for them",
            );
        }
    }
}

/// The entries of a list of GraphQL, whichever way they were asked for, or of one that somebody took out of it; `None` where
/// there is no list.
fn entries(list: &Value) -> Option<&[Value]> {
    let inner = || first(list, &["nodes", "edges"]).and_then(Value::as_array);
    list.as_array().or_else(inner).map(Vec::as_slice)
}

fn page(list: &Value, entries: usize) -> Page {
    let total = get(list, "totalCount").and_then(Value::as_u64).and_then(|total| usize::try_from(total).ok());
    Page { entries, total, more: flag(list, &["pageInfo.hasNextPage"]) == Some(true) }
}

/// Whether what stands around alerts says of which repository they are.
pub(super) fn names_repository(around: &Value) -> bool {
    repository(around).is_some()
}

/// `owner/name` of the repository that an object is, or is about.
fn repository(value: &Value) -> Option<String> {
    let named = first(
        value,
        &[
            "nameWithOwner",
            "full_name",
            "repository.nameWithOwner",
            "repository.full_name",
            "repositoryNameWithOwner",
        ],
    );
    named.and_then(plain).or_else(|| {
        let (owner, name) = (get(value, "owner.login")?.as_str()?, get(value, "name")?.as_str()?);
        Some(format!("{owner}/{name}"))
    })
}

/// `owner/name` out of the address of an alert.
fn from_address(alert: &Value) -> Option<String> {
    let address = first(alert, &["url", "html_url", "permalink"])?.as_str()?;
    let path = address.split_once("://")?.1.split_once('/')?.1;
    let path = path.strip_prefix("api/v3/").unwrap_or(path);
    let path = path.strip_prefix("repos/").unwrap_or(path);
    let mut parts = path.split('/');
    let (owner, name, rest) = (parts.next()?, parts.next()?, parts.next()?);
    matches!(rest, "dependabot" | "security").then(|| format!("{owner}/{name}"))
}

fn alert(alert: &Value, around: Option<String>) -> Result<Finding, String> {
    let mut notes = Notes::default();
    let nothing = Value::Null;
    let weak = first(alert, &["security_vulnerability", "securityVulnerability"]).unwrap_or(&nothing);
    let advisory = first(alert, &["security_advisory", "securityAdvisory"])
        .or_else(|| get(weak, "advisory"))
        .unwrap_or(&nothing);
    let mut finding = Finding::new(Format::Dependabot);
    finding.repo = repository(alert).or_else(|| from_address(alert)).or(around);
    let known = &mut finding.vulnerability;
    known.ids = ids(advisory, &mut notes);
    known.title = text(advisory, &["summary"], &mut notes).unwrap_or_default();
    known.description = long_text(advisory, &["description"], LONG, &mut notes).unwrap_or_default();
    let word = text(weak, &["severity"], &mut notes).or_else(|| text(advisory, &["severity"], &mut notes));
    known.severity = severity(&word.unwrap_or_default(), &mut notes);
    known.cvss = ratings(advisory, &mut notes);
    known.cwe = texts(advisory, &["cwes.nodes", "cwes"], &["cwe_id", "cweId"], &mut notes);
    known.epss = number(advisory, &["epss.percentage"], &mut notes)
        .map(|score| Epss { score, percentile: number(advisory, &["epss.percentile"], &mut notes) });
    known.references = texts(advisory, &["references"], &["url"], &mut notes);
    let pages =
        [text(alert, &["html_url", "permalink"], &mut notes), text(advisory, &["permalink"], &mut notes)];
    for page in pages.into_iter().flatten().rev() {
        if !known.references.contains(&page) {
            known.references.insert(0, page);
        }
    }
    known.published = text(advisory, &["published_at", "publishedAt"], &mut notes);
    known.modified = text(advisory, &["updated_at", "updatedAt"], &mut notes);
    known.withdrawn = text(advisory, &["withdrawn_at", "withdrawnAt"], &mut notes);
    finding.state = text(alert, &["state"], &mut notes).map(|state| state.to_ascii_lowercase());
    finding.closed_at_source = known.withdrawn.is_some()
        || matches!(finding.state.as_deref(), Some("fixed" | "dismissed" | "auto_dismissed"));
    for (name, paths) in [
        ("scope", &["dependency.scope", "dependencyScope"][..]),
        ("relationship", &["dependency.relationship", "dependencyRelationship"]),
        ("dismissed_reason", &["dismissed_reason", "dismissReason"]),
        ("dismissed_comment", &["dismissed_comment", "dismissComment"]),
    ] {
        if let Some(value) = text(alert, paths, &mut notes) {
            finding.meta.insert(name.to_owned(), value);
        }
    }
    let package = package(alert, weak, advisory, &mut notes)?;
    let number = text(alert, &["number"], &mut notes);
    let main = finding.vulnerability.ids.first().cloned().unwrap_or_default();
    let manifest = package.manifest_path.clone().unwrap_or_default();
    let name = package.name.clone();
    finding.packages.push(package);
    let repo = finding.repo.clone().unwrap_or_default();
    if repo.is_empty() {
        notes.add("nobody says of which repository the alert is: take it in with `meta.repo`, so that alerts of several repositories stay apart");
    }
    match number {
        // Each repository counts its alerts from 1.
        Some(number) if repo.is_empty() => {
            Ok(finish(finding, &["", "alert", &number, &main, &name, &manifest], notes))
        }
        Some(number) => Ok(finish(finding, &[&repo, "alert", &number], notes)),
        None if main.is_empty() => Err("it has neither a number nor an id of the advisory".to_owned()),
        None => Ok(finish(finding, &[&repo, &main, &name, &manifest], notes)),
    }
}

/// Ids of the advisory, CVEs first. GraphQL has them in `identifiers` alone, and both interfaces must mean the same.
fn ids(advisory: &Value, notes: &mut Notes) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    let own = [&["cve_id", "cveId"][..], &["ghsa_id", "ghsaId"]].map(|paths| text(advisory, paths, notes));
    for id in own.into_iter().flatten().chain(texts(advisory, &["identifiers"], &["value"], notes)) {
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    ids.sort_by_key(|id| !id.starts_with("CVE-"));
    ids
}

fn ratings(advisory: &Value, notes: &mut Notes) -> Vec<Cvss> {
    let mut ratings: Vec<Cvss> = Vec::new();
    let places = [
        "cvss_severities.cvss_v3",
        "cvss_severities.cvss_v4",
        "cvssSeverities.cvssV3",
        "cvssSeverities.cvssV4",
        "cvss",
    ];
    for place in places.iter().filter_map(|place| get(advisory, place)) {
        let vector = text(place, &["vector_string", "vectorString"], notes);
        let score = number(place, &["score"], notes).filter(|score| *score > 0.0);
        let Some(vector) = vector else { continue };
        let mut rating = cvss::from_vector(&vector);
        rating.score = score.or(rating.score);
        if !ratings.iter().any(|other| other.vector == rating.vector) {
            ratings.push(rating);
        }
    }
    ratings
}

fn package(alert: &Value, weak: &Value, advisory: &Value, notes: &mut Notes) -> Result<Package, String> {
    // A list, or the object that GraphQL has around one.
    let listed = match get(advisory, "vulnerabilities") {
        Some(around) if around.is_object() => entries(around).unwrap_or_default(),
        _ => list(advisory, "vulnerabilities", notes),
    };
    let about = first(alert, &["dependency.package"])
        .or_else(|| get(weak, "package"))
        .or_else(|| listed.first().and_then(|one| get(one, "package")))
        .ok_or("it names no package")?;
    let name = text(about, &["name"], notes).ok_or("its package has no name")?;
    let ecosystem = ecosystem::normal(&text(about, &["ecosystem"], notes).unwrap_or_default());
    let same = listed.iter().find(|one| get(one, "package.name").and_then(Value::as_str) == Some(&name));
    let weak = if weak.is_null() { same.unwrap_or(weak) } else { weak };
    let mut symbols = texts(weak, &["vulnerable_functions", "vulnerableFunctions"], &["name"], notes);
    if symbols.is_empty()
        && let Some(same) = same
    {
        symbols = texts(same, &["vulnerable_functions", "vulnerableFunctions"], &["name"], notes);
    }
    // `= 4.17.15` is a version; ranges are not.
    let required = text(alert, &["vulnerableRequirements"], notes);
    let exact = required
        .as_deref()
        .and_then(|written| written.strip_prefix('='))
        .map(|rest| rest.trim_start_matches('=').trim());
    Ok(Package {
        ecosystem,
        name,
        installed: exact.filter(|version| !version.contains([',', ' '])).map(str::to_owned),
        affected: text(weak, &["vulnerable_version_range", "vulnerableVersionRange"], notes),
        fixed: text(weak, &["first_patched_version.identifier", "firstPatchedVersion.identifier"], notes)
            .or_else(|| get(weak, "first_patched_version").and_then(plain)),
        manifest_path: text(alert, &["dependency.manifest_path", "vulnerableManifestPath"], notes)
            .map(|path| path.trim_start_matches('/').to_owned()),
        purl: None,
        symbols,
        modules: Vec::new(),
    })
}
