//! Which files are there to be indexed?
//!
//! The rules are those of the text search: hidden names are left out, `.gitignore` counts inside a repository, `.ignore`
//! and `.rgignore` everywhere, parents and the user's own excludes included; links are not followed. Nothing is left out
//! by a list of ours.

use std::path::{Path, PathBuf};

use ignore::{DirEntry, IncrementalIgnore, WalkBuilder};
use orienteer_base::{Cancel, Stopped};

use super::report::{Skips, reason};
use crate::store::{RelativePath, Stamp};

/// Files whose content decides what counts.
const RULE_FILES: [&str; 3] = [".gitignore", ".ignore", ".rgignore"];

/// What to walk over.
#[derive(Debug, Clone)]
pub(super) struct Walk {
    pub(super) root: PathBuf,
    pub(super) hidden: bool,
    /// The index itself, which may lie inside the root.
    pub(super) folder: PathBuf,
}

/// A file.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) path: RelativePath,
    pub(super) stamp: Stamp,
}

impl Walk {
    fn builder(&self, from: &Path) -> WalkBuilder {
        let mut builder = WalkBuilder::new(from);
        let folder = self.folder.clone();
        builder
            .follow_links(false)
            .hidden(!self.hidden)
            .parents(true)
            .ignore(true)
            .git_ignore(true)
            .git_global(true)
            .git_exclude(true)
            .require_git(true)
            .add_custom_ignore_filename(".rgignore")
            // Where the user's own excludes are looked up must not depend on the folder we were started in.
            .current_dir(&self.root)
            .sort_by_file_name(Ord::cmp)
            .filter_entry(move |entry| {
                entry.depth() == 0 || (entry.file_name() != ".git" && entry.path() != folder)
            });
        builder
    }

    /// Every file in or below a path of the root, in order, until `each` says `false`.
    pub(super) fn run(
        &self,
        below: &RelativePath,
        skips: &Skips,
        cancel: &Cancel,
        each: &mut dyn FnMut(Found) -> bool,
    ) -> Result<(), Stopped> {
        let from = if below.as_bytes().is_empty() { self.root.clone() } else { below.absolute(&self.root) };
        for entry in self.builder(&from).build() {
            cancel.check()?;
            match entry {
                Ok(entry) => {
                    if let Some(found) = self.look(&entry, skips)
                        && !each(found)
                    {
                        break;
                    }
                }
                Err(error) => self.skip(&error, skips),
            }
        }
        Ok(())
    }

    fn look(&self, entry: &DirEntry, skips: &Skips) -> Option<Found> {
        if let Some(error) = entry.error() {
            self.skip(error, skips);
        }
        if !entry.file_type().is_some_and(|kind| kind.is_file()) {
            return None;
        }
        let path = RelativePath::below(&self.root, entry.path())?;
        match entry.metadata() {
            Ok(metadata) => Some(Found { path, stamp: Stamp::of(&metadata) }),
            Err(error) => {
                skips.add_error(&self.root, &path, error.io_error());
                None
            }
        }
    }

    fn skip(&self, error: &ignore::Error, skips: &Skips) {
        let named = path_of(error).map(|path| RelativePath::below(&self.root, path));
        match (named, error.io_error()) {
            (Some(Some(path)), error) => skips.add_error(&self.root, &path, error),
            (named, Some(error)) => {
                skips.add("?".to_owned(), reason(error));
                // Without a name it may have hidden anything; a file of rules above the root hides nothing.
                if named.is_none() {
                    skips.close(&RelativePath::of_bytes(Vec::new()), Some(error));
                }
            }
            (_, None) => skips.add("?".to_owned(), error.to_string()),
        }
    }

    /// For single paths.
    pub(super) fn rules(&self) -> Rules {
        Rules {
            matcher: self.builder(&self.root).build_matchers().pop(),
            folder: self.folder.clone(),
            root: self.root.clone(),
        }
    }
}

/// Whether single paths count.
#[derive(Debug)]
pub(super) struct Rules {
    matcher: Option<IncrementalIgnore>,
    root: PathBuf,
    folder: PathBuf,
}

impl Rules {
    /// Whether a walk would come to this path.
    pub(super) fn count(&mut self, path: &RelativePath, is_folder: bool) -> bool {
        let absolute = path.absolute(&self.root);
        let inside = path.as_bytes().split(|byte| *byte == b'/').all(|name| name != b".git" && name != b"..");
        let Ok(relative) = absolute.strip_prefix(&self.root) else { return false };
        inside
            && !absolute.starts_with(&self.folder)
            && !self.matcher.as_mut().is_some_and(|matcher| matcher.matched(relative, is_folder).is_ignore())
    }
}

/// Whether a change of this file changes what counts. A folder `.git` that comes or goes does: rules for git count only
/// inside a repository.
pub(super) fn is_rule_file(path: &RelativePath) -> bool {
    RULE_FILES.iter().any(|name| path.name() == name.as_bytes())
        || path.name() == b".git"
        || path.as_bytes().ends_with(b".git/info/exclude")
}

fn path_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => path_of(err),
        ignore::Error::Loop { child, .. } => Some(child),
        ignore::Error::Partial(errors) => errors.first().and_then(path_of),
        _ => None,
    }
}
