//! From what went wrong with a language server to a problem in everybody's words.

use std::path::{Path, PathBuf};

use orienteer_base::{Completeness, ErrorKind, Language, Problem, Reason};
use orienteer_lsp::Failure;

use crate::Session;

fn paths(paths: Vec<PathBuf>) -> Vec<String> {
    paths.into_iter().map(|path| path.display().to_string()).collect()
}

/// The problem a client sees.
pub(crate) fn problem(failure: Failure) -> Problem {
    let message = failure.to_string();
    let new = |kind| Problem::new(kind, message.clone());
    match failure {
        Failure::NoServer { extension, supported, .. } => {
            let problem = new(ErrorKind::InvalidParams).detail("no_server_for_extension");
            let problem = match extension {
                Some(extension) => problem.fact("extension", extension),
                None => problem,
            };
            problem.fact("supported_extensions", supported)
        }
        Failure::Prerequisite { server, language, missing, hint, looked_in, too_old } => {
            let problem = new(ErrorKind::PrerequisiteMissing)
                .fact("server_id", server)
                .fact("language", language)
                .fact("missing", missing)
                .fact("suggestion", hint)
                .fact("checked_paths", paths(looked_in));
            match too_old {
                Some(said) => problem.fact("too_old", said),
                None => problem,
            }
        }
        Failure::NoProject { server, language, path, looked_for } => new(ErrorKind::NoProjectRoot)
            .fact("server_id", server)
            .fact("language", language)
            .fact("file_path", path)
            .fact("looked_for", looked_for),
        Failure::NotInstalled { server, language, tried, looked_in, hint, rejected } => {
            let mut problem = new(ErrorKind::ServerUnavailable)
                .fact("server_id", server)
                .fact("language", language)
                .fact("command", tried.first().cloned().unwrap_or_default())
                .fact("tried", tried)
                .fact("search_paths", paths(looked_in));
            if let Some(hint) = hint {
                problem = problem.fact("install_hint", hint);
            }
            if !rejected.is_empty() {
                let said = |(path, said): (PathBuf, String)| format!("{}: {said}", path.display());
                problem = problem.fact("rejected", rejected.into_iter().map(said).collect::<Vec<_>>());
            }
            problem
        }
        Failure::NotTrusted { server, language, program } => new(ErrorKind::ServerUnavailable)
            .detail("not_trusted")
            .fact("server_id", server)
            .fact("language", language)
            .fact("command", program.display().to_string())
            .fact("suggestion", "orienteer trust".to_owned()),
        Failure::StartFailed { server, command, exit_code, stderr, retry_after_ms, .. } => {
            let suggestion = suggestion(&stderr);
            let problem = new(ErrorKind::ServerStartFailed)
                .fact("server_id", server)
                .fact("command", command)
                .fact("stderr", stderr)
                .fact("suggestion", suggestion);
            ended(problem, exit_code, retry_after_ms)
        }
        Failure::Crashed { server, exit_code, stderr, retry_after_ms } => {
            let problem = new(ErrorKind::ServerCrashed).fact("server_id", server).fact("stderr", stderr);
            ended(problem, exit_code, retry_after_ms)
        }
        Failure::Unsupported { server, method } => new(ErrorKind::Unsupported)
            .detail("method_unsupported")
            .fact("server_id", server)
            .fact("method", method),
        Failure::Timeout { server, method, .. } => {
            new(ErrorKind::Timeout).detail("server_timeout").fact("server_id", server).fact("method", method)
        }
        Failure::NotReady { server, retry_after_ms, .. } => {
            new(ErrorKind::NotReady).fact("server_id", server).retry_after_ms(retry_after_ms)
        }
        Failure::Refused { server, method, code, .. } => new(ErrorKind::InternalError)
            .detail("server_error")
            .fact("server_id", server)
            .fact("method", method)
            .fact("code", code),
        Failure::NotIndexed { server, why, .. } => new(ErrorKind::NotIndexed)
            .detail("not_in_project")
            .fact("server_id", server)
            .fact("suggestion", why),
        Failure::File { .. } => new(ErrorKind::NotFound).detail("unreadable"),
        Failure::Cancelled | Failure::ShuttingDown => new(ErrorKind::Cancelled),
    }
}

fn ended(mut problem: Problem, exit_code: Option<i32>, retry_after_ms: Option<u64>) -> Problem {
    if let Some(code) = exit_code {
        problem = problem.fact("exit_code", i64::from(code));
    }
    match retry_after_ms {
        Some(wait) => problem.retry_after_ms(wait),
        None => problem,
    }
}

/// What a person would conclude from the last words of a server that did not start.
fn suggestion(stderr: &str) -> String {
    let said = stderr.to_ascii_lowercase();
    let advice = if said.contains("cannot find module 'typescript'")
        || said.contains("valid typescript installation")
    {
        "The TypeScript package may be missing. Run: npm install typescript"
    } else if said.contains("cannot find module") {
        "A package the server needs is missing. Install the server again."
    } else if said.contains("is not installed for the toolchain") || said.contains("unknown binary") {
        "The toolchain lacks the component. Run: rustup component add rust-analyzer"
    } else if said.contains("unsupported engine") || said.contains("syntaxerror: unexpected token") {
        "The installed Node.js is too old for the server. Install a newer one."
    } else if said.contains("java") && said.contains("version") {
        "The installed Java is too old for the server. Install a newer one."
    } else {
        "Run the command in a terminal to see why it ends, or install the server again."
    };
    advice.to_owned()
}

/// Why an answer made without the server is partial.
pub(crate) fn without_server(failure: &Failure) -> Completeness {
    match failure {
        Failure::NotReady { retry_after_ms, .. } => {
            Completeness::Partial { reason: Reason::ServerStarting, retry_after_ms: Some(*retry_after_ms) }
        }
        Failure::Crashed { retry_after_ms, .. } => {
            Completeness::Partial { reason: Reason::ServerCrashed, retry_after_ms: *retry_after_ms }
        }
        Failure::StartFailed { retry_after_ms, .. } => {
            Completeness::Partial { reason: Reason::ServerUnavailable, retry_after_ms: *retry_after_ms }
        }
        Failure::Timeout { .. } => Completeness::partial(Reason::Timeout),
        Failure::NotIndexed { .. } => Completeness::partial(Reason::NotIndexed),
        Failure::Unsupported { .. } | Failure::NoServer { .. } => Completeness::partial(Reason::Heuristic),
        _ => Completeness::partial(Reason::ServerUnavailable),
    }
}

impl Session {
    /// Whether names alone may answer for a file: also where its language has no server at all.
    pub(crate) fn has_names(&self, failure: &Failure, file: &Path) -> bool {
        let is_code = || Language::by_path(file).is_some_and(|language| !language.is_data());
        let named = has_substitute(failure) || (matches!(failure, Failure::NoServer { .. }) && is_code());
        named && !self.is_exacting()
    }

    /// Whether text or grammar may answer a question of this session instead.
    pub(crate) fn has_substitute(&self, failure: &Failure) -> bool {
        has_substitute(failure) && !self.is_exacting()
    }
}

/// Whether text or grammar may answer instead: not when the caller is to blame or has gone.
pub(crate) fn has_substitute(failure: &Failure) -> bool {
    !matches!(
        failure,
        Failure::Cancelled
            | Failure::ShuttingDown
            | Failure::File { .. }
            | Failure::NoServer { .. }
            | Failure::NoProject { .. }
    )
}
