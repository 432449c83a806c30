//! How findings and decisions are sent and shown.

mod words;

use orienteer_base::triage::{Decision, Finding, ListedFinding, Standing};
use serde_json::{Map, Value, json};

use crate::render::text::visible;

pub(super) use words::{SourceWord, Word};

/// Packages, ids and links that are told in a list.
const FEW: usize = 5;

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// What tells a finding from others.
pub(super) fn summary(listed: &ListedFinding) -> Map<String, Value> {
    let finding = &listed.finding;
    let known = &finding.vulnerability;
    let mut value = Map::new();
    value.insert("finding_id".to_owned(), json!(finding.id));
    value.insert("standing".to_owned(), json!(listed.standing));
    value.insert("severity".to_owned(), json!(known.severity));
    value.insert("title".to_owned(), json!(cut(&known.title, 160)));
    value.insert("vulnerability_ids".to_owned(), json!(known.ids.iter().take(FEW).collect::<Vec<_>>()));
    value
}

/// A finding in a list.
pub(super) fn row(listed: &ListedFinding) -> Map<String, Value> {
    let finding = &listed.finding;
    let mut value = summary(listed);
    let packages: Vec<Value> = finding
        .packages
        .iter()
        .take(FEW)
        .map(|package| {
            let mut one = Map::new();
            one.insert("ecosystem".to_owned(), json!(package.ecosystem));
            one.insert("name".to_owned(), json!(package.name));
            for (name, text) in [
                ("installed", &package.installed),
                ("fixed", &package.fixed),
                ("manifest_path", &package.manifest_path),
            ] {
                if let Some(text) = text {
                    one.insert(name.to_owned(), json!(text));
                }
            }
            Value::Object(one)
        })
        .collect();
    value.insert("packages".to_owned(), json!(packages));
    if finding.packages.len() > FEW {
        value.insert("package_count".to_owned(), json!(finding.packages.len()));
    }
    if let Some(place) = finding.places.first() {
        value.insert("place".to_owned(), json!({ "path": place.path, "line": place.line }));
    }
    value.insert("source".to_owned(), json!(finding.source));
    for (name, text) in [
        ("service", &finding.service),
        ("environment", &finding.environment),
        ("team", &finding.team),
        ("owner", &finding.owner),
        ("repo", &finding.repo),
        ("source_state", &finding.state),
        ("first_seen", &listed.first_seen),
        ("updated", &listed.updated),
    ] {
        if let Some(text) = text {
            value.insert(name.to_owned(), json!(text));
        }
    }
    value.insert("decision".to_owned(), json!(listed.decision.as_ref().map(short_decision)));
    if listed.changed_since_decision {
        value.insert("changed_since_decision".to_owned(), json!(true));
    }
    value
}

fn short_decision(decision: &Decision) -> Value {
    let mut value = Map::new();
    value.insert("decision_id".to_owned(), json!(decision.id));
    value.insert("status".to_owned(), json!(decision.status));
    value.insert("made_at".to_owned(), json!(decision.made_at));
    for (name, text) in [("reviewer", &decision.reviewer), ("expires", &decision.expires)] {
        if let Some(text) = text {
            value.insert(name.to_owned(), json!(text));
        }
    }
    Value::Object(value)
}

/// A decision with everything in it.
pub(super) fn decision(decision: &Decision) -> Value {
    json!(decision)
}

/// A finding with everything in it, long texts cut: the record has them whole.
pub(super) fn whole(finding: &Finding) -> Value {
    let mut finding = finding.clone();
    finding.vulnerability.description = cut(&finding.vulnerability.description, 4_000);
    json!(finding)
}

/// `id  severity  ids  package installed → fixed  title  [stands]`
pub(super) fn line(listed: &ListedFinding) -> String {
    let finding = &listed.finding;
    let known = &finding.vulnerability;
    let mut said = format!("{}  {}", finding.id, known.severity.as_str());
    if let Some(id) = known.ids.first() {
        said.push_str(&format!("  {}", visible(id)));
    }
    if let Some(package) = finding.packages.first() {
        said.push_str(&format!("  {}", visible(&package.name)));
        if let Some(installed) = &package.installed {
            said.push_str(&format!(" {}", visible(installed)));
        }
        if let Some(fixed) = &package.fixed {
            said.push_str(&format!(" → {}", visible(fixed)));
        }
        let more = finding.packages.len() - 1;
        if more > 0 {
            said.push_str(&format!(" and {more} more"));
        }
    } else if let Some(place) = finding.places.first() {
        let at = place.line.map(|line| format!(":{line}")).unwrap_or_default();
        said.push_str(&format!("  {}{at}", visible(&place.path)));
    }
    said.push_str(&format!("  {}  [{}]", visible(&cut(&known.title, 120)), stands(listed)));
    said
}

/// Where a finding stands, in words.
pub(super) fn stands(listed: &ListedFinding) -> String {
    let decided = listed.decision.as_ref().map(|decision| {
        let until =
            decision.expires.as_deref().map(|expires| format!(" until {expires}")).unwrap_or_default();
        format!("{}{until}", decision.status.as_str())
    });
    let mut said = match (listed.standing, decided) {
        (Standing::Expired, Some(decided)) => format!("open again: {decided} has run out"),
        (Standing::Decided, Some(decided)) => decided,
        (standing, _) => standing.as_str().to_owned(),
    };
    if listed.changed_since_decision {
        said.push_str("; the finding has changed since");
    }
    said
}

/// `id  status on day by somebody until day: why`
pub(super) fn decision_line(decision: &Decision) -> String {
    let mut said = format!("{}  {}  {}", decision.id, decision.status.as_str(), decision.made_at);
    if let Some(reviewer) = &decision.reviewer {
        said.push_str(&format!("  by {}", visible(reviewer)));
    }
    if let Some(expires) = &decision.expires {
        said.push_str(&format!("  until {}", visible(expires)));
    }
    if !decision.codes.is_empty() {
        let codes: Vec<&str> = decision.codes.iter().map(|code| code.as_str()).collect();
        said.push_str(&format!("  {}", codes.join(", ")));
    }
    if let Some(why) = &decision.justification {
        said.push_str(&format!("  {}", visible(&cut(why, 200))));
    }
    said
}
