//! Which files contain this identifier?
//!
//! Language servers for Python and TypeScript find references only in files they know, so the files that hold a
//! word have to be found before they are asked; scanning the project for every question would cost more than the
//! question. The table keeps hashes of the words of every file. Two words may share a hash, so a file may be named
//! that does not contain the word; a file that contains it is never left out.
//!
//! What the table cannot know about (too large, unreadable, no memory left) is named for every word.
//!
//! | module | question it answers |
//! | --- | --- |
//! | `words/scan` | What is a word, and which words does a text hold? |
//! | `words/file` | Which words does a file on disk hold? |
//! | `words/postings` | Which files hold this hash? |

mod file;
mod postings;
mod scan;

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

pub use scan::{is_word, is_word_char, occurrences};

use file::Content;
use postings::{FileId, Postings};
use scan::{Seen, hash};

/// How much the table may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WordLimits {
    /// Bytes of memory for the known files, paths included.
    pub total_bytes: usize,
    /// Larger files are not read: they hold data, and are named for every word.
    pub file_bytes: u64,
}

impl Default for WordLimits {
    fn default() -> Self {
        Self { total_bytes: 64 << 20, file_bytes: 4 << 20 }
    }
}

/// The words of many files.
#[derive(Debug)]
pub struct WordTable {
    limits: WordLimits,
    postings: Postings,
    files: HashMap<Arc<Path>, FileId>,
    /// By number; those of removed files are empty.
    paths: Vec<Option<Arc<Path>>>,
    /// The text of the paths and the entries around them.
    path_bytes: usize,
    unknown: BTreeSet<PathBuf>,
}

/// Files read between two looks at the memory that is left.
const BATCH: usize = 1024;
/// Below this many files starting threads costs more than it saves.
const WORTH_THREADS: usize = 16;
/// What a file costs besides its path's text and its words: its entries, the map's free ones, the allocation.
const ENTRY_BYTES: usize = 2 * size_of::<(Arc<Path>, FileId)>() + size_of::<Option<Arc<Path>>>() + 16;

impl WordTable {
    pub fn new(limits: WordLimits) -> Self {
        Self {
            limits,
            postings: Postings::new(),
            files: HashMap::new(),
            paths: Vec::new(),
            path_bytes: 0,
            unknown: BTreeSet::new(),
        }
    }

    /// Reads files that are new or changed, on several threads. One that no longer exists, or is no file, drops
    /// out. A file that is written while it is read has to be given again, as a watcher does.
    pub fn update<'p>(&mut self, changed: impl IntoIterator<Item = &'p Path>) {
        let mut paths: Vec<&Path> = changed.into_iter().collect();
        // The order decides which files are left without memory, so it must not depend on the caller's.
        paths.sort_unstable();
        paths.dedup();
        for batch in paths.chunks(BATCH) {
            for path in batch {
                self.forget(path);
            }
            for (path, content) in batch.iter().zip(self.read(batch)) {
                self.insert(path, content);
            }
        }
    }

    /// Files that may contain `word`, each once, in no order that means anything. `None` when the table cannot
    /// tell, because `word` is empty or has a character that is not part of words.
    pub fn files_with(&self, word: &str) -> Option<Vec<PathBuf>> {
        if !is_word(word) {
            return None;
        }
        let found = self.postings.find(hash(word));
        let known = found.into_iter().filter_map(|file| self.paths.get(file as usize)?.as_deref());
        Some(known.chain(self.unknown()).map(Path::to_path_buf).collect())
    }

    /// Files in the table, those about which nothing is known included.
    pub fn len(&self) -> usize {
        self.files.len() + self.unknown.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Memory of the known files, as the limit counts it.
    pub fn bytes(&self) -> usize {
        self.postings.bytes() + self.path_bytes
    }

    /// Files that are named for every word, because they could not be read or kept.
    pub fn unknown(&self) -> impl Iterator<Item = &Path> {
        self.unknown.iter().map(PathBuf::as_path)
    }

    fn forget(&mut self, path: &Path) {
        if let Some(file) = self.files.remove(path) {
            self.postings.remove(file);
            self.paths[file as usize] = None;
            self.path_bytes -= path_cost(path);
        }
        self.unknown.remove(path);
    }

    fn insert(&mut self, path: &Path, content: Content) {
        let file = match content {
            Content::Gone => return,
            Content::Words(words) if self.has_room(path_cost(path) + Postings::cost(words.len())) => {
                self.postings.add(&words)
            }
            Content::Words(_) | Content::Unknown => None,
        };
        let Some(file) = file else {
            self.unknown.insert(path.to_owned());
            return;
        };
        let shared: Arc<Path> = path.into();
        let at = file as usize;
        self.paths.resize(self.paths.len().max(at + 1), None);
        self.paths[at] = Some(shared.clone());
        self.files.insert(shared, file);
        self.path_bytes += path_cost(path);
    }

    fn has_room(&self, bytes: usize) -> bool {
        self.bytes() + bytes <= self.limits.total_bytes
    }

    /// The content of each of `paths`, in the same order.
    fn read(&self, paths: &[&Path]) -> Vec<Content> {
        // Without memory for another file, only whether it exists matters.
        let room = self.has_room(ENTRY_BYTES);
        let most = if room { self.limits.file_bytes } else { 0 };
        let threads = match paths.len() {
            ..WORTH_THREADS => 1,
            _ => crate::walk::threads(),
        };
        let next = AtomicUsize::new(0);
        let work = || {
            let mut seen = Seen::new();
            let mut done = Vec::new();
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(path) = paths.get(at) else { return done };
                done.push((at, file::read(path, most, &mut seen)));
            }
        };
        // What a lost thread had read stays unknown, which is safe.
        let mut contents: Vec<Content> = paths.iter().map(|_| Content::Unknown).collect();
        std::thread::scope(|scope| {
            let others: Vec<_> = (1..threads)
                .filter_map(|_| {
                    std::thread::Builder::new().name("words".to_owned()).spawn_scoped(scope, work).ok()
                })
                .collect();
            let mut done = work();
            done.extend(others.into_iter().flat_map(|thread| thread.join().unwrap_or_default()));
            for (at, content) in done {
                contents[at] = content;
            }
        });
        contents
    }
}

fn path_cost(path: &Path) -> usize {
    ENTRY_BYTES + path.as_os_str().len()
}
