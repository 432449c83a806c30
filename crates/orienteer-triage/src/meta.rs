//! What does whoever takes findings in know about all of them?

use std::collections::BTreeMap;

use orienteer_base::triage::{Exposure, Finding, Format};

use crate::id;

/// Lays what was said for the whole file over a finding. What was said by name counts more than what the source says.
pub(crate) fn lay_over(finding: &mut Finding, meta: &BTreeMap<String, String>) {
    for (name, value) in meta {
        let value = value.trim();
        if value.is_empty() {
            continue;
        }
        let text = Some(value.to_owned());
        match name.as_str() {
            "service" => finding.service = text,
            "environment" | "env" => finding.environment = text,
            "team" => finding.team = text,
            "owner" => finding.owner = text,
            "repo" => finding.repo = text,
            _ if exposure(finding.exposure.get_or_insert_default(), name, value) => {}
            _ => drop(finding.meta.insert(name.clone(), value.to_owned())),
        }
    }
    if finding.exposure == Some(Exposure::default()) {
        finding.exposure = None;
    }
}

/// These tools do not say what they looked at: the same advisory in two services is two findings, where somebody tells the
/// services apart.
pub(crate) fn tell_apart(finding: &mut Finding, meta: &BTreeMap<String, String>) {
    if !matches!(finding.source, Format::NpmAudit | Format::CargoAudit | Format::PipAudit) {
        return;
    }
    for name in ["repo", "service"] {
        if let Some(value) = meta.get(name).map(|value| value.trim()).filter(|value| !value.is_empty()) {
            finding.key.push_str(&format!("|{name}={value}"));
        }
    }
    finding.id = id::of_finding(finding.source, &finding.key);
}

/// Whether the name is one of those about exposure.
fn exposure(exposure: &mut Exposure, name: &str, value: &str) -> bool {
    let flag = match value.to_ascii_lowercase().as_str() {
        "true" | "yes" | "1" => Some(true),
        "false" | "no" | "0" => Some(false),
        _ => None,
    };
    match (name, flag) {
        ("internet_exposed" | "internetExposed", Some(_)) => exposure.internet_exposed = flag,
        ("public_endpoint" | "publicEndpoint", Some(_)) => exposure.public_endpoint = flag,
        ("exploit_available" | "exploitAvailable", Some(_)) => exposure.exploit_available = flag,
        ("data_sensitivity" | "dataSensitivity", _) => exposure.data_sensitivity = Some(value.to_owned()),
        ("business_criticality" | "businessCriticality", _) => {
            exposure.business_criticality = Some(value.to_owned())
        }
        ("compensating_controls" | "compensatingControls", _) => {
            exposure.compensating_controls =
                value.split(',').map(|one| one.trim().to_owned()).filter(|one| !one.is_empty()).collect();
        }
        _ => return false,
    }
    true
}
