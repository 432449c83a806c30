//! What may be asked of the files on disk, as validated facts.
//!
//! A tool turns what an agent wrote into one of these; the search room answers it. Limits have been applied
//! and paths are rooted by the time one exists.

use std::time::SystemTime;

use crate::{Conceal, Language, RootedPath};

/// How letters compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    /// Insensitive unless the pattern has an upper-case letter.
    Smart,
    Sensitive,
    Insensitive,
}

/// How much of every match is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    Matches,
    Counts,
    FilesOnly,
}

/// Which files of a folder take part.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// Names of file types (`rust`, `ts`, …).
    pub file_types: Vec<String>,
    pub include: Vec<String>,
    pub exclude: Vec<String>,
    pub hidden: bool,
    pub no_ignore: bool,
}

/// The order of files, and with it of pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileOrder {
    Path,
    /// Newest first.
    Modified,
}

/// Where the previous page ended: behind a file, or so many matches into it. Without a path, so many matches
/// into the only file that is searched.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct After {
    pub path: Option<String>,
    pub modified_ns: Option<u64>,
    pub matches: u64,
}

/// A search for text.
#[derive(Debug, Clone)]
pub struct TextQuery {
    pub pattern: String,
    pub scope: RootedPath,
    pub fixed_string: bool,
    pub case: Case,
    pub whole_word: bool,
    pub multiline: bool,
    pub selection: Selection,
    pub detail: Detail,
    pub context_lines: usize,
    pub matches_per_file: usize,
    pub files_per_page: usize,
    pub order: FileOrder,
    pub after: After,
    /// Lines go through this before they are cut; the engine puts its own in.
    pub conceal: Conceal,
}

/// How exactly a structural pattern must fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strictness {
    Cst,
    Smart,
    Ast,
    Relaxed,
    Signature,
}

/// A search for code of a shape.
#[derive(Debug, Clone)]
pub struct StructureQuery {
    pub pattern: String,
    pub language: &'static Language,
    pub scope: RootedPath,
    pub selection: Selection,
    pub strictness: Strictness,
    pub context_lines: usize,
    pub max_results: usize,
    /// The last file of the previous page and how many of its matches were seen.
    pub after: After,
    /// Lines go through this before they are cut; the engine puts its own in.
    pub conceal: Conceal,
}

/// Which part of a file to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    Whole,
    /// 1-based, inclusive.
    Lines {
        start: usize,
        end: usize,
    },
    /// Unicode scalar values.
    Chars {
        offset: usize,
        length: usize,
    },
    Matching {
        pattern: String,
        regex: bool,
        case_sensitive: bool,
        context_lines: usize,
        /// Matching lines that earlier pages showed.
        skip: usize,
    },
}

/// Reading a file.
#[derive(Debug, Clone)]
pub struct ReadQuery {
    pub file: RootedPath,
    pub part: Part,
    /// More characters of content than this are left for the next page.
    pub max_chars: usize,
    /// Lines go through this before they are cut; the engine puts its own in.
    pub conceal: Conceal,
}

/// The order of entries in a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryOrder {
    Name,
    /// Largest first.
    Size,
    /// Newest first.
    Time,
    Extension,
}

/// Listing a folder.
#[derive(Debug, Clone)]
pub struct TreeQuery {
    pub folder: RootedPath,
    pub depth: usize,
    /// Everything below was asked for: what lies deeper is missing, and that is told.
    pub whole: bool,
    pub details: bool,
    pub hidden: bool,
    pub no_ignore: bool,
    pub order: EntryOrder,
    pub files_only: bool,
    pub directories_only: bool,
    pub extensions: Vec<String>,
    /// A glob, or a plain word that names must contain.
    pub pattern: Option<String>,
    pub entries_per_page: usize,
    /// How many entries earlier pages showed.
    pub skip: usize,
}

/// What a found entry must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryType {
    File,
    Directory,
    Symlink,
}

/// Finding files by what they are.
#[derive(Debug, Clone)]
pub struct FindQuery {
    pub folder: RootedPath,
    /// Globs on names, or on paths where they contain a slash; any of them.
    pub names: Vec<String>,
    pub case_sensitive: bool,
    pub entry_type: Option<EntryType>,
    pub min_depth: usize,
    pub max_depth: usize,
    pub modified_after: Option<SystemTime>,
    pub modified_before: Option<SystemTime>,
    pub size_greater: Option<u64>,
    pub size_less: Option<u64>,
    /// Octal permission bits that must be exactly these.
    pub permissions: Option<u32>,
    pub executable: Option<bool>,
    pub readable: Option<bool>,
    pub writable: Option<bool>,
    pub exclude_dirs: Vec<String>,
    pub hidden: bool,
    pub no_ignore: bool,
    pub details: bool,
    pub order: EntryOrder,
    pub files_per_page: usize,
    pub skip: usize,
}

impl FindQuery {
    /// Everything below a folder that is neither hidden nor ignored, on one page.
    pub fn everything(folder: RootedPath) -> Self {
        Self {
            folder,
            names: Vec::new(),
            case_sensitive: true,
            entry_type: None,
            min_depth: 0,
            max_depth: usize::MAX,
            modified_after: None,
            modified_before: None,
            size_greater: None,
            size_less: None,
            permissions: None,
            executable: None,
            readable: None,
            writable: None,
            exclude_dirs: Vec::new(),
            hidden: false,
            no_ignore: false,
            details: false,
            order: EntryOrder::Name,
            files_per_page: usize::MAX,
            skip: 0,
        }
    }
}
