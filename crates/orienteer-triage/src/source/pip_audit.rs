//! `pip-audit -f json`: packages with their vulnerabilities, in an object or, in older versions, as a bare list.

use orienteer_base::triage::{Finding, Format, Package};
use serde_json::Value;

use super::field::{LONG, Notes, get, list, long_text, text, texts};
use super::{Given, finish};

pub(super) fn recognise(piece: &Value) -> bool {
    let is_package = |one: &Value| {
        get(one, "name").is_some()
            && (get(one, "vulns").is_some_and(Value::is_array) || get(one, "skip_reason").is_some())
    };
    is_package(piece)
        || get(piece, "dependencies")
            .and_then(Value::as_array)
            .is_some_and(|all| !all.is_empty() && all.iter().all(is_package))
}

pub(super) fn read(piece: &Value, _: &Value, given: &mut Given) {
    let mut notes = Notes::default();
    if let Some(packages) = get(piece, "dependencies").and_then(Value::as_array) {
        packages.iter().for_each(|package| self::package(package, given));
    } else {
        package(piece, given);
    }
    for fix in list(piece, "fixes", &mut notes) {
        if let (Some(name), Some(reason)) =
            (text(fix, &["name"], &mut notes), text(fix, &["skip_reason"], &mut notes))
        {
            given.note(format!("pip-audit did not repair {name}: {reason}"));
        }
    }
}

fn package(package: &Value, given: &mut Given) {
    let mut notes = Notes::default();
    let Some(name) = text(package, &["name"], &mut notes) else {
        given.refuse("it has no `name`");
        return;
    };
    // What was not looked at must not pass for sound.
    if let Some(reason) = text(package, &["skip_reason"], &mut notes) {
        given.lack(format!("pip-audit did not look at {name}: {reason}"));
    }
    for vulnerability in list(package, "vulns", &mut notes) {
        given.give(finding(&name, package, vulnerability), package);
    }
}

fn finding(name: &str, package: &Value, vulnerability: &Value) -> Result<Finding, String> {
    let mut notes = Notes::default();
    let id = text(vulnerability, &["id"], &mut notes)
        .ok_or_else(|| format!("a vulnerability of `{}` has no `id`", orienteer_base::error::cut(name)))?;
    let version = text(package, &["version"], &mut notes);
    let mut finding = Finding::new(Format::PipAudit);
    let known = &mut finding.vulnerability;
    known.ids = vec![id.clone()];
    known.aliases = texts(vulnerability, &["aliases"], &[], &mut notes);
    known.description = long_text(vulnerability, &["description"], LONG, &mut notes).unwrap_or_default();
    known.title = format!("{id} in {name}");
    let fixes = texts(vulnerability, &["fix_versions"], &[], &mut notes);
    if fixes.len() > 1 {
        finding.meta.insert("fix_versions".to_owned(), fixes.join(", "));
    }
    finding.packages.push(Package {
        ecosystem: "pypi".to_owned(),
        name: name.to_owned(),
        installed: version.clone(),
        fixed: fixes.first().cloned(),
        ..Package::default()
    });
    Ok(finish(finding, &[&id, &name.to_lowercase(), version.as_deref().unwrap_or_default()], notes))
}
