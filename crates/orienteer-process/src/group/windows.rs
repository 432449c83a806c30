//! Job objects on Windows, which play the part of process groups.
//!
//! A job ends with its last handle, and we hold the only one. That covers our own sudden death too, so
//! no reaper is needed here. There is no polite request to end either: a console program has no message
//! loop to receive one. Closing its stdin is the polite way, and `kill` is the other.

use std::io;
use std::sync::Arc;

use process_wrap::tokio::{ChildWrapper, CommandWrap, JobObject, KillOnDrop};
use tokio::sync::Notify;

use crate::reaper::Reaper;

/// Makes the command start in a new job that ends when we let go of it.
pub(crate) fn contain(command: &mut CommandWrap) {
    command.wrap(KillOnDrop).wrap(JobObject);
}

/// A job of ours. The job's handle lies with the supervisor, so requests are passed on to it.
#[derive(Debug)]
pub(crate) struct Group {
    kill: Notify,
}

impl Group {
    /// The job of the child `_leader`.
    pub(crate) fn new(_leader: u32, _reaper: Option<&Arc<Reaper>>) -> Self {
        Self { kill: Notify::new() }
    }

    /// Does nothing: see the module's description.
    pub(crate) fn terminate(&self) {}

    /// Ends every member at once.
    pub(crate) fn kill(&self) {
        self.kill.notify_one();
    }

    /// Does nothing: the job ends with the handle that the supervisor is about to drop.
    pub(crate) fn retire(&self) {}
}

/// Notices the end of a leader and carries out requests to end its job.
#[derive(Debug)]
pub(crate) struct ExitWatch;

impl ExitWatch {
    /// Nothing has to be prepared: a process handle remembers that its process ended.
    #[allow(clippy::unnecessary_wraps, reason = "the signature is shared with Unix, where this can fail")]
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self)
    }

    /// Returns once the leader has ended and the rest of its job was told to.
    pub(crate) async fn ended(&mut self, leader: &mut dyn ChildWrapper, group: &Group) -> io::Result<()> {
        loop {
            // The inner child is waited for, because the job's own `wait` is for all of its members.
            tokio::select! {
                status = leader.inner_mut().wait() => {
                    status?;
                    return leader.start_kill();
                }
                () = group.kill.notified() => {}
            }
            leader.start_kill()?;
        }
    }
}
