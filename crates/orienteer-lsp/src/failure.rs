//! Why a language server gave no answer: typed, with everything a person needs to act.

use std::path::PathBuf;

/// See the module. A failure is never an empty list.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// No server in the catalog takes files of this kind.
    #[error("no configured language server matches {what}")]
    NoServer { what: String, extension: Option<String>, supported: Vec<String> },
    /// A program that the server needs is missing.
    #[error("{}; the {language} language server `{server}` needs it to run", say_missing(.missing, .too_old))]
    Prerequisite {
        server: String,
        language: String,
        missing: String,
        hint: String,
        looked_in: Vec<PathBuf>,
        /// It is there, but not new enough: its version and what would do.
        too_old: Option<String>,
    },
    /// Nothing around the file says that it belongs to a project. Told only to callers who ask for exact answers; the
    /// others get those of a server that knows the file's folder alone.
    #[error("no {language} project was found around `{path}`: no {} in any folder above it", .looked_for.join(", "))]
    NoProject { server: String, language: String, path: String, looked_for: Vec<String> },
    /// The server is not installed.
    #[error("the {language} language server `{server}` is not installed: {}{}", say_tried(.tried), say_rejected(.rejected))]
    NotInstalled {
        server: String,
        language: String,
        tried: Vec<String>,
        looked_in: Vec<PathBuf>,
        hint: Option<String>,
        /// Programs of that name that are not the server, and what they said.
        rejected: Vec<(PathBuf, String)>,
    },
    /// It runs code of the project, which the user does not trust.
    #[error("the {language} language server `{server}` ({}) runs code of the project, which is not done without trust: `orienteer trust`", .program.display())]
    NotTrusted { server: String, language: String, program: PathBuf },
    /// It was started and did not come up.
    #[error("the language server `{server}` failed to start: {message}")]
    StartFailed {
        server: String,
        command: String,
        message: String,
        exit_code: Option<i32>,
        stderr: String,
        retry_after_ms: Option<u64>,
    },
    /// It ended by itself, and again when it was started once more.
    #[error("the language server `{server}` crashed{}", again(.retry_after_ms))]
    Crashed { server: String, exit_code: Option<i32>, stderr: String, retry_after_ms: Option<u64> },
    /// It has no such feature.
    #[error("the language server `{server}` does not support {method}")]
    Unsupported { server: String, method: &'static str },
    /// It did not answer in time.
    #[error("the language server `{server}` did not answer {method} within {after_ms} ms")]
    Timeout { server: String, method: String, after_ms: u64 },
    /// It was not ready in time to be asked at all.
    #[error("the language server `{server}` is still starting{}", say_doing(.doing))]
    NotReady { server: String, doing: Option<String>, retry_after_ms: u64 },
    /// It answered with an error.
    #[error("the language server `{server}` answered {method} with an error: {message} ({code})")]
    Refused { server: String, method: &'static str, code: i64, message: String },
    /// The server does not take the file for a part of the project.
    #[error("the language server `{server}` does not know `{path}` as a part of the project: {why}")]
    NotIndexed { server: String, path: String, why: String },
    /// The file cannot be given to a server.
    #[error("`{path}` cannot be opened: {reason}")]
    File { path: String, reason: String },
    #[error("the call was cancelled before it finished")]
    Cancelled,
    /// Told to stop for good.
    #[error("the language servers are being stopped")]
    ShuttingDown,
}

impl Failure {
    /// The server that it is about.
    pub fn server_id(&self) -> Option<&str> {
        match self {
            Self::Prerequisite { server, .. }
            | Self::NoProject { server, .. }
            | Self::NotInstalled { server, .. }
            | Self::NotTrusted { server, .. }
            | Self::StartFailed { server, .. }
            | Self::Crashed { server, .. }
            | Self::Unsupported { server, .. }
            | Self::Timeout { server, .. }
            | Self::NotReady { server, .. }
            | Self::Refused { server, .. }
            | Self::NotIndexed { server, .. } => Some(server),
            Self::NoServer { .. } | Self::File { .. } | Self::Cancelled | Self::ShuttingDown => None,
        }
    }
}

fn say_missing(missing: &str, too_old: &Option<String>) -> String {
    match too_old {
        Some(said) => format!("`{missing}` is too old ({said})"),
        None => format!("`{missing}` was not found"),
    }
}

fn say_tried(tried: &[String]) -> String {
    let named: Vec<String> = tried.iter().map(|program| format!("`{program}`")).collect();
    format!("{} was not found", named.join(" or "))
}

fn say_rejected(rejected: &[(PathBuf, String)]) -> String {
    rejected
        .first()
        .map_or_else(String::new, |(path, said)| format!(" (`{}` is not it: {said})", path.display()))
}

fn again(retry_after_ms: &Option<u64>) -> String {
    retry_after_ms.map_or_else(
        || " repeatedly and is left alone until a file changes or it is restarted".to_owned(),
        |wait| format!(" and can be tried again in {wait} ms"),
    )
}

fn say_doing(doing: &Option<String>) -> String {
    doing.as_ref().map_or_else(String::new, |doing| format!(": {doing}"))
}
