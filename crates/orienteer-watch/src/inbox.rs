//! What did the watcher say since the last look?

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use notify::event::{AccessKind, AccessMode, ModifyKind, RenameMode};
use notify::{Event, EventHandler, EventKind};

use crate::cookie::Names;

/// Beyond this many paths, looking at all files is cheaper than remembering which.
const MOST_HINTS: usize = 50_000;

/// What may have happened to a path. Kinds are not believed; they only say how hard to look.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hint {
    /// Content was written, or the name stands for another file than before: an equal stamp that is too young
    /// to be trusted then counts as a change.
    pub(crate) replaced: bool,
    /// The name came or went, so the watcher may have dropped its watches at and below it.
    pub(crate) moved: bool,
    /// The name was renamed away; below it the watcher may take one folder for another.
    pub(crate) renamed_away: bool,
}

/// Everything since the last [`Inbox::take`].
#[derive(Debug, Default)]
pub(crate) struct Mail {
    pub(crate) hints: HashMap<PathBuf, Hint>,
    /// Events were lost, so the hints are not all there was.
    pub(crate) lost: bool,
}

/// How waiting for a cookie ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wait {
    /// Every event from before the cookie is in the box, or the box knows that some are lost.
    Arrived,
    /// It did not come in time.
    Late,
    /// Another watcher took over.
    Closed,
}

/// Filled by one watcher's thread, emptied by whoever asks.
#[derive(Debug)]
pub(crate) struct Inbox {
    names: Names,
    inside: Mutex<Inside>,
    bell: Condvar,
}

#[derive(Debug, Default)]
struct Inside {
    mail: Mail,
    cookie: u64,
    closed: bool,
}

impl Inbox {
    pub(crate) fn new(names: Names) -> Arc<Self> {
        Arc::new(Self { names, inside: Mutex::default(), bell: Condvar::new() })
    }

    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn take(&self) -> Mail {
        std::mem::take(&mut self.inside().mail)
    }

    /// As if the watcher's queue had overflowed.
    pub(crate) fn lose(&self) {
        let mut inside = self.inside();
        inside.mail.lost = true;
        inside.mail.hints = HashMap::new();
        drop(inside);
        self.bell.notify_all();
    }

    /// Lets go of everybody who waits: what they wait for will come to another inbox.
    pub(crate) fn close(&self) {
        self.inside().closed = true;
        self.bell.notify_all();
    }

    pub(crate) fn wait(&self, cookie: u64, patience: Duration) -> Wait {
        let until = Instant::now() + patience;
        let mut inside = self.inside();
        loop {
            if inside.closed {
                return Wait::Closed;
            }
            if inside.mail.lost || inside.cookie >= cookie {
                return Wait::Arrived;
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Wait::Late;
            }
            inside = self.bell.wait_timeout(inside, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn receive(&self, event: &Event) {
        if event.need_rescan() {
            self.lose();
            return;
        }
        let Some(hint) = hint(&event.kind) else { return };
        for path in &event.paths {
            self.receive_path(path, hint);
        }
    }

    fn receive_path(&self, path: &Path, hint: Hint) {
        if path.parent() == Some(self.names.folder()) {
            // Other watches have their cookies in the same folder.
            if let Some(number) = self.names.number(path) {
                let mut inside = self.inside();
                inside.cookie = inside.cookie.max(number);
                drop(inside);
                self.bell.notify_all();
            }
            return;
        }
        if path == self.names.folder() {
            if hint.moved {
                // No cookie will be seen any more by this watcher.
                self.lose();
            }
            return;
        }
        let mut inside = self.inside();
        if inside.mail.lost {
            return;
        }
        if let Some(known) = inside.mail.hints.get_mut(path) {
            known.replaced |= hint.replaced;
            known.moved |= hint.moved;
            known.renamed_away |= hint.renamed_away;
        } else if inside.mail.hints.len() < MOST_HINTS {
            inside.mail.hints.insert(path.to_path_buf(), hint);
        } else {
            drop(inside);
            self.lose();
        }
    }
}

/// What an event means for its paths; `None` for those that cannot mean a change.
fn hint(kind: &EventKind) -> Option<Hint> {
    let hint = |replaced, moved, renamed_away| Some(Hint { replaced, moved, renamed_away });
    match kind {
        // A file opened for writing and closed was written before, with an event of its own, unless it was
        // written through a memory map.
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => hint(false, false, false),
        EventKind::Access(_) => None,
        EventKind::Modify(ModifyKind::Metadata(_)) => hint(false, false, false),
        EventKind::Modify(ModifyKind::Data(_)) => hint(true, false, false),
        EventKind::Modify(ModifyKind::Name(RenameMode::To)) | EventKind::Create(_) | EventKind::Remove(_) => {
            hint(true, true, false)
        }
        // inotify tells both ends by themselves as well.
        EventKind::Modify(ModifyKind::Name(RenameMode::Both)) => None,
        EventKind::Modify(_) | EventKind::Any | EventKind::Other => hint(true, true, true),
    }
}

/// The watcher's end of an inbox.
#[derive(Debug)]
pub(crate) struct Slot(pub(crate) Arc<Inbox>);

impl EventHandler for Slot {
    fn handle_event(&mut self, event: notify::Result<Event>) {
        match event {
            Ok(event) => self.0.receive(&event),
            Err(error) => {
                tracing::debug!(%error, "the watcher reports an error");
                self.0.lose();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use notify::event::{CreateKind, DataChange, Flag};

    use super::*;

    fn inbox() -> Arc<Inbox> {
        Inbox::new(Names::new("/cookies".into()))
    }

    fn created(path: impl Into<PathBuf>) -> Event {
        Event::new(EventKind::Create(CreateKind::File)).add_path(path.into())
    }

    #[test]
    fn hints_of_a_path_are_merged_and_reads_are_none() {
        let inbox = inbox();
        inbox.receive(&created("/tree/a"));
        inbox.receive(
            &Event::new(EventKind::Modify(ModifyKind::Name(RenameMode::From))).add_path("/tree/a".into()),
        );
        inbox.receive(
            &Event::new(EventKind::Access(AccessKind::Open(AccessMode::Any))).add_path("/tree/b".into()),
        );
        let mail = inbox.take();
        assert_eq!(mail.hints.len(), 1);
        assert_eq!(
            mail.hints[Path::new("/tree/a")],
            Hint { replaced: true, moved: true, renamed_away: true }
        );
        assert!(inbox.take().hints.is_empty());
    }

    #[test]
    fn a_cookie_lets_go_those_who_wait_for_it_or_an_earlier_one() {
        let inbox = inbox();
        assert_eq!(inbox.wait(1, Duration::ZERO), Wait::Late);
        let name = format!("{}7", inbox.names.prefix_for_tests());
        inbox.receive(&created(Path::new("/cookies").join(name)));
        assert_eq!(inbox.wait(7, Duration::ZERO), Wait::Arrived);
        assert_eq!(inbox.wait(8, Duration::ZERO), Wait::Late);
        inbox.close();
        assert_eq!(inbox.wait(7, Duration::ZERO), Wait::Closed);
    }

    #[test]
    fn an_overflow_ends_all_waiting_and_forgets_the_hints() {
        let inbox = inbox();
        inbox.receive(&created("/tree/a"));
        inbox.receive(&Event::new(EventKind::Other).set_flag(Flag::Rescan));
        assert_eq!(inbox.wait(100, Duration::from_secs(5)), Wait::Arrived);
        let mail = inbox.take();
        assert!(mail.lost && mail.hints.is_empty());
    }

    #[test]
    fn too_many_hints_are_an_overflow() {
        let inbox = inbox();
        for number in 0..=MOST_HINTS {
            let event = Event::new(EventKind::Modify(ModifyKind::Data(DataChange::Any)));
            inbox.receive(&event.add_path(format!("/tree/{number}").into()));
        }
        let mail = inbox.take();
        assert!(mail.lost && mail.hints.is_empty());
    }
}
