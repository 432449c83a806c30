//! Waiting for a server: until it is ready, and until it has taken in what it was told.

use std::time::{Duration, Instant};

use super::{Live, Patience, Settling, Stuck};
use crate::failure::Failure;
use crate::quirk;
use crate::ready::Needs;

impl Live {
    /// Waits until the server is ready for a kind of question, saying meanwhile what it does.
    pub(crate) async fn wait_ready(&self, needs: Needs, patience: &Patience) -> Result<bool, Stuck> {
        let mut ticks = self.ready.ticks();
        loop {
            let again = match self.ready.look(needs) {
                Ok(()) => return Ok(true),
                Err(again) => again,
            };
            let left = patience.ready_by.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(false);
            }
            let activity = self.ready.activity();
            let doing =
                activity.map_or_else(|| "is loading the project".to_owned(), |activity| activity.to_string());
            patience.cancel.say(format!("{}: {doing}", self.definition.id));
            let look_again = again.unwrap_or(Duration::from_secs(1)).min(left).max(Duration::from_millis(1));
            tokio::select! {
                _ = ticks.changed() => {}
                () = tokio::time::sleep(look_again) => {}
                () = self.wire.closed().cancelled() => return Err(Stuck::Gone),
            }
            if patience.cancel.is_cancelled() {
                return Err(Failure::Cancelled.into());
            }
        }
    }

    /// After changes that a server takes in on its own time, waits until it has; `false` when there was not
    /// enough patience to see.
    pub(crate) async fn absorb(&self, patience: &Patience) -> Result<bool, Stuck> {
        let Some(Settling { told, since }) = self.state.lock().await.settling.clone() else {
            return Ok(true);
        };
        if told.project || told.many || (told.created && self.ready.counts_files()) {
            // It says that it is busy a moment after it was told; if it does not, there is nothing to wait for.
            let mut ticks = self.ready.ticks();
            let begin = since + Duration::from_millis(400);
            while self.ready.look(Needs::Project).is_ok() && Instant::now() < begin {
                if Instant::now() >= patience.ready_by {
                    return Ok(false);
                }
                let _ = tokio::time::timeout_at(begin.min(patience.ready_by).into(), ticks.changed()).await;
            }
            if !self.wait_ready(Needs::Project, patience).await? {
                return Ok(false);
            }
        }
        let read_again = !self.ready.is_slow_to_look()
            || told.touched.is_empty()
            || quirk::clangd::settle(self, &told.touched, patience).await?;
        let forgotten = told.deleted.is_empty()
            || !self.definition.is("rust-analyzer")
            || quirk::rust_analyzer::wait_deleted(self, &told.deleted, patience).await;
        if !read_again || !forgotten {
            return Ok(false);
        }
        let mut state = self.state.lock().await;
        if state.settling.as_ref().is_some_and(|settling| settling.since == since) {
            state.settling = None;
        }
        Ok(true)
    }
}
