//! What comes out?

use std::ffi::OsStr;
use std::ops::Range;
use std::path::{Path, PathBuf};

use orienteer_base::{Language, SymbolKind};
use orienteer_syntax::facts::Visibility;

use super::record::{FileFlags, Mode, Stamp};

/// A file of one generation. Numbers mean nothing in another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub i64);

/// A piece of one generation. The pieces of a file have numbers that follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PieceId(pub i64);

/// A symbol of one generation. The symbols of a file have numbers that follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SymbolId(pub i64);

/// A path below the workspace root, with `/` between its names whatever the system writes, and its bytes as the
/// system has them: a name need not be UTF-8.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelativePath(Vec<u8>);

impl RelativePath {
    /// Of a path that is already relative to the root.
    #[cfg(unix)]
    pub fn new(path: &Path) -> Self {
        use std::os::unix::ffi::OsStrExt;
        Self(path.as_os_str().as_bytes().to_vec())
    }

    #[cfg(not(unix))]
    pub fn new(path: &Path) -> Self {
        Self(path.as_os_str().to_string_lossy().replace('\\', "/").into_bytes())
    }

    pub fn of_bytes(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// Of a path below `root`; `None` when it is not.
    pub fn below(root: &Path, path: &Path) -> Option<Self> {
        path.strip_prefix(root).ok().map(Self::new)
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// As text; bytes that are not UTF-8 become `\xNN`, as everywhere a path is shown.
    pub fn shown(&self) -> String {
        let mut shown = String::with_capacity(self.0.len());
        for chunk in self.0.utf8_chunks() {
            shown.push_str(chunk.valid());
            for byte in chunk.invalid() {
                shown.push_str(&format!("\\x{byte:02X}"));
            }
        }
        shown
    }

    /// On disk.
    #[cfg(unix)]
    pub fn absolute(&self, root: &Path) -> PathBuf {
        use std::os::unix::ffi::OsStrExt;
        root.join(OsStr::from_bytes(&self.0))
    }

    #[cfg(not(unix))]
    pub fn absolute(&self, root: &Path) -> PathBuf {
        root.join(OsStr::new(&*String::from_utf8_lossy(&self.0)))
    }

    /// Itself and every folder above it, up to the root.
    pub(crate) fn with_parents(&self) -> impl Iterator<Item = Self> {
        let ends = self.0.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
        let above = std::iter::once(0).chain(ends).map(|end| Self(self.0[..end].to_vec()));
        std::iter::once(self.clone()).chain(above)
    }

    /// The last name.
    pub fn name(&self) -> &[u8] {
        self.0.rsplit(|byte| *byte == b'/').next().unwrap_or_default()
    }
}

/// A file as it was when it was indexed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    pub id: FileId,
    pub path: RelativePath,
    pub language: Option<&'static Language>,
    pub mode: Mode,
    pub flags: FileFlags,
    pub stamp: Stamp,
    /// The beginning of the BLAKE3 of its content.
    pub hash: [u8; 16],
    pub lines: u32,
    /// The number that the trigram file of the generation has it under; `None` for what was put in later.
    pub trigrams: Option<u32>,
    pub pieces: Range<i64>,
    pub symbols: Range<i64>,
}

/// A file, as far as questions about many need it.
#[derive(Debug, Clone, Copy)]
pub struct Sketch<'s> {
    pub id: FileId,
    /// As in [`RelativePath::as_bytes`].
    pub path: &'s [u8],
    pub mode: Mode,
    pub flags: FileFlags,
    /// As in [`File::trigrams`].
    pub trigrams: Option<u32>,
}

/// A part of a file that is found and shown as one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    pub id: PieceId,
    pub file: FileId,
    pub symbol: Option<SymbolId>,
    /// Bytes of the text.
    pub range: Range<usize>,
    /// Lines, 0-based; the end is the line after the last.
    pub lines: Range<u32>,
    pub mode: Mode,
}

/// A definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    pub id: SymbolId,
    pub file: FileId,
    pub parent: Option<SymbolId>,
    pub name: String,
    pub name_path: String,
    /// How many symbols with the same path stand before it in the file: with path and name path it is an id that
    /// outlives a build.
    pub nth: u32,
    pub kind: SymbolKind,
    pub range: Range<usize>,
    pub name_range: Range<usize>,
    /// Lines, 0-based; the end is the line after the last.
    pub lines: Range<u32>,
    pub signature: String,
    /// The first line of its documentation; empty without.
    pub doc: String,
    /// As written; empty without.
    pub return_type: String,
    pub visibility: Option<Visibility>,
    pub flags: SymbolFlags,
    pub branches: u32,
    pub loops: u32,
}

/// What is true of a symbol.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct SymbolFlags {
    pub is_async: bool,
    pub is_generator: bool,
    pub is_exported: bool,
}
