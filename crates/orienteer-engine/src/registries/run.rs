//! How is a package manager asked, and what if it is missing?

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use orienteer_base::{Cancel, ErrorKind, Problem, private};
use orienteer_process::{
    CancellationToken, DEFAULT_ALLOWED, Environment, Finished, Launcher, ProcessError, ProcessSpec,
};

use crate::blocking::blocking;

/// Starting npm takes half a second, on a bad day five.
const PATIENCE: Duration = Duration::from_secs(30);
/// Lists of settings are short.
const OUTPUT: usize = 1 << 20;
/// A settings file that is longer is none.
const LONGEST_FILE: u64 = 1 << 20;

#[derive(Debug, Clone)]
pub(super) struct Runner {
    pub(super) launcher: Launcher,
    pub(super) environment: Environment,
    pub(super) folder: PathBuf,
}

/// One way of asking: a program and the arguments before the question.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tool {
    pub(super) program: &'static str,
    pub(super) before: &'static [&'static str],
    /// Variables it reads its settings from. An entry that ends in `*` stands for every name with that beginning.
    pub(super) variables: &'static [&'static str],
}

impl Runner {
    /// Runs the first of these tools that is there, with the same question.
    pub(super) async fn ask(
        &self,
        tools: &[Tool],
        question: &[&str],
        extra: &[(&str, &str)],
    ) -> Result<Option<Finished>, Problem> {
        for tool in tools {
            if let Some(finished) = self.ask_one(tool, question, extra).await? {
                return Ok(Some(finished));
            }
        }
        Ok(None)
    }

    /// Nothing when the tool is not installed.
    async fn ask_one(
        &self,
        tool: &Tool,
        question: &[&str],
        extra: &[(&str, &str)],
    ) -> Result<Option<Finished>, Problem> {
        self.make_folder().await?;
        let all = &self.environment;
        let chosen = all.allow_list(DEFAULT_ALLOWED).merged_with(all.allow_list(tool.variables));
        // Nobody who is only asked for an address needs a token.
        let is_token = |name: &OsStr| name.to_string_lossy().to_ascii_uppercase().contains("TOKEN");
        let mut environment = Environment::from_pairs(chosen.iter().filter(|(name, _)| !is_token(name)));
        for (name, value) in extra {
            environment = environment.with(*name, *value);
        }
        let arguments = tool.before.iter().chain(question).map(OsString::from);
        let spec = ProcessSpec::new(tool.program, &self.folder, environment)
            .args(arguments)
            .timeout(PATIENCE)
            .stdout_limit(OUTPUT)
            .stderr_limit(OUTPUT);
        match self.launcher.run(&spec, &CancellationToken::new()).await {
            // `python -m pip` without pip, and stand-ins that only say how to install something.
            Ok(finished) if is_missing_module(&finished) => Ok(None),
            Ok(finished) => Ok(Some(finished)),
            Err(ProcessError::NotFound { .. }) => Ok(None),
            Err(error) => Err(Problem::new(
                ErrorKind::PrerequisiteMissing,
                format!("`{}` could not be asked for its registry: {error}", tool.program),
            )),
        }
    }

    async fn make_folder(&self) -> Result<(), Problem> {
        let folder = self.folder.clone();
        blocking(&Cancel::new(), move || {
            private::folder(&folder).map_err(|error| {
                let message = format!("the folder {} cannot be made: {error}", folder.display());
                Problem::new(ErrorKind::InternalError, message)
            })
        })
        .await
    }

    /// The text of a settings file; nothing when there is none.
    pub(super) async fn file(&self, path: &Path) -> Option<String> {
        let path = path.to_path_buf();
        let read = move || {
            let is_short =
                std::fs::metadata(&path).is_ok_and(|data| data.is_file() && data.len() <= LONGEST_FILE);
            Ok(if is_short { std::fs::read_to_string(&path).ok() } else { None })
        };
        blocking(&Cancel::new(), read).await.ok().flatten()
    }

    /// A variable as text.
    pub(super) fn variable(&self, name: &str) -> Option<String> {
        let value = self.environment.get(name)?.to_str()?.trim();
        (!value.is_empty()).then(|| value.to_owned())
    }
}

fn is_missing_module(finished: &Finished) -> bool {
    !finished.status.success() && finished.stderr.text().contains("No module named pip")
}

/// None of the programs that could know is there.
pub(super) fn missing(programs: &[&str], what: &str, setting: &'static str) -> Problem {
    let names = programs.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" or ");
    let message = format!(
        "where {what} come from is not known: {names} would tell, and is not installed. Install it, or set `{setting}`"
    );
    Problem::new(ErrorKind::PrerequisiteMissing, message)
        .detail("package_manager")
        .fact("missing", programs.iter().map(|&name| name.to_owned()).collect::<Vec<_>>())
        .fact("setting", setting)
}

/// It is there, but what it says names no address.
pub(super) fn silent(program: &str, what: &str, setting: &'static str, said: &str) -> Problem {
    let said = said.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("nothing");
    let message = format!(
        "`{program}` does not name an address that {what} come from; it says: {}. Set `{setting}`",
        orienteer_base::error::cut(said)
    );
    Problem::new(ErrorKind::Unsupported, message).detail("no_registry").fact("setting", setting)
}
