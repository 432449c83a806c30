//! How does the caller hold a long-lived child?

mod input;
mod memory;

use std::io;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::process::ChildStdout;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::error::ProcessError;
use crate::launcher::start;
use crate::output::{Tail, drain, lock};
use crate::reaper::Reaper;
use crate::spec::ProcessSpec;
use crate::supervisor::Supervised;

pub use input::ChildInput;
use input::InputCloser;

/// A running child with pipes to talk to it. Dropping it ends its whole process group by force.
///
/// The group lives as long as its leader: when the child ends by itself, whatever it started and left
/// running in its group is ended too.
#[derive(Debug)]
pub struct Child {
    program: String,
    process: Supervised,
    stdin: Option<ChildInput>,
    stdin_closer: Option<InputCloser>,
    stdout: Option<ChildStdout>,
    stderr: Arc<Mutex<Tail>>,
}

/// Room in the pipe from a child to us: as much as any user may have.
#[cfg(target_os = "linux")]
const PIPE_BYTES: usize = 1 << 20;

/// Lets a child write a long answer in one go. With the usual room it would stop every 64 KiB until we have read that, and
/// many programs do nothing else meanwhile.
#[cfg(target_os = "linux")]
fn widen(stdout: &ChildStdout) {
    // Where that is not allowed, the pipe stays as it is.
    let _ = rustix::pipe::fcntl_setpipe_size(stdout, PIPE_BYTES);
}

#[cfg(not(target_os = "linux"))]
fn widen(_: &ChildStdout) {}

impl Child {
    pub(crate) fn spawn(spec: &ProcessSpec, reaper: Option<&Arc<Reaper>>) -> Result<Self, ProcessError> {
        let started = start(spec, Stdio::piped(), reaper)?;
        let stderr = Arc::new(Mutex::new(Tail::new(spec.stderr_limit)));
        let mut drains = JoinSet::new();
        if let Some(pipe) = started.stderr {
            let sink = Arc::clone(&stderr);
            drains.spawn(async move { drain(pipe, &sink).await });
        }
        if let Some(stdout) = &started.stdout {
            widen(stdout);
        }
        let (stdin, stdin_closer) = started.stdin.map(ChildInput::new).unzip();
        Ok(Self {
            program: spec.program_name(),
            process: Supervised::new(started.leader, drains),
            stdin,
            stdin_closer,
            stdout: started.stdout,
            stderr,
        })
    }

    /// The process id of the child, which is also the number of its process group on Unix. After the
    /// child has ended, the system can give the id to another process.
    pub fn pid(&self) -> u32 {
        self.process.pid()
    }

    /// The child's standard input. There is one; later calls yield `None`.
    pub fn take_stdin(&mut self) -> Option<ChildInput> {
        self.stdin.take()
    }

    /// The child's standard output. There is one; later calls yield `None`. Whoever takes it has to keep
    /// reading, for a child whose output nobody reads comes to a halt.
    pub fn take_stdout(&mut self) -> Option<ChildStdout> {
        self.stdout.take()
    }

    /// The last part of what the child wrote to standard error, as text. It is complete once the child
    /// is known to have ended.
    pub fn stderr_tail(&self) -> String {
        lock(&self.stderr).text()
    }

    /// Waits for the child to end by itself.
    ///
    /// # Errors
    ///
    /// [`ProcessError::Io`] when the system cannot tell us how the child ended.
    pub async fn wait(&self) -> Result<ExitStatus, ProcessError> {
        self.process.wait().await.map_err(|source| self.lost("waiting for its end", source))
    }

    /// How the child ended, or `None` while it runs.
    ///
    /// # Errors
    ///
    /// [`ProcessError::Io`] when the system cannot tell us how the child ended.
    pub fn try_exit(&self) -> Result<Option<ExitStatus>, ProcessError> {
        let exit = self.process.try_exit().transpose();
        exit.map_err(|source| self.lost("asking whether it has ended", source))
    }

    /// How many bytes of memory the child's process group holds, or `None` when that is not known: after
    /// its end, and on systems other than Linux. Memory that members share is counted for each of them.
    ///
    /// This reads the whole process table, so it is for a look every few seconds and not for a loop.
    pub fn rss_bytes(&self) -> Option<u64> {
        if self.process.try_exit().is_some() {
            return None;
        }
        memory::group_rss_bytes(self.pid())
    }

    /// Ends the child: closes its standard input and gives it `grace` to finish by itself, then asks its
    /// group to end, then ends the group by force.
    ///
    /// The input is closed even while a caller holds the [`ChildInput`]; further writes fail. A child
    /// that has ended already is no error.
    ///
    /// # Errors
    ///
    /// [`ProcessError::Io`] when the child does not end even by force, or when the system cannot tell us
    /// how it ended.
    pub async fn stop(&self, grace: Duration) -> Result<ExitStatus, ProcessError> {
        if let Some(closer) = &self.stdin_closer {
            closer.close();
        }
        let status = match timeout(grace, self.process.wait()).await {
            Ok(status) => status,
            Err(_) => self.process.end().await,
        };
        status.map_err(|source| self.lost("stopping it", source))
    }

    fn lost(&self, doing: &'static str, source: io::Error) -> ProcessError {
        ProcessError::Io { program: self.program.clone(), doing, source }
    }
}
