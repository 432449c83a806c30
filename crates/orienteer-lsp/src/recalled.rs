//! What a server gave and what still holds: outlines, and long lists of uses.
//!
//! What a file defines follows from its text, now and then from the files it includes; where a symbol is used, from all of
//! them. Until the server was told of a change to any file, asking it again would give the same after the same time: whoever
//! turns a page, or asks a second time, does not wait for it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use orienteer_base::Position;

use crate::command::Outlined;
use crate::lease::Heard;
use crate::live::{InStep, Live, Moment, Seen, Stuck};
use crate::ready::Needs;
use crate::text::Text;
use crate::uses::Uses;

mod packed;
mod shelf;

use shelf::Shelf;

/// Of the outlines of one server.
const OUTLINE_BYTES: usize = 1 << 20;
/// Of its lists of uses.
const USES_BYTES: usize = 1 << 20;
/// For so long after a change, what a server says may still come from before it.
const QUIET: Duration = Duration::from_secs(2);

/// See the module.
#[derive(Debug)]
pub(crate) struct Recalled {
    /// The version of the file itself tells of changes that the epoch does not: a file that nobody watches may be closed,
    /// changed and opened again.
    outlines: Shelf<PathBuf, Arc<[u8]>>,
    uses: Shelf<AskedUses, Arc<Uses>>,
}

impl Default for Recalled {
    fn default() -> Self {
        Self { outlines: Shelf::new(OUTLINE_BYTES), uses: Shelf::new(USES_BYTES) }
    }
}

/// A question for uses.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct AskedUses {
    pub(crate) file: PathBuf,
    pub(crate) at: Position,
    pub(crate) include_declaration: bool,
}

/// What holds, or how many files the server was told of on the way to finding out that nothing does.
pub(crate) type Recall<T> = Result<Heard<T>, u64>;

impl Live {
    /// The outline that was given of a file, if it still holds.
    pub(crate) async fn recall_outline(&self, file: &Path) -> Result<Recall<Vec<Outlined>>, Stuck> {
        if !self.recalled().outlines.has(file) {
            return Ok(Err(0));
        }
        self.recall(file, Needs::File, |state| {
            let moment = state.moment(Some(file)).of_file();
            let packed = self.recalled().outlines.get_unless(file, moment, |_| false)?;
            packed::read(&packed)
        })
        .await
    }

    pub(crate) fn has_uses(&self, asked: &AskedUses) -> bool {
        self.recalled().uses.has(asked)
    }

    /// The uses that were given, if they still hold.
    pub(crate) async fn recall_uses(&self, asked: &AskedUses) -> Result<Recall<Arc<Uses>>, Stuck> {
        if !self.has_uses(asked) {
            return Ok(Err(0));
        }
        self.recall(&asked.file, Needs::Project, |state| {
            let moment = state.moment(None).of_all();
            self.recalled().uses.get_unless(asked, moment, |since| self.ready.has_stirred_since(since))
        })
        .await
    }

    /// Looks something up once the server has been told everything.
    async fn recall<T>(
        &self,
        file: &Path,
        needs: Needs,
        look: impl FnOnce(&InStep) -> Option<T>,
    ) -> Result<Recall<T>, Stuck> {
        if self.ready.look(needs).is_err() {
            return Ok(Err(0));
        }
        let begun = Instant::now();
        let (state, told) = self.barrier(&[file]).await?;
        let unsettled = state.is_settling() || state.documents.is_imagining();
        // What could not be seen may have changed anything.
        if unsettled || self.complaint().is_some() || self.ready.look(needs).is_err() {
            return Ok(Err(told.files));
        }
        let Some(value) = look(&state) else { return Ok(Err(told.files)) };
        let seen = Seen {
            generation: self.generation,
            synced_files: told.files,
            waited_ms: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
            ready: true,
            ..Seen::default()
        };
        Ok(Ok(Heard { value, seen }))
    }

    /// The text that a server was asked about, if it is still told to it; otherwise what is on disk now, perhaps.
    pub(crate) async fn asked_about(&self, file: &Path, asked: Moment) -> Option<Arc<Text>> {
        let state = self.state.lock().await;
        if state.moment(Some(file)).of_file() == asked.of_file()
            && let Some(open) = state.documents.get(file)
        {
            return Some(open.text.clone());
        }
        drop(state);
        self.texts.read(file).ok()
    }

    /// Keeps an outline that was asked for at `since`.
    pub(crate) async fn keep_outline(
        &self,
        file: &Path,
        since: Instant,
        asked: Moment,
        heard: &Heard<Vec<Outlined>>,
    ) {
        if heard.value.is_empty() {
            return;
        }
        let packed: Arc<[u8]> = packed::write(&heard.value).into();
        let bytes = packed.len() + file.as_os_str().len();
        let is_same = |state: &InStep| state.moment(Some(file)).of_file() == asked.of_file();
        self.keep(since, &heard.seen, is_same, || {
            self.recalled().outlines.keep(file.to_path_buf(), asked.of_file(), since, packed, bytes);
        })
        .await;
    }

    /// Keeps uses that were asked for at `since`.
    pub(crate) async fn keep_uses(
        &self,
        asked: AskedUses,
        since: Instant,
        moment: Moment,
        heard: &Heard<Arc<Uses>>,
    ) {
        // What was given before is older, whatever becomes of this one.
        self.recalled().uses.forget(&asked);
        // Nobody says when something outside of the project changes.
        let is_foreign = || heard.value.files().any(|(path, _)| !self.watch.contains(path));
        if heard.value.is_empty() || self.ready.look(Needs::Project).is_err() || is_foreign() {
            return;
        }
        let bytes = heard.value.bytes() + asked.file.as_os_str().len();
        let moment = moment.of_all();
        let is_same = |state: &InStep| state.moment(None).of_all() == moment;
        self.keep(since, &heard.seen, is_same, || {
            self.recalled().uses.keep(asked, moment, since, heard.value.clone(), bytes);
        })
        .await;
    }

    /// Keeps something, unless it may be outdated or wrong. An empty answer is asked for again: that costs nothing and helps
    /// where a server was not ready without saying so.
    async fn keep(
        &self,
        since: Instant,
        seen: &Seen,
        is_same: impl FnOnce(&InStep) -> bool,
        put: impl FnOnce(),
    ) {
        // What is recalled is told as whole.
        if !seen.is_whole() {
            return;
        }
        let state = self.state.lock().await;
        let changed = state.documents.changed;
        let quiet = changed.is_none_or(|changed| since.saturating_duration_since(changed) > QUIET);
        if quiet && is_same(&state) && !state.documents.is_imagining() {
            put();
        }
    }
}
