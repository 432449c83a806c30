//! Which program formats this language, and what does it make of a text?
//!
//! They are used where a language server does not format. Each gets the text on its standard input, runs within a time
//! and with few variables, and never through a shell. In a project that the user trusts it runs in the file's folder, and
//! may be one that the project brings along. In others it runs in a folder that is nobody's, so that no manager of
//! versions starts what the project names, and its settings count as far as they are data.

mod editor_config;
mod glob;
mod prettier;
mod refusal;
mod table;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use orienteer_base::{Cancel, ErrorKind, Language, Problem, Stopped};
use orienteer_process::{
    CancellationToken, DEFAULT_ALLOWED, Environment, Finished, ProcessError, ProcessSpec,
};

use crate::Session;
use refusal::Refusal;
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
        for program in &known {
            let Some(path) = self.program(program, folder) else { continue };
            let finished = if self.trusts(folder) {
                self.run_formatter(program, path, (program.args)(file), folder, text, cancel).await?
            } else {
                // In another style than the project's it is not formatted: neither by this one nor by the next.
                let args = program.untrusted_args(file).map_err(|refusal| self.refused(program, &refusal))?;
                let neutral = folder.ancestors().last().unwrap_or(folder);
                self.run_formatter(program, path, args, neutral, text, cancel).await?
            };
            return read(program, finished, self.roots().show(file));
        }
        Err(self.missing(language, &known))
    }

    /// Whether the project's style is that of a program, whatever a language server would make of it. Svelte's server asks
    /// prettier itself.
    pub(super) fn is_styled_by_program(&self, file: &Path, language: &str) -> bool {
        let is_prettier = programs(language, file).next().is_some_and(|program| program.name == "prettier");
        is_prettier && language != "svelte" && prettier::is_configured(file)
    }

    /// Whether what a project configures for its formatter can be honoured.
    pub(super) fn honours_settings(&self, file: &Path, language: &str) -> Result<(), Problem> {
        for program in programs(language, file).filter(|_| !self.trusts(file)) {
            program.untrusted_args(file).map_err(|refusal| self.refused(program, &refusal))?;
        }
        Ok(())
    }

    /// Whether what lies there may run: trust is given to the workspace, not to other roots.
    fn trusts(&self, path: &Path) -> bool {
        self.engine().trusts_project && path.starts_with(self.roots().workspace())
    }

    /// Where a program is: the project's own where it may run, or one in PATH.
    fn program(&self, program: &Program, folder: &Path) -> Option<PathBuf> {
        let environment = &self.engine().environment;
        if self.trusts(folder) {
            let inside = folder.ancestors().take_while(|folder| self.roots().contains(folder));
            for folder in inside {
                for place in program.local {
                    if let Some(found) = environment.which(folder.join(place), folder).into_iter().next() {
                        return Some(found);
                    }
                }
            }
        }
        environment.which(program.name, folder).into_iter().next()
    }

    /// The project configures the program in a way that only its own code could honour.
    fn refused(&self, program: &Program, refusal: &Refusal) -> Problem {
        let file = self.roots().show(&refusal.file);
        let message = format!(
            "`{file}` configures `{}` and cannot be honoured without running code of the project: {}; nothing is formatted in \
             another style. Read it; if you trust the project, run `orienteer trust` in it",
            program.name, refusal.why
        );
        Problem::new(ErrorKind::NotEnabled, message)
            .detail("needs_trust")
            .fact("formatter", program.shown)
            .fact("configuration", file)
            .fact("suggestion", "orienteer trust")
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
