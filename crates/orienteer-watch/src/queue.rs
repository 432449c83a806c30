//! What did the kernel say, and about which paths?
//!
//! inotify by itself, not through a crate that has a thread between it and us: the events of everything that happened
//! before now are in the queue, and whoever asks takes them out.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};
use rustix::io::Errno;

use crate::inbox::Hint;

/// Bytes of events that are taken at once.
const BUFFER: usize = 16 << 10;

/// Not that files are opened or read: every compiler, server and search in the tree would fill the queue.
const TOLD: WatchFlags = WatchFlags::CREATE
    .union(WatchFlags::DELETE)
    .union(WatchFlags::DELETE_SELF)
    .union(WatchFlags::MODIFY)
    .union(WatchFlags::CLOSE_WRITE)
    .union(WatchFlags::ATTRIB)
    .union(WatchFlags::MOVED_FROM)
    .union(WatchFlags::MOVED_TO)
    .union(WatchFlags::MOVE_SELF);

/// One event, understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Said {
    Touched(PathBuf, Hint),
    /// Events are missing.
    Lost,
}

/// Everything that one watcher watches has one queue, in the order in which things happened.
#[derive(Debug)]
pub(crate) struct Queue {
    descriptor: OwnedFd,
    folders: Mutex<Folders>,
}

/// A folder may have several paths: the kernel knows it once, and so may be mounted twice.
type Folders = HashMap<i32, Vec<PathBuf>>;

impl Queue {
    pub(crate) fn new() -> io::Result<Self> {
        let descriptor = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
        Ok(Self { descriptor, folders: Mutex::default() })
    }

    pub(crate) fn descriptor(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
    }

    fn folders(&self) -> MutexGuard<'_, Folders> {
        self.folders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hears of everything directly in a folder from now on.
    pub(crate) fn watch(&self, folder: &Path) -> io::Result<()> {
        // Whoever reads an event of it finds its path.
        let mut folders = self.folders();
        let flags = TOLD | WatchFlags::ONLYDIR | WatchFlags::DONT_FOLLOW;
        let number = inotify::add_watch(&self.descriptor, folder, flags)?;
        let paths = folders.entry(number).or_default();
        if !paths.iter().any(|path| path == folder) {
            paths.push(folder.to_path_buf());
        }
        Ok(())
    }

    /// Takes out everything that is there.
    pub(crate) fn drain(&self, mut say: impl FnMut(Said)) {
        let mut folders = self.folders();
        let mut buffer = [MaybeUninit::uninit(); BUFFER];
        let mut reader = inotify::Reader::new(&self.descriptor, &mut buffer);
        loop {
            let event = match reader.next() {
                Ok(event) => event,
                Err(Errno::WOULDBLOCK) => return,
                Err(Errno::INTR) => continue,
                Err(error) => {
                    tracing::debug!(%error, "the queue of file events cannot be read");
                    say(Said::Lost);
                    return;
                }
            };
            let flags = event.events();
            if flags.contains(ReadFlags::QUEUE_OVERFLOW) {
                say(Said::Lost);
                continue;
            }
            if flags.contains(ReadFlags::IGNORED) {
                // The kernel has dropped the watch; what happened to the folder was said before.
                folders.remove(&event.wd());
                continue;
            }
            let hint = hint(flags);
            for folder in folders.get(&event.wd()).into_iter().flatten() {
                let path = match event.file_name() {
                    Some(name) => folder.join(OsStr::from_bytes(name.to_bytes())),
                    None => folder.clone(),
                };
                say(Said::Touched(path, hint));
            }
        }
    }
}

/// What an event means for its path.
fn hint(flags: ReadFlags) -> Hint {
    let away = ReadFlags::MOVED_FROM | ReadFlags::MOVE_SELF | ReadFlags::UNMOUNT;
    let moved = ReadFlags::CREATE | ReadFlags::DELETE | ReadFlags::DELETE_SELF | ReadFlags::MOVED_TO | away;
    Hint {
        // A file opened for writing and closed was written before, with an event of its own, unless it was written
        // through a memory map.
        replaced: flags.intersects(moved | ReadFlags::MODIFY),
        moved: flags.intersects(moved),
        renamed_away: flags.intersects(away),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drained(queue: &Queue) -> Vec<Said> {
        let mut all = Vec::new();
        queue.drain(|said| all.push(said));
        all
    }

    fn touched(path: PathBuf, replaced: bool, moved: bool, renamed_away: bool) -> Said {
        Said::Touched(path, Hint { replaced, moved, renamed_away })
    }

    #[test]
    fn what_happened_is_there_at_once_and_in_its_order() {
        let tree = tempfile::tempdir().unwrap();
        let queue = Queue::new().unwrap();
        queue.watch(tree.path()).unwrap();
        assert_eq!(drained(&queue), []);
        let (one, two) = (tree.path().join("one"), tree.path().join("two"));
        std::fs::write(&one, "text").unwrap();
        std::fs::rename(&one, &two).unwrap();
        std::fs::remove_file(&two).unwrap();
        let expected = [
            touched(one.clone(), true, true, false),
            touched(one.clone(), true, false, false),
            touched(one.clone(), false, false, false),
            touched(one, true, true, true),
            touched(two.clone(), true, true, false),
            touched(two, true, true, false),
        ];
        assert_eq!(drained(&queue), expected);
        assert_eq!(drained(&queue), []);
    }

    #[test]
    fn reading_says_nothing_and_links_are_not_followed() {
        let tree = tempfile::tempdir().unwrap();
        std::fs::write(tree.path().join("a"), "text").unwrap();
        std::fs::create_dir(tree.path().join("folder")).unwrap();
        std::os::unix::fs::symlink("folder", tree.path().join("link")).unwrap();
        let queue = Queue::new().unwrap();
        queue.watch(tree.path()).unwrap();
        std::fs::read(tree.path().join("a")).unwrap();
        assert_eq!(drained(&queue), []);
        for (name, kind) in [("link", io::ErrorKind::NotADirectory), ("none", io::ErrorKind::NotFound)] {
            assert_eq!(queue.watch(&tree.path().join(name)).unwrap_err().kind(), kind, "{name}");
        }
    }

    #[test]
    fn a_folder_that_went_is_said_once_and_forgotten() {
        let tree = tempfile::tempdir().unwrap();
        let folder = tree.path().join("folder");
        std::fs::create_dir(&folder).unwrap();
        let queue = Queue::new().unwrap();
        queue.watch(&folder).unwrap();
        queue.watch(&folder).unwrap();
        std::fs::remove_dir(&folder).unwrap();
        assert_eq!(drained(&queue), [touched(folder, true, true, false)]);
        assert!(queue.folders().is_empty());
    }

    #[test]
    fn a_folder_with_two_paths_is_told_under_both() {
        let tree = tempfile::tempdir().unwrap();
        let (old, new) = (tree.path().join("old"), tree.path().join("new"));
        std::fs::create_dir(&old).unwrap();
        let queue = Queue::new().unwrap();
        queue.watch(&old).unwrap();
        std::fs::rename(&old, &new).unwrap();
        queue.watch(&new).unwrap();
        assert_eq!(drained(&queue).len(), 2, "that it was moved");
        std::fs::create_dir(new.join("in")).unwrap();
        let expected =
            [touched(old.join("in"), true, true, false), touched(new.join("in"), true, true, false)];
        assert_eq!(drained(&queue), expected);
    }

    #[test]
    fn more_events_than_the_system_keeps_are_lost_and_it_says_so() {
        let limit = std::fs::read_to_string("/proc/sys/fs/inotify/max_queued_events").unwrap();
        let limit: usize = limit.trim().parse().unwrap();
        let tree = tempfile::tempdir().unwrap();
        let queue = Queue::new().unwrap();
        queue.watch(tree.path()).unwrap();
        let names = [tree.path().join("a"), tree.path().join("b")];
        std::fs::write(&names[0], "").unwrap();
        for round in 0..=limit / 2 {
            std::fs::rename(&names[round % 2], &names[(round + 1) % 2]).unwrap();
        }
        assert_eq!(drained(&queue).last(), Some(&Said::Lost));
    }
}
