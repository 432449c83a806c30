//! What changed? Who waits for what, and which way is taken?

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Instant, SystemTime};

use crate::changes::{Changes, How, Unwatched};
use crate::options::Options;
use crate::rules::LeftOut;
use crate::stamp::Stamp;
use crate::state::{Ground, State};
use crate::table::Cursor;
use orienteer_base::private;

/// Knows the files below one root. Shared by everybody who asks about that root.
#[derive(Debug)]
pub struct Watch {
    ground: Ground,
    /// How many times looking at all files was begun.
    sweeps: AtomicU64,
    state: Mutex<Guarded>,
}

#[derive(Debug)]
struct Guarded {
    state: State,
    /// The number of the last time that all files were looked at.
    swept: u64,
}

impl Watch {
    /// Takes the first snapshot and begins to watch. Never fails: what cannot be watched is looked at, a root
    /// that does not exist yet has no files. `root` is absolute.
    pub fn start(root: &Path, options: Options) -> Arc<Self> {
        // When this fails, the proof will too, and that is where it is dealt with.
        let _ = private::folder(&options.proof_folder);
        let proof_folder = real(&options.proof_folder);
        let left_out = LeftOut::new(&options, proof_folder.clone());
        let ground = Ground { root: real(root), left_out, proof_folder, options };
        let state = Guarded { state: State::new(&ground), swept: 0 };
        Arc::new(Self { ground, sweeps: AtomicU64::new(0), state: Mutex::new(state) })
    }

    /// The folder watched, links resolved. Every path in an answer begins with it.
    pub fn root(&self) -> &Path {
        &self.ground.root
    }

    /// A cursor that knows the files of the snapshot as it is now, which may be older than the disk: whatever
    /// happened since will be in its first answer. To have both, take the cursor first and [`Watch::files`] then.
    pub fn cursor(&self) -> Cursor {
        self.lock().state.table.cursor()
    }

    /// The files of the snapshot, absolute and sorted. Ask for [`Watch::changes`] first to have them as of now.
    pub fn files(&self) -> Vec<PathBuf> {
        self.lock().state.table.names().map(|name| self.ground.root.join(name)).collect()
    }

    /// Whether the snapshot has a file of this path.
    pub fn contains(&self, path: &Path) -> bool {
        path.strip_prefix(&self.ground.root)
            .is_ok_and(|name| self.lock().state.table.contains(name.as_os_str()))
    }

    /// The stamp in the snapshot. A file may be away, or another one in its place, just while somebody reads it
    /// after an answer, and then be back as it was, which is no change. Whoever reads while others write takes
    /// [`crate::stamp()`] before and after: if both are this one, any later change will be told; otherwise it is
    /// to be read again after the next answer.
    pub fn known(&self, path: &Path) -> Option<Stamp> {
        let name = path.strip_prefix(&self.ground.root).ok()?;
        self.lock().state.table.get(name.as_os_str())
    }

    /// Why questions are answered by looking at all files; `None` while events are enough.
    pub fn unwatched(&self) -> Option<Unwatched> {
        self.lock().state.unwatched().cloned()
    }

    /// Everything that happened below the root before this call and that the cursor has not been told.
    pub fn changes(&self, cursor: &mut Cursor) -> Changes {
        let started = Instant::now();
        let (how, mut guarded) = self.catch_up();
        let told = guarded.state.table.tell(cursor, &self.ground.root);
        let complete = guarded.state.complete;
        drop(guarded);
        Changes {
            created: told.created,
            changed: told.changed,
            deleted: told.deleted,
            how,
            complete,
            took: started.elapsed(),
        }
    }

    /// The same where it takes no time, because nothing has happened that the cursor has not been told. `None` where there
    /// is something to look at or to tell, or somebody is looking.
    pub fn changes_if_still(&self, cursor: &Cursor) -> Option<Changes> {
        let (started, asked) = (Instant::now(), SystemTime::now());
        let mut guarded = self.state.try_lock().ok()?;
        let state = &mut guarded.state;
        let still = !state.table.has_news(cursor) && state.is_still(&self.ground, asked);
        still.then(|| Changes {
            created: Vec::new(),
            changed: Vec::new(),
            deleted: Vec::new(),
            how: How::Watched,
            complete: true,
            took: started.elapsed(),
        })
    }

    /// As if the kernel had lost events. For tests: a real overflow cannot be had on demand.
    #[doc(hidden)]
    pub fn pretend_overflow(&self) {
        if let Some(inbox) = self.lock().state.inbox() {
            inbox.lose();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Guarded> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Brings the snapshot to at least the time of this call, and keeps it there while the guard lives.
    fn catch_up(&self) -> (How, MutexGuard<'_, Guarded>) {
        let asked = SystemTime::now();
        let swept_before = self.sweeps.load(Ordering::SeqCst);
        let mut guarded = self.lock();
        if guarded.swept > swept_before {
            // Somebody began to look at all files after we were called, which is as good for us.
            return (How::Swept, guarded);
        }
        // Taken before anything is looked at, so that whoever comes later does not rely on this look.
        let number = self.sweeps.fetch_add(1, Ordering::SeqCst) + 1;
        let how = guarded.state.settle(&self.ground, asked);
        if how == How::Swept {
            guarded.swept = number;
        }
        (how, guarded)
    }
}

/// The path under which events will come.
fn real(path: &Path) -> PathBuf {
    if cfg!(windows) {
        // Verbatim paths would not be equal to anybody else's.
        return std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    }
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}
