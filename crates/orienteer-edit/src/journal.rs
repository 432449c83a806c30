//! How is it done, undone and recovered?
//!
//! Several files cannot be replaced in one instant. So the journal, a folder outside every project, first gets a copy
//! of what is there and a list of what is about to be done; then a mark that says it has begun. Each new content is
//! written beside its place under a name of ours and changes places with the old one in one instant; what came out is
//! looked at, and if it is not what was seen, everything goes back. When all is done a second mark says so, and the
//! first one goes. Whoever finds the first mark without the second, because the process was killed, puts everything
//! back.
//!
//! | module | question it answers |
//! | --- | --- |
//! | `entry` | What was done, as it is written down? |
//! | `perform` | How is it done? |
//! | `restore` | How is a change that was not finished taken back? |
//! | `undo` | How is a finished one taken back? |

mod entry;
mod perform;
mod restore;
mod undo;

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use orienteer_base::{Roots, private};

use crate::error::EditError;
use crate::overlay::digest;
use crate::plan::Plan;

use entry::{Entry, FolderPath, Mark};
use perform::Work;

/// How long a change waits for another process that changes the same workspace.
const PATIENCE: Duration = Duration::from_secs(10);

/// Entries of one workspace that are kept.
const MOST_ENTRIES: usize = 200;

/// Bytes of one workspace's entries that are kept.
const MOST_BYTES: u64 = 512 << 20;

/// Told before each step that touches a disk; an error is taken for the step's own. For tests of what happens when a
/// step fails or the process dies there.
pub type Witness = Arc<dyn Fn(&'static str) -> io::Result<()> + Send + Sync>;

/// See the module.
#[derive(Clone)]
pub struct Journal {
    folder: PathBuf,
    witness: Option<Witness>,
    patience: Duration,
}

/// What was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    pub journal_id: String,
    /// Every path that is not as it was.
    pub files: Vec<PathBuf>,
    /// Earlier entries that this one took back.
    pub undone: Vec<String>,
}

/// What is to be taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Undo {
    Entry(String),
    /// The last so many.
    Last(usize),
}

/// A change that was cut short and has been put right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settled {
    pub journal_id: String,
    pub title: String,
    /// It had been finished but for the tidying; otherwise it was taken back.
    pub finished: bool,
    /// Files that somebody changed meanwhile and that were left as they are.
    pub left: Vec<PathBuf>,
    /// Where copies of what they were are kept, if there are any.
    pub kept_in: Option<PathBuf>,
}

impl std::fmt::Debug for Journal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Journal").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl Journal {
    /// Keeps everything below `folder`, which need not exist yet.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder, witness: None, patience: PATIENCE }
    }

    #[must_use]
    pub fn with_witness(mut self, witness: Witness) -> Self {
        self.witness = Some(witness);
        self
    }

    /// How long a change waits for another process.
    #[must_use]
    pub fn with_patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Carries out a plan, or nothing of it.
    pub fn apply(&self, plan: &Plan, title: &str, roots: &Roots) -> Result<Applied, EditError> {
        let works = plan.changes.iter().map(Work::of).collect();
        let book = self.book(roots.workspace());
        let _lock = book.lock(self.patience)?;
        self.settle_book(&book)?;
        perform::verify_folders(plan)?;
        let entry = self.perform(&book, works, &plan.emptied, title, &[], roots)?;
        Ok(Applied { journal_id: entry.id.clone(), files: entry.paths(), undone: Vec::new() })
    }

    /// Takes changes back, or none of them.
    pub fn undo(&self, what: &Undo, roots: &Roots) -> Result<Applied, EditError> {
        let book = self.book(roots.workspace());
        let _lock = book.lock(self.patience)?;
        self.settle_book(&book)?;
        let undone = undo::choose(&book, what)?;
        let (works, emptied) = undo::reverse(&book, &undone)?;
        let ids: Vec<String> = undone.iter().map(|entry| entry.id.clone()).collect();
        let title = match undone.as_slice() {
            [one] => format!("undo of {}", one.title),
            several => format!("undo of {} changes", several.len()),
        };
        let entry = self.perform(&book, works, &emptied, &title, &ids, roots)?;
        Ok(Applied { journal_id: entry.id.clone(), files: entry.paths(), undone: ids })
    }

    /// Puts right what a process that was killed left behind in these roots. One look at an empty folder when there is
    /// nothing; waits for a process that is changing files right now.
    pub fn settle(&self, roots: &Roots) -> Result<Vec<Settled>, EditError> {
        let pending = self.pending_folder();
        let Ok(marks) = fs::read_dir(&pending) else { return Ok(Vec::new()) };
        let mut settled = Vec::new();
        let mut failed = None;
        for mark in marks.flatten() {
            let Some(mark) = Mark::read(&mark.path()) else { continue };
            let is_near = |changed: &Path| {
                roots.all().any(|root| changed.starts_with(root) || root.starts_with(changed))
            };
            if !mark.roots.iter().any(|FolderPath(changed)| is_near(changed)) {
                continue;
            }
            let book = self.book(&mark.root);
            let done = book.lock(self.patience).and_then(|_lock| self.settle_book(&book));
            match done {
                Ok(done) => settled.extend(done),
                // Every file is as it was; what waits beside one can be taken away later.
                Err(error) if !matches!(error, EditError::Busy) && book.is_untouched(&mark.id) => {
                    tracing::warn!(id = mark.id, %error, "what a change had prepared could not be taken away yet");
                }
                // The others are put right all the same.
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        match failed {
            Some(error) if settled.is_empty() => Err(error),
            Some(error) => {
                tracing::error!(%error, "a change that was cut short could not be put right");
                Ok(settled)
            }
            None => Ok(settled),
        }
    }

    /// Takes away what changes that have ended left beside files, because it could not be removed then or their process was
    /// killed while it tidied. Nobody changes files meanwhile; where somebody does, that is for another time.
    pub fn sweep(&self, roots: &Roots) -> usize {
        let book = self.book(roots.workspace());
        if !book.folder.is_dir() {
            return 0;
        }
        let Ok(_lock) = book.lock(Duration::ZERO) else { return 0 };
        // Marks are written with the lock held: what is half-written is of a process that was killed.
        let mut swept = usize::from(fs::remove_file(book.pending.with_extension("new")).is_ok());
        if book.pending.exists() {
            return swept;
        }
        for id in book.ids().iter().filter(|id| !book.folder.join(id).join("kept").exists()) {
            if let Ok(entry) = Entry::load(&book.folder, id) {
                swept += self.sweep_entry(&entry, roots);
            }
        }
        swept
    }

    /// Whether a change is going on, or was cut short, anywhere.
    pub fn is_pending(&self) -> bool {
        fs::read_dir(self.pending_folder()).is_ok_and(|mut marks| marks.next().is_some())
    }

    fn pending_folder(&self) -> PathBuf {
        self.folder.join("pending")
    }

    /// The journal of one workspace.
    fn book(&self, root: &Path) -> Book {
        let name: String = digest(root.as_os_str().as_encoded_bytes()).to_string().chars().take(16).collect();
        Book {
            root: root.to_path_buf(),
            folder: self.folder.join(&name),
            pending: self.pending_folder().join(name),
        }
    }

    /// Says what is about to be done.
    fn step(&self, name: &'static str) -> io::Result<()> {
        match &self.witness {
            Some(witness) => witness(name),
            None => Ok(()),
        }
    }

    /// Says that nothing is going on any more.
    fn unmark(&self, book: &Book) -> Result<(), EditError> {
        let gone = self.step("unmark").and_then(|()| fs::remove_file(&book.pending));
        gone.map_err(|error| EditError::io(&book.pending, "removing", error))?;
        sync_folder(&self.pending_folder());
        Ok(())
    }

    /// What is pending in a workspace while the lock is held.
    fn settle_book(&self, book: &Book) -> Result<Option<Settled>, EditError> {
        let Some(mark) = Mark::read(&book.pending) else { return Ok(None) };
        let folder = book.folder.join(&mark.id);
        if !folder.join("entry.json").exists() {
            // It is written before the mark, and goes after what it was about has been put right.
            tracing::warn!(id = mark.id, "a mark without an entry of the journal is taken away");
            self.unmark(book)?;
            return Ok(None);
        }
        let entry = Entry::load(&book.folder, &mark.id)?;
        let finished = entry.is_applied(&book.folder);
        let left = if finished {
            // Once more is enough: what stays then is not ours to remove.
            let _ = self.tidy(&entry);
            Vec::new()
        } else {
            self.restore(book, &entry)?
        };
        let kept_in = (!left.is_empty()).then_some(folder.clone());
        self.unmark(book)?;
        // The last of all: whoever finds the mark needs the entry.
        if !finished && kept_in.is_none() {
            remove_folder(&folder);
        }
        let settled = Settled { journal_id: entry.id, title: entry.title, finished, left, kept_in };
        tracing::warn!(
            id = settled.journal_id,
            finished = settled.finished,
            left = settled.left.len(),
            "a change that was cut short has been put right"
        );
        Ok(Some(settled))
    }
}

/// The journal of one workspace.
#[derive(Debug)]
pub(crate) struct Book {
    pub(crate) root: PathBuf,
    pub(crate) folder: PathBuf,
    /// Where the mark of a change that has begun is.
    pub(crate) pending: PathBuf,
}

impl Book {
    /// Whether a change was cut short before any file of somebody else changed.
    fn is_untouched(&self, id: &str) -> bool {
        Entry::load(&self.folder, id).is_ok_and(|entry| !entry.is_staged(&self.folder))
    }

    /// Only one process changes files at a time: workspaces may lie in each other.
    fn lock(&self, patience: Duration) -> Result<File, EditError> {
        let failed = |error| EditError::io(&self.folder, "opening the journal", error);
        private::folder(&self.folder).map_err(failed)?;
        if let Some(pending) = self.pending.parent() {
            private::folder(pending).map_err(failed)?;
        }
        let mut options = File::options();
        options.write(true).create(true).truncate(false);
        let lock = private::open(&self.folder.with_file_name("lock"), &mut options).map_err(failed)?;
        let until = Instant::now() + patience;
        loop {
            match lock.try_lock() {
                Ok(()) => return Ok(lock),
                Err(TryLockError::WouldBlock) if Instant::now() < until => {
                    std::thread::sleep(Duration::from_millis(5));
                }
                Err(TryLockError::WouldBlock) => return Err(EditError::Busy),
                Err(TryLockError::Error(error)) => return Err(failed(error)),
            }
        }
    }

    /// Ids of what was done, the oldest first.
    fn ids(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let mut ids: Vec<String> = entries
            .filter_map(|entry| entry.file_name().into_string().ok())
            .filter(|name| name.bytes().all(|byte| byte.is_ascii_digit()))
            .collect();
        ids.sort_by_key(|id| (id.len(), id.clone()));
        ids
    }

    /// An id that comes after all others: they tell the order.
    fn next_id(&self) -> String {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        let last = self.ids().last().and_then(|id| id.parse::<u128>().ok()).unwrap_or(0);
        now.max(last + 1).to_string()
    }

    /// Forgets the oldest entries, and those that were never begun.
    fn prune(&self, newest: &str) {
        let mut ids = self.ids();
        ids.retain(|id| {
            let begun = self.folder.join(id).join("applied").exists() || id == newest;
            let kept = begun || self.folder.join(id).join("kept").exists();
            if !kept {
                remove_folder(&self.folder.join(id));
            }
            kept
        });
        let size = |id: &String| -> u64 {
            let files = fs::read_dir(self.folder.join(id)).into_iter().flatten().flatten();
            files.filter_map(|file| Some(file.metadata().ok()?.len())).sum()
        };
        let mut total = 0;
        for (at, id) in ids.iter().rev().enumerate() {
            total += size(id);
            // What could not be put back is nowhere else.
            let kept = self.folder.join(id).join("kept").exists();
            if id != newest && !kept && (at >= MOST_ENTRIES || total > MOST_BYTES) {
                remove_folder(&self.folder.join(id));
            }
        }
    }
}

fn remove_folder(folder: &Path) {
    if let Err(error) = fs::remove_dir_all(folder)
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::warn!(folder = %folder.display(), %error, "an entry of the journal could not be removed");
    }
}

/// Writes a file of the journal, to the disk.
fn write_synced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = private::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// What was done in a folder of the journal survives a loss of power, where the system knows how.
fn sync_folder(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}
