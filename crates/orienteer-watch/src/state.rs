//! What do we know, and how is it made true again?

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use crate::changes::{How, Unwatched};
use crate::filesystem::identity;
use crate::inbox::Inbox;
use crate::options::Options;
use crate::planter::Planter;
use crate::rules::{LeftOut, Rules};
use crate::settle::{Settled, Settling};
use crate::stamp::Look;
use crate::table::{Equal, Name, Table};
use crate::walk::walk;

/// How long a reason not to watch that may pass is believed.
const RETRY: Duration = Duration::from_secs(60);

/// What does not change while a watch lives.
#[derive(Debug)]
pub(crate) struct Ground {
    pub(crate) root: PathBuf,
    pub(crate) left_out: LeftOut,
    pub(crate) proof_folder: PathBuf,
    pub(crate) options: Options,
}

#[derive(Debug)]
enum Mode {
    Watched(Arc<Planter>),
    Unwatched(Unwatched, Instant),
    /// Between two watchers. The old one goes before the new one comes, because they share a limit.
    Bare,
}

/// Everything behind the lock of a watch.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) table: Table,
    /// Whether the table holds everything that is there, as far as we know.
    pub(crate) complete: bool,
    mode: Mode,
    rules: Rules,
    root: Option<(u64, u64)>,
}

impl State {
    pub(crate) fn new(ground: &Ground) -> Self {
        let mut state = Self {
            table: Table::new(),
            complete: true,
            mode: Mode::Bare,
            rules: Rules::read(&ground.root),
            root: None,
        };
        state.replant(ground);
        state
    }

    pub(crate) fn inbox(&self) -> Option<&Arc<Inbox>> {
        match &self.mode {
            Mode::Watched(planter) => Some(planter.inbox()),
            Mode::Unwatched(..) | Mode::Bare => None,
        }
    }

    pub(crate) fn unwatched(&self) -> Option<&Unwatched> {
        match &self.mode {
            Mode::Watched(_) | Mode::Bare => None,
            Mode::Unwatched(reason, _) => Some(reason),
        }
    }

    /// Whether nothing has happened since the table was made true, as events tell. Takes no time.
    pub(crate) fn is_still(&mut self, ground: &Ground, asked: SystemTime) -> bool {
        let still = self.inbox().is_some_and(|inbox| inbox.is_empty()) && self.stands(ground).is_ok();
        if still {
            self.table.trust(asked, |_| true);
        }
        still
    }

    /// Whether events are enough to know everything, or why not.
    fn stands(&self, ground: &Ground) -> Result<(), &'static str> {
        if !self.complete {
            Err("a part of the tree could not be read before")
        } else if identity(&ground.root) != self.root {
            Err("another folder took the place of the root")
        } else if self.rules.are_stale() {
            Err("ignore rules above the root changed")
        } else {
            Ok(())
        }
    }

    /// Makes the table true: from the hints, in which everything from before `asked` is, or by looking at all files.
    pub(crate) fn settle(&mut self, ground: &Ground, asked: SystemTime) -> How {
        let Mode::Watched(planter) = &self.mode else { return self.look_at_all(ground) };
        let planter = planter.clone();
        let mail = planter.inbox().take();
        if !mail.lost {
            self.table.trust(asked, |name| {
                mail.hints.get(&ground.root.join(name)).is_none_or(|hint| !hint.replaced)
            });
        }
        let settled = match self.stands(ground) {
            Err(reason) => Settled::Replant(reason),
            Ok(()) => {
                let (root, left_out) = (&ground.root, &ground.left_out);
                Settling::new(root, left_out, &mut self.rules, &mut self.table, &planter).settle(mail)
            }
        };
        drop(planter);
        match settled {
            Settled::Yes => return How::Watched,
            Settled::Unsure => {
                self.complete = false;
                return How::Watched;
            }
            Settled::Replant(reason) => {
                tracing::debug!(root = %ground.root.display(), reason, "looking at everything anew");
                self.replant(ground);
            }
            Settled::Failed(reason) => {
                self.unwatch(ground, reason);
                self.sweep(ground);
            }
        }
        How::Swept
    }

    /// Makes the table true without hints. Tries to watch again when the reason not to may have passed.
    fn look_at_all(&mut self, ground: &Ground) -> How {
        match &self.mode {
            Mode::Unwatched(reason, since)
                if reason.may_pass() && (*reason == Unwatched::RootMissing || since.elapsed() > RETRY) =>
            {
                self.replant(ground);
            }
            Mode::Bare => self.replant(ground),
            _ => self.sweep(ground),
        }
        How::Swept
    }

    fn unwatch(&mut self, ground: &Ground, reason: Unwatched) {
        if self.unwatched() != Some(&reason) && reason != Unwatched::Polling {
            tracing::info!(root = %ground.root.display(), %reason, "not watched, every question looks at all files");
        }
        self.mode = Mode::Unwatched(reason, Instant::now());
    }

    /// A new watcher, the rules read anew, every file looked at. The old watcher's events are not needed: what
    /// happened before is seen by looking, and each folder is watched before it is looked at.
    fn replant(&mut self, ground: &Ground) {
        if matches!(self.mode, Mode::Watched(_)) {
            self.mode = Mode::Bare;
        }
        self.rules = Rules::read(&ground.root);
        self.root = identity(&ground.root);
        let planter = if ground.options.polling {
            Err(Unwatched::Polling)
        } else {
            Planter::new(&ground.root, ground.options.max_watched_folders, &ground.proof_folder).map(Arc::new)
        };
        match planter {
            Ok(planter) => {
                let too_many = self.walk(ground, Some(planter.clone()));
                let most = ground.options.max_files;
                let failure = planter.failure().or(too_many.then_some(Unwatched::TooManyFiles(most)));
                match failure {
                    Some(reason) => self.unwatch(ground, reason),
                    None => self.mode = Mode::Watched(planter),
                }
            }
            Err(reason) => {
                self.unwatch(ground, reason);
                self.walk(ground, None);
            }
        }
    }

    fn sweep(&mut self, ground: &Ground) {
        // A walk that was ended at the limit once would be again, after the same long way.
        if matches!(&self.mode, Mode::Unwatched(Unwatched::TooManyFiles(_), _)) {
            self.look_at_known(&ground.root);
        } else {
            let too_many = self.walk(ground, None);
            if too_many {
                self.unwatch(ground, Unwatched::TooManyFiles(ground.options.max_files));
            }
        }
    }

    /// Whether there are more files than we may know.
    fn walk(&mut self, ground: &Ground, planter: Option<Arc<Planter>>) -> bool {
        let found = walk(&ground.root, &ground.left_out, ground.options.max_files, planter);
        self.complete = found.unknown.is_empty() && !found.too_many;
        if found.too_many {
            // Which files were found first is chance; what is known stays known, up to the limit.
            self.look_at_known(&ground.root);
            for sighting in found.files {
                if self.table.len() < ground.options.max_files || self.table.contains(&sighting.name) {
                    self.table.put(sighting.name, sighting.look, Equal::Same);
                }
            }
        } else {
            self.table.reconcile("".as_ref(), found.files, &found.unknown, Equal::SameUnlessRacy);
        }
        found.too_many
    }

    /// Looks at the files we know and at no others.
    fn look_at_known(&mut self, root: &Path) {
        let names: Vec<Name> = self.table.names().cloned().collect();
        for name in names {
            match std::fs::symlink_metadata(root.join(&name)) {
                Ok(metadata) if metadata.is_file() => {
                    self.table.put(name, Look::at(&metadata), Equal::SameUnlessRacy);
                }
                _ => {
                    self.table.remove(&name);
                }
            }
        }
    }
}
