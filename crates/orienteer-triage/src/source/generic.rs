//! The shape for everything else, described in docs/triage.md. Names with capitals inside are understood, too.

use orienteer_base::triage::{Asset, CodePlace, Cvss, Epss, Exposure, Finding, Format, Package};
use serde_json::Value;

use super::field::{LONG, Notes, first, flag, get, line, list, long_text, number, plain, text, texts};
use super::{Given, finish, severity};
use crate::{cvss, ecosystem};

/// What may stand at the top of an item.
const FIELDS: &[&str] = &[
    "source",
    "tool",
    "key",
    "id",
    "kind",
    "schema_version",
    "title",
    "description",
    "severity",
    "ids",
    "cve",
    "aliases",
    "cvss",
    "cwe",
    "epss",
    "references",
    "published",
    "modified",
    "withdrawn",
    "package",
    "packages",
    "places",
    "asset",
    "exposure",
    "service",
    "environment",
    "env",
    "team",
    "owner",
    "repo",
    "state",
    "closed",
    "meta",
    "vulnerability",
    "vuln",
    "first_seen",
    "updated",
    "raw",
    "warnings",
    "closed_at_source",
];

pub(super) fn recognise(piece: &Value) -> bool {
    let inner = first(piece, &["vulnerability", "vuln"]).unwrap_or(piece);
    let named = first(piece, &["key", "id"]).is_some() || first(inner, &["ids", "cve", "vulnId"]).is_some();
    named && first(inner, &["title"]).or_else(|| get(piece, "title")).is_some_and(Value::is_string)
}

pub(super) fn read(piece: &Value, _: &Value, given: &mut Given) {
    given.give(finding(piece), piece);
}

fn finding(item: &Value) -> Result<Finding, String> {
    let mut notes = Notes::default();
    if let Value::Object(fields) = item {
        for name in fields.keys().filter(|name| !FIELDS.contains(&name.as_str())) {
            notes.add(format!("`{}` is no field of the generic shape", orienteer_base::error::cut(name)));
        }
    }
    let inner = first(item, &["vulnerability", "vuln"]).filter(|inner| inner.is_object()).unwrap_or(item);
    let mut finding = Finding::new(Format::Generic);
    finding.tool = text(item, &["tool", "source"], &mut notes);
    let known = &mut finding.vulnerability;
    known.ids = texts(inner, &["ids", "cve", "vulnId"], &[], &mut notes);
    known.aliases = texts(inner, &["aliases"], &[], &mut notes);
    known.title = text(inner, &["title"], &mut notes)
        .or_else(|| text(item, &["title"], &mut notes))
        .unwrap_or_default();
    known.description = long_text(inner, &["description"], LONG, &mut notes).unwrap_or_default();
    known.severity = severity(&text(inner, &["severity"], &mut notes).unwrap_or_default(), &mut notes);
    known.cvss = ratings(inner, &mut notes);
    known.cwe = texts(inner, &["cwe"], &["id"], &mut notes);
    known.epss = match get(inner, "epss") {
        Some(Value::Object(_)) => number(inner, &["epss.score"], &mut notes)
            .map(|score| Epss { score, percentile: number(inner, &["epss.percentile"], &mut notes) }),
        Some(_) => number(inner, &["epss"], &mut notes).map(|score| Epss { score, percentile: None }),
        None => None,
    };
    known.references = texts(inner, &["references"], &["url"], &mut notes);
    known.published = text(inner, &["published"], &mut notes);
    known.modified = text(inner, &["modified"], &mut notes);
    known.withdrawn = text(inner, &["withdrawn"], &mut notes);
    let one = get(item, "package").into_iter();
    for package in one.chain(list(item, "packages", &mut notes)) {
        match self::package(package, &mut notes) {
            Some(package) => finding.packages.push(package),
            None => notes.add("a package has neither `name` nor a readable `purl`"),
        }
    }
    for place in list(item, "places", &mut notes) {
        match text(place, &["path"], &mut notes) {
            Some(path) => finding.places.push(CodePlace {
                path,
                line: line(place, &["line"]),
                end_line: line(place, &["end_line", "endLine"]),
                message: text(place, &["message"], &mut notes),
            }),
            None => notes.add("a place has no `path`"),
        }
    }
    surroundings(item, &mut finding, &mut notes);
    let main = finding.vulnerability.ids.first().cloned();
    let Some(key) = text(item, &["key", "id"], &mut notes).or_else(|| {
        let package = finding.packages.first().map(|package| package.name.clone()).unwrap_or_default();
        Some(format!("{}|{package}", main.clone()?))
    }) else {
        return Err("it has neither `key` nor `id` nor an id of the vulnerability".to_owned());
    };
    if finding.vulnerability.ids.is_empty() {
        finding.vulnerability.ids.push(key.clone());
    }
    let tool = finding.tool.clone().unwrap_or_default();
    Ok(finish(finding, &[&tool, &key], notes))
}

fn ratings(inner: &Value, notes: &mut Notes) -> Vec<Cvss> {
    let entries = match get(inner, "cvss") {
        Some(Value::Array(entries)) => entries.as_slice(),
        Some(one) => std::slice::from_ref(one),
        None => &[],
    };
    let mut ratings = Vec::new();
    for entry in entries.iter().take(20) {
        match entry {
            Value::Number(score) => ratings.push(Cvss { score: score.as_f64(), ..Cvss::default() }),
            Value::String(written) => match written.trim().parse::<f64>() {
                Ok(score) => ratings.push(Cvss { score: Some(score), ..Cvss::default() }),
                Err(_) => ratings.push(cvss::from_vector(written)),
            },
            Value::Object(_) => {
                let vector = text(entry, &["vector", "vectorString"], notes);
                let mut rating = vector.as_deref().map(cvss::from_vector).unwrap_or_default();
                rating.score = number(entry, &["score", "baseScore"], notes).or(rating.score);
                rating.version = text(entry, &["version"], notes).or(rating.version);
                rating.source = text(entry, &["source"], notes);
                ratings.push(rating);
            }
            _ => notes.add("`cvss` has an entry that is no rating"),
        }
    }
    ratings
}

fn package(package: &Value, notes: &mut Notes) -> Option<Package> {
    let purl = text(package, &["purl"], notes);
    let from_purl = purl.as_deref().and_then(ecosystem::from_purl);
    let (purl_ecosystem, purl_name, purl_version) = match from_purl {
        Some((ecosystem, name, version)) => (Some(ecosystem), Some(name), version),
        None => (None, None, None),
    };
    let name = text(package, &["name"], notes).or(purl_name)?;
    let ecosystem =
        text(package, &["ecosystem"], notes).map(|word| ecosystem::normal(&word)).or(purl_ecosystem);
    Some(Package {
        ecosystem: ecosystem.unwrap_or_default(),
        name,
        installed: text(package, &["installed", "installedVersion", "version"], notes).or(purl_version),
        affected: text(package, &["affected", "affectedRange"], notes),
        fixed: text(package, &["fixed", "fixedVersion"], notes),
        manifest_path: text(package, &["manifest_path", "manifestPath"], notes),
        purl,
        symbols: texts(package, &["symbols"], &["name"], notes),
        modules: texts(package, &["modules"], &["name", "path"], notes),
    })
}

fn surroundings(item: &Value, finding: &mut Finding, notes: &mut Notes) {
    finding.service = text(item, &["service"], notes);
    finding.environment = text(item, &["environment", "env"], notes);
    finding.team = text(item, &["team"], notes);
    finding.owner = text(item, &["owner"], notes);
    finding.repo = text(item, &["repo"], notes);
    finding.state = text(item, &["state"], notes);
    let word = finding.state.as_deref().unwrap_or_default().to_ascii_lowercase();
    finding.closed_at_source = flag(item, &["closed", "closed_at_source"])
        .unwrap_or(matches!(word.as_str(), "closed" | "fixed" | "resolved" | "dismissed" | "suppressed"))
        || finding.vulnerability.withdrawn.is_some();
    if let Some(asset) = get(item, "asset").filter(|asset| asset.is_object()) {
        finding.asset = Some(Asset {
            id: text(asset, &["id", "assetId"], notes),
            kind: text(asset, &["kind", "type"], notes),
            name: text(asset, &["name"], notes),
            account: text(asset, &["account"], notes),
            region: text(asset, &["region"], notes),
        });
    }
    if let Some(exposure) = get(item, "exposure").filter(|exposure| exposure.is_object()) {
        finding.exposure = Some(Exposure {
            internet_exposed: flag(exposure, &["internet_exposed", "internetExposed"]),
            public_endpoint: flag(exposure, &["public_endpoint", "publicEndpoint"]),
            data_sensitivity: text(exposure, &["data_sensitivity", "dataSensitivity"], notes),
            business_criticality: text(exposure, &["business_criticality", "businessCriticality"], notes),
            compensating_controls: texts(
                exposure,
                &["compensating_controls", "compensatingControls"],
                &[],
                notes,
            ),
            exploit_available: flag(exposure, &["exploit_available", "exploitAvailable"]),
            last_exploited: text(exposure, &["last_exploited", "lastExploited"], notes),
        });
    }
    for (name, value) in get(item, "meta").and_then(Value::as_object).into_iter().flatten().take(100) {
        match plain(value) {
            Some(value) => drop(finding.meta.insert(name.clone(), value.chars().take(2_000).collect())),
            None => notes.add(format!("`meta.{}` is no plain value", orienteer_base::error::cut(name))),
        }
    }
}
