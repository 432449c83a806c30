//! How does everything get into the store, and how does it stay true?
//!
//! A build makes a new generation beside the one in use, or changes that one in place when little has changed. A change of
//! a few files is one transaction. Files are told apart by what the file system says of them, then by their content.
//!
//! | module | question it answers |
//! | --- | --- |
//! | `build/walk` | Which files are there? |
//! | `build/content` | What does a file say, within limits? |
//! | `build/classify` | What is it for, and should it be ranked last? |
//! | `build/lines`, `build/records` | What is it made of? |
//! | `build/prepare` | What does the index keep of it? |
//! | `build/pipeline` | How are files read and taken apart? |
//! | `build/flow` | How do many threads read and one write? |
//! | `build/update` | What changes when some files did? |
//! | `build/settle` | Is what was read still true when it is written? |
//! | `build/settings` | Which settings was an index built with? |
//! | `build/stale` | Which files are not what the index knows? |
//! | `build/report` | What came of it? |

mod classify;
mod content;
mod flow;
mod lines;
mod pipeline;
mod prepare;
mod records;
mod report;
mod settings;
mod settle;
mod stale;
mod update;
mod walk;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use orienteer_base::Cancel;
use orienteer_base::error::panic_message;
use orienteer_base::path::SameFolder;
use orienteer_syntax::Limits;

pub use content::text_of;
pub use report::{BuildError, Made, Phase, Progress, Report, Skipped, UpdateReport};
pub use stale::Stale;
pub use update::tidy;

use pipeline::{Job, Outcome, Pipeline};
use prepare::Preparer;
use report::Skips;
use settings::SETTINGS;
use walk::Walk;

use crate::risk::Rules;
use crate::store::{self, BuildLock, Fresh, RelativePath, Store, StoreError};
use crate::trigram;

/// When the index was last built or changed by a build, in seconds since 1970.
const BUILT_AT: &str = "built_at";
/// How often a build says how far it is.
const TELL: Duration = Duration::from_millis(100);
/// When more than this part of the bytes changed, a new generation is made.
const MUCH: f64 = 0.3;

/// How to build.
#[derive(Debug, Clone)]
pub struct Options {
    /// Threads that read files.
    pub threads: usize,
    pub limits: Limits,
    /// Make a new generation even where changing the old one would do.
    pub fresh: bool,
    /// Names that begin with a dot count.
    pub hidden: bool,
    /// How long to wait for another build to end.
    pub patience: Duration,
    pub rules: Arc<Rules>,
    /// What is to be remembered with the index, such as `commit` and `branch`.
    pub meta: Vec<(String, String)>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            threads: 2,
            limits: Limits { max_bytes: content::LARGE as usize, ..Limits::default() },
            fresh: false,
            hidden: false,
            patience: Duration::from_secs(600),
            rules: Arc::new(Rules::builtin().clone()),
            meta: Vec::new(),
        }
    }
}

/// An index and what it is made from.
#[derive(Debug, Clone)]
pub struct Build {
    /// The workspace, canonical.
    pub root: PathBuf,
    /// Where the index is, or will be.
    pub folder: PathBuf,
    pub options: Options,
}

impl Build {
    pub fn new(root: &Path, folder: &Path) -> Self {
        Self { root: root.to_owned(), folder: folder.to_owned(), options: Options::default() }
    }

    /// Makes the index true, whatever was there. A damaged or foreign one is replaced.
    pub fn run(&self, cancel: &Cancel, progress: &dyn Fn(&Progress)) -> Result<Report, BuildError> {
        let start = Instant::now();
        let readable = std::fs::read_dir(&self.root).map(|_| ());
        readable.map_err(|error| BuildError::Root { path: self.root.clone(), error })?;
        let root = self.enter()?;
        progress(&Progress::new(Phase::Waiting));
        let lock = BuildLock::take(&self.folder, self.options.patience, cancel)?;
        let mut healed = None;
        if !self.options.fresh {
            match self.refresh(&root, cancel, progress) {
                Ok(Some(report)) => return Ok(Report { took: start.elapsed(), ..report }),
                Ok(None) => {}
                Err(BuildError::Store(StoreError::Missing { .. })) => {}
                Err(BuildError::Store(error)) if error.needs_rebuild() => healed = Some(error.to_string()),
                Err(error) => return Err(error),
            }
        }
        let report = self.generation(&root, lock, cancel, progress)?;
        Ok(Report { healed, took: start.elapsed(), ..report })
    }

    /// The root as it is now. What is found below it counts only if it is the same in the end.
    fn enter(&self) -> Result<SameFolder, BuildError> {
        SameFolder::new(&self.root).map_err(|error| BuildError::Root { path: self.root.clone(), error })
    }

    fn leave(&self, root: &SameFolder) -> Result<(), BuildError> {
        root.check().map_err(|error| BuildError::Root { path: self.root.clone(), error })
    }

    fn walk(&self) -> Walk {
        Walk { root: self.root.clone(), hidden: self.options.hidden, folder: self.folder.clone() }
    }

    fn preparer(&self) -> Preparer {
        Preparer::new(self.options.limits, self.options.rules.clone())
    }

    /// Makes a new generation from all files.
    fn generation(
        &self,
        root: &SameFolder,
        lock: BuildLock,
        cancel: &Cancel,
        progress: &dyn Fn(&Progress),
    ) -> Result<Report, BuildError> {
        let mut fresh = Fresh::begin(&self.folder, lock)?;
        let trigrams = trigram::Builder::new(&self.folder);
        let skips = Skips::default();
        let counter = Counter::default();
        let mut report = Report::new(Made::Generation, fresh.generation());
        let mut teller = Teller::new(progress, &counter);
        let pipeline = Pipeline { build: self, trigrams: Some(&trigrams), cancel };
        let find = |each: &mut dyn FnMut(Job) -> bool| {
            let all = RelativePath::of_bytes(Vec::new());
            self.walk().run(&all, &skips, cancel, &mut |found| {
                counter.add(found.stamp.size);
                each(Job { path: found.path, size: found.stamp.size, hash: None })
            })?;
            counter.counted.store(true, Ordering::Relaxed);
            Ok(())
        };
        pipeline.run(find, |sequence, job, outcome| {
            match outcome {
                Outcome::Ready(mut record) => {
                    // A file that is too large to be parsed is still read whole, unless it is huge.
                    record.trigrams = content::is_read_whole(record.stamp.size).then_some(sequence);
                    report.add(&record);
                    fresh.put(&record, cancel)?;
                }
                Outcome::Skipped(reason) | Outcome::Unread(reason) => {
                    skips.add(report::shown(&self.root, &job.path), reason)
                }
                Outcome::Same(..) | Outcome::Stopped => {}
            }
            cancel.advance(1);
            teller.tell(job.size);
            Ok(())
        })?;
        teller.writing();
        (report.skipped, report.skipped_count) = skips.finish();
        report.files = report.read;
        self.remember(&report, &mut |key, value| fresh.set_meta(key, value))?;
        self.write(&mut fresh, trigrams, cancel)?;
        cancel.check()?;
        self.leave(root)?;
        fresh.promote()?;
        Ok(report)
    }

    /// Writes both files of a generation at once: each is sorted by one thread and waits for the disk.
    fn write(
        &self,
        fresh: &mut Fresh,
        trigrams: trigram::Builder,
        cancel: &Cancel,
    ) -> Result<(), BuildError> {
        let path = store::trigrams_path(&self.folder, fresh.generation());
        std::thread::scope(|scope| {
            let other = std::thread::Builder::new()
                .name("index-trigrams".to_owned())
                .spawn_scoped(scope, || trigrams.finish(&path, cancel))
                .map_err(BuildError::Threads)?;
            let finished = fresh.finish(cancel);
            let written = other.join().map_err(|cause| BuildError::Lost(panic_message(&*cause)))?;
            finished?;
            written?;
            Ok(())
        })
    }

    /// What is kept with the index for its status.
    fn remember(
        &self,
        report: &Report,
        set: &mut dyn FnMut(&str, &str) -> Result<(), StoreError>,
    ) -> Result<(), BuildError> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        set(BUILT_AT, &now.to_string())?;
        set(SETTINGS, &self.settings())?;
        set("root", &self.root.to_string_lossy())?;
        set("skipped", &report.skipped_count.to_string())?;
        for (key, value) in &self.options.meta {
            set(key, value)?;
        }
        Ok(())
    }
}

impl Report {
    fn new(made: Made, generation: u64) -> Self {
        Self {
            made,
            healed: None,
            generation,
            files: 0,
            read: 0,
            bytes: 0,
            pieces: 0,
            symbols: 0,
            deleted: 0,
            skipped: Vec::new(),
            skipped_count: 0,
            took: Duration::ZERO,
        }
    }

    fn add(&mut self, record: &store::FileRecord) {
        self.read += 1;
        self.bytes += record.stamp.size;
        self.pieces += record.pieces.len() as u64;
        self.symbols += record.symbols.len() as u64;
    }
}

/// What the walk has found so far, seen by the thread that writes.
#[derive(Debug, Default)]
struct Counter {
    files: AtomicU64,
    bytes: AtomicU64,
    counted: AtomicBool,
}

impl Counter {
    fn add(&self, bytes: u64) {
        self.files.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// Says how far it is, not too often.
struct Teller<'t> {
    progress: &'t dyn Fn(&Progress),
    counter: &'t Counter,
    last: Instant,
    done: u64,
    bytes: u64,
}

impl<'t> Teller<'t> {
    fn new(progress: &'t dyn Fn(&Progress), counter: &'t Counter) -> Self {
        Self { progress, counter, last: Instant::now(), done: 0, bytes: 0 }
    }

    fn tell(&mut self, bytes: u64) {
        self.done += 1;
        self.bytes += bytes;
        if self.last.elapsed() >= TELL {
            self.last = Instant::now();
            self.say(Phase::Reading);
        }
    }

    fn writing(&self) {
        self.say(Phase::Writing);
    }

    fn say(&self, phase: Phase) {
        (self.progress)(&Progress {
            phase,
            done: self.done,
            found: self.counter.files.load(Ordering::Relaxed),
            bytes_done: self.bytes,
            bytes_found: self.counter.bytes.load(Ordering::Relaxed),
            counted: self.counter.counted.load(Ordering::Relaxed),
        });
    }
}

/// Whether so much has changed that everything is better made anew.
fn is_much(changed: u64, all: u64) -> bool {
    changed > 4 << 20 && changed as f64 > MUCH * all as f64
}

/// Opens an index, and says what it would take to make it true.
pub fn open(folder: &Path) -> Result<Store, StoreError> {
    Store::open(folder)
}
