//! Which files did these hints touch?

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::changes::Unwatched;
use crate::inbox::{Hint, Mail};
use crate::planter::Planter;
use crate::rules::{LeftOut, Rules, is_cache, is_rule_file, marks_repository};
use crate::stamp::Look;
use crate::table::{Equal, Name, Sighting, Table};
use crate::walk::{means_absent, name_of};

/// How far the hints alone could take us.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Settled {
    /// The table is true again.
    Yes,
    /// Something happened that single paths do not tell: everything is to be planted and looked at anew.
    Replant(&'static str),
    /// A folder could not be watched.
    Failed(Unwatched),
    /// A folder could not be read, and whether that passes is not known.
    Unsure,
}

/// All that is needed to look at single paths.
pub(crate) struct Settling<'a> {
    pub(crate) root: &'a Path,
    pub(crate) left_out: &'a LeftOut,
    pub(crate) rules: &'a mut Rules,
    pub(crate) table: &'a mut Table,
    pub(crate) planter: &'a Planter,
    /// Whether a folder could not be read.
    unsure: bool,
    /// Whether ignore files are read anew when they are needed.
    fresh_rules: bool,
}

impl<'a> Settling<'a> {
    pub(crate) fn new(
        root: &'a Path,
        left_out: &'a LeftOut,
        rules: &'a mut Rules,
        table: &'a mut Table,
        planter: &'a Planter,
    ) -> Self {
        Self { root, left_out, rules, table, planter, unsure: false, fresh_rules: false }
    }
}

impl Settling<'_> {
    /// Looks at every path that was named. Stops early when that cannot be enough.
    pub(crate) fn settle(&mut self, mail: Mail) -> Settled {
        if mail.lost {
            return Settled::Replant("events were lost");
        }
        let mut hints: Vec<(PathBuf, Hint)> = mail.hints.into_iter().collect();
        // Folders before what is in them.
        hints.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        for (path, hint) in hints {
            if let Err(reason) = self.apply(&path, hint) {
                return Settled::Replant(reason);
            }
            if let Some(failure) = self.planter.failure() {
                return Settled::Failed(failure);
            }
        }
        if self.unsure { Settled::Unsure } else { Settled::Yes }
    }

    fn apply(&mut self, path: &Path, hint: Hint) -> Result<(), &'static str> {
        let Some(name) = name_of(path, self.root) else { return Ok(()) };
        if name.is_empty() {
            // Nobody watches what the root lies in, so its going is told by itself alone.
            if hint.moved {
                return Err("the root was moved or removed");
            }
            self.look_at_folder(name);
            return Ok(());
        }
        let (Some(parent), Some(last)) = (Path::new(&name).parent(), path.file_name()) else { return Ok(()) };
        // What lies in a folder that we do not know is ignored, reached through a link, or gone with its folder.
        if !self.planter.knows(parent.as_os_str()) {
            return Ok(());
        }
        if hint.moved && marks_repository(last) {
            return Err("a repository began or ended");
        }
        if self.left_out.has(last, path) || is_cache(path) {
            return Ok(());
        }
        if hint.renamed_away && self.planter.knows(&name) {
            return Err("a folder was renamed");
        }
        // Rules are read before the file that holds them is looked at, so an equal stamp does not mean that we
        // have read what it says now. A rule file may also hide itself: then there is no stamp.
        let is_rules = is_rule_file(last);
        if is_rules && (hint.replaced || !self.table.contains(&name)) {
            return Err("ignore rules changed");
        }
        let news = self.look_at(path, &name, hint);
        if is_rules && news {
            return Err("ignore rules changed");
        }
        Ok(())
    }

    /// Whether a file came, changed or went.
    fn look_at(&mut self, path: &Path, name: &Name, hint: Hint) -> bool {
        let metadata = match std::fs::symlink_metadata(path) {
            Ok(metadata) => Some(metadata),
            Err(error) if means_absent(&error) => None,
            Err(_) => {
                self.unsure = true;
                return false;
            }
        };
        let is_folder = metadata.as_ref().is_some_and(std::fs::Metadata::is_dir);
        if !is_folder {
            // Also where no folder of this name is watched: one may have been away just when it was to be, and back when
            // it was listed.
            self.table.remove_below(name);
            self.planter.forget(name, &BTreeSet::new());
        }
        match metadata {
            Some(metadata) if metadata.is_file() && !self.rules.ignore(name, false) => {
                let equal = if hint.replaced { Equal::SameUnlessRacy } else { Equal::Same };
                self.table.put(name.clone(), Look::at(&metadata), equal)
            }
            Some(_) if is_folder && !self.rules.ignore(name, true) => {
                let news = self.table.remove(name);
                self.look_at_folder(name.clone());
                news
            }
            _ => self.table.remove(name),
        }
    }

    /// Watches and looks at everything in a folder: it is new, or its watches may have been dropped, or it may
    /// have become readable.
    fn look_at_folder(&mut self, top: Name) {
        // A folder of this name may have been here before, with other ignore files. Those of the new one had no
        // event if they were written before the folder was watched.
        if !std::mem::replace(&mut self.fresh_rules, true) {
            self.rules.forget(self.root);
        }
        let (mut files, mut unknown, mut folders) = (Vec::new(), Vec::new(), BTreeSet::new());
        let mut left = vec![top.clone()];
        while let Some(name) = left.pop() {
            let folder = self.root.join(&name);
            self.planter.plant(&folder);
            match self.list(&folder, &mut files, &mut left) {
                Ok(()) => {}
                Err(error) if means_absent(&error) => {}
                Err(_) => unknown.push(name.clone()),
            }
            folders.insert(name);
        }
        self.unsure |= !unknown.is_empty();
        self.planter.forget(&top, &folders);
        self.table.reconcile(&top, files, &unknown, Equal::SameUnlessRacy);
    }

    fn list(
        &mut self,
        folder: &Path,
        files: &mut Vec<Sighting>,
        folders: &mut Vec<Name>,
    ) -> std::io::Result<()> {
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            let path = entry.path();
            let (Ok(kind), Some(name)) = (entry.file_type(), name_of(&path, self.root)) else { continue };
            let left_out = self.left_out.has(&entry.file_name(), &path) || (kind.is_dir() && is_cache(&path));
            if left_out || !self.counts(&name, kind) {
                continue;
            }
            if kind.is_dir() {
                folders.push(name);
            } else if let Ok(metadata) = entry.metadata()
                && metadata.is_file()
            {
                files.push(Sighting { name, look: Look::at(&metadata) });
            }
        }
        Ok(())
    }

    fn counts(&mut self, name: &OsStr, kind: std::fs::FileType) -> bool {
        (kind.is_dir() || kind.is_file()) && !self.rules.ignore(name, kind.is_dir())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;

    #[test]
    fn a_file_in_the_place_of_a_folder_that_was_listed_but_not_watched_leaves_nothing_below_it() {
        let temporary = tempfile::tempdir().unwrap();
        let outside = temporary.path().canonicalize().unwrap();
        let (root, proof) = (outside.join("root"), outside.join("proof"));
        std::fs::create_dir_all(root.join("a/b")).unwrap();
        std::fs::write(root.join("a/b/b"), "listed").unwrap();
        let mut table = Table::new();
        let look = Look::at(&std::fs::metadata(root.join("a/b/b")).unwrap());
        table.put("a/b/b".into(), look, Equal::Same);
        let planter = Planter::new(&root, 100, &proof).unwrap();
        for folder in [root.clone(), root.join("a")] {
            planter.plant(&folder);
        }
        std::fs::remove_dir_all(root.join("a/b")).unwrap();
        std::fs::write(root.join("a/b"), "a file").unwrap();

        let options = Options::new(proof.clone());
        let (left_out, mut rules) = (LeftOut::new(&options, proof), Rules::read(&root));
        let hint = Hint { replaced: true, moved: true, renamed_away: false };
        let mail = Mail { hints: [(root.join("a/b"), hint)].into(), lost: false };
        let settled = Settling::new(&root, &left_out, &mut rules, &mut table, &planter).settle(mail);
        assert_eq!(settled, Settled::Yes);
        assert_eq!(table.names().collect::<Vec<_>>(), ["a/b"]);
    }
}
