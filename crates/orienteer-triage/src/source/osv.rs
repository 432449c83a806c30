//! Advisories in the OSV format, and reports of scanners that lay them beside packages.

use orienteer_base::triage::{CodePlace, Cvss, Finding, Format, Package};
use serde_json::Value;

use super::field::{LONG, Notes, get, list, long_text, text, texts};
use super::{Given, finish, severity};
use crate::{cvss, ecosystem};

/// Versions that are told one by one.
const FEW: usize = 12;

pub(super) fn recognise(piece: &Value) -> bool {
    is_advisory(piece)
        || is_result(piece)
        || get(piece, "results").and_then(Value::as_array).is_some_and(|all| all.iter().all(is_result))
}

fn is_advisory(piece: &Value) -> bool {
    let has = |name| get(piece, name).is_some();
    has("id") && (has("schema_version") || has("modified") || has("affected"))
}

fn is_result(piece: &Value) -> bool {
    get(piece, "packages").is_some_and(Value::is_array) && get(piece, "source").is_some_and(Value::is_object)
}

pub(super) fn read(piece: &Value, _: &Value, given: &mut Given) {
    if let Some(results) = get(piece, "results").and_then(Value::as_array) {
        results.iter().for_each(|result| scanned(result, given));
    } else if is_result(piece) {
        scanned(piece, given);
    } else {
        given.give(advisory(piece), piece);
    }
}

/// What a scanner found in one manifest.
fn scanned(result: &Value, given: &mut Given) {
    let mut notes = Notes::default();
    let path = text(result, &["source.path"], &mut notes);
    for entry in list(result, "packages", &mut notes) {
        let found = list(entry, "vulnerabilities", &mut notes);
        for advisory in found {
            given.give(in_package(advisory, entry, path.as_deref()), advisory);
        }
    }
    notes.0.into_iter().for_each(|note| given.note(note));
}

fn in_package(advisory: &Value, entry: &Value, path: Option<&str>) -> Result<Finding, String> {
    let mut finding = self::advisory(advisory)?;
    let mut notes = Notes(std::mem::take(&mut finding.warnings));
    let name = text(entry, &["package.name"], &mut notes).ok_or("its package has no name")?;
    let ecosystem = ecosystem::normal(&text(entry, &["package.ecosystem"], &mut notes).unwrap_or_default());
    let installed = text(entry, &["package.version"], &mut notes);
    // Of the packages that the advisory is about, the one that is here.
    finding.packages.retain(|package| package.name == name && package.ecosystem == ecosystem);
    if finding.packages.is_empty() {
        finding.packages.push(Package { ecosystem, name: name.clone(), ..Package::default() });
    }
    for package in &mut finding.packages {
        package.installed.clone_from(&installed);
        package.manifest_path = path.map(str::to_owned);
        package.purl = None;
    }
    let main = finding.vulnerability.ids.first().cloned().unwrap_or_default();
    Ok(finish(
        finding,
        &[&main, &name, installed.as_deref().unwrap_or_default(), path.unwrap_or_default()],
        notes,
    ))
}

fn advisory(item: &Value) -> Result<Finding, String> {
    let mut notes = Notes::default();
    let id = text(item, &["id"], &mut notes).ok_or("it has no `id`")?;
    let mut finding = Finding::new(Format::Osv);
    let known = &mut finding.vulnerability;
    known.ids = vec![id.clone()];
    known.aliases = texts(item, &["aliases"], &[], &mut notes);
    known.title = text(item, &["summary"], &mut notes).unwrap_or_default();
    known.description = long_text(item, &["details"], LONG, &mut notes).unwrap_or_default();
    known.cvss = ratings(item, &mut notes);
    let affected = list(item, "affected", &mut notes);
    for one in affected {
        for rating in ratings(one, &mut notes) {
            if !known.cvss.contains(&rating) {
                known.cvss.push(rating);
            }
        }
    }
    let word = text(item, &["database_specific.severity"], &mut notes);
    known.severity = severity(&word.unwrap_or_default(), &mut notes);
    known.cwe = texts(item, &["database_specific.cwe_ids"], &[], &mut notes);
    known.references = texts(item, &["references"], &["url"], &mut notes);
    known.published = text(item, &["published"], &mut notes);
    known.modified = text(item, &["modified"], &mut notes);
    known.withdrawn = text(item, &["withdrawn"], &mut notes);
    finding.closed_at_source = known.withdrawn.is_some();
    finding.state = known.withdrawn.is_some().then(|| "withdrawn".to_owned());
    for one in affected {
        match package(one, &mut notes) {
            Some(package) => finding.packages.push(package),
            None => repository(one, &mut finding, &mut notes),
        }
    }
    Ok(finish(finding, &[&id], notes))
}

fn ratings(value: &Value, notes: &mut Notes) -> Vec<Cvss> {
    let mut ratings = Vec::new();
    for rating in list(value, "severity", notes) {
        let Some(vector) = text(rating, &["score"], notes) else { continue };
        if let Ok(score) = vector.parse::<f64>() {
            ratings.push(Cvss { score: Some(score), ..Cvss::default() });
        } else if cvss::version(&vector).is_some() {
            ratings.push(cvss::from_vector(&vector));
        } else if text(rating, &["type"], notes).is_some_and(|kind| kind.starts_with("CVSS")) {
            notes.add(format!("severity `{}` is no vector of CVSS", orienteer_base::error::cut(&vector)));
        }
    }
    ratings
}

fn package(affected: &Value, notes: &mut Notes) -> Option<Package> {
    let about = get(affected, "package")?;
    let purl = text(about, &["purl"], notes);
    let from_purl = purl.as_deref().and_then(ecosystem::from_purl);
    let name =
        text(about, &["name"], notes).or_else(|| from_purl.as_ref().map(|(_, name, _)| name.clone()))?;
    let ecosystem = text(about, &["ecosystem"], notes).map(|word| ecosystem::normal(&word));
    let ecosystem = ecosystem.or_else(|| from_purl.map(|(ecosystem, ..)| ecosystem)).unwrap_or_default();
    let (ranges, fixed) = ranges(affected, notes);
    let (symbols, modules) = symbols(affected, notes);
    Some(Package { ecosystem, name, affected: ranges, fixed, purl, symbols, modules, ..Package::default() })
}

/// The ranges in words, and the last version that repairs one.
fn ranges(affected: &Value, notes: &mut Notes) -> (Option<String>, Option<String>) {
    let (mut said, mut fixed) = (Vec::new(), None);
    for range in list(affected, "ranges", notes) {
        // Commits tell nothing about versions.
        if text(range, &["type"], notes).as_deref() == Some("GIT") {
            continue;
        }
        let mut open: Option<String> = None;
        for event in list(range, "events", notes) {
            if let Some(version) = text(event, &["introduced"], notes) {
                open = Some(if version == "0" { String::new() } else { format!(">= {version}") });
            } else if let Some(version) = text(event, &["fixed"], notes) {
                said.push(join(open.take(), &format!("< {version}")));
                fixed = Some(version);
            } else if let Some(version) = text(event, &["last_affected"], notes) {
                said.push(join(open.take(), &format!("<= {version}")));
            }
        }
        if let Some(open) = open {
            said.push(if open.is_empty() { "all versions".to_owned() } else { open });
        }
    }
    if said.is_empty() {
        let versions = texts(affected, &["versions"], &[], notes);
        let more = if versions.len() > FEW { ", …" } else { "" };
        if !versions.is_empty() {
            let few: Vec<String> = versions.into_iter().take(FEW).collect();
            said.push(format!("{}{more}", few.join(", ")));
        }
    }
    ((!said.is_empty()).then(|| said.join(" || ")), fixed)
}

fn join(from: Option<String>, to: &str) -> String {
    match from.filter(|from| !from.is_empty()) {
        Some(from) => format!("{from}, {to}"),
        None => to.to_owned(),
    }
}

/// Names that are affected: Go's database has them by import path, RustSec's as a map of functions.
fn symbols(affected: &Value, notes: &mut Notes) -> (Vec<String>, Vec<String>) {
    let (mut symbols, mut modules) = (Vec::new(), Vec::new());
    for place in ["ecosystem_specific", "database_specific"] {
        let Some(place) = get(affected, place) else { continue };
        for import in list(place, "imports", notes) {
            modules.extend(text(import, &["path"], notes));
            symbols.extend(texts(import, &["symbols"], &["name"], notes));
        }
        for path in ["affects.functions", "affected_functions", "functions"] {
            match get(place, path) {
                Some(Value::Object(functions)) => symbols.extend(functions.keys().cloned()),
                Some(_) => symbols.extend(texts(place, &[path], &["name"], notes)),
                None => {}
            }
        }
    }
    symbols.sort();
    symbols.dedup();
    modules.sort();
    modules.dedup();
    (symbols, modules)
}

/// What is about a repository instead of a package.
fn repository(affected: &Value, finding: &mut Finding, notes: &mut Notes) {
    let mut found = false;
    for range in list(affected, "ranges", notes) {
        if let Some(repo) = text(range, &["repo"], notes) {
            found = true;
            finding.meta.entry("affected_repo".to_owned()).or_insert(repo);
        }
    }
    let place =
        CodePlace { path: text(affected, &["path"], notes).unwrap_or_default(), ..CodePlace::default() };
    if !place.path.is_empty() {
        finding.places.push(place);
    } else if !found {
        notes.add("an affected entry names neither a package nor a repository");
    }
}
