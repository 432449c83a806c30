//! What can be made ready while a server thinks?

use std::time::Duration;

use orienteer_base::Cancel;

use crate::Session;

/// Work begun for whoever waits; it stops when they go on.
#[derive(Debug)]
pub(crate) struct Ahead(Cancel);

impl Drop for Ahead {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl Session {
    /// Begins work beside the question to a server. What it makes is kept where the answer will look for it; nothing is
    /// wrong if it comes too late.
    pub(crate) fn ahead(&self, work: impl FnOnce(&Self, &Cancel) + Send + 'static) -> Ahead {
        let stop = Cancel::new();
        self.begin(stop.clone(), work);
        Ahead(stop)
    }

    /// The same for a server that has not answered after a while: one that answers at once should have the processor to
    /// itself.
    pub(crate) fn ahead_after(
        &self,
        pause: Duration,
        work: impl FnOnce(&Self, &Cancel) + Send + 'static,
    ) -> Ahead {
        let stop = Cancel::new();
        let (session, flag) = (self.clone(), stop.clone());
        tokio::spawn(async move {
            tokio::time::sleep(pause).await;
            if !flag.is_cancelled() {
                session.begin(flag, work);
            }
        });
        Ahead(stop)
    }

    fn begin(&self, stop: Cancel, work: impl FnOnce(&Self, &Cancel) + Send + 'static) {
        let session = self.clone();
        tokio::task::spawn_blocking(move || {
            if !stop.is_cancelled() {
                work(&session, &stop);
            }
        });
    }
}
