//! What does a server say about one file: asked for, or published by itself?

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::definition::Reporting;
use crate::documents::Back;
use crate::failure::Failure;
use crate::items::Items;
use crate::live::{Live, Patience, Stuck};
use crate::published::Publish;
use crate::ready::Needs;
use crate::uri;

/// How long a server may take to speak about texts of the disk after others were tried out.
const TAKEN_BACK_WITHIN: Duration = Duration::from_secs(3);

/// What came of asking about a file.
pub(super) enum Pulled {
    Items(Items),
    /// Nothing in time.
    Late,
    /// The server did not look at it, and why.
    PassedOver(String),
}

/// `textDocument/diagnostic`.
pub(super) async fn pull(live: &Live, file: &Path, patience: &Patience) -> Result<Pulled, Stuck> {
    let mut pause = Duration::from_millis(20);
    let late = |items: Option<Items>| items.map_or(Pulled::Late, Pulled::Items);
    let _turn = match &live.verdicts {
        Some(verdicts) => match verdicts.turn(patience).await {
            Some(turn) => Some(turn),
            None => return Ok(Pulled::Late),
        },
        None => None,
    };
    loop {
        if patience.is_over() {
            return Ok(Pulled::Late);
        }
        if let Some(verdicts) = &live.verdicts {
            verdicts.begin(file);
        }
        let params = json!({ "textDocument": { "uri": uri::from_path(file) } });
        let pending = live.wire.request("textDocument/diagnostic", params);
        match live.reply_in_time("textDocument/diagnostic", pending, patience).await {
            None => return Ok(Pulled::Late),
            Some(Ok(report)) => {
                let passed_over = live.verdicts.as_ref().and_then(|verdicts| verdicts.passed_over());
                return Ok(match (passed_over, Items::of_report(&report)) {
                    (Some(why), _) => Pulled::PassedOver(why),
                    (None, Some(items)) => Pulled::Items(items),
                    (None, None) => Pulled::Late,
                });
            }
            Some(Err(Stuck::Failed(Failure::Unsupported { .. }))) => {
                return Ok(late(match published(live, file, patience, true).await? {
                    Word::Said(items) => Some(items),
                    Word::Nothing | Word::MayBeAsked => None,
                }));
            }
            Some(Err(Stuck::Failed(Failure::Refused { .. }))) if Instant::now() < patience.ready_by => {
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(Duration::from_millis(500));
            }
            Some(Err(Stuck::Failed(Failure::Refused { .. } | Failure::Timeout { .. }))) => {
                return Ok(Pulled::Late);
            }
            Some(Err(stuck)) => return Err(stuck),
        }
    }
}

/// What came of waiting for a publish.
pub(super) enum Word {
    Said(Items),
    Nothing,
    /// The server has said meanwhile that it wants to be asked.
    MayBeAsked,
}

/// What a server knows of a file when it speaks about it.
struct Known {
    version: i64,
    told_at: u64,
    changed: Option<Instant>,
    back: Option<Arc<Back>>,
}

impl Known {
    async fn of(live: &Live, file: &Path) -> Option<Self> {
        let state = live.state.lock().await;
        let changed = state.documents.changed;
        let back = state.documents.back.clone().filter(|back| back.at.elapsed() < TAKEN_BACK_WITHIN);
        let open = state.documents.get(file)?;
        Some(Self { version: open.version, told_at: open.told_at, changed, back })
    }

    /// From when on a publish is the server's last word about the text that it was told; `None` for one about
    /// an older text.
    fn last_word(&self, publish: &Publish, live: &Live) -> Option<Instant> {
        let settle = live.definition.settle;
        let mut from = match publish.version {
            Some(of) if of < self.version => return None,
            Some(_) if live.definition.reporting != Reporting::Unversioned => publish.at,
            Some(_) => publish.at + settle,
            // Without a version, what came after the text was told speaks about it, once no more comes.
            None if publish.number > self.told_at => publish.at + settle,
            None => return None,
        };
        // Another file has changed since: what is wrong here may be another thing now, with the same version.
        // It speaks about the changed file first and about those that depend on it a moment later.
        if let Some(changed) = self.changed.filter(|changed| *changed > publish.at) {
            let spoke = live.published.last().filter(|last| *last > changed);
            from = from.max(spoke.unwrap_or(changed) + settle);
        }
        // A change was tried out: what came before it speaks about the texts of the disk may be about the others.
        if let Some(back) = &self.back {
            match back.heard(&live.published) {
                Some(heard) if publish.at < heard => from = from.max(heard + settle),
                Some(_) => {}
                None => from = from.max(back.at + TAKEN_BACK_WITHIN),
            }
        }
        Some(from)
    }
}

/// What was published besides what was pulled: nothing that is older than the texts.
pub(super) async fn beside(live: &Live, file: &Path, patience: &Patience) -> Option<Publish> {
    let known = Known::of(live, file).await?;
    let said = || live.published.of(file).filter(|publish| !publish.items.is_clean());
    let from = known.last_word(&said()?, live)?;
    tokio::time::sleep_until(from.min(patience.ready_by).into()).await;
    said().filter(|publish| known.last_word(publish, live).is_some())
}

/// Waits for the server to publish about the text that it was last told.
pub(super) async fn published(
    live: &Live,
    file: &Path,
    patience: &Patience,
    asked: bool,
) -> Result<Word, Stuck> {
    let Some(known) = Known::of(live, file).await else { return Ok(Word::Nothing) };
    let mut ticks = live.published.ticks();
    loop {
        if live.silence.is_mute() {
            return Ok(Word::Nothing);
        }
        let mut again = patience.ready_by;
        if let Some(publish) = live.published.of(file)
            && let Some(from) = known.last_word(&publish, live)
        {
            if Instant::now() < from {
                again = again.min(from);
            } else if live.definition.reporting != Reporting::Unversioned
                || live.ready.look(Needs::Project).is_ok()
            {
                return Ok(Word::Said(publish.items));
            } else if live.wait_ready(Needs::Project, patience).await? {
                // It was at work: what it says then counts.
                continue;
            } else {
                return Ok(Word::Nothing);
            }
        }
        if !asked && live.capabilities.has("textDocument/diagnostic") {
            return Ok(Word::MayBeAsked);
        }
        if Instant::now() >= patience.ready_by {
            return Ok(Word::Nothing);
        }
        tokio::select! {
            _ = ticks.changed() => {}
            () = tokio::time::sleep_until(again.min(Instant::now() + Duration::from_millis(500)).into()) => {}
            () = live.wire.closed().cancelled() => return Err(Stuck::Gone),
        }
        if patience.cancel.is_cancelled() {
            return Err(Failure::Cancelled.into());
        }
    }
}
