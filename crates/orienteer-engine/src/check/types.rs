//! What does pyright's own command line say about one file or folder?
//!
//! Unlike a check of whole projects this one is about a path, and about pyright alone: a fork is not asked in its place.

use std::ffi::OsString;
use std::path::Path;
use std::time::{Duration, Instant};

use orienteer_base::code::{Diagnostic, Severity};
use orienteer_base::{Cancel, ErrorKind, Problem};
use orienteer_process::CancellationToken;

use super::pyright::{COUNTING, Parsed, VARIABLES, parse};
use super::python::{PythonProject, version};
use super::run::{Command, Outcome, Runner, local};
use super::sources::Sources;
use super::{CheckerStatus, CompilerCheck, watch};
use crate::blocking::blocking;

const NAME: &str = "pyright";
const LOCAL: [&str; 3] = [".venv/bin", "venv/bin", "node_modules/.bin"];
const HINT: &str = "npm install --global pyright, or pip install pyright";

/// How a path is checked.
#[derive(Debug, Clone, Copy)]
pub struct TypeRun<'a> {
    /// Canonical, a file or a folder.
    pub path: &'a Path,
    pub project: &'a PythonProject,
    /// What the caller says, which wins over everything else.
    pub python_version: Option<&'a str>,
    /// The interpreter of the project's environment, where it may be run.
    pub python: Option<&'a Path>,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypeReport {
    /// In order of path and place.
    pub diagnostics: Vec<Diagnostic>,
    pub files_analyzed: usize,
    /// As pyright measured it.
    pub time: Duration,
}

impl TypeRun<'_> {
    /// Behind the program's name. What the caller says counts most, then pyright's own configuration, then what was
    /// found out.
    pub fn arguments(&self) -> Vec<OsString> {
        let project = self.project;
        let mut args: Vec<OsString> = vec!["--outputjson".into()];
        let found = project.python_version.as_deref().filter(|_| !project.configures_version);
        if let Some(version) = self.python_version.or(found) {
            args.extend(["--pythonversion".into(), version.into()]);
        }
        let environments = project.venv.as_deref().and_then(Path::parent).unwrap_or(&project.root);
        match self.python {
            // It names the environment and not where it is.
            _ if project.configures_venv && !project.configures_venv_path => {
                args.extend(["--venvpath".into(), environments.into()]);
            }
            _ if project.configures_venv || project.configures_venv_path => {}
            // A folder of environments alone chooses none of them, and the two options exclude each other.
            Some(python) => args.extend(["--pythonpath".into(), python.into()]),
            None if project.venv.is_some() => args.extend(["--venvpath".into(), environments.into()]),
            None => {}
        }
        args.extend(["--project".into(), project.root.clone().into(), self.path.into()]);
        args
    }
}

impl CompilerCheck<'_> {
    /// Checks the types of one path.
    ///
    /// # Errors
    ///
    /// When pyright is not installed (`server_unavailable`), runs out of time, fails, or writes what is no report. A check
    /// of no files is a failure: it would look like one that found nothing.
    pub async fn types(&self, run: &TypeRun<'_>, cancel: &Cancel) -> Result<TypeReport, Problem> {
        let mut outcome = self.pyright(&run.project.root, run.arguments(), cancel).await?;
        let output = finished(&mut outcome, self.timeout)?;
        let (roots, root) = (self.roots.clone(), run.project.root.clone());
        let parsed = blocking(cancel, move || {
            let Some(parsed) = parse(&output) else { return Ok(None) };
            let mut sources = Sources::new(&roots, &root, COUNTING);
            let Parsed { findings, files, json, lost, .. } = parsed;
            let findings = findings.into_iter().filter(|finding| finding.severity < Severity::Hint);
            let mut diagnostics: Vec<Diagnostic> =
                findings.map(|finding| sources.diagnostic(finding, NAME)).collect();
            super::tidy(&mut diagnostics);
            let seconds = json.get("summary").and_then(|summary| summary.get("timeInSec")?.as_f64());
            let time = Duration::try_from_secs_f64(seconds.unwrap_or_default()).unwrap_or_default();
            Ok(Some((diagnostics, files, time, lost)))
        })
        .await?;
        let code = outcome.output.as_ref().and_then(|output| output.status.code());
        match parsed {
            None if matches!(code, Some(0 | 1)) => {
                Err(failed(&mut outcome, "checker_output", "its output is not the JSON that was asked for"))
            }
            _ if !matches!(code, Some(0 | 1)) => {
                Err(failed(&mut outcome, "checker_failed", "it ended without saying why"))
            }
            Some((_, Some(0), ..)) | None => Err(failed(
                &mut outcome,
                "checker_failed",
                "it found no Python files to check; look at `include` and `exclude` of its configuration",
            )),
            // None would be a finding: that nothing is wrong.
            Some((.., lost)) if lost > 0 => Err(failed(
                &mut outcome,
                "checker_output",
                &format!("{lost} of its findings could not be read"),
            )),
            Some((_, None, ..)) => {
                Err(failed(&mut outcome, "checker_output", "it does not say how many files it looked at"))
            }
            Some((diagnostics, Some(files), time, _)) => {
                Ok(TypeReport { diagnostics, files_analyzed: files as usize, time })
            }
        }
    }

    /// Which pyright there is.
    ///
    /// # Errors
    ///
    /// As for [`CompilerCheck::types`].
    pub async fn pyright_version(&self, cancel: &Cancel) -> Result<String, Problem> {
        let folder = self.roots.workspace().to_owned();
        let mut outcome = self.pyright(&folder, vec!["--version".into()], cancel).await?;
        let said = finished(&mut outcome, self.timeout)?;
        version(&said).ok_or_else(|| failed(&mut outcome, "checker_failed", "it does not say its version"))
    }

    async fn pyright(&self, root: &Path, args: Vec<OsString>, cancel: &Cancel) -> Result<Outcome, Problem> {
        let token = CancellationToken::new();
        let _stop = token.clone().drop_guard();
        let runner = Runner { check: *self, token: &token, cancel, deadline: Instant::now() + self.timeout };
        let own = local(self, root, &LOCAL, &[NAME]).filter(|_| self.trusts(root));
        let command = Command {
            name: NAME,
            program: own.map_or_else(|| NAME.into(), Into::into),
            args,
            folder: root.to_owned(),
            hint: HINT.to_owned(),
            environment: runner.environment(VARIABLES),
        };
        tokio::select! {
            outcome = runner.run(command) => outcome,
            () = watch(cancel, &token) => Err(orienteer_base::Stopped.into()),
        }
    }
}

/// What a run wrote, if it came to its end.
fn finished(outcome: &mut Outcome, timeout: Duration) -> Result<String, Problem> {
    if let Some(output) = &outcome.output {
        return Ok(output.stdout.text().into_owned());
    }
    let command = &outcome.ran.command;
    Err(match &outcome.ran.status {
        CheckerStatus::NotInstalled { looked_in, hint } => {
            let looked_in = looked_in.iter().map(|folder| folder.display().to_string()).collect::<Vec<_>>();
            Problem::new(ErrorKind::ServerUnavailable, "the command `pyright` was not found")
                .detail("checker_missing")
                .fact("install_hint", hint.clone())
                .fact("search_paths", looked_in)
        }
        CheckerStatus::TimedOut { .. } => {
            let message = format!("`{command}` did not finish within {} s", timeout.as_secs_f64());
            Problem::new(ErrorKind::Timeout, message).detail("checker_timeout")
        }
        _ => failed(outcome, "checker_failed", "it could not be started"),
    })
}

/// Why a run that ended is no report, in pyright's own words where it has any.
fn failed(outcome: &mut Outcome, detail: &'static str, otherwise: &str) -> Problem {
    outcome.fail(otherwise);
    let said = match &outcome.ran.status {
        CheckerStatus::Failed { stderr_tail, .. } => stderr_tail.as_str(),
        _ => otherwise,
    };
    let code = outcome.output.as_ref().and_then(|output| output.status.code());
    let code = code.map(|code| format!(" (exit code {code})")).unwrap_or_default();
    Problem::new(ErrorKind::InternalError, format!("`{}` failed{code}: {said}", outcome.ran.command))
        .detail(detail)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn arguments(project: &PythonProject, version: Option<&str>, python: Option<&str>) -> String {
        let python = python.map(Path::new);
        let run = TypeRun { path: Path::new("/p/src"), project, python_version: version, python };
        let args = run.arguments().into_iter().map(|arg| arg.to_string_lossy().into_owned());
        args.collect::<Vec<_>>().join(" ")
    }

    fn project() -> PythonProject {
        PythonProject { root: PathBuf::from("/p"), ..PythonProject::default() }
    }

    #[test]
    fn the_caller_counts_more_than_the_configuration_and_that_more_than_what_was_found() {
        let found = PythonProject { python_version: Some("3.9".to_owned()), ..project() };
        assert_eq!(arguments(&project(), None, None), "--outputjson --project /p /p/src");
        assert_eq!(arguments(&found, None, None), "--outputjson --pythonversion 3.9 --project /p /p/src");
        assert_eq!(
            arguments(&found, Some("3.11"), None),
            "--outputjson --pythonversion 3.11 --project /p /p/src"
        );
        let configured = PythonProject { configures_version: true, ..found };
        assert_eq!(arguments(&configured, None, None), "--outputjson --project /p /p/src");
        assert_eq!(
            arguments(&configured, Some("3.11"), None),
            "--outputjson --pythonversion 3.11 --project /p /p/src"
        );
    }

    #[test]
    fn the_environment_is_the_configured_one_or_the_one_that_was_found() {
        let found = PythonProject { venv: Some(PathBuf::from("/p/.venv")), ..project() };
        assert_eq!(arguments(&found, None, None), "--outputjson --venvpath /p --project /p /p/src");
        let python = Some("/p/.venv/bin/python");
        assert_eq!(
            arguments(&found, None, python),
            "--outputjson --pythonpath /p/.venv/bin/python --project /p /p/src"
        );
        let named = PythonProject { configures_venv: true, ..found.clone() };
        assert_eq!(arguments(&named, None, python), "--outputjson --venvpath /p --project /p /p/src");
        let placed = PythonProject { configures_venv_path: true, ..named };
        assert_eq!(arguments(&placed, None, python), "--outputjson --project /p /p/src");
    }
}
