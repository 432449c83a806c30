//! `cargo audit --json`: vulnerabilities, and warnings about crates that nobody maintains or that were withdrawn.

use orienteer_base::triage::{Cvss, Finding, Format, Package, Severity};
use serde_json::Value;

use super::field::{LONG, Notes, get, list, long_text, text, texts};
use super::{Given, finish};
use crate::cvss;

pub(super) fn recognise(piece: &Value) -> bool {
    get(piece, "vulnerabilities.list").is_some_and(Value::is_array) || is_item(piece)
}

fn is_item(piece: &Value) -> bool {
    get(piece, "package.name").is_some()
        && (get(piece, "advisory.id").is_some() || get(piece, "kind").is_some_and(Value::is_string))
        && get(piece, "versions").is_none_or(Value::is_object)
}

pub(super) fn read(piece: &Value, _: &Value, given: &mut Given) {
    if is_item(piece) {
        given.give(item(piece, None), piece);
        return;
    }
    let mut notes = Notes::default();
    for vulnerability in list(piece, "vulnerabilities.list", &mut notes) {
        given.give(item(vulnerability, None), vulnerability);
    }
    for (kind, warnings) in get(piece, "warnings").and_then(Value::as_object).into_iter().flatten() {
        for warning in warnings.as_array().into_iter().flatten() {
            given.give(item(warning, Some(kind)), warning);
        }
    }
    notes.0.into_iter().for_each(|note| given.note(note));
}

fn item(item: &Value, kind: Option<&str>) -> Result<Finding, String> {
    let mut notes = Notes::default();
    let nothing = Value::Null;
    let advisory = get(item, "advisory").unwrap_or(&nothing);
    let name = text(item, &["package.name"], &mut notes).ok_or("it has no `package.name`")?;
    let version = text(item, &["package.version"], &mut notes);
    let kind = text(item, &["kind"], &mut notes).or_else(|| kind.map(str::to_owned));
    let mut finding = Finding::new(Format::CargoAudit);
    let known = &mut finding.vulnerability;
    known.ids = text(advisory, &["id"], &mut notes).into_iter().collect();
    known.aliases = texts(advisory, &["aliases"], &[], &mut notes);
    known.title = text(advisory, &["title"], &mut notes).unwrap_or_default();
    known.description = long_text(advisory, &["description"], LONG, &mut notes).unwrap_or_default();
    if let Some(vector) = text(advisory, &["cvss"], &mut notes) {
        let rating = cvss::from_vector(&vector);
        if rating.version.is_none() {
            notes.add(format!("`{}` is no vector of CVSS", orienteer_base::error::cut(&vector)));
        }
        known.cvss.push(Cvss { source: Some("rustsec".to_owned()), ..rating });
    }
    known.references = texts(advisory, &["url"], &[], &mut notes);
    for link in texts(advisory, &["references"], &[], &mut notes) {
        if !known.references.contains(&link) {
            known.references.push(link);
        }
    }
    known.published = text(advisory, &["date"], &mut notes);
    known.withdrawn = text(advisory, &["withdrawn"], &mut notes);
    finding.closed_at_source = known.withdrawn.is_some();
    if let Some(kind) = kind.as_deref().or(get(advisory, "informational").and_then(Value::as_str)) {
        finding.meta.insert("kind".to_owned(), kind.to_owned());
        // Nothing is broken by these alone.
        if known.cvss.is_empty() && matches!(kind, "unmaintained" | "notice" | "yanked") {
            known.severity = Severity::Info;
        }
        if known.ids.is_empty() {
            known.ids.push(format!("cargo:{kind}"));
            known.title = format!("{name} is {kind}");
        }
    }
    let categories = texts(advisory, &["categories"], &[], &mut notes);
    if !categories.is_empty() {
        finding.meta.insert("categories".to_owned(), categories.join(", "));
    }
    let patched = texts(item, &["versions.patched"], &[], &mut notes);
    let unaffected = texts(item, &["versions.unaffected"], &[], &mut notes);
    let mut except = patched.clone();
    except.extend(unaffected);
    let symbols = match get(item, "affected.functions") {
        Some(Value::Object(functions)) => functions.keys().cloned().collect(),
        Some(_) => texts(item, &["affected.functions"], &[], &mut notes),
        None => Vec::new(),
    };
    finding.packages.push(Package {
        ecosystem: "cargo".to_owned(),
        name: name.clone(),
        installed: version.clone(),
        affected: (!except.is_empty()).then(|| format!("not {}", except.join(", not "))),
        fixed: patched.last().map(|range| range.trim_start_matches(['>', '=', '^', ' ']).to_owned()),
        manifest_path: Some("Cargo.lock".to_owned()),
        symbols,
        ..Package::default()
    });
    let Some(main) = finding.vulnerability.ids.first().cloned() else {
        return Err("it has neither `advisory.id` nor `kind`".to_owned());
    };
    // The version belongs to the key: two versions of a crate in one tree are two things to repair.
    Ok(finish(finding, &[&main, &name, version.as_deref().unwrap_or_default()], notes))
}
