//! What may be used to answer, and what does a file say now?

use std::fmt;
use std::fs::{File as DiskFile, Metadata};
use std::io::Read;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use orienteer_base::path::open_exactly;

use super::scales::Scales;
use crate::build;
use crate::git::{FileHistory, Git};
use crate::positioned::read_at;
use crate::store::{File, FileFlags, RelativePath, Stamp};
use crate::trigram::Trigrams;
use crate::vectors::{Model, Vector, VectorFile};

/// What the git history says about a path; `None` for what was never committed.
pub type HistoryOf<'m> = dyn Fn(&RelativePath) -> Option<FileHistory> + 'm;
/// What a file says now; `None` when it cannot be read or is no text.
pub type TextOf<'m> = dyn Fn(&File) -> Option<Now> + 'm;

/// What a file says, if it says what is wanted. `None` when it cannot be read or is no text. Bytes are read into a place
/// that is used again: most files that are searched have nothing, and the system is asked for no memory for each of them.
/// Asked by several threads at once.
pub type GlimpseOf<'m> = dyn Fn(&File, &mut Vec<u8>, Wanted<'_>) -> Option<Glimpse> + Sync + 'm;

/// Whether a text is worth keeping.
pub type Wanted<'w> = &'w (dyn Fn(&str) -> bool + Sync);

/// What came of looking into a file.
#[derive(Debug, Clone)]
pub enum Glimpse {
    Has(Now),
    /// It does not, and so many bytes of text were looked through.
    Lacks(usize),
}

/// Parts of a file, where it is known without reading it that it is what was indexed. Asked by several threads at once.
pub type PartsOf<'m> = dyn Fn(&File, &[Range<usize>]) -> Option<Vec<String>> + Sync + 'm;

/// What may be used besides the store. All of it is optional: what is missing is said in the answer.
#[derive(Clone, Copy, Default)]
pub struct Means<'m> {
    /// Of the generation that the reader reads.
    pub trigrams: Option<&'m Trigrams>,
    pub meaning: Option<Meaning<'m>>,
    /// `None`: there is no git, or it could not be asked.
    pub history: Option<&'m HistoryOf<'m>>,
    /// The history begins later than the files do: what it does not know may still have been committed.
    pub history_cut: bool,
    /// Why there is no history, where git is there and failed.
    pub no_history: Option<&'m str>,
    /// Asked who wrote the hits that are shown. Each question takes milliseconds, so all of them have a limit.
    pub blame: Option<&'m Git>,
    /// Instead of reading below the root: what a cache has, say.
    pub text: Option<&'m TextOf<'m>>,
    /// The same for whoever searches many files for something that few of them have.
    pub glimpse: Option<&'m GlimpseOf<'m>>,
    /// So that a definition in a large file can be judged without reading all of that.
    pub parts: Option<&'m PartsOf<'m>>,
    pub scales: Scales,
}

impl fmt::Debug for Means<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Means")
            .field("trigrams", &self.trigrams.is_some())
            .field("meaning", &self.meaning.is_some())
            .field("history", &self.history.is_some())
            .field("history_cut", &self.history_cut)
            .field("no_history", &self.no_history)
            .field("blame", &self.blame.is_some())
            .field("text", &self.text.is_some())
            .field("glimpse", &self.glimpse.is_some())
            .field("parts", &self.parts.is_some())
            .finish_non_exhaustive()
    }
}

/// Vectors under the numbers of their pieces, and the model that made them.
#[derive(Debug, Clone, Copy)]
pub struct Meaning<'m> {
    pub model: &'m Model,
    pub vectors: &'m VectorFile,
    /// Of pieces that were put in after the file was written.
    pub since: &'m [(u64, Vector)],
    pub threads: usize,
}

/// A file's text at the time of the question.
#[derive(Debug, Clone)]
pub struct Now {
    pub text: Arc<str>,
    /// It is what was indexed, so that places in the index are places in it.
    pub same: bool,
}

/// Larger files are not read for an answer unless the index holds them whole.
const LARGEST: u64 = 32 << 20;

/// Reads a file below a root. It counts as the same when the file system says so, or when its content is.
pub fn read_now(root: &Path, file: &File) -> Option<Now> {
    let path = file.path.absolute(root);
    if !std::fs::symlink_metadata(&path).ok()?.is_file() {
        return None;
    }
    read_opened(&mut open_exactly(&path).ok()?, file)
}

/// The same for who has opened the file already, to see where it really is.
pub fn read_opened(disk: &mut DiskFile, file: &File) -> Option<Now> {
    let mut bytes = Vec::new();
    let metadata = read_bytes(disk, &mut bytes)?;
    let same = is_same(file, &metadata, &bytes);
    Some(Now { text: build::text_of(&bytes)?.into(), same })
}

fn read_bytes(disk: &mut DiskFile, bytes: &mut Vec<u8>) -> Option<Metadata> {
    let metadata = disk.metadata().ok().filter(|data| data.is_file() && data.len() <= LARGEST)?;
    bytes.reserve_exact(usize::try_from(metadata.len()).ok()? + 1);
    disk.take(LARGEST).read_to_end(bytes).ok()?;
    Some(metadata)
}

/// Whether a file is what was indexed: the system says so, or its content does.
fn is_same(file: &File, metadata: &Metadata, bytes: &[u8]) -> bool {
    let proven = file.stamp == Stamp::of(metadata) && !file.flags.has(FileFlags::YOUNG);
    proven || blake3::hash(bytes).as_bytes().starts_with(&file.hash)
}

/// The same for who wants only what has something.
pub fn read_wanted(
    disk: &mut DiskFile,
    file: &File,
    bytes: &mut Vec<u8>,
    wanted: Wanted<'_>,
) -> Option<Glimpse> {
    bytes.clear();
    let metadata = read_bytes(disk, bytes)?;
    let text = build::text_of(bytes)?;
    if !wanted(&text) {
        return Some(Glimpse::Lacks(text.len()));
    }
    Some(Glimpse::Has(Now { same: is_same(file, &metadata, bytes), text: text.into() }))
}

/// Parts of an open file; `None` unless the file system says that it is what was indexed. The places are those of the
/// bytes, so whoever asks has to know that the text is no other.
pub fn read_parts(disk: &DiskFile, file: &File, ranges: &[Range<usize>]) -> Option<Vec<String>> {
    let metadata = disk.metadata().ok().filter(Metadata::is_file)?;
    if file.flags.has(FileFlags::YOUNG) || file.stamp != Stamp::of(&metadata) {
        return None;
    }
    let part = |range: &Range<usize>| {
        let mut bytes = vec![0; range.len()];
        read_at(disk, &mut bytes, range.start as u64).ok()?;
        match String::from_utf8(bytes) {
            Ok(text) => Some(text),
            // A long definition is cut, perhaps within a letter.
            Err(error) => {
                let valid = error.utf8_error().valid_up_to();
                let mut bytes = error.into_bytes();
                (bytes.len() - valid < 4).then(|| bytes.truncate(valid))?;
                String::from_utf8(bytes).ok()
            }
        }
    };
    ranges.iter().map(part).collect()
}
