//! Who notices that a child ended, and what happens then?
//!
//! Every child has a task that owns it. The task waits for the leader's end, ends what is left of the
//! group, lets the drains finish, and only then announces the exit status. A caller that never asks still
//! gets its child cleaned up this way, at once.

use std::io;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use process_wrap::tokio::ChildWrapper;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::group::{ExitWatch, Group};

/// How long a group that was asked to end may take before it is ended by force.
pub(crate) const TERMINATE_GRACE: Duration = Duration::from_millis(500);

/// How long we wait for a group that was ended by force. It is only ever needed for a process that hangs
/// inside the system, on a lost network disk for example, and nobody can hurry that up.
const KILL_GRACE: Duration = Duration::from_secs(2);

/// How long the output may stay open after its child ended. Pipes hold little, so reading the rest takes
/// no time; only a process that left the group can keep them open for longer.
const DRAIN_GRACE: Duration = Duration::from_secs(1);

/// The leader of a group, with the group. Whatever ends the owner, a panic or the end of the runtime
/// included, ends the group.
#[derive(Debug)]
pub(crate) struct Leader {
    pid: u32,
    child: Box<dyn ChildWrapper>,
    group: Arc<Group>,
    exit_watch: ExitWatch,
}

impl Leader {
    pub(crate) fn new(pid: u32, child: Box<dyn ChildWrapper>, group: Group, exit_watch: ExitWatch) -> Self {
        Self { pid, child, group: Arc::new(group), exit_watch }
    }

    /// Waits for the leader to end, ends the rest of its group and yields the leader's exit status.
    async fn finish(mut self) -> io::Result<ExitStatus> {
        let ended = self.exit_watch.ended(self.child.as_mut(), &self.group).await;
        self.group.retire();
        ended?;
        self.child.wait().await
    }
}

impl Drop for Leader {
    fn drop(&mut self) {
        // This runs before the child itself is dropped and given up to be waited for.
        self.group.retire();
    }
}

/// What the supervising task announces: nothing yet, or how the child ended. The kind of an error is
/// kept instead of the error so that every waiting caller can have it.
type Announcement = Option<Result<ExitStatus, io::ErrorKind>>;

/// A handle to a supervised child. Dropping it ends the child's whole group.
#[derive(Debug)]
pub(crate) struct Supervised {
    pid: u32,
    group: Arc<Group>,
    exit: watch::Receiver<Announcement>,
}

impl Supervised {
    /// Hands a child over to a task of its own. `drains` are the tasks that move its input and output;
    /// they are given up when they do not finish soon after the child.
    pub(crate) fn new(leader: Leader, mut drains: JoinSet<()>) -> Self {
        let (announce, exit) = watch::channel(None);
        let (pid, group) = (leader.pid, Arc::clone(&leader.group));
        tokio::spawn(async move {
            let status = leader.finish().await;
            if let Err(error) = &status {
                tracing::warn!(pid, %error, "lost track of a child");
            }
            let drained = timeout(DRAIN_GRACE, async { while drains.join_next().await.is_some() {} }).await;
            if drained.is_err() {
                tracing::debug!(pid, "a process outside the group holds the output of an ended child open");
            }
            announce.send_replace(Some(status.map_err(|error| error.kind())));
        });
        Self { pid, group, exit }
    }

    /// The process id of the leader.
    pub(crate) fn pid(&self) -> u32 {
        self.pid
    }

    /// Waits until the child has ended and its output has been read.
    pub(crate) async fn wait(&self) -> io::Result<ExitStatus> {
        let mut exit = self.exit.clone();
        match exit.wait_for(Option::is_some).await.map(|announced| *announced) {
            Ok(Some(status)) => status.map_err(io::Error::from),
            // The task was dropped without an announcement, which only the end of the runtime does.
            Ok(None) | Err(_) => Err(io::Error::other("the runtime that supervised it has ended")),
        }
    }

    /// How the child ended, if it has.
    pub(crate) fn try_exit(&self) -> Option<io::Result<ExitStatus>> {
        self.exit.borrow().map(|status| status.map_err(io::Error::from))
    }

    /// Asks the group to end, and ends it by force when it does not.
    pub(crate) async fn end(&self) -> io::Result<ExitStatus> {
        self.group.terminate();
        if let Ok(status) = timeout(TERMINATE_GRACE, self.wait()).await {
            return status;
        }
        self.group.kill();
        timeout(KILL_GRACE, self.wait()).await.unwrap_or_else(|elapsed| Err(elapsed.into()))
    }
}

impl Drop for Supervised {
    fn drop(&mut self) {
        self.group.kill();
    }
}
