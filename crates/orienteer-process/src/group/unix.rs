//! Process groups on Unix.
//!
//! A group's number is the process id of its leader, and the system hands out process ids again. Two
//! facts make signalling safe nevertheless: a process that ended but was not waited for keeps its id, and
//! we are the only one who can wait for our child. So the leader is left unwaited-for until the group has
//! been retired, and a retired group is never signalled again.

use std::io;
use std::sync::{Arc, Mutex};

use process_wrap::tokio::{ChildWrapper, CommandWrap, ProcessGroup};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use tokio::signal::unix::{SignalKind, signal};

use crate::output::lock;
use crate::reaper::{Reaper, Registration};

/// Makes the command start in a new group that it leads.
pub(crate) fn contain(command: &mut CommandWrap) {
    command.wrap(ProcessGroup::leader());
}

/// A process group of ours.
#[derive(Debug)]
pub(crate) struct Group {
    /// Emptied when the group is retired.
    live: Mutex<Option<Live>>,
}

#[derive(Debug)]
struct Live {
    id: Pid,
    /// Held for its end: dropping it takes the group off the reaper's list.
    _registration: Option<Registration>,
}

impl Group {
    /// The group that the child `leader` leads; the reaper learns of it too.
    pub(crate) fn new(leader: u32, reaper: Option<&Arc<Reaper>>) -> Self {
        // Ids 0 and 1 never belong to a child of ours, and to signal "group 1" means to signal everybody.
        let id = i32::try_from(leader).ok().filter(|&id| id > 1).and_then(Pid::from_raw);
        let live = id.map(|id| Live { id, _registration: reaper.map(|reaper| reaper.register(id)) });
        Self { live: Mutex::new(live) }
    }

    /// Asks every member to end.
    pub(crate) fn terminate(&self) {
        if let Some(live) = &*lock(&self.live) {
            send(live.id, Signal::TERM);
            // A member that was stopped, for instance because it wanted to read from the terminal,
            // cannot act on the request before it is woken.
            send(live.id, Signal::CONT);
        }
    }

    /// Ends every member at once.
    pub(crate) fn kill(&self) {
        if let Some(live) = &*lock(&self.live) {
            send(live.id, Signal::KILL);
        }
    }

    /// Ends what is left of the group and forgets it. To be called before the leader is waited for,
    /// because the number may belong to somebody else afterwards.
    pub(crate) fn retire(&self) {
        if let Some(live) = lock(&self.live).take() {
            send(live.id, Signal::KILL);
        }
    }
}

fn send(group: Pid, signal: Signal) {
    match kill_process_group(group, signal) {
        // Nobody left to signal is what we want. Some systems say "not permitted" for a group in which
        // only ended processes are left.
        Ok(()) | Err(Errno::SRCH | Errno::PERM) => {}
        Err(error) => {
            tracing::warn!(group = group.as_raw_nonzero().get(), ?signal, %error, "cannot signal a process group");
        }
    }
}

/// Notices the end of a leader without waiting for it in the system's sense.
#[derive(Debug)]
pub(crate) struct ExitWatch {
    ended_children: tokio::signal::unix::Signal,
}

impl ExitWatch {
    /// Starts to watch. To be called before the child is started, so that no end can be missed.
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self { ended_children: signal(SignalKind::child())? })
    }

    /// Returns once the leader has ended. Its id is still taken then.
    pub(crate) async fn ended(&mut self, leader: &mut dyn ChildWrapper, _group: &Group) -> io::Result<()> {
        let id = leader.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        let id = id.ok_or_else(|| io::Error::other("the child was waited for by somebody else"))?;
        let peek = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        while waitid(WaitId::Pid(id), peek)?.is_none() {
            // The system tells us that some child ended, not which one, so everybody looks after their
            // own. A notice that comes between the look and the wait is kept for us.
            if self.ended_children.recv().await.is_none() {
                return Err(io::Error::other("no more notices of ended children"));
            }
        }
        Ok(())
    }
}
