//! `npm audit --json`: the report of version 2 (npm 7 and later), and the older one by advisories.

use orienteer_base::triage::{Cvss, Finding, Format, Package};
use serde_json::Value;

use super::field::{LONG, Notes, first, get, list, long_text, number, text, texts};
use super::{Given, finish, severity};
use crate::cvss;

/// Folders that are named one by one.
const FEW: usize = 20;

pub(super) fn recognise(piece: &Value) -> bool {
    get(piece, "auditReportVersion").is_some()
        || get(piece, "advisories").is_some_and(Value::is_object)
        || get(piece, "vulnerabilities")
            .and_then(Value::as_object)
            .is_some_and(|all| !all.is_empty() && all.values().all(|one| get(one, "via").is_some()))
}

pub(super) fn read(piece: &Value, _: &Value, given: &mut Given) {
    if let Some(advisories) = get(piece, "advisories").and_then(Value::as_object) {
        for (number, advisory) in advisories {
            given.give(old(number, advisory), advisory);
        }
        return;
    }
    if let Some(error) = first(piece, &["error.summary", "message", "error"]).and_then(Value::as_str) {
        given.note(format!("npm says: {}", orienteer_base::error::cut(error)));
    }
    let Some(entries) = get(piece, "vulnerabilities").and_then(Value::as_object) else {
        given.refuse("it has no `vulnerabilities`");
        return;
    };
    let mut through = 0;
    for (name, entry) in entries {
        let mut notes = Notes::default();
        let via = list(entry, "via", &mut notes);
        if via.iter().all(Value::is_string) && !via.is_empty() {
            through += 1;
            continue;
        }
        if via.is_empty() {
            given.refuse(format!("`{}` has no advisory in `via`", orienteer_base::error::cut(name)));
        }
        for advisory in via.iter().filter(|one| !one.is_string()) {
            given.give(new(name, entry, advisory), entry);
        }
    }
    if through > 0 {
        given.note(format!(
            "{through} packages are in the report only because they depend on others in it; those others are the findings"
        ));
    }
}

fn new(name: &str, entry: &Value, advisory: &Value) -> Result<Finding, String> {
    if !advisory.is_object() {
        return Err(format!("an entry of `via` is {}, not an object", super::kind(advisory)));
    }
    let mut notes = Notes::default();
    let mut finding = Finding::new(Format::NpmAudit);
    let address = text(advisory, &["url"], &mut notes);
    let number = text(advisory, &["source"], &mut notes);
    let ghsa = address.as_deref().and_then(ghsa_of);
    let known = &mut finding.vulnerability;
    known.ids = ghsa.iter().cloned().collect();
    if let Some(number) = &number {
        known.aliases.push(format!("npm:{number}"));
    }
    known.title = text(advisory, &["title"], &mut notes).unwrap_or_default();
    known.severity = severity(
        &text(advisory, &["severity"], &mut notes)
            .or_else(|| text(entry, &["severity"], &mut notes))
            .unwrap_or_default(),
        &mut notes,
    );
    known.cvss = rating(advisory, &mut notes).into_iter().collect();
    known.cwe = texts(advisory, &["cwe"], &[], &mut notes);
    known.references = address.into_iter().collect();
    if known.ids.is_empty() {
        known.ids = std::mem::take(&mut known.aliases);
    }
    let Some(main) = known.ids.first().cloned() else {
        return Err(format!(
            "an advisory about `{}` has neither `url` nor `source`",
            orienteer_base::error::cut(name)
        ));
    };
    let package = text(advisory, &["name"], &mut notes).unwrap_or_else(|| name.to_owned());
    finding.packages.push(Package {
        ecosystem: "npm".to_owned(),
        name: package.clone(),
        affected: text(advisory, &["range"], &mut notes).or_else(|| text(entry, &["range"], &mut notes)),
        // What npm offers may be another package, whose new version brings this one along.
        fixed: text(entry, &["fixAvailable.name"], &mut notes)
            .filter(|fixed| *fixed == package)
            .and_then(|_| text(entry, &["fixAvailable.version"], &mut notes)),
        manifest_path: Some("package-lock.json".to_owned()),
        ..Package::default()
    });
    if let Some(direct) = get(entry, "isDirect").and_then(Value::as_bool) {
        finding.meta.insert("direct".to_owned(), direct.to_string());
    }
    for (field, of) in [("effects", "effects"), ("nodes", "nodes")] {
        let names = texts(entry, &[of], &[], &mut notes);
        if !names.is_empty() {
            finding.meta.insert(field.to_owned(), names.into_iter().take(FEW).collect::<Vec<_>>().join(", "));
        }
    }
    match get(entry, "fixAvailable") {
        Some(Value::Bool(flag)) => drop(finding.meta.insert("fix_available".to_owned(), flag.to_string())),
        Some(Value::Object(_)) => {
            let name = text(entry, &["fixAvailable.name"], &mut notes).unwrap_or_default();
            let version = text(entry, &["fixAvailable.version"], &mut notes).unwrap_or_default();
            finding.meta.insert("fix_available".to_owned(), format!("{name}@{version}"));
        }
        _ => {}
    }
    Ok(finish(finding, &[&main, &package], notes))
}

fn old(number: &str, advisory: &Value) -> Result<Finding, String> {
    if !advisory.is_object() {
        return Err(format!(
            "advisory {} is {}, not an object",
            orienteer_base::error::cut(number),
            super::kind(advisory)
        ));
    }
    let mut notes = Notes::default();
    let mut finding = Finding::new(Format::NpmAudit);
    let name = text(advisory, &["module_name"], &mut notes).ok_or("it has no `module_name`")?;
    let address = text(advisory, &["url"], &mut notes);
    let ghsa =
        text(advisory, &["github_advisory_id"], &mut notes).or_else(|| address.as_deref().and_then(ghsa_of));
    let known = &mut finding.vulnerability;
    known.ids = ghsa.iter().cloned().collect();
    known.aliases = texts(advisory, &["cves"], &[], &mut notes);
    known.aliases.push(format!("npm:{number}"));
    if known.ids.is_empty() {
        known.ids.push(known.aliases.remove(0));
    }
    known.title = text(advisory, &["title"], &mut notes).unwrap_or_default();
    known.description = long_text(advisory, &["overview"], LONG, &mut notes).unwrap_or_default();
    known.severity = severity(&text(advisory, &["severity"], &mut notes).unwrap_or_default(), &mut notes);
    known.cvss = rating(advisory, &mut notes).into_iter().collect();
    known.cwe = texts(advisory, &["cwe"], &[], &mut notes);
    known.references = address.into_iter().collect();
    if let Some(links) = long_text(advisory, &["references"], LONG, &mut notes) {
        let links = links.split_whitespace().filter(|word| word.starts_with("http")).map(str::to_owned);
        known.references.extend(links.take(FEW));
    }
    known.published = text(advisory, &["created"], &mut notes);
    known.modified = text(advisory, &["updated"], &mut notes);
    let main = known.ids.first().cloned().unwrap_or_default();
    let findings = list(advisory, "findings", &mut notes);
    let mut installed: Vec<Option<String>> =
        findings.iter().map(|one| text(one, &["version"], &mut notes)).collect();
    if installed.is_empty() {
        installed.push(None);
    }
    let range = text(advisory, &["vulnerable_versions"], &mut notes);
    let fixed = text(advisory, &["patched_versions"], &mut notes).filter(|range| range != "<0.0.0");
    for version in installed {
        finding.packages.push(Package {
            ecosystem: "npm".to_owned(),
            name: name.clone(),
            installed: version,
            affected: range.clone(),
            fixed: fixed.clone(),
            manifest_path: Some("package-lock.json".to_owned()),
            ..Package::default()
        });
    }
    let paths: Vec<String> =
        findings.iter().flat_map(|one| texts(one, &["paths"], &[], &mut notes)).collect();
    if !paths.is_empty() {
        finding.meta.insert("paths".to_owned(), paths.into_iter().take(FEW).collect::<Vec<_>>().join(", "));
    }
    Ok(finish(finding, &[&main, &name], notes))
}

fn rating(advisory: &Value, notes: &mut Notes) -> Option<Cvss> {
    let vector = text(advisory, &["cvss.vectorString"], notes);
    let score = number(advisory, &["cvss.score"], notes).filter(|score| *score > 0.0);
    let mut rating = vector.as_deref().map(cvss::from_vector).unwrap_or_default();
    rating.score = score.or(rating.score);
    (rating != Cvss::default()).then_some(rating)
}

fn ghsa_of(address: &str) -> Option<String> {
    let last = address.trim_end_matches('/').rsplit('/').next()?;
    last.starts_with("GHSA-").then(|| last.to_owned())
}
