//! How do many threads read and one write, without anything getting lost?
//!
//! One thread finds, some read, and the caller's writes, in the order in which things were found. How much may be under
//! way at a time is counted in bytes: one slow file must not let the others pile up behind it. A thread that ends before
//! its work does, by an error or a panic, ends the work of all: what it took with it will never come.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use orienteer_base::error::panic_message;
use orienteer_base::{Cancel, Stopped};

use super::pipeline::{Job, Outcome};
use super::report::BuildError;

/// Bytes of files that may be under way.
const UNDER_WAY: u64 = 16 << 20;
/// How often somebody who waits looks whether the work was cancelled.
const LOOK: Duration = Duration::from_millis(20);

struct Done {
    sequence: u32,
    job: Job,
    outcome: Outcome,
}

/// Where a thread that reads gets its work and leaves what came of it.
pub(super) struct Desk<'d> {
    queue: &'d Mutex<Receiver<(u32, Job)>>,
    results: SyncSender<Done>,
    gate: &'d Gate,
    cancel: &'d Cancel,
    /// There is nothing more to do.
    ended: Cell<bool>,
}

impl Desk<'_> {
    /// The next file, as soon as there is room for it; `None` at the end.
    pub(super) fn take(&self) -> Option<(u32, Job)> {
        let taken = self.queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let taken = taken.ok().filter(|(sequence, job)| self.gate.enter(*sequence, job.size, self.cancel));
        self.ended.set(taken.is_none());
        taken
    }

    /// `false` when nobody wants any more.
    pub(super) fn hand_in(&self, sequence: u32, job: Job, outcome: Outcome) -> bool {
        let wanted = self.results.send(Done { sequence, job, outcome }).is_ok();
        self.ended.set(!wanted);
        wanted
    }
}

/// `find` gives the files, on a thread of its own, until it is told `false`; `work` reads them, on some; `write` gets each
/// with its number, in order, on this one.
pub(super) fn flow(
    threads: usize,
    cancel: &Cancel,
    find: impl FnOnce(&mut dyn FnMut(Job) -> bool) -> Result<(), Stopped> + Send,
    work: &(dyn Fn(&Desk<'_>) -> Result<(), BuildError> + Sync),
    write: &mut dyn FnMut(u32, Job, Outcome) -> Result<(), BuildError>,
) -> Result<(), BuildError> {
    let gate = Gate::default();
    let found = AtomicU32::new(0);
    let (jobs, queue) = channel::<(u32, Job)>();
    let queue = Mutex::new(queue);
    std::thread::scope(|scope| {
        let (results, inbox) = sync_channel::<Done>(64);
        let finder = std::thread::Builder::new()
            .name("index-walk".to_owned())
            .spawn_scoped(scope, || number(find, jobs, &gate, &found))
            .map_err(BuildError::Threads)?;
        let mut workers = Vec::new();
        for _ in 0..threads.max(1) {
            let desk = Desk {
                queue: &queue,
                results: results.clone(),
                gate: &gate,
                cancel,
                ended: Cell::new(false),
            };
            let worker = std::thread::Builder::new()
                .name("index-read".to_owned())
                .spawn_scoped(scope, move || guarded(desk, work));
            match worker {
                Ok(worker) => workers.push(worker),
                // Slower, but not wrong.
                Err(_) if !workers.is_empty() => break,
                Err(error) => {
                    gate.close();
                    return Err(BuildError::Threads(error));
                }
            }
        }
        drop(results);
        let written = collect(&inbox, &gate, cancel, write);
        // Whoever waits for room, or to hand something over, is let go.
        gate.close();
        drop(inbox);
        let mut failed = None;
        for thread in workers.into_iter().chain([finder]) {
            let ended = thread.join().unwrap_or_else(|cause| Err(BuildError::Lost(panic_message(&*cause))));
            if let Err(error) = ended {
                failed.get_or_insert(error);
            }
        }
        cancel.check()?;
        let written = written?;
        failed.map_or(Ok(()), Err)?;
        let found = found.load(Ordering::Relaxed);
        if written == found {
            return Ok(());
        }
        Err(BuildError::Lost(format!("{written} of {found} files came back")))
    })
}

/// Ends everything when this thread ends too early, by a panic, too: what it has taken will never be written, and the
/// others would wait for that.
fn guarded(
    desk: Desk<'_>,
    work: &(dyn Fn(&Desk<'_>) -> Result<(), BuildError> + Sync),
) -> Result<(), BuildError> {
    let ended = catch_unwind(AssertUnwindSafe(|| work(&desk)))
        .unwrap_or_else(|cause| Err(BuildError::Lost(panic_message(&*cause))));
    if ended.is_err() || !desk.ended.get() {
        desk.gate.close();
    }
    ended
}

/// Writes what comes in, in order; how many that were.
fn collect(
    inbox: &Receiver<Done>,
    gate: &Gate,
    cancel: &Cancel,
    write: &mut dyn FnMut(u32, Job, Outcome) -> Result<(), BuildError>,
) -> Result<u32, BuildError> {
    let mut early: BTreeMap<u32, Done> = BTreeMap::new();
    let mut next = 0;
    loop {
        match inbox.recv_timeout(LOOK) {
            Ok(done) => {
                early.insert(done.sequence, done);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(next),
        }
        cancel.check()?;
        while let Some(done) = early.remove(&next) {
            let size = done.job.size;
            if matches!(done.outcome, Outcome::Stopped) {
                return Err(BuildError::Stopped(Stopped));
            }
            write(done.sequence, done.job, done.outcome)?;
            next += 1;
            gate.leave(next, size);
        }
    }
}

/// Gives each job its number.
fn number(
    find: impl FnOnce(&mut dyn FnMut(Job) -> bool) -> Result<(), Stopped>,
    jobs: Sender<(u32, Job)>,
    gate: &Gate,
    found: &AtomicU32,
) -> Result<(), BuildError> {
    let mut sequence = 0;
    let done = find(&mut |job| {
        if gate.is_closed() || jobs.send((sequence, job)).is_err() {
            return false;
        }
        sequence += 1;
        found.store(sequence, Ordering::Relaxed);
        true
    });
    Ok(done?)
}

/// Lets files in as long as there is room for them, and the next one to be written always.
#[derive(Default)]
struct Gate {
    state: Mutex<Room>,
    changed: Condvar,
}

#[derive(Default)]
struct Room {
    next: u32,
    bytes: u64,
    /// Threads that wait for room: telling nobody is a call of the system as well.
    waiting: u32,
    closed: bool,
}

impl Gate {
    /// `false` when there is no use in going on.
    fn enter(&self, sequence: u32, bytes: u64, cancel: &Cancel) -> bool {
        let mut room = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if room.closed || cancel.is_cancelled() {
                return false;
            }
            if sequence <= room.next || room.bytes + bytes <= UNDER_WAY {
                room.bytes += bytes;
                return true;
            }
            room.waiting += 1;
            room = self.changed.wait_timeout(room, LOOK).unwrap_or_else(PoisonError::into_inner).0;
            room.waiting -= 1;
        }
    }

    fn leave(&self, next: u32, bytes: u64) {
        let mut room = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        room.next = next;
        room.bytes = room.bytes.saturating_sub(bytes);
        let is_wanted = room.waiting > 0;
        drop(room);
        if is_wanted {
            self.changed.notify_all();
        }
    }

    fn is_closed(&self) -> bool {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).closed
    }

    fn close(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).closed = true;
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::RelativePath;

    /// Files of 4 MiB, so that four of them fill the gate.
    fn files(find: &mut dyn FnMut(Job) -> bool) -> Result<(), Stopped> {
        for at in 0..40 {
            let path = RelativePath::of_bytes(format!("f{at:02}").into_bytes());
            if !find(Job { path, size: 4 << 20, hash: None }) {
                break;
            }
        }
        Ok(())
    }

    /// What comes of a flow in which the thread that gets the file `f07` does something else with it.
    fn with(odd: &(dyn Fn() -> Result<bool, BuildError> + Sync)) -> (Result<(), BuildError>, Vec<u32>) {
        let mut written = Vec::new();
        let work = |desk: &Desk<'_>| {
            while let Some((sequence, job)) = desk.take() {
                if sequence == 7 && odd()? {
                    return Ok(());
                }
                if !desk.hand_in(sequence, job, Outcome::Skipped("read".to_owned())) {
                    break;
                }
            }
            Ok(())
        };
        let result = flow(2, &Cancel::new(), files, &work, &mut |sequence, _, _| {
            written.push(sequence);
            Ok(())
        });
        (result, written)
    }

    #[test]
    fn everything_is_written_in_the_order_in_which_it_was_found() {
        let (result, written) = with(&|| Ok(false));
        result.unwrap();
        assert_eq!(written, (0..40).collect::<Vec<_>>());
    }

    #[test]
    fn a_thread_that_fails_ends_the_work_with_its_error() {
        let full = || Err(BuildError::Threads(std::io::ErrorKind::StorageFull.into()));
        let (result, written) = with(&full);
        let error = result.unwrap_err();
        assert!(
            matches!(&error, BuildError::Threads(error) if error.kind() == std::io::ErrorKind::StorageFull)
        );
        assert_eq!(written, (0..7).take(written.len()).collect::<Vec<_>>());
    }

    #[test]
    fn a_thread_that_panics_ends_the_work_with_an_error() {
        let (result, _) = with(&|| panic!("a grammar with a hole"));
        let error = result.unwrap_err();
        assert!(matches!(&error, BuildError::Lost(why) if why.contains("a grammar with a hole")), "{error}");
    }

    #[test]
    fn a_file_that_never_comes_back_is_an_error_and_not_a_smaller_index() {
        let (result, _) = with(&|| Ok(true));
        assert!(matches!(result, Err(BuildError::Lost(_))));
    }

    #[test]
    fn a_walk_that_panics_is_an_error() {
        let find = |each: &mut dyn FnMut(Job) -> bool| {
            files(each)?;
            panic!("a folder with a hole")
        };
        let work = |desk: &Desk<'_>| {
            while let Some((sequence, job)) = desk.take() {
                desk.hand_in(sequence, job, Outcome::Skipped(String::new()));
            }
            Ok(())
        };
        let error = flow(2, &Cancel::new(), find, &work, &mut |_, _, _| Ok(())).unwrap_err();
        assert!(matches!(&error, BuildError::Lost(why) if why.contains("a folder with a hole")), "{error}");
    }
}
