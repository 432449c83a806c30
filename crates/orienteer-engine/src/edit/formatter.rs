//! Which program formats this language, and what does it make of a text?
//!
//! They are used where a language server does not format. Each gets the text on its standard input, runs in the file's
//! folder so that it finds the project's settings, within a time and with few variables, and never through a shell. A
//! program that the project brings along runs only when the user trusts the project.

mod table;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use orienteer_base::{Cancel, ErrorKind, Language, Problem, Stopped};
use orienteer_process::{
    CancellationToken, DEFAULT_ALLOWED, Environment, Finished, ProcessError, ProcessSpec,
};

use crate::Session;
use table::{Program, programs};

const PATIENCE: Duration = Duration::from_secs(30);

/// What a formatter may say about what is wrong.
const ERRORS: usize = 64 << 10;

/// What is shown of it.
const TOLD: usize = 1_000;

/// Besides what every program gets: where toolchains and their settings are.
const VARIABLES: &[&str] = &[
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "CARGO_HOME",
    "GOROOT",
    "GOPATH",
    "NODE_*",
    "NVM_*",
    "VOLTA_HOME",
    "FNM_*",
    "ASDF_*",
    "MISE_*",
    "PYENV_*",
    "VIRTUAL_ENV",
];

/// What a formatter made of a text.
#[derive(Debug)]
pub(super) struct Formatted {
    pub(super) text: String,
    /// `gofmt`, `ruff format`.
    pub(super) by: String,
}

impl Session {
    /// Formats a text with the first program of its language that is installed.
    pub(super) async fn format_with_program(
        &self,
        file: &Path,
        language: &'static Language,
        text: &str,
        cancel: &Cancel,
    ) -> Result<Formatted, Problem> {
        let folder = file.parent().unwrap_or(self.roots().workspace());
        let known: Vec<&Program> = programs(language.id, file).collect();
        let mut refused = None;
        for program in &known {
            let Some((path, is_local)) = self.program(program, folder) else { continue };
            if let Some(why) = self.untrusted(program, folder, is_local) {
                refused.get_or_insert(why);
                continue;
            }
            let args = (program.args)(file);
            let finished = self.run_formatter(program, path, args, folder, text, cancel).await?;
            return read(program, finished, self.roots().show(file));
        }
        Err(refused.unwrap_or_else(|| self.missing(language, &known)))
    }

    /// Where a program is: the project's own where it may run, or one in PATH.
    fn program(&self, program: &Program, folder: &Path) -> Option<(PathBuf, bool)> {
        let environment = &self.engine().environment;
        if self.engine().trusts_project {
            let inside = folder.ancestors().take_while(|folder| self.roots().contains(folder));
            for folder in inside {
                for place in program.local {
                    if let Some(found) = environment.which(folder.join(place), folder).into_iter().next() {
                        return Some((found, true));
                    }
                }
            }
        }
        environment.which(program.name, folder).into_iter().next().map(|path| (path, false))
    }

    /// Why a program must not run here: it would run code that the project brings along as its settings.
    fn untrusted(&self, program: &Program, folder: &Path, is_local: bool) -> Option<Problem> {
        if self.engine().trusts_project || is_local {
            return None;
        }
        let inside = folder.ancestors().take_while(|folder| self.roots().contains(folder));
        let code = inside.flat_map(|folder| (program.runs)(folder)).next()?;
        let message = format!(
            "`{}` would run `{}`, which belongs to the project; trust the project with `orienteer trust` first",
            program.name,
            self.roots().show(&code)
        );
        Some(Problem::new(ErrorKind::NotEnabled, message).detail("untrusted_project"))
    }

    async fn run_formatter(
        &self,
        program: &Program,
        path: PathBuf,
        args: Vec<OsString>,
        folder: &Path,
        text: &str,
        cancel: &Cancel,
    ) -> Result<Finished, Problem> {
        let all = &self.engine().environment;
        let chosen = all.allow_list(DEFAULT_ALLOWED).merged_with(all.allow_list(VARIABLES));
        let chosen = Environment::from_pairs(chosen.iter());
        cancel.say(format!("running `{}`", program.shown));
        let spec = ProcessSpec::new(path, folder, chosen)
            .args(args)
            .timeout(PATIENCE)
            .stdin(text.as_bytes())
            // A formatter that makes four times as much of a text is none.
            .stdout_limit(text.len() * 4 + (1 << 20))
            .stderr_limit(ERRORS);
        let token = CancellationToken::new();
        let _ends = token.clone().drop_guard();
        match self.engine().launcher.run(&spec, &token).await {
            Ok(finished) => Ok(finished),
            Err(ProcessError::Cancelled { .. }) => Err(Stopped.into()),
            Err(ProcessError::TimedOut { stderr_tail, .. }) => {
                let message =
                    format!("`{}` did not end within {} seconds", program.shown, PATIENCE.as_secs());
                Err(Problem::new(ErrorKind::Timeout, message)
                    .detail("formatter_timeout")
                    .fact("stderr", tail(&stderr_tail)))
            }
            Err(error) => {
                let message = format!("`{}` cannot be run: {error}", program.shown);
                Err(Problem::new(ErrorKind::InternalError, message).detail("formatter_failed"))
            }
        }
    }

    fn missing(&self, language: &'static Language, known: &[&Program]) -> Problem {
        let Some(first) = known.first() else {
            let message =
                format!("no formatter is known here for {}, and its language server has none", language.id);
            return Problem::new(ErrorKind::Unsupported, message).detail("no_formatter");
        };
        let names: Vec<String> = known.iter().map(|program| program.name.to_owned()).collect();
        let message = format!(
            "nothing here formats {}: its language server does not, and {} is not installed",
            language.id,
            names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" or ")
        );
        let looked_in: Vec<String> =
            self.engine().environment.search_path().iter().map(|path| path.display().to_string()).collect();
        Problem::new(ErrorKind::PrerequisiteMissing, message)
            .detail("no_formatter")
            .fact("missing", names)
            .fact("suggestion", first.hint)
            .fact("checked_paths", looked_in)
    }
}

fn read(program: &Program, finished: Finished, shown: String) -> Result<Formatted, Problem> {
    let failed = |why: String| {
        let message = format!("`{}` could not format `{shown}`: {why}", program.shown);
        let problem = Problem::new(ErrorKind::InvalidParams, message).detail("formatter_failed");
        let problem = problem.fact("formatter", program.shown).fact("stderr", tail(&finished.stderr.text()));
        match finished.status.code() {
            Some(code) => problem.fact("exit_code", i64::from(code)),
            None => problem,
        }
    };
    if !finished.status.success() {
        let said = tail(&finished.stderr.text());
        let said = if said.is_empty() { tail(&finished.stdout.text()) } else { said };
        return Err(failed(if said.is_empty() { "it gave no reason".to_owned() } else { said }));
    }
    if finished.stdout.truncated || !finished.stdout.complete {
        return Err(failed("it wrote more than a formatted text can be, or its output broke off".to_owned()));
    }
    let Ok(text) = std::str::from_utf8(&finished.stdout.bytes) else {
        return Err(failed("what it wrote is not UTF-8".to_owned()));
    };
    // Whatever it did, it was not formatting.
    if text.trim().is_empty() {
        return Err(failed("it wrote nothing".to_owned()));
    }
    Ok(Formatted { text: text.to_owned(), by: program.shown.to_owned() })
}

fn tail(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(TOLD) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}
