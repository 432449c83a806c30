//! What do checkers say about files before and after a change?

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use orienteer_base::code::Severity;
use orienteer_base::edit::DiagnosticsDelta;
use orienteer_base::{Answer, Cancel, Completeness, Problem, Reason, Roots, Source};
use orienteer_edit::Plan;
use orienteer_lsp::command::check::{FileCheck, Finding};
use orienteer_lsp::{Failure, Lease, Seen};

use crate::Session;
use crate::answering::{frame, of_both};
use crate::baseline::{Said, Unheard, compare};
use crate::checkers::{Groups, Limits};
use crate::diagnostics::diagnostic;
use crate::failure::problem;

/// The usual wait: a check takes longer than a question.
const WAIT: Duration = Duration::from_secs(15);

/// Files of one change that are checked.
const MOST_FILES: usize = 500;

/// Files that a change begins with and ends with.
#[derive(Debug)]
pub(super) struct Sides {
    pub(super) before: Vec<PathBuf>,
    pub(super) after: Vec<PathBuf>,
    moved: Vec<(PathBuf, PathBuf)>,
}

/// What was found on one side.
#[derive(Debug, Default)]
pub(super) struct Found {
    rows: Vec<Said>,
    /// In files that the change does not touch, by a checker that compiles the whole project.
    elsewhere: Vec<Said>,
    /// Whatever compiles the whole project has finished.
    unfinished: bool,
    pending: BTreeSet<String>,
    unheard: Unheard,
    /// Somebody needs more time.
    late: bool,
    not_covered: Vec<String>,
    limits: Limits,
    answer: Option<Answer<()>>,
}

/// The servers of some files, each with those it has, and why some have none.
#[derive(Debug, Default)]
pub(super) struct Checkers {
    pub(super) groups: Groups,
    pub(super) found: Found,
}

impl Sides {
    pub(super) fn of(plan: &Plan) -> Self {
        let side = |there: fn(&orienteer_edit::Change) -> bool| {
            plan.changes.iter().filter(|change| there(change)).map(|change| change.path.clone()).collect()
        };
        let moved =
            |preview: &orienteer_edit::Preview| Some((preview.path.clone(), preview.new_path.clone()?));
        Self {
            before: side(|change| change.before.is_some()),
            after: side(|change| change.after.is_some()),
            moved: plan.previews.iter().filter_map(moved).collect(),
        }
    }

    /// What is there on the second side and was not on the first, and the other way round. Of what a checker finds in files that
    /// it has not finished with on both sides nothing is said.
    pub(super) fn compare(
        self,
        mut before: Found,
        mut after: Found,
        roots: &Roots,
    ) -> (Answer<()>, DiagnosticsDelta) {
        let moved: HashMap<String, String> =
            self.moved.iter().map(|(from, to)| (roots.show(from), roots.show(to))).collect();
        let now = |path: &String| moved.get(path).unwrap_or(path).clone();
        for (_, row) in &mut before.rows {
            row.file_path = now(&row.file_path);
        }
        let mut unheard = std::mem::take(&mut before.unheard).renamed(now);
        unheard.add_all(&after.unheard);
        let mut pending: BTreeSet<String> = before.pending.iter().map(now).collect();
        pending.append(&mut after.pending);
        if !before.unfinished && !after.unfinished {
            before.rows.append(&mut before.elsewhere);
            after.rows.append(&mut after.elsewhere);
        }
        let known =
            |rows: Vec<Said>| -> Vec<Said> { rows.into_iter().filter(|said| !unheard.has(said)).collect() };
        let delta = compare(&known(before.rows), &known(after.rows), Severity::Hint);
        let mut not_covered = before.not_covered;
        not_covered.append(&mut after.not_covered);
        let mut answer = after.answer.or(before.answer).unwrap_or_else(unchecked);
        if before.late || after.late || before.unfinished || after.unfinished {
            let late = Completeness::Partial { reason: Reason::Timeout, retry_after_ms: Some(2_000) };
            answer.completeness = answer.completeness.and(late);
        }
        if !not_covered.is_empty() || !pending.is_empty() {
            answer.completeness = answer.completeness.and(Completeness::partial(Reason::NotChecked));
        }
        // Who finds less than a compiler has looked at everything all the same.
        not_covered
            .extend([&before.limits, &after.limits].into_iter().filter_map(|limits| limits.told(roots)));
        not_covered.sort_unstable();
        not_covered.dedup();
        (answer, DiagnosticsDelta { delta, pending_files: pending.into_iter().collect(), not_covered })
    }

    /// Nothing is known of any file.
    pub(super) fn unknown(&self, roots: &Roots, why: &str) -> DiagnosticsDelta {
        DiagnosticsDelta {
            pending_files: self.after.iter().map(|path| roots.show(path)).collect(),
            not_covered: vec![why.to_owned()],
            ..DiagnosticsDelta::default()
        }
    }
}

/// An answer that nobody has checked.
pub(super) fn unchecked() -> Answer<()> {
    Answer::new((), Completeness::partial(Reason::NotChecked), Source::Text)
}

impl Found {
    pub(super) fn not_covered(&mut self, what: impl Into<String>) {
        self.not_covered.push(what.into());
    }

    /// Takes over how far a server can be trusted, and with which files.
    pub(super) fn saw(&mut self, lease: &Lease, files: &[PathBuf], seen: &Seen) {
        self.limits.note(lease, files);
        let framed = frame(lease, seen, Vec::new());
        self.answer = Some(match self.answer.take() {
            None => framed,
            Some(before) => of_both(before, framed),
        });
    }
}

impl Session {
    /// What checkers say about files as they are on disk now.
    pub(super) async fn findings(
        &self,
        files: &[PathBuf],
        wait: Option<Duration>,
        cancel: &Cancel,
    ) -> Result<Found, Problem> {
        let Checkers { groups, mut found } = self.checkers(files).await;
        let patience = &self.patience(Some(wait.unwrap_or(WAIT)), cancel);
        let asked = groups.into_values().map(|(lease, files)| async move {
            let checked = lease.check(&files, patience).await;
            (lease, files, checked)
        });
        for (lease, files, checked) in futures::future::join_all(asked).await {
            let heard = match checked {
                Ok(heard) => heard,
                Err(Failure::Cancelled) => return Err(problem(Failure::Cancelled)),
                Err(failure) => {
                    self.unheard(&mut found, &files, &failure);
                    continue;
                }
            };
            found.saw(&lease, &files, &heard.seen);
            found.unfinished |= heard.value.compiled == Some(false);
            let ready = heard.seen.ready;
            self.take_checks(&mut found, &lease, heard.value.files, ready, cancel).await?;
            found.elsewhere.extend(self.diagnostics_of(&lease, heard.value.elsewhere, cancel).await?);
        }
        Ok(found)
    }

    /// Which servers check which files. None is started yet.
    pub(super) async fn checkers(&self, files: &[PathBuf]) -> Checkers {
        let mut checkers = Checkers::default();
        let found = &mut checkers.found;
        if files.len() > MOST_FILES {
            found.not_covered(format!(
                "{} files were not checked: {MOST_FILES} are at one time",
                files.len() - MOST_FILES
            ));
        }
        for file in files.iter().take(MOST_FILES) {
            for checker in self.checkers_of(file).await {
                match checker {
                    Ok(lease) => checkers.groups.add(lease, file),
                    Err(Failure::NoServer { .. }) => {
                        found.not_covered(format!("no language server checks {}", self.roots().show(file)));
                    }
                    Err(failure) => self.unheard(found, std::slice::from_ref(file), &failure),
                }
            }
        }
        checkers
    }

    /// Files whose server gave no answer: nothing is known of them.
    pub(super) fn unheard(&self, found: &mut Found, files: &[PathBuf], failure: &Failure) {
        for path in files {
            found.unheard.add(failure.server_id(), self.roots().show(path));
            found.pending.insert(self.roots().show(path));
        }
        found.late |= matches!(failure, Failure::Timeout { .. } | Failure::NotReady { .. });
        let message = problem(failure.clone()).message;
        if !found.not_covered.contains(&message) {
            found.not_covered(message);
        }
    }

    /// Adds what a server said about files; those it has not finished with are pending.
    pub(super) async fn take_checks(
        &self,
        found: &mut Found,
        lease: &Lease,
        checks: Vec<FileCheck>,
        ready: bool,
        cancel: &Cancel,
    ) -> Result<(), Problem> {
        let mut findings = Vec::new();
        for check in checks {
            if !check.done || !ready {
                let shown = self.roots().show(&check.path);
                found.unheard.add(Some(lease.server_id()), shown.clone());
                match check.passed_over {
                    // Waiting would not help.
                    Some(why) if ready => {
                        found.not_covered(format!("{} of {shown}: {why}", lease.server_id()))
                    }
                    _ => found.late = true,
                }
                found.pending.insert(shown);
            }
            findings.extend(check.findings);
        }
        found.rows.extend(self.diagnostics_of(lease, findings, cancel).await?);
        Ok(())
    }

    async fn diagnostics_of(
        &self,
        lease: &Lease,
        findings: Vec<Finding>,
        cancel: &Cancel,
    ) -> Result<Vec<Said>, Problem> {
        if findings.is_empty() {
            return Ok(Vec::new());
        }
        let id: Arc<str> = Arc::from(lease.server_id());
        let convert = move |scenery: &mut crate::scenery::Scenery<'_>| {
            Ok(findings.iter().map(|finding| (id.clone(), diagnostic(scenery, finding))).collect())
        };
        self.sketch(cancel, false, convert).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use orienteer_base::code::Diagnostic;
    use orienteer_base::{Position, Range};

    fn row(file: &str, message: &str) -> Said {
        by("checker", file, message)
    }

    fn by(checker: &str, file: &str, message: &str) -> Said {
        let at = Position::new(1, 1);
        let diagnostic = Diagnostic {
            file_path: file.to_owned(),
            range: Range { start: at, end: at },
            severity: Severity::Error,
            code: None,
            message: message.to_owned(),
            source: None,
            related: Vec::new(),
            fixes: Vec::new(),
        };
        (Arc::from(checker), diagnostic)
    }

    fn checked(rows: Vec<Said>, pending: &[&str]) -> Found {
        let mut unheard = Unheard::default();
        pending.iter().for_each(|path| unheard.add(Some("checker"), (*path).to_owned()));
        Found {
            rows,
            unheard,
            late: !pending.is_empty(),
            pending: pending.iter().map(|path| (*path).to_owned()).collect(),
            answer: Some(Answer::new((), Completeness::Complete, Source::Lsp)),
            ..Found::default()
        }
    }

    fn compared(before: Found, after: Found) -> (Completeness, Vec<String>, Vec<String>, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        let roots = Roots::new(folder.path(), &[]).unwrap();
        let root = roots.workspace();
        let moved = vec![(root.join("old.rs"), root.join("new.rs"))];
        let sides = Sides { before: Vec::new(), after: Vec::new(), moved };
        let (answer, delta) = sides.compare(before, after, &roots);
        let told = |rows: &[Diagnostic]| {
            rows.iter().map(|row| format!("{} {}", row.file_path, row.message)).collect()
        };
        (answer.completeness, told(&delta.delta.new), told(&delta.delta.fixed), delta.pending_files)
    }

    #[test]
    fn a_finding_of_a_file_that_moved_stayed() {
        let before = checked(vec![row("old.rs", "unused"), row("a.rs", "gone")], &[]);
        let after = checked(vec![row("new.rs", "unused"), row("a.rs", "came")], &[]);
        let (completeness, new, fixed, pending) = compared(before, after);
        assert_eq!((new, fixed), (vec!["a.rs came".to_owned()], vec!["a.rs gone".to_owned()]));
        assert!(completeness.is_complete() && pending.is_empty());
    }

    #[test]
    fn of_what_is_pending_on_either_side_nothing_is_said() {
        let before = checked(vec![row("a.rs", "one"), row("b.rs", "two")], &["old.rs"]);
        let after = checked(vec![row("new.rs", "three")], &["a.rs"]);
        let (completeness, new, fixed, pending) = compared(before, after);
        assert_eq!((new, fixed), (Vec::new(), vec!["b.rs two".to_owned()]));
        assert_eq!(pending, ["a.rs", "new.rs"]);
        assert!(!completeness.is_complete());
    }

    #[test]
    fn what_others_find_there_is_said() {
        let before = checked(vec![by("other", "a.rs", "stays"), row("a.rs", "old")], &["a.rs"]);
        let after = checked(vec![by("other", "a.rs", "stays"), by("other", "a.rs", "came")], &["a.rs"]);
        let (completeness, new, fixed, pending) = compared(before, after);
        assert_eq!((new, fixed, pending), (vec!["a.rs came".to_owned()], vec![], vec!["a.rs".to_owned()]));
        assert_eq!(
            completeness,
            Completeness::Partial { reason: Reason::Timeout, retry_after_ms: Some(2_000) }
        );
        // Who cannot look at all needs no time.
        let passed_over = || Found { late: false, ..checked(Vec::new(), &["a.rs"]) };
        let (completeness, ..) = compared(passed_over(), passed_over());
        assert_eq!(completeness, Completeness::partial(Reason::NotChecked));
    }

    #[test]
    fn what_nobody_checked_is_not_clean() {
        let mut before = checked(Vec::new(), &[]);
        before.not_covered("no language server checks a.md");
        let (completeness, new, fixed, _) = compared(before, checked(Vec::new(), &[]));
        assert!(new.is_empty() && fixed.is_empty());
        assert_eq!(completeness, Completeness::partial(Reason::NotChecked));
    }

    #[test]
    fn files_elsewhere_count_only_when_both_runs_have_finished() {
        let with = |elsewhere: &str, unfinished| Found {
            elsewhere: vec![row("user.rs", elsewhere)],
            unfinished,
            ..checked(Vec::new(), &[])
        };
        let (_, new, fixed, _) = compared(with("old", false), with("new", false));
        assert_eq!((new.len(), fixed.len()), (1, 1));
        let (completeness, new, fixed, _) = compared(with("old", false), with("new", true));
        assert_eq!((new.len(), fixed.len()), (0, 0));
        assert!(!completeness.is_complete());
    }
}
