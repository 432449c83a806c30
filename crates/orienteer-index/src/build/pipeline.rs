//! How are files read and taken apart, by one thread or by several?

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use orienteer_base::{Cancel, Stopped};

use super::Build;
use super::content;
use super::flow::{Desk, flow};
use super::prepare::Preparer;
use super::report::{BuildError, is_gone, reason};
use crate::store::{FileRecord, RelativePath};
use crate::trigram;

/// A file to be read.
#[derive(Debug, Clone)]
pub(super) struct Job {
    pub(super) path: RelativePath,
    pub(super) size: u64,
    /// What is known about it: when the content is the same, it is not taken apart.
    pub(super) hash: Option<[u8; 16]>,
}

/// What became of it.
#[derive(Debug)]
pub(super) enum Outcome {
    Ready(Box<FileRecord>),
    /// As it was known.
    Same(crate::store::Stamp, bool),
    /// Nothing is to be known of it any more.
    Skipped(String),
    /// It is there and cannot be read at the moment; what is known of it may still be true.
    Unread(String),
    Stopped,
}

/// What every thread needs.
pub(super) struct Pipeline<'p> {
    pub(super) build: &'p Build,
    /// Where trigrams are collected; files have the numbers in which they were found.
    pub(super) trigrams: Option<&'p trigram::Builder>,
    pub(super) cancel: &'p Cancel,
}

impl Pipeline<'_> {
    /// `find` gives the files, on a thread of its own, until it is told `false`; `write` gets each with its number, in
    /// order, on this one.
    pub(super) fn run(
        &self,
        find: impl FnOnce(&mut dyn FnMut(Job) -> bool) -> Result<(), Stopped> + Send,
        mut write: impl FnMut(u32, Job, Outcome) -> Result<(), BuildError>,
    ) -> Result<(), BuildError> {
        flow(self.build.options.threads, self.cancel, find, &|desk| self.work(desk), &mut write)
    }

    /// The same for a few files, without threads.
    pub(super) fn run_here(
        &self,
        jobs: Vec<Job>,
        each: &mut dyn FnMut(Job, Outcome),
    ) -> Result<(), BuildError> {
        let mut preparer = self.build.preparer();
        for (sequence, job) in jobs.into_iter().enumerate() {
            self.cancel.check()?;
            let outcome = self.guarded(sequence as u32, &job, &mut preparer, None)?;
            each(job, outcome);
        }
        Ok(())
    }

    /// The same for one file, once more.
    pub(super) fn again(&self, job: &Job, preparer: &mut Option<Preparer>) -> Result<Outcome, BuildError> {
        self.cancel.check()?;
        self.guarded(0, job, preparer.get_or_insert_with(|| self.build.preparer()), None)
    }

    fn work(&self, desk: &Desk<'_>) -> Result<(), BuildError> {
        let mut preparer = self.build.preparer();
        let mut trigrams = self.trigrams.map(trigram::Builder::collector);
        while let Some((sequence, job)) = desk.take() {
            let outcome = self.guarded(sequence, &job, &mut preparer, trigrams.as_mut())?;
            if !desk.hand_in(sequence, job, outcome) {
                break;
            }
        }
        match trigrams {
            Some(trigrams) if !self.cancel.is_cancelled() => Ok(trigrams.finish()?),
            _ => Ok(()),
        }
    }

    /// A grammar that panics costs one file, not the index.
    fn guarded(
        &self,
        sequence: u32,
        job: &Job,
        preparer: &mut Preparer,
        trigrams: Option<&mut trigram::Collector>,
    ) -> Result<Outcome, BuildError> {
        match catch_unwind(AssertUnwindSafe(|| self.read(sequence, job, preparer, trigrams))) {
            Ok(outcome) => outcome,
            Err(cause) => {
                *preparer = self.build.preparer();
                Ok(Outcome::Skipped(orienteer_base::error::panic_message(&*cause)))
            }
        }
    }

    fn read(
        &self,
        sequence: u32,
        job: &Job,
        preparer: &mut Preparer,
        trigrams: Option<&mut trigram::Collector>,
    ) -> Result<Outcome, BuildError> {
        let loaded = match content::load(&job.path.absolute(&self.build.root)) {
            Ok(loaded) => loaded,
            Err(error) if is_lasting(&error) => return Ok(Outcome::Skipped(reason(&error))),
            Err(error) => return Ok(Outcome::Unread(reason(&error))),
        };
        if job.hash.is_some_and(|known| loaded.hash.starts_with(&known)) {
            return Ok(Outcome::Same(loaded.stamp, loaded.young));
        }
        if let Some(trigrams) = trigrams.filter(|_| loaded.whole) {
            trigrams.add_hashed(sequence, &loaded.bytes, &loaded.hash)?;
        }
        Ok(match preparer.prepare(&job.path, &loaded, self.cancel) {
            Ok(record) => Outcome::Ready(Box::new(record)),
            Err(Stopped) => Outcome::Stopped,
        })
    }
}

/// Whether trying again later would end in the same way: not so where files are too many to be opened, or a disk hangs.
fn is_lasting(error: &io::Error) -> bool {
    is_gone(error) || error.kind() == io::ErrorKind::PermissionDenied
}
