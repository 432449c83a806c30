//! What the questions about files return: plain data, in the order it is shown.

use std::time::{Duration, SystemTime};

use crate::question::EntryType;

/// One matching line, or a block of lines for a match that spans several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// 1-based.
    pub line: u64,
    /// 1-based, in Unicode scalar values, of the first match on the line.
    pub column: u64,
    /// 1-based, inclusive; equal to `line` for a match on one line.
    pub end_line: u64,
    pub content: String,
    /// Whether `content` is a window of a line too long to show.
    pub shortened: bool,
    pub before: Vec<String>,
    pub after: Vec<String>,
    /// What the variables of a structural pattern stand for, in order of name.
    pub captures: Vec<(String, String)>,
}

/// The matches of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileMatches {
    pub file_path: String,
    /// All matching lines of the file, also those not listed.
    pub match_count: u64,
    pub matches: Vec<Match>,
    pub modified: Option<SystemTime>,
    /// The file has NUL bytes and was searched only up to the first.
    pub binary: bool,
}

/// Something that could not be searched, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    pub path: String,
    pub reason: String,
}

/// What a search did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SearchStats {
    /// Files that took part, also those that an index knew cannot match.
    pub files_searched: u64,
    pub files_matched: u64,
    pub total_matches: u64,
    /// Files with NUL bytes, which are searched only up to the first.
    pub binary_files: u64,
    /// Whether files were left unopened because an index knew that they cannot match. Everything else in the answer
    /// is the same either way.
    pub used_index: bool,
    pub elapsed: Duration,
}

/// A page of search results.
#[derive(Debug, Clone, Default)]
pub struct Matches {
    pub files: Vec<FileMatches>,
    pub stats: SearchStats,
    /// Matching files (or, inside one file, matches) after this page.
    pub remaining: u64,
    /// At most a handful; `skipped_count` says how many there were.
    pub skipped: Vec<Skipped>,
    pub skipped_count: u64,
}

/// A stretch of a file around matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    pub line: usize,
    pub column: usize,
    pub content: String,
    pub before: Vec<String>,
    pub after: Vec<String>,
}

/// A file's text, exactly as it stands after decoding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileText {
    pub file_path: String,
    pub content: String,
    /// 1-based, inclusive; `end_line` is `start_line - 1` when `content` is empty.
    pub start_line: usize,
    pub end_line: usize,
    pub total_lines: usize,
    pub total_chars: usize,
    /// Bytes on disk.
    pub size: u64,
    pub encoding: &'static str,
    /// Bytes that are not valid in that encoding were replaced.
    pub lossy: bool,
    /// Scalar offset of `content` in the file.
    pub char_offset: usize,
    /// Where to go on when the budget cut the part short: scalar offset.
    pub next_char_offset: Option<usize>,
    pub matches: Option<Vec<Excerpt>>,
    pub total_matches: usize,
}

/// One file or folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub path: String,
    pub entry_type: EntryType,
    pub size: u64,
    pub modified: Option<SystemTime>,
    pub permissions: Option<u32>,
}

/// A page of a listing.
#[derive(Debug, Clone, Default)]
pub struct Listing {
    pub entries: Vec<Entry>,
    pub files: u64,
    pub directories: u64,
    pub bytes: u64,
    pub total_count: u64,
    pub skipped: Vec<Skipped>,
    pub skipped_count: u64,
}
