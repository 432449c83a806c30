//! Which files and folders lie below a folder, and which could not be looked at?
//!
//! The rules are those of ripgrep: hidden names are left out, `.gitignore` counts inside a repository,
//! `.ignore` and `.rgignore` everywhere, parents and the user's own excludes included; links are not followed.

use std::path::Path;
use std::sync::Mutex;

use ignore::types::Types;
use ignore::{DirEntry, IncrementalIgnore, WalkBuilder, WalkState};
use orienteer_base::answer::Warning;
use orienteer_base::listing::Skipped;
use orienteer_base::{Cancel, Completeness, Reason, Roots};

/// More names than this help nobody; the count tells the rest.
const SKIPPED_SHOWN: usize = 20;
/// What ripgrep found to be the point beyond which more threads do not help.
const MOST_THREADS: usize = 12;

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

/// What could not be read, collected over all threads.
#[derive(Debug, Default)]
pub(crate) struct Skips(Mutex<(Vec<Skipped>, u64)>);

impl Skips {
    pub(crate) fn add(&self, path: String, reason: String) {
        let mut guard = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        guard.1 += 1;
        // Sorted and cut as they come, so that the ones shown do not depend on threads.
        let at = guard.0.partition_point(|skipped| skipped.path < path);
        guard.0.insert(at, Skipped { path, reason });
        guard.0.truncate(SKIPPED_SHOWN);
    }

    pub(crate) fn add_io(&self, path: String, error: &std::io::Error) {
        // A file that vanished while we walked is not one we failed to read.
        if error.kind() != std::io::ErrorKind::NotFound {
            self.add(path, reason(error));
        }
    }

    fn add_walk_error(&self, roots: &Roots, error: &ignore::Error) {
        let path = error_path(error).map_or_else(|| "?".to_owned(), |path| roots.show(path));
        match error.io_error() {
            Some(io) => self.add_io(path, io),
            None => self.add(path, error.to_string()),
        }
    }

    pub(crate) fn finish(self) -> (Vec<Skipped>, u64) {
        self.0.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
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
