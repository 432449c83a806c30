//! Is what was read of a file still true when it is written?
//!
//! Files are read before a change begins, and changes wait for each other. Meanwhile a file may change, and another
//! process may have read the newer one and written it first. So whoever may write looks again: at the stamp of each file,
//! and at its content where the stamp proves nothing.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use super::pipeline::{Job, Outcome, Pipeline};
use super::prepare::Preparer;
use super::report::BuildError;
use crate::store::{File, FileFlags, RelativePath, Stamp, Writer};

pub(super) struct Settle<'s> {
    pipeline: Pipeline<'s>,
    preparer: Option<Preparer>,
    folders: Folders,
}

impl<'s> Settle<'s> {
    pub(super) fn new(pipeline: Pipeline<'s>) -> Self {
        Self { pipeline, preparer: None, folders: Folders::default() }
    }

    fn root(&self) -> &'s Path {
        &self.pipeline.build.root
    }

    fn stamp(&self, path: &RelativePath) -> Option<Stamp> {
        let metadata = fs::symlink_metadata(path.absolute(self.root())).ok()?;
        metadata.is_file().then(|| Stamp::of(&metadata))
    }

    /// Whether there is a file again where there was none.
    pub(super) fn is_back(&mut self, path: &RelativePath) -> bool {
        self.stamp(path).is_some() && self.folders.lead_to(path, self.pipeline.build.root.as_path())
    }

    /// A file as it is now.
    pub(super) fn read(
        &mut self,
        writer: &Writer<'_>,
        path: RelativePath,
    ) -> Result<(Job, Outcome), BuildError> {
        let size = self.stamp(&path).map_or(0, |stamp| stamp.size);
        let hash = writer.file_at(&path)?.map(|file| file.hash);
        let job = Job { path, size, hash };
        let outcome = self.pipeline.again(&job, &mut self.preparer)?;
        Ok((job, outcome))
    }

    /// What came of a file, as it is now, and what the index knows of it.
    pub(super) fn settle(
        &mut self,
        writer: &Writer<'_>,
        job: &Job,
        outcome: Outcome,
    ) -> Result<(Outcome, Option<File>), BuildError> {
        let known = writer.file_at(&job.path)?;
        let hash = known.as_ref().map(|file| file.hash);
        let now = self.stamp(&job.path);
        let against = |hash| Job { hash, ..job.clone() };
        let outcome = match outcome {
            Outcome::Ready(mut record) => {
                let young = record.flags.has(FileFlags::YOUNG);
                if young || now != Some(record.stamp) {
                    match self.pipeline.again(&against(Some(record.hash)), &mut self.preparer)? {
                        Outcome::Same(stamp, young) => {
                            record.stamp = stamp;
                            record.flags = restamped(record.flags, young);
                        }
                        Outcome::Ready(newer) => record = newer,
                        other => return Ok((other, known)),
                    }
                }
                // Somebody else may have written the same already.
                if hash == Some(record.hash) {
                    Outcome::Same(record.stamp, record.flags.has(FileFlags::YOUNG))
                } else {
                    Outcome::Ready(record)
                }
            }
            Outcome::Same(stamp, false) if now == Some(stamp) && hash == job.hash => {
                Outcome::Same(stamp, false)
            }
            Outcome::Same(..) => self.pipeline.again(&against(hash), &mut self.preparer)?,
            Outcome::Skipped(_) | Outcome::Unread(_) if now.is_some() => {
                self.pipeline.again(&against(hash), &mut self.preparer)?
            }
            other => other,
        };
        Ok((outcome, known))
    }
}

/// Flags with or without the one that says that the stamp proves nothing.
pub(super) fn restamped(flags: FileFlags, young: bool) -> FileFlags {
    flags.without(FileFlags::YOUNG).when(FileFlags::YOUNG, young)
}

/// Which folders are folders, and not links to somewhere else.
#[derive(Debug, Default)]
pub(super) struct Folders(HashMap<RelativePath, bool>);

impl Folders {
    /// Whether only folders lie between the root and a path.
    pub(super) fn lead_to(&mut self, path: &RelativePath, root: &Path) -> bool {
        path.with_parents().skip(1).filter(|folder| !folder.as_bytes().is_empty()).all(|folder| {
            let absolute = folder.absolute(root);
            *self
                .0
                .entry(folder)
                .or_insert_with(|| fs::symlink_metadata(absolute).is_ok_and(|metadata| metadata.is_dir()))
        })
    }
}
