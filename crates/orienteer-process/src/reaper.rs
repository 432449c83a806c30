//! What ends the children when we are killed?
//!
//! A process that is killed by `SIGKILL` cannot clean up. Its children's process groups live on, and the
//! signal that Linux can send on a parent's death follows the thread that started the child, not the
//! process. So a tiny second process, the reaper, knows our groups and holds the reading end of a pipe
//! whose writing end only we hold. When we end, however we end, the pipe closes, and the reaper ends the
//! groups.
//!
//! The reaper is our own executable started with a hidden argument, for which the host calls
//! [`reaper_main`]. Two limits remain. A child that leaves its group on purpose, as a daemon does, is not
//! reached. And a child that was started in the very moment of our death, after the system created it
//! and before we could write its number down, is missed.

#[cfg(unix)]
mod connection;
#[cfg(unix)]
mod watch;

use std::ffi::OsString;
use std::path::PathBuf;

#[cfg(unix)]
pub(crate) use connection::Registration;
#[cfg(unix)]
pub use watch::reaper_main;

/// How the host's own executable is started as a reaper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReaperCommand {
    /// The absolute path of the host's executable.
    pub program: PathBuf,
    /// The arguments that make the host call [`reaper_main`] and do nothing else.
    pub args: Vec<OsString>,
}

impl ReaperCommand {
    /// A command without arguments.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Self { program: program.into(), args: Vec::new() }
    }

    /// Adds one argument.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }
}

/// Our side of the reaper. Nothing is started before the first child is.
///
/// On Windows this does nothing, because job objects end with the process that holds them.
#[derive(Debug)]
pub struct Reaper {
    command: ReaperCommand,
    #[cfg(unix)]
    state: std::sync::Mutex<connection::State>,
}

impl Reaper {
    /// A reaper that is started by `command` when it is needed.
    pub fn new(command: ReaperCommand) -> Self {
        Self {
            command,
            #[cfg(unix)]
            state: std::sync::Mutex::default(),
        }
    }

    /// The command that starts the reaper.
    pub fn command(&self) -> &ReaperCommand {
        &self.command
    }
}

#[cfg(not(unix))]
impl Reaper {
    /// The process id of the reaper; there is none on this system.
    pub fn pid(&self) -> Option<u32> {
        None
    }

    pub(crate) fn ensure_started(&self) {}
}

/// The whole program of the reaper; it has nothing to do on this system.
#[cfg(not(unix))]
pub fn reaper_main() -> std::process::ExitCode {
    std::process::ExitCode::SUCCESS
}
