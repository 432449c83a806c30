//! Which files are there, all of them?

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::WalkState;

use crate::planter::Planter;
use crate::rules::{LeftOut, builder};
use crate::stamp::Look;
use crate::table::{Name, Sighting};

/// The work is system calls; beyond this many threads they wait for each other in the kernel.
const MOST_THREADS: usize = 8;

/// What a walk found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) files: Vec<Sighting>,
    /// What could not be looked at for another reason than that it is gone or not ours to read, such as too many
    /// open files. It must not pass for deleted.
    pub(crate) unknown: Vec<Name>,
    /// The walk was ended at the limit.
    pub(crate) too_many: bool,
}

/// Looks at every file below `root` that counts. With a planter, every folder is watched before it is listed:
/// `filter_entry` is asked about a folder before the walk reads it, the visitor only afterwards.
pub(crate) fn walk(root: &Path, left_out: &LeftOut, most: usize, planter: Option<Arc<Planter>>) -> Found {
    if let Some(planter) = &planter {
        planter.plant(root);
    }
    let left_out = left_out.clone();
    let mut builder = builder(root);
    builder.threads(std::thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS));
    builder.filter_entry(move |entry| {
        if left_out.has_entry(entry) {
            return false;
        }
        if let Some(planter) = &planter
            && entry.file_type().is_some_and(|kind| kind.is_dir())
        {
            planter.plant(entry.path());
        }
        true
    });
    let (all, count) = (Mutex::new(Found::default()), AtomicUsize::new(0));
    builder.build_parallel().run(|| {
        let mut mine = Mine { found: Found::default(), all: &all };
        let count = &count;
        Box::new(move |entry| {
            let found = &mut mine.found;
            match entry {
                Ok(entry) if entry.depth() > 0 && entry.file_type().is_some_and(|kind| kind.is_file()) => {
                    match entry.metadata() {
                        Ok(metadata) if metadata.is_file() => {
                            if count.fetch_add(1, Ordering::Relaxed) >= most {
                                found.too_many = true;
                                return WalkState::Quit;
                            }
                            let Some(name) = name_of(entry.path(), root) else { return WalkState::Continue };
                            found.files.push(Sighting { name, look: Look::at(&metadata) });
                        }
                        Ok(_) => {}
                        Err(error) => found.note_error(&error, root),
                    }
                }
                Ok(_) => {}
                Err(error) => found.note_error(&error, root),
            }
            WalkState::Continue
        })
    });
    all.into_inner().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn name_of(path: &Path, root: &Path) -> Option<Name> {
    path.strip_prefix(root).ok().map(|name| name.as_os_str().to_owned())
}

/// Whether an error means that there is nothing there for us, rather than that we could not look.
pub(crate) fn means_absent(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{InvalidFilename, NotADirectory, NotFound, PermissionDenied};
    matches!(error.kind(), NotFound | NotADirectory | PermissionDenied | InvalidFilename)
}

impl Found {
    fn note_error(&mut self, error: &ignore::Error, root: &Path) {
        let Some(io) = error.io_error() else { return };
        if means_absent(io) {
            return;
        }
        tracing::debug!(%error, "could not look at a part of the tree");
        // Without a path it may be anything: then the whole root, whose name is empty, is unknown.
        self.unknown.push(error_path(error).and_then(|path| name_of(path, root)).unwrap_or_default());
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

/// What one thread found, added to the rest when the thread is done.
struct Mine<'a> {
    found: Found,
    all: &'a Mutex<Found>,
}

impl Drop for Mine<'_> {
    fn drop(&mut self) {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.files.append(&mut self.found.files);
        all.unknown.append(&mut self.found.unknown);
        all.too_many |= self.found.too_many;
    }
}
