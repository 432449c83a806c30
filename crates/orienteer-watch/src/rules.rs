//! Which names count?
//!
//! The rules are those of ripgrep (nested `.gitignore` inside a repository, `.ignore` and `.rgignore`
//! everywhere, parents and the user's own excludes included), but hidden names count: language servers read
//! `.eslintrc` and `.cargo/config.toml`. `.git` itself does not.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;
use ignore::gitignore::gitconfig_excludes_path;
use ignore::{DirEntry, IncrementalIgnore};

use crate::options::Options;
use crate::stamp::{Stamp, stamp};

const RULE_FILES: [&str; 3] = [".gitignore", ".ignore", ".rgignore"];
/// Rules of git count only inside a repository, so these names coming or going changes what is ignored.
const REPOSITORY_MARKS: [&str; 2] = [".git", ".jj"];

pub(crate) fn is_rule_file(name: &OsStr) -> bool {
    RULE_FILES.iter().any(|file| name == *file)
}

pub(crate) fn marks_repository(name: &OsStr) -> bool {
    REPOSITORY_MARKS.iter().any(|mark| name == *mark)
}

/// What is left out whatever ignore files say.
#[derive(Debug, Clone)]
pub(crate) struct LeftOut {
    names: Vec<OsString>,
    proof_folder: PathBuf,
}

impl LeftOut {
    pub(crate) fn new(options: &Options, proof_folder: PathBuf) -> Self {
        Self { names: options.ignored_names.clone(), proof_folder }
    }

    pub(crate) fn has(&self, name: &OsStr, path: &Path) -> bool {
        name == ".git" || self.names.iter().any(|left| left == name) || path == self.proof_folder
    }

    pub(crate) fn has_entry(&self, entry: &DirEntry) -> bool {
        self.has(entry.file_name(), entry.path())
            || (entry.file_type().is_some_and(|kind| kind.is_dir()) && is_cache(entry.path()))
    }
}

/// Whether a folder says itself that everything in it can be made again: Cargo's `target`, caches of linters. Nobody
/// edits there, and a build would fill the snapshot.
pub(crate) fn is_cache(folder: &Path) -> bool {
    folder.join("CACHEDIR.TAG").is_file()
}

/// How every walk below `root` is made.
pub(crate) fn builder(root: &Path) -> WalkBuilder {
    let mut builder = WalkBuilder::new(root);
    builder
        .follow_links(false)
        .hidden(false)
        .parents(true)
        .ignore(true)
        .git_ignore(true)
        .git_global(true)
        .git_exclude(true)
        .require_git(true)
        .add_custom_ignore_filename(".rgignore")
        // Where the user's own excludes are looked up must not depend on the folder we were started in.
        .current_dir(root);
    builder
}

/// The rules as they were read, for single paths, and whether they still hold.
#[derive(Debug)]
pub(crate) struct Rules {
    matcher: Option<IncrementalIgnore>,
    outside: Vec<(Option<Stamp>, PathBuf)>,
    marks: Vec<(bool, PathBuf)>,
}

impl Rules {
    /// To be read before the tree is walked, so that a change in between is seen at the next question.
    pub(crate) fn read(root: &Path) -> Self {
        let mut outside = vec![root.join(".git/info/exclude")];
        let mut marks = Vec::new();
        for folder in root.ancestors().skip(1) {
            outside.extend(RULE_FILES.iter().map(|file| folder.join(file)));
            let git = folder.join(".git");
            if git.exists() {
                outside.push(git.join("info/exclude"));
            }
            marks.push(git);
        }
        outside.extend(gitconfig_excludes_path());
        let mut rules = Self {
            outside: outside.into_iter().map(|path| (stamp(&path), path)).collect(),
            marks: marks.into_iter().map(|path| (path.exists(), path)).collect(),
            matcher: None,
        };
        rules.forget(root);
        rules
    }

    /// Whether a rule file that no watch of ours covers has changed: those above the root, the user's own, and
    /// the repository's excludes. A handful of stat calls.
    pub(crate) fn are_stale(&self) -> bool {
        self.outside.iter().any(|(at, path)| stamp(path) != *at)
            || self.marks.iter().any(|(there, path)| path.exists() != *there)
    }

    /// Ignore files are read once and remembered by folder; from here on they are read again.
    pub(crate) fn forget(&mut self, root: &Path) {
        self.matcher = builder(root).build_matchers().pop();
    }

    pub(crate) fn ignore(&mut self, name: &OsStr, is_folder: bool) -> bool {
        self.matcher.as_mut().is_some_and(|matcher| matcher.matched(name, is_folder).is_ignore())
    }
}
