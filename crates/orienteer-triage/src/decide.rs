//! May this be decided, and does it still hold?

use std::time::{Duration, SystemTime};

use orienteer_base::error::cut;
use orienteer_base::triage::{DecideQuery, Decision, Finding, ListedFinding, Standing, Status, VexCode};
use orienteer_base::{Cancel, units};

use crate::error::TriageError;
use crate::store::{Known, Store};
use crate::{Snapshot, id};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// What people write about a decision.
const LONGEST: usize = 20_000;
const MOST: usize = 100;

/// When a decision ends: a date counts to its end, in UTC.
pub fn ends(written: &str) -> Option<SystemTime> {
    let at = units::parse_date(written)?;
    if written.trim().len() == 10 { at.checked_add(DAY) } else { Some(at) }
}

/// Whether a decision has run out. One whose end nobody can read does not hold: a person has to look.
pub fn has_expired(decision: &Decision, now: SystemTime) -> bool {
    decision.expires.as_deref().is_some_and(|written| ends(written).is_none_or(|end| end <= now))
}

/// Where a finding stands, with the last decision about it.
pub fn standing(finding: &Finding, last: Option<&Decision>, now: SystemTime) -> Standing {
    match last {
        Some(last) if !has_expired(last, now) => Standing::Decided,
        _ if finding.closed_at_source => Standing::Closed,
        Some(_) => Standing::Expired,
        None => Standing::Open,
    }
}

/// A finding with where it stands.
pub fn listed(known: &Known, last: Option<&Decision>, now: SystemTime) -> ListedFinding {
    let substance = last.and_then(|last| last.finding_sha256.as_deref());
    ListedFinding {
        finding: known.finding.clone(),
        standing: standing(&known.finding, last, now),
        decision: last.cloned(),
        changed_since_decision: substance.is_some_and(|then| then != id::substance(&known.finding)),
        first_seen: Some(known.first_seen.clone()).filter(|text| !text.is_empty()),
        updated: Some(known.updated.clone()).filter(|text| !text.is_empty()),
    }
}

/// The id that somebody means: whole, its unique beginning, that of a decision, or an id of the vulnerability.
pub fn find(snapshot: &Snapshot, written: &str) -> Result<String, TriageError> {
    let written = written.trim();
    if let Some((finding, _)) = id::parse_decision(written) {
        return find(snapshot, finding);
    }
    if snapshot.findings.contains_key(written) {
        return Ok(written.to_owned());
    }
    let lower = written.to_lowercase();
    let begins = |id: &&String| lower.len() >= 5 && id.starts_with(&lower);
    let mut fitting: Vec<String> = snapshot.findings.keys().filter(begins).cloned().collect();
    if fitting.is_empty() && !lower.is_empty() {
        let same = |word: &String| word.eq_ignore_ascii_case(written);
        let of = snapshot.findings.iter().filter(|(_, known)| {
            let known = &known.finding.vulnerability;
            known.ids.iter().chain(&known.aliases).any(same)
        });
        fitting = of.map(|(id, _)| id.clone()).collect();
    }
    match fitting.as_slice() {
        [one] => Ok(one.clone()),
        [] => {
            let ids = snapshot.findings.keys().map(String::as_str);
            let near = orienteer_base::nearest::nearest(written, ids.take(5_000), 3);
            let candidates = near.into_iter().map(str::to_owned).collect();
            Err(TriageError::NoSuchFinding { id: cut(written), candidates })
        }
        several => Err(TriageError::Ambiguous {
            id: cut(written),
            candidates: several.iter().take(20).cloned().collect(),
        }),
    }
}

/// Writes a decision down; with all decisions about the finding, oldest first.
pub fn decide(
    store: &Store,
    query: &DecideQuery,
    now: SystemTime,
    cancel: &Cancel,
) -> Result<(Decision, Vec<Decision>), TriageError> {
    let finding = find(&store.snapshot(cancel)?, &query.finding)?;
    let codes = codes(query)?;
    let expires = expires(query, now)?;
    let justification = said("justification", query.justification.as_deref())?;
    let reviewer = said("reviewer", query.reviewer.as_deref())?;
    if query.evidence.len() > MOST || query.meta.len() > MOST {
        let message = format!("there are at most {MOST} references and {MOST} values of meta");
        return Err(illegal("evidence", "too_many", message, Vec::new()));
    }
    let mut evidence = Vec::new();
    for reference in &query.evidence {
        evidence.extend(said("evidence", Some(reference))?);
    }
    store.decide(&finding, cancel, |about, history| {
        let last = history.last();
        let sequence = last.map_or(0, |last| last.sequence).saturating_add(1);
        Ok(Decision {
            id: id::of_decision(&finding, sequence),
            finding: finding.clone(),
            sequence,
            status: query.status,
            codes,
            justification,
            reviewer,
            expires,
            evidence,
            meta: query.meta.clone(),
            made_at: units::show_time(now),
            supersedes: last.map(|last| last.id.clone()),
            finding_sha256: Some(id::substance(about)),
        })
    })
}

fn illegal(field: &'static str, detail: &'static str, message: String, legal: Vec<String>) -> TriageError {
    TriageError::Illegal { field, detail, message, legal }
}

fn codes(query: &DecideQuery) -> Result<Vec<VexCode>, TriageError> {
    let mut codes = Vec::new();
    for word in &query.codes {
        let Some(code) = VexCode::parse(word) else {
            let message = format!(
                "`{}` is no justification of VEX; it may be {}",
                cut(word),
                VexCode::words().join(", ")
            );
            return Err(illegal("codes", "unknown_code", message, VexCode::words()));
        };
        if !codes.contains(&code) {
            codes.push(code);
        }
    }
    let status = query.status.as_str();
    match query.status {
        Status::NotAffected if codes.is_empty() => {
            let message =
                format!("`{status}` needs to be said why, in `codes`: {}", VexCode::words().join(", "));
            Err(illegal("codes", "missing_code", message, VexCode::words()))
        }
        Status::NotAffected | Status::FalsePositive => Ok(codes),
        _ if codes.is_empty() => Ok(codes),
        _ => {
            let message = format!(
                "`codes` say why something is not affected, and `{status}` says that it is; leave them out, or decide \
                 not_affected"
            );
            Err(illegal("codes", "codes_without_reason", message, Vec::new()))
        }
    }
}

fn expires(query: &DecideQuery, now: SystemTime) -> Result<Option<String>, TriageError> {
    let Some(written) = query.expires.as_deref().map(str::trim).filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    let Some(end) = ends(written) else {
        let message = format!(
            "`{}` is no date; write 2030-12-31, which counts to its end in UTC, or 2030-12-31T12:00:00Z",
            cut(written)
        );
        return Err(illegal("expires", "invalid_date", message, Vec::new()));
    };
    if end <= now {
        let message = format!("{} is over already; a decision must end in the future", cut(written));
        return Err(illegal("expires", "date_in_the_past", message, Vec::new()));
    }
    Ok(Some(written.to_owned()))
}

fn said(field: &'static str, text: Option<&str>) -> Result<Option<String>, TriageError> {
    let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else { return Ok(None) };
    if text.chars().count() > LONGEST {
        let message = format!(
            "`{field}` has more than {LONGEST} characters; put it into a file and name that as evidence"
        );
        return Err(illegal(field, "too_long", message, Vec::new()));
    }
    Ok(Some(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> SystemTime {
        units::parse_date(text).unwrap()
    }

    #[test]
    fn a_date_counts_to_its_end_and_a_time_to_itself() {
        assert_eq!(ends("2030-12-31"), Some(at("2031-01-01")));
        assert_eq!(ends("2030-12-31T12:00:00+02:00"), Some(at("2030-12-31T10:00:00Z")));
        for odd in ["", "soon", "7d", "2030-13-01", "2030-12-31x"] {
            assert_eq!(ends(odd), None, "{odd}");
        }
    }
}
