//! Which files and folders lie below a folder, and which could not be looked at?
//!
//! The rules are those of ripgrep: hidden names are left out, `.gitignore` counts inside a repository,
//! `.ignore` and `.rgignore` everywhere, parents and the user's own excludes included; links are not followed.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use ignore::types::Types;
use ignore::{DirEntry, IncrementalIgnore, WalkBuilder, WalkState};
use orienteer_base::answer::Warning;
use orienteer_base::listing::Skipped;
use orienteer_base::path::{SameFolder, leads_elsewhere, look_exactly};
use orienteer_base::{Cancel, Completeness, PathError, Problem, Reason, RootedPath, Roots};

/// More names than this help nobody; the count tells the rest.
const SKIPPED_SHOWN: usize = 20;
/// What ripgrep found to be the point beyond which more threads do not help.
const MOST_THREADS: usize = 12;
/// How exactly file systems tell when a folder was changed.
const TICK: Duration = Duration::from_secs(2);

/// What to walk over.
#[derive(Debug, Default)]
pub(crate) struct Walk {
    pub(crate) hidden: bool,
    pub(crate) no_ignore: bool,
    pub(crate) max_depth: Option<usize>,
    pub(crate) types: Option<Types>,
}

pub(crate) fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS)
}

impl Walk {
    fn builder(&self, folder: &Path) -> WalkBuilder {
        let ignores = !self.no_ignore;
        let mut builder = WalkBuilder::new(folder);
        builder
            .threads(threads())
            .max_depth(self.max_depth)
            .follow_links(false)
            .hidden(!self.hidden)
            .parents(ignores)
            .ignore(ignores)
            .git_ignore(ignores)
            .git_global(ignores)
            .git_exclude(ignores)
            .require_git(true)
            // Where the user's own excludes are looked up must not depend on the folder we were started in.
            .current_dir(folder);
        if ignores {
            builder.add_custom_ignore_filename(".rgignore");
        }
        if let Some(types) = &self.types {
            builder.types(types.clone());
        }
        builder
    }

    /// The rules of a walk of `folder`, for single paths.
    pub(crate) fn rules(&self, folder: &Path) -> Option<IncrementalIgnore> {
        self.builder(folder).build_matchers().pop()
    }

    /// Tells what a walk of `folder` tells before it comes by anything: which rule files above it are broken.
    pub(crate) fn begin(&self, folder: &Path, roots: &Roots, skips: &Skips) {
        let mut builder = self.builder(folder);
        builder.max_depth(Some(0));
        builder.build().filter_map(Result::err).for_each(|error| skips.add_walk_error(roots, &error));
    }

    /// Visits everything below `folder`, on several threads; `visitor` makes the visitor of one thread.
    /// The folder itself is not visited.
    pub(crate) fn run<'s, V>(
        &self,
        folder: &Path,
        roots: &'s Roots,
        skips: &'s Skips,
        cancel: &'s Cancel,
        visitor: impl Fn() -> V,
    ) where
        V: FnMut(DirEntry) -> WalkState + Send + 's,
    {
        self.run_part(folder, folder, roots, skips, cancel, visitor);
    }

    /// Visits what a walk of `scope` visits below its folder `part`.
    pub(crate) fn run_part<'s, V>(
        &self,
        scope: &Path,
        part: &Path,
        roots: &'s Roots,
        skips: &'s Skips,
        cancel: &'s Cancel,
        visitor: impl Fn() -> V,
    ) where
        V: FnMut(DirEntry) -> WalkState + Send + 's,
    {
        let mut builder = self.builder(part);
        builder.current_dir(scope);
        // A walk tells of broken rule files above the place where it begins, and only of those.
        let tells_rules = part == scope;
        builder.build_parallel().run(|| {
            let mut visit = visitor();
            Box::new(move |found| {
                if cancel.is_cancelled() {
                    return WalkState::Quit;
                }
                match found {
                    Ok(entry) if entry.depth() == 0 => WalkState::Continue,
                    // Read by its path, a folder that became a link lists what is behind it. Nothing of that is told, because
                    // files and entries are looked at by themselves; but nobody wants to walk over all of it.
                    Ok(entry)
                        if skips.is_doubtful() && entry.file_type().is_some_and(|kind| kind.is_dir()) =>
                    {
                        match look_exactly(entry.path()) {
                            Ok(metadata) if metadata.is_dir() => visit(entry),
                            Ok(_) => WalkState::Skip,
                            Err(error) => {
                                skips.add_walked(roots, entry.path(), &error);
                                WalkState::Skip
                            }
                        }
                    }
                    Ok(entry) => visit(entry),
                    Err(error) if !tells_rules && error.io_error().is_none() => WalkState::Continue,
                    Err(error) => {
                        skips.add_walk_error(roots, &error);
                        WalkState::Continue
                    }
                }
            })
        });
    }
}

/// The folder that a walk begins at. What is there in the end must be what was there in the beginning, or nothing
/// can be concluded from what was not found.
pub(crate) fn enter(folder: &RootedPath) -> Result<SameFolder, Problem> {
    SameFolder::new(folder.absolute()).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotADirectory => {
            PathError::NotDirectory { path: folder.shown().to_owned() }.into()
        }
        _ => PathError::unopened(folder.shown(), error).into(),
    })
}

/// What could not be read, collected over all threads.
#[derive(Debug)]
pub(crate) struct Skips {
    found: Mutex<(Vec<Skipped>, u64)>,
    begun: SystemTime,
    /// Some path led elsewhere.
    doubtful: AtomicBool,
}

impl Default for Skips {
    fn default() -> Self {
        Self { found: Mutex::default(), begun: SystemTime::now(), doubtful: AtomicBool::default() }
    }
}

impl Skips {
    fn is_doubtful(&self) -> bool {
        self.doubtful.load(Ordering::Relaxed)
    }

    /// To be asked when a walk has ended.
    pub(crate) fn leave(&self, roots: &Roots, folder: &RootedPath, same: &SameFolder) {
        if let Err(error) = same.check() {
            let reason = if leads_elsewhere(&error) { error } else { std::io::Error::other("it is gone") };
            self.add(roots.show(folder.absolute()), reason.to_string());
        }
    }

    pub(crate) fn add(&self, path: String, reason: String) {
        let mut guard = self.found.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        guard.1 += 1;
        // Sorted and cut as they come, so that the ones shown do not depend on threads.
        let at = guard.0.partition_point(|skipped| skipped.path < path);
        guard.0.insert(at, Skipped { path, reason });
        guard.0.truncate(SKIPPED_SHOWN);
    }

    pub(crate) fn add_io(&self, roots: &Roots, path: &Path, error: &std::io::Error) {
        if leads_elsewhere(error) {
            self.doubtful.store(true, Ordering::Relaxed);
        }
        // A file that vanished while we walked is not one we failed to read.
        if error.kind() != std::io::ErrorKind::NotFound {
            self.add(roots.show_standing(path), reason(error));
        }
    }

    /// The same for what a walk has just come by. What vanished from a folder that nobody has changed since then was
    /// never in it: another folder was listed in its place.
    pub(crate) fn add_walked(&self, roots: &Roots, path: &Path, error: &std::io::Error) {
        let is_gone = error.kind() == std::io::ErrorKind::NotFound;
        let folder = path.ancestors().skip(1).find_map(|path| Some((path, look_exactly(path).ok()?)));
        match folder.filter(|_| is_gone) {
            Some((folder, metadata))
                if metadata.modified().is_ok_and(|changed| changed + TICK < self.begun) =>
            {
                self.add(
                    roots.show_standing(folder),
                    "another folder was in its place while it was listed".to_owned(),
                );
            }
            _ => self.add_io(roots, path, error),
        }
    }

    fn add_walk_error(&self, roots: &Roots, error: &ignore::Error) {
        match (error.io_error(), error_path(error)) {
            (Some(io), Some(path)) => self.add_io(roots, path, io),
            (Some(io), None) => self.add("?".to_owned(), reason(io)),
            (None, path) => {
                self.add(path.map_or("?".to_owned(), |path| roots.show_standing(path)), error.to_string())
            }
        }
    }

    pub(crate) fn finish(self) -> (Vec<Skipped>, u64) {
        self.found.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// The words of the system without its error number.
pub(crate) fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}

fn error_path(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => error_path(err),
        ignore::Error::Loop { child, .. } => Some(child),
        ignore::Error::Partial(errors) => errors.first().and_then(error_path),
        _ => None,
    }
}

/// How complete an answer is, with a warning that names some of what was skipped.
pub(crate) fn judge(
    capped: bool,
    skipped: &[Skipped],
    skipped_count: u64,
) -> (Completeness, Option<Warning>) {
    if skipped_count == 0 {
        let whole = if capped { Completeness::partial(Reason::Capped) } else { Completeness::Complete };
        return (whole, None);
    }
    let mut named: Vec<String> =
        skipped.iter().take(3).map(|skipped| format!("{} ({})", skipped.path, skipped.reason)).collect();
    if skipped_count > named.len() as u64 {
        named.push(format!("and {} more", skipped_count - named.len() as u64));
    }
    let message = format!("could not be read: {}", named.join(", "));
    (Completeness::partial(Reason::Unreadable), Some(Warning::new("unreadable", message)))
}
