//! Would a walk of the scope have come by this path, and taken it?

use std::path::{Path, PathBuf};

use ignore::IncrementalIgnore;

use super::narrow::is_dotted;
use crate::selection::Globs;
use crate::walk::Walk;

/// Judges paths below one scope, for one thread.
pub(super) struct Judge<'a> {
    scope: &'a Path,
    walk: &'a Walk,
    globs: &'a Globs,
    rules: Option<IncrementalIgnore>,
    /// The folder judged last, as neighbours in a list mostly share theirs.
    last: Option<(PathBuf, bool)>,
}

impl<'a> Judge<'a> {
    pub(super) fn new(scope: &'a Path, walk: &'a Walk, globs: &'a Globs) -> Self {
        Self { scope, walk, globs, rules: None, last: None }
    }

    /// Whether a listed file takes part. Listed files are not ignored, so rules are asked only about hidden ones.
    pub(super) fn takes(&mut self, file: &Path) -> bool {
        let Ok(relative) = file.strip_prefix(self.scope) else { return false };
        let walked = if !self.walk.hidden && is_dotted(relative) {
            self.walks(relative, false)
        } else {
            self.walk.types.as_ref().is_none_or(|types| !types.matched(file, false).is_ignore())
        };
        walked && file.parent().is_none_or(|folder| !self.is_pruned(folder)) && self.globs.takes(file)
    }

    /// Whether a folder of which nothing is known is entered.
    pub(super) fn enters(&mut self, folder: &Path) -> bool {
        let Ok(relative) = folder.strip_prefix(self.scope) else { return false };
        self.walks(relative, true) && !self.is_pruned(folder)
    }

    /// Asks the rules of the walk itself, which look at every folder on the way.
    fn walks(&mut self, relative: &Path, is_folder: bool) -> bool {
        if self.rules.is_none() {
            self.rules = self.walk.rules(self.scope);
        }
        self.rules.as_mut().is_none_or(|rules| !rules.matched(relative, is_folder).is_ignore())
    }

    /// Whether globs leave out a folder, or one that it is in.
    fn is_pruned(&mut self, folder: &Path) -> bool {
        if let Some((last, pruned)) = &self.last
            && last == folder
        {
            return *pruned;
        }
        let inside = |folder: &&Path| *folder != self.scope && folder.starts_with(self.scope);
        let pruned = folder.ancestors().take_while(inside).any(|folder| self.globs.prunes(folder));
        self.last = Some((folder.to_owned(), pruned));
        pruned
    }
}
