//! How does one checker run to its end, and with which variables?

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use orienteer_base::{Cancel, Problem, Stopped};
use orienteer_process::{
    CancellationToken, DEFAULT_ALLOWED, Environment, Finished, ProcessError, ProcessSpec,
};

use super::{CheckerStatus, CompilerCheck, RanChecker};

/// What one checker may write. More is a report that nobody reads; it is cut and the report says so.
const OUTPUT: usize = 64 << 20;
const ERRORS: usize = 4 << 20;
/// What is shown of the last words.
const TAIL: usize = 2_000;

/// What all checkers of one call share.
#[derive(Debug, Clone, Copy)]
pub(super) struct Runner<'a> {
    pub(super) check: CompilerCheck<'a>,
    pub(super) token: &'a CancellationToken,
    pub(super) cancel: &'a Cancel,
    pub(super) deadline: Instant,
}

/// One run of a checker.
#[derive(Debug)]
pub(super) struct Command {
    pub(super) name: &'static str,
    /// A bare name, or the path of a program that the project brings along.
    pub(super) program: OsString,
    pub(super) args: Vec<OsString>,
    pub(super) folder: PathBuf,
    pub(super) environment: Environment,
    /// How to install it.
    pub(super) hint: String,
}

/// A run and, if there was one, its output.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) ran: RanChecker,
    pub(super) output: Option<Finished>,
}

impl Runner<'_> {
    /// The variables a checker gets: what every program needs and what `names` adds, without credentials.
    pub(super) fn environment(&self, names: &[&str]) -> Environment {
        let all = self.check.environment;
        let chosen = all.allow_list(DEFAULT_ALLOWED).merged_with(all.allow_list(names));
        // `CARGO_REGISTRY_TOKEN` would reach every build script.
        Environment::from_pairs(chosen.iter().filter(|(name, _)| !is_credential(name)))
    }

    /// A command that is not run, because nobody trusts the project.
    pub(super) fn refused(&self, command: Command) -> RanChecker {
        RanChecker {
            name: command.name,
            command: shown(&command, self.check.roots.workspace()),
            root: self.check.roots.show(&command.folder),
            status: CheckerStatus::NeedsTrust,
            elapsed: Duration::ZERO,
            truncated: false,
            unread_lines: 0,
        }
    }

    pub(super) async fn run(&self, command: Command) -> Result<Outcome, Problem> {
        self.cancel.check()?;
        let by_place = || orienteer_lsp::program::chosen_by_place(&command.folder, self.check.roots);
        if !self.check.trusts(&command.folder) && by_place().is_some() {
            return Ok(Outcome { ran: self.refused(command), output: None });
        }
        let begin = Instant::now();
        let left = self.deadline.saturating_duration_since(begin);
        let root = self.check.roots.show(&command.folder);
        let shown = shown(&command, self.check.roots.workspace());
        self.cancel.say(format!("running `{}` in `{root}`", command.name));
        tracing::debug!(command = shown, cwd = %command.folder.display(), "checker started");
        let spec = ProcessSpec::new(command.program, command.folder, command.environment)
            .args(command.args)
            .timeout(left)
            .stdout_limit(OUTPUT)
            .stderr_limit(ERRORS);
        let result = match left {
            // Starting it only to end it would still let it write to the project.
            Duration::ZERO => Err(ProcessError::TimedOut {
                program: command.name.to_owned(),
                after: left,
                stderr_tail: "not started: the time was spent on other checkers".to_owned(),
            }),
            _ => self.check.launcher.run(&spec, self.token).await,
        };
        let (status, output) = match result {
            Ok(finished) => (CheckerStatus::Finished, Some(finished)),
            Err(ProcessError::Cancelled { .. }) => return Err(Stopped.into()),
            Err(ProcessError::TimedOut { stderr_tail, .. }) => {
                (CheckerStatus::TimedOut { stderr_tail: tail(&stderr_tail) }, None)
            }
            Err(ProcessError::NotFound { looked_in, .. }) => {
                (CheckerStatus::NotInstalled { looked_in, hint: command.hint }, None)
            }
            Err(error) => {
                (CheckerStatus::Failed { exit_code: None, stderr_tail: tail(&error.to_string()) }, None)
            }
        };
        if let Some(output) = output.as_ref().filter(|output| !output.stderr.text().trim().is_empty()) {
            tracing::debug!(stderr_output = tail(&output.stderr.text()), "checker wrote errors");
        }
        let cut = |output: &Finished| output.stdout.truncated || !output.stdout.complete;
        let ran = RanChecker {
            name: command.name,
            command: shown,
            root,
            status,
            elapsed: begin.elapsed(),
            truncated: output.as_ref().is_some_and(cut),
            unread_lines: 0,
        };
        Ok(Outcome { ran, output })
    }
}

impl Outcome {
    /// Turns a run that ended into one that failed, in its own words or, where it has none, in `otherwise`.
    pub(super) fn fail(&mut self, otherwise: &str) {
        let Some(output) = &self.output else { return };
        let words = [output.stderr.text(), output.stdout.text()];
        // Some write their errors to the standard output; what is JSON there explains nothing.
        let words =
            words.iter().map(|text| text.trim()).find(|text| !text.is_empty() && !text.starts_with('{'));
        self.ran.status = CheckerStatus::Failed {
            exit_code: output.status.code(),
            stderr_tail: tail(words.unwrap_or(otherwise)),
        };
    }
}

fn is_credential(name: &OsStr) -> bool {
    let name = name.to_string_lossy().to_ascii_uppercase();
    ["TOKEN", "SECRET", "PASSWORD", "CREDENTIAL"].iter().any(|word| name.contains(word))
}

/// The command line as a person would type it.
fn shown(command: &Command, workspace: &Path) -> String {
    let program = Path::new(&command.program);
    let program = program.strip_prefix(workspace).unwrap_or(program);
    let words = std::iter::once(program.as_os_str()).chain(command.args.iter().map(OsString::as_os_str));
    let quoted = words.map(|word| {
        let word = word.to_string_lossy();
        if word.contains([' ', '\'', '"', '$', '\\']) {
            format!("'{}'", word.replace('\'', "'\\''"))
        } else {
            word.into_owned()
        }
    });
    quoted.collect::<Vec<_>>().join(" ")
}

/// The end of what a program said, from the beginning of a line where there is one.
pub(super) fn tail(text: &str) -> String {
    let text = text.trim();
    let Some((at, _)) = text.char_indices().rev().nth(TAIL) else { return text.to_owned() };
    let end = &text[at..];
    end.split_once('\n').map_or(end, |(_, lines)| lines).to_owned()
}

/// The first program `names` lists that the project has in one of `folders`, looking upwards from `from`.
pub(super) fn local(
    check: &CompilerCheck<'_>,
    from: &Path,
    folders: &[&str],
    names: &[&str],
) -> Option<PathBuf> {
    let inside = from.ancestors().take_while(|folder| check.roots.contains(folder));
    let mut candidates = inside.flat_map(|folder| {
        folders.iter().flat_map(move |below| names.iter().map(move |name| folder.join(below).join(name)))
    });
    candidates.find_map(|program| check.environment.which(&program, from).into_iter().next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_stay_here() {
        for name in ["CARGO_REGISTRY_TOKEN", "CARGO_REGISTRIES_X_TOKEN", "cargo_secret_key"] {
            assert!(is_credential(OsStr::new(name)), "{name}");
        }
        assert!(!is_credential(OsStr::new("CARGO_HOME")) && !is_credential(OsStr::new("RUSTFLAGS")));
    }

    #[test]
    fn the_tail_begins_with_a_line() {
        assert_eq!(tail(" short \n"), "short");
        let long = format!("{}\nlast é line", "x".repeat(TAIL - 5));
        assert_eq!(tail(&long), "last é line");
        assert_eq!(tail(&"é".repeat(TAIL * 2)).chars().count(), TAIL + 1);
    }
}
