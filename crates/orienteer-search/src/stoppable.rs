//! How long may a cancelled call keep its caller waiting?
//!
//! Work polls the flag at every file, chunk and match. What lies between two polls is usually microseconds,
//! but one step of a hostile regular expression over one long line cannot be interrupted. The work therefore
//! runs on a thread of its own: a caller that cancelled is let go shortly afterwards, and the thread ends by
//! itself at its next poll.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use orienteer_base::{Cancel, ErrorKind, Problem, Stopped};

const POLL: Duration = Duration::from_millis(10);
/// How many polls a cancelled thread gets to end in order.
const GRACE: u32 = 4;

pub(crate) fn run<T: Send + 'static>(
    cancel: &Cancel,
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    cancel.check()?;
    let (send, receive) = sync_channel(1);
    let thread = std::thread::Builder::new()
        .name("search".to_owned())
        .spawn(move || {
            // The receiver is gone when the caller was let go: nobody wants the result then.
            let _ = send.send(work());
        })
        .map_err(|error| {
            Problem::new(ErrorKind::Overloaded, format!("no thread could be started: {error}"))
        })?;
    let mut polls = 0;
    loop {
        match receive.recv_timeout(POLL) {
            Ok(result) => return result,
            Err(RecvTimeoutError::Disconnected) => {
                // It panicked: the cause goes on to whoever turns panics into errors.
                if let Err(cause) = thread.join() {
                    std::panic::resume_unwind(cause);
                }
                return Err(Problem::new(ErrorKind::InternalError, "the search ended without an answer"));
            }
            Err(RecvTimeoutError::Timeout) if cancel.is_cancelled() => {
                polls += 1;
                if polls > GRACE {
                    return Err(Stopped.into());
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

/// Whether what is done with each chunk takes long, so that chunks should be small.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    slow: AtomicBool,
}

/// A chunk that takes longer than this makes the following ones small, also those of other files.
const LONG: Duration = Duration::from_millis(8);
const SMALL: usize = 4 * 1024;

/// A reader that stops at its next chunk once the flag is set.
#[derive(Debug)]
pub(crate) struct StoppableRead<'c, R> {
    inner: R,
    cancel: &'c Cancel,
    pace: &'c Pace,
    given: Option<Instant>,
}

impl<'c, R> StoppableRead<'c, R> {
    pub(crate) fn new(inner: R, cancel: &'c Cancel, pace: &'c Pace) -> Self {
        Self { inner, cancel, pace, given: None }
    }
}

impl<R: std::io::Read> std::io::Read for StoppableRead<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.cancel.is_cancelled() {
            return Err(std::io::Error::other(Stopped));
        }
        if self.given.is_some_and(|given| given.elapsed() > LONG) {
            self.pace.slow.store(true, Ordering::Relaxed);
        }
        let most =
            if self.pace.slow.load(Ordering::Relaxed) { SMALL.min(buffer.len()) } else { buffer.len() };
        let count = self.inner.read(&mut buffer[..most])?;
        self.given = Some(Instant::now());
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stuck_step_does_not_hold_the_caller() {
        let cancel = Cancel::new();
        let other = cancel.clone();
        let started = Instant::now();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(50));
            other.cancel();
        });
        let result = run(&cancel, || {
            std::thread::sleep(Duration::from_secs(5));
            Ok(())
        });
        assert_eq!(result.unwrap_err().kind, ErrorKind::Cancelled);
        assert!(started.elapsed() < Duration::from_millis(500), "{:?}", started.elapsed());
    }

    #[test]
    fn a_panic_keeps_its_cause() {
        let caught = std::panic::catch_unwind(|| run::<()>(&Cancel::new(), || panic!("on purpose")));
        assert_eq!(caught.unwrap_err().downcast_ref(), Some(&"on purpose"));
    }

    #[test]
    fn a_cancelled_call_does_not_start() {
        let cancel = Cancel::new();
        cancel.cancel();
        assert_eq!(run(&cancel, || Ok(1)).unwrap_err().kind, ErrorKind::Cancelled);
    }
}
