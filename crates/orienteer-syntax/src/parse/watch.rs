//! One clock and one flag for everything that is done with a text.

use std::time::{Duration, Instant};

use orienteer_base::Cancel;

use super::{Limits, ParseError};

/// Started when the work starts; asked by every loop.
#[derive(Debug, Clone)]
pub(crate) struct Watch {
    cancel: Cancel,
    /// `None` where the limit is too far away to be written as a time.
    deadline: Option<Instant>,
    max_time: Duration,
    max_bytes: usize,
}

impl Watch {
    pub(crate) fn start(limits: &Limits, cancel: &Cancel) -> Self {
        Self {
            cancel: cancel.clone(),
            deadline: Instant::now().checked_add(limits.max_time),
            max_time: limits.max_time,
            // Trees count bytes in 32 bits.
            max_bytes: limits.max_bytes.min((u32::MAX / 2) as usize),
        }
    }

    pub(crate) fn admit(&self, bytes: usize) -> Result<(), ParseError> {
        if bytes > self.max_bytes {
            return Err(ParseError::TooLarge { bytes, limit: self.max_bytes });
        }
        Ok(())
    }

    pub(crate) fn check(&self) -> Result<(), ParseError> {
        self.cancel.check()?;
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => {
                Err(ParseError::TimedOut { limit: self.max_time })
            }
            _ => Ok(()),
        }
    }
}
