//! What may be asked about code, as validated facts.
//!
//! A tool turns what an agent wrote into one of these; the engine answers it.

use std::time::Duration;

use crate::code::Severity;
use crate::{Language, RootedPath, SymbolKind, Target};

/// Which lines around a place are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SnippetSpec {
    pub context_lines: u32,
    pub max_chars: usize,
}

/// Which part of a list is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// How many earlier pages showed.
    pub skip: usize,
    pub limit: usize,
}

/// From a use to what it means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    Definition,
    Declaration,
    TypeDefinition,
    Implementation,
}

#[derive(Debug, Clone)]
pub struct DefinitionQuery {
    pub target: Target,
    pub relation: Relation,
    pub snippet: Option<SnippetSpec>,
    pub window: Window,
    /// How long to wait for a server that is not ready; the default of the configuration when absent.
    pub wait: Option<Duration>,
}

#[derive(Debug, Clone)]
pub struct ReferencesQuery {
    pub target: Target,
    pub include_declaration: bool,
    /// Also list the word as text where no reference explains it.
    pub cross_check: bool,
    pub snippet: Option<SnippetSpec>,
    pub window: Window,
    pub wait: Option<Duration>,
}

/// How a name must fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameMatch {
    Exact,
    Prefix,
    Fuzzy,
}

#[derive(Debug, Clone)]
pub struct SymbolQuery {
    /// Plain, or a name path whose last part is the name.
    pub query: String,
    pub name_match: NameMatch,
    /// Any when empty.
    pub kinds: Vec<SymbolKind>,
    /// Only below this file or folder.
    pub scope: Option<RootedPath>,
    pub language: Option<&'static Language>,
    pub include_dependencies: bool,
    pub window: Window,
    pub wait: Option<Duration>,
}

#[derive(Debug, Clone)]
pub struct OutlineQuery {
    /// A file or a folder.
    pub path: RootedPath,
    /// Levels of nesting, from 1.
    pub depth: u32,
    /// Any when empty.
    pub kinds: Vec<SymbolKind>,
    pub window: Window,
    pub wait: Option<Duration>,
}

#[derive(Debug, Clone)]
pub struct HoverQuery {
    pub target: Target,
    pub wait: Option<Duration>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallDirection {
    Incoming,
    Outgoing,
}

#[derive(Debug, Clone)]
pub struct CallsQuery {
    pub target: Target,
    pub direction: CallDirection,
    /// 1 to 3.
    pub depth: u32,
    pub snippet: Option<SnippetSpec>,
    pub window: Window,
    pub wait: Option<Duration>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypeDirection {
    Supertypes,
    Subtypes,
    Both,
}

#[derive(Debug, Clone)]
pub struct TypesQuery {
    pub target: Target,
    pub direction: TypeDirection,
    /// 1 to 5.
    pub depth: u32,
    pub window: Window,
    pub wait: Option<Duration>,
}

#[derive(Debug, Clone)]
pub struct SignatureQuery {
    pub file: RootedPath,
    pub line: u32,
    pub column: u32,
    pub wait: Option<Duration>,
}

#[derive(Debug, Clone)]
pub struct CompletionQuery {
    pub file: RootedPath,
    pub line: u32,
    pub column: u32,
    pub trigger_character: Option<String>,
    /// Fetch detail and documentation of what is shown.
    pub resolve: bool,
    pub window: Window,
    pub wait: Option<Duration>,
}

/// Which files are checked.
#[derive(Debug, Clone)]
pub enum CheckScope {
    /// Files and folders.
    Files(Vec<RootedPath>),
    /// What version control says has changed.
    Changed,
    Workspace,
}

/// Who checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckMode {
    /// The language servers.
    Server,
    /// The compilers' own command lines, over whole projects.
    Compiler,
}

#[derive(Debug, Clone)]
pub struct DiagnosticsQuery {
    pub scope: CheckScope,
    pub mode: CheckMode,
    /// Nothing milder than this.
    pub minimum: Severity,
    /// Keep the findings under this name.
    pub save_baseline: Option<String>,
    /// Tell only what changed since that one.
    pub baseline: Option<String>,
    pub window: Window,
    pub wait: Option<Duration>,
}

/// The parts of an exploration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    Body,
    Hover,
    References,
    Callers,
    Callees,
    Implementations,
    Tests,
}

#[derive(Debug, Clone)]
pub struct ExploreQuery {
    pub targets: Vec<Target>,
    pub sections: Vec<Section>,
    /// More characters of a body than this are cut.
    pub max_body_chars: usize,
    pub wait: Option<Duration>,
}
