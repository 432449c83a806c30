//! What does this repository say about a finding?

use serde::Serialize;

use super::ask::ListedFinding;
use super::record::Decision;
use crate::Completeness;

/// What a piece of evidence shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceKind {
    /// An affected symbol is used.
    Call,
    /// The package is imported.
    Import,
    /// A manifest asks for the package.
    Manifest,
    /// A lock file has the package.
    Lock,
    /// The source itself named the place.
    Place,
    /// A test uses what uses an affected symbol.
    Test,
}

impl EvidenceKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Import => "import",
            Self::Manifest => "manifest",
            Self::Lock => "lock",
            Self::Place => "place",
            Self::Test => "test",
        }
    }
}

/// How something is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Provenance {
    /// A language server says so.
    Lsp,
    /// Definitions and calls as the grammar or the index has them.
    Index,
    /// The words stand there.
    Text,
    /// The finding itself says so.
    Source,
}

impl Provenance {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Lsp => "lsp",
            Self::Index => "index",
            Self::Text => "text",
            Self::Source => "source",
        }
    }
}

/// One place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Evidence {
    pub kind: EvidenceKind,
    pub file_path: String,
    /// 1-based.
    pub line: u32,
    pub column: u32,
    /// The line as it stands.
    pub snippet: String,
    pub provenance: Provenance,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
    /// The affected symbol, where it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub affected: Option<String>,
    /// What encloses the place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// The version that stands there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    pub in_test: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// One search that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Searched {
    /// `manifests`, `imports`, `calls`, …
    pub what: &'static str,
    /// For what, in words.
    pub looked_for: String,
    /// In what, in words.
    pub looked_in: String,
    pub found: usize,
    pub provenance: Provenance,
    pub completeness: Completeness,
    /// What a reader should know about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// The strongest thing that was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Called,
    Imported,
    Present,
    /// Every search was complete and none found anything.
    NotFound,
    /// Nothing was found, and something could not be looked for.
    Unknown,
}

impl Verdict {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Called => "called",
            Self::Imported => "imported",
            Self::Present => "present",
            Self::NotFound => "not_found",
            Self::Unknown => "unknown",
        }
    }
}

/// A finding with what was decided and what the repository says.
#[derive(Debug, Clone, PartialEq)]
pub struct ContextPack {
    pub finding: ListedFinding,
    /// Oldest first.
    pub history: Vec<Decision>,
    pub verdict: Verdict,
    /// What the verdict rests on, in words.
    pub rests_on: String,
    /// Strongest first.
    pub evidence: Vec<Evidence>,
    pub searches: Vec<Searched>,
    /// What could not be looked for, or not to its end.
    pub missing: Vec<String>,
    /// Files that were written.
    pub written: Vec<String>,
    /// RFC 3339.
    pub made_at: String,
}
