//! How do we talk to the reaper?
//!
//! One line per event: `+12` for a group that began, `-12` for one that ended. A line is far shorter than
//! what a pipe takes in one piece, so the reaper never sees half a line, not even when we die writing.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;

use rustix::process::Pid;

use super::{Reaper, ReaperCommand};
use crate::output::lock;

/// What we know of the reaper.
#[derive(Debug, Default)]
pub(super) struct State {
    connection: Option<Connection>,
    /// The live groups, so that a new reaper can be told what an old one knew.
    groups: BTreeSet<i32>,
}

/// A running reaper. Dropping it ends the reaper.
#[derive(Debug)]
struct Connection {
    process: Child,
    pipe: ChildStdin,
}

/// A group that the reaper would end. Dropping this takes the group off the list.
#[derive(Debug)]
pub(crate) struct Registration {
    reaper: Arc<Reaper>,
    group: i32,
}

impl Reaper {
    /// The process id of the reaper, or `None` while none was needed.
    pub fn pid(&self) -> Option<u32> {
        lock(&self.state).connection.as_ref().map(|connection| connection.process.id())
    }

    /// Starts the reaper unless it runs.
    ///
    /// A reaper that cannot be started is reported in the log and tried again for the next child. It is
    /// insurance against our own sudden death, and going without it beats running nothing at all.
    pub(crate) fn ensure_started(&self) {
        lock(&self.state).ensure_started(&self.command);
    }

    /// Puts a group on the reaper's list.
    pub(crate) fn register(self: &Arc<Self>, group: Pid) -> Registration {
        let group = group.as_raw_nonzero().get();
        let mut state = lock(&self.state);
        state.groups.insert(group);
        if !state.tell('+', group) {
            // The reaper ended since we last looked. Its successor is told of every group.
            state.connection = None;
            state.ensure_started(&self.command);
        }
        Registration { reaper: Arc::clone(self), group }
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        let mut state = lock(&self.reaper.state);
        state.groups.remove(&self.group);
        // When the reaper is gone there is no list to take the group off, and its successor is told of
        // the groups that are left.
        state.tell('-', self.group);
    }
}

impl State {
    fn ensure_started(&mut self, command: &ReaperCommand) {
        if self.connection.as_mut().is_some_and(Connection::is_alive) {
            return;
        }
        self.connection = None;
        match Connection::open(command, &self.groups) {
            Ok(connection) => self.connection = Some(connection),
            Err(error) => {
                tracing::warn!(
                    program = %command.program.display(), %error,
                    "cannot start the reaper; children would survive if this process was killed"
                );
            }
        }
    }

    /// Writes one line, and says whether a reaper is there to read it.
    fn tell(&mut self, sign: char, group: i32) -> bool {
        self.connection.as_mut().is_some_and(|connection| connection.tell(sign, group).is_ok())
    }
}

impl Connection {
    #[allow(clippy::disallowed_methods, reason = "this crate is where programs are started")]
    fn open(command: &ReaperCommand, groups: &BTreeSet<i32>) -> io::Result<Self> {
        let mut process = Command::new(&command.program)
            .args(&command.args)
            // The reaper needs no variable, and the root is the one folder that it cannot keep busy.
            .env_clear()
            .current_dir("/")
            // Our outputs are closed to it as well: whoever reads them must see their end when we end.
            // All else that we opened closes by itself when another program is started. What we were
            // ourselves started with does not, but the reaper outlives us by less than a second.
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // In a group of its own it hears neither the Ctrl-C meant for us nor a kill of our group.
            .process_group(0)
            .spawn()?;
        tracing::debug!(pid = process.id(), "started the reaper");
        let Some(pipe) = process.stdin.take() else {
            return Err(io::Error::other("the reaper has no input"));
        };
        let mut connection = Self { process, pipe };
        for &group in groups {
            connection.tell('+', group)?;
        }
        Ok(connection)
    }

    fn tell(&mut self, sign: char, group: i32) -> io::Result<()> {
        // Formatting first makes it one write, which the pipe takes as a whole.
        self.pipe.write_all(format!("{sign}{group}\n").as_bytes())
    }

    fn is_alive(&mut self) -> bool {
        matches!(self.process.try_wait(), Ok(None))
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // Each registration keeps the reaper's owner alive, so on the owner's end the list is empty and
        // a kill loses nothing. It spares us waiting for a process that might not be a reaper at all.
        let ended = self.process.kill().and_then(|()| self.process.wait());
        if let Err(error) = ended {
            tracing::debug!(%error, "cannot end the reaper");
        }
    }
}
