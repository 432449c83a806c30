//! What can be made ready while a server thinks?

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
        let (session, flag) = (self.clone(), stop.clone());
        tokio::task::spawn_blocking(move || {
            if !flag.is_cancelled() {
                work(&session, &flag);
            }
        });
        Ahead(stop)
    }
}
