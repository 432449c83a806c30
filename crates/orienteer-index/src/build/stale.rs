//! Which files are not what the index knows?

use std::collections::HashMap;
use std::fs;

use orienteer_base::Cancel;
use orienteer_base::path::look_exactly;

use super::Build;
use super::report::{BuildError, Skips};
use crate::store::{FileFlags, Reader, RelativePath, Stamp};

/// Files that differ, by path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stale {
    /// On disk with another stamp than in the index, or with one that proves nothing.
    pub changed: Vec<RelativePath>,
    /// On disk alone. Only a walk finds them.
    pub new: Vec<RelativePath>,
    /// In the index alone.
    pub gone: Vec<RelativePath>,
    /// Bytes of the files that changed or are new.
    pub bytes: u64,
    /// Bytes of all files on disk.
    pub all_bytes: u64,
}

impl Stale {
    pub fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.new.is_empty() && self.gone.is_empty()
    }

    pub fn len(&self) -> usize {
        self.changed.len() + self.new.len() + self.gone.len()
    }
}

impl Build {
    /// Looks at each file that is in the index, and at nothing else: a stat for each.
    pub fn stale(&self, reader: &Reader<'_>, cancel: &Cancel) -> Result<Stale, BuildError> {
        let mut stale = Stale::default();
        for file in reader.files()? {
            cancel.check()?;
            let metadata = fs::symlink_metadata(file.path.absolute(&self.root)).ok();
            match metadata.filter(fs::Metadata::is_file) {
                None => stale.gone.push(file.path),
                Some(metadata) => {
                    stale.all_bytes += metadata.len();
                    if is_other(&file.stamp, file.flags, &Stamp::of(&metadata)) {
                        stale.bytes += metadata.len();
                        stale.changed.push(file.path);
                    }
                }
            }
        }
        Ok(stale)
    }

    /// Walks over everything, which finds new files, too.
    pub fn stale_and_new(&self, reader: &Reader<'_>, cancel: &Cancel) -> Result<Stale, BuildError> {
        self.compare(reader, &Skips::default(), cancel)
    }

    pub(super) fn compare(
        &self,
        reader: &Reader<'_>,
        skips: &Skips,
        cancel: &Cancel,
    ) -> Result<Stale, BuildError> {
        let mut known: HashMap<RelativePath, (Stamp, FileFlags)> =
            reader.files()?.into_iter().map(|file| (file.path, (file.stamp, file.flags))).collect();
        let mut stale = Stale::default();
        let all = RelativePath::of_bytes(Vec::new());
        self.walk().run(&all, skips, cancel, &mut |found| {
            stale.all_bytes += found.stamp.size;
            match known.remove(&found.path) {
                Some((stamp, flags)) if !is_other(&stamp, flags, &found.stamp) => {}
                // Listed under the name of a folder that was swapped for a link, and not there.
                None if look_exactly(&found.path.absolute(&self.root)).is_err() => {}
                before => {
                    stale.bytes += found.stamp.size;
                    let list = if before.is_some() { &mut stale.changed } else { &mut stale.new };
                    list.push(found.path);
                }
            }
            true
        })?;
        // What could not be looked at is not gone.
        stale.gone = known.into_keys().filter(|path| !skips.hide(path)).collect();
        stale.gone.sort_unstable();
        Ok(stale)
    }
}

fn is_other(known: &Stamp, flags: FileFlags, now: &Stamp) -> bool {
    known != now || flags.has(FileFlags::YOUNG)
}
