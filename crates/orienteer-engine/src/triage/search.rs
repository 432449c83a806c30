//! Which records answer a search?
//!
//! Records lie outside the workspace, and a search right after a decision must know it. So they are not indexed: all of them
//! are compared with the question, which takes less time than an index takes to notice that it is old. Their scores are
//! brought to the scale of the index, so that one list can hold both.

use std::collections::HashSet;
use std::time::SystemTime;

use orienteer_base::answer::Warning;
use orienteer_base::ask::Window;
use orienteer_base::search::{HitLine, SearchHit, SearchHits, SearchMode};
use orienteer_base::triage::{Decision, Finding, ListedFinding};
use orienteer_base::{
    Answer, Cancel, Completeness, Conceal, ErrorKind, Language, Position, Problem, Reason, Source,
};
use orienteer_index::analyse;
use orienteer_index::query::{Kind, Name, Need, Presence, Query};
use orienteer_triage::{Snapshot, Store, decide, list, markdown};

use crate::Session;
use crate::blocking::blocking;
use crate::index::SearchQuery;
use crate::scenery::unknown_id;

/// Lines that are shown of a record.
const SHOWN: usize = 4;
const SHOWN_FULL: usize = 30;
/// Characters of one of them.
const LONGEST: usize = 400;
/// Characters of what a record is called.
const LONGEST_TITLE: usize = 200;

/// What was found: how much of the question each has, and the hit.
struct Records {
    hits: Vec<SearchHit>,
    unreadable: usize,
}

impl Session {
    /// A search of the index, with the records of the workspace where those are wanted.
    pub async fn search(&self, query: SearchQuery, cancel: &Cancel) -> Result<Answer<SearchHits>, Problem> {
        let wanted = query.modes.is_empty() || query.modes.contains(&SearchMode::Records);
        let Ok(store) = self.triage_store() else { return self.search_index(query, cancel).await };
        if !wanted || query.as_text || !store.folder().is_dir() {
            return self.search_index(query, cancel).await;
        }
        let parsed = self.parsed(&query)?;
        let (session, flag, full) = (self.clone(), cancel.clone(), query.full);
        let records = blocking(cancel, move || session.matching(&store, &parsed, full, &flag)).await?;
        if records.hits.is_empty() && records.unreadable == 0 {
            return self.search_index(query, cancel).await;
        }
        let Window { skip, limit } = query.window;
        let everything =
            SearchQuery { window: Window { skip: 0, limit: skip.saturating_add(limit) }, ..query };
        let mut answer = match self.search_index(everything, cancel).await {
            Ok(answer) => answer,
            Err(problem)
                if records.hits.is_empty()
                    || matches!(problem.kind, ErrorKind::Cancelled | ErrorKind::InvalidParams) =>
            {
                return Err(problem);
            }
            Err(problem) => {
                let completeness = Completeness::Partial {
                    reason: Reason::NotIndexed,
                    retry_after_ms: problem.retry_after_ms,
                };
                let message = format!("{}; only records of triage are told", problem.message);
                let value = SearchHits { ranking: "words", ..SearchHits::default() };
                Answer::new(value, completeness, Source::Index)
                    .warn(Warning::new(problem.detail.unwrap_or("not_indexed"), message))
            }
        };
        if records.unreadable > 0 {
            answer.completeness = answer.completeness.and(Completeness::partial(Reason::Unreadable));
            let message = format!("{} records of triage could not be read", records.unreadable);
            answer.warnings.push(Warning::new("unreadable_records", message));
        }
        let found = &mut answer.value;
        found.total += records.hits.len();
        let best = found.hits.first().map_or(1.0, |hit| hit.score.max(f64::MIN_POSITIVE));
        let scaled = records.hits.into_iter().map(|hit| SearchHit { score: hit.score * best, ..hit });
        let mut all: Vec<SearchHit> = scaled.chain(std::mem::take(&mut found.hits)).collect();
        all.sort_by(|one, other| other.score.total_cmp(&one.score));
        found.hits = all.into_iter().skip(skip).take(limit).collect();
        for hit in found.hits.iter().filter(|hit| hit.mode == SearchMode::Records) {
            // What is named may be read.
            if let Ok(real) = std::path::Path::new(&hit.file_path).canonicalize() {
                self.engine().admit(&real);
            }
        }
        Ok(answer)
    }

    fn matching(
        &self,
        store: &Store,
        query: &Query,
        full: bool,
        cancel: &Cancel,
    ) -> Result<Records, Problem> {
        let snapshot = store.snapshot(cancel)?;
        let conceal = &self.engine().conceal;
        let mut hits = Vec::new();
        if may_fit(query) {
            let now = SystemTime::now();
            for (at, (id, known)) in snapshot.findings.iter().enumerate() {
                if at % 64 == 0 {
                    cancel.check()?;
                }
                // Whoever asks by words alone needs no keys.
                let pairs = if query.filters.meta.is_empty() {
                    Vec::new()
                } else {
                    of_finding(&decide::listed(known, list::last(&snapshot, id), now))
                };
                let text = || {
                    let history = history(&snapshot, id);
                    markdown::finding(&known.finding, &known.first_seen, &known.updated, &history)
                };
                let path = store.finding_paths(id).1.display().to_string();
                let modified = known.modified;
                let named = title(&known.finding);
                hits.extend(judge(query, id, &path, &pairs, modified, &named, text, full, conceal));
            }
            for decision in snapshot.decisions.values().flatten() {
                cancel.check()?;
                let Some(about) = snapshot.findings.get(&decision.finding) else { continue };
                let path = store.decision_path(&decision.id).with_extension("md").display().to_string();
                let modified = orienteer_base::units::parse_date(&decision.made_at);
                let text = || markdown::decision(decision, &about.finding);
                let named = format!("{} {}", decision.status.as_str(), title(&about.finding));
                hits.extend(judge(
                    query,
                    &decision.id,
                    &path,
                    &of_decision(decision),
                    modified,
                    &named,
                    text,
                    full,
                    conceal,
                ));
            }
        }
        hits.sort_by(|one, other| other.score.total_cmp(&one.score).then_with(|| one.name.cmp(&other.name)));
        Ok(Records { hits, unreadable: snapshot.unreadable.len() })
    }
}

fn history(snapshot: &Snapshot, id: &str) -> Vec<Decision> {
    snapshot.decisions.get(id).into_iter().flatten().map(|one| (**one).clone()).collect()
}

fn title(finding: &Finding) -> String {
    let known = &finding.vulnerability;
    let packages: Vec<&str> = finding.packages.iter().take(3).map(|package| package.name.as_str()).collect();
    let ids = known.ids.first().map_or("", String::as_str);
    format!("{} {ids} {}: {}", known.severity.as_str(), packages.join(", "), known.title)
}

/// Whether a record could pass filters that are about files, and none of those about code.
fn may_fit(query: &Query) -> bool {
    let about_files = [
        Name::Path,
        Name::File,
        Name::Ext,
        Name::Lang,
        Name::Kind,
        Name::Meta,
        Name::ModifiedAfter,
        Name::Case,
        Name::Test,
        Name::Generated,
        Name::Vendored,
    ];
    let filters = &query.filters;
    let sorts = [filters.test, filters.generated, filters.vendored];
    filters.names().iter().all(|row| about_files.contains(&row.name))
        && sorts.iter().all(|sort| *sort != Some(Presence::Only))
        && filters.kind.allows_one(Kind::Record)
        && Language::by_word("markdown").is_some_and(|language| filters.lang.allows_one(language))
}

/// A hit when the record fits. Its score is the share of the question that stands in it.
#[allow(clippy::too_many_arguments, reason = "everything that is known about one record")]
fn judge(
    query: &Query,
    id: &str,
    path: &str,
    pairs: &[(String, String)],
    modified: Option<SystemTime>,
    title: &str,
    text: impl FnOnce() -> String,
    full: bool,
    conceal: &Conceal,
) -> Option<SearchHit> {
    let filters = &query.filters;
    let meta = filters.meta.allows(pairs, |wanted, (key, value)| {
        key.eq_ignore_ascii_case(&wanted.key)
            && wanted.value.as_ref().is_none_or(|wanted| wanted.to_lowercase() == value.to_lowercase())
    });
    let file = |name| filters.allows_texts(name, &[path]);
    let new = filters.modified_after.is_none_or(|after| modified.is_some_and(|modified| modified >= after));
    if !(meta && new && file(Name::Path) && file(Name::File) && file(Name::Ext)) {
        return None;
    }
    let text = text();
    let lower = text.to_lowercase();
    let holds = |phrase: &str| {
        if filters.case { text.contains(phrase) } else { lower.contains(&phrase.to_lowercase()) }
    };
    let needed = |need: Need, there: bool| need == Need::Should || there == (need == Need::Must);
    if !query.phrases.iter().all(|phrase| needed(phrase.need, holds(&phrase.text)))
        || !query.expressions.iter().all(|one| needed(one.need, one.regex.is_match(&text)))
    {
        return None;
    }
    let score = if query.terms.is_empty() { 1.0 } else { share(query, &text, &lower, title, &holds)? };
    Some(hit(query, id, path, title, &text, &lower, score, full, conceal))
}

/// How much of the words stands in a text; `None` when one is missing that must be there, or none is there.
fn share(query: &Query, text: &str, lower: &str, title: &str, holds: &dyn Fn(&str) -> bool) -> Option<f64> {
    // Most records have none of the words.
    let plain = |word: &String| lower.contains(word.as_str());
    if !query
        .terms
        .iter()
        .any(|term| term.need == Need::Not || term.wholes.iter().chain(&term.parts).any(plain))
    {
        return None;
    }
    let mut words: HashSet<String> = HashSet::new();
    analyse::words(text, &mut |word| {
        words.insert(word.to_owned());
    });
    let mut named: HashSet<String> = HashSet::new();
    analyse::words(title, &mut |word| {
        named.insert(word.to_owned());
    });
    let telling = query.terms.iter().any(|term| term.need == Need::Should && !term.common);
    let (mut got, mut all) = (0.0, 0.0);
    for term in &query.terms {
        let whole =
            term.wholes.iter().all(|word| words.contains(word)) && (!query.filters.case || holds(&term.text));
        match term.need {
            Need::Must if !whole => return None,
            Need::Not if whole => return None,
            Need::Not => continue,
            Need::Must | Need::Should => {}
        }
        if telling && term.common && term.need == Need::Should {
            continue;
        }
        all += 1.0;
        if whole {
            got += if term.wholes.iter().all(|word| named.contains(word)) { 1.0 } else { 0.8 };
        } else if !term.parts.is_empty() && !query.filters.case {
            let there = term.parts.iter().filter(|part| words.contains(*part)).count();
            #[allow(clippy::cast_precision_loss, reason = "a few words")]
            let part = there as f64 / term.parts.len() as f64;
            got += 0.4 * part;
        }
    }
    let must = query.terms.iter().all(|term| term.need == Need::Not);
    (got > 0.0 || must).then(|| if all > 0.0 { got / all } else { 1.0 })
}

#[allow(clippy::too_many_arguments, reason = "everything that is shown of one record")]
fn hit(
    query: &Query,
    id: &str,
    path: &str,
    title: &str,
    text: &str,
    lower: &str,
    score: f64,
    full: bool,
    conceal: &Conceal,
) -> SearchHit {
    let wanted: Vec<&str> = query
        .terms
        .iter()
        .filter(|term| term.need != Need::Not && !term.common)
        .flat_map(|term| term.wholes.iter().map(String::as_str))
        .collect();
    let count = |line: &str| wanted.iter().filter(|word| line.contains(**word)).count();
    // The head repeats what stands below it.
    let body = lower.lines().position(|line| line.starts_with("# ")).unwrap_or(0);
    let best = lower.lines().enumerate().skip(body).max_by_key(|(at, line)| (count(line), usize::MAX - at));
    let best = best.map_or(0, |(at, _)| at);
    let number = |at: usize| u32::try_from(at + 1).unwrap_or(u32::MAX);
    let first = if full { body } else { best };
    let shown = text.lines().enumerate().skip(first).take(if full { SHOWN_FULL } else { SHOWN });
    let snippet = shown
        .map(|(at, line)| HitLine {
            number: number(at),
            // Half a secret looks like any other text to whoever renders the answer.
            text: conceal.beginning(line.to_owned(), LONGEST),
            matched: count(&line.to_lowercase()) > 0,
        })
        .collect();
    SearchHit {
        symbol_id: unknown_id(path, id, Position::new(number(best), 1)),
        mode: SearchMode::Records,
        kind: "record",
        name: Some(id.to_owned()),
        name_path: Some(id.to_owned()),
        file_path: path.to_owned(),
        line: 1,
        end_line: number(text.lines().count().saturating_sub(1)),
        language: Language::by_word("markdown").map(|language| language.id),
        signature: Some(conceal.beginning(title.to_owned(), LONGEST_TITLE)),
        doc: None,
        snippet,
        score,
        why: Vec::new(),
        stale: false,
        blame: None,
        source: Source::Index,
    }
}

/// Keys and values of a finding for the `meta` filter.
fn of_finding(listed: &ListedFinding) -> Vec<(String, String)> {
    let finding = &listed.finding;
    let known = &finding.vulnerability;
    let mut pairs = Pairs::default();
    pairs.put("kind", "finding");
    pairs.put("id", &finding.id);
    pairs.put("source", finding.source.as_str());
    pairs.put("severity", known.severity.as_str());
    pairs.put("standing", listed.standing.as_str());
    pairs.put("status", if listed.standing.is_open() { "open" } else { listed.standing.as_str() });
    pairs.put("decision", listed.decision.as_ref().map_or("none", |last| last.status.as_str()));
    known.ids.iter().chain(&known.aliases).for_each(|id| pairs.put("vulnerability", id));
    known.cwe.iter().for_each(|id| pairs.put("cwe", id));
    for package in &finding.packages {
        pairs.put("package", &package.name);
        pairs.put("ecosystem", &package.ecosystem);
    }
    for (name, value) in [
        ("tool", &finding.tool),
        ("service", &finding.service),
        ("environment", &finding.environment),
        ("env", &finding.environment),
        ("team", &finding.team),
        ("owner", &finding.owner),
        ("repo", &finding.repo),
        ("state", &finding.state),
    ] {
        pairs.put(name, value.as_deref().unwrap_or_default());
    }
    finding.meta.iter().for_each(|(name, value)| pairs.put(name, value));
    pairs.0
}

fn of_decision(decision: &Decision) -> Vec<(String, String)> {
    let mut pairs = Pairs::default();
    pairs.put("kind", "decision");
    pairs.put("id", &decision.id);
    pairs.put("finding", &decision.finding);
    pairs.put("decision", decision.status.as_str());
    pairs.put("reviewer", decision.reviewer.as_deref().unwrap_or_default());
    pairs.put("expires", decision.expires.as_deref().unwrap_or_default());
    decision.codes.iter().for_each(|code| pairs.put("code", code.as_str()));
    decision.meta.iter().for_each(|(name, value)| pairs.put(name, value));
    pairs.0
}

#[derive(Default)]
struct Pairs(Vec<(String, String)>);

impl Pairs {
    fn put(&mut self, name: &str, value: &str) {
        if !value.is_empty() {
            self.0.push((name.to_owned(), value.to_owned()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_secret_in_a_long_line_is_hidden_before_it_is_cut() {
        let secret = "s3cr3t".repeat(7);
        let hidden = secret.clone();
        let conceal = Conceal::with(move |text| text.replace(&hidden, "[HIDDEN]"));
        let query = Query::parse("leak").unwrap();
        // Both would be cut in its middle.
        let line = |before: usize| format!("leak {} {secret} {}", "x".repeat(before), "y ".repeat(500));
        let (text, title) = (line(380), line(180));
        let shown = |conceal: &Conceal| {
            let text = || format!("# Title\n\n{text}\n");
            judge(&query, "f1", "/r/f1.md", &[], None, &title, text, false, conceal).unwrap()
        };
        let found = shown(&conceal);
        let told = format!("{:?} {:?}", found.snippet, found.signature);
        assert!(told.contains("[HIDDEN]") && !told.contains("s3cr3t"), "{told}");
        let open = shown(&Conceal::default());
        assert!(open.snippet.iter().any(|line| line.text.contains("s3cr3t")), "{:?}", open.snippet);
    }
}
