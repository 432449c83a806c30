//! Who may ask a server now?
//!
//! While a change is tried out, a server believes in texts that are not on disk: nobody else may ask it then.

use std::time::{Duration, Instant};

use tokio::sync::{RwLockReadGuard, RwLockWriteGuard};

use crate::failure::Failure;
use crate::live::{Live, Patience};

/// Whoever wants to be alone keeps others waiting behind him, so not for long.
const ALONE_WITHIN: Duration = Duration::from_secs(10);

/// A question waits so long for somebody who is alone, even if it has no patience for anything else.
const AT_LEAST: Duration = Duration::from_secs(5);

/// With others or alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    Shared,
    Alone,
}

/// While it exists, it is somebody's turn.
#[derive(Debug)]
pub(crate) enum Held<'l> {
    Shared(#[allow(dead_code, reason = "it is kept, not read")] RwLockReadGuard<'l, ()>),
    Alone(#[allow(dead_code, reason = "it is kept, not read")] RwLockWriteGuard<'l, ()>),
}

impl Turn {
    /// Waits for a turn.
    pub(crate) async fn take<'l>(self, live: &'l Live, patience: &Patience) -> Result<Held<'l>, Failure> {
        let now = Instant::now();
        let (until, doing) = match self {
            Self::Shared => {
                if let Ok(turn) = live.turn.try_read() {
                    return Ok(Held::Shared(turn));
                }
                (patience.ready_by.max(now + AT_LEAST), "it tries out a change")
            }
            Self::Alone => (
                patience.ready_by.min(now + ALONE_WITHIN),
                "others are asking it, and a change is tried out alone",
            ),
        };
        let turn = async {
            match self {
                Self::Shared => Held::Shared(live.turn.read().await),
                Self::Alone => Held::Alone(live.turn.write().await),
            }
        };
        tokio::time::timeout_at(until.into(), turn).await.map_err(|_| Failure::NotReady {
            server: live.definition.id.clone(),
            doing: Some(doing.to_owned()),
            retry_after_ms: 1_000,
        })
    }
}
