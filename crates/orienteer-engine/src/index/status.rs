//! What is there, and how true is it?

use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use orienteer_base::search::{IndexState, IndexStatus, Share};
use orienteer_base::{Cancel, Problem};
use orienteer_index::store::{Counts, Health, Reader, Store, StoreError};

use super::Index;
use super::job::words;
use crate::Session;
use crate::blocking::blocking;

impl Session {
    /// Counts, sizes, age and health. Nothing is built or changed. With `verify` every page is looked at.
    pub async fn index_status(&self, verify: bool, cancel: &Cancel) -> Result<IndexStatus, Problem> {
        let index = self.index()?;
        let (session, flag) = (self.clone(), cancel.clone());
        blocking(cancel, move || index.status(&session, verify, &flag)).await
    }

    /// The state alone and what a build does, from memory; `None` when indexes are turned off.
    pub fn index_brief(&self) -> Option<(IndexState, Option<String>)> {
        let index = self.engine().index(self.roots().workspace())?;
        let job = index.job();
        // Whoever holds the state brings changes in, which takes an index; this must not wait for them.
        let is_open = index.state.try_lock().map_or_else(|_| index.is_built(), |state| state.open.is_some());
        let brief = match &job {
            _ if is_open => IndexState::Ready,
            Some(_) => IndexState::Building,
            None if index.is_built() => IndexState::Ready,
            None => IndexState::None,
        };
        Some((brief, job.map(|job| words(&job.progress()))))
    }
}

impl Index {
    /// The open store, or one that is opened for this look.
    pub(super) fn store(&self) -> Result<Arc<Store>, StoreError> {
        let open = self.lock().open.as_ref().map(|open| open.store.clone());
        match open {
            Some(store) => Ok(store),
            None => Store::open(&self.build.folder).map(Arc::new),
        }
    }

    fn status(&self, session: &Session, verify: bool, cancel: &Cancel) -> Result<IndexStatus, Problem> {
        let doing = self.job().map(|job| words(&job.progress()));
        let nothing = if doing.is_some() { IndexState::Building } else { IndexState::None };
        let looked = self.store().and_then(|store| self.describe(&store, verify, cancel));
        let mut status = match looked {
            Ok(status) => status,
            Err(StoreError::Missing { .. }) => self.blank(nothing, "there is no index yet"),
            Err(error) if error.needs_rebuild() => self.blank(IndexState::Damaged, &error.to_string()),
            Err(error) => return Err(error.into()),
        };
        status.doing = doing;
        if status.state == IndexState::Ready {
            if self.is_open() {
                let watch = session.watch();
                status.unwatched = watch.unwatched().map(|reason| reason.to_string());
                if let Some((stale, unwatched)) = self.stale(&watch) {
                    (status.stale_files, status.unwatched_files) = (Some(stale as u64), unwatched as u64);
                }
            }
            status.changed_since_commit = status.commit.as_deref().and_then(|commit| {
                let changed = self.git.changed_since(&self.build.root, commit, cancel).ok()??;
                Some(changed.len() as u64)
            });
        }
        cancel.check()?;
        Ok(status)
    }

    fn describe(&self, store: &Store, verify: bool, cancel: &Cancel) -> Result<IndexStatus, StoreError> {
        let sizes = store.sizes()?;
        let health = if verify { store.check(cancel)? } else { Health::Sound };
        let reader = store.read()?;
        let counts = reader.counts()?;
        let meta = |key: &str| Ok::<_, StoreError>(reader.meta(key)?.filter(|value| !value.is_empty()));
        let built_at = meta("built_at")?.and_then(|seconds| seconds.parse().ok());
        let (state, told) = match health {
            Health::Sound if counts.wants_compaction() => {
                (IndexState::Ready, "ok; compacting would make it smaller and faster".to_owned())
            }
            Health::Sound => (IndexState::Ready, "ok".to_owned()),
            Health::Damaged(damage) => (IndexState::Damaged, format!("damaged: {}", damage.join("; "))),
        };
        Ok(IndexStatus {
            generation: reader.generation(),
            files: counts.files,
            symbols: counts.symbols,
            chunks: counts.pieces,
            languages: languages(&counts),
            modes: modes(&counts),
            kinds: counts.kinds.iter().map(|(kind, count)| (kind.as_str(), *count)).collect(),
            marked: marked(&counts),
            text_bytes: counts.text_bytes,
            bytes: sizes.total(),
            parts: vec![
                ("database", sizes.database),
                ("log", sizes.log),
                ("trigrams", sizes.trigrams),
                ("vectors", sizes.vectors),
                ("leftovers", sizes.leftovers),
            ],
            commit: meta("commit")?,
            branch: meta("branch")?,
            stale_files: self.stale_unopened(&reader, cancel)?,
            built_at: built_at.map(|seconds| UNIX_EPOCH + Duration::from_secs(seconds)),
            skipped: meta("skipped")?.and_then(|count| count.parse().ok()).unwrap_or_default(),
            ..self.blank(state, &told)
        })
    }

    /// Files that differ from what is indexed, where nobody has asked the index yet.
    fn stale_unopened(&self, reader: &Reader<'_>, cancel: &Cancel) -> Result<Option<u64>, StoreError> {
        if self.is_open() {
            return Ok(None);
        }
        match self.differing(reader, cancel) {
            Ok(differing) => Ok(Some(differing.len() as u64)),
            Err(error) if error.is_cancelled() => Err(orienteer_base::Stopped.into()),
            Err(_) => Ok(None),
        }
    }

    fn blank(&self, state: IndexState, health: &str) -> IndexStatus {
        IndexStatus {
            state,
            folder: self.build.folder.display().to_string(),
            doing: None,
            generation: 0,
            files: 0,
            symbols: 0,
            chunks: 0,
            languages: Vec::new(),
            modes: Vec::new(),
            kinds: Vec::new(),
            marked: Vec::new(),
            text_bytes: 0,
            bytes: 0,
            parts: Vec::new(),
            commit: None,
            branch: None,
            stale_files: None,
            changed_since_commit: None,
            built_at: None,
            skipped: 0,
            health: health.to_owned(),
            model: self.model.as_ref().map(|folder| folder.display().to_string()),
            unwatched: None,
            unwatched_files: 0,
        }
    }
}

fn languages(counts: &Counts) -> Vec<Share> {
    let one = |(language, files, bytes): &(Option<&'static orienteer_base::Language>, u64, u64)| Share {
        name: language.map_or("other", |language| language.id).to_owned(),
        files: *files,
        bytes: *bytes,
    };
    counts.languages.iter().map(one).collect()
}

fn modes(counts: &Counts) -> Vec<Share> {
    let modes = counts.modes.iter();
    modes
        .map(|one| Share { name: one.mode.as_str().to_owned(), files: one.files, bytes: one.bytes })
        .collect()
}

fn marked(counts: &Counts) -> Vec<(&'static str, u64)> {
    let all = [
        ("generated", counts.generated),
        ("minified", counts.minified),
        ("test", counts.test),
        ("vendored", counts.vendored),
        ("binary", counts.binary),
        ("too_large", counts.too_large),
        ("with_errors", counts.with_errors),
    ];
    all.into_iter().filter(|(_, count)| *count > 0).collect()
}
