//! What the questions about code return: plain data, in the order it is shown.

use serde::Serialize;

use crate::{Range, Source, SymbolKind};

/// A place in a file, with enough around it to be understood without opening the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub file_path: String,
    pub range: Range,
    /// The source line as it stands.
    pub preview: String,
    /// Some lines around it, where they were asked for.
    pub snippet: Option<String>,
    /// Name path of the symbol that encloses it.
    pub symbol: Option<String>,
    /// What the file says is not shown: it lies outside the roots and belongs to no toolchain or package.
    pub withheld: bool,
    pub source: Source,
}

/// Where something is defined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    pub place: Place,
    pub kind: Option<SymbolKind>,
    pub name: Option<String>,
}

/// A page of definitions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Definitions {
    pub rows: Vec<Definition>,
    /// All of them, also those of other pages.
    pub total: usize,
}

/// One use of a symbol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    pub place: Place,
    pub is_declaration: bool,
}

/// How many results a file has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileCount {
    pub file_path: String,
    pub count: usize,
}

/// A page of references.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct References {
    /// In order of path and place.
    pub rows: Vec<Reference>,
    pub total_count: usize,
    /// Every file that has any, also those of other pages.
    pub files: Vec<FileCount>,
    /// The word as text where no reference explains it: the first of them.
    pub unconfirmed: Vec<Place>,
    /// All of those; `None` when nobody looked, or the word is too common to count.
    pub unconfirmed_total: Option<usize>,
}

/// One symbol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SymbolRow {
    /// Accepted as a target by every tool that takes one.
    pub symbol_id: String,
    pub name: String,
    /// Names from the outermost container to this one, joined with `/`.
    pub name_path: String,
    pub kind: SymbolKind,
    pub file_path: String,
    /// Of the name.
    pub range: Range,
    /// Last line of the whole definition.
    pub end_line: u32,
    pub signature: Option<String>,
    pub doc: Option<String>,
    pub children: Vec<SymbolRow>,
    pub source: Source,
}

/// A page of symbols.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Symbols {
    pub rows: Vec<SymbolRow>,
    /// All of them (children counted), also those of other pages; `None` when the server cut its own list.
    pub total: Option<usize>,
}

/// What is known about a symbol at a place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hover {
    /// The signature or type as code.
    pub type_info: Option<String>,
    pub documentation: Option<String>,
    /// Module, package or namespace that it comes from.
    pub source_module: Option<String>,
    /// What the answer is about; `None` when the server does not say.
    pub range: Option<Range>,
    /// The name that was pointed at.
    pub word: Option<String>,
    pub file_path: String,
}

/// A member of a hierarchy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HierarchyItem {
    pub name: String,
    pub name_path: Option<String>,
    pub kind: Option<SymbolKind>,
    pub location: Place,
    /// Steps from the root, from 1.
    pub depth: u32,
    /// Which of the roots it was found through, from 0.
    pub root: usize,
    /// Supertype or subtype; `None` in call hierarchies.
    pub relation: Option<&'static str>,
    /// Where the calls stand.
    pub call_sites: Vec<Place>,
    /// Listed again because it calls itself through others; not followed further.
    pub cycle: bool,
}

/// Callers, callees, supertypes or subtypes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hierarchy {
    /// What was asked about: one, or several where a server knows several of that name, such as a declaration and a
    /// definition.
    pub roots: Vec<HierarchyItem>,
    pub items: Vec<HierarchyItem>,
    pub total_count: usize,
}

/// One parameter of a signature.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Parameter {
    pub label: String,
    pub documentation: Option<String>,
}

/// One way to call something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Signature {
    pub label: String,
    pub documentation: Option<String>,
    pub parameters: Vec<Parameter>,
}

/// The signatures of the call around a place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Signatures {
    pub signatures: Vec<Signature>,
    pub active_signature: Option<u32>,
    pub active_parameter: Option<u32>,
}

/// One proposal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CompletionItem {
    pub label: String,
    /// A word such as `function`.
    pub kind: Option<&'static str>,
    pub detail: Option<String>,
    pub documentation: Option<String>,
    pub insert_text: String,
}

/// A page of proposals.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Completions {
    pub items: Vec<CompletionItem>,
    pub total: usize,
    /// The server would say more after another character.
    pub is_incomplete: bool,
}

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    Error,
    Warning,
    Info,
    Hint,
}

/// Another place that explains a finding.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Related {
    pub file_path: String,
    pub line: u32,
    pub column: u32,
    pub message: String,
}

/// One finding of a checker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    pub file_path: String,
    pub range: Range,
    pub severity: Severity,
    pub code: Option<String>,
    pub message: String,
    /// Which checker says so.
    pub source: Option<String>,
    pub related: Vec<Related>,
    /// Titles of quick fixes.
    pub fixes: Vec<String>,
}

/// Whether the checkers have spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckState {
    /// Every checker that was asked has finished and found nothing.
    Clean,
    /// Something was found.
    Issues,
    /// Some checker has not finished: an empty list means nothing.
    Pending,
}

/// How many of each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    pub errors: usize,
    pub warnings: usize,
    pub info: usize,
    pub hints: usize,
}

/// What changed since a baseline.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Delta {
    pub new: Vec<Diagnostic>,
    pub fixed: Vec<Diagnostic>,
    pub unchanged_count: usize,
}

/// A page of findings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostics {
    pub state: CheckState,
    /// In order of path and place.
    pub rows: Vec<Diagnostic>,
    /// All of them after the severity filter, also those of other pages.
    pub total: usize,
    /// Over all files asked about, before the severity filter.
    pub summary: Summary,
    /// Files that were checked.
    pub files_checked: usize,
    /// Files whose checker has not finished.
    pub pending_files: Vec<String>,
    pub delta: Option<Delta>,
}

/// A symbol with its surroundings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explored {
    pub symbol: SymbolRow,
    pub definition: Place,
    pub body: Option<String>,
    /// The number of its first line.
    pub body_line: u32,
    pub hover: Option<Hover>,
    pub references_total: Option<usize>,
    pub references_files: Vec<FileCount>,
    /// Places with the name as text that no reference explains; `None` when nobody looked, or it is too common.
    pub unconfirmed_total: Option<usize>,
    pub callers: Vec<HierarchyItem>,
    pub callees: Vec<HierarchyItem>,
    pub implementations: Vec<Place>,
    pub tests: Vec<Place>,
    /// Sections that could not be answered, and why.
    pub missing: Vec<(&'static str, String)>,
}

impl Summary {
    pub fn of<'d>(diagnostics: impl IntoIterator<Item = &'d Diagnostic>) -> Self {
        let mut summary = Self::default();
        for diagnostic in diagnostics {
            match diagnostic.severity {
                Severity::Error => summary.errors += 1,
                Severity::Warning => summary.warnings += 1,
                Severity::Info => summary.info += 1,
                Severity::Hint => summary.hints += 1,
            }
        }
        summary
    }
}
