//! What may be asked to change, and what comes of it.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

use crate::answer::Warning;
use crate::code::{Delta, Place};
use crate::{Digest, RootedPath, Target};

/// Whether a plan is shown or carried out at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carry {
    /// Shown, and kept for `apply_edits`.
    Preview,
    Apply,
}

#[derive(Debug, Clone)]
pub struct RenameQuery {
    pub target: Target,
    pub new_name: String,
    pub carry: Carry,
    /// What the caller saw, by path as it is shown: nothing is done when a file is another one now.
    pub expected: BTreeMap<String, Digest>,
    pub wait: Option<Duration>,
}

/// Which part of a file code actions are asked for.
#[derive(Debug, Clone)]
pub enum ActionPlace {
    Target(Target),
    Range {
        file: RootedPath,
        start_line: u32,
        start_column: Option<u32>,
        end_line: u32,
        end_column: Option<u32>,
    },
}

#[derive(Debug, Clone)]
pub struct ActionsQuery {
    pub place: ActionPlace,
    /// Only these kinds and what is below them, such as `quickfix` or `source.organizeImports`.
    pub kinds: Vec<String>,
    /// From an earlier list: that one is planned.
    pub action_id: Option<String>,
    pub carry: Carry,
    pub wait: Option<Duration>,
}

/// Something a server offers to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ActionRow {
    pub action_id: String,
    pub title: String,
    pub kind: Option<String>,
    pub preferred: bool,
    /// Why it cannot be done here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disabled: Option<String>,
}

/// What came of asking for code actions.
#[derive(Debug, Clone)]
pub enum Actions {
    List(Vec<ActionRow>),
    Planned(Box<Planned>),
}

#[derive(Debug, Clone)]
pub struct FormatQuery {
    pub files: Vec<RootedPath>,
    /// First and last line, of one file.
    pub lines: Option<(u32, u32)>,
    pub carry: Carry,
    pub wait: Option<Duration>,
}

/// What is done to a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SymbolOperation {
    /// The whole definition. The comment and the decorators above it each stay unless the content brings its own.
    Replace,
    ReplaceBody,
    InsertBefore,
    InsertAfter,
    Delete,
}

#[derive(Debug, Clone)]
pub struct EditSymbolQuery {
    pub target: Target,
    pub operation: SymbolOperation,
    /// What takes its place or goes beside it.
    pub content: Option<String>,
    /// Delete although it is used.
    pub force: bool,
    pub carry: Carry,
    pub wait: Option<Duration>,
}

#[derive(Debug, Clone)]
pub struct ApplyQuery {
    pub plan_id: String,
    /// Tell what checkers would say, and write nothing.
    pub simulate: bool,
    /// Tell what checkers say now that they did not say before, and the other way round.
    pub diagnostics: bool,
    pub wait: Option<Duration>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UndoQuery {
    Entry(String),
    /// The last so many.
    Last(usize),
}

/// One file of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedFile {
    pub file_path: String,
    /// Where it goes.
    pub new_path: Option<String>,
    /// `None` for a new file.
    pub before_sha256: Option<Digest>,
    pub edits: usize,
    /// Unified.
    pub diff: String,
}

/// What is done to a whole file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum PlannedOperation {
    Create { file_path: String },
    Rename { file_path: String, new_path: String },
    Delete { file_path: String },
}

/// A change that was worked out and can be carried out as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Planned {
    /// For `apply_edits`; `None` when there is nothing to do or it was done.
    pub plan_id: Option<String>,
    /// Milliseconds since 1970.
    pub expires_at_ms: Option<u64>,
    pub files: Vec<PlannedFile>,
    pub operations: Vec<PlannedOperation>,
    /// The word as text where the change does not reach: comments, strings, documentation.
    pub unconfirmed: Vec<Place>,
    /// All of those; `None` when nobody looked, or the word is too common to count.
    pub unconfirmed_total: Option<usize>,
    /// What it is, in words.
    pub title: String,
    /// What is worth knowing about how it was done.
    pub warnings: Vec<Warning>,
    pub applied: bool,
    /// For `undo_edits`.
    pub journal_id: Option<String>,
}

/// What checkers say after a change that they did not say before, and the other way round.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DiagnosticsDelta {
    pub delta: Delta,
    /// Files whose checker has not spoken: an empty list means nothing for them.
    pub pending_files: Vec<String>,
    /// Checkers that could not take part, and why: theirs is silence, not praise.
    pub not_covered: Vec<String>,
}

/// A change that was carried out, undone or tried.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AppliedEdits {
    pub applied: bool,
    /// Entries of the journal: the one that was made, or those that were undone.
    pub journal_id: Option<String>,
    pub undone: Vec<String>,
    pub files: Vec<String>,
    pub diagnostics_delta: Option<DiagnosticsDelta>,
}
