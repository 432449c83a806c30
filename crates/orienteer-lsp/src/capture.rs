//! What does a server want to write while one of its commands runs?
//!
//! A command changes files by asking us to (`workspace/applyEdit`). While a capture is armed such a wish is kept for
//! whoever ran the command, and the server hears that it was done; at any other time it is refused.

use std::sync::{Mutex, PoisonError};

use serde_json::Value;
use tokio::sync::MutexGuard;

/// Wishes of one command that are kept.
const MOST: usize = 64;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Capture {
    kept: Mutex<Option<Vec<Value>>>,
    /// Of two commands at one time nobody could tell whose wish is whose.
    turn: tokio::sync::Mutex<()>,
}

impl Capture {
    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Vec<Value>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps what the server wants until the returned guard goes.
    pub(crate) async fn arm(&self) -> Armed<'_> {
        let turn = self.turn.lock().await;
        *self.lock() = Some(Vec::new());
        Armed { capture: self, _turn: turn }
    }

    /// Takes the edit of a `workspace/applyEdit`; `false` when nobody waits for one.
    pub(crate) fn take(&self, params: &Value) -> bool {
        match self.lock().as_mut() {
            Some(kept) if kept.len() < MOST => {
                kept.push(params["edit"].clone());
                true
            }
            _ => false,
        }
    }
}

/// While it exists, wishes are kept.
#[derive(Debug)]
pub(crate) struct Armed<'c> {
    capture: &'c Capture,
    _turn: MutexGuard<'c, ()>,
}

impl Armed<'_> {
    /// What the server wanted so far, in its order.
    pub(crate) fn taken(&self) -> Vec<Value> {
        self.capture.lock().as_mut().map(std::mem::take).unwrap_or_default()
    }
}

impl Drop for Armed<'_> {
    fn drop(&mut self) {
        *self.capture.lock() = None;
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;

    #[tokio::test]
    async fn wishes_are_kept_only_while_somebody_waits_for_them() {
        let capture = Capture::default();
        let wish = |name: &str| json!({ "edit": { "changes": { name: [] } } });
        assert!(!capture.take(&wish("early")));
        let armed = capture.arm().await;
        assert!(capture.take(&wish("first")) && capture.take(&wish("second")));
        let taken = armed.taken();
        assert_eq!(taken, [wish("first")["edit"].clone(), wish("second")["edit"].clone()]);
        assert_eq!(armed.taken(), [Value::Null; 0]);
        // A second command waits for the first.
        assert!(tokio::time::timeout(std::time::Duration::from_millis(20), capture.arm()).await.is_err());
        drop(armed);
        assert!(!capture.take(&wish("late")));
        let armed = capture.arm().await;
        for _ in 0..MOST {
            assert!(capture.take(&wish("many")));
        }
        assert!(!capture.take(&wish("too many")));
        drop(armed);
    }
}
