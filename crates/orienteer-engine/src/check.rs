//! What does the compiler itself say about a whole project?
//!
//! Language servers answer for files they have seen; a compiler's own command line answers for the project, as it
//! would on the build machine. Each checker runs in its project's folder, with few variables, within one deadline
//! for all of them, and is ended with everything it started when nobody waits any more.
//!
//! What ran is part of the report. A checker that is missing, failed or ran out of time never looks like one that
//! found nothing, and neither does a project that no checker is for.
//!
//! | module | question it answers |
//! | --- | --- |
//! | `check/projects` | Which projects are asked about? |
//! | `check/run` | How does one checker run to its end, and with which variables? |
//! | `check/cargo`, `check/tsc`, `check/pyright` | How is this one asked, and what does its output say? |
//! | `check/python`, `check/types` | Which Python project is it, and what does pyright say about one path of it? |
//! | `check/sources` | Where is what a checker points at, as agents count and write it? |
//! | `check/json` | What do the JSON documents of the checkers say? |

mod cargo;
mod json;
mod projects;
mod pyright;
mod python;
mod run;
mod sources;
mod tsc;
mod types;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use orienteer_base::code::{CheckState, Diagnostic};
use orienteer_base::{Cancel, Problem, RootedPath, Roots};
use orienteer_process::{CancellationToken, Environment, Launcher};

use crate::blocking::blocking;
pub use python::{PythonProject, python_root};
use run::Runner;
pub use types::{TypeReport, TypeRun};

pub use json::parse_lenient;

/// What a check needs to run.
///
/// Checkers execute code of the project: Cargo its build scripts and macros, `tsc` and `pyright` their
/// configuration's plug-ins and interpreters. Whether a project may be checked at all is the caller's decision.
#[derive(Debug, Clone, Copy)]
pub struct CompilerCheck<'a> {
    pub launcher: &'a Launcher,
    /// The snapshot that programs are looked up in and get their variables from.
    pub environment: &'a Environment,
    pub roots: &'a Roots,
    /// For all checkers together.
    pub timeout: Duration,
    /// Whether the user trusts the project: programs that it brings along (`node_modules/.bin`, `.venv/bin`) may be started,
    /// which are preferred then, and so may checkers that run its build scripts and macros.
    pub allow_local: bool,
}

/// What the compilers said, and which of them did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CompilerReport {
    /// In order of path and place. Whole projects are checked, so also other files than those asked about have some.
    pub diagnostics: Vec<Diagnostic>,
    /// Every checker that a project is for, also those that could not run.
    pub ran: Vec<RanChecker>,
    /// What was asked about and not checked, and why.
    pub left_out: Vec<String>,
}

/// One checker in one project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RanChecker {
    /// `cargo`, `tsc` or `pyright`.
    pub name: &'static str,
    /// The command line, as one would type it.
    pub command: String,
    /// The folder it ran in, as shown.
    pub root: String,
    pub status: CheckerStatus,
    pub elapsed: Duration,
    /// It wrote more than is kept: some of what it found is missing.
    pub truncated: bool,
    /// Lines of its output that are nothing we know.
    pub unread_lines: usize,
}

/// How a checker ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckerStatus {
    /// It looked at everything it could, whatever it found.
    Finished,
    /// It could not do its work. What it found before that is in the report.
    Failed { exit_code: Option<i32>, stderr_tail: String },
    /// The deadline passed. The last words often say what it waited for, such as Cargo's lock.
    TimedOut { stderr_tail: String },
    /// There is no such program.
    NotInstalled { looked_in: Vec<PathBuf>, hint: String },
    /// It would run code of the project, which the user does not trust.
    NeedsTrust,
}

/// What a report amounts to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Every project that was asked about was checked, and nothing was found.
    Clean,
    /// Something was found; whether that is all, [`CompilerReport::is_complete`] tells.
    Issues,
    /// Nothing was found by what ran, and not everything ran: this says nothing.
    Incomplete,
    /// No checker ran to its end: there is none for these files, or none is installed.
    NothingRan,
}

impl RanChecker {
    /// Whether what it found is all there is.
    pub fn is_complete(&self) -> bool {
        self.status == CheckerStatus::Finished && !self.truncated
    }
}

impl CompilerReport {
    /// Whether everything that was asked about was checked to the end.
    pub fn is_complete(&self) -> bool {
        !self.ran.is_empty() && self.left_out.is_empty() && self.ran.iter().all(RanChecker::is_complete)
    }

    pub fn verdict(&self) -> Verdict {
        let finished = |ran: &RanChecker| ran.status == CheckerStatus::Finished;
        match () {
            () if !self.diagnostics.is_empty() => Verdict::Issues,
            () if self.is_complete() => Verdict::Clean,
            () if !self.ran.iter().any(finished) => Verdict::NothingRan,
            () => Verdict::Incomplete,
        }
    }

    /// The verdict in the words of an answer, in which whatever is not known counts as pending.
    pub fn state(&self) -> CheckState {
        match self.verdict() {
            Verdict::Clean => CheckState::Clean,
            Verdict::Issues => CheckState::Issues,
            Verdict::Incomplete | Verdict::NothingRan => CheckState::Pending,
        }
    }
}

/// What one checker adds to the report.
#[derive(Debug, Default)]
struct Part {
    diagnostics: Vec<Diagnostic>,
    ran: Vec<RanChecker>,
    left_out: Vec<String>,
}

/// How long a cancelled call may go unnoticed.
const POLL: Duration = Duration::from_millis(20);

impl CompilerCheck<'_> {
    /// Whether what lies in a folder may run: trust is given to the workspace, not to other roots.
    fn trusts(&self, folder: &Path) -> bool {
        self.allow_local && folder.starts_with(self.roots.workspace())
    }

    /// Checks the projects that hold `scope`: folders with all projects below them, and files.
    ///
    /// # Errors
    ///
    /// When cancelled, and when a folder cannot be walked. A checker that fails is part of the report.
    pub async fn run(&self, scope: &[RootedPath], cancel: &Cancel) -> Result<CompilerReport, Problem> {
        let deadline = Instant::now() + self.timeout;
        let token = CancellationToken::new();
        // Dropping the future ends the programs by itself; this is for a flag that is set from elsewhere.
        let _stop = token.clone().drop_guard();
        let runner = Runner { check: *self, token: &token, cancel, deadline };
        tokio::select! {
            report = self.all(scope, &runner) => report,
            () = watch(cancel, &token) => Err(orienteer_base::Stopped.into()),
        }
    }

    async fn all(&self, scope: &[RootedPath], runner: &Runner<'_>) -> Result<CompilerReport, Problem> {
        let (roots, paths, flag) = (self.roots.clone(), scope.to_vec(), runner.cancel.clone());
        let projects = blocking(runner.cancel, move || projects::find(&roots, &paths, &flag)).await?;
        let parts = tokio::join!(
            cargo::check(runner, &projects.cargo),
            tsc::check(runner, &projects.typescript, &projects.named_typescript),
            pyright::check(runner, &projects.python),
        );
        runner.cancel.check()?;
        let mut report = CompilerReport { left_out: projects.left_out, ..CompilerReport::default() };
        for part in [parts.0?, parts.1?, parts.2?] {
            report.diagnostics.extend(part.diagnostics);
            report.ran.extend(part.ran);
            report.left_out.extend(part.left_out);
        }
        tidy(&mut report.diagnostics);
        Ok(report)
    }
}

/// Ends the programs when the flag is set. It does not return then: the work is let go on, and returns when its programs
/// have ended.
async fn watch(cancel: &Cancel, token: &CancellationToken) {
    while !cancel.is_cancelled() {
        tokio::time::sleep(POLL).await;
    }
    token.cancel();
    std::future::pending::<()>().await
}

/// Puts findings in order and each of them once: compilers tell the same about a library and about its tests, and
/// about a file that two projects share. Of two the one that explains more stays.
fn tidy(diagnostics: &mut Vec<Diagnostic>) {
    let place =
        |d: &Diagnostic| (d.file_path.clone(), d.range, d.severity, d.code.clone(), d.message.clone());
    diagnostics.sort_by_cached_key(|d| {
        let explained = d.related.len() + d.fixes.len();
        (place(d), d.source.clone(), std::cmp::Reverse(explained), d.related.clone(), d.fixes.clone())
    });
    diagnostics.dedup_by(|one, other| {
        (&one.file_path, one.range, one.severity) == (&other.file_path, other.range, other.severity)
            && (&one.code, &one.message, &one.source) == (&other.code, &other.message, &other.source)
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use orienteer_base::code::{Related, Severity};
    use orienteer_base::{Position, Range};

    fn ran(status: CheckerStatus) -> RanChecker {
        RanChecker {
            name: "cargo",
            command: String::new(),
            root: ".".to_owned(),
            status,
            elapsed: Duration::ZERO,
            truncated: false,
            unread_lines: 0,
        }
    }

    fn diagnostic(file_path: &str, line: u32, message: &str) -> Diagnostic {
        let start = Position::new(line, 1);
        Diagnostic {
            file_path: file_path.to_owned(),
            range: Range { start, end: start },
            severity: Severity::Error,
            code: None,
            message: message.to_owned(),
            source: Some("cargo".to_owned()),
            related: Vec::new(),
            fixes: Vec::new(),
        }
    }

    #[test]
    fn only_a_whole_check_without_findings_is_clean() {
        let report = |ran: Vec<RanChecker>| CompilerReport { ran, ..CompilerReport::default() };
        let missing = || ran(CheckerStatus::NotInstalled { looked_in: Vec::new(), hint: String::new() });
        let slow = || ran(CheckerStatus::TimedOut { stderr_tail: String::new() });
        let failed = || ran(CheckerStatus::Failed { exit_code: Some(1), stderr_tail: String::new() });
        let finished = || ran(CheckerStatus::Finished);
        assert_eq!(report(vec![]).verdict(), Verdict::NothingRan);
        for other in [missing(), slow(), failed()] {
            assert_eq!(report(vec![other.clone()]).verdict(), Verdict::NothingRan);
            assert_eq!(report(vec![finished(), other]).verdict(), Verdict::Incomplete);
        }
        assert_eq!(report(vec![finished(), finished()]).verdict(), Verdict::Clean);
        let cut = RanChecker { truncated: true, ..finished() };
        assert_eq!(report(vec![cut]).verdict(), Verdict::Incomplete);
        let partly = CompilerReport { left_out: vec!["x".to_owned()], ..report(vec![finished()]) };
        assert_eq!((partly.verdict(), partly.state()), (Verdict::Incomplete, CheckState::Pending));
        let found = CompilerReport { diagnostics: vec![diagnostic("a", 1, "m")], ..report(vec![slow()]) };
        assert_eq!((found.verdict(), found.is_complete()), (Verdict::Issues, false));
    }

    #[test]
    fn findings_are_ordered_and_told_once() {
        let explained = Diagnostic {
            related: vec![Related {
                file_path: "z".to_owned(),
                line: 1,
                column: 1,
                message: "see".to_owned(),
            }],
            ..diagnostic("b", 2, "twice")
        };
        let mut all = vec![
            diagnostic("b", 10, "x"),
            diagnostic("b", 2, "twice"),
            explained.clone(),
            diagnostic("a", 3, "y"),
            diagnostic("b", 2, "once"),
        ];
        tidy(&mut all);
        let shown: Vec<_> =
            all.iter().map(|d| (d.file_path.as_str(), d.range.start.line, d.message.as_str())).collect();
        assert_eq!(shown, [("a", 3, "y"), ("b", 2, "once"), ("b", 2, "twice"), ("b", 10, "x")]);
        assert_eq!(all[2], explained);
    }
}
