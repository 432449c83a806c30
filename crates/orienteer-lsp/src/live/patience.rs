//! How long is a caller willing to wait?

use std::time::{Duration, Instant};

use orienteer_base::Cancel;

/// How long a caller waits, and whether it still does.
#[derive(Debug, Clone)]
pub struct Patience {
    /// Until then a server may become ready.
    pub ready_by: Instant,
    pub cancel: Cancel,
}

impl Patience {
    pub fn new(wait: Duration, cancel: &Cancel) -> Self {
        Self { ready_by: Instant::now() + wait, cancel: cancel.clone() }
    }

    /// The same with at least this much time left.
    pub(crate) fn at_least(&self, wait: Duration) -> Self {
        Self { ready_by: self.ready_by.max(Instant::now() + wait), cancel: self.cancel.clone() }
    }

    pub(crate) fn is_over(&self) -> bool {
        Instant::now() >= self.ready_by
    }
}
