//! Outlines that a server gave and that still hold.
//!
//! What a file defines follows from its text, now and then from the files it includes. Until the server was told of a change
//! to any file, asking it again would give the same after the same time.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::command::Outlined;
use crate::lease::Heard;
use crate::live::{Live, Moment, Seen, Stuck};
use crate::ready::Needs;
use crate::text::Text;

mod packed;

/// Of one server. More, and the half of the files that was used longest ago goes.
const MOST_BYTES: usize = 1 << 20;
/// What an entry costs besides its path and its outline.
const ENTRY_BYTES: usize = 120;
/// For so long after a change, what a server says may still come from before it.
const QUIET: Duration = Duration::from_secs(2);

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Recalled {
    held: HashMap<PathBuf, Held>,
    bytes: usize,
    clock: u64,
}

#[derive(Debug)]
struct Held {
    /// What the server had been told when it gave it. The version of the file itself tells of changes that the epoch does not:
    /// a file that nobody watches may be closed, changed and opened again.
    moment: Moment,
    packed: Box<[u8]>,
    used: u64,
}

impl Recalled {
    fn has(&self, file: &Path) -> bool {
        self.held.contains_key(file)
    }

    fn get(&mut self, file: &Path, moment: Moment) -> Option<Vec<Outlined>> {
        self.clock += 1;
        let held = self.held.get_mut(file)?;
        if held.moment == moment {
            held.used = self.clock;
            return packed::read(&held.packed);
        }
        if let Some(old) = self.held.remove(file) {
            self.bytes -= cost(file, &old);
        }
        None
    }

    fn keep(&mut self, file: &Path, moment: Moment, symbols: &[Outlined]) {
        self.clock += 1;
        let held = Held { moment, packed: packed::write(symbols).into(), used: self.clock };
        // One large file is not worth all others.
        if held.packed.len() > MOST_BYTES / 8 {
            return;
        }
        self.bytes += cost(file, &held);
        if let Some(old) = self.held.insert(file.to_path_buf(), held) {
            self.bytes -= cost(file, &old);
        }
        if self.bytes > MOST_BYTES {
            let mut used: Vec<u64> = self.held.values().map(|held| held.used).collect();
            used.sort_unstable();
            let middle = used.get(used.len() / 2).copied().unwrap_or_default();
            self.held.retain(|_, held| held.used > middle);
            self.bytes = self.held.iter().map(|(file, held)| cost(file, held)).sum();
        }
    }
}

fn cost(file: &Path, held: &Held) -> usize {
    file.as_os_str().len() + held.packed.len() + ENTRY_BYTES
}

impl Live {
    /// The outline that was given of a file, if it still holds, and otherwise how many files the server was told of on the
    /// way.
    pub(crate) async fn recall(&self, file: &Path) -> Result<Result<Heard<Vec<Outlined>>, u64>, Stuck> {
        if !self.recalled().has(file) || self.ready.look(Needs::File).is_err() {
            return Ok(Err(0));
        }
        let begun = Instant::now();
        let (state, told) = self.barrier(&[file]).await?;
        let unsettled = state.is_settling() || state.documents.is_imagining();
        if unsettled || self.ready.look(Needs::File).is_err() {
            return Ok(Err(told.files));
        }
        let Some(value) = self.recalled().get(file, state.moment(Some(file))) else {
            return Ok(Err(told.files));
        };
        let seen = Seen {
            generation: self.generation,
            synced_files: told.files,
            waited_ms: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
            ready: true,
            busy_with: None,
            complaint: self.complaint(),
        };
        Ok(Ok(Heard { value, seen }))
    }

    /// The text that a server was asked about, if it is still told to it; otherwise what is on disk now, perhaps.
    pub(crate) async fn asked_about(&self, file: &Path, asked: Moment) -> Option<Arc<Text>> {
        let state = self.state.lock().await;
        if state.moment(Some(file)) == asked
            && let Some(open) = state.documents.get(file)
        {
            return Some(open.text.clone());
        }
        drop(state);
        self.texts.read(file).ok()
    }

    /// Keeps an outline that was asked for at `since`, unless it may be outdated or wrong. An empty one is asked for again:
    /// that costs nothing and helps where a server was not ready without saying so.
    pub(crate) async fn remember(
        &self,
        file: &Path,
        since: Instant,
        asked: Moment,
        heard: &Heard<Vec<Outlined>>,
    ) {
        if heard.value.is_empty() || !heard.seen.ready || heard.seen.complaint.is_some() {
            return;
        }
        let state = self.state.lock().await;
        let changed = state.documents.changed;
        let quiet = changed.is_none_or(|changed| since.saturating_duration_since(changed) > QUIET);
        if quiet && state.moment(Some(file)) == asked && !state.documents.is_imagining() {
            self.recalled().keep(file, asked, &heard.value);
        }
    }
}

#[cfg(test)]
mod tests {
    use orienteer_base::{Position, Range, SymbolKind};

    use super::*;

    fn symbol(name: &str) -> Outlined {
        let range = Range { start: Position::new(1, 1), end: Position::new(9, 1) };
        Outlined {
            name: name.to_owned(),
            detail: None,
            kind: SymbolKind::Function,
            range,
            name_range: range,
            container: None,
            children: Vec::new(),
        }
    }

    const NOW: Moment = Moment { epoch: 1, version: Some(1) };

    #[test]
    fn what_was_given_before_something_was_told_is_forgotten() {
        for later in [Moment { epoch: 2, ..NOW }, Moment { version: Some(2), ..NOW }] {
            let mut recalled = Recalled::default();
            let file = Path::new("/a");
            recalled.keep(file, NOW, &[symbol("one")]);
            assert_eq!(recalled.get(file, NOW), Some(vec![symbol("one")]));
            assert_eq!(recalled.get(file, later), None);
            assert!(!recalled.has(file));
            assert_eq!(recalled.bytes, 0);
        }
    }

    #[test]
    fn as_much_as_there_is_room_for_is_kept_and_what_was_used_last_stays() {
        let mut recalled = Recalled::default();
        let outline = [symbol(&"x".repeat(10_000))];
        let files: Vec<PathBuf> = (0..300).map(|number| format!("/{number}").into()).collect();
        for file in &files {
            recalled.keep(file, NOW, &outline);
            assert!(recalled.bytes <= MOST_BYTES);
            assert!(recalled.get(&files[0], NOW).is_some(), "it is used all the time");
        }
        assert_eq!(recalled.bytes, recalled.held.iter().map(|(file, held)| cost(file, held)).sum::<usize>());
        assert!(recalled.get(&files[299], NOW).is_some() && recalled.get(&files[1], NOW).is_none());
        recalled.keep(Path::new("/large"), NOW, &[symbol(&"x".repeat(MOST_BYTES / 8))]);
        assert!(!recalled.has(Path::new("/large")));
    }
}
