//! Do the types of a Python file or folder fit?
//!
//! pyright's command line is asked, which says the same every time; where it is not installed, its language server.

use std::time::{Duration, Instant};

use orienteer_base::answer::Warning;
use orienteer_base::ask::{CheckMode, CheckScope, DiagnosticsQuery, Window};
use orienteer_base::code::{CheckState, Diagnostic, Severity, Summary};
use orienteer_base::path::open_exactly;
use orienteer_base::{Answer, Cancel, Completeness, ErrorKind, Language, Problem, RootedPath, Source};

use crate::Session;
use crate::blocking::blocking;
use crate::check::{CompilerCheck, PythonProject, TypeRun};

/// How a path is checked.
#[derive(Debug, Clone)]
pub struct TypesQuery {
    /// A file or a folder.
    pub path: RootedPath,
    /// Such as `3.11`; otherwise what the project says.
    pub python_version: Option<String>,
    pub timeout: Duration,
    /// Findings that are told; all of them are counted.
    pub limit: usize,
}

/// What was found, errors to information.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypesChecked {
    /// In order of path and place.
    pub rows: Vec<Diagnostic>,
    pub total: usize,
    pub summary: Summary,
    pub files_analyzed: usize,
    pub time: Duration,
}

impl Session {
    /// What pyright says about a path of this session's workspace, which is taken for the project.
    pub async fn check_types(
        &self,
        query: TypesQuery,
        cancel: &Cancel,
    ) -> Result<Answer<TypesChecked>, Problem> {
        let path = query.path.absolute().to_owned();
        let other = Language::by_path(&path).filter(|language| language.id != "python");
        let not_python = match other {
            // Reading a pipe or a device may never end.
            _ if path.is_dir() => None,
            _ if !path.is_file() => Some("neither a file nor a folder"),
            other => other.map(|language| language.name).or_else(|| unknown(&path)),
        };
        if let Some(what) = not_python {
            let message = format!("`{}` is {what}, not Python", query.path.shown());
            return Err(Problem::invalid("path", "not_python", message));
        }
        let root = self.roots().workspace().to_owned();
        let project = blocking(cancel, move || Ok(PythonProject::read(&root))).await?;
        let python = self.engine().fleet.python(&project.root).await;
        let run = TypeRun {
            path: &path,
            project: &project,
            python_version: query.python_version.as_deref(),
            python: python.as_deref(),
        };
        match self.compiler(query.timeout).types(&run, cancel).await {
            Ok(report) => {
                let summary = Summary::of(&report.diagnostics);
                let total = report.diagnostics.len();
                let mut rows = report.diagnostics;
                rows.truncate(query.limit);
                let (files_analyzed, time) = (report.files_analyzed, report.time);
                let value = TypesChecked { rows, total, summary, files_analyzed, time };
                let mut answer = Answer::new(value, Completeness::Complete, Source::Lsp);
                answer.warnings.extend(unused_environment(&project, &run));
                Ok(answer)
            }
            Err(missing) if missing.detail == Some("checker_missing") => {
                self.checked_by_server(&query, missing, cancel).await
            }
            Err(problem) => Err(problem),
        }
    }

    /// Which pyright the command line is.
    pub async fn pyright_version(&self, timeout: Duration, cancel: &Cancel) -> Result<String, Problem> {
        self.compiler(timeout).pyright_version(cancel).await
    }

    fn compiler(&self, timeout: Duration) -> CompilerCheck<'_> {
        let engine = self.engine();
        CompilerCheck {
            launcher: &engine.launcher,
            environment: &engine.environment,
            roots: self.roots(),
            timeout,
            allow_local: engine.trusts_project,
        }
    }

    async fn checked_by_server(
        &self,
        query: &TypesQuery,
        missing: Problem,
        cancel: &Cancel,
    ) -> Result<Answer<TypesChecked>, Problem> {
        if query.python_version.is_some() {
            // The server checks with the version of its own choice, which would answer another question.
            let message = format!("{}, and only it can check with another Python version", missing.message);
            return Err(Problem { message, ..missing });
        }
        let begun = Instant::now();
        let asked = DiagnosticsQuery {
            scope: CheckScope::Files(vec![query.path.clone()]),
            mode: CheckMode::Server,
            minimum: Severity::Info,
            save_baseline: None,
            baseline: None,
            window: Window { skip: 0, limit: query.limit },
            wait: Some(query.timeout),
        };
        let answer = match self.diagnostics(asked, cancel).await {
            Ok(answer) => answer,
            Err(problem) if is_missing(problem.kind) => {
                let message = format!("{}, and {}", missing.message, problem.message);
                return Err(Problem { message, ..missing });
            }
            Err(problem) => return Err(problem),
        };
        if answer.value.state == CheckState::Pending || !answer.value.pending_files.is_empty() {
            let message = "the language server has not finished checking; ask again".to_owned();
            return Err(Problem::new(ErrorKind::NotReady, message).retry_after_ms(2_000));
        }
        let mut answer = answer.map(|found| TypesChecked {
            rows: found.rows,
            total: found.total,
            summary: found.summary,
            files_analyzed: found.files_checked,
            time: begun.elapsed(),
        });
        let message = format!("{}: the language server checked instead", missing.message);
        answer.warnings.push(Warning::new("checked_by_server", message));
        Ok(answer)
    }
}

fn is_missing(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::ServerUnavailable | ErrorKind::PrerequisiteMissing)
}

/// An environment whose libraries pyright does not see, because its interpreter may not be run: imports that look
/// missing may not be.
fn unused_environment(project: &PythonProject, run: &TypeRun<'_>) -> Option<Warning> {
    let venv = project.venv.as_deref()?;
    if run.python.is_some() || project.configures_venv {
        return None;
    }
    let message = format!(
        "`{}` was not used, so that imports of what is installed there look missing: it is run when git does not \
         track it, or after `orienteer trust`",
        venv.display()
    );
    Some(Warning::new("environment_not_used", message))
}

/// What a file is that is neither called like Python nor says that it is.
fn unknown(path: &std::path::Path) -> Option<&'static str> {
    use std::io::{BufRead, BufReader, Read};
    if Language::by_path(path).is_some() {
        return None;
    }
    let mut line = Vec::new();
    let head =
        open_exactly(path).ok().map(|file| BufReader::new(file.take(256)).read_until(b'\n', &mut line));
    let line = String::from_utf8_lossy(&line);
    let script = Language::by_first_line(line.trim_end()).is_some_and(|language| language.id == "python");
    (head.is_some() && !script).then_some("something else")
}
