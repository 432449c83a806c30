//! The bounded queue: some calls run, some wait, more are refused at once.

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::{Semaphore, SemaphorePermit};

/// Too many calls wait already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overloaded {
    pub limit: usize,
}

/// See the module.
#[derive(Debug)]
pub struct Queue {
    slots: Semaphore,
    running: usize,
    waiting: AtomicUsize,
    limit: usize,
}

/// Counts a waiter for as long as it waits, however the waiting ends.
struct Waiter<'q>(&'q AtomicUsize);

impl Drop for Waiter<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Queue {
    pub fn new(running: usize, waiting: usize) -> Self {
        Self { slots: Semaphore::new(running), running, waiting: AtomicUsize::new(0), limit: waiting }
    }

    /// Waits for a slot. Dropping the future leaves the queue.
    pub async fn enter(&self) -> Result<SemaphorePermit<'_>, Overloaded> {
        if let Ok(permit) = self.slots.try_acquire() {
            return Ok(permit);
        }
        let refused = Overloaded { limit: self.limit };
        let admitted = self.waiting.try_update(Ordering::AcqRel, Ordering::Acquire, |count| {
            (count < self.limit).then_some(count + 1)
        });
        if admitted.is_err() {
            return Err(refused);
        }
        let _waiter = Waiter(&self.waiting);
        self.slots.acquire().await.map_err(|_| refused)
    }

    /// Nothing runs.
    pub(crate) fn is_idle(&self) -> bool {
        self.slots.available_permits() == self.running
    }

    pub fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Acquire)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[tokio::test]
    async fn waits_refuses_and_forgets_those_who_left() {
        let queue = Queue::new(1, 1);
        let running = queue.enter().await.unwrap();
        let waiting = tokio::time::timeout(Duration::from_millis(5), queue.enter());
        let (timed_out, refused) = tokio::join!(waiting, async {
            tokio::time::sleep(Duration::from_millis(1)).await;
            assert_eq!(queue.waiting(), 1);
            queue.enter().await.map(drop)
        });
        assert_eq!(refused, Err(Overloaded { limit: 1 }));
        assert!(timed_out.is_err());
        assert_eq!(queue.waiting(), 0, "the one who gave up is no longer counted");
        drop(running);
        assert!(queue.enter().await.is_ok());
    }
}
