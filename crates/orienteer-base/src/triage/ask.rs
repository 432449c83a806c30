//! What may be asked about findings, and what is told?

use std::collections::BTreeMap;
use std::time::Duration;

use super::record::{Decision, Finding, Format, Severity, Standing, Status};
use crate::RootedPath;
use crate::ask::Window;

/// Taking in what a source says.
#[derive(Debug, Clone)]
pub struct IngestQuery {
    pub file: RootedPath,
    /// `None`: told by the items themselves.
    pub source: Option<Format>,
    /// Laid over every finding: `service`, `environment`, `team`, `owner`, `repo`, what is known about exposure, and
    /// anything else by name.
    pub meta: BTreeMap<String, String>,
    /// Keep what the source wrote beside what was understood.
    pub keep_raw: bool,
    /// Say what would be written.
    pub dry_run: bool,
}

/// An item that was not taken in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemError {
    /// From 0; `None` for the file as a whole.
    pub index: Option<usize>,
    pub reason: String,
}

/// What came of taking in a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ingested {
    /// The format of each item, most first.
    pub formats: Vec<(Format, usize)>,
    /// Findings that were understood, and items that were not.
    pub total: usize,
    pub written: usize,
    pub updated: usize,
    pub unchanged: usize,
    /// Said more than once in the same file; the last one counts.
    pub duplicates: usize,
    pub errors: usize,
    /// The first of them.
    pub details: Vec<ItemError>,
    /// In order, each once.
    pub ids: Vec<String>,
    /// What is worth knowing about the file.
    pub notes: Vec<String>,
    /// There is more than was taken in: the file says so itself, or it was too long.
    pub partial: bool,
    /// Findings with something in them that could not be read.
    pub with_warnings: usize,
    /// Where the records are.
    pub folder: String,
    pub dry_run: bool,
}

/// Deciding about a finding.
#[derive(Debug, Clone)]
pub struct DecideQuery {
    /// Its id, the unique beginning of one, or an id of the vulnerability where only one finding has it.
    pub finding: String,
    pub status: Status,
    /// Words of VEX; see [`VexCode`](super::VexCode).
    pub codes: Vec<String>,
    pub justification: Option<String>,
    pub reviewer: Option<String>,
    /// A date or a date and time, in the future.
    pub expires: Option<String>,
    /// Links, paths, ids of packs: whatever the decision rests on.
    pub evidence: Vec<String>,
    pub meta: BTreeMap<String, String>,
}

/// What came of a decision.
#[derive(Debug, Clone, PartialEq)]
pub struct Decided {
    pub decision: Decision,
    pub finding: ListedFinding,
    /// All decisions about the finding, this one too.
    pub history: usize,
    pub file_path: String,
    /// What a reviewer should know.
    pub notes: Vec<String>,
}

/// Which findings are wanted.
#[derive(Debug, Clone)]
pub struct ListQuery {
    /// Any when empty. `Open` stands for itself alone: whoever wants what ran out asks for `Expired`, too.
    pub standings: Vec<Standing>,
    /// Part of a package's name, without case.
    pub package: Option<String>,
    /// These and no others; any when empty.
    pub severities: Vec<Severity>,
    pub service: Option<String>,
    pub source: Option<Format>,
    /// An id of a record or a vulnerability, or words that must all stand in it.
    pub text: Option<String>,
    pub window: Window,
}

/// A finding in a list.
#[derive(Debug, Clone, PartialEq)]
pub struct ListedFinding {
    pub finding: Finding,
    pub standing: Standing,
    /// The last one, whether or not it holds.
    pub decision: Option<Decision>,
    /// The finding is another one than when it was decided about.
    pub changed_since_decision: bool,
    /// When it was first and last taken in.
    pub first_seen: Option<String>,
    pub updated: Option<String>,
}

/// How many findings stand where.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StandingCounts {
    pub open: usize,
    pub expired: usize,
    pub decided: usize,
    pub closed: usize,
}

/// A page of findings, worst first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Findings {
    pub rows: Vec<ListedFinding>,
    pub total: usize,
    /// Of everything that fits but for where it stands.
    pub counts: StandingCounts,
    /// Of the whole store.
    pub stored: usize,
    /// Files that could not be read.
    pub unreadable: Vec<String>,
}

/// One finding with everything that was decided about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    pub finding: ListedFinding,
    /// Oldest first.
    pub history: Vec<Decision>,
    pub json_path: String,
    pub markdown_path: String,
    /// What the source wrote is kept in the JSON file.
    pub has_raw: bool,
}

/// Where a pack is written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum PackOutput {
    #[default]
    Nowhere,
    /// Beside the records.
    Store,
    /// A file of the workspace, as it was written: JSON, and Markdown beside it; a folder gets both.
    Path(String),
}

/// Asking what the repository says about a finding.
#[derive(Debug, Clone)]
pub struct PackQuery {
    /// As in [`DecideQuery`].
    pub finding: String,
    pub output: PackOutput,
    /// How long to wait for language servers.
    pub wait: Option<Duration>,
}
