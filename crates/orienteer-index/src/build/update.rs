//! What changes when some files did?

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use orienteer_base::Cancel;
use orienteer_base::path::SameFolder;

use super::pipeline::{Job, Outcome, Pipeline};
use super::report::{BuildError, Made, Phase, Progress, Report, Skips, UpdateReport, shown};
use super::settings::SETTINGS;
use super::settle::{Folders, Settle, restamped};
use super::walk::is_rule_file;
use super::{BUILT_AT, Build, Counter, Teller, is_much};
use crate::store::{File, RelativePath, Store, StoreError, Writer, trigrams_path};
use crate::trigram::{TrigramError, Trigrams};

/// Files that are changed in one transaction, by number and by bytes.
const BATCH: usize = 512;
const BATCH_BYTES: u64 = 16 << 20;
/// Below this many files starting threads costs more than it saves.
const WORTH_THREADS: usize = 8;
/// How often a change is made again when builds keep replacing what it changed.
const TRIES: usize = 3;

/// A file that is to be looked at.
#[derive(Debug, Clone)]
struct Look {
    path: RelativePath,
    size: u64,
}

impl Build {
    /// Makes the index true for some paths, absolute or relative to the root: files and folders that were made, changed
    /// or removed. When this returns, every question sees them.
    pub fn update(
        &self,
        store: &Store,
        paths: &[PathBuf],
        cancel: &Cancel,
    ) -> Result<UpdateReport, BuildError> {
        let report = self.update_at_once(store, paths, cancel)?;
        tidy(store, cancel);
        Ok(report)
    }

    /// The same for who waits for an answer: [`tidy`] has to follow when nobody does.
    pub fn update_at_once(
        &self,
        store: &Store,
        paths: &[PathBuf],
        cancel: &Cancel,
    ) -> Result<UpdateReport, BuildError> {
        let start = Instant::now();
        let mut tries = 0;
        let mut report = loop {
            tries += 1;
            match self.update_once(store, paths, cancel) {
                Err(BuildError::Store(StoreError::Superseded { .. })) if tries < TRIES => {}
                done => break done?,
            }
        };
        report.took = start.elapsed();
        Ok(report)
    }

    fn update_once(
        &self,
        store: &Store,
        paths: &[PathBuf],
        cancel: &Cancel,
    ) -> Result<UpdateReport, BuildError> {
        let root = self.enter()?;
        let mut names: Vec<RelativePath> = paths.iter().filter_map(|path| self.relative(path)).collect();
        names.sort_unstable();
        names.dedup();
        let skips = Skips::default();
        let mut report = UpdateReport::default();
        // What counts may have changed anywhere below.
        if names.iter().any(is_rule_file) {
            let stale = self.compare(&store.read()?, &skips, cancel)?;
            names.extend(stale.changed.into_iter().chain(stale.new).chain(stale.gone));
            names.sort_unstable();
            names.dedup();
        }
        let (looks, gone) = self.sort_out(&names, &skips, cancel)?;
        self.change(&root, store, &looks, &gone, &mut report, &skips, cancel, &mut |_| {})?;
        (report.skipped, report.skipped_count) = skips.finish();
        self.remember_skipped(store, report.skipped_count, cancel)?;
        Ok(report)
    }

    /// What could not be read in a change is missing until all files are compared again.
    fn remember_skipped(&self, store: &Store, count: u64, cancel: &Cancel) -> Result<(), BuildError> {
        let known = || -> Result<u64, BuildError> {
            let known = store.read_unless(cancel)?.meta("skipped")?;
            Ok(known.and_then(|known| known.parse().ok()).unwrap_or_default())
        };
        if count > 0 && known()? < count {
            let mut writer = store.write(cancel)?;
            writer.set_meta("skipped", &count.to_string())?;
            writer.commit()?;
        }
        Ok(())
    }

    fn relative(&self, path: &Path) -> Option<RelativePath> {
        if path.is_absolute() { RelativePath::below(&self.root, path) } else { Some(RelativePath::new(path)) }
    }

    /// Which paths are files that count, and which are nothing (any more).
    fn sort_out(
        &self,
        names: &[RelativePath],
        skips: &Skips,
        cancel: &Cancel,
    ) -> Result<(Vec<Look>, Vec<RelativePath>), BuildError> {
        let mut rules = self.walk().rules();
        let mut folders = Folders::default();
        let (mut looks, mut gone) = (Vec::new(), Vec::new());
        for path in names {
            cancel.check()?;
            let metadata = match fs::symlink_metadata(path.absolute(&self.root)) {
                // What lies behind a link is not below the root, whatever its name says.
                Ok(_) if !folders.lead_to(path, &self.root) => None,
                Ok(metadata) => Some(metadata),
                Err(error) => {
                    skips.close(path, Some(&error));
                    None
                }
            };
            match metadata {
                Some(metadata) if metadata.is_file() && rules.count(path, false) => {
                    // There may have been a folder in its place.
                    gone.push(path.clone());
                    looks.push(Look { path: path.clone(), size: metadata.len() });
                }
                Some(metadata)
                    if metadata.is_dir() && (path.as_bytes().is_empty() || rules.count(path, true)) =>
                {
                    // What is gone from it is found by comparing, which costs a look at what is known of it.
                    gone.push(path.clone());
                    self.walk().run(path, skips, cancel, &mut |found| {
                        looks.push(Look { path: found.path, size: found.stamp.size });
                        true
                    })?;
                }
                _ => gone.push(path.clone()),
            }
        }
        looks.sort_unstable_by(|one, other| one.path.cmp(&other.path));
        looks.dedup_by(|one, other| one.path == other.path);
        Ok((looks, gone))
    }

    /// Writes what is new in `looks` and removes what is in or below `gone` and not among them.
    #[expect(clippy::too_many_arguments, reason = "one step of a change, with all that the change has")]
    fn change(
        &self,
        root: &SameFolder,
        store: &Store,
        looks: &[Look],
        gone: &[RelativePath],
        report: &mut UpdateReport,
        skips: &Skips,
        cancel: &Cancel,
        each: &mut dyn FnMut(u64),
    ) -> Result<(), BuildError> {
        let mut rest = looks;
        let mut first = true;
        while first || !rest.is_empty() {
            let mut bytes = 0;
            let length = rest.iter().take(BATCH).take_while(|look| {
                bytes += look.size;
                bytes == look.size || bytes <= BATCH_BYTES
            });
            let (batch, later) = rest.split_at(length.count());
            rest = later;
            let known: Vec<Option<File>> = {
                let reader = store.read_unless(cancel)?;
                batch.iter().map(|look| reader.file_at(&look.path)).collect::<Result<_, _>>()?
            };
            let removed = if first { self.removed(store, gone, looks, skips)? } else { Vec::new() };
            first = false;
            let jobs = batch.iter().zip(&known).map(|(look, known)| Job {
                path: look.path.clone(),
                size: look.size,
                hash: known.as_ref().map(|file| file.hash),
            });
            let mut outcomes: Vec<(Job, Outcome)> = Vec::with_capacity(batch.len());
            self.read(jobs.collect(), cancel, &mut |job, outcome| {
                each(job.size);
                outcomes.push((job, outcome));
            })?;
            // All reading is done before the change begins, so that nobody waits for it. What changed since is read
            // again, because whoever changed the index meanwhile may have read the newer file.
            let mut writer = store.write(cancel)?;
            let mut settle = Settle::new(Pipeline { build: self, trigrams: None, cancel });
            let mut rules = None;
            for path in removed {
                if settle.is_back(&path)
                    && rules.get_or_insert_with(|| self.walk().rules()).count(&path, false)
                {
                    outcomes.push(settle.read(&writer, path)?);
                } else {
                    report.deleted += writer.delete(&path)?.files;
                }
            }
            for (job, outcome) in outcomes {
                let (outcome, known) = settle.settle(&writer, &job, outcome)?;
                self.apply(&mut writer, job, outcome, known, report, skips)?;
            }
            self.leave(root)?;
            writer.commit()?;
        }
        Ok(())
    }

    /// Paths in the index that are in or below `gone` and not among those that are looked at.
    fn removed(
        &self,
        store: &Store,
        gone: &[RelativePath],
        looks: &[Look],
        skips: &Skips,
    ) -> Result<Vec<RelativePath>, BuildError> {
        if gone.is_empty() {
            return Ok(Vec::new());
        }
        let mut removed = store.read()?.paths_in(gone);
        removed
            .retain(|path| looks.binary_search_by(|look| look.path.cmp(path)).is_err() && !skips.hide(path));
        Ok(removed)
    }

    fn read(
        &self,
        jobs: Vec<Job>,
        cancel: &Cancel,
        each: &mut dyn FnMut(Job, Outcome),
    ) -> Result<(), BuildError> {
        let pipeline = Pipeline { build: self, trigrams: None, cancel };
        if jobs.len() < WORTH_THREADS {
            return pipeline.run_here(jobs, each);
        }
        let find = |each: &mut dyn FnMut(Job) -> bool| {
            for job in jobs {
                if !each(job) {
                    break;
                }
            }
            Ok(())
        };
        pipeline.run(find, |_, job, outcome| {
            each(job, outcome);
            cancel.advance(1);
            Ok(())
        })
    }

    /// Changes what is there to what is on disk; `None` when so much is different that a new generation is better.
    pub(super) fn refresh(
        &self,
        root: &SameFolder,
        cancel: &Cancel,
        progress: &dyn Fn(&Progress),
    ) -> Result<Option<Report>, BuildError> {
        let store = Store::open_unless(&self.folder, cancel)?;
        let skips = Skips::default();
        let stale = {
            let reader = store.read_unless(cancel)?;
            self.look_for_damage(&store, reader.generation())?;
            // What was made by other rules is not what these would make of the same files.
            if reader.meta(SETTINGS)?.as_deref() != Some(self.settings().as_str()) {
                return Ok(None);
            }
            self.compare(&reader, &skips, cancel)?
        };
        if is_much(stale.bytes, stale.all_bytes) {
            return Ok(None);
        }
        let counter = Counter::default();
        let looks = |paths: Vec<RelativePath>| {
            paths.into_iter().filter_map(|path| {
                let size = fs::symlink_metadata(path.absolute(&self.root)).ok()?.len();
                Some(Look { path, size })
            })
        };
        let made = if stale.is_empty() { Made::Nothing } else { Made::Changes };
        let gone = stale.gone;
        let mut looks: Vec<Look> = looks(stale.changed).chain(looks(stale.new)).collect();
        looks.sort_unstable_by(|one, other| one.path.cmp(&other.path));
        looks.iter().for_each(|look| counter.add(look.size));
        counter.counted.store(true, std::sync::atomic::Ordering::Relaxed);
        let mut changes = UpdateReport::default();
        if made == Made::Changes {
            let mut teller = Teller::new(progress, &counter);
            teller.say(Phase::Reading);
            let mut each = |bytes| teller.tell(bytes);
            self.change(root, &store, &looks, &gone, &mut changes, &skips, cancel, &mut each)?;
        }
        let (skipped, skipped_count) = skips.finish();
        let mut report = Report::new(made, 0);
        report.skipped_count = skipped_count;
        // Where nothing is new nothing is written: what others have read stays as true as it was.
        if made == Made::Changes || !self.is_remembered(&store, &report, cancel)? {
            let mut writer = store.write(cancel)?;
            self.remember(&report, &mut |key, value| writer.set_meta(key, value))?;
            writer.commit()?;
        }
        tidy(&store, cancel);
        let reader = store.read_unless(cancel)?;
        let counts = reader.counts()?;
        Ok(Some(Report {
            generation: reader.generation(),
            files: counts.files,
            read: changes.changed + changes.unchanged,
            bytes: looks.iter().map(|look| look.size).sum(),
            pieces: counts.pieces,
            symbols: counts.symbols,
            deleted: changes.deleted,
            skipped,
            ..report
        }))
    }
}

impl Build {
    /// Damage that somebody has met, or that the trigrams of the generation show at a glance, is an error here: changing
    /// a damaged index would keep it.
    fn look_for_damage(&self, store: &Store, generation: u64) -> Result<(), BuildError> {
        let trigrams = || match Trigrams::open(&trigrams_path(&self.folder, generation)) {
            Ok(_) => None,
            Err(TrigramError::Io { error, .. }) if error.kind() != io::ErrorKind::NotFound => None,
            Err(error) => Some(error.to_string()),
        };
        match store.known_damage()?.or_else(trigrams) {
            Some(detail) => Err(StoreError::Corrupt { folder: self.folder.clone(), detail }.into()),
            None => Ok(()),
        }
    }

    fn apply(
        &self,
        writer: &mut Writer<'_>,
        job: Job,
        outcome: Outcome,
        known: Option<File>,
        report: &mut UpdateReport,
        skips: &Skips,
    ) -> Result<(), BuildError> {
        match outcome {
            Outcome::Ready(record) => {
                writer.put(&record)?;
                report.changed += 1;
            }
            Outcome::Same(stamp, young) => {
                report.unchanged += 1;
                if let Some(known) = known {
                    let flags = restamped(known.flags, young);
                    if stamp != known.stamp || flags != known.flags {
                        writer.restamp(known.id, stamp, flags)?;
                    }
                }
            }
            Outcome::Skipped(reason) => {
                // What cannot be read now is not what it was.
                report.deleted += writer.delete(&job.path)?.files;
                skips.add(shown(&self.root, &job.path), reason);
            }
            Outcome::Unread(reason) => skips.add(shown(&self.root, &job.path), reason),
            Outcome::Stopped => return Err(BuildError::Stopped(orienteer_base::Stopped)),
        }
        Ok(())
    }

    /// Whether the index already says all of this.
    fn is_remembered(&self, store: &Store, report: &Report, cancel: &Cancel) -> Result<bool, BuildError> {
        let reader = store.read_unless(cancel)?;
        let mut same = true;
        self.remember(report, &mut |key, value| {
            same &= key == BUILT_AT || reader.meta(key)?.as_deref() == Some(value);
            Ok(())
        })?;
        Ok(same)
    }
}

/// Puts together what changes have left. Nobody waits for this. The change is made, whatever becomes of it, and what is not put together now is put together
/// after the next one.
pub fn tidy(store: &Store, cancel: &Cancel) {
    match store.tidy(cancel) {
        Ok(()) | Err(StoreError::Busy { .. } | StoreError::Superseded { .. } | StoreError::Stopped(_)) => {}
        Err(error) => tracing::warn!(%error, "the parts of the index were not put together"),
    }
}
