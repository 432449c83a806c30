//! What a search of the index returns, and what is known about the index itself: plain data, in the order it is shown.

use std::time::{Duration, SystemTime};

use serde::Serialize;

use crate::Source;
use crate::listing::Skipped;

/// What a text is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SearchMode {
    Code,
    Prose,
    Comments,
    Config,
    Records,
}

impl SearchMode {
    /// In the order of their numbers, which indexes on disk have in them.
    pub const ALL: &[Self] = &[Self::Code, Self::Prose, Self::Comments, Self::Config, Self::Records];

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|mode| mode.as_str() == word)
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Prose => "prose",
            Self::Comments => "comments",
            Self::Config => "config",
            Self::Records => "records",
        }
    }
}

/// A line that is shown with a hit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HitLine {
    /// 1-based.
    pub number: u32,
    pub text: String,
    /// Something that was looked for stands on it.
    pub matched: bool,
}

/// Who changed the lines of a hit last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HitBlame {
    /// `None` where nothing of it is committed.
    pub commit: Option<String>,
    pub author: Option<String>,
    pub time: Option<SystemTime>,
    /// Some of the lines are not committed yet.
    pub changed: bool,
}

/// One place that answers a search.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchHit {
    /// Accepted as a target by every tool that takes one: the symbol, or the place where it has none.
    pub symbol_id: String,
    pub mode: SearchMode,
    /// Of the symbol, or `text`, `comment`, `section`, `config`, `record`.
    pub kind: &'static str,
    pub name: Option<String>,
    pub name_path: Option<String>,
    pub file_path: String,
    /// Where the symbol begins, or the text; 1-based, both inside.
    pub line: u32,
    pub end_line: u32,
    /// The id of the language.
    pub language: Option<&'static str>,
    pub signature: Option<String>,
    pub doc: Option<String>,
    pub snippet: Vec<HitLine>,
    pub score: f64,
    /// Parts of the score, largest first, where they were asked for.
    pub why: Vec<(&'static str, f64)>,
    /// The file has changed since, and could not be read again.
    pub stale: bool,
    /// Where it was asked for and version control knows.
    pub blame: Option<HitBlame>,
    pub source: Source,
}

/// A page of a search.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SearchHits {
    /// Best first.
    pub hits: Vec<SearchHit>,
    /// All of them, as far as was looked.
    pub total: usize,
    /// There may be more than were looked at.
    pub more: bool,
    /// What the order comes from, in words.
    pub ranking: &'static str,
}

/// Whether there is an index, and whether it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum IndexState {
    /// Nobody has built one.
    None,
    /// One is being made; an older one may answer meanwhile.
    Building,
    Ready,
    /// It cannot be used and will be built again.
    Damaged,
}

impl IndexState {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Building => "building",
            Self::Ready => "ready",
            Self::Damaged => "damaged",
        }
    }
}

/// Files and bytes of one sort.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Share {
    #[serde(skip)]
    pub name: String,
    pub files: u64,
    pub bytes: u64,
}

/// What is known about the index of the workspace.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexStatus {
    pub state: IndexState,
    /// Where it is.
    pub folder: String,
    /// What a build that is under way does.
    pub doing: Option<String>,
    pub generation: u64,
    pub files: u64,
    pub symbols: u64,
    pub chunks: u64,
    /// Most bytes first.
    pub languages: Vec<Share>,
    pub modes: Vec<Share>,
    /// Symbols of each kind, most first.
    pub kinds: Vec<(&'static str, u64)>,
    /// Files that are ranked last or known only by name, by why.
    pub marked: Vec<(&'static str, u64)>,
    /// Of the indexed texts.
    pub text_bytes: u64,
    /// Of the index on disk, and of its parts.
    pub bytes: u64,
    pub parts: Vec<(&'static str, u64)>,
    pub commit: Option<String>,
    pub branch: Option<String>,
    /// Files that differ from what is indexed; `None` when nobody has looked.
    pub stale_files: Option<u64>,
    /// Files that differ from the commit, where there is version control.
    pub changed_since_commit: Option<u64>,
    pub built_at: Option<SystemTime>,
    /// Files that could not be indexed when it was built.
    pub skipped: u64,
    /// `ok`, or what is wrong.
    pub health: String,
    /// The model of meaning, where there is one; otherwise words alone are compared.
    pub model: Option<String>,
    /// Why files are looked at one by one, where they cannot be watched.
    pub unwatched: Option<String>,
    /// Files in folders that nobody watches, such as caches: changes there are seen by the next build.
    pub unwatched_files: u64,
}

/// A file of ours, or a folder of such.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    pub kind: &'static str,
    pub path: String,
    pub bytes: u64,
    pub modified: Option<SystemTime>,
}

/// What a build, a change or a clean-up of the index did, or would do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IndexWork {
    /// One word for what was done: `built`, `updated`, `nothing`, `compacted`, `removed`, …
    pub done: &'static str,
    /// Nothing was changed: this is what would be.
    pub dry_run: bool,
    /// Figures by name, in the order they are shown.
    pub counts: Vec<(&'static str, u64)>,
    pub bytes_before: Option<u64>,
    pub bytes_after: Option<u64>,
    /// The first of them; `skipped_count` says how many there were.
    pub skipped: Vec<Skipped>,
    pub skipped_count: u64,
    pub artifacts: Vec<Artifact>,
    /// Why the index that was there could not be used.
    pub healed: Option<String>,
    pub elapsed: Duration,
}
