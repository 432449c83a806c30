//! What is to be run?

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use crate::Environment;

/// How much of each output stream is kept unless the caller says otherwise.
const DEFAULT_LIMIT: usize = 1024 * 1024;

/// Everything there is to know about a program that shall be run.
///
/// All fields are public so that a caller can inspect or log a specification; the methods are there to
/// write one in a single expression.
#[derive(Clone)]
pub struct ProcessSpec {
    /// The program: a bare name to be found on the `PATH` of `environment`, or a path.
    pub program: OsString,
    /// The arguments after the program's name. They are passed on as they are; no shell sees them.
    pub args: Vec<OsString>,
    /// The folder the program runs in, as an absolute path.
    pub cwd: PathBuf,
    /// The program's whole environment.
    pub environment: Environment,
    /// How long [`Launcher::run`](crate::Launcher::run) waits before it ends the program. A spawned
    /// child has no time-out: the caller stops it.
    pub timeout: Option<Duration>,
    /// How many bytes of standard output [`Launcher::run`](crate::Launcher::run) keeps.
    pub stdout_limit: usize,
    /// How many bytes of standard error are kept: the first ones of a run, the last ones of a spawned
    /// child.
    pub stderr_limit: usize,
    /// What [`Launcher::run`](crate::Launcher::run) writes to standard input before closing it; with
    /// `None` the input is empty from the start. A spawned child's input belongs to the caller instead.
    pub stdin: Option<Vec<u8>>,
}

impl ProcessSpec {
    /// A specification without arguments, time-out or input, and with a megabyte kept of each output.
    pub fn new(program: impl Into<OsString>, cwd: impl Into<PathBuf>, environment: Environment) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            cwd: cwd.into(),
            environment,
            timeout: None,
            stdout_limit: DEFAULT_LIMIT,
            stderr_limit: DEFAULT_LIMIT,
            stdin: None,
        }
    }

    /// Adds one argument.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Adds several arguments.
    #[must_use]
    pub fn args<A: Into<OsString>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets the time-out of a run.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sets how many bytes of standard output are kept.
    #[must_use]
    pub fn stdout_limit(mut self, bytes: usize) -> Self {
        self.stdout_limit = bytes;
        self
    }

    /// Sets how many bytes of standard error are kept.
    #[must_use]
    pub fn stderr_limit(mut self, bytes: usize) -> Self {
        self.stderr_limit = bytes;
        self
    }

    /// Sets the standard input of a run.
    #[must_use]
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = Some(bytes.into());
        self
    }

    /// The program's name as an error message shows it.
    pub(crate) fn program_name(&self) -> String {
        self.program.to_string_lossy().into_owned()
    }
}

/// Shows the size of the input rather than its content, which can be a whole file or a secret.
impl fmt::Debug for ProcessSpec {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ProcessSpec")
            .field("program", &self.program)
            .field("args", &self.args)
            .field("cwd", &self.cwd)
            .field("environment", &self.environment)
            .field("timeout", &self.timeout)
            .field("stdout_limit", &self.stdout_limit)
            .field("stderr_limit", &self.stderr_limit)
            .field("stdin_bytes", &self.stdin.as_ref().map(Vec::len))
            .finish()
    }
}
