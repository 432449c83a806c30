//! How is a pack written down?

use orienteer_base::triage::{ContextPack, Evidence, EvidenceKind};
use serde_json::{Value, json};

use crate::markdown::{decision_line, package_line, quote};
use crate::store::SCHEMA_VERSION;

const SECTIONS: &[(EvidenceKind, &str)] = &[
    (EvidenceKind::Call, "Uses of affected symbols"),
    (EvidenceKind::Import, "Imports"),
    (EvidenceKind::Manifest, "Manifests"),
    (EvidenceKind::Lock, "Lock files"),
    (EvidenceKind::Place, "Places that the source names"),
    (EvidenceKind::Test, "Tests"),
];

/// For programs.
pub fn json(pack: &ContextPack) -> Value {
    json!({
        "schema_version": SCHEMA_VERSION,
        "kind": "context_pack",
        "made_at": pack.made_at,
        "verdict": pack.verdict,
        "rests_on": pack.rests_on,
        "missing": pack.missing,
        "standing": pack.finding.standing,
        "changed_since_decision": pack.finding.changed_since_decision,
        "finding": pack.finding.finding,
        "decisions": pack.history,
        "evidence": pack.evidence,
        "searches": pack.searches,
    })
}

/// For people.
pub fn markdown(pack: &ContextPack) -> String {
    let finding = &pack.finding.finding;
    let known = &finding.vulnerability;
    let mut text = format!(
        "# {}: {}\n\n- finding: {} ({}, {})\n- stands: {}\n- verdict: {}; {}\n- made: {}\n",
        known.ids.first().map_or("", String::as_str).replace(['\n', '\r'], " "),
        known.title.replace(['\n', '\r'], " "),
        finding.id,
        finding.source.as_str(),
        known.severity.as_str(),
        pack.finding.standing.as_str(),
        pack.verdict.as_str(),
        pack.rests_on,
        pack.made_at,
    );
    for package in &finding.packages {
        text.push_str(&format!("- package: {}\n", package_line(package).replace(['\n', '\r'], " ")));
    }
    if !pack.missing.is_empty() {
        text.push_str("\n## Not looked at to the end\n\n");
        pack.missing.iter().for_each(|one| text.push_str(&format!("- {one}\n")));
    }
    if !pack.history.is_empty() {
        text.push_str("\n## Decisions\n\n");
        for decision in &pack.history {
            text.push_str(&format!("- {}\n", decision_line(decision).replace(['\n', '\r'], " ")));
            if let Some(why) = &decision.justification {
                quote(why).lines().for_each(|line| text.push_str(&format!("  {line}\n")));
            }
        }
    }
    for (kind, title) in SECTIONS {
        let of: Vec<&Evidence> = pack.evidence.iter().filter(|one| one.kind == *kind).collect();
        if of.is_empty() {
            continue;
        }
        text.push_str(&format!("\n## {title}\n\n"));
        for one in of {
            let test = if one.in_test { ", in a test" } else { "" };
            let note = one.note.as_deref().map(|note| format!("; {note}")).unwrap_or_default();
            text.push_str(&format!(
                "- {}:{} ({}{test}{note})\n  `{}`\n",
                one.file_path.replace(['\n', '\r'], " "),
                one.line,
                one.provenance.as_str(),
                one.snippet.trim().replace('`', "'").replace(['\n', '\r'], " ")
            ));
        }
    }
    text.push_str("\n## Searches\n\n");
    for search in &pack.searches {
        let whole = if search.completeness.is_complete() { "complete" } else { "not complete" };
        let note = search.note.as_deref().map(|note| format!("; {note}")).unwrap_or_default();
        text.push_str(&format!(
            "- {}: {} in {}: {} found, {whole} ({}{note})\n",
            search.what,
            search.looked_for,
            search.looked_in,
            search.found,
            search.provenance.as_str()
        ));
    }
    if !known.description.is_empty() {
        text.push_str("\n## What the source says\n\n");
        text.push_str(&quote(&known.description));
        text.push('\n');
    }
    text
}
