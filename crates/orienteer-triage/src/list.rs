//! Which findings fit?

use std::time::SystemTime;

use orienteer_base::triage::{Finding, Findings, ListQuery, ListedFinding, Standing, StandingCounts};
use orienteer_base::{Cancel, Stopped};

use crate::{Snapshot, decide};

/// Files that are named when they cannot be read.
const NAMED: usize = 20;

/// A page of what fits: worst first, then what was taken in last.
pub fn list(
    snapshot: &Snapshot,
    query: &ListQuery,
    now: SystemTime,
    cancel: &Cancel,
) -> Result<Findings, Stopped> {
    let words: Vec<String> = query
        .text
        .as_deref()
        .unwrap_or_default()
        .to_lowercase()
        .split_whitespace()
        .map(str::to_owned)
        .collect();
    let mut counts = StandingCounts::default();
    let mut fitting: Vec<(&str, Standing)> = Vec::new();
    for (at, (id, known)) in snapshot.findings.iter().enumerate() {
        if at % 256 == 0 {
            cancel.check()?;
        }
        if !fits(&known.finding, query, &words) {
            continue;
        }
        let standing = decide::standing(&known.finding, last(snapshot, id), now);
        match standing {
            Standing::Open => counts.open += 1,
            Standing::Expired => counts.expired += 1,
            Standing::Decided => counts.decided += 1,
            Standing::Closed => counts.closed += 1,
        }
        if query.standings.is_empty() || query.standings.contains(&standing) {
            fitting.push((id, standing));
        }
    }
    let total = fitting.len();
    let order = |(id, _): &(&str, Standing)| {
        let known = snapshot.findings.get(*id);
        let severity = known.map(|known| known.finding.vulnerability.severity);
        let updated = known.map(|known| std::cmp::Reverse(known.updated.clone()));
        (severity, updated, (*id).to_owned())
    };
    fitting.sort_by_cached_key(order);
    let page = fitting.into_iter().skip(query.window.skip).take(query.window.limit);
    let rows: Vec<ListedFinding> = page
        .filter_map(|(id, _)| Some(decide::listed(snapshot.findings.get(id)?, last(snapshot, id), now)))
        .collect();
    let mut unreadable: Vec<String> =
        snapshot.unreadable.iter().take(NAMED).map(|(name, reason)| format!("{name}: {reason}")).collect();
    if snapshot.unreadable.len() > NAMED {
        unreadable.push(format!("and {} more", snapshot.unreadable.len() - NAMED));
    }
    Ok(Findings { rows, total, counts, stored: snapshot.findings.len(), unreadable })
}

/// The last decision about a finding.
pub fn last<'s>(snapshot: &'s Snapshot, id: &str) -> Option<&'s orienteer_base::triage::Decision> {
    snapshot.decisions.get(id).and_then(|history| history.last()).map(|one| &**one)
}

fn fits(finding: &Finding, query: &ListQuery, words: &[String]) -> bool {
    let package = query.package.as_deref().is_none_or(|wanted| {
        let wanted = wanted.trim().to_lowercase();
        finding.packages.iter().any(|package| package.name.to_lowercase().contains(&wanted))
    });
    let service = query.service.as_deref().is_none_or(|wanted| {
        finding.service.as_deref().is_some_and(|service| service.eq_ignore_ascii_case(wanted.trim()))
    });
    package
        && service
        && query.source.is_none_or(|source| source == finding.source)
        && (query.severities.is_empty() || query.severities.contains(&finding.vulnerability.severity))
        && (words.is_empty() || {
            let text = text_of(finding);
            words.iter().all(|word| text.contains(word.as_str()))
        })
}

/// What words are looked for in, in small letters.
fn text_of(finding: &Finding) -> String {
    let known = &finding.vulnerability;
    let mut text: Vec<&str> = vec![&finding.id, &finding.key, &known.title, &known.description];
    text.extend(known.ids.iter().chain(&known.aliases).chain(&known.cwe).map(String::as_str));
    text.extend(finding.packages.iter().map(|package| package.name.as_str()));
    text.extend(finding.places.iter().map(|place| place.path.as_str()));
    let said =
        [&finding.tool, &finding.service, &finding.environment, &finding.team, &finding.owner, &finding.repo];
    text.extend(said.into_iter().filter_map(|one| one.as_deref()));
    text.join("\n").to_lowercase()
}
