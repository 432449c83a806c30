//! Texts that a server is told and that are not on disk.
//!
//! While some are imagined, what happens to those files on disk is held back; when the imagining ends, the server is
//! told the texts of the disk again and then what was held back.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use orienteer_watch::Changes;

use super::{Documents, Reach};
use crate::published::{Publish, Published};
use crate::text::Text;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Imagining {
    files: BTreeMap<PathBuf, Was>,
    held_back: Vec<Changes>,
}

/// What was true of a file before.
#[derive(Debug)]
struct Was {
    open: bool,
    said: Option<Publish>,
}

/// Texts of the disk that a server was told again. Until it has spoken about one of them, what it says about any file may
/// be about texts that were only tried out.
#[derive(Debug)]
pub(crate) struct Back {
    pub(crate) at: Instant,
    /// With the version and the count of publishes when it was told.
    files: Vec<(PathBuf, i64, u64)>,
}

impl Back {
    /// When it spoke about one of them.
    pub(crate) fn heard(&self, published: &Published) -> Option<Instant> {
        let heard = self.files.iter().filter_map(|(path, version, told_at)| {
            let publish = published.of(path)?;
            let is_new = publish.version.map_or(publish.number > *told_at, |of| of >= *version);
            is_new.then_some(publish.at)
        });
        heard.min()
    }
}

impl Imagining {
    pub(super) fn has(&self, path: &Path) -> bool {
        self.files.contains_key(path)
    }

    /// Changes without those of imagined files.
    pub(super) fn hold_back(&mut self, changes: &Changes) -> Option<Changes> {
        let mut rest = changes.clone();
        let mut held = changes.clone();
        for (rest, held) in [
            (&mut rest.created, &mut held.created),
            (&mut rest.changed, &mut held.changed),
            (&mut rest.deleted, &mut held.deleted),
        ] {
            rest.retain(|path| !self.files.contains_key(path));
            held.retain(|path| self.files.contains_key(path));
        }
        if held.is_empty() {
            return None;
        }
        self.held_back.push(held);
        Some(rest)
    }
}

impl Documents {
    /// Tells a text that is not on disk, or with `None` that the file is not open any more.
    pub(crate) fn imagine(&mut self, path: &Path, text: Option<Arc<Text>>, reach: &Reach<'_>) {
        let was_open = self.open.contains_key(path);
        let was = || Was { open: was_open, said: reach.published.of(path) };
        self.imagining.files.entry(path.to_path_buf()).or_insert_with(was);
        match text {
            None => self.close(path, reach),
            Some(text) if was_open => self.tell(path, text, reach),
            Some(text) => {
                self.clock += 1;
                self.tell_new(path, text, None, false, reach);
            }
        }
        self.changed = Some(Instant::now());
    }

    /// The server was told texts that are not on disk.
    pub(crate) fn is_imagining(&self) -> bool {
        !self.imagining.files.is_empty()
    }

    /// Something happened on disk to a file that is imagined.
    pub(crate) fn is_disturbed(&self) -> bool {
        !self.imagining.held_back.is_empty()
    }

    /// The server is told what is on disk again.
    pub(crate) fn stop_imagining(&mut self, reach: &Reach<'_>) {
        let Imagining { files, held_back } = std::mem::take(&mut self.imagining);
        if files.is_empty() {
            return;
        }
        let mut back = Vec::new();
        for (path, was) in files {
            // Before the text is told again: what comes then is newer.
            reach.published.put_back(&path, was.said);
            match reach.texts.read_stamped(&path) {
                Ok((text, stamp, young)) => {
                    let is_told = self.open.get(&path).map(|open| open.text.text == text.text);
                    match is_told {
                        Some(true) => {}
                        Some(false) => {
                            self.tell(&path, text, reach);
                            let told = self.open.get(&path).map(|open| (open.version, open.told_at));
                            back.extend(told.map(|(version, at)| (path.clone(), version, at)));
                        }
                        None if was.open => {
                            // One that cannot be opened is read from the disk by the server itself.
                            let _ = self.open(&path, reach);
                        }
                        None => {}
                    }
                    if let Some(open) = self.open.get_mut(&path) {
                        (open.stamp, open.young, open.vouched) = (Some(stamp), young, None);
                    }
                }
                Err(_) => {
                    self.close(&path, reach);
                    reach.published.forget(&path);
                }
            }
        }
        let at = Instant::now();
        // A file may have changed on disk meanwhile: then it was told with the others here, and nobody else will.
        self.epoch += 1;
        self.changed = Some(at);
        self.back = (!back.is_empty()).then(|| Arc::new(Back { at, files: back }));
        for changes in &held_back {
            let _ = self.sync(changes, reach);
        }
        self.close_unused(reach);
    }

    fn tell(&mut self, path: &Path, text: Arc<Text>, reach: &Reach<'_>) {
        if let Some(open) = self.open.get_mut(path) {
            open.text = text;
            open.tell(path, reach);
        }
    }
}
