//! Who empties the kernel's queue while nobody asks?
//!
//! It holds some ten thousand events; a checkout makes more. Then all files would be looked at, which is right and slow. So a
//! thread sleeps until there is something, waits a moment for the rest, and puts it where equal paths are one.

use std::io::{self, PipeReader, PipeWriter};
use std::sync::Arc;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use crate::inbox::Inbox;

/// Long enough for one wake-up in a burst of changes, short enough that the queue is not full by then.
const MOMENT: Duration = Duration::from_millis(20);

/// Ends its thread when it goes.
#[derive(Debug)]
pub(crate) struct Collector(#[allow(dead_code, reason = "the thread sees it go")] PipeWriter);

impl Collector {
    pub(crate) fn start(inbox: Arc<Inbox>) -> io::Result<Self> {
        let (ended, alive) = io::pipe()?;
        std::thread::Builder::new().name("file events".to_owned()).spawn(move || collect(&inbox, &ended))?;
        Ok(Self(alive))
    }
}

/// Nothing depends on this: when it fails, whoever asks finds the queue as it is.
fn collect(inbox: &Inbox, ended: &PipeReader) {
    let moment = Timespec::try_from(MOMENT).ok();
    loop {
        let mut either = [
            PollFd::from_borrowed_fd(inbox.queue.descriptor(), PollFlags::IN),
            PollFd::new(ended, PollFlags::empty()),
        ];
        match poll(&mut either, None) {
            Err(Errno::INTR) => continue,
            Ok(_) if either[1].revents().is_empty() => {}
            _ => return,
        }
        match poll(&mut [PollFd::new(ended, PollFlags::empty())], moment.as_ref()) {
            Ok(0) | Err(Errno::INTR) => inbox.fill(),
            _ => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::queue::Queue;

    /// The system's own limit is what the collector is there to stay away from.
    #[test]
    fn more_than_the_queue_holds_is_collected_while_nobody_asks() {
        let limit = std::fs::read_to_string("/proc/sys/fs/inotify/max_queued_events").unwrap();
        let limit: usize = limit.trim().parse().unwrap();
        let tree = tempfile::tempdir().unwrap();
        let inbox = Arc::new(Inbox::new(Queue::new().unwrap()));
        inbox.queue.watch(tree.path()).unwrap();
        let _collector = Collector::start(inbox.clone()).unwrap();
        let names = [tree.path().join("a"), tree.path().join("b")];
        std::fs::write(&names[0], "").unwrap();
        for round in 0..limit {
            std::fs::rename(&names[round % 2], &names[(round + 1) % 2]).unwrap();
            if round % (limit / 16) == 0 {
                std::thread::sleep(MOMENT * 2);
            }
        }
        let mail = inbox.take();
        assert!(!mail.lost);
        assert_eq!(mail.hints.len(), 2);
    }

    #[test]
    fn its_thread_ends_with_it() {
        let inbox = Arc::new(Inbox::new(Queue::new().unwrap()));
        let collector = Collector::start(inbox.clone()).unwrap();
        drop(collector);
        let until = Instant::now() + Duration::from_secs(20);
        while Arc::strong_count(&inbox) > 1 {
            assert!(Instant::now() < until, "the thread still runs");
            std::thread::yield_now();
        }
    }
}
