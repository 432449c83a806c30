//! What happened since the last look?

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::queue::{Queue, Said};

/// Beyond this many paths, looking at all files is cheaper than remembering which.
const MOST_HINTS: usize = 50_000;

/// What may have happened to a path. Kinds are not believed; they only say how hard to look.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hint {
    /// Content was written, or the name stands for another file than before: an equal stamp that is too young
    /// to be trusted then counts as a change.
    pub(crate) replaced: bool,
    /// The name came or went, so the watches at and below it may be gone.
    pub(crate) moved: bool,
    /// The name was renamed away; the watches below it carry a name that is no longer theirs.
    pub(crate) renamed_away: bool,
}

/// Everything since the last [`Inbox::take`].
#[derive(Debug, Default)]
pub(crate) struct Mail {
    pub(crate) hints: HashMap<PathBuf, Hint>,
    /// Events were lost, so the hints are not all there was.
    pub(crate) lost: bool,
}

impl Mail {
    fn add(&mut self, said: Said) {
        let Said::Touched(path, hint) = said else {
            self.lose();
            return;
        };
        if self.lost {
            return;
        }
        if let Some(known) = self.hints.get_mut(&path) {
            known.replaced |= hint.replaced;
            known.moved |= hint.moved;
            known.renamed_away |= hint.renamed_away;
        } else if self.hints.len() < MOST_HINTS {
            self.hints.insert(path, hint);
        } else {
            self.lose();
        }
    }

    fn lose(&mut self) {
        self.lost = true;
        self.hints = HashMap::new();
    }
}

/// Filled from the queue by whoever comes first, emptied by whoever asks.
#[derive(Debug)]
pub(crate) struct Inbox {
    pub(crate) queue: Queue,
    mail: Mutex<Mail>,
}

impl Inbox {
    pub(crate) fn new(queue: Queue) -> Self {
        Self { queue, mail: Mutex::default() }
    }

    /// Everything that happened before the call is in it.
    fn filled(&self) -> MutexGuard<'_, Mail> {
        let mut mail = self.mail.lock().unwrap_or_else(PoisonError::into_inner);
        self.queue.drain(|said| mail.add(said));
        mail
    }

    /// Makes room in the kernel's queue.
    pub(crate) fn fill(&self) {
        drop(self.filled());
    }

    pub(crate) fn is_empty(&self) -> bool {
        let mail = self.filled();
        !mail.lost && mail.hints.is_empty()
    }

    pub(crate) fn take(&self) -> Mail {
        std::mem::take(&mut self.filled())
    }

    /// As if the kernel's queue had overflowed.
    pub(crate) fn lose(&self) {
        self.filled().lose();
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn touched(path: &str, hint: Hint) -> Said {
        Said::Touched(path.into(), hint)
    }

    #[test]
    fn hints_of_a_path_are_merged() {
        let mut mail = Mail::default();
        mail.add(touched("/tree/a", Hint { replaced: true, ..Hint::default() }));
        mail.add(touched("/tree/a", Hint { moved: true, renamed_away: true, ..Hint::default() }));
        let both = Hint { replaced: true, moved: true, renamed_away: true };
        assert_eq!((mail.hints.len(), mail.hints[Path::new("/tree/a")]), (1, both));
    }

    #[test]
    fn taken_is_taken() {
        let tree = tempfile::tempdir().unwrap();
        let inbox = Inbox::new(Queue::new().unwrap());
        inbox.queue.watch(tree.path()).unwrap();
        assert!(inbox.is_empty());
        std::fs::write(tree.path().join("a"), "").unwrap();
        assert!(!inbox.is_empty());
        assert_eq!(inbox.take().hints.len(), 1);
        assert!(inbox.is_empty());
    }

    #[test]
    fn an_overflow_forgets_the_hints_and_those_that_follow() {
        let mut mail = Mail::default();
        for said in [touched("/tree/a", Hint::default()), Said::Lost, touched("/tree/b", Hint::default())] {
            mail.add(said);
        }
        assert!(mail.lost && mail.hints.is_empty());
    }

    #[test]
    fn too_many_hints_are_an_overflow() {
        let mut mail = Mail::default();
        for number in 0..=MOST_HINTS {
            mail.add(touched(&format!("/tree/{number}"), Hint::default()));
        }
        assert!(mail.lost && mail.hints.is_empty());
    }
}
