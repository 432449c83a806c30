//! Which files need not be opened?
//!
//! Whoever keeps an index implements [`Narrow`]. It hands in all files there are, so that nobody has to walk, and
//! names those that must be opened: the ones that may match, and the ones it knows nothing about. The search
//! applies its own rules (scope, hidden names, types, globs) to that list, as a walk would.

use std::collections::VecDeque;
use std::ops::Range;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use orienteer_base::Cancel;
use orienteer_base::question::{Selection, TextQuery};

/// Knows the files of a folder as they are now, and which of them cannot match.
pub trait Narrow: std::fmt::Debug + Send + Sync {
    /// The files there are and those that must be opened; `None` when nothing can be said, which is when all are
    /// walked and searched. The pattern of the query has been compiled, so it is valid.
    fn narrow(&self, query: &TextQuery, cancel: &Cancel) -> Option<Narrowed>;
}

/// What a [`Narrow`] knows about one question.
#[derive(Debug, Clone)]
pub struct Narrowed {
    pub list: Arc<FileList>,
    /// Places in [`FileList::files`] of the files that may match or are not known. All others are not opened: it
    /// must be certain that they are as they were indexed and that they cannot match.
    pub open: Vec<u32>,
    /// Places of files with a NUL byte in their first 64 kB, where that is known. A scan counts them as binary
    /// without finding anything in them, and so does whoever does not open them.
    pub binary: Arc<[u32]>,
}

/// All files that a walk of a folder comes by, without walking.
///
/// Ignored files are not in it. Hidden ones are, because rules and file types can bring single ones back; whether
/// they take part is decided by the search. A list is true for one state of the disk, rule files included: after a
/// file came or went, or a rule file changed, a new one is made.
#[derive(Debug)]
pub struct FileList {
    root: PathBuf,
    /// In the order of their bytes, so that what is below a folder stands together.
    files: Vec<PathBuf>,
    apart: Vec<PathBuf>,
    hidden: bool,
    /// Places of files with a hidden name on their way from the root.
    dotted: Vec<u32>,
    /// Those of `dotted` that take part in a plain search of the root. Asking is expensive, as it reads rule files.
    brought_back: OnceLock<Vec<u32>>,
    /// How many files took part in the last searches with types or globs. Counting asks about every file.
    counted: Mutex<VecDeque<(PathBuf, Selection, u64)>>,
}

/// So many counts are remembered: pages and next questions mostly keep their selection.
const MOST_COUNTED: usize = 8;

impl FileList {
    /// Takes absolute paths in any order; those that are not below the root are left out.
    pub fn new(root: impl Into<PathBuf>, files: Vec<PathBuf>) -> Self {
        Self::with_apart(root, files, Vec::new())
    }

    /// The folders `apart` were not listed, for whatever reason: a cache, a folder that could not be read, one that
    /// nobody watches. They are walked in every search, unless ignored.
    pub fn with_apart(root: impl Into<PathBuf>, mut files: Vec<PathBuf>, mut apart: Vec<PathBuf>) -> Self {
        let root = root.into();
        let is_below = |path: &PathBuf| path.starts_with(&root) && **path != *root;
        files.retain(is_below);
        if !files.is_sorted_by(|one, other| bytes(one) < bytes(other)) {
            files.sort_unstable_by(|one, other| bytes(one).cmp(bytes(other)));
            files.dedup();
        }
        apart.retain(is_below);
        apart.sort_unstable();
        apart.dedup_by(|inner, outer| inner.starts_with(&*outer));
        for folder in &apart {
            files.drain(below(&files, folder));
        }
        files.truncate(u32::MAX as usize);
        let dotted = (0_u32..)
            .zip(&files)
            .filter(|(_, file)| file.strip_prefix(&root).is_ok_and(is_dotted))
            .map(|(place, _)| place)
            .collect();
        let (brought_back, counted) = (OnceLock::new(), Mutex::default());
        Self { root, files, apart, hidden: false, dotted, brought_back, counted }
    }

    /// Says that the list has every hidden file, `.git` and everything in it included, which searches with `hidden`
    /// need. Other lists are not used for those.
    #[must_use]
    pub fn with_all_hidden(mut self) -> Self {
        self.hidden = true;
        self
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// What [`Narrowed`] counts places in.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// Where a file stands in [`FileList::files`].
    pub fn place(&self, file: &Path) -> Option<u32> {
        let place = self.files.binary_search_by(|other| bytes(other).cmp(bytes(file))).ok()?;
        u32::try_from(place).ok()
    }

    pub(super) fn apart(&self) -> &[PathBuf] {
        &self.apart
    }

    pub(super) fn has_all_hidden(&self) -> bool {
        self.hidden
    }

    /// The places of the files below a folder.
    pub(super) fn below(&self, folder: &Path) -> Range<u32> {
        let range = below(&self.files, folder);
        // Lists are not longer than that.
        range.start as u32..range.end as u32
    }

    /// Places of files with a hidden name on their way from the root, of those in a range.
    pub(super) fn dotted(&self, range: &Range<u32>) -> &[u32] {
        within(&self.dotted, range)
    }

    /// What `find` found when it was first asked.
    pub(super) fn brought_back(&self, find: impl FnOnce() -> Vec<u32>) -> &[u32] {
        self.brought_back.get_or_init(find)
    }
}

impl FileList {
    /// How many files a selection took, if that was counted lately.
    pub(super) fn remembered(&self, scope: &Path, selection: &Selection) -> Option<u64> {
        let counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        counted.iter().find(|(of, by, _)| of == scope && by == selection).map(|(_, _, count)| *count)
    }

    pub(super) fn remember(&self, scope: &Path, selection: &Selection, count: u64) {
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        counted.truncate(MOST_COUNTED - 1);
        counted.push_front((scope.to_owned(), selection.clone(), count));
    }
}

/// Where the files below a folder stand in a sorted list.
fn below(files: &[PathBuf], folder: &Path) -> Range<usize> {
    let mut prefix = bytes(folder).to_vec();
    if prefix.last() != Some(&(MAIN_SEPARATOR as u8)) {
        prefix.push(MAIN_SEPARATOR as u8);
    }
    let first = files.partition_point(|file| bytes(file) < &prefix[..]);
    let count = files[first..].partition_point(|file| bytes(file).starts_with(&prefix));
    first..first + count
}

/// The part of sorted places that lies in a range.
pub(super) fn within<'p>(places: &'p [u32], range: &Range<u32>) -> &'p [u32] {
    let first = places.partition_point(|place| *place < range.start);
    let end = places.partition_point(|place| *place < range.end);
    &places[first..end.max(first)]
}

/// Whether any name of a relative path is hidden.
pub(super) fn is_dotted(relative: &Path) -> bool {
    let bytes = bytes(relative);
    bytes.first() == Some(&b'.') || bytes.windows(2).any(|pair| pair == [MAIN_SEPARATOR as u8, b'.'])
}

fn bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_encoded_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(files: &[&str], apart: &[&str]) -> FileList {
        let owned = |paths: &[&str]| paths.iter().map(PathBuf::from).collect();
        FileList::with_apart("/w", owned(files), owned(apart))
    }

    #[test]
    fn what_is_below_a_folder_stands_together() {
        let files = ["/w/a.b/x", "/w/a/z", "/w/a", "/w/a-b", "/w/a/b/c", "/w/B", "/v/a", "/w/a/z"];
        let list = list(&files, &[]);
        let below = |folder: &str| {
            let range = list.below(Path::new(folder));
            list.files()[range.start as usize..range.end as usize].to_vec()
        };
        assert_eq!(below("/w").len(), 6);
        assert_eq!(below("/w/a"), [Path::new("/w/a/b/c"), Path::new("/w/a/z")]);
        assert_eq!(below("/w/a/b"), [Path::new("/w/a/b/c")]);
        assert!(below("/w/B").is_empty() && below("/w/zzz").is_empty() && below("/w/0").is_empty());
        assert_eq!(list.place(Path::new("/w/a/z")).map(|place| &*list.files()[place as usize]), {
            Some(Path::new("/w/a/z"))
        });
        assert_eq!(list.place(Path::new("/w/none")), None);
    }

    #[test]
    fn hidden_names_are_known_by_their_dots() {
        let list = list(&["/w/.a", "/w/b/.c/d", "/w/b.c/d", "/w/e."], &[]);
        let dotted: Vec<&Path> =
            list.dotted(&(0..4)).iter().map(|place| &*list.files()[*place as usize]).collect();
        assert_eq!(dotted, [Path::new("/w/.a"), Path::new("/w/b/.c/d")]);
        assert!(list.dotted(&(1..2)).is_empty());
    }

    #[test]
    fn what_is_walked_is_not_listed_too() {
        let list = list(&["/w/a/x", "/w/b/y", "/w/ab"], &["/w/a/deep", "/w/a", "/w", "/v"]);
        assert_eq!(list.apart(), [Path::new("/w/a")]);
        assert_eq!(list.files(), [Path::new("/w/ab"), Path::new("/w/b/y")]);
    }
}
