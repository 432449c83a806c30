//! What is wrong with these files?

mod compilers;
mod scope;

use std::collections::{BTreeSet, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use orienteer_base::answer::Warning;
use orienteer_base::ask::{CheckMode, CheckScope, DiagnosticsQuery};
use orienteer_base::code::{CheckState, Diagnostic, Diagnostics, Related, Summary};
use orienteer_base::{Answer, Cancel, Completeness, ErrorKind, Language, Problem, Reason, Source};
use orienteer_lsp::command::check::Finding;
use orienteer_lsp::{Failure, Lease};

use crate::Session;
use crate::answering::{frame, of_both};
use crate::baseline::{Baseline, Said, Unheard, compare};
use crate::checkers::{Groups, Limits, some_of};
use crate::failure::problem;
use crate::scenery::Scenery;
use scope::InScope;

/// Findings whose quick fixes are asked for: those of a first look.
const FIXES_FOR: usize = 10;

/// How long all of them may take together: a server that is still at work has no time for fixes.
const FIXES_WITHIN: Duration = Duration::from_secs(2);

/// The usual wait: a check takes longer than a question.
const WAIT: Duration = Duration::from_secs(15);

/// Pending files that are named.
const NAMED: usize = 20;

/// A finding and the server that can be asked about it.
struct Row {
    diagnostic: Diagnostic,
    asked: Option<(usize, Finding)>,
}

#[derive(Default)]
struct Gathered {
    rows: Vec<Row>,
    leases: Vec<Lease>,
    limits: Limits,
    files_checked: usize,
    unheard: Unheard,
    /// Files that some server was asked about.
    looked_at: HashSet<PathBuf>,
    /// Files that one was asked about and left out.
    skipped: BTreeSet<PathBuf>,
    pending: Vec<PathBuf>,
    /// Something else than a file has not finished.
    unfinished: bool,
    failures: Vec<Failure>,
    warnings: Vec<Warning>,
    answer: Option<Answer<()>>,
    cut: bool,
    /// Somebody needs more time.
    late: bool,
    /// Why something is unfinished, where it is not the time.
    lacking: Option<Reason>,
    /// A server says that something it needs is missing.
    degraded: bool,
    /// Files that were checked to the end, as shown; everything where a whole project was.
    checked: Option<HashSet<String>>,
}

impl Gathered {
    fn lacks(&mut self, failure: Failure) {
        if !self.failures.contains(&failure) {
            self.failures.push(failure);
        }
    }
}

impl Session {
    /// Findings of servers or compilers, and what changed since a baseline.
    pub async fn diagnostics(
        &self,
        query: DiagnosticsQuery,
        cancel: &Cancel,
    ) -> Result<Answer<Diagnostics>, Problem> {
        let before = match &query.baseline {
            Some(name) => Some(self.engine().baselines.get(self.roots().workspace(), name)?),
            None => None,
        };
        let mut gathered = match query.mode {
            CheckMode::Server => self.ask_checkers(&query, cancel).await?,
            CheckMode::Compiler => self.run_compilers(&query, cancel).await?,
        };
        let place =
            |row: &Row| (row.diagnostic.file_path.clone(), row.diagnostic.range, row.diagnostic.severity);
        gathered.rows.sort_by_cached_key(place);
        let ids: Vec<Arc<str>> = gathered.leases.iter().map(|lease| Arc::from(lease.server_id())).collect();
        let compiler: Arc<str> = Arc::from("compiler");
        let said = |row: &Row| {
            let by = row.asked.as_ref().and_then(|(at, _)| ids.get(*at)).unwrap_or(&compiler);
            (by.clone(), row.diagnostic.clone())
        };
        let all: Vec<Said> = gathered.rows.iter().map(said).collect();
        let unfinished = gathered.unfinished || !gathered.pending.is_empty();
        // Nothing found is clean only when everything was looked at by somebody who is well.
        let whole = !unfinished && !gathered.cut && !gathered.degraded;
        let state = match (all.is_empty(), !whole) {
            (false, _) => CheckState::Issues,
            (true, true) => CheckState::Pending,
            (true, false) => CheckState::Clean,
        };
        let mut answer = gathered.answer.take().unwrap_or_else(|| {
            Answer::new(
                (),
                Completeness::Complete,
                if query.mode == CheckMode::Server { Source::Lsp } else { Source::Text },
            )
        });
        if unfinished {
            let partial = match gathered.lacking {
                Some(reason) if !gathered.late => Completeness::partial(reason),
                _ => Completeness::Partial { reason: Reason::Timeout, retry_after_ms: Some(2_000) },
            };
            answer.completeness = answer.completeness.and(partial);
        }
        if gathered.cut {
            answer.completeness = answer.completeness.and(Completeness::partial(Reason::Capped));
        }
        answer.warnings.append(&mut gathered.warnings);
        if let Some(name) = &query.save_baseline {
            if unfinished {
                let message = format!("the baseline `{name}` was saved before every checker had finished");
                answer.warnings.push(Warning::new("baseline_incomplete", message));
            }
            let unheard = gathered.unheard.clone();
            let saved = Baseline { said: all.clone(), unheard, complete: !unfinished };
            self.engine().baselines.put(self.roots().workspace(), name, saved);
        }
        let delta = before.map(|mut before| {
            // What was not looked at now is neither fixed nor unchanged.
            let is_in_scope = |(_, diagnostic): &Said| {
                gathered.checked.as_ref().is_none_or(|checked| checked.contains(&diagnostic.file_path))
            };
            let mut unheard = gathered.unheard.clone();
            unheard.add_all(&before.unheard);
            let is_known = |said: &Said| is_in_scope(said) && !unheard.has(said);
            before.said.retain(is_known);
            let now: Vec<Said> = all.iter().filter(|said| is_known(said)).cloned().collect();
            if !before.complete {
                let message = "the baseline was saved before every checker had finished: what they had not said of a file then is not compared, and some of what is new may be old";
                answer.warnings.push(Warning::new("baseline_incomplete", message));
            }
            compare(&before.said, &now, query.minimum)
        });
        let all: Vec<Diagnostic> = all.into_iter().map(|(_, diagnostic)| diagnostic).collect();
        let summary = Summary::of(&all);
        gathered.rows.retain(|row| row.diagnostic.severity <= query.minimum);
        let total = gathered.rows.len();
        let window = query.window;
        let mut shown: Vec<Row> = gathered.rows.drain(..).skip(window.skip).take(window.limit).collect();
        if query.baseline.is_none() {
            self.add_fixes(&mut shown, &gathered.leases, cancel).await;
        }
        let pending = gathered.pending.iter().take(NAMED).map(|path| self.roots().show(path)).collect();
        let value = Diagnostics {
            state,
            rows: shown.into_iter().map(|row| row.diagnostic).collect(),
            total,
            summary,
            files_checked: gathered.files_checked,
            pending_files: pending,
            delta,
        };
        Ok(answer.map(|()| value))
    }

    async fn ask_checkers(&self, query: &DiagnosticsQuery, cancel: &Cancel) -> Result<Gathered, Problem> {
        let mut gathered = Gathered::default();
        let whole = matches!(query.scope, CheckScope::Workspace);
        let InScope { files, left, explicit } = self.files_in(&query.scope, cancel).await?;
        if left > 0 {
            let (asked, all) = (files.len(), files.len() + left);
            let message = format!(
                "{all} files are in scope; the first {asked} were checked: ask about a folder, or with mode compiler"
            );
            gathered.warnings.push(Warning::new("too_many_files", message));
            gathered.cut = true;
        }
        let mut groups = Groups::default();
        let mut nobody = Vec::new();
        for file in files {
            for checker in self.checkers_of(&file).await {
                match checker {
                    Ok(lease) => groups.add(lease, &file),
                    Err(failure @ Failure::NoServer { .. }) => nobody.push((file.clone(), failure)),
                    // Nobody misses the checker of a data format that is not installed, unless the file was named.
                    Err(failure) if !explicit && Language::by_path(&file).is_some_and(Language::is_data) => {
                        nobody.push((file.clone(), failure));
                    }
                    Err(failure) => {
                        gathered.lacking = Some(Reason::NotChecked);
                        gathered.unheard.add(failure.server_id(), self.roots().show(&file));
                        gathered.lacks(failure);
                        gathered.pending.push(file.clone());
                    }
                }
            }
        }
        if groups.is_empty() {
            if let Some(failure) = gathered.failures.first() {
                return Err(problem(failure.clone()));
            }
            if let Some((_, failure)) = nobody.first() {
                return Err(problem(failure.clone()));
            }
            let message = match query.scope {
                CheckScope::Files(_) => "no language server checks anything of what was named",
                CheckScope::Changed => "no changed file is one that a language server checks",
                CheckScope::Workspace => "the workspace has no file that a language server checks",
            };
            if !matches!(query.scope, CheckScope::Changed) {
                return Err(Problem::new(ErrorKind::Unsupported, message)
                    .detail("nothing_to_check")
                    .field("scope"));
            }
            gathered.warnings.push(Warning::new("nothing_changed", message));
        }
        if explicit && !nobody.is_empty() {
            // Named, and nobody looked at it.
            for (file, _) in &nobody {
                gathered.unheard.add(None, self.roots().show(file));
                gathered.pending.push(file.clone());
            }
            gathered.lacking = Some(Reason::NotChecked);
        }
        if !nobody.is_empty() {
            let named: Vec<String> = nobody.iter().map(|(file, _)| self.roots().show(file)).collect();
            let message = format!("no installed language server checks {}", some_of(&named));
            gathered.warnings.push(Warning::new("not_checked", message));
        }
        let wait = query.wait.unwrap_or(WAIT);
        let patience = self.patience(Some(wait), cancel);
        let patience = &patience;
        let asked = groups.into_values().map(|(lease, files)| async move {
            // A server that compiles the project says all there is without opening every file.
            let compiles = !lease.is_restricted()
                && lease.definition_of_server().reporting == orienteer_lsp::definition::Reporting::Flycheck;
            let asked: &[PathBuf] = if whole && compiles { &[] } else { &files };
            let checked = lease.check(asked, patience).await;
            (lease, files, checked)
        });
        for (lease, files, checked) in futures::future::join_all(asked).await {
            match checked {
                Ok(heard) => self.take_in(&mut gathered, lease, &files, heard, whole, cancel).await?,
                Err(Failure::Cancelled) => return Err(problem(Failure::Cancelled)),
                Err(failure) => {
                    // What does not start will not have finished later either.
                    if matches!(failure, Failure::StartFailed { .. }) {
                        gathered.lacking = Some(Reason::NotChecked);
                    } else {
                        gathered.late = true;
                    }
                    for file in files {
                        gathered.unheard.add(Some(lease.server_id()), self.roots().show(&file));
                        gathered.pending.push(file);
                    }
                    gathered.lacks(failure);
                }
            }
        }
        // What everybody leaves out is not clean.
        let nobody_s = std::mem::take(&mut gathered.skipped).into_iter();
        let nobody_s: Vec<PathBuf> = nobody_s.filter(|path| !gathered.looked_at.contains(path)).collect();
        if !nobody_s.is_empty() {
            gathered.lacking = Some(Reason::NotChecked);
            gathered.pending.extend(nobody_s);
        }
        let mut named = HashSet::new();
        gathered.pending.retain(|file| named.insert(file.clone()));
        if gathered.leases.is_empty()
            && let Some(failure) = gathered.failures.first()
        {
            return Err(problem(failure.clone()));
        }
        for failure in &gathered.failures {
            let message = problem(failure.clone()).message;
            gathered.warnings.push(Warning::new("no_language_server", message));
        }
        if let Some(limits) = gathered.limits.told(self.roots()) {
            gathered.warnings.push(Warning::new("limited_checker", limits));
        }
        Ok(gathered)
    }

    async fn take_in(
        &self,
        gathered: &mut Gathered,
        lease: Lease,
        files: &[PathBuf],
        heard: orienteer_lsp::Heard<orienteer_lsp::command::check::Checked>,
        whole: bool,
        cancel: &Cancel,
    ) -> Result<(), Problem> {
        let framed = frame(&lease, &heard.seen, Vec::new());
        gathered.answer = Some(match gathered.answer.take() {
            None => framed,
            Some(before) => of_both(before, framed),
        });
        let checked = heard.value;
        let at = gathered.leases.len();
        gathered.leases.push(lease);
        let late = checked.compiled == Some(false) || !heard.seen.ready;
        gathered.unfinished |= late;
        gathered.late |= late;
        gathered.degraded |=
            heard.seen.complaint.is_some() || heard.seen.unreadable > 0 || heard.seen.cut > 0;
        gathered.unfinished |= checked.lacking_elsewhere.is_some();
        if !whole {
            let done =
                checked.files.iter().filter(|file| file.done).map(|file| self.roots().show(&file.path));
            gathered.checked.get_or_insert_default().extend(done);
        }
        let skipped = checked.files.iter().filter(|file| file.left_out.is_some());
        let skipped: HashSet<PathBuf> = skipped.map(|file| file.path.clone()).collect();
        let looked_at: Vec<PathBuf> = files.iter().filter(|path| !skipped.contains(*path)).cloned().collect();
        gathered.limits.note(&gathered.leases[at], &looked_at);
        gathered.skipped.extend(skipped);
        gathered.looked_at.extend(looked_at);
        gathered.files_checked = gathered.looked_at.len();
        let mut findings = Vec::new();
        let (mut unfinished, mut left_out, mut why) = (Vec::new(), Vec::new(), None);
        for file in checked.files {
            let shown = || self.roots().show(&file.path);
            if let Some(reason) = file.left_out {
                left_out.push(shown());
                why = why.or(Some(reason));
            }
            if !file.done {
                gathered.unheard.add(Some(gathered.leases[at].server_id()), shown());
                match file.passed_over {
                    None => unfinished.push(shown()),
                    // Waiting would not help.
                    Some(_) if heard.seen.needs_trust.is_some() => {
                        gathered.lacking = Some(Reason::NeedsTrust)
                    }
                    Some(_) => gathered.lacking = Some(Reason::NotChecked),
                }
                gathered.pending.push(file.path);
            }
            findings.extend(file.findings);
        }
        let lacks = |finding: &&Finding| {
            finding.code.as_deref() == Some("pp_file_not_found")
                && gathered.leases[at].lacks_list(&finding.path)
        };
        if let Some(finding) = findings.iter().find(lacks) {
            let message = format!(
                "includes are not found, of {} for one, and what is found for that says little: {}",
                self.roots().show(&finding.path),
                Lease::OPENED_ONLY
            );
            gathered.warnings.push(Warning::new("files_not_listed", message));
        }
        let server = gathered.leases[at].server_id();
        if !unfinished.is_empty() {
            let message = format!("{server} has not finished with {}", some_of(&unfinished));
            gathered.warnings.push(Warning::new("checker_not_finished", message));
            gathered.late = true;
        }
        if let Some(why) = why {
            let message = format!("{server} did not check {}: {why}", some_of(&left_out));
            gathered.warnings.push(Warning::new("left_out", message));
        }
        if whole {
            findings.extend(checked.elsewhere);
        }
        let rows = self
            .paint(cancel, move |scenery| {
                Ok(findings
                    .into_iter()
                    .map(|finding| Row {
                        diagnostic: diagnostic(scenery, &finding),
                        asked: Some((at, finding)),
                    })
                    .collect::<Vec<_>>())
            })
            .await?;
        gathered.rows.extend(rows);
        Ok(())
    }

    async fn add_fixes(&self, rows: &mut [Row], leases: &[Lease], cancel: &Cancel) {
        let patience = &self.patience(Some(FIXES_WITHIN), cancel);
        let ask = async {
            for row in rows.iter_mut().take(FIXES_FOR) {
                let Some((at, finding)) = &row.asked else { continue };
                let Some(lease) = leases.get(*at) else { continue };
                if !matches!(lease.supports("textDocument/codeAction", patience).await, Ok(true)) {
                    continue;
                }
                let asked = tokio::time::timeout(Duration::from_millis(800), lease.fixes(finding, patience));
                if let Ok(Ok(fixes)) = asked.await {
                    row.diagnostic.fixes = fixes;
                }
            }
        };
        // A finding without its fixes is still a finding.
        let _ = tokio::time::timeout(FIXES_WITHIN, ask).await;
    }
}

/// A message without what it quotes.
fn without_quotes(message: &str) -> String {
    let mut parts = message.split(['\'', '"', '`']);
    let mut told = parts.next().unwrap_or_default().to_owned();
    while let Some(_quoted) = parts.next() {
        told.push('…');
        told.push_str(parts.next().unwrap_or_default());
    }
    told
}

pub(crate) fn diagnostic(scenery: &Scenery<'_>, finding: &Finding) -> Diagnostic {
    // Compilers quote what they read: one that is about an included file is told where the include stands, too.
    let is_shown = finding.related.iter().all(|(path, ..)| scenery.may_show(path));
    Diagnostic {
        file_path: scenery.show(&finding.path),
        range: finding.range,
        severity: finding.severity,
        code: finding.code.clone(),
        message: if is_shown { finding.message.clone() } else { without_quotes(&finding.message) },
        source: finding.source.clone(),
        related: finding
            .related
            .iter()
            .map(|(path, range, message)| Related {
                file_path: scenery.show(path),
                line: range.start.line,
                column: range.start.column,
                message: if scenery.may_show(path) { message.clone() } else { "outside_roots".to_owned() },
            })
            .collect(),
        fixes: Vec::new(),
    }
}
