//! Paths that may be touched.
//!
//! A path from an agent is a string from a stranger. It becomes a [`RootedPath`] at the first touch:
//! canonical, inside an allowed root, symlinks resolved. Nothing below the router takes a raw path.

mod door;

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

pub use door::{SameFolder, leads_elsewhere, look_exactly, open_exactly, read_exactly, standing};

use crate::{ErrorKind, Problem, escape, nearest::nearest};

/// The folders a session may read, canonical. The first is the workspace root that relative paths start
/// from and that shown paths are relative to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Roots {
    workspace: PathBuf,
    others: Vec<PathBuf>,
}

/// A canonical path inside an allowed root. It existed when it was resolved.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RootedPath {
    absolute: PathBuf,
    shown: String,
    named: bool,
}

/// Why a path was refused.
#[derive(Debug, thiserror::Error)]
pub enum PathError {
    #[error("the path is empty; give a path relative to the workspace root, such as `src/main.rs`, or `.`")]
    Empty,
    #[error("the path contains a NUL byte, which no file name can")]
    NulByte,
    #[error("the path is {0} bytes long; the system's limit is 4096")]
    TooLong(usize),
    #[error("`{path}` does not exist{}", suggest(.similar))]
    NotFound { path: String, similar: Vec<String> },
    #[error("`{path}` is outside the allowed roots ({})", .roots.join(", "))]
    OutsideRoots { path: String, roots: Vec<String> },
    #[error("`{path}` goes through a symbolic link that leads out of the allowed roots, or nowhere")]
    SymlinkEscape { path: String },
    #[error("`{path}` is a folder; a file is needed here")]
    IsDirectory { path: String },
    #[error("`{path}` is a file; a folder is needed here")]
    NotDirectory { path: String },
    #[error("`{path}` could not be opened: {error}")]
    Io { path: String, error: std::io::Error },
}

impl PathError {
    /// Why a path that was allowed when it was checked could not be opened now.
    pub fn unopened(path: &str, error: io::Error) -> Self {
        let path = path.to_owned();
        if leads_elsewhere(&error) { Self::SymlinkEscape { path } } else { Self::Io { path, error } }
    }
}

fn suggest(similar: &[String]) -> String {
    if similar.is_empty() { String::new() } else { format!("; did you mean {}?", similar.join(" or ")) }
}

impl From<PathError> for Problem {
    fn from(error: PathError) -> Self {
        let message = error.to_string();
        match error {
            PathError::NotFound { similar, .. } => {
                Problem::new(ErrorKind::NotFound, message).detail("no_such_path").candidates(similar)
            }
            PathError::OutsideRoots { roots, .. } => {
                Problem::new(ErrorKind::PathNotAllowed, message).detail("outside_roots").candidates(roots)
            }
            PathError::SymlinkEscape { .. } => {
                Problem::new(ErrorKind::PathNotAllowed, message).detail("symlink_escape")
            }
            PathError::Io { .. } => Problem::new(ErrorKind::NotFound, message).detail("unreadable"),
            PathError::Empty => Problem::new(ErrorKind::InvalidParams, message).detail("empty_path"),
            PathError::NulByte => Problem::new(ErrorKind::InvalidParams, message).detail("nul_byte"),
            PathError::TooLong(_) => Problem::new(ErrorKind::InvalidParams, message).detail("path_too_long"),
            PathError::IsDirectory { .. } => {
                Problem::new(ErrorKind::InvalidParams, message).detail("is_directory")
            }
            PathError::NotDirectory { .. } => {
                Problem::new(ErrorKind::InvalidParams, message).detail("not_a_directory")
            }
        }
    }
}

impl Roots {
    /// Canonicalises every root; one that does not exist is an error.
    pub fn new(workspace: &Path, others: &[PathBuf]) -> Result<Self, PathError> {
        let canonical = |path: &Path| {
            let canonical =
                std::fs::canonicalize(path).map_err(|error| PathError::Io { path: show(path), error })?;
            if !canonical.is_dir() {
                return Err(PathError::NotDirectory { path: show(path) });
            }
            Ok(canonical)
        };
        let others = others.iter().map(|path| canonical(path)).collect::<Result<_, _>>()?;
        Ok(Self { workspace: canonical(workspace)?, others })
    }

    pub fn workspace(&self) -> &Path {
        &self.workspace
    }

    pub fn all(&self) -> impl Iterator<Item = &Path> {
        std::iter::once(self.workspace.as_path()).chain(self.others.iter().map(PathBuf::as_path))
    }

    /// Whether a canonical path lies inside a root.
    pub fn contains(&self, canonical: &Path) -> bool {
        self.all().any(|root| canonical.starts_with(root))
    }

    /// Opens a file inside the roots for reading, whatever has become of the folders on its path since that was
    /// checked. Nobody waits for the other end of a pipe.
    pub fn open(&self, path: &Path) -> io::Result<File> {
        if !self.contains(path) {
            return Err(door::elsewhere());
        }
        match open_exactly(path) {
            // A link that stays inside is as good as a folder.
            Err(error) if leads_elsewhere(&error) => {
                let file = door::open_anywhere(path)?;
                let inside = door::real_path(&file, path).is_some_and(|real| self.contains(&real));
                if inside { Ok(file) } else { Err(error) }
            }
            opened => opened,
        }
    }

    /// The same for a file that may have been named by a language server instead.
    pub fn open_path(&self, path: &RootedPath) -> io::Result<File> {
        if path.named { open_exactly(&path.absolute) } else { self.open(&path.absolute) }
    }

    /// The text of a small file inside the roots.
    pub fn read_to_string(&self, path: &Path) -> io::Result<String> {
        let mut text = String::new();
        self.open(path)?.read_to_string(&mut text)?;
        Ok(text)
    }

    /// A path that could not be opened, as answers show it: as much of it as is inside for certain. The rest may be a
    /// name that stands behind a link.
    pub fn show_standing(&self, path: &Path) -> String {
        let root = self.all().find(|root| path.starts_with(root)).unwrap_or(&self.workspace);
        self.show(&standing(root, path))
    }

    /// A file that a language server named, wherever it is: a dependency, a standard library. It may be read,
    /// never written. `None` when it does not exist.
    pub fn named(&self, path: &Path) -> Option<RootedPath> {
        let absolute = std::fs::canonicalize(path).ok()?;
        let shown = self.show(&absolute);
        let named = !self.contains(&absolute);
        Some(RootedPath { absolute, shown, named })
    }

    /// The workspace root itself.
    pub fn workspace_path(&self) -> RootedPath {
        RootedPath { absolute: self.workspace.clone(), shown: ".".to_owned(), named: false }
    }

    /// Resolves what an agent wrote: relative to the workspace root or absolute, escapes of [`Roots::show`] undone.
    pub fn resolve(&self, written: &str) -> Result<RootedPath, PathError> {
        if written.trim().is_empty() {
            return Err(PathError::Empty);
        }
        if written.contains('\0') {
            return Err(PathError::NulByte);
        }
        if written.len() > 4096 {
            return Err(PathError::TooLong(written.len()));
        }
        let joined = self.workspace.join(written);
        match std::fs::canonicalize(&joined) {
            Ok(canonical) => self.admit(&joined, canonical, written),
            Err(error) => {
                let undone = unshow(written).or_else(|| escape::undone(written).map(PathBuf::from));
                if let Some(raw) = undone
                    && let Ok(canonical) = std::fs::canonicalize(self.workspace.join(&raw))
                {
                    return self.admit(&self.workspace.join(raw), canonical, written);
                }
                Err(self.explain_missing(&joined, written, error))
            }
        }
    }

    fn admit(&self, joined: &Path, canonical: PathBuf, written: &str) -> Result<RootedPath, PathError> {
        if self.contains(&canonical) {
            let shown = self.show(&canonical);
            return Ok(RootedPath { absolute: canonical, shown, named: false });
        }
        // What lies outside is told apart by how it got there: by its words or by a link.
        if self.contains(&normalise(joined)) {
            return Err(PathError::SymlinkEscape { path: shorten(written) });
        }
        Err(self.outside(written))
    }

    fn outside(&self, written: &str) -> PathError {
        PathError::OutsideRoots { path: shorten(written), roots: self.all().map(show).collect() }
    }

    fn explain_missing(&self, joined: &Path, written: &str, error: std::io::Error) -> PathError {
        if !self.contains(&normalise(joined)) {
            return self.outside(written);
        }
        // Whether a file outside the roots exists is nobody's business: a link that leads out is refused in the
        // same words whether or not there is anything at its end.
        let linked = joined.ancestors().any(|path| {
            path.is_symlink() && std::fs::canonicalize(path).map_or(true, |target| !self.contains(&target))
        });
        if linked {
            return PathError::SymlinkEscape { path: shorten(written) };
        }
        match error.kind() {
            std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => {
                PathError::NotFound { path: shorten(written), similar: self.similar(joined) }
            }
            _ => PathError::Io { path: shorten(written), error },
        }
    }

    /// Names beside the missing one that look like it.
    fn similar(&self, joined: &Path) -> Vec<String> {
        let (Some(parent), Some(name)) = (joined.parent(), joined.file_name()) else { return Vec::new() };
        let Ok(parent) = std::fs::canonicalize(parent) else { return Vec::new() };
        let Ok(entries) = std::fs::read_dir(&parent) else { return Vec::new() };
        let names: Vec<String> =
            entries.take(2_000).flatten().map(|entry| show_name(&entry.file_name())).collect();
        let wanted = show_name(name);
        let mut close = nearest(&wanted, names.iter().map(String::as_str), 3);
        close.dedup();
        // Another folder may have been listed in its place.
        let is_here = |path: &PathBuf| self.contains(path) && look_exactly(path).is_ok();
        let close = close.into_iter().map(|name| parent.join(unshow(name).unwrap_or_else(|| name.into())));
        close.filter(is_here).map(|path| self.show(&path)).collect()
    }

    /// A canonical path as agents see it: relative to the workspace root, absolute when outside it, with
    /// forward slashes, and with bytes that are not UTF-8 written as `\xNN`.
    pub fn show(&self, canonical: &Path) -> String {
        match canonical.strip_prefix(&self.workspace) {
            Ok(relative) if relative.as_os_str().is_empty() => ".".to_owned(),
            Ok(relative) => show(relative),
            Err(_) => show(canonical),
        }
    }
}

impl RootedPath {
    pub fn absolute(&self) -> &Path {
        &self.absolute
    }

    /// How this path is written in answers.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// Outside the roots, named by a language server: for reading only.
    pub fn is_named(&self) -> bool {
        self.named
    }

    pub fn require_file(self) -> Result<Self, PathError> {
        if self.absolute.is_dir() { Err(PathError::IsDirectory { path: self.shown }) } else { Ok(self) }
    }

    pub fn require_directory(self) -> Result<Self, PathError> {
        if self.absolute.is_dir() { Ok(self) } else { Err(PathError::NotDirectory { path: self.shown }) }
    }
}

/// Resolves `.` and `..` by words alone.
fn normalise(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

/// Echoing a megabyte back helps nobody.
fn shorten(written: &str) -> String {
    match written.char_indices().nth(200) {
        Some((at, _)) => format!("{}…", &written[..at]),
        None => written.to_owned(),
    }
}

fn show(path: &Path) -> String {
    let shown = show_name(path.as_os_str());
    if cfg!(windows) { shown.replace('\\', "/") } else { shown }
}

/// A name with every byte that is not UTF-8 written as `\xNN`, so that it can be given back to us.
#[cfg(unix)]
fn show_name(name: &OsStr) -> String {
    use std::os::unix::ffi::OsStrExt;
    let mut shown = String::new();
    for chunk in name.as_bytes().utf8_chunks() {
        shown.push_str(chunk.valid());
        for byte in chunk.invalid() {
            shown.push_str(&format!("\\x{byte:02X}"));
        }
    }
    shown
}

#[cfg(not(unix))]
fn show_name(name: &OsStr) -> String {
    name.to_string_lossy().into_owned()
}

/// Undoes [`show_name`]; `None` when there is nothing to undo.
#[cfg(unix)]
fn unshow(written: &str) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    if !written.contains("\\x") {
        return None;
    }
    let mut bytes = Vec::with_capacity(written.len());
    let mut rest = written;
    while let Some(at) = rest.find("\\x") {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        match rest.get(at + 2..at + 4).and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            // An escape must not be able to write what a plain path may not: NUL, slash or any ASCII.
            Some(byte) if byte >= 0x80 => {
                bytes.push(byte);
                rest = &rest[at + 4..];
            }
            _ => {
                bytes.extend_from_slice(b"\\x");
                rest = &rest[at + 2..];
            }
        }
    }
    bytes.extend_from_slice(rest.as_bytes());
    Some(PathBuf::from(std::ffi::OsString::from_vec(bytes)))
}

#[cfg(not(unix))]
fn unshow(_: &str) -> Option<PathBuf> {
    None
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used)]
mod tests;
